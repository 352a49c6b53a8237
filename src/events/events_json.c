// SPDX-License-Identifier: LGPL-2.1-only
/* Events as json: an array of objects; or ndjson: an object in each line. */
#include <stdio.h>

#include "events/events_print.h"

enum { ADDRESS_SIZE = 2 + 16 + 1 };

static void add_address(struct json *j, const char *name, u64 v)
{
	char text[ADDRESS_SIZE];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)v);
	json_str(j, name, text);
}

static void add_list(struct json *j, const char *name, const struct hist_value *v)
{
	json_array(j, name);
	for (size_t i = 0; i < v->len; i++) {
		if (v->element == HIST_VALUE_POINTER)
			add_address(j, NULL, hist_value_element(v, i));
		else
			json_number(j, NULL, hist_value_element(v, i),
				    v->element == HIST_VALUE_SIGNED);
	}
	json_close(j, ']');
}

static void add_bytes(struct json *j, const char *name, const struct hist_value *v)
{
	struct strbuf hex = STRBUF_INIT;

	events_add_value(v, &hex);
	json_text(j, name, strbuf_span(&hex));
	j->out->failed |= hex.failed;
	strbuf_release(&hex);
}

static void add_value(struct json *j, const char *name, const struct hist_value *v)
{
	switch (v->kind) {
	case HIST_VALUE_ABSENT:
		json_null(j, name);
		break;
	case HIST_VALUE_UNSIGNED:
	case HIST_VALUE_SIGNED:
		json_number(j, name, v->number, v->kind == HIST_VALUE_SIGNED);
		break;
	case HIST_VALUE_POINTER:
		add_address(j, name, v->number);
		break;
	case HIST_VALUE_TEXT:
		json_text(j, name, (struct span){ v->data, v->len });
		break;
	case HIST_VALUE_LIST:
		add_list(j, name, v);
		break;
	case HIST_VALUE_BYTES:
		add_bytes(j, name, v);
		break;
	}
}

void events_json_fields(const struct hist_event *e, struct json *j)
{
	for (size_t i = 0; i < e->type->n_fields; i++) {
		struct hist_value v;

		hist_event_value(e, i, &v);
		add_value(j, e->type->fields[i].name, &v);
	}
}

static void add_tgid(struct json *j, const char *name, s32 tgid)
{
	if (tgid < 0)
		json_null(j, name);
	else
		json_s64(j, name, tgid);
}

/* A text, or those of a stack. */
static void add_code(const struct events_row *r, const struct events_column *c, struct json *j)
{
	const char *room[1];
	size_t n;
	const char *const *texts =
		events_code_texts(&r->e, c->code, events_row_code(r, c->code), room, &n);

	if (texts == room) {
		json_str(j, c->name, n ? *texts : NULL);
		return;
	}
	json_array(j, c->name);
	for (size_t i = 0; i < n; i++)
		json_str(j, NULL, texts[i]);
	json_close(j, ']');
}

static void add_member(const struct events_printer *p, const struct events_row *r,
		       const struct events_column *c, struct json *j)
{
	const struct hist_event *e = &r->e;
	char buf[WHO_TEXT_MAX];
	struct hist_value v;

	switch (c->kind) {
	case COLUMN_TIME:
		json_time(j, c->name, e->ts, p->clock_counts);
		break;
	case COLUMN_TS:
		json_number(j, c->name, e->ts, false);
		break;
	case COLUMN_CPU:
		json_u64(j, c->name, e->cpu);
		break;
	case COLUMN_PID:
		json_s64(j, c->name, e->pid);
		break;
	case COLUMN_COMM:
		json_str(j, c->name, r->comm);
		break;
	case COLUMN_EVENT:
		json_str(j, c->name, events_type_of(e)->title);
		break;
	case COLUMN_TGID:
		add_tgid(j, c->name, r->tgid);
		break;
	case COLUMN_PROCESS:
	case COLUMN_CMDLINE:
	case COLUMN_CGROUP:
		json_str(j, c->name, events_row_who(r, c->kind, buf));
		break;
	case COLUMN_TEXT:
		strbuf_reset(r->cell);
		events_add_text(e, r->cell);
		json_text(j, c->name, strbuf_span(r->cell));
		break;
	case COLUMN_FIELDS:
		json_object(j, c->name);
		events_json_fields(e, j);
		json_close(j, '}');
		break;
	case COLUMN_FIELD:
		events_column_value(e, c, &v);
		add_value(j, c->name, &v);
		break;
	case COLUMN_CODE:
		add_code(r, c, j);
		break;
	case COLUMN_WORDS: /* only in csv and tsv */
		break;
	}
}

static void add_event(const struct events_printer *p, const struct events_row *r,
		      struct strbuf *out)
{
	struct json j = { .out = out, .u64_as_string = p->print->json_u64_as_string };

	json_object(&j, NULL);
	for (size_t i = 0; i < p->columns.n; i++)
		add_member(p, r, &p->columns.v[i], &j);
	json_close(&j, '}');
}

static void add_line(const struct events_printer *p, const struct events_row *r, struct strbuf *out)
{
	add_event(p, r, out);
	strbuf_addch(out, '\n');
}

static void add_element(const struct events_printer *p, const struct events_row *r,
			struct strbuf *out)
{
	strbuf_addstr(out, r->number ? ",\n" : "\n");
	add_event(p, r, out);
}

static void begin_array(const struct events_printer *p, const struct hist_events *ev,
			struct strbuf *out)
{
	(void)p;
	(void)ev;
	strbuf_addch(out, '[');
}

static void end_array(const struct events_printer *p, struct strbuf *out)
{
	(void)p;
	strbuf_addstr(out, "\n]\n");
}

const struct events_format events_ndjson = { .event = add_line };
const struct events_format events_json = { begin_array, add_element, end_array };
