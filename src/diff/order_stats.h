/* SPDX-License-Identifier: LGPL-2.1-only */
/* Statistics of small samples, one value per run, and of series of runs: private to diff. */
#pragma once
#include "diff/dist.h"

/* With this many runs per side or more, a difference can be significant. */
enum { DIFF_RUNS_TESTED = 4 };

/* The median of @v, which it sorts. NAN if empty. */
double stats_median(double *v, size_t n);

/**
 * stats_median_spread() - confidence interval of the median, by order statistics
 *
 * At least 95 % for 6 numbers or more; for fewer, their whole range, see stats_spread_level().
 * Sorts @v. INTERVAL_NONE for fewer than two numbers.
 */
struct interval stats_median_spread(double *v, size_t n);

/* The probability that such an interval of @n numbers contains the median, in per cent. */
double stats_spread_level(size_t n);

/**
 * stats_mann_whitney() - test whether one of two samples tends to larger values
 * @p: set to the two-sided probability of a rank sum at least as extreme if neither does
 *
 * Equal values share the mean of their ranks. Up to 60 values in total, all assignments of these
 * ranks are counted; for more, a normal distribution is assumed, with the corrections for ties and
 * for continuity.
 *
 * Return: 0, -HIST_ENOMEM
 */
int stats_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b, double *p);

/* The smallest p of stats_mann_whitney() for samples of these sizes: 2 / C(n_a + n_b, n_a). */
double stats_least_p(size_t n_a, size_t n_b);

/**
 * stats_holm() - correct @n probabilities for multiple tests (Holm's method)
 * @p: each is replaced by the level at which its test is significant, at most 1
 *
 * Return: 0, -HIST_ENOMEM
 */
int stats_holm(double *p, size_t n);

/* --- change points in sequences of numbers --- */

enum { CHANGE_SHUFFLES = 1999 };

/* The levels before and after are medians of the numbers up to the adjacent change points. */
struct change {
	size_t at; /* index of the first number of the new level */
	double p, before, after;
};

struct change_series {
	const double *v; /* of the runs; NAN: a run has no value */
	ARRAY(struct change) changes;
};

/**
 * changes_find() - find change points of several series of @n_runs runs, in ascending order
 * @alpha: the probability that any change is found if the order of the runs does not matter
 *
 * Where the means of the runs before and after, at least 3 of each, explain most of a series. All
 * series are tested together: .p is the share of CHANGE_SHUFFLES shuffles of the runs, which are
 * the same each time, and of the true order, in which any series has a change that is as large
 * (Westfall and Young's maximum). Then the parts of those that changed are tested in the same way.
 * No change is found in fewer than 8 numbers at 0.05.
 *
 * Return: 0, -HIST_ENOMEM
 */
int changes_find(struct change_series *const *series, size_t n, size_t n_runs, double alpha);
