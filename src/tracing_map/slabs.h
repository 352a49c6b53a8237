/* SPDX-License-Identifier: LGPL-2.1-only */
/* The entries of a map as memory: private to tracing_map. */
#pragma once
#include "tracing_map/tracing_map.h"

/* Number of the last entry; more do not fit into a slot. */
enum { TRACING_MAP_ELTS_MAX = 1 << 30 };

/* Memory for a slab, to be freed; NULL if out of memory. */
void *tracing_map_new_slab(struct tracing_map *map);

/* Append a slab, which the map then owns; false if out of memory. */
bool tracing_map_push_slab(struct tracing_map *map, void *slab);

void tracing_map_free_slabs(struct tracing_map *map);

/* The place of the entry after the last one; NULL if full or out of memory. */
struct tracing_map_elt *tracing_map_next_elt(struct tracing_map *map);

/* Free the samples of an entry. */
static inline void tracing_map_release_elt(const struct tracing_map *map, u64 *words)
{
	for (u32 i = map->samples_at; i < map->stride; i++)
		samples_release(&words[i]);
}

/* Add the samples of an entry to another one; false if out of memory. */
static inline bool tracing_map_move_samples(const struct tracing_map *map, u64 *to, u64 *from)
{
	bool ok = true;

	for (u32 i = map->samples_at; i < map->stride; i++)
		ok &= !samples_move(&to[i], &from[i]);
	return ok;
}

/* Free the partitions. */
void tracing_map_free_spill(struct tracing_map *map);
