// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The map: open addressing with linear probing. Slots contain 32 bits of hash and the number of an
 * entry; entries are in slabs that never move. The slot array doubles when it is half full, so that
 * a small histogram touches little memory.
 *
 * Corresponds to kernel/trace/tracing_map.c, which allocates everything in advance and claims slots
 * with cmpxchg; here a map has one writer.
 */
#include "tracing_map/slabs.h"

/* Maps of two threads share no cache line, because a write invalidates it for all others. */
enum { CACHE_LINE = 64, FIRST_SLOTS = 64, MERGE_KEY_WORDS = 4 };

/*
 * Write the zeros instead of relying on zeroed pages: if memory is read first, as slots are, the
 * kernel maps the zero page and replaces it at the first write, which interrupts the other threads.
 */
static struct tracing_map_slot *slots_new(size_t n)
{
	struct tracing_map_slot *slots = aligned_alloc(CACHE_LINE, n * sizeof(*slots));

	if (slots)
		memset(slots, 0, n * sizeof(*slots));
	return slots;
}

struct tracing_map *tracing_map_new(const struct tracing_map_desc *desc)
{
	struct tracing_map *map = aligned_alloc(CACHE_LINE, ALIGN_UP(sizeof(*map), CACHE_LINE));

	if (!map)
		return NULL;
	*map = (struct tracing_map){ .desc = *desc };
	map->key_words = desc->key_size / 8;
	map->key_at = tracing_map_key_at(desc);
	map->vars_at = tracing_map_vars_at(desc);
	map->set_at = tracing_map_set_at(desc);
	map->private_at = tracing_map_private_at(desc);
	map->stride = map->private_at + desc->private_size / 8;
	map->samples_at = map->stride - desc->n_samples;
	map->elt_size = map->stride * sizeof(u64);
	map->slots = slots_new(FIRST_SLOTS);
	map->slot_mask = FIRST_SLOTS - 1;
	map->spill_at = UINT32_MAX;
	if (!map->slots) {
		tracing_map_free(map);
		return NULL;
	}
	return map;
}

/* Distance from entry 0 to the first one of a slab, in bytes. */
static uintptr_t slab_start(const struct tracing_map *map, u32 slab)
{
	return ((uintptr_t)slab << TRACING_MAP_SLAB_SHIFT) * map->elt_size;
}

void tracing_map_free_slabs(struct tracing_map *map)
{
	for (u32 i = 0; i < map->n_slabs; i++)
		free((void *)(map->slabs[i] + slab_start(map, i)));
	map->n_slabs = 0;
}

void tracing_map_release_samples(struct tracing_map *map)
{
	for (u32 i = 0; i < map->n_elts && map->desc.n_samples; i++)
		tracing_map_release_elt(map, tracing_map_elt_at(map, i)->words);
	if (map->sink)
		tracing_map_release_elt(map, map->sink->words);
}

void tracing_map_free(struct tracing_map *map)
{
	if (!map)
		return;
	tracing_map_release_samples(map);
	tracing_map_free_slabs(map);
	tracing_map_free_spill(map);
	free(map->slabs);
	free(map->slots);
	free(map->sink);
	free(map);
}

void tracing_map_clear(struct tracing_map *map)
{
	tracing_map_release_samples(map);
	tracing_map_free_spill(map);
	map->hits = map->drops = 0;
	map->n_elts = 0;
	map->failed = map->beyond = map->sliced = map->unindexed = false;
	memset(map->slots, 0, ((size_t)map->slot_mask + 1) * sizeof(*map->slots));
}

struct tracing_map_elt *tracing_map_elt_at(const struct tracing_map *map, u32 i)
{
	return tracing_map_elt_of(map, i + 1);
}

/* The free slot for a key with hash @hash. */
static struct tracing_map_slot *free_slot(struct tracing_map_slot *slots, u32 mask, u32 hash)
{
	u32 i = hash & mask;

	while (slots[i].elt)
		i = (i + 1) & mask;
	return &slots[i];
}

static bool grow_slots(struct tracing_map *map)
{
	u32 mask = map->slot_mask * 2 + 1;
	struct tracing_map_slot *slots = slots_new((size_t)mask + 1);

	if (!slots)
		return false;
	for (u32 i = 0; i <= map->slot_mask; i++)
		if (map->slots[i].elt)
			*free_slot(slots, mask, map->slots[i].hash) = map->slots[i];
	free(map->slots);
	map->slots = slots;
	map->slot_mask = mask;
	return true;
}

