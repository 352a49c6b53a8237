/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Parts: maps of a histogram for threads that count at the same time, one map each, which are
 * joined at the end. A hit has the index of its part (struct hit).
 *
 * Threads that process arbitrary records have arbitrary keys, and their maps are added up.
 * Threads that process the records of a part of the keys have disjoint keys, and entries are
 * moved with their variables. See depends.h for the histograms that support each way.
 */
#ifndef HIST_RUN_PART_H
#define HIST_RUN_PART_H

#include "program/exemplars.h"
#include "program/program.h"
#include "program/samples.h"
#include "program/value.h"
#include "run/hist_run.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

typedef ARRAY(struct hist_data *) hist_data_array;

/*
 * The histograms that depend on records of the event: its own, those to which they refer, and those
 * of the synthetic events that they generate.
 */
int event_file_reached_hists(const struct event_file *file, hist_data_array *hists);

/**
 * hist_parts_start() - create @n empty maps
 * @frozen: they accept only the keys of the histogram's own map; others are dropped
 *
 * Return: 0, -HIST_ENOMEM
 */
int hist_parts_start(struct hist_data *hd, u32 n, bool frozen);

/* Whether the map of a part is full: then only a replay in order determines what is dropped. */
bool hist_part_is_full(const struct hist_data *hd, u32 part);

/* The counts of a part that are not in the histogram at the moment. */
struct hist_part {
	struct tracing_map *map;
	sketch_row_array samples;
	exemplar_row_array exemplars;
};

/* No counts. Return: 0, -HIST_ENOMEM */
int hist_part_new(const struct hist_data *hd, struct hist_part *part);
void hist_part_release(const struct hist_data *hd, struct hist_part *part);

/* Exchange the counts of part @nr, from 1, for @part. Context: one thread at a time on @nr */
void hist_part_exchange(struct hist_data *hd, u32 nr, struct hist_part *part);

/* Add the counts to those of the histogram; as hist_parts_join(). No part is being counted. */
bool hist_part_join(struct hist_data *hd, struct hist_part *part);

/* Move all entries to the histogram's own map; false if it is too small, or out of memory. */
bool hist_parts_join(struct hist_data *hd);

/*
 * After hist_parts_join(), when the slice of time is printed: the @n parts go on with the next one.
 * 0, -HIST_ENOMEM
 */
int hist_parts_slice(struct hist_data *hd, u32 n);

/*
 * Set the names of tasks in the histogram's own entries, which were not known when the entries were
 * counted.
 */
void hist_set_names(struct hist_data *hd, const struct run_source *source);

/* Keep the entries of a full map, without hits; clear another map. */
void hist_keep_keys(struct hist_data *hd);

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
bool event_file_hit_part(const struct event_file *file, const struct hit *hit);

/*
 * Whether the part of a record depends only on an integer of it: of 4 bytes, signed, or of 8 bytes,
 * little-endian. NULL: it does not
 */
const struct value *event_file_part_number(const struct event_file *file);

u32 event_file_parts_of_all(const struct event_file *file, const struct hit *hit, u32 n);

/* A bit for each of @n parts that the record belongs to. Context: hot path, any thread */
static inline u32 event_file_parts_of(const struct event_file *file, const struct hit *hit, u32 n)
{
	if (likely(file->only && !file->only->filter))
		return 1u << hist_part_of(file->only->hist, hit, n);
	return event_file_parts_of_all(file, hit, n);
}

#endif
