/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The table of an answer: its columns, and the text of their cells for people, with a unit that
 * fits. print_answer.c and print_markdown.c print it. Private to print.
 *
 *	struct answer a = { .r = result, .options = options, .table.text = STRBUF_INIT };
 *
 *	answer_begin(&a);
 *	answer_header(&a);		the first row of a.table
 *	... a.table
 *	answer_row(&a, &row);		replaces it
 *	answer_release(&a);
 */
#pragma once
#include "print/print_hist.h"

enum answer_kind { ANSWER_CELL, ANSWER_STAT, ANSWER_BAR, ANSWER_EXTRA };

struct answer_column {
	enum answer_kind kind;
	size_t at;     /* of the column, of the statistic, or of the extra column */
	size_t number; /* of the statistic */
	u64 total;     /* .percent: the sum of all rows; .graph and bars: the largest number */
	bool summed;   /* the row of all has ->total */
};

/* The sum of rows that have these keys in common. */
struct answer_share {
	const char *key;
	size_t n;
	u64 sum;
};

struct answer {
	const struct result *r;
	const struct format_options *options;
	ARRAY(struct answer_column) columns;
	INDEXED(struct answer_share) shares; /* of .share */
	struct arena arena;                  /* texts of ->shares */
	struct table table;
	bool text;    /* has bars, and the innermost function, whose callers are below */
	bool several; /* more than one statistic has columns */
};

/* Find the columns. 0, -HIST_ENOMEM */
int answer_begin(struct answer *a);
void answer_release(struct answer *a);

/* Make the names of the columns, or a row, the only one of ->table; NULL: all rows together. */
void answer_header(struct answer *a);
int answer_row(struct answer *a, const struct result_row *row);

/* The cell of a column of the kind ANSWER_CELL. */
void answer_add_cell(struct answer *a, const struct answer_column *column,
		     const struct result_row *row, struct strbuf *out);

/* Text of a recording, for a terminal. */
void answer_add_visible(struct strbuf *out, struct span text);
/* "45.1 us at 12.345678,0  sh-17" */
void answer_add_exemplar(const struct answer *a, const struct exemplar *e, struct strbuf *out);

/* The table with all rows, as text or Markdown. 0, -HIST_ENOMEM */
int answer_print_rows(struct answer *a, struct printer *p);

/* --- around the table --- */

/* "45 hits in 3 rows" */
void answer_add_totals(const struct result *r, struct strbuf *out);
/* "duration: min 13.3 us, p50 1.6 ms", a line for each key that has numbers. 0, -HIST_ENOMEM */
int answer_add_key_stats(const struct result *r, size_t width, struct strbuf *out);
