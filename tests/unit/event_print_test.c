// SPDX-License-Identifier: LGPL-2.1-only
/* event: the text of a record by its print fmt, as the kernel prints it. */
#include "unit.h"

#include "event/event.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                     \
	"\n"

#define FIELD(decl, offset, size, sign) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

/* clang-format off */
static const char fields[] =
	COMMON
	FIELD("int a", 8, 4, 1)
	FIELD("u8 b", 12, 1, 0)
	FIELD("short c", 14, 2, 1)
	FIELD("unsigned long d", 16, 8, 0)
	FIELD("char text[8]", 24, 8, 0)
	FIELD("__data_loc char[] dyn", 32, 4, 0)
	FIELD("u32 v[2]", 36, 8, 0)
	FIELD("u8 mac[6]", 44, 6, 0)
	FIELD("__rel_loc char[] rel", 52, 4, 0)
	FIELD("__data_loc char[][2] texts", 68, 8, 0)
	"\nprint fmt: ";
/* clang-format on */

static const char kallsyms[] = "ffffffff81000000 T _stext\nffffffff81000010 T do_it\n"
			       "ffffffff81000020 T next\nffffffff81001000 T _etext\n";

static const u8 rec[] = {
	7,    0,    0,    0,    1,    0,    0,    0,
	0xfe, 0xff, 0xff, 0xff, 0xc8, 0,    0xfe, 0xff, /* a -2, b 200, c -2 */
	0x14, 0,    0,    0x81, 0xff, 0xff, 0xff, 0xff, /* d do_it+4 */
	't',  'e',  'x',  't',  0,    'x',  'x',  'x',  /* string */
	56,   0,    4,    0,                            /* dyn */
	1,    0,    0,    0,    0xff, 0xff, 0xff, 0xff, /* v */
	0x52, 0x54, 0,    0x12, 0x34, 0x56, 0,    0,    /* mac */
	4,    0,    5,    0,                            /* rel */
	'd',  'y',  'n',  0,    'r',  'e',  'l',  '!',
	0,    0,    0,    0,    60,   0,    5,    0, /* texts */
	76,   0,    0,    0,                         /* the second could not be read */
};

static int read_kallsyms(void *arg, struct span *text)
{
	(void)arg;
	*text = span_of(kallsyms);
	return 0;
}

/* @want NULL: the text cannot be determined. */
static void check(const char *print_fmt, const char *want)
{
	const struct event_sources sources = { .kallsyms = read_kallsyms };
	const struct event_machine machine = { .long_size = 8 };
	struct strbuf text = STRBUF_INIT, out = STRBUF_INIT;
	const struct event_format *format;
	struct arena arena = ARENA_INIT;
	struct event_print *print;
	struct event_text event = { .system = "s", .name = span_of("e"), .id = 7 };
	struct event_db *db;
	bool ok;

	strbuf_addf(&text, "name: e\nID: 7\n%s%s\n", fields, print_fmt);
	event.text = (struct span){ text.s, text.len };
	assert_int_equal(event_db_new(&db, &event, 1, machine, &sources), 0);
	assert_int_equal(event_db_find(db, "s", "e", &format), 0);
	print = event_print_parse(db, format, &arena);
	ok = print && event_print(print, rec, sizeof(rec), &out);
	if (want && (!ok || strcmp(out.s, want)))
		print_error("# %s\n", print_fmt);
	if (want)
		assert_string_equal(out.s, want);
	assert_int_equal(ok, want != NULL);
	strbuf_release(&text);
	strbuf_release(&out);
	arena_release(&arena);
	event_db_free(db);
}

static void test_numbers(void **state)
{
	(void)state;
	check("\"%d %u %x %#x\", REC->a, REC->a, REC->a, REC->b", "-2 4294967294 fffffffe 0xc8");
	check("\"%d %hhd %hd %ld\", REC->b, REC->b, REC->c, (long)REC->c", "200 -56 -2 -2");
	check("\"%5d|%-5d|%05d|%+d\", REC->b, REC->b, REC->b, REC->b", "  200|200  |00200|+200");
	check("\"%o %#o %#o|%5x|%.0s|\", REC->b, REC->b, 0, REC->b, REC->text",
	      "310 0310 0|   c8||");
	check("\"%*d|%.4d\", 6, REC->b, REC->b", "   200|0200");
	check("\"%llx %lu\", REC->d, REC->d", "ffffffff81000014 18446744071578845204");
	check("\"%c%c%%\", REC->text[0], 'x'", "tx%");
	check("\"%u %x %d %d\", REC->v[0], REC->v[1], REC->mac[1], REC->text[1] - 'e'",
	      "1 ffffffff 84 0");
	check("\"%llx %lld\", REC->v[1], REC->v[2 - 2]", "ffffffff 1");
	check("\"%d\", REC->v[2]", NULL);
	check("\"%d\", REC->v[-1]", NULL);
}

