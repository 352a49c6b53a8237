// SPDX-License-Identifier: LGPL-2.1-only
/* Tables of text, and numbers with a useful number of digits. */
#include <math.h>
#include <stdlib.h>

#include "diff/text_table.h"

void table_add(struct text_table *t, const char *text)
{
	char *copy = strdup(text);
	size_t width = 0;

	for (const char *p = text; *p; p++)
		width += (*p & 0xc0) != 0x80;
	t->width[t->at] = max_t(size_t, t->width[t->at], width);
	t->at++;
	t->n_columns = max_t(size_t, t->n_columns, t->at);
	if (copy && !array_push(&t->cells, copy))
		return;
	free(copy);
	t->failed = true;
}

/* The text of @sb, which is released. */
void table_take(struct text_table *t, struct strbuf *sb)
{
	t->failed |= sb->failed;
	table_add(t, sb->s);
	strbuf_release(sb);
}

void table_end_row(struct text_table *t)
{
	for (; t->at < TABLE_COLUMNS; t->at++)
		t->failed |= array_push(&t->cells, NULL) != 0;
	t->at = 0;
}

static void add_spaces(struct strbuf *out, size_t width, const char *text)
{
	for (const char *p = text; *p; p++)
		width -= width && (*p & 0xc0) != 0x80;
	strbuf_fill(out, ' ', width);
}

/* The first column left-aligned, the others right-aligned, without trailing spaces. */
static void print_row(const struct text_table *t, char *const *cells, struct strbuf *out)
{
	size_t last = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		if (cells[i] && *cells[i])
			last = i;
	for (size_t i = 0; i <= last; i++) {
		const char *text = cells[i] ? cells[i] : "";

		if (i)
			strbuf_addstr(out, "  ");
		if (i)
			add_spaces(out, t->width[i], text);
		strbuf_addstr(out, text);
		if (!i && last)
			add_spaces(out, t->width[i], text);
	}
	strbuf_addch(out, '\n');
}

void table_release(struct text_table *t)
{
	for (size_t i = 0; i < t->cells.n; i++)
		free(t->cells.v[i]);
	array_release(&t->cells);
}

int table_print(struct text_table *t, struct printer *p)
{
	for (size_t i = 0; !t->failed && i + TABLE_COLUMNS <= t->cells.n; i += TABLE_COLUMNS) {
		print_row(t, t->cells.v + i, &p->buf);
		printer_flush(p);
	}
	return t->failed ? HIST_NOMEM : p->err;
}

/* --- numbers --- */

/* With a useful number of digits. */
void number_add(struct strbuf *out, double v, bool with_sign)
{
	const char *sign = with_sign && v > 0 ? "+" : "";

	if (isinf(v))
		strbuf_addf(out, "%sinf", v < 0 ? "-" : sign);
	else if (v == floor(v) && fabs(v) < 1e15)
		strbuf_addf(out, "%s%.0f", sign, v + 0.0);
	else if (fabs(v) >= 1000)
		strbuf_addf(out, "%s%.0f", sign, v);
	else
		strbuf_addf(out, fabs(v) >= 1 ? "%s%.2f" : "%s%.3g", sign, v);
}

void interval_add(struct strbuf *out, struct interval i, bool with_sign, const char *unit)
{
	if (!interval_known(i)) {
		strbuf_addch(out, '.');
		return;
	}
	number_add(out, i.min, with_sign);
	if (i.max != i.min) {
		strbuf_addstr(out, "..");
		number_add(out, i.max, with_sign);
	}
	if (unit)
		strbuf_addf(out, " %s", unit);
}

void percent_add(struct strbuf *out, struct interval i)
{
	if (!interval_known(i)) {
		strbuf_addch(out, '.');
		return;
	}
	strbuf_addf(out, "%+.1f%%", i.min + 0.0);
	if (i.max != i.min)
		strbuf_addf(out, "..%+.1f%%", i.max + 0.0);
}
