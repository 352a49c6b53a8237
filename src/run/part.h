/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Parts: maps of a histogram for threads that count at the same time, one map each; they are
 * joined at the end. A hit says which part it is for (struct hit).
 *
 * Threads that take any records have any keys, and their maps are added up. Threads that take
 * the records of a part of the keys each have different keys, and entries move over with their
 * variables. See depends.h for what may be counted which way.
 */
#ifndef HIST_RUN_PART_H
#define HIST_RUN_PART_H

#include "program/program.h"
#include "program/value.h"
#include "run/hist_run.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

typedef ARRAY(struct hist_data *) hist_data_array;

/* The histograms that records of the event reach: its own, those they refer to, receivers'. */
int event_file_reached_hists(const struct event_file *file, hist_data_array *hists);

/**
 * hist_parts_start() - make @n empty maps
 * @frozen: they take only the keys that the histogram's own map has; others are dropped
 *
 * Return: 0, -HIST_ENOMEM
 */
int hist_parts_start(struct hist_data *hd, u32 n, bool frozen);

/* Whether the map of a part has no room: then only a replay in order knows what is dropped. */
bool hist_part_is_full(const struct hist_data *hd, u32 part);

/* Move all into the histogram's own map; false if it is too small, or there is no memory. */
bool hist_parts_join(struct hist_data *hd);

/* By high bits of the hash: the low ones find the slot in the map. */
static inline u32 hist_part_of(const struct hist_data *hd, const struct hit *hit, u32 n)
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

u32 event_file_parts_of_all(const struct event_file *file, const struct hit *hit, u32 n);

/* A bit for each of @n parts that the record concerns. Context: hot path, any thread */
static inline u32 event_file_parts_of(const struct event_file *file, const struct hit *hit, u32 n)
{
	if (likely(file->only && !file->only->filter))
		return 1u << hist_part_of(file->only->hist, hit, n);
	return event_file_parts_of_all(file, hit, n);
}

#endif
