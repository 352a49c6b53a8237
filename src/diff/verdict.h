/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Same, different, or nothing that can be said: private to diff.
 */
#ifndef HIST_DIFF_VERDICT_H
#define HIST_DIFF_VERDICT_H

#include "diff/fail_on.h"
#include "diff/measure.h"

/* ORDER mark_names */
enum mark {
	MARK_SAME,
	MARK_WITHIN, /* differs by no more than the noise, or than several runs of a side */
	MARK_CHANGED,
	MARK_GONE,
	MARK_NEW,
	MARK_FEW, /* too few hits to judge */
	MARKS,    /* so many */
};

/* "same" and so on. */
const char *mark_name(enum mark mark);

/* What becomes of a row whose values are @measure. */
enum mark mark_of(const struct meter *m, const struct diff_row *row, const struct measure *measure,
		  double noise);

/* ORDER outcome_names */
enum outcome { OUTCOME_NO, OUTCOME_HOLDS, OUTCOME_UNSURE };

/* One histogram, a side of it compared with the first. */
struct comparison {
	struct join *join; /* borrowed */
	struct meter meter;
	size_t marks[MARKS]; /* rows, of all but the row of all */
	ARRAY(const char *) doubts;
};

/* One --fail-on on one row, or on what belongs together. */
struct fail_on_check {
	const struct fail_on *expr;
	const struct comparison *of; /* NULL: the glob matches no row of any */
	const struct diff_row *row;  /* NULL: all rows that the glob matches */
	struct metric metric;
	const char *name; /* of the metric, "lat.p99" */
	struct measure measure;
	enum outcome outcome;
	const char *why; /* of OUTCOME_UNSURE */
	bool tested;
	double p, p_holm;
};

typedef ARRAY(struct fail_on_check) check_array;
typedef ARRAY(struct comparison) comparison_array;

struct verdict {
	enum hist_diff_verdict is;
	check_array checks;
	double least_p; /* that so many runs can give; 0: no tests */
};

/* The value or statistic of that name; false: there is none, or @several. */
bool metric_find(const struct join *j, const char *name, struct metric *metric, bool *several);

/* Every --fail-on, on all rows that it is about. 0, -HIST_EINVAL, -HIST_ENOMEM */
int checks_make(check_array *checks, const comparison_array *all, const struct fail_ons *exprs,
		struct arena *arena, struct diags *diags);

/* Their outcomes; with several runs a side, tests. 0, -HIST_ENOMEM */
int checks_judge(struct verdict *verdict, const comparison_array *all, double alpha);

/* Mark rows and look for what makes a comparison doubtful. 0, -HIST_ENOMEM */
int comparison_judge(struct comparison *c, const struct hist_diff_options *options,
		     struct arena *arena);

#endif
