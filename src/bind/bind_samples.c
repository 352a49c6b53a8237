// SPDX-License-Identifier: LGPL-2.1-only
/* Selects the values of a histogram that get samples for statistics. */
#include "bind/binding.h"

bool hist_field_is_quantity(const struct hist_field *f)
{
	if (f->flags & (HIST_FIELD_FL_CONST | HIST_FIELD_FL_HITCOUNT) || f->kind != HIST_NUMBER ||
	    (f->field && f->field->filter_type == FILTER_PTR_STRING))
		return false;
	return f->flags & HIST_FIELD_FL_EXPR || !(f->flags & HIST_FIELD_FL_TIMESTAMP);
}

int hist_stats_bind(struct hist_data *hd)
{
	struct hist_stats *stats = arena_alloc(&hd->arena, sizeof(*stats));

	if (!stats)
		return HIST_NOMEM;
	stats->v = arena_alloc(&hd->arena, hd->n_vals * sizeof(*stats->v));
	if (!stats->v)
		return HIST_NOMEM;
	/* the steps are those of the fields after the hitcount */
	for (u32 i = 1; i < hd->n_vals; i++)
		if (hist_field_is_quantity(hd->fields[i]))
			stats->v[stats->n++] =
				(struct hist_stat){ .field = hd->fields[i], .step = i - 1 };
	hd->stats = stats->n ? stats : NULL;
	return 0;
}
