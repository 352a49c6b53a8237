// SPDX-License-Identifier: LGPL-2.1-only
/* Parts of histograms: their set, their maps, and the parts to which a record belongs. */
#include <stdlib.h>

#include "program/entry.h"
#include "program/exemplars.h"
#include "program/filter.h"
#include "program/samples.h"
#include "program/synth_event.h"
#include "run/part.h"

/* --- which histograms --- */

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
			if (f->triggers.v[i]->hist)
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

int event_file_reached_hists(const struct event_file *file, hist_data_array *hists)
{
	int err = 0;

	for (size_t i = 0; i < file->triggers.n && !err; i++)
		if (file->triggers.v[i]->hist)
			err = add_with_others(hists, file->triggers.v[i]->hist);
	return err;
}

/* --- maps --- */

static struct tracing_map *new_part(const struct hist_data *hd, bool frozen)
{
	struct tracing_map *map = tracing_map_new(&hd->map->desc);

	if (map && frozen && !tracing_map_freeze(map, hd->map)) {
		tracing_map_free(map);
		return NULL;
	}
	return map;
}

int hist_parts_start(struct hist_data *hd, u32 n, bool frozen)
{
	hist_parts_drop(hd);
	hd->parts = calloc(n, sizeof(struct tracing_map *));
	if (!hd->parts || (hd->stats && hist_stats_start_parts(hd->stats, n)) ||
	    (hd->exemplars && hist_exemplars_start_parts(hd->exemplars, n)))
		return HIST_NOMEM;
	for (; hd->n_parts < n; hd->n_parts++) {
		struct tracing_map *part = new_part(hd, frozen);

		if (!part)
			return HIST_NOMEM;
		hd->parts[hd->n_parts] = part;
		if (!frozen)
			tracing_map_let_spill(part);
	}
	return 0;
}

bool hist_part_is_full(const struct hist_data *hd, u32 part)
{
	const struct tracing_map *map = hd->parts[part - 1];

	return (!map->sink && map->drops) || map->failed;
}

/* If the map is empty, the first part replaces it, so its entries need not be added one by one. */
static void take_first_part(struct hist_data *hd)
{
	struct tracing_map *first = hd->n_parts ? hd->parts[0] : NULL;

	if (!first || first->sink || hd->n_map_vars || hd->stats || hd->map->n_elts ||
	    hd->map->hits || hd->map->drops)
		return;
	hd->parts[0] = hd->map;
	hd->map = first;
}

/* Add part @i to the histogram's own map; false if it is too small, or out of memory. */
static bool join_part(struct hist_data *hd, u32 i)
{
	const struct tracing_map *part = hd->parts[i];

	if (!(hd->n_map_vars ? tracing_map_adopt(hd->map, part) : tracing_map_merge(hd->map, part)))
		return false;
	if (hd->has_comm)
		hist_first_join(hd, part);
	return (!hd->stats || hist_stats_join(hd, part)) &&
	       (!hd->exemplars || hist_exemplars_join(hd, part, i));
}

static bool has_spilled(const struct hist_data *hd)
{
	bool spilled = hd->map->spill;

	for (u32 i = 0; i < hd->n_parts; i++)
		spilled |= hd->parts[i]->spill != NULL;
	return spilled;
}

static bool join_all(struct hist_data *hd)
{
	bool ok = true;

	if (has_spilled(hd))
		return tracing_map_unite(hd->map, hd->parts, hd->n_parts,
					 hd->tracing->machine.threads);
	for (u32 i = 0; i < hd->n_parts && ok; i++)
		ok = join_part(hd, i);
	return ok;
}

bool hist_parts_join(struct hist_data *hd)
{
	take_first_part(hd);
	if (!join_all(hd))
		return false;
	if (!hd->n_map_vars)
		hist_parts_drop(hd);
	return true;
}

void hist_set_names(struct hist_data *hd, const struct run_source *source)
{
	if (hd->has_comm)
		hist_first_set_names(hd, source);
	if (hd->exemplars)
		hist_exemplars_set_names(hd->exemplars, source);
}

/* --- parts that are exchanged --- */

int hist_part_new(const struct hist_data *hd, struct hist_part *part)
{
	*part = (struct hist_part){ .map = new_part(hd, false) };
	return part->map ? 0 : HIST_NOMEM;
}

void hist_part_release(const struct hist_data *hd, struct hist_part *part)
{
	tracing_map_free(part->map);
	if (hd->stats)
		hist_stats_put(&part->samples);
	if (hd->exemplars)
		hist_exemplars_free(&part->exemplars);
	part->map = NULL;
}

#define SWAP(a, b)                       \
	do {                             \
		__typeof__(a) tmp = (a); \
		(a) = (b);               \
		(b) = tmp;               \
	} while (0)

void hist_part_exchange(struct hist_data *hd, u32 nr, struct hist_part *part)
{
	SWAP(hd->parts[nr - 1], part->map);
	if (hd->stats)
		SWAP(hd->stats->parts[nr - 1], part->samples);
	if (hd->exemplars)
		SWAP(hd->exemplars->parts[nr - 1], part->exemplars);
}

bool hist_part_join(struct hist_data *hd, struct hist_part *part)
{
	bool ok;

	hist_part_exchange(hd, 1, part);
	ok = join_part(hd, 0);
	hist_part_exchange(hd, 1, part);
	return ok;
}

/* --- keys that are kept --- */

/* Remove everything that hits leave in an entry, except the sums. */
static void forget(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	if (hd->has_comm)
		*elt_first_hit(hd->map, elt) = (struct first_hit){ .at = 0 };
	if (hd->stats)
		*elt_sketches(hd, elt) = NULL;
	if (hd->exemplars)
		*elt_exemplars(hd, elt) = NULL;
}

void hist_keep_keys(struct hist_data *hd)
{
	tracing_map_keep_keys(hd->map);
	for (u32 i = 0; i < hd->map->n_elts; i++)
		forget(hd, tracing_map_elt_at(hd->map, i));
	if (hd->stats)
		hist_stats_clear(hd->stats);
	if (hd->exemplars)
		hist_exemplars_clear(hd->exemplars);
}

/* --- records --- */

bool event_file_hit_part(const struct event_file *file, const struct hit *hit)
{
	bool full = false;

	for (size_t i = 0; i < file->triggers.n && !full; i++) {
		const struct trigger *t = file->triggers.v[i];

		if (t->filter && !filter_match(t->filter, hit))
			continue;
		hist_hit(t->hist, hit);
		full = hist_part_is_full(t->hist, hit->part);
	}
	return !full;
}

const struct value *event_file_part_number(const struct event_file *file)
{
	const struct trigger *only = file->only;
	const struct value *v;

	if (!only || only->filter || !only->hist->program->num_key)
		return NULL;
	v = &only->hist->program->keys[0].value;
	return v->code == OP_LOAD_S32 || v->code == OP_LOAD_64 ? v : NULL;
}

u32 event_file_parts_of_all(const struct event_file *file, const struct hit *hit, u32 n)
{
	u32 parts = 0;

	for (size_t i = 0; i < file->triggers.n; i++) {
		const struct trigger *t = file->triggers.v[i];

		if (!t->filter || filter_match(t->filter, hit))
			parts |= 1u << hist_part_of(t->hist, hit, n);
	}
	return parts;
}
