/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Looks up a key, inlined because most hits are on existing entries.
 *
 * Part of tracing_map.h; do not include it directly.
 */
#pragma once

enum { TRACING_MAP_SLAB_SHIFT = 9, TRACING_MAP_SLAB_ELTS = 1 << TRACING_MAP_SLAB_SHIFT };

/* Longer keys are mostly zeros: stacks of up to 256 frames. */
enum { TRACING_MAP_LONG_KEY = 64 };

/* The entry with number @i in a slot, counted from 1. */
static inline struct tracing_map_elt *tracing_map_elt_of(const struct tracing_map *map, u32 number)
{
	return (struct tracing_map_elt *)(map->slabs[number >> TRACING_MAP_SLAB_SHIFT] +
					  (uintptr_t)number * map->elt_size);
}

/* The words of a key without zeros at its end, of which a few may remain. */
static inline u32 tracing_map_used_words(const u64 *key, u32 words)
{
	while (words > 4 && !(key[words - 1] | key[words - 2] | key[words - 3] | key[words - 4]))
		words -= 4;
	return words;
}

static inline u32 tracing_map_hash_words(const u64 *key, u32 words)
{
	const u32 n = words > TRACING_MAP_LONG_KEY ? tracing_map_used_words(key, words) : words;
	/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): @words is not 0 */
	u64 h = (words ^ key[0]) * 0x9e3779b97f4a7c15ull;

	h ^= h >> 32;
	for (u32 i = 1; i < n; i++) {
		h = (h ^ key[i]) * 0x9e3779b97f4a7c15ull;
		h ^= h >> 32;
	}
#ifdef TRACING_MAP_ONE_HASH /* for make check-plan: every key collides */
	h = 0;
#endif
	return (u32)h;
}

/* Keys of the same size have the same hash in all maps. */
static inline u32 tracing_map_hash(const struct tracing_map *map, const u64 *key)
{
	return tracing_map_hash_words(key, map->key_words);
}

static inline bool tracing_map_same_key(const u64 *a, const u64 *b, u32 words)
{
	if (a[0] != b[0])
		return false;
	if (words > TRACING_MAP_LONG_KEY)
		return !memcmp(a, b, words * sizeof(*a));
	for (u32 i = 1; i < words; i++)
		if (unlikely(a[i] != b[i]))
			return false;
	return true;
}

/*
 * The number of the entry of a key of @words words, from 1; 0: no entry. A constant @words avoids
 * loops.
 */
static inline __attribute__((always_inline)) u32 tracing_map_find(const struct tracing_map *map,
								  const u64 *key, u32 words,
								  u32 hash)
{
	u32 mask = map->slot_mask;

	for (u32 i = hash & mask;; i = (i + 1) & mask) {
		const struct tracing_map_slot slot = map->slots[i];
		const struct tracing_map_elt *elt;

		if (unlikely(!slot.elt))
			return 0;
		if (slot.hash != hash)
			continue;
		elt = tracing_map_elt_of(map, slot.elt);
		if (!elt)
			__builtin_unreachable();
		if (likely(tracing_map_same_key(elt->words + map->key_at, key, words)))
			return slot.elt;
	}
}

/* tracing_map_lookup() of a key of @words words. */
static inline __attribute__((always_inline)) struct tracing_map_elt *tracing_map_lookup_words(
	const struct tracing_map *map, const u64 *key, u32 words, u32 hash)
{
	const u32 number = tracing_map_find(map, key, words, hash);

	return number ? tracing_map_elt_of(map, number) : NULL;
}

/* Look up without counting. @hash is tracing_map_hash() of the key. NULL: no entry. */
static inline struct tracing_map_elt *tracing_map_lookup(const struct tracing_map *map,
							 const u64 *key, u32 hash)
{
	return tracing_map_lookup_words(map, key, map->key_words, hash);
}

/* The slow path of an insert: a key without an entry. */
struct tracing_map_elt *tracing_map_insert_new(struct tracing_map *map, const void *key, u32 hash);
