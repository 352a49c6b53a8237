/* SPDX-License-Identifier: LGPL-2.1-only */
/* A permutation test of many numbers together: private to diff. */
#pragma once
#include "base/base.h"

/* Up to this many ways to divide the runs, all are used; of more, RELABEL_RANDOM and the true one.
 */
enum { RELABEL_ALL = 20000, RELABEL_RANDOM = 1999 };

/* A number that every run has. */
struct trial {
	const double *v; /* of the runs before, then of those after; borrowed */
	double floor;    /* relative variance that it has at least, such as 1 / hits */
	double p;        /* set by relabel_test() */
	/* private: */
	double mean, scale, most;
};

/**
 * relabel_test() - how unusual each difference of two sides is among all differences
 * @trials: numbers; their ->p is set
 * @n_a, @n_b: number of runs before and after, at least 1
 *
 * Westfall and Young's single-step maximum: the runs are divided in every other way into two sides
 * of these sizes; ->p is the share of the divisions, the true one included, in which the largest
 * difference of any number is at least as large as the difference of this one. If the sides are
 * alike, the probability that any ->p is at most x is at most x, however the numbers depend on
 * each other and whatever their distribution. A number that is given twice changes nothing.
 *
 * The difference is that of the means, divided by the root of the sum of squares around the common
 * mean (which is Student's t, transformed) and of ->floor.
 *
 * Return: 0, -HIST_ENOMEM
 */
int relabel_test(struct trial *trials, size_t n, size_t n_a, size_t n_b);

/* The number of ways, which is not exact beyond 1e15; and the smallest ->p. */
double relabel_ways(size_t n_a, size_t n_b);
double relabel_least_p(size_t n_a, size_t n_b);
