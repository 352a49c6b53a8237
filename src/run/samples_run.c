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

static sketch_row_array *rows_of(struct hist_stats *stats, u32 part)
{
	return part ? &stats->parts[part - 1] : &stats->rows;
}

static struct sketch_row *keep(sketch_row_array *rows, struct sketch_row *row)
{
	if (!row || array_push(rows, row)) {
		sketch_row_put(row);
		return NULL;
	}
	return row;
}

static struct sketch_row *new_row(struct hist_stats *stats, u32 part)
{
	struct sketch_row *row = keep(rows_of(stats, part), sketch_row_new(stats->n));

	for (u32 i = 0; i < stats->n && row; i++)
		row->v[i].is_signed = stats->v[i].field->is_signed;
	return row;
}

/* The sketches of an entry, to which samples can be added; NULL if out of memory. */
static struct sketch_row *row_of(const struct hist_data *hd, struct sketch_row **at, u32 part)
{
	if (unlikely(!*at))
		*at = new_row(hd->stats, part);
	else if (unlikely((*at)->refs > 1)) /* shared with a result, which is immutable */
		*at = keep(rows_of(hd->stats, part), sketch_row_copy(*at));
	return *at;
}

void hist_stats_hit(struct hist_data *hd, struct tracing_map_elt *elt, const struct hit *hit,
		    const u64 *refs)
{
	const struct update_step *steps = hd->program->updates.steps;
	const struct hist_stats *stats = hd->stats;
	struct tracing_map *map = hit->part ? hd->parts[hit->part - 1] : hd->map;
	struct sketch_row *row = row_of(hd, elt_sketches(hd, elt), hit->part);

	for (u32 i = 0; i < stats->n && row; i++)
		if (sketch_add(&row->v[i], value_num(&steps[stats->v[i].step].value, hit, refs), 1))
			map->failed = true;
	map->failed |= !row;
}

bool hist_stats_column(const struct hist_data *hd, u32 stat, const struct hist_column *column)
{
	struct sketch *sketches[TRACING_MAP_BATCH];
	u32 word = elt_sketches_word(hd);

	for (u32 i = 0; i < column->n; i++) {
		struct sketch_row **at =
			(struct sketch_row **)(void *)&column->elts[i]->words[word];

		if (unlikely((!*at || (*at)->refs > 1) && !row_of(hd, at, column->part)))
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

/* Add the samples of @from to those of an entry, or share them. */
static bool join_row(const struct hist_data *hd, struct tracing_map_elt *elt,
		     struct sketch_row *from)
{
	struct sketch_row **at = elt_sketches(hd, elt);
	int err = 0;

	if (!*at || *at == from) {
		from->refs++;
		*at = keep(&hd->stats->rows, from);
		return *at != NULL;
	}
	for (u32 i = 0; i < from->n && !err; i++)
		err = sketch_merge(&(*at)->v[i], &from->v[i]);
	return !err;
}

bool hist_stats_join(const struct hist_data *hd, const struct tracing_map *part)
{
	for (u32 i = 0; i < part->n_elts; i++) {
		struct tracing_map_elt *src = tracing_map_elt_at(part, i), *dst;
		const u64 *key = tracing_map_key(part, src);

		if (!*elt_sketches(hd, src))
			continue;
		dst = tracing_map_lookup(hd->map, key, tracing_map_hash(part, key));
		if (dst && !join_row(hd, dst, *elt_sketches(hd, src)))
			return false;
	}
	return true;
}
