/* SPDX-License-Identifier: LGPL-2.1-only */
/* Cells side by side: private to saved. */
#ifndef HIST_SAVED_CELL_H
#define HIST_SAVED_CELL_H

#include "result/result.h"

/* A total order; 0: they are the same in everything. */
int cell_cmp(const struct result_column *column, const struct result_cell *a,
	     const struct result_cell *b);

/* As the kernel sorts a key or value; what it cannot sort is all alike. */
int cell_cmp_sort(const struct result_column *column, const struct result_cell *a,
		  const struct result_cell *b);

u64 cell_hash(const struct result_column *column, const struct result_cell *cell, u64 seed);

#endif
