/* SPDX-License-Identifier: LGPL-2.1-only */
/* One new run against a history of runs: private to diff. */
#pragma once
#include "diff/noise.h"

/* With this many runs before, one run after is compared with what they predict. */
enum { PREDICT_RUNS = 6 };

/**
 * predict_deviation() - how far the last run is from where the others predict it
 * @v:     a number of all runs, the new one last; changed
 * @floor: relative variance that it has at least
 * @most:  raised to the largest deviation of another run from the rest
 *
 * Return: Student's t with @n_runs - 2 degrees of freedom, of the logarithms if all are positive;
 *         NAN if it is the largest of all, and others are 0: they do not predict how many there
 *         are of what they do not have
 */
double predict_deviation(double *v, size_t n_runs, double floor, double *most);

/**
 * predict_test() - set ->p of numbers whose ->t is known
 * @most: the largest deviation of a run of the history in any number, of others and of first ones
 *
 * ->p is Student's, corrected by noise_correct(), if the number deviates more than @most; otherwise
 * at least predict_limit(). So the probability that a run like the others has any smaller ->p is at
 * most that as well, whatever the distributions.
 *
 * Return: 0, -HIST_ENOMEM
 */
int predict_test(struct noise_pair *pairs, size_t n, size_t n_runs, const double most[2],
		 size_t *tests);

/* The probability that one of these runs deviates most of all, in a first number or in others. */
static inline double predict_limit(size_t n_runs)
{
	return 2 / (double)n_runs;
}
