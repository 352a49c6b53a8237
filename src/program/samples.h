/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Statistics (report --stats): for each entry a sketch of every value and variable, with a sample
 * for each hit.
 *
 * The kernel has no equivalent, so this code is reached only with machine.stats.
 */
#ifndef HIST_PROGRAM_SAMPLES_H
#define HIST_PROGRAM_SAMPLES_H

#include "program/hist_data.h"

struct hist_stat {
	const struct hist_field *field; /* a value or variable */
	u32 step;                       /* step of the program that computes a sample */
};

struct hist_stats {
	u32 n;
	struct hist_stat *v;
	ARRAY(struct sketch_row *)
	rows; /* of entries and results */
};

/* The sketches of an entry, one for each statistic; NULL if it had no hit. */
struct sketch_row *hist_stats_of(const struct hist_data *hd, struct tracing_map_elt *elt);

/* Remove all samples; the caller resets the entries. */
void hist_stats_clear(struct hist_stats *stats);

#endif
