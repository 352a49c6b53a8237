/* SPDX-License-Identifier: LGPL-2.1-only */
/* The histograms that an event reaches, and the parts of the keys to which its records belong. */
#ifndef HIST_RUN_REACHED_H
#define HIST_RUN_REACHED_H

#include "program/program.h"
#include "program/value.h"
#include "run/hist_run.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

/*
 * The histograms that depend on records of the event: its own, those to which they refer, and those
 * of the synthetic events that they generate.
 */
int event_reached_hists(const struct event_file *file, hist_count_array *hists);

/* Uses high bits of the hash, because the low ones select the slot in the map. */
static inline u32 hist_part_of_hash(u32 hash, u32 n)
{
	return (hash >> 16) * n >> 16;
}

/* The part of keys that are one number. */
static inline u32 hist_part_of_number(u64 key, u32 n)
{
	return hist_part_of_hash(tracing_map_hash_words(&key, 1), n);
}

static inline u32 hist_part_of(const struct hist_data *hd, const struct hit *hit, u32 n)
{
	const struct hist_program *p = hd->program;

	if (likely(p->num_key))
		return hist_part_of_number(value_num(&p->keys[0].value, hit, hist_unread_refs), n);
	return hist_part_of_hash(hist_key_hash(hd, hit), n);
}

/*
 * Update the part hit->part of the event's histograms with one record; false if a map is full.
 */
bool event_hit_part(const struct event_file *file, const struct hit *hit);

/*
 * Whether the part of a record depends only on an integer of it: of 4 bytes, signed, or of 8 bytes,
 * little-endian. NULL: it does not
 */
const struct value *event_part_number(const struct event_count *e);

u32 event_parts_of_all(const struct event_file *file, const struct hit *hit, u32 n);

/* A bit for each of @n parts that the record belongs to. Context: hot path, any thread */
static inline u32 event_parts_of(const struct event_count *e, const struct hit *hit, u32 n)
{
	if (likely(e->alone))
		return 1u << hist_part_of(e->alone->hd, hit, n);
	return event_parts_of_all(e->file, hit, n);
}

#endif
