/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Many keys at once, and maps that accept no new keys.
 *
 * Part of tracing_map.h; do not include it alone.
 */
#ifndef HIST_TRACING_MAP_MAP_BATCH_H
#define HIST_TRACING_MAP_MAP_BATCH_H

enum { TRACING_MAP_BATCH = 256 };

/**
 * tracing_map_insert_batch() - find or create the entries of many keys
 * @keys: @n times desc.key_size bytes, n at most TRACING_MAP_BATCH
 * @elts: set to the entries in the order of the keys
 *
 * The same as @n times tracing_map_insert(), but with prefetching.
 *
 * Return:  number of inserted keys: fewer than @n if the map is full or memory is exhausted; their
 *          hits are counted, nothing is dropped
 * Context: hot path
 */
u32 tracing_map_insert_batch(struct tracing_map *map, const u64 *keys, u32 n,
			     struct tracing_map_elt **elts);

/**
 * tracing_map_freeze() - give an empty map the keys of another one, and accept no others
 *
 * tracing_map_insert_batch() then drops unknown keys: they get an entry that is not used.
 *
 * Return: false if out of memory
 */
bool tracing_map_freeze(struct tracing_map *map, const struct tracing_map *keys);

/* Keep the entries of a full map, with zero sums and counts; clear another map. */
void tracing_map_keep_keys(struct tracing_map *map);

#endif
