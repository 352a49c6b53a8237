/* SPDX-License-Identifier: LGPL-2.1-only */
/* Comparing cells: private to saved. */
#ifndef HIST_SAVED_CELL_H
#define HIST_SAVED_CELL_H

#include "result/result.h"

/* A total order; 0 if all parts are equal. */
int cell_cmp(const struct result_column *column, const struct result_cell *a,
	     const struct result_cell *b);

/* The kernel's order of a key or value; values that it cannot sort compare equal. */
int cell_cmp_sort(const struct result_column *column, const struct result_cell *a,
		  const struct result_cell *b);

u64 cell_hash(const struct result_column *column, const struct result_cell *cell, u64 seed);

#endif
