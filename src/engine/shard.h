/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Shards: histograms that work on each other, cut by key, for threads that have a part of
 * the keys each.
 *
 * A hit looks at other histograms with its own key only (see resolve_other_refs()). So where all
 * keys are of one size, hits whose keys differ do not concern each other, and records of different
 * keys may come in any order. What a hit does beyond its key, a synthetic event, must then be such
 * that its own order does not matter either: see batch.h.
 *
 * A hit of a shard (struct hit) finds the shard's own maps; they are joined at the end.
 */
#ifndef HIST_ENGINE_SHARD_H
#define HIST_ENGINE_SHARD_H

#include "engine/hist_run.h"
#include "engine/trigger.h"
#include "engine/value.h"

enum { SHARDS_MAX = 16 };

/**
 * event_file_can_shard() - whether all that an event does may be cut by key
 *
 * Source: resolve_var_refs() @ v6.12 looks variables up with the key of the hit
 */
bool event_file_can_shard(const struct event_file *file);

/* The histograms that it takes: of its triggers, of those they refer to, of synthetic events. */
typedef ARRAY(struct hist_data *) hist_data_array;
int event_file_shard_hists(const struct event_file *file, hist_data_array *hists);

/* Make @n empty maps. Return: 0, -HIST_ENOMEM */
int hist_shards_start(struct hist_data *hd, u32 n);

/* Whether one of the maps of that shard is full: then only the whole knows what is dropped. */
bool hist_shard_is_full(const struct hist_data *hd, u32 shard);

/* Move all into the trigger's map; false if it is too small, or there is no memory. */
bool hist_shards_join(struct hist_data *hd);

/* Forget the maps; until then texts in them are pointed to by what was joined. */
void hist_shards_drop(struct hist_data *hd);

/* --- records --- */

/* By high bits of the hash: the low ones find the slot in the map. */
static inline u32 hist_shard_of(const struct hist_data *hd, const struct hit *hit, u32 n)
{
	const struct hist_program *p = hd->program;
	u32 hash;
	u64 key;

	if (likely(p->num_key)) {
		key = value_num(&p->keys[0].value, hit, hist_unread_refs);
		hash = tracing_map_hash_words(&key, 1);
	} else {
		hash = hist_key_hash(hd, hit);
	}
	return (hash >> 16) * n >> 16;
}

u32 event_file_shards_of_all(const struct event_file *file, const struct hit *hit, u32 n);
void event_file_hit_shard_of_all(const struct event_file *file, const struct hit *hit, u32 n);

/* A bit for each of @n shards that the record concerns. Context: hot path, any thread */
static inline u32 event_file_shards_of(const struct event_file *file, const struct hit *hit, u32 n)
{
	if (likely(file->only && !file->only->filter))
		return 1u << hist_shard_of(file->only->hist, hit, n);
	return event_file_shards_of_all(file, hit, n);
}

/*
 * The record on the maps of hit->shard, of @n; where there is one trigger, its filter has let
 * the record through. Context: hot path, one thread a shard
 */
static inline void event_file_hit_shard(const struct event_file *file, const struct hit *hit, u32 n)
{
	if (likely(file->only != NULL))
		hist_hit(file->only->hist, hit);
	else
		event_file_hit_shard_of_all(file, hit, n);
}

/* The same for all triggers of a synthetic event that a shard made. */
void event_file_hit_hists(const struct event_file *file, const struct hit *hit);

#endif
