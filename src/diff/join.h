/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * One histogram of all runs, row by row: private to diff.
 *
 * Runs are numbered, those before first, then those of each further side. Rows with the same
 * whole key are one row, in which each run has its sums and, with statistics, its sketches.
 */
#ifndef HIST_DIFF_JOIN_H
#define HIST_DIFF_JOIN_H

#include "base/base.h"
#include "diff/dist.h"
#include "print/print.h"

struct diff_key {
	struct result_column column;
	size_t at; /* which column of a result it is */
};

struct diff_value {
	const char *name, *unit; /* .unit: NULL if unknown */
	bool is_signed;
	size_t at;
};

/* Something of which there are distributions. */
struct diff_stat {
	const char *name, *unit;
	bool is_signed;
	bool of_key; /* a numeric key, counted by hitcount; else each row has sketches */
	size_t at;   /* of the sketches of a row, or of its keys */
};

struct diff_cell {
	u64 num, max;
	struct span text; /* what is joined on if it is no number: text, symbol, stack */
};

struct diff_row {
	struct span id;          /* the whole key as bytes, as it is joined on */
	struct diff_cell *keys;  /* NULL: the row of all */
	u64 *values;             /* of run r: values[r * n_values] and on; the first is hitcount */
	struct sketch *sketches; /* of run r: sketches[r * n_sketches] and on; NULL: none */
	bool left_out;           /* --ignore-new, --ignore-gone: as if it were not there */
	bool few;                /* --min-count: shown, but not judged */
	const char *exemplar;    /* what save() kept of the worst hit after; NULL: nothing */
	u64 exemplar_of;         /* the value that makes it the worst */
};

/* What is known of a run. */
struct diff_run {
	const char *name;                            /* of its file */
	size_t side;                                 /* 0: before */
	const char *uname, *clock, *kernel, *limits; /* "": unknown */
	bool added, clock_counts, unlimited, cut, lost_unknown;
	bool has_stats;
	u64 lost, hits, drops, from, to, covered;
};

struct join {
	struct arena arena;
	const char *event, *instance, *trigger; /* as the first run has them; .instance may be "" */
	const char *meaning;
	struct diff_key *keys;
	struct diff_value *values;
	struct diff_stat *stats; /* those of rows first */
	size_t n_keys, n_values, n_stats, n_sketches;
	const char **key_names; /* also of the dropped ones */
	size_t n_result_keys, n_result_values;
	struct diff_run *runs;
	size_t n_runs, n_sides;
	ARRAY(struct diff_row *) rows; /* in the order in which they came */
	struct hash_table by_id;       /* of rows */
	struct diff_row all;           /* of rows that are not left out */
};

/* What makes rows: names of keys to be summed away, how often. */
struct join_options {
	const char *const *drop_keys;
	size_t n_drop_keys;
	const size_t *sides; /* how many runs each has */
	size_t n_sides;
};

/**
 * join_new() - an empty one for histograms like @r
 *
 * Return: 0, -HIST_EFORMAT if its first value is not hitcount, -HIST_ENOMEM
 */
int join_new(const struct result *r, const struct join_options *options, struct join **join);
void join_free(struct join *join);

/* Whether @r asks for the same, on the same event. @meaning: of its trigger */
bool join_fits(const struct join *join, const struct result *r, const char *meaning);

/* The rows of a run. 0, -HIST_EFORMAT if columns are of other types, -HIST_ENOMEM */
int join_add(struct join *join, size_t run, const struct result *r, struct diags *diags);

/* Once all runs are there and rows are marked: add up the row of all. */
int join_finish(struct join *join);

/* --- what is in it --- */

static inline const u64 *row_values(const struct join *j, const struct diff_row *row, size_t run)
{
	return row->values + run * j->n_values;
}

/* Whether all runs have this histogram. */
bool join_is_complete(const struct join *j);

/* How often it was hit in all runs of a side. */
u64 row_hits(const struct join *j, const struct diff_row *row, size_t side);

/* Text for people: a key of a row; all of them, with @sep between. */
void key_print(const struct diff_key *key, const struct diff_cell *cell, struct strbuf *out);
void row_print_keys(const struct join *j, const struct diff_row *row, const char *sep,
		    struct strbuf *out);

/* --- key.c --- */

/* The order of two keys of a column: by text, then by number. */
int key_compare(const struct diff_key *key, const struct diff_cell *a, const struct diff_cell *b);

/* What a key is joined on: into the id, and @cell without its text's address. */
void key_read(const struct result_column *column, const struct result_cell *from, struct strbuf *id,
	      struct diff_cell *cell);

/* Whether a column holds what distributions can be made of: a number that measures something. */
bool key_is_measure(const struct result_column *column);

/* --- exemplar.c --- */

/* What save() kept, if it is worse than what @row has. 0, -HIST_ENOMEM */
int exemplar_keep(struct join *j, const struct result *r, const struct result_row *from,
		  struct diff_row *row);

/* --- meaning.c --- */

/* What a trigger asks for, the same text for the same question. 0, -HIST_ENOMEM */
int trigger_meaning(const char *trigger, struct strbuf *out);

#endif
