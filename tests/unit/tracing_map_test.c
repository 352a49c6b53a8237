// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The map: finding, dropping, clearing, growing, merging, variables; and the order of its entries,
 * compared with orders that a kernel printed and with properties that any sort must have.
 */
#include <stdio.h>

#include "unit.h"

#include "tracing_map/tracing_map.h"

static struct tracing_map *map_of(u32 key_size, u32 n_sums, u32 n_vars, u32 max_elts)
{
	struct tracing_map_desc desc = {
		.key_size = key_size,
		.n_sums = n_sums,
		.n_vars = n_vars,
		.max_elts = max_elts,
	};
	struct tracing_map *map = tracing_map_new(&desc);

	assert_non_null(map);
	return map;
}

static struct tracing_map_elt *insert(struct tracing_map *map, u64 key)
{
	bool created;

	return tracing_map_insert(map, &key, &created);
}

static struct tracing_map_elt *lookup(const struct tracing_map *map, const u64 *key)
{
	return tracing_map_lookup(map, key, tracing_map_hash(map, key));
}

static void test_insert(void **state)
{
	struct tracing_map *map = map_of(8, 2, 0, 0);
	u64 key = 7, other = 8;
	struct tracing_map_elt *elt;
	bool created = false;

	(void)state;
	assert_null(lookup(map, &key));
	elt = tracing_map_insert(map, &key, &created);
	assert_non_null(elt);
	assert_true(created);
	assert_int_equal(tracing_map_sums(elt)[0], 0);
	assert_int_equal(tracing_map_sums(elt)[1], 0);
	assert_memory_equal(tracing_map_key(map, elt), &key, 8);
	tracing_map_sums(elt)[1] = 5;

	assert_ptr_equal(tracing_map_insert(map, &key, &created), elt);
	assert_false(created);
	assert_ptr_equal(lookup(map, &key), elt);
	assert_null(lookup(map, &other));
	assert_int_equal(tracing_map_sums(elt)[1], 5);
	assert_int_equal(map->hits, 2); /* looking up counts nothing */
	assert_int_equal(map->drops, 0);
	assert_int_equal(map->n_elts, 1);
	tracing_map_free(map);
}

/* Keys that differ only in their last byte, or only in their second word, are different. */
static void test_wide_keys(void **state)
{
	struct tracing_map *map = map_of(24, 1, 0, 0);
	u64 key[3] = { 1, 2, 3 };
	bool created;

	(void)state;
	for (size_t i = 0; i < 24; i++) {
		/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): all 24 bytes are set */
		((u8 *)key)[i] ^= 0x80;
		tracing_map_insert(map, key, &created);
		assert_true(created);
		((u8 *)key)[i] ^= 0x80;
	}
	assert_int_equal(map->n_elts, 24);
	assert_null(lookup(map, key));
	tracing_map_free(map);
}

/* A full map drops new keys and continues to count existing ones. */
static void test_drops(void **state)
{
	struct tracing_map *map = map_of(8, 1, 0, 128);

	(void)state;
	for (u64 i = 0; i < 128; i++)
		assert_non_null(insert(map, i * 1000));
	for (u64 i = 0; i < 5; i++)
		assert_null(insert(map, 1 + i * 1000));
	assert_non_null(insert(map, 127000));
	assert_int_equal(map->hits, 129);
	assert_int_equal(map->drops, 5);
	assert_int_equal(map->n_elts, 128);
	assert_false(map->failed);
	tracing_map_free(map);
}

