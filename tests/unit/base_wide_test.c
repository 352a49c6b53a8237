// SPDX-License-Identifier: LGPL-2.1-only
/* wide: division is the inverse of multiplication. */
#include "unit.h"

#include "random.h"

static void assert_wide(struct wide got, u64 low, u64 second, u64 rest)
{
	assert_int_equal(got.w[0], low);
	assert_int_equal(got.w[1], second);
	assert_int_equal(got.w[2], rest);
	assert_int_equal(got.w[3], rest);
}

static void divides(void **state)
{
	struct wide a = { { 7, 1, 0, 0 } };

	(void)state;
	assert_wide(wide_div(&a, 1), 7, 1, 0);
	assert_wide(wide_div(&a, 2), (1ULL << 63) + 3, 0, 0);
	assert_wide(wide_div(&a, UINT64_MAX), 1, 0, 0);
	a = (struct wide){ { UINT64_MAX - 1, UINT64_MAX - 1, 0, 0 } };
	assert_wide(wide_div(&a, UINT64_MAX), UINT64_MAX, 0, 0);
	assert_wide(wide_div(&a, UINT64_MAX - 1), 1, 1, 0);
}

static void divides_towards_zero(void **state)
{
	struct wide a = wide_of((u64)-7, true);

	(void)state;
	assert_wide(wide_div(&a, 2), (u64)-3, UINT64_MAX, UINT64_MAX);
	assert_wide(wide_div(&a, 7), (u64)-1, UINT64_MAX, UINT64_MAX);
	assert_wide(wide_div(&a, 8), 0, 0, 0);
}

static u64 random_word(void)
{
	return (u64)random_below(UINT32_MAX) << 33 ^ (u64)random_below(UINT32_MAX) << 16 ^
	       random_below(UINT32_MAX);
}

/* x * y + y - 1, divided by y. */
static void undoes_multiplication(void **state)
{
	(void)state;
	for (int i = 0; i < 10000; i++) {
		u64 x = random_word() >> (i % 64), y = random_word() >> (i / 64 % 64) | 1;
		struct wide a = wide_of(x, false), b = wide_of(y, false), n = wide_mul(&a, &b);
		struct wide rest = wide_of(y - 1, false);

		wide_add(&n, &rest);
		assert_wide(wide_div(&n, y), x, 0, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(divides),
		cmocka_unit_test(divides_towards_zero),
		cmocka_unit_test(undoes_multiplication),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
