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

void hist_stats_clear(struct hist_stats *stats)
{
	for (size_t i = 0; i < stats->rows.n; i++)
		sketch_row_put(stats->rows.v[i]);
	array_release(&stats->rows);
}
