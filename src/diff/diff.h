/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * diff: results of several runs, compared row by row.
 *
 *	results ─join─▶ rows of all runs ─measure─▶ before, after ─verdict─▶ ─print─▶ text
 *
 * A run is a recording that was replayed or a result that was saved; which does not show
 * behind join.c.
 */
#ifndef HIST_DIFF_DIFF_H
#define HIST_DIFF_DIFF_H

#include "diff/verdict.h"

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
	comparison_array all;
	const char **names; /* of the runs */
	size_t n_runs;
	size_t run;          /* the one that is being added */
	struct diags *diags; /* of the run that is being added */
	struct verdict verdict;
	const char *script;   /* of the first saved result; NULL: there was none */
	bool some_histograms; /* it was used, and may make more than were saved */
};

/* --- collect.c --- */

/* A histogram of it, good only now. 0, -HIST_EFORMAT, -HIST_ENOMEM */
int diff_add_result(struct hist_diff *d, const struct result *r);

/* --- view.c: which rows are shown, in what order --- */

struct view_row {
	const struct diff_row *row;
	struct measure measure;
	enum mark mark;
	double sort;  /* the greatest first */
	size_t order; /* among equals */
};

struct view {
	struct view_row all; /* the row of all */
	struct view_row *rows;
	size_t n, hidden; /* shown, not shown */
};

/* The rows by value @v, or with @stat by the mean of a statistic. 0, -HIST_ENOMEM; release in any
 * case */
int view_init(struct view *view, const struct comparison *c, const struct metric *metric,
	      const struct hist_diff_options *options);
void view_release(struct view *view);

/* --- print_*.c --- */

struct diff_printer {
	const char *name;
	int (*print)(const struct hist_diff *d, struct printer *p);
};

extern const struct diff_printer diff_print_text, diff_print_json, diff_print_csv;

/* "same", "different", "inconclusive". */
const char *verdict_name(enum hist_diff_verdict verdict);
/* "does not hold", ... */
const char *outcome_name(enum outcome outcome);

#endif
