/* SPDX-License-Identifier: LGPL-2.1-only */
/* The order of numbers: descending; equal numbers by their index. */
#ifndef HIST_BASE_RANK_H
#define HIST_BASE_RANK_H

#include "base/types.h"

struct rank {
	double by;
	size_t at; /* distinguishes equal ones */
};

void rank_sort(struct rank *ranks, size_t n);

#endif