/* Entries do not move while the map grows to its maximum size. */
static void test_growth(void **state)
{
	enum { N = 131072 };
	struct tracing_map *map = map_of(8, 1, 0, N);
	struct tracing_map_elt *first = insert(map, 0);

	(void)state;
	for (u64 i = 1; i < N; i++)
		tracing_map_sums(insert(map, i * 4096))[0] = i;
	assert_int_equal(map->n_elts, N);
	assert_null(insert(map, 1));
	for (u64 i = 0; i < N; i++) {
		u64 key = i * 4096;
		struct tracing_map_elt *elt = lookup(map, &key);

		assert_non_null(elt);
		assert_int_equal(tracing_map_sums(elt)[0], i);
		assert_ptr_equal(tracing_map_elt_at(map, (u32)i),
				 elt); /* in the order of creation */
	}
	assert_ptr_equal(tracing_map_elt_at(map, 0), first);
	tracing_map_free(map);
}

static void test_clear(void **state)
{
	struct tracing_map *map = map_of(8, 1, 1, 128);
	struct tracing_map_elt *elt;
	u64 key = 3;
	bool created;

	(void)state;
	for (u64 i = 0; i < 200; i++)
		insert(map, i);
	elt = lookup(map, &key);
	tracing_map_sums(elt)[0] = 9;
	tracing_map_set_var(map, elt, 0, 9);
	tracing_map_clear(map);
	assert_int_equal(map->hits, 0);
	assert_int_equal(map->drops, 0);
	assert_int_equal(map->n_elts, 0);
	assert_null(lookup(map, &key));

	elt = tracing_map_insert(map, &key, &created);
	assert_true(created);
	assert_int_equal(tracing_map_sums(elt)[0], 0);
	assert_false(tracing_map_var_set(map, elt, 0));
	assert_int_equal(tracing_map_read_var(map, elt, 0), 0);
	for (u64 i = 1000; i < 1127; i++)
		assert_non_null(insert(map, i));
	assert_null(insert(map, 1));
	tracing_map_free(map);
}

/*
 * Variables are unset until they are set; reading one once unsets it and leaves the rest unchanged.
 */
static void test_variables(void **state)
{
	struct tracing_map *map = map_of(8, 1, 16, 0);
	struct tracing_map_elt *elt = insert(map, 1);

	(void)state;
	for (u32 i = 0; i < 16; i++)
		assert_false(tracing_map_var_set(map, elt, i));
	tracing_map_set_var(map, elt, 0, 10);
	tracing_map_set_var(map, elt, 15, 25);
	assert_true(tracing_map_var_set(map, elt, 0));
	assert_false(tracing_map_var_set(map, elt, 1));
	assert_true(tracing_map_var_set(map, elt, 15));
	assert_int_equal(tracing_map_read_var(map, elt, 15), 25);
	assert_true(tracing_map_var_set(map, elt, 15));
	tracing_map_unset_var(map, elt, 15);
	assert_false(tracing_map_var_set(map, elt, 15));
	assert_true(tracing_map_var_set(map, elt, 0));
	tracing_map_set_var(map, elt, 15, 0); /* zero is a valid value */
	assert_true(tracing_map_var_set(map, elt, 15));
	assert_int_equal(tracing_map_read_var(map, elt, 0), 10);
	tracing_map_free(map);
}

/* The private space of the caller is zero in a new entry, and separate for each. */
static void test_private(void **state)
{
	struct tracing_map_desc desc = {
		.key_size = 8, .n_sums = 1, .n_vars = 2, .private_size = 24
	};
	struct tracing_map *map = tracing_map_new(&desc);
	static const u8 zero[24];
	struct tracing_map_elt *a, *b;

	(void)state;
	assert_non_null(map);
	a = insert(map, 1);
	b = insert(map, 2);
	assert_memory_equal(tracing_map_private(map, a), zero, 24);
	memset(tracing_map_private(map, a), 0xff, 24);
	tracing_map_set_var(map, b, 1, UINT64_MAX);
	assert_memory_equal(tracing_map_private(map, b), zero, 24);
	assert_false(tracing_map_var_set(map, a, 1));
	tracing_map_clear(map);
	assert_memory_equal(tracing_map_private(map, insert(map, 3)), zero, 24);
	tracing_map_free(map);
}

