// SPDX-License-Identifier: LGPL-2.1-only
/* Maps that spill have, when they are united, the entries of one map with all hits. */
#include "base/base.h"
#include "random.h"
#include "tracing_map/tracing_map.h"
#include "unit.h"

/* Enough for several spills; fewer if each key collides with all others. */
#ifdef TRACING_MAP_ONE_HASH
enum { KEYS = 300, HITS = 2000 };
#else
enum { KEYS = 400000, HITS = 1000000 };
#endif

enum { MAPS = 3, WORDS_MAX = 3 };

static void hit_batch(struct tracing_map *map, const u64 *keys, u32 n, bool spills)
{
	struct tracing_map_elt *elts[TRACING_MAP_BATCH];

	assert_int_equal(tracing_map_insert_batch(map, keys, n, elts), n);
	for (u32 i = 0; i < n; i++) {
		tracing_map_sums(elts[i])[0]++;
		/* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): there are n */
		tracing_map_sums(elts[i])[1] += keys[(size_t)i * map->key_words] * 3;
	}
	if (spills)
		assert_true(tracing_map_end_batch(map));
}

static void make_keys(u64 *keys, u32 n, u32 words, u32 n_keys)
{
	for (u32 i = 0; i < n * words; i += words) {
		keys[i] = random_below(n_keys);
		for (u32 w = 1; w < words; w++)
			keys[i + w] = keys[i] % 5;
	}
}

/* Hits at random in @all and in one of @maps, which spill. */
static void hit(struct tracing_map *all, struct tracing_map **maps, u32 n_keys, u32 n_hits)
{
	u64 keys[TRACING_MAP_BATCH * WORDS_MAX];

	for (u32 done = 0; done < n_hits; done += TRACING_MAP_BATCH) {
		make_keys(keys, TRACING_MAP_BATCH, all->key_words, n_keys);
		hit_batch(all, keys, TRACING_MAP_BATCH, false);
		hit_batch(maps[random_below(MAPS)], keys, TRACING_MAP_BATCH, true);
	}
}

static void check_same(const struct tracing_map *map, const struct tracing_map *all)
{
	assert_int_equal(map->n_elts, all->n_elts);
	assert_int_equal(map->hits, all->hits);
	assert_int_equal(map->drops, 0);
	for (u32 i = 0; i < map->n_elts; i++) {
		struct tracing_map_elt *elt = tracing_map_elt_at(map, i), *want;
		const u64 *key = tracing_map_key(map, elt);

		want = tracing_map_lookup(all, key, tracing_map_hash(all, key));
		assert_non_null(want);
		assert_memory_equal(elt->words, want->words, map->elt_size);
	}
}

static void check(u32 key_words, u32 n_keys, u32 n_hits, unsigned int threads)
{
	const struct tracing_map_desc desc = { .key_size = key_words * 8, .n_sums = 2 };
	struct tracing_map *all = tracing_map_new(&desc), *to = tracing_map_new(&desc);
	struct tracing_map *maps[MAPS];
	u64 keys[TRACING_MAP_BATCH * WORDS_MAX];

	for (u32 m = 0; m < MAPS; m++) {
		maps[m] = tracing_map_new(&desc);
		assert_non_null(maps[m]);
		tracing_map_let_spill(maps[m]);
	}
	hit(all, maps, n_keys, n_hits);
	assert_true(tracing_map_unite(to, maps, MAPS, threads));
	check_same(to, all);
	/* later hits, on known keys and on others */
	make_keys(keys, TRACING_MAP_BATCH, key_words, n_keys * 2);
	for (u32 m = 0; m < 2; m++) {
		struct tracing_map *map = m ? to : all;
		bool created;

		assert_non_null(tracing_map_insert(map, keys, &created));
		hit_batch(map, keys, TRACING_MAP_BATCH, false);
	}
	check_same(to, all);
	for (u32 m = 0; m < MAPS; m++)
		tracing_map_free(maps[m]);
	tracing_map_free(all);
	tracing_map_free(to);
}

static void united_maps_equal_one(void **state)
{
	(void)state;
	random_seed = 1;
	for (u32 words = 1; words <= WORDS_MAX; words++)
		check(words, KEYS, HITS, words);
}

/* Around the sizes of slabs. */
static void few_entries(void **state)
{
	static const u32 sizes[] = { 1, 2, 100, 510, 511, 512, 513, 1023, 1024, 1025, 5000 };

	(void)state;
	random_seed = 2;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		const struct tracing_map_desc desc = { .key_size = 8, .n_sums = 2 };
		struct tracing_map *all = tracing_map_new(&desc), *map = tracing_map_new(&desc);

		for (u64 key = 0; key < sizes[i]; key++) {
			hit_batch(all, &key, 1, false);
			hit_batch(map, &key, 1, false);
			if (key % 200 == 7)
				assert_true(tracing_map_spill(map));
		}
		assert_true(tracing_map_unite(map, NULL, 0, 2));
		check_same(map, all);
		tracing_map_clear(map);
		assert_int_equal(map->n_elts, 0);
		tracing_map_clear(all);
		hit_batch(map, &(u64){ 5 }, 1, false);
		hit_batch(all, &(u64){ 5 }, 1, false);
		check_same(map, all);
		tracing_map_free(all);
		tracing_map_free(map);
	}
}

/* Maps with a limit, variables or private bytes do not spill. */
static void others_do_not_spill(void **state)
{
	static const struct tracing_map_desc descs[] = {
		{ .key_size = 8, .n_sums = 2, .max_elts = 1000000 },
		{ .key_size = 8, .n_sums = 2, .n_vars = 1 },
		{ .key_size = 8, .n_sums = 2, .private_size = 8 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(descs); i++) {
		struct tracing_map *map = tracing_map_new(&descs[i]);

		tracing_map_let_spill(map);
		for (u64 key = 0; key < 1000; key++)
			hit_batch(map, &key, 1, true);
		assert_int_equal(map->n_elts, 1000);
		assert_null(map->spill);
		tracing_map_free(map);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(united_maps_equal_one),
		cmocka_unit_test(few_entries),
		cmocka_unit_test(others_do_not_spill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
