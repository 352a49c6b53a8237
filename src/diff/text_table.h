/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables and numbers as text: private to diff. */
#ifndef HIST_DIFF_TEXT_TABLE_H
#define HIST_DIFF_TEXT_TABLE_H

#include "diff/measure.h"

enum { TABLE_COLUMNS = 16 };

/* Rows of cells; columns have the width of their widest cell. */
struct text_table {
	ARRAY(char *) cells; /* TABLE_COLUMNS for each row; NULL: empty */
	size_t width[TABLE_COLUMNS], n_columns, at;
	size_t max_width; /* of the terminal; unimportant columns are hidden; 0: unlimited */
	bool hidden[TABLE_COLUMNS];
	bool failed;
};

/*
 * table_add() and table_take() set the next cell of the row (table_take() releases @sb);
 * table_end_row() ends it.
 */
void table_add(struct text_table *t, const char *text);
void table_take(struct text_table *t, struct strbuf *sb);
void table_end_row(struct text_table *t);

/* Return: 0, -HIST_ENOMEM, the result of the sink */
int table_print(struct text_table *t, struct printer *p);
void table_release(struct text_table *t);

/* Append a number; ranges are "1..2", an unknown value is "."; @unit: NULL for none. */
void number_add(struct strbuf *out, double v, bool with_sign);
void interval_add(struct strbuf *out, struct interval i, bool with_sign, const char *unit);
void percent_add(struct strbuf *out, struct interval i);

#endif
