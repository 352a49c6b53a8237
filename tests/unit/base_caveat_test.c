// SPDX-License-Identifier: LGPL-2.1-only
/* caveat: the text of caveats, sums, kinds of later versions, hostile texts. */
#include <stdio.h>

#include "unit.h"

static void add(struct strbuf *sb, enum caveat_kind kind, u64 n, const char *of)
{
	caveat_add(sb, &(struct caveat){ .kind = kind, .n = n, .of = span_of(of) });
}

static void adds_up(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	add(&sb, CAVEAT_SAMPLED, 3, "a:b");
	add(&sb, CAVEAT_DAMAGED, 1, "");
	add(&sb, CAVEAT_SAMPLED, 4, "a:b");
	add(&sb, CAVEAT_SAMPLED, 1, "a:c");
	assert_string_equal(sb.s, "damaged 1\nsampled 7 a:b\nsampled 1 a:c\n");
	add(&sb, CAVEAT_DAMAGED, UINT64_MAX, "");
	assert_true(strstr(sb.s, "damaged 18446744073709551615\n"));
	strbuf_release(&sb);
}

static void keeps_unknown_numbers(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	add(&sb, CAVEAT_LOST, 0, "1");
	add(&sb, CAVEAT_LOST, 5, "1");
	assert_string_equal(sb.s, "lost 0 1\n");
	strbuf_release(&sb);
}

static void passes_on_other_kinds(void **state)
{
	struct strbuf sb = STRBUF_INIT, text = STRBUF_INIT;
	struct span rest;
	struct caveat c;

	(void)state;
	caveat_add_all(&sb, span_of("later 2 x y\nlater 3 x y\nnot a caveat\n\nsampled x\n"));
	assert_string_equal(sb.s, "later 5 x y\n");
	rest = span_of(sb.s);
	assert_true(caveat_next(&rest, &c));
	assert_int_equal(c.kind, N_CAVEATS);
	caveat_print(&c, &text);
	assert_string_equal(text.s, "a later version of hist reports: later 5 x y");
	strbuf_release(&text);
	strbuf_release(&sb);
}

static void survives_hostile_texts(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct span rest;
	struct caveat c;
	char of[16];
	size_t n = 0;
	u64 sum = 0;

	(void)state;
	caveat_add(&sb, &(struct caveat){ .kind = CAVEAT_SAMPLED, .n = 1, .of = { "a\nb\0c", 5 } });
	assert_string_equal(sb.s, "sampled 1 a?b?c\n");
	for (int i = 0; i < 1000; i++) {
		snprintf(of, sizeof(of), "%d", i);
		add(&sb, CAVEAT_SAMPLED, 1, of);
	}
	rest = span_of(sb.s);
	while (caveat_next(&rest, &c))
		n++, sum += c.n;
	assert_true(n < 300);
	assert_int_equal(sum, 1001);
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(adds_up),
		TEST(keeps_unknown_numbers),
		TEST(passes_on_other_kinds),
		TEST(survives_hostile_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
