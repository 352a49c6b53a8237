// SPDX-License-Identifier: LGPL-2.1-only
/* Rows as Parquet: the columns and cells of any answer, in groups of rows. */
#include "parquet/parquet.h"
#include "table/rows.h"

enum { GROUP_ROWS = 1 << 16 };

struct parquet_column parquet_column_of(const struct row_column *c)
{
	/* ORDER cell_kind */
	static const enum parquet_kind kinds[] = {
		PARQUET_TEXT,   PARQUET_TEXT, PARQUET_UNSIGNED, PARQUET_SIGNED,   PARQUET_SIGNED,
		PARQUET_SIGNED, PARQUET_TIME, PARQUET_DOUBLE,   PARQUET_UNSIGNED, PARQUET_BYTES,
		PARQUET_SIGNED, PARQUET_TEXT, PARQUET_TEXT,
	};
	struct parquet_column to = { .name = c->name,
				     .kind = kinds[c->kind],
				     .size = c->size ?: 8 };

	to.list = c->kind == CELL_NUMBERS;
	if (to.list)
		to.kind = kinds[c->element];
	if (to.kind == PARQUET_TEXT || to.kind == PARQUET_BYTES)
		to.size = 0;
	return to;
}

static void add_text(struct parquet_group *g, size_t column, const struct row_cell *c)
{
	const struct row_writer w = { .out = NULL };
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	row_cell_add(&w, c, &text);
	parquet_add_text(g, column, strbuf_span(&text));
	g->failed |= text.failed;
}

static void add_double(struct parquet_group *g, size_t column, double v)
{
	union {
		double d;
		u64 u;
	} bits = { v + 0.0 };

	if (isnan(v))
		parquet_add_null(g, column);
	else
		parquet_add_number(g, column, bits.u);
}

void parquet_add_cell(struct parquet_group *g, size_t column, const struct row_cell *c)
{
	const struct parquet_column *to = &g->columns[column];
	const bool takes_text = to->kind == PARQUET_TEXT || to->kind == PARQUET_BYTES;
	const bool has_text = c->kind == CELL_TEXT || c->kind == CELL_BYTES;
	const bool has_integer = !has_text && c->kind != CELL_DOUBLE && c->kind != CELL_NUMBERS &&
				 !cell_is_text(c->kind);

	if (c->kind == CELL_ABSENT || (c->kind == CELL_TEXTS && !c->list.n)) {
		parquet_add_null(g, column);
	} else if (to->list && c->kind == CELL_NUMBERS) {
		parquet_add_list(g, column, c->list.n);
		for (size_t i = 0; i < c->list.n; i++)
			parquet_add_element(g, column, c->list.number(c->list.of, i));
	} else if (takes_text && has_text && (to->kind == PARQUET_BYTES || c->kind == CELL_TEXT)) {
		parquet_add_text(g, column, c->text);
	} else if (takes_text) {
		add_text(g, column, c);
	} else if (to->kind == PARQUET_DOUBLE && (has_integer || c->kind == CELL_DOUBLE)) {
		add_double(g, column,
			   c->kind == CELL_DOUBLE     ? c->real
			   : c->kind == CELL_UNSIGNED ? (double)c->number
						      : (double)(s64)c->number);
	} else if (has_integer && !to->list) {
		parquet_add_number(g, column, c->number);
	} else {
		parquet_add_null(g, column);
	}
}

struct parquet_rows {
	struct parquet_column *columns;
	struct parquet_group group;
	struct parquet_file file;
	struct row_writer *writer;
};

static int add_bytes(void *arg, const void *data, size_t len)
{
	const struct parquet_rows *p = arg;

	strbuf_add(p->writer->out, data, len);
	return p->writer->out->failed ? HIST_NOMEM : 0;
}

static void begin(struct row_writer *w)
{
	struct parquet_rows *p = calloc(1, sizeof(*p));

	w->state = p;
	if (p)
		p->columns = calloc(w->n_columns + 1, sizeof(*p->columns));
	if (!p || !p->columns) {
		free(p);
		w->state = NULL;
		w->err = HIST_NOMEM;
		return;
	}
	for (size_t i = 0; i < w->n_columns; i++)
		p->columns[i] = parquet_column_of(&w->columns[i]);
	p->writer = w;
	p->file = (struct parquet_file)PARQUET_FILE_INIT;
	p->file.columns = p->columns;
	p->file.n_columns = w->n_columns;
	p->file.sink = add_bytes;
	p->file.arg = p;
	p->file.dir = w->file ? w->dir : -1;
	p->file.name = w->file;
	w->err = parquet_group_init(&p->group, p->columns, w->n_columns)
			 ?: parquet_file_begin(&p->file);
}

static void cell(struct row_writer *w, const struct row_cell *c)
{
	struct parquet_rows *p = w->state;

	if (!w->err)
		parquet_add_cell(&p->group, w->at, c);
}

static int write_group(struct parquet_rows *p)
{
	int err = parquet_group_encode(&p->group) ?: parquet_file_add(&p->file, &p->group);

	parquet_group_release(&p->group);
	return parquet_group_init(&p->group, p->columns, p->file.n_columns) ?: err;
}

static void end_row(struct row_writer *w)
{
	struct parquet_rows *p = w->state;

	if (!w->err && ++p->group.n_rows == GROUP_ROWS)
		w->err = write_group(p);
}

static void end(struct row_writer *w, bool complete)
{
	struct parquet_rows *p = w->state;

	if (!p)
		return;
	if (complete && p->group.n_rows)
		w->err = write_group(p);
	if (complete)
		w->err = w->err ?: parquet_file_end(&p->file, w->creator ?: "hist");
	parquet_group_release(&p->group);
	parquet_file_release(&p->file);
	free(p->columns);
	free(p);
}

const struct row_format row_parquet = { .name = "parquet",
					.binary = true,
					.begin = begin,
					.cell = cell,
					.end_row = end_row,
					.end = end };