/* Fill the slots of a map whose entries were added without them; false with ->failed. */
static bool tracing_map_index(struct tracing_map *map)
{
	u32 mask = map->slot_mask;
	struct tracing_map_slot *slots;

	while (mask / 2 <= map->n_elts)
		mask = mask * 2 + 1;
	slots = slots_new((size_t)mask + 1);
	if (!slots) {
		map->failed = true;
		return false;
	}
	for (u32 i = 0; i < map->n_elts; i++) {
		u32 hash = tracing_map_hash(map, tracing_map_elt_at(map, i)->words + map->key_at);

		*free_slot(slots, mask, hash) =
			(struct tracing_map_slot){ .hash = hash, .elt = i + 1 };
	}
	free(map->slots);
	map->slots = slots;
	map->slot_mask = mask;
	map->unindexed = false;
	return true;
}

void *tracing_map_new_slab(struct tracing_map *map)
{
	map->beyond = map->desc.max_memory && memory_in_use() > map->desc.max_memory;
	return map->beyond ? NULL : malloc(TRACING_MAP_SLAB_ELTS * map->elt_size);
}

bool tracing_map_push_slab(struct tracing_map *map, void *slab)
{
	if (map->n_slabs % 64 == 0) {
		uintptr_t *slabs = realloc(map->slabs, (map->n_slabs + 64) * sizeof(*slabs));

		if (!slabs)
			return false;
		map->slabs = slabs;
	}
	map->slabs[map->n_slabs] = (uintptr_t)slab - slab_start(map, map->n_slabs);
	map->n_slabs++;
	return true;
}

static bool add_slab(struct tracing_map *map)
{
	void *slab = tracing_map_new_slab(map);
	bool ok = slab && tracing_map_push_slab(map, slab);

	if (!ok)
		free(slab);
	return ok;
}

struct tracing_map_elt *tracing_map_next_elt(struct tracing_map *map)
{
	/* to ask again how much memory is in use takes long */
	if (map->failed || map->n_elts >= TRACING_MAP_ELTS_MAX ||
	    ((map->n_elts + 1) >> TRACING_MAP_SLAB_SHIFT >= map->n_slabs && !add_slab(map))) {
		map->failed = true;
		return NULL;
	}
	return tracing_map_elt_at(map, map->n_elts);
}

/* Create the entry of a new key. */
static struct tracing_map_elt *add_key(struct tracing_map *map, const void *key, u32 hash)
{
	struct tracing_map_elt *elt;

	if (map->n_elts >= map->slot_mask / 2 && !grow_slots(map)) {
		map->failed = true;
		return NULL;
	}
	elt = tracing_map_next_elt(map);
	if (!elt)
		return NULL;
	memset(elt, 0, map->stride * sizeof(u64));
	memcpy(elt->words + map->key_at, key, map->desc.key_size);
	*free_slot(map->slots, map->slot_mask, hash) =
		(struct tracing_map_slot){ .hash = hash, .elt = ++map->n_elts };
	return elt;
}

struct tracing_map_elt *tracing_map_insert(struct tracing_map *map, const void *key, bool *created)
{
	u32 hash = tracing_map_hash(map, key);
	struct tracing_map_elt *elt = tracing_map_lookup(map, key, hash);

	*created = !elt;
	if (!elt)
		return tracing_map_insert_new(map, key, hash);
	map->hits++;
	return elt;
}

struct tracing_map_elt *tracing_map_insert_new(struct tracing_map *map, const void *key, u32 hash)
{
	struct tracing_map_elt *elt = NULL;

	if (unlikely(map->unindexed)) {
		if (!tracing_map_index(map))
			return NULL;
		elt = tracing_map_lookup(map, key, hash);
	}
	if (!elt && tracing_map_is_full(map)) {
		map->drops++;
		return NULL;
	}
	if (!elt)
		elt = add_key(map, key, hash);
	map->hits += elt != NULL;
	return elt;
}

/* The number of the first entry with this hash, which mostly is that of the key; 0: none. */
static inline u32 first_with_hash(const struct tracing_map *map, u32 hash)
{
	u32 i = hash & map->slot_mask;

	while (map->slots[i].elt && map->slots[i].hash != hash)
		i = (i + 1) & map->slot_mask;
	return map->slots[i].elt;
}

/* A constant @words avoids loops. */
static inline __attribute__((always_inline)) u32 insert_batch(struct tracing_map *map,
							      const u64 *keys, u32 words, u32 n,
							      struct tracing_map_elt **elts)
{
	u32 dropped = 0, i;
	u32 hash[TRACING_MAP_BATCH], number[TRACING_MAP_BATCH];

