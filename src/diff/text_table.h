/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables and numbers for people: private to diff. */
#ifndef HIST_DIFF_TEXT_TABLE_H
#define HIST_DIFF_TEXT_TABLE_H

#include "diff/measure.h"

enum { TABLE_COLUMNS = 16 };

/* Rows of cells, of which the columns are as wide as the widest. */
struct text_table {
	ARRAY(char *) cells; /* TABLE_COLUMNS for each row; NULL: empty */
	size_t width[TABLE_COLUMNS], n_columns, at;
	bool failed;
};

/* The next cell of the row; that of @sb, which is released; and no more cells in it. */
void table_add(struct text_table *t, const char *text);
void table_take(struct text_table *t, struct strbuf *sb);
void table_end_row(struct text_table *t);

/* 0, -HIST_ENOMEM, what the sink returned */
int table_print(struct text_table *t, struct printer *p);
void table_release(struct text_table *t);

/* "." for what is not known, "1..2" for what is known to a range; @unit: NULL for none */
void number_add(struct strbuf *out, double v, bool with_sign);
void interval_add(struct strbuf *out, struct interval i, bool with_sign, const char *unit);
void percent_add(struct strbuf *out, struct interval i);

#endif
