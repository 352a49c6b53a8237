// SPDX-License-Identifier: LGPL-2.1-only
/* Tables of text, and numbers with a useful number of digits. */
#include <math.h>
#include <stdlib.h>

#include "diff/text_table.h"

void table_add(struct text_table *t, const char *text)
{
	char *copy = strdup(text);

	t->width[t->at] = max_t(size_t, t->width[t->at], text_width(span_of(text)));
	t->at++;
	t->n_columns = max_t(size_t, t->n_columns, t->at);
	if (copy && !array_push(&t->cells, copy))
		return;
	free(copy);
	t->failed = true;
}

/* Add the text of @sb as a cell; @sb is released. */
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
	size_t used = text_width(span_of(text));

	strbuf_fill(out, ' ', used < width ? width - used : 0);
}

/* Print a row, the first column left-aligned, the others right-aligned, without trailing spaces. */
static void print_row(const struct text_table *t, char *const *cells, struct strbuf *out)
{
	size_t last = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		if (cells[i] && *cells[i] && !t->hidden[i])
			last = i;
	for (size_t i = 0; i <= last; i++) {
		const char *text = cells[i] ? cells[i] : "";

		if (t->hidden[i])
			continue;
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

static size_t find_column(const struct text_table *t, const char *title)
{
	size_t i = 1;

	while (i < t->n_columns && (!t->cells.v[i] || strcmp(t->cells.v[i], title) != 0))
		i++;
	return i;
}

/* Hide columns to fit the width; those that can be computed from others go first. */
static void hide_columns(struct text_table *t, struct strbuf *out)
{
	static const char *const first[] = { "so far", "of (all)", "delta" };
	const char *between = "(too wide: ";
	size_t width = t->width[0];

	for (size_t i = 1; i < t->n_columns; i++)
		width += 2 + t->width[i];
	for (size_t i = 0; i < ARRAY_SIZE(first) && width > t->max_width; i++) {
		size_t column = find_column(t, first[i]);

		if (column == t->n_columns)
			continue;
		t->hidden[column] = true;
		width -= 2 + t->width[column];
		strbuf_addf(out, "%s%s", between, first[i]);
		between = ", ";
	}
	if (*between == ',')
		strbuf_addstr(out, ")\n");
}

void table_release(struct text_table *t)
{
	for (size_t i = 0; i < t->cells.n; i++)
		free(t->cells.v[i]);
	array_release(&t->cells);
}

int table_print(struct text_table *t, struct printer *p)
{
	if (t->max_width && t->cells.n && !t->failed)
		hide_columns(t, &p->buf);
	for (size_t i = 0; !t->failed && i + TABLE_COLUMNS <= t->cells.n; i += TABLE_COLUMNS) {
		print_row(t, t->cells.v + i, &p->buf);
		printer_flush(p);
	}
	return t->failed ? HIST_NOMEM : p->err;
}

/* --- numbers --- */

/* Append a number with a useful number of digits. */
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
