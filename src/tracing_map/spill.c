// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Maps with more keys than the caches of a processor have room for. A thread's map moves its
 * entries to partitions, by hash, whenever it is large; a new key is then mostly inserted into a
 * map that is in the cache. At the end, entries with the same key are united, partition by
 * partition, which threads do at the same time.
 *
 * The entries of a partition are in slabs like those of a map, all full except the last one. They
 * are united in place: the first entry of a key moves to the front, the sums and samples of the
 * others are added to it. So the slabs can become those of the map. The united map has no slots,
 * unless another key is inserted: it is mostly printed and freed.
 */
#include "tracing_map/slabs.h"

/* SMALL_PARTS: for tests, so that small maps spill. */
#ifdef SMALL_PARTS
enum { SPILL_BYTES = 32, SPILL_ELTS = 16, SLACK = 0, UNITE_BYTES = 64 };
#else
enum {
	SPILL_BYTES = 1 << 21,
	SPILL_ELTS = 1 << 17,
	SLACK = 2 * TRACING_MAP_BATCH, /* so that the slots do not grow before */
	UNITE_BYTES = 1 << 27,
};
#endif

enum { PARTITION_BITS = 8, PARTITIONS = 1 << PARTITION_BITS, SLAB_ELTS = TRACING_MAP_SLAB_ELTS };

struct spilled {
	ARRAY(u64 *) slabs;
	u32 n; /* number of entries */
};

struct tracing_map_spill {
	struct spilled partitions[PARTITIONS];
	u64 n, unite_at; /* number of entries, and that from which they are united */
};

static u64 *spilled_entry(const struct tracing_map *map, const struct spilled *s, u32 i)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): @i is less than their number */
	return s->slabs.v[i / SLAB_ELTS] + (size_t)(i % SLAB_ELTS) * map->stride;
}

/* With its samples. */
static void move_entry(const struct tracing_map *map, u64 *to, u64 *from)
{
	for (u32 i = 0; i < map->stride; i++)
		to[i] = from[i];
	for (u32 i = map->samples_at; i < map->stride; i++)
		from[i] = 0;
}

/* --- spilling --- */

void tracing_map_let_spill(struct tracing_map *map)
{
	const struct tracing_map_desc *desc = &map->desc;

	if (desc->max_elts || desc->n_vars || map->samples_at > map->private_at)
		return;
	map->spill_at = SPILL_ELTS;
	while (map->spill_at > 1 && map->spill_at * map->elt_size > SPILL_BYTES)
		map->spill_at /= 2;
	map->spill_at = max_t(u32, map->spill_at, 2 * SLACK + 1) - SLACK;
}

static bool spill_entry(struct tracing_map *map, u64 *words)
{
	u32 hash = tracing_map_hash(map, words + map->key_at);
	struct spilled *s = &map->spill->partitions[hash >> (32 - PARTITION_BITS)];

	if (s->n % SLAB_ELTS == 0) {
		u64 *slab = tracing_map_new_slab(map);

		if (!slab || array_push(&s->slabs, slab)) {
			free(slab);
			return false;
		}
	}
	move_entry(map, spilled_entry(map, s, s->n++), words);
	return true;
}

static bool unite_own(struct tracing_map *map);

bool tracing_map_spill(struct tracing_map *map)
{
	struct tracing_map_spill *spill;
	u64 hits = map->hits, drops = map->drops;
	bool ok;

	if (!map->spill) {
		map->spill = calloc(1, sizeof(*map->spill));
		if (map->spill)
			map->spill->unite_at = UNITE_BYTES / map->elt_size;
	}
	spill = map->spill;
	ok = spill;
	for (u32 i = 0; i < map->n_elts && ok; i++)
		ok = spill_entry(map, tracing_map_elt_at(map, i)->words);
	if (ok) {
		/* remove the entries that are in the partitions now */
		spill->n += map->n_elts;
		map->spill = NULL;
		map->n_elts = 0;
		tracing_map_clear(map);
		map->spill = spill;
		map->hits = hits;
		map->drops = drops;
		ok = spill->n < spill->unite_at || unite_own(map);
	}
	map->failed |= !ok;
	return ok;
}

void tracing_map_free_spill(struct tracing_map *map)
{
	for (u32 p = 0; map->spill && p < PARTITIONS; p++) {
		struct spilled *s = &map->spill->partitions[p];

		for (; s->n && map->desc.n_samples; s->n--)
			tracing_map_release_elt(map, spilled_entry(map, s, s->n - 1));
		for (size_t i = 0; i < s->slabs.n; i++)
			free(s->slabs.v[i]);
		array_release(&s->slabs);
	}
	free(map->spill);
	map->spill = NULL;
}

