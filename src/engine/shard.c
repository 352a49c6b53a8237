// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Shards. Enters: an event whose triggers keep to their key. Leaves: for each record who is
 * to have it; at the end, one map again.
 *
 * tests/unit/replay_order_test.c holds what comes out against a replay in order.
 */
#include <stdlib.h>

#include "engine/engine.h"
#include "engine/hist_run.h"
#include "engine/prog.h"

/* --- which events --- */

/* Where a synthetic event ends: in histograms that take its records in any order. */
static bool receivers_can_shard(const struct synth_event *se)
{
	for (const struct event_file *f = se->receivers; f; f = f->next_receiver)
		if (array_buffer_sees(f) || event_pid_filters(f->tr) ||
		    (f->triggers.n && !triggers_are_order_free(f)))
			return false;
	return true;
}

static bool action_can_shard(const struct action_data *data)
{
	switch (data->action) {
	case ACTION_TRACE:
		return receivers_can_shard(data->synth_event);
	case ACTION_SAVE:
		return true;
	default:
		return false;
	}
}

static bool hist_can_shard(const struct hist_data *hd)
{
	const struct hist_program *p = hd->program;

	if (hd->has_comm || hd->stats || !hist_keys_are_plain(hd) || hist_needs_stack(hd))
		return false;
	for (u32 i = 0; i < p->n_other_refs; i++)
		if (p->other_refs[i].owner->key_size != hd->key_size ||
		    p->other_refs[i].owner->has_comm)
			return false;
	for (u32 i = 0; i < hd->n_actions; i++)
		if (!action_can_shard(hd->actions[i]))
			return false;
	return true;
}

bool event_file_can_shard(const struct event_file *file)
{
	if (array_buffer_sees(file) || event_pid_filters(file->tr) || event_file_is_switched(file))
		return false;
	for (size_t i = 0; i < file->triggers.n; i++) {
		const struct trigger *t = file->triggers.v[i];

		if (!t->hist || t->initial.paused || (t->filter && t->filter->needs_comm) ||
		    !hist_can_shard(t->hist))
			return false;
	}
	return true;
}

/* --- their histograms --- */

static int add_hist(hist_data_array *hists, struct hist_data *hd)
{
	for (size_t i = 0; i < hists->n; i++)
		if (hists->v[i] == hd)
			return 0;
	return array_push(hists, hd);
}

static int add_receivers(hist_data_array *hists, const struct synth_event *se)
{
	int err = 0;

	for (const struct event_file *f = se->receivers; f; f = f->next_receiver)
		for (size_t i = 0; i < f->triggers.n && !err; i++)
			err = add_hist(hists, f->triggers.v[i]->hist);
	return err;
}

static int add_with_others(hist_data_array *hists, struct hist_data *hd)
{
	int err = add_hist(hists, hd);

	for (u32 i = 0; i < hd->program->n_other_refs && !err; i++)
		err = add_hist(hists, hd->program->other_refs[i].owner);
	for (u32 i = 0; i < hd->n_actions && !err; i++)
		if (hd->actions[i]->action == ACTION_TRACE)
			err = add_receivers(hists, hd->actions[i]->synth_event);
	return err;
}

int event_file_shard_hists(const struct event_file *file, hist_data_array *hists)
{
	int err = 0;

	for (size_t i = 0; i < file->triggers.n && !err; i++)
		err = add_with_others(hists, file->triggers.v[i]->hist);
	return err;
}

/* --- maps --- */

int hist_shards_start(struct hist_data *hd, u32 n)
{
	hist_shards_drop(hd);
	hd->shards = calloc(n, sizeof(*hd->shards));
	if (!hd->shards)
		return HIST_NOMEM;
	for (; hd->n_shards < n; hd->n_shards++) {
		hd->shards[hd->n_shards] = tracing_map_new(&hd->map->desc);
		if (!hd->shards[hd->n_shards])
			return HIST_NOMEM;
	}
	return 0;
}

void hist_shards_drop(struct hist_data *hd)
{
	for (u32 i = 0; i < hd->n_shards; i++)
		tracing_map_free(hd->shards[i]);
	free(hd->shards);
	hd->shards = NULL;
	hd->n_shards = 0;
}

bool hist_shard_is_full(const struct hist_data *hd, u32 shard)
{
	const struct tracing_map *map = hd->shards[shard - 1];

	return map->drops || map->failed;
}

bool hist_shards_join(struct hist_data *hd)
{
	for (u32 i = 0; i < hd->n_shards; i++)
		if (!(hd->n_map_vars ? tracing_map_adopt(hd->map, hd->shards[i])
				     : tracing_map_merge(hd->map, hd->shards[i])))
			return false;
	return true;
}

/* --- records --- */

u32 event_file_shards_of_all(const struct event_file *file, const struct hit *hit, u32 n)
{
	u32 shards = 0;

	for (size_t i = 0; i < file->triggers.n; i++) {
		const struct trigger *t = file->triggers.v[i];

		if (!t->filter || filter_match(t->filter, hit))
			shards |= 1u << hist_shard_of(t->hist, hit, n);
	}
	return shards;
}

void event_file_hit_shard_of_all(const struct event_file *file, const struct hit *hit, u32 n)
{
	for (size_t i = 0; i < file->triggers.n; i++) {
		const struct trigger *t = file->triggers.v[i];

		if ((!t->filter || filter_match(t->filter, hit)) &&
		    hist_shard_of(t->hist, hit, n) + 1 == hit->shard)
			hist_hit(t->hist, hit);
	}
}

void event_file_hit_hists(const struct event_file *file, const struct hit *hit)
{
	for (size_t i = 0; i < file->triggers.n; i++) {
		const struct trigger *t = file->triggers.v[i];

		if (!t->filter || filter_match(t->filter, hit))
			hist_hit(t->hist, hit);
	}
}
