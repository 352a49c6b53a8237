/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A histogram of all runs, row by row: private to diff.
 *
 * Runs are numbered: first those before, then those of each other side. Rows with the same whole
 * key are one row, with the sums of each run and, with statistics, the sketches of each run.
 */
#pragma once
#include "diff/dist.h"
#include "print/print.h"

struct diff_key {
	struct result_column column;
	size_t at; /* index of the column in a result */
};

struct diff_value {
	const char *name, *unit; /* .unit: NULL if unknown */
	bool is_signed;
	size_t at;
};

/* A number whose distribution is compared. */
struct diff_stat {
	const char *name, *unit;
	bool is_signed;
	bool of_key;  /* a numeric key, counted by hitcount; otherwise each row has sketches */
	bool repeats; /* it has the numbers of an earlier one */
	size_t at;    /* index of the sketches of a row, or of its keys */
};

struct diff_cell {
	u64 num, max;
	struct span text; /* the joined text of a key that is not a number: string, symbol, stack */
};

struct diff_row {
	struct diff_cell *keys;           /* NULL: the row (all) */
	u64 *values;                      /* n_values for each run; the first of them is hitcount */
	struct sketch *sketches;          /* n_sketches for each run; NULL: none */
	bool left_out;                    /* --ignore-new, --ignore-gone: treated as missing */
	bool few;                         /* --min-count: shown, but without a verdict */
	size_t index;                     /* in join->rows; that of (all) is the number of rows */
	struct diff_exemplars *exemplars; /* of each side; NULL: none */
};

/* The hits that explain a row, of the runs of a side. */
struct diff_exemplars {
	const char *saved;            /* saved fields of the worst hit; NULL: none */
	u64 saved_of;                 /* the tracked value of that hit */
	struct exemplar_row *largest; /* of --exemplars; NULL: none */
};

/* Metadata of a run. */
struct diff_run {
	const char *name;                            /* name of the file */
	size_t side;                                 /* 0: before */
	const char *uname, *clock, *kernel, *limits; /* "": unknown */
	enum result_rules rules;
	const char *selection; /* "": everything */
	const char *caveats;   /* see base/caveat.h; "": none */
	bool added, clock_counts, lost_unknown, inexact;
	bool has_stats;
	u64 lost, hits, drops, feeding_drops, from, to, covered;
	u64 saturated; /* number of sums of its rows that exceed 64 bits */
};

struct join {
	struct arena arena;
	const char *event, *instance, *trigger; /* from the first run; .instance may be "" */
	const char *question;                   /* that the runs answer; NULL: unknown */
	const char *meaning;
	struct diff_key *keys;
	struct diff_value *values;
	struct diff_stat *stats; /* those with sketches in rows first */
	size_t n_keys, n_values, n_stats, n_sketches;
	const char **key_names; /* including dropped keys */
	size_t n_result_keys, n_result_values;
	struct diff_run *runs;
	size_t n_runs, n_sides;
	INDEXED(struct diff_row *) rows;   /* in order of arrival */
	struct diff_row all;               /* sum of the rows that are not left out */
	struct result_exemplars exemplars; /* what they are; .name: NULL if there are none */
	/* of the run being added: room for those of a row, NULL if it has none */
	struct exemplar_row *added_exemplars;
	struct exemplar_copier copier;
};

/* Options for making rows: names of keys to be summed over, numbers of runs. */
struct join_options {
	const char *const *drop_keys;
	size_t n_drop_keys;
	const size_t *sides; /* number of runs of each side */
	size_t n_sides;
};

/**
 * join_new() - make an empty join for histograms like @r
 *
 * Return: 0, -HIST_EFORMAT if its first value is not hitcount, -HIST_ENOMEM
 */
int join_new(const struct result *r, const struct join_options *options, struct join **join);
void join_free(struct join *join);

/* Whether @r has the same trigger on the same event. @meaning: of the trigger of @r */
bool join_fits(const struct join *join, const struct result *r, const char *meaning);

/* Add the rows of a run. 0, -HIST_EFORMAT if columns have other types, -HIST_ENOMEM */
int join_add(struct join *join, size_t run, const struct result *r, struct diags *diags);

/* Compute the row (all), after all runs were added and rows marked. */
int join_finish(struct join *join);

/* --- queries --- */

static inline const u64 *row_values(const struct join *j, const struct diff_row *row, size_t run)
{
	return row->values + run * j->n_values;
}

/* Whether all runs have this histogram. */
bool join_is_complete(const struct join *j);

/* Whether fields of a run of that side were guessed from a text. */
bool join_is_inexact(const struct join *j, size_t side);

/* Number of hits in all runs of a side. */
u64 row_hits(const struct join *j, const struct diff_row *row, size_t side);

/* Append a key of a row as text; or all keys, separated by @sep. @people: times with a unit that
 * fits */
void key_print(const struct diff_key *key, const struct diff_cell *cell, bool people,
	       struct strbuf *out);
void row_print_keys(const struct join *j, const struct diff_row *row, const char *sep, bool people,
		    struct strbuf *out);

/* --- key.c --- */

/* Compare two keys of a column by text, then by number. */
int key_compare(const struct diff_key *key, const struct diff_cell *a, const struct diff_cell *b);

/* Append the joined form of a key that is a text, and set @cell without its text's address. */
void key_read(const struct result_column *column, const struct result_cell *from,
	      struct strbuf *text, struct diff_cell *cell);

/* Whether a column can have distributions: a number that is a quantity. */
bool key_is_measure(const struct result_column *column);

/* --- exemplar.c --- */

/* Before the rows of @r are added. 0, -HIST_ENOMEM */
int exemplars_begin(struct join *j, const struct result *r);

/*
 * Store the saved fields of save(), if the hit is worse than that of @row, and the largest hits of
 * --exemplars. 0, -HIST_ENOMEM
 */
int exemplars_keep(struct join *j, const struct result *r, const struct result_row *from,
		   size_t side, struct diff_row *row);

/* Add those of @row, which is not left out, to the row (all). 0, -HIST_ENOMEM */
int exemplars_add_to_all(struct join *j, const struct diff_row *row);

/* Those of a side; NULL: none. */
const struct diff_exemplars *row_exemplars(const struct diff_row *row, size_t side);

/* The number of exemplars to show, which all runs know. */
u32 exemplars_shown(const struct join *j, const struct diff_exemplars *e);

/* "lat 900 us at 30.2,0 sync-12, 800 us at ..."; or the saved fields. */
void exemplars_print(const struct join *j, size_t side, const struct diff_exemplars *e,
		     struct strbuf *out);

/* --- meaning.c --- */

/* Append what is compared: the question, event and keys; without a question, event and trigger. */
void join_add_name(const struct join *j, bool with_question, struct strbuf *out);

/* The meaning of a trigger: equivalent triggers have the same text. 0, -HIST_ENOMEM */
int trigger_meaning(const char *trigger, struct strbuf *out);
