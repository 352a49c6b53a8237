// SPDX-License-Identifier: LGPL-2.1-only
/* arena and array: zeroed, aligned, stable memory; growth and its limits. */
#include "unit.h"

static void zeroed_aligned_and_separate(void **state)
{
	struct arena arena = ARENA_INIT;
	u8 *last = NULL;

	(void)state;
	for (size_t n = 1; n < 300; n++) {
		u8 *p = arena_alloc(&arena, n);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, n);
		if (last)
			assert_int_equal(last[0], 0xff);
		last = p;
	}
	arena_release(&arena);
	assert_null(arena.head);
	arena_release(&arena);
}

/* A large allocation gets its own block; the current block is still filled. */
static void large_allocations_waste_nothing(void **state)
{
	struct arena arena = ARENA_INIT;
	char *small, *large;

	(void)state;
	small = arena_alloc(&arena, 16);
	large = arena_alloc(&arena, 1000000);
	assert_non_null(large);
	memset(large, 1, 1000000);
	assert_ptr_equal(arena_alloc(&arena, 16), small + 16);
	arena_release(&arena);

	/* also if it is the first allocation */
	large = arena_alloc(&arena, 5000);
	assert_non_null(large);
	assert_non_null(arena_alloc(&arena, 16));
	arena_release(&arena);
}

static void impossible_sizes(void **state)
{
	struct arena arena = ARENA_INIT;

	(void)state;
	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_alloc(&arena, SIZE_MAX / 2 + 1));
	assert_null(arena_strndup(&arena, "x", SIZE_MAX));
	assert_non_null(arena_alloc(&arena, 0));
	arena_release(&arena);
}

static void texts(void **state)
{
	struct arena arena = ARENA_INIT;

	(void)state;
	assert_string_equal(arena_strdup(&arena, "sched"), "sched");
	assert_string_equal(arena_strndup(&arena, "sched_switch", 5), "sched");
	assert_string_equal(arena_strndup(&arena, NULL, 0), "");
	assert_string_equal(arena_printf(&arena, "%s:%d", "cpu", 3), "cpu:3");
	assert_string_equal(arena_printf(&arena, "%s", ""), "");
	arena_release(&arena);
}

static void array_stores_pushed_elements(void **state)
{
	ARRAY(u64) a = ARRAY_INIT;

	(void)state;
	for (u64 i = 0; i < 1000; i++)
		assert_int_equal(array_push(&a, i * i), 0);
	assert_int_equal(a.n, 1000);
	for (u64 i = 0; i < 1000; i++)
		assert_int_equal(a.v[i], i * i);
	array_release(&a);
	assert_null(a.v);
	assert_int_equal(a.n, 0);
}

static void array_detects_overflow(void **state)
{
	size_t cap = SIZE_MAX / 2 + 1;
	void *v = NULL;

	(void)state;
	assert_int_equal(array_grow(&v, &cap, 1), -HIST_ENOMEM);
	cap = SIZE_MAX / 4;
	assert_int_equal(array_grow(&v, &cap, 16), -HIST_ENOMEM);
	assert_null(v);
	assert_int_equal(cap, SIZE_MAX / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(zeroed_aligned_and_separate),
		TEST(large_allocations_waste_nothing),
		TEST(impossible_sizes),
		TEST(texts),
		TEST(array_stores_pushed_elements),
		TEST(array_detects_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
