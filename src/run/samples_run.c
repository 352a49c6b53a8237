// SPDX-License-Identifier: LGPL-2.1-only
/* Adds one sample of each value per hit. */
#include <stdlib.h>

#include "program/entry.h"
#include "program/hist_data.h"
#include "program/hit.h"
#include "program/program.h"
#include "program/value.h"
#include "run/hist_run.h"

void hist_sketches_hit(const struct hist_count *hc, struct tracing_map_elt *elt,
		       const struct hit *hit, const u64 *refs)
{
	const struct hist_data *hd = hc->hd;
	const struct update_step *steps = hd->program->updates.steps;
	const struct hist_stats *stats = hd->stats;
	struct hist_part *part = &hc->parts[hit->part];
	struct sketch_row *row = hist_part_sketches(part, hd, elt_sketches(hd, elt));

	for (u32 i = 0; i < stats->n && row; i++)
		if (sketch_add(&row->v[i], value_num(&steps[stats->v[i].step].value, hit, refs), 1))
			part->map->failed = true;
	part->map->failed |= !row;
}

bool hist_sketches_column(struct hist_part *part, const struct hist_data *hd, u32 stat,
			  const struct hist_column *column)
{
	struct sketch *sketches[TRACING_MAP_BATCH];
	u32 word = elt_sketches_word(hd);

	for (u32 i = 0; i < column->n; i++) {
		struct sketch_row **at =
			(struct sketch_row **)(void *)&column->elts[i]->words[word];

		if (unlikely((!*at || (*at)->refs > 1) && !hist_part_sketches(part, hd, at)))
			return false;
		sketches[i] = &(*at)->v[stat];
		__builtin_prefetch(sketches[i], 1);
	}
	for (u32 i = 0; i < column->n; i++)
		sketch_prefetch(sketches[i], column->values[i]);
	for (u32 i = 0; i < column->n; i++)
		if (unlikely(sketch_add(sketches[i], column->values[i], 1)))
			return false;
	return true;
}