/* --- uniting a partition --- */

/* The entries of some maps, and what a thread needs to unite those of a partition. */
struct uniter {
	struct tracing_map *const *maps;
	u32 n_maps;
	u32 first, end; /* partitions */
	struct tracing_map_slot *slots;
	u32 mask;
	/* of the current partition: entries without duplicates */
	struct spilled united;
	bool failed;
};

static u32 entries_in(const struct uniter *u, u32 p)
{
	return sum_of(m, u->n_maps, u->maps[m]->spill->partitions[p].n);
}

/* Slots for the largest partition, so that at most two thirds are used. */
static bool new_slots(struct uniter *u)
{
	u64 most = 0, n = 16;

	for (u32 p = u->first; p < u->end; p++)
		most = max_t(u64, most, entries_in(u, p));
	while (n < most + most / 2)
		n *= 2;
	u->mask = (u32)(n - 1);
	u->slots = most < TRACING_MAP_ELTS_MAX ? malloc(n * sizeof(*u->slots)) : NULL;
	return u->slots;
}

/* Add an entry, or its sums and samples to those of the same key. */
static void unite_entry(struct uniter *u, const struct tracing_map *map, u64 *words)
{
	const u64 *key = words + map->key_at;
	u32 hash = tracing_map_hash(map, key), i = hash & u->mask;
	u64 *known;

	for (; u->slots[i].elt; i = (i + 1) & u->mask) {
		if (u->slots[i].hash != hash)
			continue;
		known = spilled_entry(map, &u->united, u->slots[i].elt - 1);
		if (!tracing_map_same_key(known + map->key_at, key, map->key_words))
			continue;
		for (u32 s = 0; s < map->desc.n_sums; s++)
			known[s] += words[s];
		u->failed |= !tracing_map_move_samples(map, known, words);
		return;
	}
	u->slots[i] = (struct tracing_map_slot){ .hash = hash, .elt = ++u->united.n };
	known = spilled_entry(map, &u->united, u->united.n - 1);
	if (known != words)
		move_entry(map, known, words);
}

/* All slabs of a partition in one list; false if out of memory. */
static bool join_slabs(struct uniter *u, u32 p)
{
	bool ok = true;

	u->united = (struct spilled){ .slabs = ARRAY_INIT };
	for (u32 m = 0; m < u->n_maps; m++) {
		const struct spilled *s = &u->maps[m]->spill->partitions[p];

		for (size_t i = 0; i < s->slabs.n && ok; i++)
			ok = !array_push(&u->united.slabs, s->slabs.v[i]);
	}
	if (!ok)
		array_release(&u->united.slabs);
	return ok;
}

/* An entry moves to the front or not at all, so none is overwritten that was not read. */
static bool unite_partition(struct uniter *u, u32 p)
{
	struct spilled *first = &u->maps[0]->spill->partitions[p];
	u32 n = entries_in(u, p);

	if (!n)
		return true;
	if (!join_slabs(u, p))
		return false;
	while (u->mask > 16 && u->mask / 2 > n + n / 2)
		u->mask /= 2;
	memset(u->slots, 0, ((size_t)u->mask + 1) * sizeof(*u->slots));
	for (u32 m = 0; m < u->n_maps; m++) {
		struct spilled *s = &u->maps[m]->spill->partitions[p];

		for (u32 i = 0; i < s->n; i++)
			unite_entry(u, u->maps[m], spilled_entry(u->maps[m], s, i));
		array_release(&s->slabs);
		s->n = 0;
	}
	while (u->united.slabs.n > (u->united.n + SLAB_ELTS - 1) / SLAB_ELTS)
		free(u->united.slabs.v[--u->united.slabs.n]);
	*first = u->united;
	return true;
}

static void *unite_partitions(void *element)
{
	struct uniter *u = element;
	u32 mask;

	u->failed = !new_slots(u);
	mask = u->mask;
	for (u32 p = u->first; p < u->end && !u->failed; p++) {
		u->mask = mask;
		u->failed |= !unite_partition(u, p);
	}
	free(u->slots);
	return NULL;
}

/* Unite the partitions of all maps in those of the first one. */
static bool unite_all(struct tracing_map *const *maps, u32 n, unsigned int threads)
{
	struct uniter *uniters = calloc(threads, sizeof(*uniters));
	bool ok = uniters;

	if (!ok)
		return false;
	for (u32 i = 0; i < threads; i++)
		uniters[i] = (struct uniter){ .maps = maps,
					      .n_maps = n,
					      .first = PARTITIONS * i / threads,
					      .end = PARTITIONS * (i + 1) / threads };
	threads_run(&(struct thread_job){ .work = unite_partitions,
					  .elements = uniters,
					  .size = sizeof(*uniters),
					  .n = threads });
	for (u32 i = 0; i < threads; i++)
		ok &= !uniters[i].failed;
	free(uniters);
	return ok;
}

