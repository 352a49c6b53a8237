// SPDX-License-Identifier: LGPL-2.1-only
/* event: BTF: arguments of functions by their names, values of enumerators; cut and damaged. */
#include <stdio.h>

#include "unit.h"

#include "event/event.h"

static const char function[] =
	"name: function\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long args[];\toffset:16;\tsize:0;\tsigned:0;\n"
	"\n"
	"print fmt: \" %ps!\", (void *)REC->ip\n";

/* Strings of the file, by their offsets. */
enum {
	T_F = 1,
	T_INT = 3,
	T_ULONG = 7,
	T_MODE = 13,
	T_ONE = 18,
	T_BIG = 22,
	T_ANY = 26,
	T_TWICE = 30
};
static const char texts[] = "\0f\0int\0ulong\0mode\0ONE\0BIG\0any\0TWICE";

/*
 * The recorded arguments of function @name, eight numbers from 1 on, must print as @want; NULL:
 * anything.
 */
struct ask {
	struct span btf;
	const char *symbol, *want;
	size_t n_args;
	bool big;
};

static int read_btf(void *arg, struct span *bytes)
{
	*bytes = ((const struct ask *)arg)->btf;
	return 0;
}

static int read_kallsyms(void *arg, struct span *text)
{
	static char kallsyms[200];
	const struct ask *ask = arg;

	snprintf(kallsyms, sizeof(kallsyms),
		 "ffffffff81000000 T _stext\nffffffff81000010 T %s\nffffffff81001000 T _etext\n",
		 ask->symbol);
	*text = span_of(kallsyms);
	return 0;
}

static void check(struct ask *ask, const char *format)
{
	const struct event_sources sources = { .arg = ask,
					       .kallsyms = read_kallsyms,
					       .btf = read_btf };
	const struct event_machine machine = { .long_size = 8, .big_endian = ask->big };
	struct event_text event = { "ftrace", span_of("function"), span_of(format), 1 };
	const struct event_format *parsed;
	struct strbuf out = STRBUF_INIT;
	struct arena arena = ARENA_INIT;
	struct event_print *print;
	struct event_db *db;
	u8 rec[16 + 8 * 8] = { 0 };

	store_u64(rec + 8, 0xffffffff81000014, ask->big);
	for (u32 i = 0; i < 8; i++)
		store_u64(rec + 16 + 8 * i, i + 1, ask->big);
	assert_int_equal(event_db_new(&db, &event, 1, machine, &sources), 0);
	assert_int_equal(event_db_find(db, "ftrace", "function", &parsed), 0);
	print = event_print_parse(db, parsed, &arena);
	assert_non_null(print);
	assert_true(event_print(print, rec, (u32)(16 + 8 * ask->n_args), &out));
	if (ask->want)
		assert_string_equal(out.s, ask->want);
	strbuf_release(&out);
	arena_release(&arena);
	event_db_free(db);
}

struct draft {
	u8 bytes[400];
	size_t n;
	bool big;
};

static void add(struct draft *d, u32 v)
{
	store_u32(d->bytes + d->n, v, d->big);
	d->n += 4;
}

static void add_type(struct draft *d, u32 name, u32 kind, u32 members, u32 of)
{
	add(d, name);
	add(d, kind << 24 | members);
	add(d, of);
}

/* The header before the types, and the texts after them. */
static void end_draft(struct draft *d)
{
	const u32 n = (u32)d->n - 24;

	store_u16(d->bytes, 0xeb9f, d->big);
	d->bytes[2] = 1;
	store_u32(d->bytes + 4, 24, d->big);
	store_u32(d->bytes + 12, n, d->big);
	store_u32(d->bytes + 16, n, d->big);
	store_u32(d->bytes + 20, sizeof(texts), d->big);
	memcpy(d->bytes + d->n, texts, sizeof(texts));
	d->n += sizeof(texts);
}

/* int f(int, ulong, mode, *, struct of 16 bytes, any): ids start at 1 */
static void draft_btf(struct draft *d, bool big)
{
	static const u32 params[][2] = { { T_INT, 1 }, { T_ULONG, 7 }, { T_MODE, 3 },
					 { T_ANY, 5 }, { 0, 6 },       { T_ONE, 1 } };

	*d = (struct draft){ .n = 24, .big = big };
	add_type(d, T_INT, 1, 0, 4);
	add(d, 1 << 24 | 32);
	add_type(d, T_ULONG, 1, 0, 8);
	add(d, 64);
	add_type(d, T_MODE, 6, 3, 4);
	add(d, T_ONE);
	add(d, 3);
	add(d, T_BIG);
	add(d, (u32)-7);
	add(d, T_TWICE);
	add(d, 4);
	add_type(d, 0, 13, ARRAY_SIZE(params), 1); /* 4 */
	for (size_t i = 0; i < ARRAY_SIZE(params); i++) {
		add(d, params[i][0]);
		add(d, params[i][1]);
	}
	add_type(d, 0, 2, 0, 0); /* 5 */
	add_type(d, T_ANY, 4, 1, 16);
	add(d, 0);
	add(d, 1);
	add(d, 0);
	add_type(d, T_ULONG, 8, 0, 8); /* 7: typedef of a const */
	add_type(d, 0, 10, 0, 2);
	add_type(d, T_F, 12, 1, 4); /* 9 */
	add_type(d, T_MODE, 19, 2, 8);
	add(d, T_ANY);
	add(d, 1);
	add(d, 2);
	add(d, T_TWICE);
	add(d, 5);
	add(d, 0);
	end_draft(d);
}

