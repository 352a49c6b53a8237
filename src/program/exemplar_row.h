/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Exemplars: the few largest of many values, each with its time, CPU and task.
 *
 * The largest comes first; equal values are ordered by time, then by position in the recording,
 * then by the order of insertion. Rows that are merged are ordered by all members after that, so
 * the result does not depend on the order of merging.
 */
#pragma once
#include "base/base.h"

enum { EXEMPLAR_COMM_LEN = 16 };

struct exemplar {
	u64 value, at; /* the time in units of the trace clock */
	u64 place;     /* among the others of that time; 0 if they are added in their order */
	u32 cpu;
	s32 pid;
	char comm[EXEMPLAR_COMM_LEN];
	const char *file; /* its recording, borrowed; NULL: the only one */
};

struct exemplar_row {
	u32 n, max;
	struct exemplar v[];
};

/*
 * Whether the row is full and all of its values are larger than @value. @sign: 1 << 63 if they are
 * signed, otherwise 0. Context: hot path
 */
static inline bool exemplar_row_exceeds(const struct exemplar_row *row, u64 value, u64 sign)
{
	return row->n == row->max && (value ^ sign) < (row->v[row->max - 1].value ^ sign);
}

/* Room for @max of them, to be freed with free(); NULL if out of memory. */
struct exemplar_row *exemplar_row_new(u32 max);

/* The same in an arena. */
struct exemplar_row *exemplar_row_in(struct arena *arena, u32 max);

/*
 * Insert a copy, dropping the last one if there is no room.
 * Returns NULL if the value is not among the largest. Context: hot path
 */
struct exemplar *exemplar_row_add(struct exemplar_row *row, const struct exemplar *e,
				  bool is_signed);

/* Add all of @from, of which only @row->max are kept. */
void exemplar_row_merge(struct exemplar_row *row, const struct exemplar_row *from, bool is_signed);
