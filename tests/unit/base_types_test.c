// SPDX-License-Identifier: LGPL-2.1-only
/* types: macros that look like functions. */
#include "unit.h"

static void least_and_greatest(void **state)
{
	(void)state;
	assert_int_equal(min_t(u32, 3, 5), 3);
	assert_int_equal(max_t(u32, 3, 5), 5);
	assert_int_equal(min_t(int, -1, 1), -1);
	assert_true(min_t(u64, -1, 1) == 1); /* both are converted to that type first */
	assert_true(max_t(u64, UINT64_MAX, 0) == UINT64_MAX);
	assert_int_equal(max_t(int, 1, min_t(int, 9, max_t(int, 3, 7))), 7);
}

static void arguments_are_evaluated_once(void **state)
{
	int a = 0, b = 0;

	(void)state;
	assert_int_equal(min_t(int, a++, ++b), 0);
	assert_int_equal(max_t(int, a++, ++b), 2);
	assert_int_equal(a, 2);
	assert_int_equal(b, 2);
}

static void numbers_below_another(void **state)
{
	const u64 v[] = { 3, 5, UINT64_MAX };
	size_t asked = 0, none = 0;

	(void)state;
	assert_true(any_of(i, ARRAY_SIZE(v), v[i] == 5));
	assert_false(any_of(i, ARRAY_SIZE(v), v[i] == 4));
	assert_false(any_of(i, none, true));
	assert_true(any_of(i, ARRAY_SIZE(v), (asked++, v[i] > 3)));
	assert_int_equal(asked, 2); /* no others are asked */
	assert_true(all_of(i, ARRAY_SIZE(v), v[i] > 2));
	assert_false(all_of(i, ARRAY_SIZE(v), v[i] > 3));
	assert_true(all_of(i, none, false));
	assert_int_equal(sum_of(i, 2, v[i]), 8);
	assert_true(sum_of(i, ARRAY_SIZE(v), i == 2 ? v[i] : 0) == UINT64_MAX);
	assert_int_equal(sum_of(i, none, v[i]), 0);
}

static void sets_of_numbers(void **state)
{
	u64 bits[3] = { 0 };

	(void)state;
	assert_int_equal(bits_words(63), 1);
	assert_int_equal(bits_words(64), 2);
	bits_add(bits, 0);
	bits_add(bits, 63);
	bits_add(bits, 64);
	bits_add(bits, 191);
	bits_add(bits, 191);
	bits_drop(bits, 63);
	bits_drop(bits, 62);
	for (size_t i = 0; i < 192; i++)
		assert_int_equal(bits_has(bits, i), i == 0 || i == 64 || i == 191);
	assert_true(bits[0] == 1 && bits[1] == 1 && bits[2] == 1ull << 63);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(least_and_greatest),
		TEST(arguments_are_evaluated_once),
		TEST(numbers_below_another),
		TEST(sets_of_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
