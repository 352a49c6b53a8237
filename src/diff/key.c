// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Keys: the part of a cell that identifies the same object in two recordings.
 *
 * Addresses differ between boots, and offsets between builds, so functions are joined by name, and
 * so are system calls, whose numbers differ between machines. For a pid with a comm, both must be
 * the same.
 */

#include "diff/join.h"

/* Append "name+0x1/0x20 [module]" without the offset. */
static void add_symbol(struct strbuf *out, struct span symbol)
{
	const char *plus = span_find(symbol, span_of("+0x")), *rest;

	if (!plus) {
		strbuf_add(out, symbol.s, symbol.n);
		return;
	}
	strbuf_add(out, symbol.s, (size_t)(plus - symbol.s));
	rest = span_chr(span_between(plus, symbol.s + symbol.n), ' ');
	if (rest)
		strbuf_add(out, rest, (size_t)(symbol.s + symbol.n - rest));
}

void key_read(const struct result_column *column, const struct result_cell *from,
	      struct strbuf *text, struct diff_cell *cell)
{
	const size_t start = text->len;

	*cell = (struct diff_cell){ .text = { NULL, 0 } };
	if (column->type == RESULT_TEXT) {
		strbuf_add(text, from->text.s, from->text.n);
	} else if (column->type == RESULT_STACK) {
		for (size_t i = 0; i < from->n_frames; i++) {
			struct span symbol = from->frames[i]->symbol;

			if (i)
				strbuf_addch(text, '\n');
			if (symbol.n)
				add_symbol(text, symbol);
			else
				strbuf_addf(text, "0x%llx", from->frames[i]->addr);
		}
	} else if (column->has_label && from->label.n && !span_starts(from->label, "0x") &&
		   !span_eq(from->label, "unknown_syscall")) {
		if (column->modifier && !strcmp(column->modifier, "execname"))
			strbuf_addf(text, "%.*s [%lld]", (int)from->label.n, from->label.s,
				    (s64)from->num);
		else
			add_symbol(text, from->label);
	}
	cell->text.n = text->len - start;
	if (column->type == RESULT_TEXT || column->type == RESULT_STACK || cell->text.n)
		return;
	cell->num = from->num;
	cell->max = column->type == RESULT_RANGE ? from->max : from->num;
}

bool key_is_measure(const struct result_column *column)
{
	if (column->has_label || (column->type != RESULT_NUMBER && column->type != RESULT_RANGE))
		return false;
	if (column->modifier && !strcmp(column->modifier, "hex"))
		return false;
	return !number_is_id(column->name);
}

static void add_number(struct strbuf *out, const struct result_column *column, u64 v, bool people)
{
	if (column->modifier && (!strcmp(column->modifier, "hex") || column->has_label))
		strbuf_addf(out, "0x%llx", v);
	else if (people && people_unit(column->unit))
		people_text(out, column->is_signed ? (double)(s64)v : (double)v, column->unit);
	else if (column->is_signed)
		strbuf_addf(out, "%lld", (s64)v);
	else
		strbuf_addf(out, "%llu", v);
}

void key_print(const struct diff_key *key, const struct diff_cell *cell, bool people,
	       struct strbuf *out)
{
	const bool range = key->column.type == RESULT_RANGE && cell->max != cell->num;

	if (key->column.type == RESULT_STACK && !cell->text.n) {
		strbuf_addstr(out, "[no stack]"); /* as in flame graphs */
		return;
	}
	if (cell->text.n || key->column.type == RESULT_TEXT || key->column.type == RESULT_STACK) {
		/* bytes that would move the cursor become \xNN, the ends of frames " < " */
		for (struct span rest = cell->text; rest.n;) {
			size_t n = 1;

			if (*rest.s == '\n' && key->column.type == RESULT_STACK)
				strbuf_addstr(out, " < ");
			else
				n = utf8_add_visible(out, rest);
			rest = span_skip(rest, n);
		}
		return;
	}
	if (range && key->column.is_signed && is_least(cell->num, true)) {
		strbuf_addstr(out, "below ");
		add_number(out, &key->column, cell->max + 1, people);
		return;
	}
	add_number(out, &key->column, cell->num, people);
	if (range && is_greatest(cell->max, key->column.is_signed)) {
		strbuf_addstr(out, " and above");
	} else if (range) {
		strbuf_addstr(out, people && people_unit(key->column.unit) ? " to " : "..");
		add_number(out, &key->column, cell->max, people);
	}
}

void row_print_keys(const struct join *j, const struct diff_row *row, const char *sep, bool people,
		    struct strbuf *out)
{
	if (!row->keys) {
		strbuf_addstr(out, "(all)");
		return;
	}
	for (size_t i = 0; i < j->n_keys; i++) {
		if (i)
			strbuf_addstr(out, sep);
		key_print(&j->keys[i], &row->keys[i], people, out);
	}
}

int key_compare(const struct diff_key *key, const struct diff_cell *a, const struct diff_cell *b)
{
	u64 flip = key->column.is_signed ? 1ull << 63 : 0;
	int order = span_cmp(a->text, b->text);

	if (order)
		return order;
	return ((a->num ^ flip) > (b->num ^ flip)) - ((a->num ^ flip) < (b->num ^ flip));
}
