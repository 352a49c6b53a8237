// SPDX-License-Identifier: LGPL-2.1-only
/* utf8: lengths, code points, and characters that become visible. */
#include "unit.h"

static void assert_visible(const char *text, size_t n, const char *want)
{
	struct span rest = { text, n };
	struct strbuf out = STRBUF_INIT;

	while (rest.n)
		rest = span_skip(rest, utf8_add_visible(&out, rest));
	assert_string_equal(out.s, want);
	strbuf_release(&out);
}

static void lengths(void **state)
{
	(void)state;
	assert_int_equal(utf8_length(span_of("a")), 1);
	assert_int_equal(utf8_length(span_of("\u00e4")), 2);
	assert_int_equal(utf8_length(span_of("\u4e16")), 3);
	assert_int_equal(utf8_length(span_of("\U0001f600")), 4);
	assert_int_equal(utf8_length(span_of("\xe4\xb8")), 0);         /* cut */
	assert_int_equal(utf8_length(span_of("\xc0\x80")), 0);         /* longer than needed */
	assert_int_equal(utf8_length(span_of("\xed\xa0\x80")), 0);     /* a surrogate */
	assert_int_equal(utf8_length(span_of("\xf4\x90\x80\x80")), 0); /* above U+10FFFF */
	assert_int_equal(utf8_code(span_of("\U0001f600"), 4), 0x1f600);
}

static void visible(void **state)
{
	(void)state;
	assert_visible("a\0\t\n\x1b\x7f\xff", 7, "a\\x00\\x09\\x0a\\x1b\\x7f\\xff");
	assert_visible("\xed\xa0\x80", 3, "\\xed\\xa0\\x80");
	assert_visible("\xc2\x80\xc2\x9f\xc2\xa0", 6, "\\u0080\\u009f\u00a0");
	assert_visible("\u2029\u202a\u202e\u202f", 12, "\u2029\\u202a\\u202e\u202f");
	assert_visible("\u2065\u2066\u2069\u206a", 12, "\u2065\\u2066\\u2069\u206a");
	assert_visible("\ufffd\ufffe\uffff\U00010000", 13, "\ufffd\\ufffe\\uffff\U00010000");
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(lengths), TEST(visible) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
