/* SPDX-License-Identifier: LGPL-2.1-only */
/* Statistics of a few numbers, one for each run: private to diff. */
#ifndef HIST_DIFF_ORDER_STATS_H
#define HIST_DIFF_ORDER_STATS_H

#include "diff/dist.h"

/* From this many runs a side on a difference can be significant. */
enum { DIFF_RUNS_TESTED = 4 };

/* The middle of @v, or of the two in the middle; sorts them. NAN if there is none. */
double stats_median(double *v, size_t n);

/**
 * stats_median_spread() - confidence interval of the median, by order statistics
 *
 * At least 95 % where there are 6 or more; of fewer all that they span, see
 * stats_spread_level(). Sorts @v. INTERVAL_NONE of fewer than two.
 */
struct interval stats_median_spread(double *v, size_t n);

/* How likely such an interval of @n numbers holds the median, in per cent. */
double stats_spread_level(size_t n);

/**
 * stats_mann_whitney() - whether one of two samples tends to larger values
 * @p: the two-sided probability of a rank sum at least as far out, if neither does
 *
 * Equal values share the mean of their ranks. Up to 60 values together all ways of dealing
 * out these ranks are counted; beyond, their number is taken for a normal distribution, with
 * the corrections for ties and for continuity.
 *
 * Return: 0, -HIST_ENOMEM
 */
int stats_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b, double *p);

/* The least that stats_mann_whitney() can give for samples of these sizes: 2 / C(n_a + n_b, n_a).
 */
double stats_least_p(size_t n_a, size_t n_b);

/**
 * stats_holm() - what is left of @n probabilities that were tried together (Holm's method)
 * @p: each is replaced by the level at which its test passes, at most 1
 *
 * Return: 0, -HIST_ENOMEM
 */
int stats_holm(double *p, size_t n);

#endif
