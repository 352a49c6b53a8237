// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Events as csv and tsv. One type of events: a column for each field. Several types: what all
 * events have, and a column with an object (json) of the fields.
 */
#include "events/events_print.h"

static void begin(const struct events_printer *p, const struct hist_events *ev, struct strbuf *out)
{
	struct csv t = { .dialect = p->dialect, .out = out };

	(void)ev;
	for (size_t i = 0; i < p->columns.n; i++)
		csv_name(&t, p->columns.v[i].name);
	csv_end_line(&t);
}

static void add_value(const struct events_row *r, struct csv *t, const struct hist_value *v)
{
	switch (v->kind) {
	case HIST_VALUE_ABSENT:
		csv_absent(t);
		return;
	case HIST_VALUE_UNSIGNED:
	case HIST_VALUE_SIGNED:
		csv_number(t, v->number, v->kind == HIST_VALUE_SIGNED);
		return;
	case HIST_VALUE_TEXT:
		csv_text(t, (struct span){ v->data, v->len });
		return;
	default:
		strbuf_reset(r->cell);
		events_add_value(v, r->cell);
		csv_text(t, strbuf_span(r->cell));
	}
}

/* A number without a name is empty: it is in the column before. */
static void add_words(const struct events_row *r, const struct events_column *c, struct csv *t)
{
	char buf[EVENTS_NAME_MAX];
	struct hist_value v;
	struct span name;

	events_column_value(&r->e, c, &v);
	name = events_value_name(&v, &c->words[r->e.type->number], buf);
	if (name.n)
		csv_text(t, name);
	else
		csv_absent(t);
}

static void add_str(struct csv *t, const char *s)
{
	if (s)
		csv_text(t, span_of(s));
	else
		csv_absent(t);
}

/* The object is valid UTF-8 already, and a reader of json must find its backslashes. */
static void add_fields(const struct events_printer *p, const struct events_row *r, struct csv *t)
{
	struct csv_dialect as_is = *t->dialect;
	struct csv cell = { .dialect = &as_is, .out = t->out, .begun = t->begun };
	struct json j = { .out = r->cell, .u64_as_string = p->print->json_u64_as_string };

	strbuf_reset(r->cell);
	json_object(&j, NULL);
	events_json_fields(&r->e, &j);
	json_close(&j, '}');
	as_is.escapes = false;
	csv_text(&cell, strbuf_span(r->cell));
	t->begun = true;
}

static void add_cell(const struct events_printer *p, const struct events_row *r,
		     const struct events_column *c, struct csv *t)
{
	const struct hist_event *e = &r->e;
	char buf[WHO_TEXT_MAX];
	struct hist_value v;

	switch (c->kind) {
	case COLUMN_TIME:
		csv_time(t, e->ts, p->clock_counts);
		return;
	case COLUMN_TS:
		csv_number(t, e->ts, false);
		return;
	case COLUMN_CPU:
		csv_number(t, e->cpu, false);
		return;
	case COLUMN_PID:
		csv_number(t, (u64)(s64)e->pid, true);
		return;
	case COLUMN_COMM:
		add_str(t, r->comm);
		return;
	case COLUMN_EVENT:
		csv_text(t, span_of(events_type_of(e)->title));
		return;
	case COLUMN_TGID:
		if (r->tgid < 0)
			csv_absent(t);
		else
			csv_number(t, (u64)r->tgid, true);
		return;
	case COLUMN_PROCESS:
	case COLUMN_CMDLINE:
	case COLUMN_CGROUP:
		add_str(t, events_row_who(r, c->kind, buf));
		return;
	case COLUMN_TEXT:
		strbuf_reset(r->cell);
		events_add_text(e, r->cell);
		csv_text(t, strbuf_span(r->cell));
		return;
	case COLUMN_FIELDS:
		add_fields(p, r, t);
		return;
	case COLUMN_FIELD:
		events_column_value(e, c, &v);
		add_value(r, t, &v);
		return;
	case COLUMN_WORDS:
		add_words(r, c, t);
		return;
	case COLUMN_CODE:
		if (events_code_joined(e, c->code, events_row_code(r, c->code), r->cell))
			csv_text(t, strbuf_span(r->cell));
		else
			csv_absent(t);
	}
}

static void line(const struct events_printer *p, const struct events_row *r, struct strbuf *out)
{
	struct csv t = { .dialect = p->dialect, .out = out };

	for (size_t i = 0; i < p->columns.n; i++)
		add_cell(p, r, &p->columns.v[i], &t);
	csv_end_line(&t);
}

const struct events_format events_csv = { .begin = begin, .event = line };
