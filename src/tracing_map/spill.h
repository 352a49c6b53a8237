/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Maps with more keys than the caches of a processor have room for.
 *
 * Part of tracing_map.h; do not include it directly.
 */
#pragma once

/**
 * tracing_map_let_spill() - let a map move its entries to partitions when it is large
 *
 * Has no effect on a map with a limit, variables, or private bytes that are not samples. Entries of
 * the same key may then be in the map and, several times, in the partitions, until
 * tracing_map_unite().
 */
void tracing_map_let_spill(struct tracing_map *map);

/* Move all entries to the partitions; false if out of memory (->failed). */
bool tracing_map_spill(struct tracing_map *map);

/* After a batch, when pointers to entries are no longer used; as above. */
static inline bool tracing_map_end_batch(struct tracing_map *map)
{
	return likely(map->n_elts < map->spill_at) || tracing_map_spill(map);
}

/**
 * tracing_map_unite() - add the entries of all maps, with their partitions, to @to
 * @maps:    @n maps with the same desc as @to, which are empty afterwards
 * @threads: at most so many work at the same time
 *
 * Return: false if out of memory: the entries are then lost
 */
bool tracing_map_unite(struct tracing_map *to, struct tracing_map *const *maps, u32 n,
		       unsigned int threads);
