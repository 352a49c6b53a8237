/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A metric of some rows, before and after: private to diff.
 *
 * A metric is computed for each run; that of a side is the median of its runs.
 */
#pragma once
#include "diff/join.h"
#include "hist-diff.h"

/* ORDER metric_names: MEASURE_N to MEASURE_P999 are properties of distributions */
enum measure_what {
	MEASURE_N,
	MEASURE_MIN,
	MEASURE_MAX,
	MEASURE_MEAN,
	MEASURE_P50,
	MEASURE_P90,
	MEASURE_P99,
	MEASURE_P999,
	MEASURE_OF_STAT, /* number of statistical metrics */
	MEASURE_VALUE = MEASURE_OF_STAT,
	MEASURE_PER_HIT, /* a value, divided by the number of hits */
};

struct metric {
	enum measure_what what;
	size_t at;        /* index of a value or a stat of the join */
	const char *unit; /* unit of the numbers; NULL: unknown */
};

/* ORDER enum hist_diff_mode: "rate", and "/s" after the name of a value. */
extern const char *const mode_names[], *const mode_suffixes[];

/* Append the name of a metric: "us", "us per hit", "us.p99". */
void metric_name_add(struct strbuf *out, const struct join *j, const struct metric *metric);

/* The name of a metric, "p99" for MEASURE_P99. */
const char *measure_name(enum measure_what what);

/* 990 for MEASURE_P99; 0 if it is not a quantile. */
unsigned int measure_permille(enum measure_what what);

struct measure {
	struct interval side[2]; /* before, after; INTERVAL_NONE: unknown */
	struct interval delta, percent;
	u64 count[2]; /* sums over all runs: the value itself, or the number of samples */
	/* why the change, or the value after, is unreliable; NULL: reliable */
	const char *unsure, *unsure_after;
	struct interval spread[2]; /* spread of the median, with several runs a side; else none */
	bool overlap;              /* the spreads overlap; or several runs, and one value */
	double p;                  /* set by measure_test(); NAN: not tested */
	double p_family;           /* set by evidence_p(); NAN: not tested */
};

/* Context for measuring the rows of a join. */
struct meter {
	const struct join *j;
	enum hist_diff_mode mode; /* not HIST_DIFF_DEFAULT */
	size_t after;             /* the side compared with side 0 */
	struct interval *runs;    /* last measured value of each run; INTERVAL_NONE: unknown */
	double *scratch;
};

/* The side of a run: 0 before, 1 after; -1: another side. */
static inline int meter_side(const struct meter *m, size_t run)
{
	size_t side = m->j->runs[run].side;

	return side == 0 ? 0 : side == m->after ? 1 : -1;
}

/* Return: 0, -HIST_ENOMEM; call meter_release() in any case */
int meter_init(struct meter *m, const struct join *j, enum hist_diff_mode mode, size_t after);
void meter_release(struct meter *m);

/* Number of runs before (0), after (1). */
size_t meter_runs(const struct meter *m, int side);

/* The smallest p possible with these numbers of runs; 0: there is one run a side. */
double meter_least_p(const struct meter *m);

/* The time covered by a run, in seconds; 0: its clock does not measure it. */
double run_seconds(const struct diff_run *run);

/* Measure value @v of @row. */
struct measure measure_value(const struct meter *m, size_t v, const struct diff_row *row);

/* The same for a value per hit: ->side is not known if a run has no hits. */
struct measure measure_per_hit(const struct meter *m, size_t v, const struct diff_row *row);

/* Measure any metric of a row, or of the row (all). 0, -HIST_ENOMEM */
int measure_metric(const struct meter *m, const struct metric *metric, const struct diff_row *row,
		   struct measure *r);

/* Whether every row has several runs on both sides, so that they can be tested. */
bool meter_can_test(const struct meter *m);

/**
 * measure_test() - test whether the runs of the sides differ, see stats_mann_whitney()
 * @r: the last measure made with @m; .p stays NAN if a side has one run, or a run has no value
 *
 * Return: 0, -HIST_ENOMEM
 */
int measure_test(const struct meter *m, struct measure *r);

/* The last measured values, of the runs before, then after; false: a run has none. */
bool meter_numbers(const struct meter *m, double *v);

/* Whether a run with @n samples has enough of them beyond a quantile of @permille; or it is 0. */
bool samples_suffice(u64 n, unsigned int permille);

/* --- distributions --- */

/* Distributions of each run, and of all runs before and after. */
struct dists {
	struct dist *runs;
	struct dist side[2]; /* of a side with one run: that of the run */
	bool is_run[2];
	size_t n_runs;
};

/* The rows to measure: one, those that a pattern matches, or all. */
struct subject {
	const struct diff_row *row; /* NULL: more than one */
	const char *glob;           /* NULL: all */
};

/* Collect the distributions. 0, -HIST_ENOMEM; call dists_release() in any case */
int dists_init(struct dists *d, const struct meter *m, size_t stat, const struct subject *subject);
void dists_release(struct dists *d);

/* Measure distributions made by dists_init(). */
struct measure measure_stat(const struct meter *m, const struct dists *d, enum measure_what what);

/* Whether a glob of --fail-on matches a row. 0, -HIST_ENOMEM */
int row_matches(const struct join *j, const struct diff_row *row, const char *glob, bool *matches);
