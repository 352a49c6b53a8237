// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rows as statements that make the table answer in a database: hist report ... --format sql |
 * sqlite3 FILE. The tables of answers of hist sql are made from them.
 *
 * Numbers beyond the 64 bits with a sign that SQLite has are texts, times are integers (ns).
 */
#include "json/json.h"
#include "table/rows.h"

/* @mark: the quotes, which are doubled inside */
static void add_quoted(struct strbuf *out, struct span text, char mark)
{
	strbuf_addch(out, mark);
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == mark)
			strbuf_addch(out, mark);
		strbuf_addch(out, text.s[i]);
	}
	strbuf_addch(out, mark);
}

static void begin(struct row_writer *w)
{
	strbuf_addstr(w->out, "BEGIN;\nCREATE TABLE answer(");
	for (size_t i = 0; i < w->n_columns; i++) {
		strbuf_addstr(w->out, i ? ", " : "");
		add_quoted(w->out, span_of(w->columns[i].name), '"');
	}
	strbuf_addstr(w->out, ");\n");
}

static void add_text(const struct row_writer *w, const struct row_cell *c)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT, encoded = STRBUF_INIT;

	row_cell_add(w, c, &text);
	if (c->kind == CELL_TEXT && !w->encoded)
		text_add_encoded(&encoded, strbuf_span(&text));
	else
		strbuf_add(&encoded, text.s, text.len);
	add_quoted(w->out, strbuf_span(&encoded), '\'');
	w->out->failed |= text.failed || encoded.failed;
}

static void add_double(struct strbuf *out, double v)
{
	const size_t start = out->len;

	if (isinf(v)) {
		strbuf_addstr(out, v > 0 ? "9e999" : "-9e999");
		return;
	}
	text_add_double(out, v + 0.0);
	if (!out->failed && !strpbrk(out->s + start, ".e"))
		strbuf_addstr(out, ".0");
}

static void cell(struct row_writer *w, const struct row_cell *c)
{
	strbuf_addstr(w->out, w->at ? ", " : "INSERT INTO answer VALUES(");
	if (c->kind == CELL_ABSENT || (c->kind == CELL_DOUBLE && isnan(c->real)))
		strbuf_addstr(w->out, "NULL");
	else if (c->kind == CELL_DOUBLE)
		add_double(w->out, c->real);
	else if (c->kind == CELL_SIGNED || c->kind == CELL_SMALL)
		text_add_number(w->out, c->number, true);
	else if ((c->kind == CELL_UNSIGNED || c->kind == CELL_TIME) && !(c->number >> 63))
		text_add_u64(w->out, c->number);
	else
		add_text(w, c);
}

static void end_row(struct row_writer *w)
{
	strbuf_addstr(w->out, ");\n");
}

static void end(struct row_writer *w, bool complete)
{
	strbuf_addstr(w->out, complete ? "COMMIT;\n" : "ROLLBACK;\n");
}

const struct row_format row_sql = {
	.name = "sql", .begin = begin, .cell = cell, .end_row = end_row, .end = end
};
