// SPDX-License-Identifier: LGPL-2.1-only
/* span: cuts as strsep(), trims as strstrip(), numbers as kstrtoull() and kstrtoll(). */
#include "unit.h"

#define assert_span(sp, text) assert_true(span_eq(sp, text))

static void compares(void **state)
{
	struct span absent = { NULL, 0 };
	struct span empty = span_of("");

	(void)state;
	assert_true(span_eq(span_of("pid"), "pid"));
	assert_false(span_eq(span_of("pid"), "pi"));
	assert_false(span_eq(span_of("pi"), "pid"));
	assert_true(span_eq(empty, ""));
	assert_false(span_eq(absent, ""));
	assert_false(span_same(absent, absent));
	assert_true(span_starts(span_of("hist:keys"), "hist:"));
	assert_false(span_starts(span_of("his"), "hist"));
	assert_true(span_starts(empty, ""));
	assert_false(span_starts(absent, ""));
}

static void finds(void **state)
{
	struct span sp = span_of("a.b.c");

	(void)state;
	assert_ptr_equal(span_chr(sp, '.'), sp.s + 1);
	assert_ptr_equal(span_rchr(sp, '.'), sp.s + 3);
	assert_null(span_chr(sp, 'x'));
	assert_null(span_rchr((struct span){ NULL, 0 }, 'x'));
	assert_ptr_equal(span_find(sp, span_of("b.c")), sp.s + 2);
	assert_null(span_find(sp, span_of("c.")));
	assert_ptr_equal(span_find(sp, span_of("")), sp.s);
	assert_null(span_find((struct span){ NULL, 0 }, span_of("")));
	/* the text continues after the span */
	assert_null(span_chr((struct span){ "a.b", 1 }, '.'));
}

static void cuts_as_strsep(void **state)
{
	struct span rest = span_of("keys=pid,,comm:sort");

	(void)state;
	assert_span(span_sep(&rest, ",:"), "keys=pid");
	assert_span(span_sep(&rest, ",:"), "");
	assert_span(span_sep(&rest, ",:"), "comm");
	assert_span(span_sep(&rest, ",:"), "sort");
	assert_null(rest.s);
	assert_null(span_sep(&rest, ",:").s);

	rest = span_of("a:");
	assert_span(span_sep(&rest, ":"), "a");
	assert_non_null(rest.s);
	assert_span(span_sep(&rest, ":"), "");
	assert_null(rest.s);

	rest = (struct span){ "a\0b", 3 }; /* NUL is not a separator */
	assert_int_equal(span_sep(&rest, ":").n, 3);
}

static void trims(void **state)
{
	(void)state;
	assert_span(span_trim(span_of(" \t\n\v\f\r x y \n")), "x y");
	assert_span(span_trim(span_of("   ")), "");
	assert_span(span_ltrim(span_of("  x ")), "x ");
	assert_span(span_trim(span_of("\xa0x\xa0")), "x"); /* kernel: also white space */
	assert_span(span_trim(span_of("\xe9")), "\xe9");
}

static const struct {
	const char *text;
	u64 value;
	bool ok;
} unsigned_numbers[] = {
	{ "0", 0, true },
	{ "00", 0, true },
	{ "42", 42, true },
	{ "+42", 42, true },
	{ "42\n", 42, true },
	{ "0x2A", 42, true },
	{ "0X2a", 42, true },
	{ "052", 42, true },
	{ "18446744073709551615", UINT64_MAX, true },
	{ "0xffffffffffffffff", UINT64_MAX, true },
	{ "01777777777777777777777", UINT64_MAX, true },
	{ "18446744073709551616", 0, false },
	{ "0x10000000000000000", 0, false },
	{ "02000000000000000000000", 0, false },
	{ "99999999999999999999999", 0, false },
	{ "", 0, false },
	{ "\n", 0, false },
	{ "+", 0, false },
	{ "-1", 0, false },
	{ "++1", 0, false },
	{ " 1", 0, false },
	{ "1 ", 0, false },
	{ "1\n\n", 0, false },
	{ "08", 0, false },
	{ "0x", 0, false },
	{ "0xg", 0, false },
	{ "1a", 0, false },
	{ "a", 0, false },
	{ "1.5", 0, false },
};

