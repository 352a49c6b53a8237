/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The sketches of one row of a histogram, one for each statistic. The live map and its frozen
 * results share a row; a shared row is copied before a change.
 */
#ifndef HIST_PROGRAM_SKETCH_ROW_H
#define HIST_PROGRAM_SKETCH_ROW_H

#include "base/base.h"

struct sketch_row {
	u32 refs, n;
	struct sketch v[];
};

/* @n sketches without samples and with one reference; NULL if out of memory. */
struct sketch_row *sketch_row_new(u32 n);

static inline struct sketch_row *sketch_row_get(struct sketch_row *row)
{
	row->refs++;
	return row;
}

/* Drop a reference; the last one frees it; NULL is fine. */
void sketch_row_put(struct sketch_row *row);

/* A copy with its own reference; NULL if out of memory. */
struct sketch_row *sketch_row_copy(const struct sketch_row *row);

#endif