/* --- batches of keys, and merging, compared with single keys --- */

static u64 next_random(u64 *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return *seed >> 33;
}

static void test_batch(void **state)
{
	struct tracing_map *one = map_of(16, 1, 0, 300), *many = map_of(16, 1, 0, 300);
	struct tracing_map_elt *elts[TRACING_MAP_BATCH];
	u64 keys[2 * TRACING_MAP_BATCH], seed = 1;
	bool created;

	(void)state;
	for (int round = 0; round < 20; round++) {
		u32 taken;

		for (u32 i = 0; i < TRACING_MAP_BATCH; i++) {
			keys[2 * i] = next_random(&seed) % 8;
			keys[2 * i + 1] = next_random(&seed) % 64; /* 512 keys for 300 entries */
		}
		taken = tracing_map_insert_batch(many, keys, TRACING_MAP_BATCH, elts);
		for (u32 i = 0; i < taken; i++) {
			struct tracing_map_elt *elt =
				tracing_map_insert(one, keys + 2 * (size_t)i, &created);

			assert_non_null(elt);
			assert_memory_equal(tracing_map_key(many, elts[i]), keys + 2 * (size_t)i,
					    16);
		}
		if (taken < TRACING_MAP_BATCH)
			assert_null(tracing_map_insert(one, keys + 2 * (size_t)taken, &created));
		assert_int_equal(many->hits, one->hits);
		assert_int_equal(many->n_elts, one->n_elts);
	}
	assert_int_equal(many->n_elts, 300);
	assert_int_equal(many->drops, 0);
	tracing_map_free(one);
	tracing_map_free(many);
}

static void test_merge(void **state)
{
	struct tracing_map *all = map_of(8, 2, 0, 0), *to = map_of(8, 2, 0, 0),
			   *from = map_of(8, 2, 0, 0);
	u64 seed = 2;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		u64 key = next_random(&seed) % 700, v = next_random(&seed);
		struct tracing_map_elt *a = insert(all, key), *b = insert(i % 3 ? to : from, key);

		tracing_map_sums(a)[0]++;
		tracing_map_sums(b)[0]++;
		tracing_map_sums(a)[1] += v << 40; /* sums wrap */
		tracing_map_sums(b)[1] += v << 40;
	}
	assert_true(tracing_map_merge(to, from));
	assert_int_equal(to->hits, all->hits);
	assert_int_equal(to->n_elts, all->n_elts);
	for (u32 i = 0; i < all->n_elts; i++) {
		struct tracing_map_elt *a = tracing_map_elt_at(all, i);
		struct tracing_map_elt *b = lookup(to, tracing_map_key(all, a));

		assert_non_null(b);
		assert_memory_equal(tracing_map_sums(a), tracing_map_sums(b), 16);
	}
	tracing_map_free(all);
	tracing_map_free(to);
	tracing_map_free(from);
}

/* A map with the keys of another one; other keys are dropped, and this is reported when merging. */
static void test_freeze(void **state)
{
	struct tracing_map *keys = map_of(8, 2, 0, 2), *frozen = map_of(8, 2, 0, 2);
	const u64 batch[] = { 7, 9, 8, 9, 7 };
	struct tracing_map_elt *elts[ARRAY_SIZE(batch)];

	(void)state;
	tracing_map_sums(insert(keys, 7))[1] = 5;
	tracing_map_sums(insert(keys, 8))[1] = 6;
	assert_true(tracing_map_is_full(keys));
	tracing_map_keep_keys(keys);
	assert_int_equal(keys->hits, 0);
	assert_int_equal(tracing_map_sums(insert(keys, 7))[1], 0);
	tracing_map_keep_keys(keys);

	assert_true(tracing_map_freeze(frozen, keys));
	assert_int_equal(frozen->n_elts, 2);
	assert_int_equal(tracing_map_insert_batch(frozen, batch, ARRAY_SIZE(batch), elts),
			 ARRAY_SIZE(batch));
	for (size_t i = 0; i < ARRAY_SIZE(batch); i++)
		tracing_map_sums(elts[i])[0]++;
	assert_ptr_equal(elts[0], elts[4]);
	assert_ptr_equal(elts[1], elts[3]);
	assert_int_equal(tracing_map_sums(elts[0])[0], 2);
	assert_int_equal(tracing_map_sums(elts[2])[0], 1);
	assert_true(tracing_map_merge(keys, frozen));
	assert_int_equal(tracing_map_sums(lookup(keys, &batch[0]))[0], 2);
	assert_int_equal(keys->hits, 3);
	assert_int_equal(keys->drops, 2);
	tracing_map_free(keys);
	tracing_map_free(frozen);
}

