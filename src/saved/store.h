/* SPDX-License-Identifier: LGPL-2.1-only */
/* How rows are kept in a struct saved: private to saved. */
#ifndef HIST_SAVED_STORE_H
#define HIST_SAVED_STORE_H

#include "saved/saved.h"

/* More than any trigger has. */
enum { SAVED_COLUMNS_MAX = 256, SAVED_STATS_MAX = 128 };

struct stored_text {
	size_t n;
	char s[];
};

struct stored_stack {
	size_t n;
	struct result_frame frames[];
};

/* Of a text ->rest is the text, of a number its label, of a stack the frames. */
struct stored_cell {
	u64 num;
	union {
		u64 max;
		const struct stored_text *text;
		const struct stored_stack *stack;
		const void *rest; /* stored_absent: nothing is there */
	};
};

extern const char stored_absent[1];

struct stored_save {
	bool saved;
	u64 at;
};

struct saved *saved_new(void);

/* When columns and statistics are known: makes ready for rows. 0, -HIST_ENOMEM */
int saved_begin_rows(struct saved *s);

/* Append a copy of @row, whose cells fit the columns; the sketches are copied too. */
int saved_add_row(struct saved *s, const struct result_row *row);

/* Put another cell, a copy, into a row. */
int saved_set_cell(struct saved *s, size_t row, size_t column, const struct result_cell *cell);

/* Turn back into what it was: one cell; its texts are good as long as @s is. */
void saved_get_cell(const struct saved *s, size_t row, size_t column, struct result_cell *cell);

/* A copy of a cell of that column that lasts as long as @s. */
int saved_copy_cell(struct saved *s, size_t column, const struct result_cell *cell,
		    struct result_cell *copy);

/* When all rows are there: what the statistics say over all. 0, -HIST_ENOMEM */
int saved_end_rows(struct saved *s);

#endif
