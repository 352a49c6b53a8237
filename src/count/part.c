// SPDX-License-Identifier: LGPL-2.1-only
/* A part of a histogram: a map, and the exemplars to which its entries point. */
#include "count/count.h"
#include "program/exemplars.h"

int hist_part_init(struct hist_part *part, const struct hist_data *hd)
{
	*part = (struct hist_part){ .map = tracing_map_new(&hd->desc) };
	return part->map ? 0 : HIST_NOMEM;
}

void hist_part_release_exemplars(struct hist_part *part)
{
	for (size_t i = 0; i < part->exemplars.n; i++)
		free(part->exemplars.v[i]);
	array_release(&part->exemplars);
}

void hist_part_release(struct hist_part *part)
{
	hist_part_release_exemplars(part);
	tracing_map_free(part->map);
	part->map = NULL;
}

void hist_part_clear(struct hist_part *part)
{
	hist_part_release_exemplars(part);
	tracing_map_clear(part->map);
}

bool hist_part_is_full(const struct hist_part *part)
{
	return (!part->map->sink && part->map->drops) || part->map->failed;
}

struct exemplar_row *hist_part_exemplars(struct hist_part *part, const struct hist_data *hd,
					 struct exemplar_row **at)
{
	struct exemplar_row *row = *at ? *at : exemplar_row_new(hd->exemplars->max);

	if (row && !*at && array_push(&part->exemplars, row)) {
		free(row);
		return NULL;
	}
	return *at = row;
}

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
	if (hd->exemplars)
		*elt_exemplars(hd, elt) = NULL;
}

void hist_part_slice(struct hist_part *part, const struct hist_data *hd)
{
	struct tracing_map *map = part->map;

	if (!hd->n_map_vars) {
		hist_part_clear(part);
		return;
	}
	for (u32 i = 0; i < map->n_elts; i++)
		forget_entry(hd, map, tracing_map_elt_at(map, i));
	tracing_map_release_samples(map);
	map->hits = map->drops = 0;
	map->sliced = true;
	hist_part_release_exemplars(part);
}
