/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The rows of a table that is refreshed: how each changed, and which are shown in which order.
 *
 * A table only grows while a question is counted. So a row is found again by its keys.
 */
#pragma once
#include "tracefs/tracefs.h"

enum { TOP_HISTORY = 16 };

struct top_row {
	const char *key;
	u32 n;       /* its length */
	u32 changes; /* number in ->changes, from 1; 0: it has not changed in the last refreshes */
	u64 total;   /* at the last refresh */
};

/* Most rows of a large table have not changed for long, and need no room for that. */
struct top_changes {
	u64 added[TOP_HISTORY]; /* of the last refreshes, a ring */
	u64 last;               /* the refresh of the last change */
};

struct top_rows {
	struct taken_result now; /* the last refresh; .named NULL: none yet */
	size_t value;            /* the column whose changes are noted */
	u64 refreshes;
	u64 hits, added; /* all of them, and those since the refresh before */
	INDEXED(struct top_row) list;
	ARRAY(struct top_changes) changes;
	ARRAY(u32) unused; /* of ->changes */
	struct arena keys;
	struct strbuf key;            /* of the row that is looked up */
	size_t widths[TABLE_COLUMNS]; /* of the columns, the largest so far */
};

/* The next refresh, which is taken. 0, -HIST_ENOMEM: @t is the caller's */
int top_rows_refresh(struct top_rows *rows, const struct taken_result *t);
void top_rows_release(struct top_rows *rows);

/* The row of a result; NULL: all rows together, or memory ran out. */
const struct top_row *top_rows_find(struct top_rows *rows, const struct result_row *row);

/* What was added at the @ago-th refresh before the last one. */
u64 top_row_added(const struct top_rows *rows, const struct top_row *row, u64 ago);

/* --- what is shown of them --- */

struct top_choice {
	const char *sort; /* TOP_CHANGE, or as struct row_choice; NULL: the value */
	const char
		*filter; /* only rows with this text in their keys, in any case; NULL or "": all */
	size_t first, max; /* of these, from here on, at most so many */
};

extern const char TOP_CHANGE[];

struct top_view {
	struct result result; /* the rows that are shown */
	size_t n_matching;    /* rows that the filter permits */

	const struct result *from; /* private */
	struct result *chosen;
	struct row_rank *order;
};

/* @rows has a result, and does not change while the view is used. 0, -HIST_ENOMEM: release it, too
 */
int top_view_init(struct top_view *v, struct top_rows *rows, const struct top_choice *choice);
void top_view_release(struct top_view *v);

/* The @i-th name by which rows can be sorted; NULL: there are no more. The first one is the value.
 */
const char *top_rows_order(const struct top_rows *rows, size_t i);