static void test_merge_full(void **state)
{
	struct tracing_map *to = map_of(8, 1, 0, 2), *from = map_of(8, 1, 0, 0);

	(void)state;
	insert(to, 1);
	insert(from, 2);
	insert(from, 3);
	assert_false(tracing_map_merge(to, from));
	tracing_map_free(to);
	tracing_map_free(from);
}

/* --- the order that a 6.12 kernel printed for 400 records with many ties --- */

struct tie_record {
	u64 b32, b8, a16;
	char dyn[256];
};

/* The order of ties depends on the bytes of the keys, which a little-endian kernel recorded. */
static u64 recorded(u64 v)
{
	store_u64(&v, v, false);
	return v;
}

static struct tie_record tie_record(unsigned int i)
{
	unsigned int r = (i * 7919 + 13) % 37;
	struct tie_record t = {
		.b32 = recorded(r * 41 % 53 * 100),
		.b8 = r % 3,
		.a16 = recorded((r % 5) - 2ull),
	};

	snprintf(t.dyn, sizeof(t.dyn), "s%u", r % 11);
	return t;
}

/* The sorted keys as text, by @show. */
static char *sorted_text(const struct tracing_map *map, const struct tracing_map_sort_key *keys,
			 size_t n, enum tracing_map_heapsort how,
			 void (*show)(struct strbuf *, const void *key))
{
	struct strbuf text = STRBUF_INIT;
	struct tracing_map_elt **sorted;

	assert_int_equal(tracing_map_sort_entries(map, keys, n, how, &sorted), map->n_elts);
	for (u32 i = 0; i < map->n_elts; i++) {
		strbuf_addstr(&text, i ? " " : "");
		show(&text, tracing_map_key(map, sorted[i]));
	}
	free(sorted);
	return strbuf_detach(&text);
}

static void check_order(const struct tracing_map *map, const struct tracing_map_sort_key *keys,
			size_t n, void (*show)(struct strbuf *, const void *key), const char *want)
{
	char *got = sorted_text(map, keys, n, HEAPSORT_6_12, show);

	assert_string_equal(got, want);
	free(got);
}

static void show_number(struct strbuf *out, const void *key)
{
	strbuf_addf(out, "%llu", (unsigned long long)load_u64(key, false));
}

static void show_pair(struct strbuf *out, const void *key)
{
	const u8 *p = key;

	strbuf_addf(out, "%lld/%llu", (long long)load_u64(p, false),
		    (unsigned long long)load_u64(p + 8, false));
}

static void show_string(struct strbuf *out, const void *key)
{
	strbuf_addstr(out, key);
}

static void count(struct tracing_map *map, const void *key, u64 value)
{
	bool created;
	struct tracing_map_elt *elt = tracing_map_insert(map, key, &created);

	tracing_map_sums(elt)[0]++;
	tracing_map_sums(elt)[1] += value;
}

static const struct tracing_map_sort_key by_hits = { .cmp = TRACING_MAP_CMP_SUM, .at = 0 };

