/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * diff: results of several runs, compared row by row.
 *
 *	results ─join─▶ rows of all runs ─measure─▶ before, after ─verdict─▶ ─print─▶ text
 *
 * A run is a replayed recording or a saved result; after join.c there is no difference.
 */
#pragma once
#include "diff/verdict.h"
#include "picture/picture.h"

/* --unit NAME=UNIT */
struct unit {
	const char *name, *unit;
	bool used;
};

struct hist_diff {
	struct arena arena;
	struct hist_diff_options options;
	struct fail_ons fail_on;
	struct unit *units;
	ARRAY(struct join *) joins; /* one for each histogram */
	u64 chosen;                 /* --show N; 0: all */
	bool all_tables;            /* --show 0: text has all tables of a question, too */
	size_t *sides;              /* number of runs of each side */
	const char **labels;        /* names of the sides */
	size_t n_sides;
	comparison_array all; /* for each join, a comparison of each other side with the first */
	const char **names;   /* of the runs */
	size_t n_runs;
	size_t run;          /* the run being added */
	struct diags *diags; /* of the run being added */
	struct verdict verdict;
	const struct diags *messages; /* of the comparison, for pages */
	const char *script;           /* script of the first saved result; NULL: none */
	u32 saved_exemplars; /* number in the first saved result that has exemplars; 0: none */
	const char *saved_exemplars_of;
	const char *metric;   /* the only one that is compared; NULL: all */
	const char *sorted;   /* the same by --sort */
	bool saved;           /* a run is a saved result */
	bool some_histograms; /* its script was used, and may define more than were saved */
};

/* --- collect.c --- */

/* Add a histogram of the current run, valid only during the call. 0, -HIST_EFORMAT, -HIST_ENOMEM */
int diff_add_result(struct hist_diff *d, const struct result *r);

/* --- evidence.c --- */

/* Test the numbers of the first side and side @after, in all their comparisons. 0, -HIST_ENOMEM */
int evidence_test(struct hist_diff *d, size_t after);

/* Nothing was found: doubt that it is the same, if too few runs do not decide it. 0, -HIST_ENOMEM
 */
int evidence_doubt(struct hist_diff *d);

/* --- view.c: the displayed rows and their order --- */

struct view_row {
	const struct diff_row *row;
	struct measure measure;
	enum mark mark;
	double part; /* change in per cent of that of (all); NAN: none */
	/* change in per cent of the changes of all rows, without signs, and its running sum */
	double share, so_far;
	double sort;  /* sort value, the greatest first */
	size_t order; /* breaks ties */
};

/* Number of rows with each mark, and the mean change of rows that both sides have. */
struct summary {
	size_t better, worse, same, gone, new;
	bool neutral; /* how often something took time is not better or worse */
	size_t n_ratios;
	double geomean_percent;
};

struct view {
	struct view_row all; /* the row (all) */
	struct view_row *rows;
	size_t n, hidden; /* numbers of displayed and hidden rows */
	struct summary summary;
};

/*
 * The rows by value @v, or by the mean of a statistic with @stat. 0, -HIST_ENOMEM; call
 * view_release() in any case
 */
int view_init(struct view *view, const struct comparison *c, const struct metric *metric,
	      const struct hist_diff_options *options);
/* The first rows by a metric, at most @max_rows; 0: as the options say. */
int view_of_metric(struct view *view, const struct hist_diff *d, const struct comparison *c,
		   const struct metric *metric, size_t max_rows);
struct metric value_metric(const struct join *j, size_t v);
/* Mann and Whitney's test of each shown row. 0, -HIST_ENOMEM */
int view_test(struct view *view, const struct comparison *c, const struct metric *metric);
void view_release(struct view *view);

/* --- balance.c: spread of a value over a key, such as CPUs --- */

struct balance {
	size_t of_key, value, n; /* .n: number of different keys */
	/* for each side: */
	double largest[2];   /* largest fraction of the sum, 0 to 1 */
	struct span key[2];  /* the key with that fraction */
	double variation[2]; /* standard deviation / mean */
	struct strbuf text;  /* memory of the keys */
};

/* Whether to compute it for a key. @name: the requested key; NULL: keys that are a CPU. */
bool balance_is_wanted(const struct join *j, size_t key, const char *name);

/* Compute it. 0, -HIST_ENOMEM; call balance_release() in any case */
int balance_init(struct balance *b, const struct comparison *c, size_t key, size_t value);
void balance_release(struct balance *b);

/* --- stacks.c --- */

bool join_has_stack(const struct join *j);

/* Called for each row with its keys as frames, the outermost first. A result other than 0 stops. */
typedef int (*diff_stack_fn)(void *arg, const struct span *frames, size_t n,
			     const struct measure *m);

/*
 * Draw a flame graph: red for more, blue for less; @hidden: number of omitted frames. 0,
 * -HIST_ENOMEM
 */
int diff_flame_draw(const struct comparison *c, size_t max_frames, bool alone, size_t *hidden,
		    struct strbuf *out);

/* --- diff.c --- */

/*
 * Prepares everything for printing: histograms, named options, normalisation, rows. 0, < 0 with a
 * diagnosis
 */
int diff_prepare(struct hist_diff *d, struct diags *diags);

/* Note that a format has one table, that of the first histogram. */
void diff_note_others(const struct hist_diff *d, const char *format, struct diags *diags);

/* --- print_*.c --- */

struct diff_printer {
	const char *name;
	bool one_table; /* can print only one histogram */
	bool one_pair;  /* and only two sides */
	int (*print)(const struct hist_diff *d, struct printer *p);
};

extern const struct diff_printer diff_print_text, diff_print_json, diff_print_markdown,
	diff_print_junit, diff_print_html, diff_print_folded, diff_print_svg;
/* Any format of rows; it has no ->name. */
extern const struct diff_printer diff_print_rows;

/* The format with that name, or NULL; the names of all formats as "text, json". */
const struct diff_printer *diff_printer_find(const char *name);
void diff_printer_names(struct strbuf *out);
