// SPDX-License-Identifier: LGPL-2.1-only
/* A total order of numbers, so that the result does not depend on how a sort breaks ties. */
#include <stdlib.h>

#include "base/rank.h"

u32 *rank_numbers(u32 n, int (*compare)(const void *, const void *, void *), void *arg)
{
	u32 *order = malloc(((size_t)n + 1) * sizeof(*order));
	u32 *ranks = malloc(((size_t)n + 1) * sizeof(*ranks));

	if (!order || !ranks) {
		free(order);
		free(ranks);
		return NULL;
	}
	for (u32 i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare, arg);
	for (u32 i = 0; i < n; i++)
		ranks[order[i]] = i;
	free(order);
	return ranks;
}

DEFINE_ORDER(compare_ranks, struct rank, cmp_int(y->by, x->by) ?: cmp_int(x->at, y->at))

void rank_sort(struct rank *ranks, size_t n)
{
	qsort(ranks, n, sizeof(*ranks), compare_ranks);
}

DEFINE_ORDER(compare_row_ranks, struct row_rank, cmp_int(y->by, x->by) ?: span_cmp(x->text, y->text) ?: cmp_int(x->at, y->at))

void row_rank_sort(struct row_rank *ranks, size_t n)
{
	qsort(ranks, n, sizeof(*ranks), compare_row_ranks);
}

DEFINE_ORDER(compare_places, struct row_rank, cmp_int(x->at, y->at))

void row_rank_restore(struct row_rank *ranks, size_t n)
{
	qsort(ranks, n, sizeof(*ranks), compare_places);
}
