/* SPDX-License-Identifier: LGPL-2.1-only */
/* Change points in a series of numbers: private to diff. */
#ifndef HIST_DIFF_CHANGE_H
#define HIST_DIFF_CHANGE_H

#include "base/base.h"

enum { CHANGE_SHUFFLES = 9999 };

/* The levels before and after are medians of the numbers up to the adjacent change points. */
struct change {
	size_t at; /* index of the first number of the new level */
	double p, before, after;
};

typedef ARRAY(struct change) change_array;

/**
 * changes_find() - find change points of @n numbers, in ascending order
 * @alpha: the significance level of each test
 *
 * Pettitt's test: the position at which the ranks on both sides differ the most. The probability of
 * such a difference by chance is estimated with CHANGE_SHUFFLES shuffles, which are the same each
 * time. Both parts are then searched recursively. No change is found in fewer than 8 numbers at
 * 0.05.
 *
 * Return: 0, -HIST_ENOMEM
 */
int changes_find(const double *v, size_t n, double alpha, change_array *changes);

#endif
