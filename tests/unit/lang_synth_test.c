// SPDX-License-Identifier: LGPL-2.1-only
/* Definitions of synthetic events. */
#include "lang_text.h"

/* Append NAME(TYPE NAME SIZE[s][$][@][~], ...): signed, string, stack, dynamic; then an error. */
static void add_synth(struct strbuf *out, const struct synth_text *t)
{
	strbuf_addstr(out, t->remove ? "!" : "");
	add_span(out, t->name);
	strbuf_addch(out, '(');
	for (size_t i = 0; i < t->n_fields && !t->bad; i++) {
		const struct synth_field_text *f = &t->fields[i];

		strbuf_addf(out, "%s%s %s %u%s%s%s%s", i ? ", " : "", f->type, f->name, f->size,
			    f->is_signed ? "s" : "", f->is_string ? "$" : "",
			    f->is_stack ? "@" : "", f->is_dynamic ? "~" : "");
	}
	strbuf_addch(out, ')');
	if (!t->bad)
		return;
	strbuf_addf(out, " %s '", synth_err_text[t->err]);
	add_span(out, t->bad_text);
	strbuf_addf(out, "'%s", t->early ? " early" : "");
}

static void check_synth(const char *text, const char *want)
{
	struct arena arena = ARENA_INIT;
	struct strbuf got = STRBUF_INIT;
	struct synth_text *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	assert_int_equal(synth_text_cut(&arena, span_of(text), 8, t), 0);
	add_synth(&got, t);
	check_text(text, &got, want);
	free(t);
	arena_release(&arena);
}

static const char *const definitions[][2] = {
	{ "lat u64 lat", "lat(u64 lat 8)" },
	{ "  lat u64 lat; pid_t pid;", "lat(u64 lat 8, pid_t pid 4s)" },
	{ "lat u64 lat pid_t pid", "lat(u64 lat 8, pid_t pid 4s)" }, /* the oldest syntax */
	{ "lat\tu64 lat;;pid_t\tpid ; ", "lat(u64 lat 8, pid_t pid 4s)" },
	{ "e s8 a; u8 b; s16 c; u16 d; s32 e; u32 f; s64 g; u64 h",
	  "e(s8 a 1s, u8 b 1, s16 c 2s, u16 d 2, s32 e 4s, u32 f 4, s64 g 8s, u64 h 8)" },
	{ "e int a; unsigned int b; long c; unsigned long d; char e; unsigned char f",
	  "e(int a 4s, unsigned int b 4, long c 8s, unsigned long d 8, char e 1s, unsigned char f 1)" },
	{ "e bool a; pid_t b; gfp_t c", "e(bool a 1s, pid_t b 4s, gfp_t c 4)" },
	{ "e char comm[16]", "e(char[16] comm 16s$)" },
	{ "e char[16] comm", "e(char[16] comm 16s$)" },
	{ "e char comm[256]", "e(char[256] comm 256s$)" },
	{ "e char comm[010]", "e(char[010] comm 8s$)" },
	{ "e char comm[]", "e(__data_loc char[] comm 8s$~)" },
	{ "e char comm[0]", "e(__data_loc char[0] comm 8s$~)" },
	{ "e unsigned long st[]", "e(__data_loc unsigned long[] st 8s@~)" },
	{ "e long st[]", "e(__data_loc long[] st 8s@~)" },
	{ "e long[] st", "e(__data_loc long[] st 8s@~)" },
	{ "e int a; int a", "e(int a 4s, int a 4s)" }, /* kernel: names need not be unique */
	{ "_e9 int _a9", "_e9(int _a9 4s)" },
	{ "!lat", "!lat()" },
	{ "!lat u64 lat", "!lat()" },
	{ "! lat", "!()" },
	{ "", "-()" },
	{ " \t", "-()" },
};

/* Errors that the kernel's own tests expect, and others. */
static const char *const bad_definitions[][2] = {
	{ "myevent chr arg", "myevent() Invalid type 'chr'" },
	{ "myevent unsigned arg", "myevent() Incomplete type 'unsigned'" },
	{ "myevent char str]; int v", "myevent() Illegal name 'str]'" },
	{ "mye-vent char str[]", "mye-vent() Illegal name 'mye-vent' early" },
	{ "9event char str[]", "9event() Illegal name '9event' early" },
	{ "myevent char st-r[]", "myevent() Illegal name 'st-r[]'" },
	{ "myevent char str;[]", "myevent() Invalid field '[]'" },
	{ "myevent char str; int", "myevent() Invalid field 'int'" },
	{ "myevent char str[; int v", "myevent() Invalid array specification 'str['" },
	{ "myevent char str[kdjdk]", "myevent() Invalid array specification 'str[kdjdk]'" },
	{ "myevent char str[257]", "myevent() Invalid array specification 'str[257]'" },
	{ "myevent char str[0x10]", "myevent() Invalid array specification 'str[0x10]'" },
	{ "myevent char str[-1]", "myevent() Invalid array specification 'str[-1]'" },
	{ "myevent char str[16]x", "myevent() Invalid array specification 'str[16]x'" },
	{ "myevent char[257] str", "myevent() Invalid type 'char[257]'" },
	{ "myevent char[ str", "myevent() Invalid type 'char['" },
	{ "myevent unsigned pid_t x", "myevent() Invalid type 'pid_t'" },
	{ "myevent u32 foo[4]", "myevent() Invalid type 'u32'" },
	{ "myevent struct foo x", "myevent() Invalid type 'struct'" },
	{ "mye;vent char str[]",
	  "-() Command must be of the form: <name> field[;field] ... '-' early" },
	{ "myevent ; char str[]",
	  "-() Command must be of the form: <name> field[;field] ... '-' early" },
	{ "myevent; char str[]",
	  "-() Command must be of the form: <name> field[;field] ... '-' early" },
	{ "myevent ;char str[]",
	  "-() Command must be of the form: <name> field[;field] ... '-' early" },
	{ "; char str[]", "-() Command must be of the form: <name> field[;field] ... '-' early" },
	{ "myevent", "-() Command must be of the form: <name> field[;field] ... '-' early" },
	{ "myevent u64", "-() Command must be of the form: <name> field[;field] ... '-' early" },
};

