// SPDX-License-Identifier: LGPL-2.1-only
/* Slices of time: resets a histogram, except for the state that later records need. */
#include <string.h>

#include "program/entry.h"
#include "program/hist_data.h"
#include "program/exemplars.h"
#include "program/samples.h"
#include "run/part.h"
#include "run/run.h"
#include "tracing/tracing.h"

static void forget_var(const struct tracing_map *map, struct tracing_map_elt *elt, u32 idx)
{
	tracing_map_set_var(map, elt, idx, 0);
	tracing_map_unset_var(map, elt, idx);
}

static void forget_entry(const struct hist_data *hd, const struct tracing_map *map,
			 struct tracing_map_elt *elt)
{
	memset(tracing_map_sums(elt), 0, map->desc.n_sums * sizeof(u64));
	for (u32 i = 0; i < hd->n_actions; i++)
		if (hd->actions[i]->track_var)
			forget_var(map, elt, hd->actions[i]->track_var->var.idx);
	for (u32 i = 0; i < hd->n_save_vars; i++)
		forget_var(map, elt, hd->save_vars[i]->var->var.idx);
	if (hd->stats)
		*elt_sketches(hd, elt) = NULL;
	if (hd->exemplars)
		*elt_exemplars(hd, elt) = NULL;
}

static void forget_hits(const struct hist_data *hd, struct tracing_map *map)
{
	for (u32 i = 0; i < map->n_elts; i++)
		forget_entry(hd, map, tracing_map_elt_at(map, i));
	map->hits = map->drops = 0;
	map->sliced = true;
}

void hist_data_slice(struct hist_data *hd)
{
	struct snapshot *snapshot = hd->file->tr->snapshot;

	if (snapshot && snapshot->hist == hd)
		snapshot->updated = false;
	if (!hd->n_map_vars) {
		hist_data_reset(hd);
		return;
	}
	forget_hits(hd, hd->map);
	if (hd->stats)
		hist_stats_clear(hd->stats);
	if (hd->exemplars)
		hist_exemplars_clear(hd->exemplars);
}

int hist_parts_slice(struct hist_data *hd, u32 n)
{
	hist_data_reset(hd);
	if (!hd->n_map_vars)
		return hist_parts_start(hd, n, false);
	for (u32 i = 0; i < n; i++) {
		forget_hits(hd, hd->parts[i]);
		if (hd->stats)
			hist_stats_put(&hd->stats->parts[i]);
		if (hd->exemplars)
			hist_exemplars_free(&hd->exemplars->parts[i]);
	}
	hd->map->sliced = true;
	return 0;
}