	if (unlikely(map->unindexed) && !tracing_map_index(map))
		return 0;
	for (i = 0; i < n; i++) {
		hash[i] = tracing_map_hash_words(keys + (size_t)i * words, words);
		__builtin_prefetch(&map->slots[hash[i] & map->slot_mask]);
	}
	for (i = 0; i < n; i++) {
		number[i] = first_with_hash(map, hash[i]);
		if (number[i])
			__builtin_prefetch(tracing_map_elt_of(map, number[i]), 1);
	}
	for (i = 0; i < n; i++) {
		const u64 *key = keys + (size_t)i * words;

		elts[i] = number[i] ? tracing_map_elt_of(map, number[i]) : NULL;
		if (likely(elts[i] &&
			   tracing_map_same_key(elts[i]->words + map->key_at, key, words)))
			continue;
		elts[i] = tracing_map_lookup(map, key, hash[i]);
		if (elts[i])
			continue;
		if (map->sink) {
			elts[i] = map->sink;
			dropped++;
			continue;
		}
		elts[i] = tracing_map_is_full(map) ? NULL : add_key(map, key, hash[i]);
		if (!elts[i])
			break;
	}
	map->hits += i - dropped;
	map->drops += dropped;
	return i;
}

u32 tracing_map_insert_batch(struct tracing_map *map, const u64 *keys, u32 n,
			     struct tracing_map_elt **elts)
{
	return map->key_words == 1 ? insert_batch(map, keys, 1, n, elts)
				   : insert_batch(map, keys, map->key_words, n, elts);
}

bool tracing_map_freeze(struct tracing_map *map, const struct tracing_map *keys)
{
	u64 *words = calloc(map->stride, sizeof(*words));
	bool created;

	map->sink = (struct tracing_map_elt *)words;
	for (u32 i = 0; i < keys->n_elts && map->sink; i++)
		if (!tracing_map_insert(map, tracing_map_key(keys, tracing_map_elt_at(keys, i)),
					&created))
			return false;
	map->hits = 0;
	return map->sink != NULL;
}

void tracing_map_keep_keys(struct tracing_map *map)
{
	if (!tracing_map_is_full(map)) {
		tracing_map_clear(map);
		return;
	}
	tracing_map_release_samples(map);
	for (u32 i = 0; i < map->n_elts; i++)
		memset(tracing_map_sums(tracing_map_elt_at(map, i)), 0,
		       map->desc.n_sums * sizeof(u64));
	map->hits = map->drops = 0;
}

/* Add the sums of all entries, and move their samples. */
static bool take_entries(struct tracing_map *to, const struct tracing_map *from)
{
	bool created;

	for (u32 i = 0; i < from->n_elts; i++) {
		struct tracing_map_elt *src = tracing_map_elt_at(from, i);
		struct tracing_map_elt *dst =
			tracing_map_insert(to, tracing_map_key(from, src), &created);

		if (!dst)
			return false;
		to->hits--;
		for (u32 s = 0; s < to->desc.n_sums; s++)
			dst->words[s] += src->words[s];
		if (!tracing_map_move_samples(to, dst->words, src->words))
			return false;
	}
	to->hits += from->hits;
	to->drops += from->drops;
	return true;
}

/* As take_entries() for short keys, in batches: most of the time is spent waiting for memory. */
static bool add_entries(struct tracing_map *to, const struct tracing_map *from)
{
	u64 keys[TRACING_MAP_BATCH * MERGE_KEY_WORDS];
	struct tracing_map_elt *elts[TRACING_MAP_BATCH];
	u32 words = to->key_words, n;

	for (u32 first = 0; first < from->n_elts; first += n) {
		n = min_t(u32, from->n_elts - first, TRACING_MAP_BATCH);
		for (u32 i = 0; i < n; i++)
			memcpy(keys + (size_t)i * words,
			       tracing_map_key(from, tracing_map_elt_at(from, first + i)),
			       words * sizeof(u64));
		if (tracing_map_insert_batch(to, keys, n, elts) < n)
			return false;
		to->hits -= n;
		for (u32 i = 0; i < n; i++) {
			u64 *src = tracing_map_elt_at(from, first + i)->words;

			for (u32 s = 0; s < to->desc.n_sums; s++)
				elts[i]->words[s] += src[s];
			if (!tracing_map_move_samples(to, elts[i]->words, src))
				return false;
		}
	}
	to->hits += from->hits;
	to->drops += from->drops;
	return true;
}

bool tracing_map_merge(struct tracing_map *to, const struct tracing_map *from)
{
	return to->key_words <= MERGE_KEY_WORDS && !to->sink ? add_entries(to, from)
							     : take_entries(to, from);
}
