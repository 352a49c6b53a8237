// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The stable sort compared with a comparison sort, on random entries; and when a replay uses it
 * instead of the kernel's sort.
 */
#include "tracing_dir.h"

static u64 next_random(u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

enum { KEY_SIZE = 8 + 8 + 16 + 16 };

/* A sum; a number of 8 bytes, a signed one of 4 bytes, a string, a stack. */
static const struct tracing_map_sort_key parts[] = {
	{ .cmp = TRACING_MAP_CMP_SUM, .at = 1 },
	{ .cmp = TRACING_MAP_CMP_NUM, .at = 0, .size = 8 },
	{ .cmp = TRACING_MAP_CMP_NUM, .at = 8, .size = 4, .is_signed = true },
	{ .cmp = TRACING_MAP_CMP_STRING, .at = 16, .size = 16 },
	{ .cmp = TRACING_MAP_CMP_LONGS, .at = 32, .size = 16 },
	{ .cmp = TRACING_MAP_CMP_LONGS, .at = 32, .size = 16, .is_short = true },
};

static int cmp_longs(const u8 *a, const u8 *b, const struct tracing_map_sort_key *key, bool big)
{
	u32 size = key->is_short ? 4 : 8;

	for (u32 i = 0; i < key->size; i += size) {
		u64 va = size == 4 ? load_u32(a + i, big) : load_u64(a + i, big);
		u64 vb = size == 4 ? load_u32(b + i, big) : load_u64(b + i, big);

		if (va != vb)
			return va < vb ? -1 : 1;
	}
	return 0;
}

static int cmp_part(const struct tracing_map *map, struct tracing_map_elt *a,
		    struct tracing_map_elt *b, const struct tracing_map_sort_key *key)
{
	const u8 *ka = (u8 *)tracing_map_key(map, a) + key->at,
		 *kb = (u8 *)tracing_map_key(map, b) + key->at;
	bool big = map->desc.big_endian;
	u64 va, vb;

	switch (key->cmp) {
	case TRACING_MAP_CMP_SUM:
		return a->words[key->at] < b->words[key->at]
			       ? -1
			       : a->words[key->at] > b->words[key->at];
	case TRACING_MAP_CMP_NUM:
		va = load_u64(ka, big);
		vb = load_u64(kb, big);
		if (key->size == 4) {
			va = (u64)(s64)(s32)va + (1ull << 63);
			vb = (u64)(s64)(s32)vb + (1ull << 63);
		}
		return va < vb ? -1 : va > vb;
	case TRACING_MAP_CMP_STRING:
		return memcmp(ka, kb, key->size);
	default:
		return cmp_longs(ka, kb, key, big);
	}
}

static void fill(struct tracing_map *map, size_t n, u64 *seed)
{
	for (size_t i = 0; i < n; i++) {
		_Alignas(8) u8 key[KEY_SIZE] = { 0 };
		u64 few = next_random(seed) % 5;
		struct tracing_map_elt *elt;
		bool created;

		store_u64(key, next_random(seed) >> (few * 12), map->desc.big_endian);
		store_u64(key + 8, (u64)(s64)(s32)next_random(seed) % 4, map->desc.big_endian);
		for (size_t t = 0; t < few; t++)
			key[16 + t * 3] = (u8)(next_random(seed) % 3 ? 0 : next_random(seed));
		store_u64(key + 32 + few % 2 * 8, next_random(seed) % 7 << 30,
			  map->desc.big_endian);
		elt = tracing_map_insert(map, key, &created);
		assert_non_null(elt);
		tracing_map_sums(elt)[1] += next_random(seed) % 4;
	}
}

static void check_order(const struct tracing_map *map, const struct tracing_map_sort_key *keys,
			size_t n_keys, unsigned int threads)
{
	struct tracing_map_elt **sorted;

	assert_int_equal(tracing_map_sort_stable(map, keys, n_keys, threads, &sorted), map->n_elts);
	for (u32 i = 0; i + 1 < map->n_elts; i++) {
		int order = 0;

		for (size_t k = 0; k < n_keys && !order; k++) {
			order = cmp_part(map, sorted[i], sorted[i + 1], &keys[k]);
			order = keys[k].descending ? -order : order;
		}
		assert_true(order <= 0);
		/* equal ones are in the order of creation, which the first sum shows */
		if (!order)
			assert_true(tracing_map_sums(sorted[i])[0] <
				    tracing_map_sums(sorted[i + 1])[0]);
	}
	free(sorted);
}

/* Maps of up to @most entries. */
static void check_random(unsigned int rounds, u64 most, unsigned int threads)
{
	u64 seed = 2463534242ull;

	for (unsigned int round = 0; round < rounds; round++) {
		struct tracing_map_desc desc = { .key_size = KEY_SIZE,
						 .n_sums = 2,
						 .big_endian = round & 1 };
		struct tracing_map *map = tracing_map_new(&desc);
		struct tracing_map_sort_key keys[4];
		size_t n_keys = 1 + next_random(&seed) % ARRAY_SIZE(keys);

		assert_non_null(map);
		fill(map, most - next_random(&seed) % (most / 4), &seed);
		for (u32 i = 0; i < map->n_elts; i++)
			tracing_map_sums(tracing_map_elt_at(map, i))[0] = i;
		for (size_t k = 0; k < n_keys; k++) {
			keys[k] = parts[next_random(&seed) % ARRAY_SIZE(parts)];
			keys[k].descending = next_random(&seed) & 1;
		}
		check_order(map, keys, n_keys, threads);
		tracing_map_free(map);
	}
}

static void sorts_as_a_comparison_does(void **state)
{
	(void)state;
	for (u64 most = 4; most < 3000; most *= 3)
		check_random(10, most, 1);
}

/* Enough entries for several threads. */
static void threads_sort_alike(void **state)
{
	(void)state;
	check_random(6, 70000, 3);
	check_random(6, 140000, 7);
}

/* --- in a replay --- */

static void open_unlimited(struct dir *d)
{
	dir_open_machine(d, dir_machine_unlimited("6.12"));
}

static void accepts_larger_results(void **state)
{
	struct dir d;

	(void)state;
	open_unlimited(&d);
	accept(&d, "test:all",
	       "hist:keys=b8,a16,a32,b32,a64:vals=b64,b16,a8,b8:sort=b8,a16.descending,a32,b64");
	hit(&d, "test:all", "b8=1 a16=1 a32=2 b32=1 a64=1 b64=9");
	hit(&d, "test:all", "b8=1 a16=1 a32=-2 b32=1 a64=1 b64=8");
	hit(&d, "test:all", "b8=1 a16=3 a32=5 b32=1 a64=1 b64=7");
	hit(&d, "test:all", "b8=0 a16=-3 a32=5 b32=1 a64=1 b64=6");
	check_rows(
		&d, "test:all",
		"{ b8: 0, a16: 18446744073709551613, a32: 5, b32: 1, a64: 1 } hitcount: 1 b64: 6 b16: 0 a8: 0 b8: 0 "
		"{ b8: 1, a16: 3, a32: 5, b32: 1, a64: 1 } hitcount: 1 b64: 7 b16: 0 a8: 0 b8: 1 "
		"{ b8: 1, a16: 1, a32: 18446744073709551614, b32: 1, a64: 1 } hitcount: 1 b64: 8 b16: 0 a8: 0 b8: 1 "
		"{ b8: 1, a16: 1, a32: 2, b32: 1, a64: 1 } hitcount: 1 b64: 9 b16: 0 a8: 0 b8: 1 | 4 4 0");
	dir_close(&d);
}

/* Equal rows are sorted by key, field by field, numbers by value. */
static void ties_go_by_key(void **state)
{
	static const char *const values[] = { "-1", "5", "-7", "0", "1000" };
	struct dir d;
	char fields[64];

	(void)state;
	open_unlimited(&d);
	accept(&d, "test:all", "hist:keys=a32,st:sort=hitcount,hitcount,hitcount");
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		snprintf(fields, sizeof(fields), "a32=%s st=%s", values[i], i == 1 ? "b" : "a");
		hit(&d, "test:all", fields);
	}
	hit(&d, "test:all", "a32=5 st=a");
	check_rows(
		&d, "test:all",
		"{ a32: 18446744073709551609, st: a } hitcount: 1 { a32: 18446744073709551615, st: a } hitcount: 1 "
		"{ a32: 0, st: a } hitcount: 1 { a32: 5, st: a } hitcount: 1 { a32: 5, st: b } hitcount: 1 "
		"{ a32: 1000, st: a } hitcount: 1 | 6 6 0");
	dir_close(&d);
}

