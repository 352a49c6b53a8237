/* SPDX-License-Identifier: LGPL-2.1-only */
/* Verdicts: same, different or inconclusive; private to diff. */
#pragma once
#include "diff/evidence.h"

/* ORDER mark_names */
enum mark {
	MARK_SAME,
	MARK_WITHIN, /* within the noise, or within the spread of a side */
	MARK_CHANGED,
	MARK_GONE,
	MARK_NEW,
	MARK_FEW, /* too few hits for a verdict */
	MARKS,    /* number of marks */
};

/* --- mark.c --- */

const char *mark_name(enum mark mark);
const char *verdict_name(enum hist_diff_verdict verdict);

struct comparison;

/* The mark of a row with the values @measure, whose .p_family is set. */
enum mark mark_of(const struct comparison *c, const struct diff_row *row,
		  const struct measure *measure, const struct hist_diff_options *options);

/* --- fail_on.c --- */

/*
 * The argument of --fail-on: [KEYGLOB:]METRIC(<|>)[±]N[%|ns|us|ms|s]. A limit with a sign applies
 * to the change, a limit without a sign to the value after.
 */
enum fail_on_unit {
	FAIL_ON_PLAIN,   /* in the unit of the compared values */
	FAIL_ON_PERCENT, /* in per cent of the value before */
	FAIL_ON_TIME,    /* .limit is in nanoseconds */
};

struct fail_on {
	const char *text;   /* as on the command line */
	const char *glob;   /* pattern for the key, for fnmatch(3); NULL: all rows together */
	const char *metric; /* "hitcount", "p99", "lat.p99" */
	bool greater;       /* > rather than < */
	bool of_value;      /* no sign: limits the value after, not the change */
	double limit;       /* including its sign */
	enum fail_on_unit unit;
};

struct fail_ons {
	struct fail_on *v;
	size_t n;
};

/*
 * Parse an expression; texts are stored in @arena. 0, -HIST_EINVAL with a diagnosis that explains
 * the syntax, -HIST_ENOMEM
 */
int fail_on_parse(const char *text, struct fail_on *expr, struct arena *arena, struct diags *diags);

/* ORDER outcome_names */
enum outcome { OUTCOME_NO, OUTCOME_HOLDS, OUTCOME_UNSURE };

/* "does not hold", "holds", "inconclusive" */
const char *outcome_name(enum outcome outcome);

/* A histogram, with one side compared with the first. */
struct comparison {
	struct join *join; /* borrowed */
	struct meter meter;
	bool one_metric;      /* --metric */
	bool has_metric;      /* whether this histogram has it */
	struct metric metric; /* which it is */
	size_t marks[MARKS];  /* number of rows with each mark, excluding the row (all) */
	struct evidence evidence;
	ARRAY(const char *) doubts;
};

/* A --fail-on expression on one row, or on a group of rows. */
struct fail_on_check {
	const struct fail_on *expr;
	const struct comparison *of; /* NULL: the pattern matches no row */
	const struct diff_row *row;  /* NULL: all rows that the pattern matches */
	struct metric metric;
	const char *name; /* name of the metric, such as "lat.p99" */
	struct measure measure;
	enum outcome outcome;
	const char *why; /* reason for OUTCOME_UNSURE */
	bool tested;
	/* Mann and Whitney's test; by Holm's method for all checks; of the family of all checks */
	double p, p_holm, p_family;
	double *numbers; /* of the runs, if tested */
};

typedef ARRAY(struct fail_on_check) check_array;
typedef ARRAY(struct comparison) comparison_array;

struct verdict {
	enum hist_diff_verdict is;
	check_array checks;
	double least_p; /* smallest p for this number of runs; 0: no tests */
};

/* Find the value or statistic with this name; false: unknown, or ambiguous (@several). */
bool metric_find(const struct join *j, const char *name, struct metric *metric, bool *several);
/* Append the metrics that have a name: "hitcount, lat, lat.WHAT (WHAT: n, min, ...)" */
void metrics_add(const comparison_array *all, struct strbuf *names);

/* Create the checks for every --fail-on and its rows. 0, -HIST_EINVAL, -HIST_ENOMEM */
int checks_make(check_array *checks, const comparison_array *all, const struct fail_ons *exprs,
		struct arena *arena, struct diags *diags);

/*
 * Evaluate the checks; with several runs per side, by tests of all checks together (relabel.h).
 * 0, -HIST_ENOMEM
 */
int checks_judge(struct verdict *verdict, const comparison_array *all, double alpha,
		 struct arena *arena);

/* Whether @run lost more than @allowed percent of its events; appends a sentence. */
bool diff_lost_too_many(const struct diff_run *run, double allowed, struct strbuf *out);

/*
 * Whether a caveat of @run forbids a verdict; appends a sentence. Switches that are not known do
 * not if they are at most @allowed percent of the hits.
 */
bool diff_caveat_doubts(const struct diff_run *run, const struct caveat *caveat, double allowed,
			struct strbuf *out);

/* Whether a number of it changed, or a row is only on one side. */
static inline bool comparison_differs(const struct comparison *c)
{
	return c->evidence.found.n > 0;
}

/* Mark rows and collect reasons to doubt the comparison. 0, -HIST_ENOMEM */
int comparison_judge(struct comparison *c, const struct hist_diff_options *options,
		     struct arena *arena);
