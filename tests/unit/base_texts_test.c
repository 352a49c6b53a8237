// SPDX-License-Identifier: LGPL-2.1-only
/* texts: each text has one number and one copy, in the order in which they came; ranks sort them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

enum { N = 5000 };

static void numbers(void **state)
{
	struct texts t = { .v.n = 0 };
	char text[16];
	u32 number;

	(void)state;
	/* the second round adds nothing */
	for (int round = 0; round < 2; round++)
		for (u32 i = 0; i < N; i++) {
			snprintf(text, sizeof(text), "%u", i * 7919 % N);
			assert_int_equal(texts_number(&t, span_of(text), &number), 0);
			assert_int_equal(number, i);
			assert_string_equal(t.v.v[number], text);
		}
	assert_int_equal(texts_number(&t, (struct span){ "12x", 2 }, &number), 0);
	assert_string_equal(t.v.v[number], "12");
	assert_int_equal(texts_number(&t, span_of(""), &number), 0);
	assert_int_equal(number, N);
	texts_release(&t);
	assert_int_equal(texts_number(&t, span_of("new"), &number), 0);
	assert_int_equal(number, 0);
	texts_release(&t);
}

static void ranks(void **state)
{
	static const char *const texts[] = { "b", "", "ab", "a", "\xff", "abc" };
	static const u32 want[] = { 4, 0, 2, 1, 5, 3 };
	u32 *got = text_ranks(texts, ARRAY_SIZE(texts));

	(void)state;
	assert_non_null(got);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(got[i], want[i]);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(numbers), TEST(ranks) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