/* So that the entries do not grow with the recording, but with the number of keys. */
static bool unite_own(struct tracing_map *map)
{
	struct tracing_map_spill *spill = map->spill;
	bool ok = unite_all(&map, 1, 1);

	spill->n = 0;
	for (u32 p = 0; p < PARTITIONS; p++)
		spill->n += spill->partitions[p].n;
	spill->unite_at = max_t(u64, UNITE_BYTES / map->elt_size, 2 * spill->n);
	return ok;
}

/* --- from partitions to a map --- */

/* Entries that are not in a full slab. */
struct rest {
	ARRAY(u64 *) entries, slabs; /* and the slabs that contain them */
};

static bool take_slab(const struct tracing_map *map, struct spilled *s, struct rest *rest)
{
	u64 *slab;
	bool ok = !array_reserve(&rest->slabs);

	while (ok && s->n) {
		ok = !array_push(&rest->entries, spilled_entry(map, s, s->n - 1));
		if (ok && --s->n % SLAB_ELTS == 0)
			break;
	}
	if (!ok)
		return false;
	slab = s->slabs.v[--s->slabs.n];
	rest->slabs.v[rest->slabs.n++] = slab;
	return true;
}

/* All partial slabs, and full ones until slab 0 of a map, which has one entry less, can be filled.
 */
static bool take_rest(const struct tracing_map *map, struct rest *rest)
{
	struct spilled *partitions = map->spill->partitions;
	bool ok = true;

	for (u32 p = 0; p < PARTITIONS && ok; p++)
		if (partitions[p].n % SLAB_ELTS)
			ok = take_slab(map, &partitions[p], rest);
	for (u32 p = 0; p < PARTITIONS && ok && rest->entries.n < SLAB_ELTS - 1; p++)
		if (partitions[p].n)
			ok = take_slab(map, &partitions[p], rest);
	return ok;
}

static bool copy_entries(struct tracing_map *map, u64 *const *entries, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct tracing_map_elt *elt = tracing_map_next_elt(map);

		if (!elt)
			return false;
		move_entry(map, elt->words, entries[i]);
		map->n_elts++;
	}
	return true;
}

static bool move_slabs(struct tracing_map *map, struct spilled *s)
{
	for (; s->slabs.n; s->slabs.n--) {
		if (map->n_elts > TRACING_MAP_ELTS_MAX - SLAB_ELTS ||
		    !tracing_map_push_slab(map, s->slabs.v[s->slabs.n - 1]))
			return false;
		map->n_elts += SLAB_ELTS;
		s->n -= SLAB_ELTS;
	}
	return true;
}

/* The map, which is empty, gets the entries of its partitions. */
static bool take_partitions(struct tracing_map *map)
{
	struct rest rest = { .entries = ARRAY_INIT, .slabs = ARRAY_INIT };
	bool ok = take_rest(map, &rest);
	size_t n = min_t(size_t, rest.entries.n, SLAB_ELTS - 1);

	tracing_map_free_slabs(map);
	ok = ok && copy_entries(map, rest.entries.v, n);
	for (u32 p = 0; p < PARTITIONS && ok; p++)
		ok = move_slabs(map, &map->spill->partitions[p]);
	ok = ok && copy_entries(map, rest.entries.v + n, rest.entries.n - n);
	for (size_t i = 0; i < rest.entries.n && !ok; i++)
		tracing_map_release_elt(map, rest.entries.v[i]);
	for (size_t i = 0; i < rest.slabs.n; i++)
		free(rest.slabs.v[i]);
	array_release(&rest.slabs);
	array_release(&rest.entries);
	map->unindexed = true;
	return ok;
}

bool tracing_map_unite(struct tracing_map *to, struct tracing_map *const *maps, u32 n,
		       unsigned int threads)
{
	struct tracing_map **all = calloc((size_t)n + 1, sizeof(*all));
	bool ok = all && tracing_map_spill(to);

	for (u32 i = 0; i < n && ok; i++) {
		all[i + 1] = maps[i];
		ok = tracing_map_spill(maps[i]);
		to->hits += maps[i]->hits;
		to->drops += maps[i]->drops;
	}
	if (ok) {
		all[0] = to;
		ok = unite_all(all, n + 1, max_t(u32, threads, 1)) && take_partitions(to);
	}
	tracing_map_free_spill(to);
	free(all);
	to->spill_at = UINT32_MAX;
	to->failed |= !ok;
	return ok;
}
