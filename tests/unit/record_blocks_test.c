// SPDX-License-Identifier: LGPL-2.1-only
/* Blocks: they are read as written; if the file was cut or modified, its intact part is read. */
#include "unit.h"

#include "record/blocks.h"

static struct span as_span(const struct strbuf *sb)
{
	return (struct span){ sb->s, sb->len };
}

static void test_round_trip(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct span rest;
	struct manifest_block block;

	(void)state;
	block_add(&sb, span_of("name: x\nID: 3\n"), "format sched");
	block_add(&sb, span_of(""), "ready");
	block_add(&sb, (struct span){ "a\0b 3\n", 6 }, "data");
	rest = as_span(&sb);
	assert_true(block_next(&rest, &block));
	assert_true(span_eq(block.key, "format sched"));
	assert_true(span_eq(block_arg(&block, "format"), "sched"));
	assert_null(block_arg(&block, "form").s);
	assert_null(block_arg(&block, "ready").s);
	assert_true(span_eq(block.data, "name: x\nID: 3\n"));
	assert_true(block_next(&rest, &block));
	assert_true(span_eq(block_arg(&block, "ready"), ""));
	assert_int_equal(block.data.n, 0);
	assert_true(block_next(&rest, &block));
	assert_int_equal(block.data.n, 6);
	assert_false(block_next(&rest, &block));
	strbuf_release(&sb);
}

/* The last block of a name wins, as when comms are stored twice. */
static void test_find(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	block_add(&sb, span_of("old"), "cmdlines");
	block_add(&sb, span_of("4"), "cpus");
	block_add(&sb, span_of("new"), "cmdlines");
	block_add(&sb, span_of("many"), "max");
	assert_true(span_eq(block_find(as_span(&sb), "cmdlines"), "new"));
	assert_null(block_find(as_span(&sb), "cmd").s);
	assert_int_equal(block_number(as_span(&sb), "cpus", 1), 4);
	assert_int_equal(block_number(as_span(&sb), "max", 7), 7);
	assert_int_equal(block_number(as_span(&sb), "subbuf", 9), 9);
	strbuf_release(&sb);
}

/* Cut anywhere: all blocks before the cut are read, and no incomplete one. */
static void test_cut(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	size_t first;

	(void)state;
	block_add(&sb, span_of("1111"), "one");
	first = sb.len;
	block_add(&sb, span_of("2222"), "two");
	for (size_t n = 0; n < sb.len; n++) {
		struct span rest = { sb.s, n };
		struct manifest_block block;

		assert_int_equal(block_next(&rest, &block), n >= first);
		assert_false(n >= first && block_next(&rest, &block));
	}
	strbuf_release(&sb);
}

static void test_hostile(void **state)
{
	static const char *const bad[] = { "",
					   "\n",
					   "key\n",
					   "key x\nabc\n",
					   "key 99999999999999999999\na\n",
					   "key 18446744073709551615\na\n",
					   "key 3\nabcd",
					   "key -1\n\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct span rest = span_of(bad[i]);
		struct manifest_block block;

		assert_false(block_next(&rest, &block));
		assert_null(block_find(span_of(bad[i]), "key").s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_round_trip),
		TEST(test_find),
		TEST(test_cut),
		TEST(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
