// SPDX-License-Identifier: LGPL-2.1-only
/* bytes: both byte orders, every bound, and that an invalid read is remembered. */
#include "unit.h"

static const u8 data[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

static void both_byte_orders(void **state)
{
	struct bytes le = bytes_of(data, sizeof(data), false);
	struct bytes be = bytes_of(data, sizeof(data), true);

	(void)state;
	assert_int_equal(bytes_u8(&le), 1);
	assert_int_equal(bytes_u16(&le), 0x0302);
	assert_int_equal(bytes_u32(&le), 0x07060504);
	assert_true(bytes_u64(&le) == 0x0f0e0d0c0b0a0908);
	assert_int_equal(bytes_left(&le), 0);
	assert_false(le.bad);

	assert_int_equal(bytes_u8(&be), 1);
	assert_int_equal(bytes_u16(&be), 0x0203);
	assert_int_equal(bytes_u32(&be), 0x04050607);
	assert_true(bytes_u64(&be) == 0x08090a0b0c0d0e0f);
	assert_false(be.bad);
}

static void stores_what_it_loads(void **state)
{
	u8 b[8];

	(void)state;
	for (int big = 0; big < 2; big++) {
		store_u16(b, 0x1234, big);
		assert_int_equal(load_u16(b, big), 0x1234);
		assert_int_equal(b[0], big ? 0x12 : 0x34);
		store_u32(b, 0x12345678, big);
		assert_int_equal(load_u32(b, big), 0x12345678);
		assert_int_equal(b[0], big ? 0x12 : 0x78);
		store_u64(b, 0x123456789abcdef0, big);
		assert_true(load_u64(b, big) == 0x123456789abcdef0);
		assert_int_equal(b[0], big ? 0x12 : 0xf0);
	}
}

/* A read that does not fit returns 0, does not advance, and sets bad permanently. */
static void past_the_end(void **state)
{
	struct bytes b = bytes_of(data, 3, false);

	(void)state;
	assert_int_equal(bytes_u32(&b), 0);
	assert_true(b.bad);
	assert_int_equal(bytes_left(&b), 3);
	assert_int_equal(bytes_u16(&b), 0x0201);
	assert_int_equal(bytes_u64(&b), 0);
	assert_int_equal(bytes_u16(&b), 0);
	assert_int_equal(bytes_u8(&b), 3);
	assert_int_equal(bytes_u8(&b), 0);
	assert_true(b.bad);
}

static void takes(void **state)
{
	struct bytes b = bytes_of(data, sizeof(data), false);

	(void)state;
	assert_ptr_equal(bytes_take(&b, 4), data);
	assert_ptr_equal(bytes_take(&b, 0), data + 4);
	assert_null(bytes_take(&b, UINT64_MAX));
	assert_null(bytes_take(&b, sizeof(data) - 4 + 1));
	assert_true(b.bad);
	assert_ptr_equal(bytes_take(&b, sizeof(data) - 4), data + 4);
}

static void strings(void **state)
{
	struct bytes b = bytes_of("one\0\0two", 8, false);

	(void)state;
	assert_string_equal(bytes_str(&b), "one");
	assert_string_equal(bytes_str(&b), "");
	assert_false(b.bad);
	assert_null(bytes_str(&b)); /* "two" has no NUL within the bounds */
	assert_true(b.bad);
	assert_int_equal(bytes_left(&b), 3);
}

static void no_results(void **state)
{
	struct bytes b = bytes_of(NULL, 0, false);

	(void)state;
	assert_null(bytes_str(&b));
	assert_int_equal(bytes_u8(&b), 0);
	assert_int_equal(bytes_left(&b), 0);
	assert_true(b.bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both_byte_orders), TEST(stores_what_it_loads), TEST(past_the_end), TEST(takes),
		TEST(strings),          TEST(no_results),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
