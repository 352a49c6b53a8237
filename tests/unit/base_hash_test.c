// SPDX-License-Identifier: LGPL-2.1-only
/* The table of indices, compared with a plain array of its contents. */
#include "unit.h"

#include "base/base.h"

static bool has(const struct hash_table *t, u32 hash, size_t item)
{
	struct hash_walk walk = hash_walk(hash);
	size_t found;
	bool seen = false;

	while (hash_next(t, &walk, &found)) {
		assert_false(found == item && seen); /* returned only once */
		seen |= found == item;
	}
	return seen;
}

static void test_empty(void **state)
{
	struct hash_table t = HASH_TABLE_INIT;

	(void)state;
	assert_false(has(&t, 0, 0));
	hash_remove(&t, 0, 0);
	assert_int_equal(t.n, 0);
	hash_release(&t);
}

static void test_hashes(void **state)
{
	(void)state;
	assert_int_not_equal(hash_text("ab"), hash_text("ba"));
	assert_int_not_equal(hash_bytes(hash_text("a"), "b", 1),
			     hash_bytes(hash_text("b"), "a", 1));
	assert_int_not_equal(hash_number(1), hash_number(2));
	assert_int_not_equal(hash_number(1), hash_number(1ull << 32));
}

/* @spread: number of different hashes; 1: everything collides */
static void add_and_remove(u32 spread)
{
	enum { ITEMS = 600, STEPS = 20000 };
	struct hash_table t = HASH_TABLE_INIT;
	static bool in[ITEMS];
	u32 random = 1;
	size_t n = 0;

	memset(in, 0, sizeof(in));
	for (int step = 0; step < STEPS; step++) {
		size_t i = (random = random * 1664525u + 1013904223u) >> 8;
		u32 hash;

		i %= ITEMS;
		hash = (u32)i % spread * 0x9e3779b9u;
		assert_int_equal(has(&t, hash, i), in[i]);
		if (in[i])
			hash_remove(&t, hash, i);
		else
			assert_int_equal(hash_add(&t, hash, i), 0);
		in[i] = !in[i];
		n = in[i] ? n + 1 : n - 1;
		assert_int_equal(t.n, n);
	}
	for (size_t i = 0; i < ITEMS; i++)
		assert_int_equal(has(&t, (u32)i % spread * 0x9e3779b9u, i), in[i]);
	hash_release(&t);
}

static void test_as_an_array(void **state)
{
	(void)state;
	add_and_remove(UINT32_MAX);
	add_and_remove(7);
	add_and_remove(1);
}

/* Hashes that increase by one, or by the number of slots, must not be slow. */
static void test_growth(void **state)
{
	enum { ITEMS = 100000 };

	(void)state;
	for (u32 step = 1; step; step <<= 8) {
		struct hash_table t = HASH_TABLE_INIT;

		for (u32 i = 0; i < ITEMS; i++)
			assert_int_equal(hash_add(&t, i * step, i), 0);
		assert_true((size_t)2 * t.n <= (size_t)1 << t.bits);
		assert_true((size_t)8 * t.n >= (size_t)1 << t.bits);
		for (u32 i = 0; step < 1u << 16 && i < ITEMS; i++)
			assert_true(has(&t, i * step, i));
		hash_release(&t);
		if (step == 1u << 16)
			break;
	}
}

static void test_remove_one(void **state)
{
	struct hash_table t = HASH_TABLE_INIT;

	(void)state;
	for (u32 i = 0; i < 10; i++)
		assert_int_equal(hash_add(&t, i, i), 0);
	hash_remove(&t, 4, 4);
	hash_remove(&t, 4, 4);
	assert_int_equal(t.n, 9);
	for (u32 i = 0; i < 10; i++)
		assert_int_equal(has(&t, i, i), i != 4);
	hash_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_empty),  TEST(test_hashes),     TEST(test_as_an_array),
		TEST(test_growth), TEST(test_remove_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
