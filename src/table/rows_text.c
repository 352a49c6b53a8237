// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rows as text and Markdown: cells as in tsv, without quotes. Memory does not grow with the rows of
 * a text: its columns are as wide as the first rows need.
 */
#include "table/table.h"

enum { MEASURED_ROWS = 1000 };

/* A table has few columns: with more, each value has a line. */
static bool is_wide(const struct row_writer *w)
{
	return w->n_columns > TABLE_COLUMNS;
}

static void text_begin(struct row_writer *w)
{
	struct table *t = malloc(sizeof(*t));

	w->state = t;
	if (w->continued)
		strbuf_addch(w->out, '\n');
	if (!t) {
		w->err = HIST_NOMEM;
		return;
	}
	*t = (struct table)TABLE_INIT;
	for (size_t i = 0; i < w->n_columns && !is_wide(w); i++) {
		t->columns[i].left = cell_is_text(w->columns[i].kind);
		table_add(t, w->columns[i].name);
	}
	t->columns[1].left |= is_wide(w);
	if (!is_wide(w))
		table_end_row(t);
}

static void text_cell(struct row_writer *w, const struct row_cell *c)
{
	struct table *t = w->state;

	if (!t)
		return;
	if (is_wide(w))
		table_add(t, w->columns[w->at].name);
	row_cell_add_plain(w, c, table_cell(t));
	table_end_cell(t);
	if (is_wide(w))
		table_end_row(t);
}

static void flush_table(struct row_writer *w, struct table *t)
{
	if (w->width && !t->fitted)
		table_fit(t, w->width);
	table_text(t, w->out);
	table_drop_rows(t);
}

static void text_end_row(struct row_writer *w)
{
	struct table *t = w->state;

	if (!t)
		return;
	if (is_wide(w))
		strbuf_addstr(w->out, w->n ? "\n" : "");
	else
		table_end_row(t);
	if (is_wide(w) || w->n % MEASURED_ROWS == MEASURED_ROWS - 1)
		flush_table(w, t);
}

static void text_end(struct row_writer *w, bool complete UNUSED)
{
	struct table *t = w->state;

	if (!t)
		return;
	flush_table(w, t);
	table_release(t);
	free(t);
}

const struct row_format row_text = { .name = "text",
				     .begin = text_begin,
				     .cell = text_cell,
				     .end_row = text_end_row,
				     .end = text_end };

static void markdown_begin(struct row_writer *w)
{
	if (w->continued)
		strbuf_addch(w->out, '\n');
	for (size_t i = 0; i < w->n_columns; i++) {
		strbuf_addstr(w->out, i ? " | " : "| ");
		markdown_add(w->out, w->columns[i].name);
	}
	strbuf_addstr(w->out, " |\n|");
	for (size_t i = 0; i < w->n_columns; i++)
		strbuf_addstr(w->out, cell_is_text(w->columns[i].kind) || !i ? " :-- |" : " --: |");
	strbuf_addch(w->out, '\n');
}

static void markdown_cell(struct row_writer *w, const struct row_cell *c)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	row_cell_add_plain(w, c, &text);
	strbuf_addstr(w->out, w->at ? " | " : "| ");
	markdown_add(w->out, text.s);
	w->out->failed |= text.failed;
}

static void markdown_end_row(struct row_writer *w)
{
	strbuf_addstr(w->out, " |\n");
}

const struct row_format row_markdown = { .name = "markdown",
					 .begin = markdown_begin,
					 .cell = markdown_cell,
					 .end_row = markdown_end_row };