static void test_expressions(void **state)
{
	(void)state;
	check("\"%d %d\", REC->b + 1 * 2, (REC->b + 1) * 2", "202 402");
	check("\"%d\", REC->a < 0 ? 1 : 2", "1");
	check("\"%u\", REC->b >> 3 & 0xf | (1 << 4)", "25");
	check("\"%d %d\", !REC->a, REC->a && REC->b", "0 1");
	check("\"%u\", (unsigned char)REC->a", "254");
	check("\"%s\", REC->a == -2 ? \"minus\" \" two\" : \"else\"", "minus two");
	check("\"%d\", REC->b / 0", "0");
	/* numbers alone */
	check("\"%d %x %u\", -1 + 2, ((0 | 1 | 2) + 1) << 1, (unsigned char)300", "1 8 44");
	check("\"%d %d %s\", !0, 1 / 0, 2 > 1 ? \"a\" : \"b\"", "1 0 a");
}

static void test_texts(void **state)
{
	(void)state;
	check("\"%s|%6s|%-6s|%.2s\", REC->text, REC->text, REC->text, REC->text",
	      "text|  text|text  |te");
	check("\"%s %s\", __get_str(dyn), __get_rel_str(rel)", "dyn rel!");
	check("\"%d\", __get_dynamic_array_len(dyn)", "4");
}

/* Strings of probes: arrays of them, and one that could not be read. */
static void test_probes(void **state)
{
	(void)state;
	check("\"t={\\\"%s\\\",\\\"%s\\\"}\", __get_str(texts[0]), __get_str(texts[1])",
	      "t={\"rel!\",(fault)}");
	check("\"%s %s|\", __get_str(texts[1]), __get_str(texts)", " rel!|");
	check("\"%s\", __get_str(texts[2])", NULL);
	check("\"%s\", __get_str(texts[REC->b])", NULL);
}

static void test_macros(void **state)
{
	(void)state;
	check("\"%s\", __print_symbolic(REC->b, { 1, \"one\" }, { 200, \"many\" })", "many");
	check("\"%s\", __print_symbolic(REC->a, { 1, \"one\" })", "0xfffffffffffffffe");
	check("\"%s\", __print_flags(REC->b, \"|\", { 8, \"A\" }, { 64 | 128, \"B\" })", "A|B");
	check("\"%s\", __print_flags(REC->b, \"|\", { 8, \"A\" })", "A|0xc0");
	check("\"%s\", __print_flags(REC->b, \"|\", { I_DIRTY_PAGES, \"P\" }, { I_WILL_FREE, \"F\" })",
	      "P|F|0x8");
	check("\"%s\", __print_hex(REC->mac, 3)", "52 54 00");
	check("\"%s\", __print_hex_str(REC->mac, 3)", "525400");
	check("\"%s\", __print_array(REC->v, 2, 4)", "{0x1,0xffffffff}");
}

static void test_pointers(void **state)
{
	(void)state;
	check("\"%pS %ps\", (void *)REC->d, (void *)REC->d", "do_it+0x4/0x10 do_it");
	check("\"%p\", (void *)REC->d", "ffffffff81000014");
	check("\"%pM\", REC->mac", "52:54:00:12:34:56");
	check("\"%pS\", (void *)0x1000UL", "0x1000");
}

static void test_unknowable(void **state)
{
	(void)state;
	check("\"%d\", some_function(REC->a)", NULL);
	check("\"%d\", REC->nosuch", NULL);
	check("\"%d", NULL);
	check("\"%d\", (", NULL);
	check("\"%d %d\", REC->a", NULL);
	check("", NULL);
}

/* --- trace_printk() --- */

static void check_packed(const char *fmt, const char *args, u32 len, const char *want)
{
	const struct event_sources sources = { .kallsyms = read_kallsyms };
	struct strbuf out = STRBUF_INIT;
	struct event_db *db;
	bool ok;

	assert_int_equal(
		event_db_new(&db, NULL, 0, (struct event_machine){ .long_size = 8 }, &sources), 0);
	ok = event_print_packed(db, fmt, args, len, &out);
	if (want)
		assert_string_equal(out.s, want);
	assert_int_equal(ok, want != NULL);
	strbuf_release(&out);
	event_db_free(db);
}

#define PACKED(fmt, args, want) check_packed(fmt, args, sizeof(args) - 1, want)

static void test_packed(void **state)
{
	(void)state;
	PACKED("plain\n", "", "plain\n");
	PACKED("%d %s %u\n", "\1\0\0\0ab\0\0\2\0\0\0", "1 ab 2\n");
	PACKED("%c%lld", "x\0\0\0\376\377\377\377\377\377\377\377", "x-2");
	PACKED("%hd,%hhu", "\376\377\7", "-2,7");
	PACKED("%*d", "\5\0\0\0\1\0\0\0", "    1");
	PACKED("%pS", "\24\0\0\201\377\377\377\377", "do_it+0x4/0x10");
	PACKED("%pI4!", "127.0.0.1", "127.0.0.1!");
	PACKED("%d", "\1\0\0", NULL);
	PACKED("%s", "no end", "no end");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_numbers),    TEST(test_expressions), TEST(test_texts),
		TEST(test_probes),     TEST(test_macros),      TEST(test_pointers),
		TEST(test_unknowable), TEST(test_packed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