static char *rows_of_many(bool unlimited, unsigned int n)
{
	struct machine machine = unlimited ? dir_machine_unlimited("6.12") : dir_machine("6.12");
	struct strbuf out = STRBUF_INIT;
	struct stored_result *frozen;
	struct result_row row;
	struct dir d;
	char fields[64];

	dir_open_machine(&d, machine);
	accept(&d, "test:all", "hist:keys=b32:size=128");
	for (unsigned int i = 0; i < n; i++) {
		snprintf(fields, sizeof(fields), "b32=%u", i * 7919 % 1009);
		hit(&d, "test:all", fields);
	}
	assert_int_equal(result_freeze(file_of(&d, "test:all")->triggers.v[0], NULL, &frozen), 0);
	for (size_t i = 0; i < frozen->result.n_rows; i++) {
		frozen->result.row(&frozen->result, i, &row);
		strbuf_addf(&out, "%llu ", (unsigned long long)row.cells[0].num);
	}
	strbuf_addf(&out, "%llu", (unsigned long long)frozen->result.drops);
	stored_free(frozen);
	dir_close(&d);
	return strbuf_detach(&out);
}

/* If the kernel could have counted it, --unlimited uses the kernel's order, including ties. */
static void order_is_that_of_the_kernel(void **state)
{
	char *with = rows_of_many(true, 128), *without = rows_of_many(false, 128);
	char *more = rows_of_many(true, 200), *dropped = rows_of_many(false, 200);
	unsigned long last = 0;
	char *p = more;

	(void)state;
	assert_string_equal(with, without);
	for (unsigned int i = 0; i < 200; i++) {
		unsigned long v = strtoul(p, &p, 10);

		assert_true(!i || v > last);
		last = v;
	}
	assert_string_equal(p, " 0");
	assert_string_equal(strrchr(dropped, ' '), " 72");
	free(with);
	free(without);
	free(more);
	free(dropped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(sorts_as_a_comparison_does),  TEST(threads_sort_alike),
		TEST(accepts_larger_results),      TEST(ties_go_by_key),
		TEST(order_is_that_of_the_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
