// SPDX-License-Identifier: LGPL-2.1-only
/* Rows as json: an array of objects; or ndjson: an object in each line. */
#include "table/rows.h"

static void begin(struct row_writer *w)
{
	strbuf_addch(w->out, '[');
}

static void add_number(struct json *j, enum cell_kind kind, u64 v)
{
	scoped(strbuf_release) struct strbuf hex = STRBUF_INIT;

	if (kind != CELL_ADDRESS) {
		json_number(j, NULL, v, kind == CELL_SIGNED);
		return;
	}
	strbuf_addhex(&hex, v);
	json_text(j, NULL, strbuf_span(&hex));
	j->out->failed |= hex.failed;
}

static void add_list(struct json *j, const struct row_cell *c)
{
	json_array(j, NULL);
	for (size_t i = 0; i < c->list.n; i++)
		if (c->kind == CELL_TEXTS)
			json_str(j, NULL, c->list.texts[i]);
		else
			add_number(j, c->list.kind, c->list.number(c->list.of, i));
	json_close(j, ']');
}

void row_cell_json(const struct row_cell *c, const char *name, struct json *j, bool clock_counts)
{
	const struct row_writer w = { .clock_counts = clock_counts };
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	json_name(j, span_of(name));
	switch (c->kind) {
	case CELL_ABSENT:
		json_null(j, NULL);
		break;
	case CELL_TEXT:
		json_text(j, NULL, c->text);
		break;
	case CELL_SMALL:
		json_s64(j, NULL, (s64)c->number);
		break;
	case CELL_TIME:
	case CELL_DATE:
		json_time(j, NULL, c->number, clock_counts);
		break;
	case CELL_DOUBLE:
		json_double(j, NULL, c->real);
		break;
	case CELL_NUMBERS:
	case CELL_TEXTS:
		add_list(j, c);
		break;
	case CELL_BYTES:
		row_cell_add(&w, c, &text);
		json_text(j, NULL, strbuf_span(&text));
		j->out->failed |= text.failed;
		break;
	case CELL_JSON:
		strbuf_add(j->out, c->text.s, c->text.n);
		j->comma = true;
		break;
	default:
		add_number(j, c->kind, c->number);
	}
}

static void cell(struct row_writer *w, const struct row_cell *c)
{
	if (!w->at) {
		if (w->format == &row_json)
			strbuf_addstr(w->out, w->n ? ",\n" : "\n");
		w->json = (struct json){ .out = w->out, .u64_as_string = w->u64_as_string };
		json_object(&w->json, NULL);
	}
	row_cell_json(c, w->columns[w->at].name, &w->json, w->clock_counts);
}

static void end_object(struct row_writer *w)
{
	json_close(&w->json, '}');
}

static void end_line(struct row_writer *w)
{
	json_close(&w->json, '}');
	json_end_line(&w->json);
}

/* Rows that an error ended are no array. */
static void end(struct row_writer *w, bool complete)
{
	strbuf_addstr(w->out, complete ? "\n]\n" : "\n");
}

const struct row_format row_json = { .name = "json",
				     .nested = true,
				     .begin = begin,
				     .cell = cell,
				     .end_row = end_object,
				     .end = end };
const struct row_format row_ndjson = {
	.name = "ndjson", .nested = true, .cell = cell, .end_row = end_line
};
