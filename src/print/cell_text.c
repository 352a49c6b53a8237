// SPDX-License-Identifier: LGPL-2.1-only
/* A cell as short text for display, without the kernel's padding and labels. */
#include "print/print.h"

static void add_number(struct strbuf *out, const struct result_column *column, u64 v)
{
	if (column->modifier && (!strcmp(column->modifier, "hex") || column->has_label))
		strbuf_addf(out, "0x%llx", (unsigned long long)v);
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
	} else if (column->type == RESULT_RANGE && cell->max != cell->num) {
		add_number(out, column, cell->num);
		strbuf_addstr(out, "..");
		add_number(out, column, cell->max);
	} else {
		add_number(out, column, cell->num);
	}
}
