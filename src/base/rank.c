// SPDX-License-Identifier: LGPL-2.1-only
/* The order of numbers: total, so that no sort can break ties in its own way. */
#include <stdlib.h>

#include "base/rank.h"

static int compare_ranks(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;

	if (x->by != y->by)
		return x->by > y->by ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

void rank_sort(struct rank *ranks, size_t n)
{
	qsort(ranks, n, sizeof(*ranks), compare_ranks);
}
