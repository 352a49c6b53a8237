// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Samples. An entry's private room has a pointer to its sketches, which are made at its
 * first hit; the list of all of them is there to free them.
 */
#include <stdlib.h>

#include "engine/engine.h"
#include "engine/prog.h"
#include "engine/stats.h"
#include "engine/value.h"

/* Plain time stamps and constants are marks, no quantities. */
static bool is_quantity(const struct hist_field *f)
{
	const u32 none = HIST_FIELD_FL_STRING | HIST_FIELD_FL_STACKTRACE | HIST_FIELD_FL_CONST |
			 HIST_FIELD_FL_HITCOUNT;

	if (f->flags & none || (f->field && f->field->filter_type == FILTER_PTR_STRING))
		return false;
	return f->flags & HIST_FIELD_FL_EXPR || !(f->flags & HIST_FIELD_FL_TIMESTAMP);
}

/* A text that another trigger's variable holds, or a copy of its mark. */
static bool is_sampled(const struct hist_field *f)
{
	if (f->flags & HIST_FIELD_FL_ALIAS && f->operands[0] &&
	    f->operands[0]->flags & HIST_FIELD_FL_STRING)
		return false;
	return is_quantity(f);
}

int hist_stats_bind(struct hist_data *hd)
{
	struct hist_stats *stats = arena_alloc(&hd->arena, sizeof(*stats));

	if (!stats)
		return HIST_NOMEM;
	stats->v = arena_alloc(&hd->arena, hd->n_vals * sizeof(*stats->v));
	if (!stats->v)
		return HIST_NOMEM;
	/* the steps are those of the fields behind the hitcount */
	for (u32 i = 1; i < hd->n_vals; i++)
		if (is_sampled(hd->fields[i]))
			stats->v[stats->n++] =
				(struct hist_stat){ .field = hd->fields[i], .step = i - 1 };
	hd->stats = stats->n ? stats : NULL;
	return 0;
}

static struct sketch *new_row(struct hist_stats *stats)
{
	struct sketch *row = calloc(stats->n, sizeof(*row));

	if (!row || array_push(&stats->rows, row)) {
		free(row);
		return NULL;
	}
	for (u32 i = 0; i < stats->n; i++)
		row[i].is_signed = stats->v[i].field->is_signed;
	return row;
}

void hist_stats_hit(struct hist_data *hd, struct tracing_map_elt *elt, const struct hit *hit,
		    const u64 *refs)
{
	const struct update_step *steps = hd->program->updates.steps;
	struct hist_stats *stats = hd->stats;
	struct sketch **row = elt_sketches(hd, elt);

	if (!*row)
		*row = new_row(stats);
	for (u32 i = 0; i < stats->n && *row; i++)
		if (sketch_add(&(*row)[i], value_num(&steps[stats->v[i].step].value, hit, refs), 1))
			hd->map->failed = true;
	hd->map->failed |= !*row;
}

const struct sketch *hist_stats_of(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return *elt_sketches(hd, elt);
}

void hist_stats_empty(struct hist_stats *stats)
{
	for (size_t i = 0; i < stats->rows.n; i++)
		for (u32 s = 0; s < stats->n; s++)
			sketch_release(&stats->rows.v[i][s]);
}

void hist_stats_clear(struct hist_stats *stats)
{
	hist_stats_empty(stats);
	for (size_t i = 0; i < stats->rows.n; i++)
		free(stats->rows.v[i]);
	array_release(&stats->rows);
}
