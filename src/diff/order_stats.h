/* SPDX-License-Identifier: LGPL-2.1-only */
/* Statistics of small samples, one value per run: private to diff. */
#ifndef HIST_DIFF_ORDER_STATS_H
#define HIST_DIFF_ORDER_STATS_H

#include "diff/dist.h"

/* With this many runs per side or more, a difference can be significant. */
enum { DIFF_RUNS_TESTED = 4 };

/* The median of @v, which must be sorted. NAN if empty. */
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

#endif
