/* SPDX-License-Identifier: LGPL-2.1-only */
/* All histograms of a run, stored until the last one is known; private to picture. */
#ifndef HIST_PICTURE_GATHER_H
#define HIST_PICTURE_GATHER_H

#include "picture/picture.h"

enum { GATHER_MAX_ROWS = 1 << 20 };

struct pic_cell {
	u64 num, max;
	struct span text;          /* for a stack, starting with the innermost frame */
	const struct span *frames; /* names of the frames of a stack, outermost first */
	size_t n_frames;
};

struct pic_row {
	size_t slice;
	const struct pic_cell *cells;         /* one for each column */
	const struct exemplar_row *exemplars; /* NULL: none */
};

/* A slice of time; a histogram that is not sliced has a single one. */
struct pic_slice {
	u64 from, to, hits, drops, lost;
	bool lost_unknown;
};

/* One histogram, over all slices. */
struct pic_group {
	struct stored_result *s;
	const struct result *r; /* that of ->s: the head, without rows; caveats of the last slice */
	bool sliced;
	size_t sort_value; /* the column of the sort value, or hitcount */
	bool by_value;     /* the first sort key is a value */
	ARRAY(struct pic_slice) slices;
	ARRAY(struct pic_row) rows;
	ARRAY(struct stat_summary) stats; /* ORDER r->stats */
	struct exemplar_row *exemplars;   /* of all slices; NULL: none */
	size_t left_out;                  /* number of rows that were not stored */
};

struct gather {
	struct arena arena;
	ARRAY(struct pic_group *) groups;
	size_t n_rows;
};

/* Add a result. 0, -HIST_ENOMEM; call gather_release() in any case */
int gather_add(struct gather *g, const struct result *r, const struct format_options *options);
void gather_release(struct gather *g);

/* All slices together. */
struct pic_slice group_whole(const struct pic_group *group);

/* The value of a cell as a number, for statistics and charts. */
double cell_number(const struct result_column *column, const struct pic_cell *cell);

/* --- buckets.c: rows summed by one key --- */

struct pic_bucket {
	const struct pic_cell *key;
	double n;  /* number of hits */
	size_t at; /* index of the bucket, from 0 */
};

struct buckets {
	const struct pic_group *group;
	size_t key; /* index of the column */
	ARRAY(struct pic_bucket) v;
	size_t *of_row; /* the bucket of each row of the group */
};

/*
 * Buckets in numeric order, or the largest first for names. 0, -HIST_ENOMEM; call buckets_release()
 * in any case
 */
int buckets_init(struct buckets *b, const struct pic_group *group);
void buckets_release(struct buckets *b);

/* Whether the key is a number or a range, and so has an order; and a quantity, not a CPU or pid. */
bool buckets_are_numbers(const struct buckets *b);
bool buckets_have_quantiles(const struct buckets *b);

/* The upper end of the bucket that contains rank ceil(n * permille / 1000); NAN if empty. */
double buckets_quantile(const struct buckets *b, unsigned int permille);

/* --- heat.c: buckets by time --- */

struct heat {
	struct arena arena;
	size_t columns, rows, slices; /* .slices: number of slices, including those without hits */
	const char **labels; /* of the rows; the first has the lowest number, or the most hits */
	bool *whole;         /* whether a row is one bucket, whose text is the label */
	u64 *from, *to;      /* times of the columns */
	double *cells, most; /* cells[row * columns + column] */
	bool numbers;
	size_t scale; /* width of a column in the terminal */
};

/*
 * Neighbours are merged until the columns and rows fit. 0, -HIST_ENOMEM; call heat_release() in any
 * case
 */
int heat_init(struct heat *h, const struct buckets *b, size_t max_columns, size_t max_rows);
void heat_release(struct heat *h);

/* A level from 1 to @levels by the logarithm of a cell; 0: empty. */
unsigned int heat_level(const struct heat *h, double v, unsigned int levels);

/* --- page_rows.c --- */

/* The rows as a table. 0, -HIST_ENOMEM */
int page_rows(const struct pic_group *group, struct strbuf *out);
/* The exemplars of all rows, if there are any. */
void page_exemplars(const struct pic_group *group, struct strbuf *out);

/* --- page_group.c --- */

/*
 * Print the section of a page for a histogram, except what is in the @messages at the start of the
 * page (NULL: none). 0, -HIST_ENOMEM
 */
int page_group(const struct pic_group *group, const struct diags *messages, struct printer *p);

/* --- terminal.c --- */

int print_heat(const struct pic_group *group, const struct format_options *o, struct strbuf *out);
int print_plot(const struct pic_group *group, const struct format_options *o, struct strbuf *out);

/* Make a flame graph of the rows if a key is a stack; otherwise it is empty. 0, -HIST_ENOMEM */
int group_flame(const struct pic_group *group, bool always, struct flame *f);

/* Append "12.5 s", or a number in the clock's own units. */
void time_add(struct strbuf *out, const struct pic_group *group, u64 ts);

#endif
