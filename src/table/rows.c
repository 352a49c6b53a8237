// SPDX-License-Identifier: LGPL-2.1-only
/* What the formats of rows share. */
#include "json/json.h"
#include "table/rows.h"

#define ADDRESS_OF(format) &(format),
static const struct row_format *const row_formats[] = { ROW_FORMATS(ADDRESS_OF) };

const struct row_format *row_format_at(size_t i)
{
	return i < ARRAY_SIZE(row_formats) ? row_formats[i] : NULL;
}

const struct row_format *row_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(row_formats); i++)
		if (!strcmp(row_formats[i]->name, name))
			return row_formats[i];
	return NULL;
}

int row_format_unknown(const char *name, const char *others, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(row_formats); i++)
		strbuf_addf(&names, "%s%s", !i ? "" : ", ", row_formats[i]->name);
	diags_error(diags, 0, "unknown format %s; known: %s%s", name, names.s, others);
	return -HIST_EINVAL;
}

void rows_continue(struct row_writer *w, const struct row_column *columns, size_t n, u64 row)
{
	w->columns = columns;
	w->n_columns = n;
	w->at = 0;
	w->n = row;
}

void rows_begin(struct row_writer *w, const struct row_column *columns, size_t n)
{
	rows_continue(w, columns, n, 0);
	if (w->format->begin)
		w->format->begin(w);
}

void rows_cell(struct row_writer *w, const struct row_cell *c)
{
	if (w->at == w->n_columns)
		return;
	w->format->cell(w, c);
	w->at++;
}

void rows_end_row(struct row_writer *w)
{
	while (w->at < w->n_columns)
		rows_absent(w);
	w->format->end_row(w);
	w->at = 0;
	w->n++;
}

int rows_end(struct row_writer *w, bool complete)
{
	if (w->format->end)
		w->format->end(w, complete && !w->err);
	w->state = NULL;
	return w->err ?: w->out->failed ? HIST_NOMEM : 0;
}

static void add_list(const struct row_cell *c, struct strbuf *out)
{
	for (size_t i = 0; i < c->list.n; i++) {
		const u64 v = c->list.number(c->list.of, i);

		strbuf_addstr(out, i ? " " : "");
		if (c->list.kind == CELL_ADDRESS)
			strbuf_addhex(out, v);
		else
			text_add_number(out, v, c->list.kind == CELL_SIGNED);
	}
}

void row_cell_add(const struct row_writer *w, const struct row_cell *c, struct strbuf *out)
{
	switch (c->kind) {
	case CELL_ABSENT:
		break;
	case CELL_TEXT:
	case CELL_JSON:
		strbuf_add(out, c->text.s, c->text.n);
		break;
	case CELL_UNSIGNED:
	case CELL_SIGNED:
	case CELL_SMALL:
		text_add_number(out, c->number, c->kind != CELL_UNSIGNED);
		break;
	case CELL_TIME:
	case CELL_DATE:
		text_add_time(out, c->number, w->clock_counts);
		break;
	case CELL_DOUBLE:
		text_add_double(out, c->real);
		break;
	case CELL_ADDRESS:
		strbuf_addhex(out, c->number);
		break;
	case CELL_BYTES:
		for (size_t i = 0; i < c->text.n; i++)
			strbuf_addf(out, "%02x", (u8)c->text.s[i]);
		break;
	case CELL_NUMBERS:
		add_list(c, out);
		break;
	case CELL_TEXTS:
		for (size_t i = 0; i < c->list.n; i++)
			strbuf_addf(out, "%s%s", i ? ";" : "", c->list.texts[i]);
	}
}
