/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Finding a key, in line: most hits are on entries that exist.
 *
 * Part of tracing_map.h; do not include it alone.
 */
#ifndef HIST_TRACING_MAP_FIND_H
#define HIST_TRACING_MAP_FIND_H

enum { TRACING_MAP_SLAB_SHIFT = 9, TRACING_MAP_SLAB_ELTS = 1 << TRACING_MAP_SLAB_SHIFT };

static inline struct tracing_map_elt *tracing_map_elt_of(const struct tracing_map *map, u32 i)
{
	return (struct tracing_map_elt *)(map->slabs[i >> TRACING_MAP_SLAB_SHIFT] +
					  (size_t)(i & (TRACING_MAP_SLAB_ELTS - 1)) * map->stride);
}

static inline u32 tracing_map_hash_words(const u64 *key, u32 words)
{
	u64 h = (words ^ key[0]) * 0x9e3779b97f4a7c15ull;

	h ^= h >> 32;
	for (u32 i = 1; i < words; i++) {
		h = (h ^ key[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
	return (u32)h;
}

/* Keys of one size hash alike in all maps. */
static inline u32 tracing_map_hash(const struct tracing_map *map, const u64 *key)
{
	return tracing_map_hash_words(key, map->desc.key_size / 8);
}

static inline bool tracing_map_same_key(const u64 *a, const u64 *b, u32 words)
{
	for (u32 i = 0; i < words; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* The slot of @key, or the free one where it belongs. */
static inline struct tracing_map_slot *tracing_map_slot_of(const struct tracing_map *map,
							   const u64 *key, u32 hash)
{
	u32 mask = map->slot_mask, words = map->desc.key_size / 8;

	for (u32 i = hash & mask;; i = (i + 1) & mask) {
		struct tracing_map_slot *slot = &map->slots[i];

		if (!slot->elt)
			return slot;
		if (slot->hash == hash &&
		    tracing_map_same_key(tracing_map_elt_of(map, slot->elt - 1)->words +
						 map->key_at,
					 key, words))
			return slot;
	}
}

/* Find only; nothing is counted. @hash is tracing_map_hash() of the key. */
static inline struct tracing_map_elt *tracing_map_lookup(const struct tracing_map *map,
							 const u64 *key, u32 hash)
{
	const struct tracing_map_slot *slot = tracing_map_slot_of(map, key, hash);

	return slot->elt ? tracing_map_elt_of(map, slot->elt - 1) : NULL;
}

/* The rest of an insert of a key that has no entry. */
struct tracing_map_elt *tracing_map_insert_new(struct tracing_map *map,
					       struct tracing_map_slot *slot, const void *key,
					       u32 hash);

/* tracing_map_insert() for who knows the hash. */
static inline struct tracing_map_elt *tracing_map_insert_hashed(struct tracing_map *map,
								const u64 *key, u32 hash,
								bool *created)
{
	struct tracing_map_slot *slot = tracing_map_slot_of(map, key, hash);

	*created = !slot->elt;
	if (unlikely(!slot->elt))
		return tracing_map_insert_new(map, slot, key, hash);
	map->hits++;
	return tracing_map_elt_of(map, slot->elt - 1);
}

#endif
