/* SPDX-License-Identifier: LGPL-2.1-only */
/* Orders that have one result: of numbers, descending, equal ones by their text, then their index.
 */
#pragma once
#include "base/span.h"
#include "base/types.h"

/*
 * Where each of the numbers below @n is when they are sorted; @compare gets pointers to two of
 * them (u32), which differ. Owned by the caller; NULL: out of memory
 */
u32 *rank_numbers(u32 n, int (*compare)(const void *, const void *, void *), void *arg);

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
