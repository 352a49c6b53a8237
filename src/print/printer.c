// SPDX-License-Identifier: LGPL-2.1-only
/* What printers share: the sink, the table of built-in formats, cells as text for display. */
#include "print/print.h"

enum { FLUSH_AT = 64 * 1024 };

void printer_send(struct printer *p)
{
	if (p->buf.failed && !p->err)
		p->err = HIST_NOMEM;
	if (p->held && !p->err)
		return;
	if (!p->err && p->buf.len)
		p->err = p->sink(p->arg, p->buf.s, p->buf.len);
	strbuf_reset(&p->buf);
}

void printer_flush(struct printer *p)
{
	if (p->buf.len >= FLUSH_AT || p->buf.failed)
		printer_send(p);
}

int printer_end(struct printer *p)
{
	printer_send(p);
	strbuf_release(&p->buf);
	return p->err;
}

/* --- formats --- */

/* Documents; other formats have rows only, and are those of table/rows.c. */
static const struct format *const documents[] = { &format_json, &format_ndjson, &format_markdown };

static const struct format *find_document(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(documents); i++)
		if (!strcmp(documents[i]->name, name))
			return documents[i];
	return NULL;
}

const struct format *format_find(const char *name, struct format *room)
{
	const struct row_format *of = strcmp(name, "text") ? row_format_find(name) : NULL;
	const struct format *document = find_document(name);

	if (document || !of)
		return document;
	*room = format_of_rows(of);
	return room;
}

void format_names(struct strbuf *out)
{
	const struct row_format *of;

	for (size_t i = 0; i < ARRAY_SIZE(documents); i++)
		strbuf_addf(out, ", %s", documents[i]->name);
	for (size_t i = 0; (of = row_format_at(i)); i++)
		if (strcmp(of->name, "text") != 0 && !find_document(of->name))
			strbuf_addf(out, ", %s", of->name);
}

/* --- cells, without the kernel's padding and labels --- */

static void add_number(struct strbuf *out, const struct result_column *column, u64 v)
{
	if (column->modifier && (!strcmp(column->modifier, "hex") || column->has_label))
		strbuf_addhex(out, v);
	else
		text_add_number(out, v, column->is_signed);
}

void cell_add_frames(struct strbuf *out, const struct result_cell *cell, const char *between)
{
	for (size_t i = 0; i < cell->n_frames; i++) {
		strbuf_addstr(out, i ? between : "");
		strbuf_add(out, cell->frames[i]->symbol.s, cell->frames[i]->symbol.n);
	}
}

void cell_add_text(struct strbuf *out, const struct result_column *column,
		   const struct result_cell *cell)
{
	if (cell->absent)
		return;
	if (column->type == RESULT_TEXT) {
		strbuf_add(out, cell->text.s, cell->text.n);
	} else if (column->has_label && cell->label.n) {
		strbuf_add(out, cell->label.s, cell->label.n);
		/* several tasks have the same name */
		if (column->modifier && !strcmp(column->modifier, "execname"))
			strbuf_addf(out, "-%lld", cell->num);
	} else if (column->type == RESULT_RANGE && cell->max != cell->num) {
		add_number(out, column, cell->num);
		strbuf_addstr(out, "..");
		add_number(out, column, cell->max);
	} else {
		add_number(out, column, cell->num);
	}
}
