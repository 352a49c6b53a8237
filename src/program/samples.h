/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Statistics (report --stats): in each entry a sketch of every value and variable, with a
 * sample for each hit.
 *
 * The kernel has nothing like it, so nothing here is reached without machine.stats.
 */
#ifndef HIST_PROGRAM_SAMPLES_H
#define HIST_PROGRAM_SAMPLES_H

#include "program/hist_data.h"

struct hist_stat {
	const struct hist_field *field; /* a value or variable */
	u32 step;                       /* of the program, that computes a sample */
};

struct hist_stats {
	u32 n;
	struct hist_stat *v;
	ARRAY(struct sketch_row *)
	rows; /* of all entries, and those that were shared with results */
};

/* The sketches of an entry, one for each statistic; NULL if it had no hit. */
struct sketch_row *hist_stats_of(const struct hist_data *hd, struct tracing_map_elt *elt);

/* Forget all samples; the caller forgets the entries, or what they point to. */
void hist_stats_clear(struct hist_stats *stats);

#endif
