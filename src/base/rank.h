/* SPDX-License-Identifier: LGPL-2.1-only */
/* The order of numbers: descending; equal numbers by their text, then by their index. */
#ifndef HIST_BASE_RANK_H
#define HIST_BASE_RANK_H

#include "base/span.h"
#include "base/types.h"

struct rank {
	double by;
	size_t at; /* distinguishes equal ones */
};

void rank_sort(struct rank *ranks, size_t n);

/* A number of 64 bits, and a text. */
struct row_rank {
	u64 by;
	struct span text;
	size_t at;
};

void row_rank_sort(struct row_rank *ranks, size_t n);
/* Back into the order of their indices. */
void row_rank_restore(struct row_rank *ranks, size_t n);

#endif
