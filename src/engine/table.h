/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A histogram, sorted and frozen: what printers, diff and merge work on.
 */
#ifndef HIST_ENGINE_TABLE_H
#define HIST_ENGINE_TABLE_H

#include "engine/hist_data.h"
#include "engine/trigger.h"

struct table_column_stat {
	u64 max, total; /* of a value over all rows */
};

struct table {
	const struct trigger *trigger;
	const struct hist_data *hist;
	struct tracing_map_elt **rows; /* borrowed from the map, in order of output */
	size_t n_rows;
	struct table_column_stat stats[MAX_VALS];
	u64 hits, drops;
};

enum { TABLE_AHEAD = 16 };

/* Row @i is about to be printed: ask for memory that later ones lie in, far from each other. */
static inline void table_prefetch(const struct table *table, size_t i)
{
	if (i + TABLE_AHEAD < table->n_rows)
		__builtin_prefetch(table->rows[i + TABLE_AHEAD]);
}

/* Sort and freeze; the rows are good until the map changes. 0, -HIST_ENOMEM */
int table_new(const struct trigger *trigger, const struct kernel_quirks *quirks,
	      struct table **table);
void table_free(struct table *table);

/*
 * Begin a slice of time: hits, sums, samples and what onmax and onchange kept are forgotten,
 * what variables hold for other histograms is not.
 */
void hist_data_slice(struct hist_data *hd);

/* The parts of an entry's private room: the comm of its task, and where text @i of a variable is.
 */
const char *elt_comm(const struct hist_data *hd, struct tracing_map_elt *elt);
u32 elt_string_at(const struct hist_data *hd, u32 i);

/* With save(): when it was done last. With statistics: where its sketches are. */
u64 *elt_saved_at(const struct hist_data *hd, struct tracing_map_elt *elt);
struct sketch **elt_sketches(const struct hist_data *hd, struct tracing_map_elt *elt);

#endif
