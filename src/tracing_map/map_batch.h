/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Many keys at once, and maps that take no new ones.
 *
 * Part of tracing_map.h; do not include it alone.
 */
#ifndef HIST_TRACING_MAP_MAP_BATCH_H
#define HIST_TRACING_MAP_MAP_BATCH_H

enum { TRACING_MAP_BATCH = 256 };

/**
 * tracing_map_insert_batch() - find or make the entries of many keys
 * @keys: @n times desc.key_size bytes, n at most TRACING_MAP_BATCH
 * @elts: gets the entries in the order of the keys
 *
 * The same as @n times tracing_map_insert(), but memory is asked for ahead.
 *
 * Return:  how many keys were taken: fewer than @n if the map is full or there is no memory;
 *          the hits of those are counted, nothing is dropped
 * Context: hot path
 */
u32 tracing_map_insert_batch(struct tracing_map *map, const u64 *keys, u32 n,
			     struct tracing_map_elt **elts);

/**
 * tracing_map_freeze() - let an empty map have the keys of another one, and no other
 *
 * What tracing_map_insert_batch() does not find is then dropped: it gets an entry that
 * nobody looks at.
 *
 * Return: false without memory
 */
bool tracing_map_freeze(struct tracing_map *map, const struct tracing_map *keys);

/* Of a full map, entries stay, their sums and all counts are zero; another one is cleared. */
void tracing_map_keep_keys(struct tracing_map *map);

#endif
