// SPDX-License-Identifier: LGPL-2.1-only
/* Adds one sample of each value per hit. */
#include <stdlib.h>

#include "program/entry.h"
#include "program/hist_data.h"
#include "program/hit.h"
#include "program/program.h"
#include "program/samples.h"
#include "program/value.h"
#include "run/hist_run.h"

static struct sketch_row *keep(struct hist_stats *stats, struct sketch_row *row)
{
	if (!row || array_push(&stats->rows, row)) {
		sketch_row_put(row);
		return NULL;
	}
	return row;
}

static struct sketch_row *new_row(struct hist_stats *stats)
{
	struct sketch_row *row = keep(stats, sketch_row_new(stats->n));

	for (u32 i = 0; i < stats->n && row; i++)
		row->v[i].is_signed = stats->v[i].field->is_signed;
	return row;
}

void hist_stats_hit(struct hist_data *hd, struct tracing_map_elt *elt, const struct hit *hit,
		    const u64 *refs)
{
	const struct update_step *steps = hd->program->updates.steps;
	struct hist_stats *stats = hd->stats;
	struct sketch_row **at = elt_sketches(hd, elt), *row = *at;

	if (!row)
		row = *at = new_row(stats);
	else if (row->refs > 1) /* shared with a result, which does not change */
		row = *at = keep(stats, sketch_row_copy(row));
	for (u32 i = 0; i < stats->n && row; i++)
		if (sketch_add(&row->v[i], value_num(&steps[stats->v[i].step].value, hit, refs), 1))
			hd->map->failed = true;
	hd->map->failed |= !row;
}