static void unsigned_as_the_kernel(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unsigned_numbers); i++) {
		u64 v = 12345;
		bool ok = span_u64(span_of(unsigned_numbers[i].text), &v);

		if (ok != unsigned_numbers[i].ok || v != (ok ? unsigned_numbers[i].value : 12345))
			fail_msg("'%s' gives %d, %llu", unsigned_numbers[i].text, ok,
				 (unsigned long long)v);
	}
}

static const struct {
	const char *text;
	s64 value;
	bool ok;
} signed_numbers[] = {
	{ "-1", -1, true },
	{ "-0", 0, true },
	{ "+7", 7, true },
	{ "-0x10", -16, true },
	{ "-010\n", -8, true },
	{ "9223372036854775807", INT64_MAX, true },
	{ "-9223372036854775808", INT64_MIN, true },
	{ "9223372036854775808", 0, false },
	{ "-9223372036854775809", 0, false },
	{ "-18446744073709551616", 0, false },
	{ "-", 0, false },
	{ "--1", 0, false },
	{ "-+1", 0, false },
	{ "+-1", 0, false },
	{ "- 1", 0, false },
};

static void signed_as_the_kernel(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(signed_numbers); i++) {
		s64 v = 12345;
		bool ok = span_s64(span_of(signed_numbers[i].text), &v);

		if (ok != signed_numbers[i].ok || v != (ok ? signed_numbers[i].value : 12345))
			fail_msg("'%s' gives %d, %lld", signed_numbers[i].text, ok, (long long)v);
	}
}

static void numbers_end_with_the_span(void **state)
{
	u64 v = 0;

	(void)state;
	assert_true(span_u64((struct span){ "1234", 2 }, &v));
	assert_int_equal(v, 12);
	assert_true(span_u64((struct span){ "0x12", 1 }, &v));
	assert_int_equal(v, 0);
	assert_false(span_u64((struct span){ NULL, 0 }, &v));
}

static void times_have_units(void **state)
{
	static const struct {
		const char *text;
		u64 ns; /* 0: not a time */
	} times[] = {
		{ "2", 2000000000 },
		{ "0.5", 500000000 },
		{ ".5", 500000000 },
		{ "012.5", 12500000000 },
		{ "1.0000000019", 1000000001 },
		{ "2s", 2000000000 },
		{ "5ms", 5000000 },
		{ "1.5us", 1500 },
		{ "7ns", 7 },
		{ "1.9ns", 1 },
		{ "18446744073.709551615", UINT64_MAX },
		{ "18446744073.709551616", 0 },
		{ "18446744074", 0 },
		{ "", 0 },
		{ ".", 0 },
		{ "s", 0 },
		{ "10min", 600000000000 },
		{ "1.5h", 5400000000000 },
		{ "5m", 0 },
		{ "1..2", 0 },
		{ "1e3", 0 },
		{ "-1", 0 },
		{ "0x10", 0 },
		{ "1 s", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
		u64 ns = 0;
		bool ok = span_time(span_of(times[i].text), &ns);

		if (ok != (times[i].ns != 0) || (ok && ns != times[i].ns))
			fail_msg("'%s' gives %d, %llu", times[i].text, ok, (unsigned long long)ns);
	}
	assert_int_equal(span_time_unit(span_of("s")), 1000000000);
	assert_int_equal(span_time_unit(span_of("us")), 1000);
	assert_int_equal(span_time_unit(span_of("m")), 0);
	assert_int_equal(span_time_unit(span_of("")), 0);
}

static void names_of_files(void **state)
{
	static const char *const bad[] = { "",   ".",    "..",     "/",    "a/b",  "/a",
					   "a/", "a\nb", "\x1b[m", "\x7f", "a\tb", "\xc2\x9b" };
	static const char *const good[] = { "a",  "...", ".a",       "..a", "a..",
					    "9p", "a b", "xhci-hcd", "a:b", "\xc3\xa4" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (span_is_file_name(span_of(bad[i])))
			fail_msg("'%s' is the name of a file", bad[i]);
	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		if (!span_is_file_name(span_of(good[i])))
			fail_msg("'%s' is not the name of a file", good[i]);
	assert_false(span_is_file_name((struct span){ "a\0b", 3 }));
	assert_false(span_is_file_name((struct span){ NULL, 0 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(compares),
		TEST(finds),
		TEST(cuts_as_strsep),
		TEST(trims),
		TEST(unsigned_as_the_kernel),
		TEST(signed_as_the_kernel),
		TEST(numbers_end_with_the_span),
		TEST(times_have_units),
		TEST(names_of_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
