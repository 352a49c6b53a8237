/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Statistics (report --stats): in each entry a sketch of every value and variable, with a
 * sample for each hit.
 *
 * The kernel has nothing like it, so nothing here is reached without machine.stats.
 */
#ifndef HIST_ENGINE_STATS_H
#define HIST_ENGINE_STATS_H

#include "engine/hist_data.h"
#include "engine/run.h"

struct hist_stat {
	const struct hist_field *field; /* a value or variable */
	u32 step;                       /* of the program, that computes a sample */
};

struct hist_stats {
	u32 n;
	struct hist_stat *v;
	ARRAY(struct sketch *) rows; /* of all entries, ->n each */
};

/*
 * Give a bound trigger its statistics: of the values but hitcount and texts, and of the
 * variables that are numbers but neither plain time stamps nor constants. Its map is made
 * afterwards. 0, -HIST_ENOMEM
 */
int hist_stats_bind(struct hist_data *hd);

/* A hit on an entry whose values are updated; @refs as values want them. */
void hist_stats_hit(struct hist_data *hd, struct tracing_map_elt *elt, const struct hit *hit,
		    const u64 *refs);

/* The sketches of an entry, one for each statistic; NULL if it had no hit. */
const struct sketch *hist_stats_of(const struct hist_data *hd, struct tracing_map_elt *elt);

/* Forget all samples, but not the entries. */
void hist_stats_empty(struct hist_stats *stats);

/* Forget all samples; the entries are forgotten with them. */
void hist_stats_clear(struct hist_stats *stats);

#endif