static void test_ties_one_key(void **state)
{
	struct tracing_map *map = map_of(8, 2, 0, 256);
	const struct tracing_map_sort_key twice[] = {
		{ .cmp = TRACING_MAP_CMP_SUM, .at = 1, .descending = true },
		by_hits,
	};

	(void)state;
	for (unsigned int i = 0; i < 400; i++) {
		struct tie_record t = tie_record(i);

		count(map, &t.b32, t.b8);
	}
	check_order(
		map, &by_hits, 1, show_number,
		"1500 5100 3400 2700 1000 3900 2200 4400 3700 1300 1600 4500 800 4700 100 4100 4200 1100 "
		"3200 5200 400 4900 4000 1700 3500 3000 2500 2900 2000 600 300 2800 500 4600 2300 1800 0");
	check_order(
		map, twice, 2, show_number,
		"4600 4200 800 2500 400 2900 600 2300 4400 4000 2700 1000 3700 4100 100 5200 3500 1800 2000 "
		"300 1600 500 2200 3900 3400 5100 1500 3200 4500 1100 1700 4900 3000 2800 0 1300 4700");
	tracing_map_free(map);
}

static void test_ties_two_keys(void **state)
{
	struct tracing_map *map = map_of(16, 2, 0, 2048);
	const struct tracing_map_sort_key sort[] = {
		by_hits,
		{ .cmp = TRACING_MAP_CMP_NUM, .at = 0, .size = 2, .is_signed = true },
	};

	(void)state;
	for (unsigned int i = 0; i < 400; i++) {
		struct tie_record t = tie_record(i);
		u64 key[2] = { t.a16, t.b32 };

		count(map, key, 0);
	}
	check_order(
		map, sort, 2, show_pair,
		"-2/3900 -1/3400 -1/2700 0/2200 0/1500 1/1000 2/5100 "
		"-2/400 -2/2500 -2/1100 -2/4600 -2/3200 -2/1800 -2/0 "
		"-1/2000 -1/4100 -1/1300 -1/600 -1/4500 -1/5200 0/4000 0/2900 0/4700 0/800 0/100 "
		"1/4200 1/2800 1/300 1/1700 1/4900 1/3500 2/3700 2/3000 2/500 2/4400 2/2300 2/1600");
	tracing_map_free(map);
}

static void test_ties_strings(void **state)
{
	struct tracing_map *map = map_of(256, 2, 0, 2048);
	const struct tracing_map_sort_key down = { .cmp = TRACING_MAP_CMP_SUM,
						   .at = 0,
						   .descending = true };
	const struct tracing_map_sort_key by_text = { .cmp = TRACING_MAP_CMP_STRING, .at = 0 };

	(void)state;
	for (unsigned int i = 0; i < 400; i++) {
		struct tie_record t = tie_record(i);
		_Alignas(8) char key[256];

		memcpy(key, t.dyn, sizeof(key));
		count(map, key, 0);
	}
	check_order(map, &down, 1, show_string, "s3 s2 s1 s0 s4 s5 s6 s7 s8 s9 s10");
	check_order(map, &by_text, 1, show_string, "s0 s1 s10 s2 s3 s4 s5 s6 s7 s8 s9");
	tracing_map_free(map);
}

/*
 * lseek(2) to 3 * i on both kernels: i from 0 to 332, i % 4 + 1 times each, then from 0 to 16, i %
 * 2 + 1 times; in buckets of 7 by hitcount.
 */
static const char order_6_1[] =
	"994 875 455 154 238 203 119 574 959 742 371 539 658 791 910 623 490 707 322 287 826 "
	"70 406 301 98 560 847 91 973 728 812 595 854 427 553 602 133 343 182 259 175 469 56 "
	"763 434 385 392 644 686 511 217 938 679 931 476 637 49 980 308 805 518 266 721 889 "
	"770 224 350 140 896 420 84 168 336 672 924 588 840 35 504 252 756 364 105 616 280 "
	"357 868 196 609 448 700 861 441 952 693 945 532 777 161 273 413 77 665 917 329 784 "
	"581 189 833 525 245 497 749 112 210 462 714 966 294 546 7 798 126 14 378 630 882 "
	"987 819 147 399 651 903 63 315 231 483 735 567 0 28 21 42";

