// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Samples. An entry's private area points to its sketches, which are allocated at its first hit;
 * the list of all of them is used to free them.
 */
#include <stdlib.h>

#include "program/entry.h"
#include "program/hist_data.h"
#include "program/samples.h"

struct sketch_row *hist_stats_of(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return *elt_sketches(hd, elt);
}

void hist_stats_put(sketch_row_array *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		sketch_row_put(rows->v[i]);
	array_release(rows);
}

void hist_stats_clear(struct hist_stats *stats)
{
	hist_stats_put(&stats->rows);
}

int hist_stats_start_parts(struct hist_stats *stats, u32 n)
{
	stats->parts = calloc(n, sizeof(*stats->parts));
	stats->n_parts = stats->parts ? n : 0;
	return stats->parts ? 0 : HIST_NOMEM;
}

void hist_stats_drop_parts(struct hist_stats *stats)
{
	for (u32 i = 0; i < stats->n_parts; i++)
		hist_stats_put(&stats->parts[i]);
	free(stats->parts);
	stats->parts = NULL;
	stats->n_parts = 0;
}
