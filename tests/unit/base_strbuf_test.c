// SPDX-License-Identifier: LGPL-2.1-only
/* strbuf: growth, formatting, cutting, detaching, and behaviour without memory. */
#include "unit.h"

static void empty_is_a_string(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	assert_string_equal(sb.s, "");
	strbuf_reset(&sb);
	strbuf_cut(&sb, 0);
	strbuf_add(&sb, NULL, 0);
	assert_string_equal(sb.s, "");
	strbuf_release(&sb);
	assert_string_equal(sb.s, "");
}

static void grows(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		strbuf_addch(&sb, (char)('a' + i % 26));
		assert_int_equal(sb.len, i + 1);
		assert_int_equal(sb.s[sb.len], 0);
	}
	strbuf_fill(&sb, '-', 5000);
	assert_int_equal(sb.len, 6000);
	assert_int_equal(strlen(sb.s), 6000);
	assert_int_equal(sb.s[999], 'a' + 999 % 26);
	strbuf_release(&sb);
}

static void keeps_nul_bytes(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_add(&sb, "a\0b", 3);
	assert_int_equal(sb.len, 3);
	assert_memory_equal(sb.s, "a\0b", 4);
	strbuf_release(&sb);
}

/* Texts of every length around the remaining space are formatted completely. */
static void formats_any_length(void **state)
{
	char text[300];

	(void)state;
	for (size_t n = 0; n < sizeof(text); n++) {
		struct strbuf sb = STRBUF_INIT;

		memset(text, 'x', n);
		text[n] = '\0';
		strbuf_addf(&sb, "<%s>%d", text, 7);
		assert_int_equal(sb.len, n + 3);
		assert_int_equal(sb.s[n + 1], '>');
		assert_string_equal(sb.s + n + 1, ">7");
		strbuf_release(&sb);
	}
}

static void pads_and_never_cuts(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_addpad(&sb, "ab", 4);
	strbuf_addpad(&sb, "longer", 3);
	assert_string_equal(sb.s, "ab  longer");
	strbuf_release(&sb);
}

static void cuts(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&sb, "abc");
	strbuf_cut(&sb, 5); /* longer than the text: nothing is cut */
	assert_string_equal(sb.s, "abc");
	strbuf_cut(&sb, 1);
	strbuf_addch(&sb, 'z');
	assert_string_equal(sb.s, "az");
	strbuf_reset(&sb);
	assert_string_equal(sb.s, "");
	strbuf_release(&sb);
}

static void detaches(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *s;

	(void)state;
	s = strbuf_detach(&sb);
	assert_string_equal(s, "");
	free(s);
	strbuf_addstr(&sb, "mine");
	s = strbuf_detach(&sb);
	assert_string_equal(s, "mine");
	assert_string_equal(sb.s, "");
	free(s);
}

/*
 * No allocator provides that much memory: the text does not change, and later additions are
 * ignored.
 */
static void failure_is_permanent(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&sb, "kept");
	assert_false(strbuf_grow(&sb, SIZE_MAX));
	assert_false(strbuf_grow(&sb, SIZE_MAX - 5));
	assert_true(sb.failed);
	strbuf_addstr(&sb, "lost");
	strbuf_addf(&sb, "%d", 1);
	strbuf_fill(&sb, 'x', 3);
	assert_string_equal(sb.s, "kept");
	strbuf_reset(&sb);
	assert_false(sb.failed);
	strbuf_addstr(&sb, "again");
	assert_string_equal(sb.s, "again");
	sb.failed = true;
	assert_null(strbuf_detach(&sb));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(empty_is_a_string),
		TEST(grows),
		TEST(keeps_nul_bytes),
		TEST(formats_any_length),
		TEST(pads_and_never_cuts),
		TEST(cuts),
		TEST(detaches),
		TEST(failure_is_permanent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