static const char order_6_12[] =
	"994 875 791 70 707 959 238 574 287 119 490 658 455 742 623 539 406 826 203 322 910 "
	"154 371 973 679 266 469 133 392 224 56 721 49 637 770 889 847 980 140 896 595 805 "
	"931 644 385 175 553 938 854 259 686 182 602 343 812 301 91 434 560 308 350 518 728 "
	"511 98 217 763 476 427 504 252 840 35 588 924 672 420 336 168 84 756 112 749 497 "
	"245 525 833 581 917 329 784 665 413 77 161 273 945 532 693 952 441 189 861 448 777 "
	"196 700 609 868 357 616 105 364 280 882 630 378 126 798 14 7 546 294 966 714 462 "
	"210 735 483 567 231 315 63 903 651 399 147 819 987 28 0 42 21";

static void count_offsets(struct tracing_map *map, unsigned int n, unsigned int repeat)
{
	for (unsigned int i = 0; i < n; i++) {
		u64 key = recorded(i * 3 / 7 * 7);

		for (unsigned int j = 0; j <= i % repeat; j++)
			count(map, &key, 0);
	}
}

static void test_ties_versions(void **state)
{
	struct tracing_map *map = map_of(8, 2, 0, 2048);
	char *got;

	(void)state;
	count_offsets(map, 333, 4);
	count_offsets(map, 17, 2);
	got = sorted_text(map, &by_hits, 1, HEAPSORT_6_1, show_number);
	assert_string_equal(got, order_6_1);
	free(got);
	got = sorted_text(map, &by_hits, 1, HEAPSORT_6_12, show_number);
	assert_string_equal(got, order_6_12);
	free(got);
	tracing_map_free(map);
}

/* --- properties of any order --- */

static u64 sort_number(const struct tracing_map *map, struct tracing_map_elt *elt,
		       const struct tracing_map_sort_key *key)
{
	u64 v;

	if (key->cmp == TRACING_MAP_CMP_SUM)
		return tracing_map_sums(elt)[key->at];
	v = load_u64((const u8 *)tracing_map_key(map, elt) + key->at, map->desc.big_endian);
	if (key->size < 8)
		v &= (1ull << 8 * key->size) - 1;
	/* so unsigned comparison orders signed numbers */
	return key->is_signed ? v ^ 1ull << (8 * key->size - 1) : v;
}

/* Rows are a permutation of the entries, sorted by the keys (stacks are always equal). */
static void check_sorted(const struct tracing_map *map, const struct tracing_map_sort_key *keys,
			 size_t n, enum tracing_map_heapsort how)
{
	struct tracing_map_elt **rows;
	u64 marks = 0;

	assert_int_equal(tracing_map_sort_entries(map, keys, n, how, &rows), map->n_elts);
	for (u32 i = 0; i < map->n_elts; i++)
		marks += tracing_map_sums(rows[i])[2]; /* a power of 3 for each of up to 40 */
	for (u32 i = 0; i < map->n_elts; i++)
		marks -= tracing_map_sums(tracing_map_elt_at(map, i))[2];
	assert_int_equal(marks, 0);
	for (u32 i = 0; i + 1 < map->n_elts; i++) {
		for (size_t k = 0; k < n; k++) {
			u64 a, b;

			if (keys[k].cmp == TRACING_MAP_CMP_NONE)
				continue;
			a = sort_number(map, rows[i], &keys[k]);
			b = sort_number(map, rows[i + 1], &keys[k]);
			if (a == b)
				continue;
			assert_true(keys[k].descending ? a > b : a < b);
			break;
		}
	}
	free(rows);
}

