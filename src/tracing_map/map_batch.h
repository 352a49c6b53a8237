/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Batches of keys, and maps that accept no new keys.
 *
 * Part of tracing_map.h; do not include it directly.
 */
#pragma once

enum { TRACING_MAP_BATCH = 256 };

/**
 * tracing_map_insert_batch() - find or create the entries of many keys
 * @keys: @n times desc.key_size bytes, n at most TRACING_MAP_BATCH
 * @elts: set to the entries in the order of the keys
 *
 * Equivalent to @n calls of tracing_map_insert(), but with prefetching.
 *
 * Return:  number of inserted keys: fewer than @n if the map is full or memory is exhausted; their
 *          hits are counted, nothing is dropped
 * Context: hot path
 */
u32 tracing_map_insert_batch(struct tracing_map *map, const u64 *keys, u32 n,
			     struct tracing_map_elt **elts);

/**
 * tracing_map_freeze() - copy the keys of @keys to an empty map, which then accepts no others
 *
 * tracing_map_insert_batch() then drops unknown keys: for these it returns an unused entry.
 *
 * Return: false if out of memory
 */
bool tracing_map_freeze(struct tracing_map *map, const struct tracing_map *keys);

/* Retain the entries of a full map, with zero sums and counts; clear any other map. */
void tracing_map_keep_keys(struct tracing_map *map);