static struct span bytes_of_draft(const struct draft *d)
{
	return (struct span){ (const char *)d->bytes, d->n };
}

static void test_args(void **state)
{
	static const char all[] = " f(int=1, ulong=0x2, mode=3 [ONE], any=0x4, (STRUCT)[0x5:0x6], "
				  "ONE=7)!";
	struct draft d;

	(void)state;
	for (int big = 0; big < 2; big++) {
		draft_btf(&d, big);
		check(&(struct ask){ bytes_of_draft(&d), "f", all, 8, big }, function);
		check(&(struct ask){ bytes_of_draft(&d), "f", " f(int=1, ...)!", 1, big },
		      function);
		check(&(struct ask){ bytes_of_draft(&d), "f",
				     " f(int=1, ulong=0x2, mode=3 [ONE], any=0x4, "
				     "(STRUCT)[0x5:...], ...)!",
				     5, big },
		      function);
		check(&(struct ask){ bytes_of_draft(&d), "f", " f!", 0, big }, function);
		check(&(struct ask){ bytes_of_draft(&d), "g", " g(0x1, 0x2)!", 2, big }, function);
		check(&(struct ask){ { NULL, 0 }, "f", " f(0x1)!", 1, big }, function);
	}
}

static void test_variants(void **state)
{
	struct draft d;

	(void)state;
	draft_btf(&d, false);
	check(&(struct ask){ bytes_of_draft(&d), "f.isra.0", " f.isra.0(int=1, ...)!", 1, false },
	      function);
}

/* struct any { int f; struct { int; union { int ONE; }; } BIG; const struct { int mode; }; } */
static void test_offsets(void **state)
{
	static const struct {
		const char *of, *path;
		long offset;
	} members[] = {
		{ "any", "f", 0 },      { "any", "BIG", 8 },    { "any", "BIG.ONE", 12 },
		{ "any", "mode", 20 },  { "any", "BIG.f", -1 }, { "any", "f.f", -1 },
		{ "any", "ulong", -1 }, { "int", "f", -1 },
	};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct draft d = { .n = 24, .big = big };
		struct event_btf *btf;

		add_type(&d, T_INT, 1, 0, 4);
		add(&d, 1 << 24 | 32);
		add_type(&d, 0, 5, 1, 4); /* 2 */
		add(&d, T_ONE);
		add(&d, 1);
		add(&d, 0);
		add_type(&d, 0, 4, 2, 8); /* 3 */
		add(&d, 0);
		add(&d, 1);
		add(&d, 0);
		add(&d, 0);
		add(&d, 2);
		add(&d, 32);
		add_type(&d, T_ANY, 4 | 1 << 7, 3, 32); /* 4: offsets have sizes of bitfields */
		add(&d, T_F);
		add(&d, 1);
		add(&d, 7 << 24 | 0);
		add(&d, T_BIG);
		add(&d, 3);
		add(&d, 64);
		add(&d, 0);
		add(&d, 5);
		add(&d, 128);
		add_type(&d, 0, 10, 0, 6);
		add_type(&d, 0, 4, 1, 8); /* 6 */
		add(&d, T_MODE);
		add(&d, 1);
		add(&d, 32);
		end_draft(&d);
		btf = event_btf_new(bytes_of_draft(&d));
		assert_non_null(btf);
		for (size_t i = 0; i < ARRAY_SIZE(members); i++)
			assert_int_equal(event_btf_offset(btf, members[i].of, members[i].path),
					 members[i].offset);
		event_btf_free(btf);
	}
}

/* The file is cut anywhere, or one of its bytes is changed: nothing is read outside of it. */
static void test_damage(void **state)
{
	struct draft d, bad;

	(void)state;
	draft_btf(&d, false);
	for (size_t n = 0; n < d.n; n++) {
		char *cut = malloc(n ? n : 1);

		memcpy(cut, d.bytes, n);
		check(&(struct ask){ { cut, n }, "f", NULL, 8, false }, function);
		free(cut);
		for (int bit = 0; bit < 8; bit++) {
			bad = d;
			bad.bytes[n] ^= (u8)(1 << bit);
			check(&(struct ask){ bytes_of_draft(&bad), "f", NULL, 8, false }, function);
		}
	}
}

static void test_enumerators(void **state)
{
	static const char format[] =
		"name: function\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"%d %lld %d\", ONE + 0, BIG, HRTIMER_MODE_SOFT\n";
	static const char twice[] =
		"name: function\nID: 1\nformat:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
		"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n\n"
		"print fmt: \"%s\", __print_symbolic(4, { TWICE, \"one of them\" }, { 4, \"four\" })\n";
	struct draft d;

	(void)state;
	draft_btf(&d, false);
	check(&(struct ask){ bytes_of_draft(&d), "f", "3 -7 4", 0, false }, format);
	check(&(struct ask){ bytes_of_draft(&d), "f", "four", 0, false }, twice);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_args),        cmocka_unit_test(test_variants),
		cmocka_unit_test(test_offsets),     cmocka_unit_test(test_damage),
		cmocka_unit_test(test_enumerators),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
