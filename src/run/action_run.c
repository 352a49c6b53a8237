// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs actions: trace on every hit or on a new extreme, save and snapshot on a new extreme.
 * Corresponds to ontrack_action(), cond_snapshot_update() in trace_events_hist.c.
 */
#include "run/hist_run.h"

/* kernel: both compare unsigned values, and the extreme of an entry starts at 0. */
static bool is_new(enum handler handler, u64 track_val, u64 var_val)
{
	return handler == HANDLER_ONMAX ? var_val > track_val : var_val != track_val;
}

/* One value for all entries decides whether to take a snapshot. */
static void action_snapshot(struct hist_hit_ctx *c, const struct action_data *data, u64 value)
{
	struct trace_array *tr = c->hd->file->tr;
	struct snapshot *s = tr->snapshot;

	if (!s || s->action != data || !is_new(data->handler, s->track_val, value))
		return;
	s->track_val = value;
	s->updated = true;
	memcpy(s->key, c->key, c->hd->key_size);
	if (c->hd->has_comm)
		memcpy(s->comm, elt_comm(c->hd, c->elt), sizeof(s->comm));
	if (c->hit->context->snapshot)
		c->hit->context->snapshot(c->hit->context->arg, tr);
}

static void action_track(struct hist_hit_ctx *c, const struct action_data *data)
{
	struct tracing_map *map = c->map;
	u64 value = c->refs[data->var_ref->ref.idx];

	if (!is_new(data->handler, tracing_map_read_var(map, c->elt, data->track_var->var.idx),
		    value))
		return;
	tracing_map_set_var(map, c->elt, data->track_var->var.idx, value);
	switch (data->action) {
	case ACTION_SAVE:
		hist_save(c);
		*elt_saved_at(c->hd, c->elt) = c->hit->ts;
		break;
	case ACTION_SNAPSHOT:
		action_snapshot(c, data, value);
		break;
	default:
		hist_trace(c, data);
	}
}

void hist_actions(struct hist_hit_ctx *c)
{
	for (u32 i = 0; i < c->hd->n_actions; i++) {
		const struct action_data *data = c->hd->actions[i];

		if (data->handler == HANDLER_ONMATCH)
			hist_trace(c, data);
		else
			action_track(c, data);
	}
}