static void fill(struct tracing_map *map, u32 n, u64 *seed)
{
	u64 mark = 1;

	for (u32 i = 0; i < n; i++) {
		u64 key[2];
		struct tracing_map_elt *elt;
		bool created;

		store_u64(&key[0], (u64)((s64)(next_random(seed) % 7) - 3), map->desc.big_endian);
		store_u64(&key[1], i, map->desc.big_endian);
		elt = tracing_map_insert(map, key, &created);
		tracing_map_sums(elt)[0] = next_random(seed) % 3;
		tracing_map_sums(elt)[1] = UINT64_MAX - next_random(seed) % 4;
		tracing_map_sums(elt)[2] = mark;
		mark *= 3;
	}
}

static void test_sort_properties(void **state)
{
	const struct tracing_map_sort_key orders[][2] = {
		{ { .cmp = TRACING_MAP_CMP_SUM, .at = 0 },
		  { .cmp = TRACING_MAP_CMP_SUM, .at = 1, .descending = true } },
		{ { .cmp = TRACING_MAP_CMP_SUM, .at = 1, .descending = true },
		  { .cmp = TRACING_MAP_CMP_NUM, .at = 0, .size = 8, .is_signed = true } },
		{ { .cmp = TRACING_MAP_CMP_NUM,
		    .at = 0,
		    .size = 2,
		    .is_signed = true,
		    .descending = true },
		  { .cmp = TRACING_MAP_CMP_NUM, .at = 8, .size = 4 } },
		{ { .cmp = TRACING_MAP_CMP_NUM, .at = 0, .size = 1 },
		  { .cmp = TRACING_MAP_CMP_SUM, .at = 0 } },
		{ { .cmp = TRACING_MAP_CMP_NONE }, { .cmp = TRACING_MAP_CMP_SUM, .at = 0 } },
	};
	u64 seed = 3;

	(void)state;
	for (u32 n = 0; n <= 40; n++) {
		for (size_t k = 0; k < 4 * ARRAY_SIZE(orders); k++) {
			struct tracing_map_desc desc = { .key_size = 16,
							 .n_sums = 3,
							 .big_endian = k & 1 };
			struct tracing_map *map = tracing_map_new(&desc);

			assert_non_null(map);
			fill(map, n, &seed);
			for (size_t m = 1; m <= 2; m++)
				check_sorted(map, orders[k / 4], m,
					     k & 2 ? HEAPSORT_6_1 : HEAPSORT_6_12);
			tracing_map_free(map);
		}
	}
}

/* The same entries have the same order, in whatever order they were created. */
static void test_sort_is_definite(void **state)
{
	struct tracing_map *up = map_of(8, 2, 0, 0), *down = map_of(8, 2, 0, 0);

	(void)state;
	for (u64 i = 0; i < 500; i++) {
		u64 key = i * 37 % 501;

		count(up, &key, 0);
		key = (499 - i) * 37 % 501;
		count(down, &key, 0);
	}
	for (int how = HEAPSORT_6_1; how <= HEAPSORT_6_12; how++) {
		char *a = sorted_text(up, &by_hits, 1, (enum tracing_map_heapsort)how, show_number);
		char *b =
			sorted_text(down, &by_hits, 1, (enum tracing_map_heapsort)how, show_number);

		assert_string_equal(a, b);
		free(a);
		free(b);
	}
	tracing_map_free(up);
	tracing_map_free(down);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_insert),
		TEST(test_wide_keys),
		TEST(test_drops),
		TEST(test_growth),
		TEST(test_clear),
		TEST(test_variables),
		TEST(test_private),
		TEST(test_batch),
		TEST(test_merge),
		TEST(test_freeze),
		TEST(test_merge_full),
		TEST(test_ties_one_key),
		TEST(test_ties_two_keys),
		TEST(test_ties_strings),
		TEST(test_ties_versions),
		TEST(test_sort_properties),
		TEST(test_sort_is_definite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
