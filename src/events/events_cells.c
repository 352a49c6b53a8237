// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The cells of events, for each format of rows. One type of events: a column for each field.
 * Several types: what all events have, and a column with an object (json) of the fields.
 */
#include "events/events_print.h"
#include "hist-columns.h"

static u64 element(const void *of, size_t i)
{
	return hist_value_element(of, i);
}

static enum cell_kind number_kind(enum hist_value_kind kind)
{
	return kind == HIST_VALUE_POINTER  ? CELL_ADDRESS
	       : kind == HIST_VALUE_SIGNED ? CELL_SIGNED
					   : CELL_UNSIGNED;
}

static struct row_cell value_cell(const struct hist_value *v)
{
	const struct span data = { v->data, v->len };

	switch (v->kind) {
	case HIST_VALUE_ABSENT:
		return (struct row_cell){ .kind = CELL_ABSENT };
	case HIST_VALUE_TEXT:
		return (struct row_cell){ .kind = CELL_TEXT, .text = data };
	case HIST_VALUE_BYTES:
		return (struct row_cell){ .kind = CELL_BYTES, .text = data };
	case HIST_VALUE_LIST:
		return (struct row_cell){ .kind = CELL_NUMBERS,
					  .list = { .n = v->len,
						    .number = element,
						    .of = v,
						    .kind = number_kind(v->element) } };
	default:
		return (struct row_cell){ .kind = number_kind(v->kind), .number = v->number };
	}
}

void events_field_column(const struct hist_event_field *f, struct row_column *c)
{
	*c = (struct row_column){ .name = f->column, .size = f->size, .bare = true };
	c->element = number_kind(f->element);
	c->kind = f->kind == HIST_VALUE_TEXT    ? CELL_TEXT
		  : f->kind == HIST_VALUE_BYTES ? CELL_BYTES
		  : f->kind == HIST_VALUE_LIST  ? CELL_NUMBERS
						: number_kind(f->kind);
}

void events_add_value(const struct hist_value *v, struct strbuf *out)
{
	const struct row_writer w = { .out = out };
	const struct row_cell c = value_cell(v);

	row_cell_add(&w, &c, out);
}

/* All fields as an object. */
static struct span fields_of(const struct events_printer *p, const struct events_row *r)
{
	struct json j = { .out = r->cell, .u64_as_string = p->print->json_u64_as_string };

	strbuf_reset(r->cell);
	json_object(&j, NULL);
	for (size_t i = 0; i < r->e.type->n_fields; i++) {
		struct row_cell c;
		struct hist_value v;

		hist_event_value(&r->e, i, &v);
		c = value_cell(&v);
		row_cell_json(&c, r->e.type->fields[i].name, &j, p->clock_counts);
	}
	json_close(&j, '}');
	return strbuf_span(r->cell);
}

/* A text, or those of a stack. */
static struct row_cell code_of(const struct events_row *r, size_t question, const char *room[1])
{
	size_t n;
	const char *const *texts =
		events_code_texts(&r->e, question, events_row_code(r, question), room, &n);

	if (texts != room)
		return (struct row_cell){ .kind = CELL_TEXTS, .list = { .n = n, .texts = texts } };
	if (!n)
		return (struct row_cell){ .kind = CELL_ABSENT };
	return (struct row_cell){ .kind = CELL_TEXT, .text = span_of(*texts) };
}

static struct row_cell text_or_absent(const char *s)
{
	return s ? (struct row_cell){ .kind = CELL_TEXT, .text = span_of(s) }
		 : (struct row_cell){ .kind = CELL_ABSENT };
}

struct row_cell events_cell(const struct events_printer *p, const struct events_row *r,
			    const struct events_column *c, struct events_cell_room *room)
{
	const struct hist_event *e = &r->e;
	struct span name;
	uint64_t unix_ns;

	switch (c->kind) {
	case COLUMN_TIME:
		return (struct row_cell){ .kind = CELL_TIME, .number = e->ts };
	case COLUMN_TS:
		return (struct row_cell){ .kind = CELL_UNSIGNED, .number = e->ts };
	case COLUMN_CPU:
		return (struct row_cell){ .kind = CELL_SMALL, .number = e->cpu };
	case COLUMN_PID:
		return (struct row_cell){ .kind = CELL_SMALL, .number = (u64)(s64)e->pid };
	case COLUMN_COMM:
		return text_or_absent(r->comm);
	case COLUMN_EVENT:
		return text_or_absent(events_type_of(e)->title);
	case COLUMN_TGID:
		return r->tgid < 0
			       ? (struct row_cell){ .kind = CELL_ABSENT }
			       : (struct row_cell){ .kind = CELL_SMALL, .number = (u64)r->tgid };
	case COLUMN_PROCESS:
	case COLUMN_CMDLINE:
	case COLUMN_CGROUP:
		return text_or_absent(events_row_who(r, c->kind, room->who));
	case COLUMN_TEXT:
		strbuf_reset(r->cell);
		events_add_text(e, r->cell);
		return (struct row_cell){ .kind = CELL_TEXT, .text = strbuf_span(r->cell) };
	case COLUMN_DATE:
		if (!hist_event_date(e, &unix_ns))
			return (struct row_cell){ .kind = CELL_ABSENT };
		strbuf_reset(r->cell);
		text_add_date(r->cell, unix_ns);
		return (struct row_cell){ .kind = CELL_TEXT, .text = strbuf_span(r->cell) };
	case COLUMN_FIELDS:
		return (struct row_cell){ .kind = CELL_JSON, .text = fields_of(p, r) };
	case COLUMN_FIELD:
		events_column_value(e, c, &room->value);
		return value_cell(&room->value);
	case COLUMN_CODE:
		return code_of(r, c->code, room->text);
	case COLUMN_WORDS:
		break;
	}
	/* a number without a name is absent: it is in the column before */
	events_column_value(e, c, &room->value);
	name = events_value_name(&room->value, &c->words[c->of_one_type ? 0 : e->type->number],
				 room->name);
	return name.n ? (struct row_cell){ .kind = CELL_TEXT, .text = name }
		      : (struct row_cell){ .kind = CELL_ABSENT };
}
