/* SPDX-License-Identifier: LGPL-2.1-only */
/* All histograms of a run, stored until the last one is known; private to picture. */
#pragma once
#include "picture/picture.h"

/* Number of rows that are stored: for pages and flame graphs, and for pictures in a terminal. */
enum { GATHER_PAGE_ROWS = 1 << 16, GATHER_MAX_ROWS = 1 << 20 };

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
	double p50, p99, most;                /* of the main statistic; NAN: none */
};

/* How often a value, rounded to 6 bits, occurs in a slice. */
struct pic_dot {
	size_t slice;
	u64 value, n;
};

/* A statistic over all rows and slices. */
struct pic_stat {
	struct sketch all, all_max; /* .all_max: of ranges, if .is_range */
	bool is_range;
	ARRAY(struct pic_dot) dots; /* if the histogram is sliced */
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
	bool sorted;       /* rows are in the order of --sort */
	ARRAY(struct pic_slice) slices;
	ARRAY(struct pic_row) rows;
	ARRAY(struct pic_stat) stats;   /* ORDER r->stats */
	size_t main_stat;               /* the one whose value the histogram is about */
	struct exemplar_row *exemplars; /* of all slices; NULL: none */
	size_t top;                     /* rows of its table or picture; 0: as many as fit */
	size_t left_out;                /* number of rows that were not stored */
	struct pic_group *over_time;    /* its statistics in slices of time, no rows; NULL: none */
	u64 from, to;                   /* the span of a picture over time; both 0: of the slices */
};

struct gather {
	struct arena arena;
	ARRAY(struct pic_group *) groups;
	size_t n_rows, max_rows; /* .max_rows: 0: GATHER_MAX_ROWS */
};

/* Add a result. 0, -HIST_ENOMEM; call gather_release() in any case */
int gather_add(struct gather *g, const struct result *r, const struct format_options *options);
void gather_release(struct gather *g);
int pic_stat_summarise(const struct pic_stat *stat, struct stat_summary *s);
/* A value of it as a number; NAN if there are no samples. */
double stat_number(const struct stat_summary *s, u64 v);

/* All slices together. */
struct pic_slice group_whole(const struct pic_group *group);

/* The value of a cell as a number, for statistics and charts. */
double cell_number(const struct result_column *column, const struct pic_cell *cell);

/* --- buckets.c: rows summed by one key --- */

struct pic_bucket {
	const struct pic_cell *key;
	double n;         /* sum of the value */
	size_t at, first; /* index of the bucket, from 0, and of its first row */
};

struct buckets {
	const struct pic_group *group;
	size_t key, split; /* indices of columns */
	size_t value;      /* of the column that is summed: hitcount, or another value */
	ARRAY(struct pic_bucket) v;
	size_t *of_row;              /* the bucket of each row of the group */
	const struct pic_cell *only; /* heat maps: of rows with it in ->split; NULL: of all */
	bool plain;                  /* labels are for a terminal */
};

/* The key: see the top of buckets.c. */
size_t buckets_key(const struct pic_group *group);

/* Buckets in numeric order, of names the largest first. 0, -HIST_ENOMEM; release in any case */
int buckets_init(struct buckets *b, const struct pic_group *group, size_t value);
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
	size_t *covers;      /* number of slices in each */
	double *cells;       /* cells[row * columns + column] */
	double least, most;  /* the lowest and highest mean of the slices in a cell with hits */
	bool numbers;
	size_t scale; /* width of a column in the terminal */
};

/* Neighbours are merged until all fit. 0, -HIST_ENOMEM; call heat_release() in any case */
int heat_init(struct heat *h, const struct buckets *b, size_t max_columns, size_t max_rows);
void heat_release(struct heat *h);

/* The values of a statistic over time, a row for each bin. As heat_init() */
int heat_init_values(struct heat *h, const struct pic_group *group, size_t stat,
		     const struct scale *scale, size_t max_columns);

/* A level from 1 to @levels by the logarithm of the mean of a cell's slices; 0: empty. */
unsigned int heat_level(const struct heat *h, size_t row, size_t column, unsigned int levels);

/* --- totals.c: rows over all slices --- */

struct pic_totals {
	struct arena arena;
	struct pic_row *rows;
	size_t n;
};

/* 0, -HIST_ENOMEM; release the arena in any case. */
int totals_init(struct pic_totals *t, const struct pic_group *group);

/* --- page_rows.c --- */

/* The rows as a table, the @number-th of the page. 0, -HIST_ENOMEM */
int page_rows(const struct pic_group *group, size_t number, struct strbuf *out);
/* The exemplars of all rows, if there are any. */
void page_exemplars(const struct pic_group *group, struct strbuf *out);
/* The name of a value; NULL: it is just the unit, which all numbers have already. */
const char *value_name(const char *name, const char *unit);
/* Append "comm, state", the keys; "17 to 32", a range. */
void keys_add(struct strbuf *out, const struct pic_group *group);
void range_add(struct strbuf *out, const struct result_column *c, const struct pic_cell *cell,
	       people_fn *number);

/* --- page_pictures.c: 0, -HIST_ENOMEM --- */

/* The values of a statistic: their distribution, and over time. */
int page_values(const struct pic_group *group, size_t stat, struct strbuf *out);
/* The same for keys that are quantities; and other keys over time. */
int page_distribution_of_keys(const struct pic_group *group, struct strbuf *out);
int page_heat_of_names(const struct pic_group *group, struct strbuf *out);
int page_flame(const struct pic_group *group, struct strbuf *out);

/* --- page_section.c --- */

struct page_section {
	struct pic_group *const *groups; /* all of one event */
	size_t n, first;                 /* .first: number of the first one on the page */
	bool titled;                     /* the page has several sections */
	const struct diags *messages;    /* at the start of the page; NULL: none */
};

/* 0, -HIST_ENOMEM */
int page_section(const struct page_section *section, struct printer *p);

/* --- terminal.c --- */

int print_heat(const struct pic_group *group, const struct format_options *o, struct strbuf *out);
int print_plot(const struct pic_group *group, const struct format_options *o, struct strbuf *out);

/* A flame graph, if a key is a stack; @always: of any, and of the ->top rows. 0, -HIST_ENOMEM */
int group_flame(const struct pic_group *group, bool always, struct flame *f);

/* Append "12.5 s", or a number in the clock's units. */
void time_add(struct strbuf *out, const struct pic_group *group, u64 ts);
/* The same since the start of the histogram. */
void time_since(struct strbuf *out, const struct pic_group *group, u64 ts);