static void test_definitions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(definitions); i++)
		check_synth(definitions[i][0], definitions[i][1]);
}

static void test_bad_definitions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_definitions); i++)
		check_synth(bad_definitions[i][0], bad_definitions[i][1]);
}

static void test_field_limit(void **state)
{
	struct arena arena = ARENA_INIT;
	struct strbuf text = STRBUF_INIT;
	struct synth_text *t = calloc(1, sizeof(*t));

	(void)state;
	assert_non_null(t);
	strbuf_addstr(&text, "e");
	for (int i = 0; i < SYNTH_FIELDS_MAX; i++)
		strbuf_addf(&text, " int f%d;", i);
	assert_int_equal(synth_text_cut(&arena, span_of(text.s), 8, t), 0);
	assert_false(t->bad);
	assert_int_equal(t->n_fields, SYNTH_FIELDS_MAX);
	strbuf_addstr(&text, " int last");
	assert_int_equal(synth_text_cut(&arena, span_of(text.s), 8, t), 0);
	assert_true(t->bad);
	assert_int_equal(t->err, SYNTH_ERR_TOO_MANY_FIELDS);
	assert_null(t->bad_text.s);
	strbuf_release(&text);
	free(t);
	arena_release(&arena);
}

/* A kernel with longs of 4 bytes. */
static void test_long_size(void **state)
{
	struct arena arena = ARENA_INIT;
	struct synth_text *t = calloc(1, sizeof(*t));

	(void)state;
	assert_non_null(t);
	assert_int_equal(synth_text_cut(&arena, span_of("e long a; unsigned long b"), 4, t), 0);
	assert_int_equal(t->fields[0].size, 4);
	assert_int_equal(t->fields[1].size, 4);
	free(t);
	arena_release(&arena);
}

static const char *const dynamic[][2] = {
	{ "s:lat u64 lat", "lat(u64 lat 8)" },
	{ "s:synthetic/lat u64 lat", "lat(u64 lat 8)" },
	{ "s:junk/lat u64 lat",
	  "-() Command must be of the form: s or -:[synthetic/]<name> field[;field] ... '-' early" },
	{ "s:lat u64", "-() Command must be of the form: <name> field[;field] ... '-' early" },
	{ "s:lat", "-() Command must be of the form: <name> field[;field] ... '-' early" },
	{ "s:l-t u64 lat", "l-t() Illegal name 'l-t' early" },
	{ "s:synthetic/lat chr lat", "lat() Invalid type 'chr'" },
};

static void test_dynamic_events(void **state)
{
	struct arena arena = ARENA_INIT;
	struct synth_text *t = calloc(1, sizeof(*t));

	(void)state;
	assert_non_null(t);
	for (size_t i = 0; i < ARRAY_SIZE(dynamic); i++) {
		struct strbuf got = STRBUF_INIT;

		assert_int_equal(synth_text_cut_dynamic(&arena, span_of(dynamic[i][0]), 8, t), 0);
		add_synth(&got, t);
		check_text(dynamic[i][0], &got, dynamic[i][1]);
	}
	assert_int_equal(synth_text_cut_dynamic(&arena, span_of("p:kprobe do_x"), 8, t),
			 -HIST_ENOENT);
	free(t);
	arena_release(&arena);
}

/* The conversions that the kernel uses in the print fmt of the format file. */
static void test_conversions(void **state)
{
	static const char *const fmts[][2] = {
		{ "s64", "%lld" },
		{ "u64", "%llu" },
		{ "s32", "%d" },
		{ "u32", "%u" },
		{ "u8", "%u" },
		{ "char", "%d" },
		{ "unsigned char", "%u" },
		{ "long", "%ld" },
		{ "bool", "%d" },
		{ "pid_t", "%d" },
		{ "unsigned long", "%lu" },
		{ "gfp_t", "%x" },
		{ "int", "%d" },
		{ "char[16]", "%s" },
		{ "__data_loc char[]", "%s" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(fmts); i++)
		assert_string_equal(synth_field_fmt(fmts[i][0]), fmts[i][1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_definitions), TEST(test_bad_definitions), TEST(test_field_limit),
		TEST(test_long_size),   TEST(test_dynamic_events),  TEST(test_conversions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
