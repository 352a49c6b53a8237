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

typedef ARRAY(struct sketch_row *) sketch_row_array;

struct hist_stats {
	u32 n;
	struct hist_stat *v;
	sketch_row_array rows;   /* of entries and results */
	sketch_row_array *parts; /* of the entries of each part's map; see run/part.h */
	u32 n_parts;
};

/* The sketches of an entry, one for each statistic; NULL if it had no hit. */
struct sketch_row *hist_stats_of(const struct hist_data *hd, struct tracing_map_elt *elt);

/* Remove all samples; the caller resets the entries. */
void hist_stats_clear(struct hist_stats *stats);

/* Empty a list. */
void hist_stats_put(sketch_row_array *rows);

/* Lists for @n parts. Return: 0, -HIST_ENOMEM */
int hist_stats_start_parts(struct hist_stats *stats, u32 n);
void hist_stats_drop_parts(struct hist_stats *stats);

#endif
