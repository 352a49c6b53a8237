// SPDX-License-Identifier: LGPL-2.1-only
/* event: symbols from kallsyms, saved comms and the formats of trace_printk. */
#include "unit.h"

#include "event/event.h"

/* A source returns the text of @arg once; asking twice is an error. */
struct source {
	const char *text;
	int calls, err;
};

struct sources {
	struct source kallsyms, printk, cmdlines;
};

static int give(struct source *src, struct span *text)
{
	src->calls++;
	if (src->text)
		*text = span_of(src->text);
	return src->err;
}

static int give_kallsyms(void *arg, struct span *text)
{
	return give(&((struct sources *)arg)->kallsyms, text);
}

static int give_printk(void *arg, struct span *text)
{
	return give(&((struct sources *)arg)->printk, text);
}

static int give_cmdlines(void *arg, struct span *text)
{
	return give(&((struct sources *)arg)->cmdlines, text);
}

static struct event_db *db_of(struct sources *src)
{
	struct event_sources sources = {
		.arg = src,
		.kallsyms = give_kallsyms,
		.printk = give_printk,
		.cmdlines = give_cmdlines,
	};
	struct event_machine machine = { .long_size = 8 };
	struct event_db *db;

	assert_int_equal(event_db_new(&db, NULL, 0, machine, &sources), 0);
	return db;
}

static void assert_prints(struct event_db *db, u64 addr, const char *ps, const char *pS)
{
	struct strbuf out = STRBUF_INIT;

	event_print_symbol(db, addr, false, &out);
	assert_string_equal(out.s, ps);
	strbuf_reset(&out);
	event_print_symbol(db, addr, true, &out);
	assert_string_equal(out.s, pS);
	strbuf_release(&out);
}

static const char whole[] = "0000000000001000 A percpu_thing\n"
			    "ffffffff81000000 T startup_64\n"
			    "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T _text\n"
			    "ffffffff81000040 t local.isra.0\n"
			    "ffffffff81000100 W weak\n"
			    "ffffffff81000100 T strong\n"
			    "ffffffff81000200 T _etext\n"
			    "ffffffff82000000 D some_data\n"
			    "ffffffff82000008 d local.isra.0\n"
			    "ffffffff83000000 B _end\n"
			    "ffffffffc0003000 t late\t[second]\n"
			    "ffffffffc0003040 r table\t[second]\n"
			    "ffffffffc0001010 t two\t[first]\n"
			    "ffffffffc0001010 t $x\t[first]\n"
			    "ffffffffc0001020 t .Lmark\t[first]\n"
			    "ffffffffc0001000 t $d.5\t[first]\n"
			    "ffffffffc0001000 T one\t[first]\n"
			    "ffffffffc0001000 t alias\t[first]\n"
			    "ffffffffc0001080 T late\t[first]\n"
			    "ffffffffc0005000 t bpf_prog_6deef7357e7b4530\t[bpf]\n"
			    "ffffffffc0006000 t ftrace_trampoline\t[__builtin__ftrace]\n"
			    "ffffffffc0007000 t kprobe_insn_page\t[__builtin__kprobes]\n";

static void names_the_kernels(void **state)
{
	struct sources src = { .kallsyms.text = whole };
	struct event_db *db = db_of(&src);

	(void)state;
	assert_int_equal(src.kallsyms.calls, 0);
	/* the first of several symbols at one address */
	assert_prints(db, 0xffffffff81000000, "startup_64", "startup_64+0x0/0x40");
	assert_prints(db, 0xffffffff8100003f, "startup_64", "startup_64+0x3f/0x40");
	assert_prints(db, 0xffffffff81000041, "local.isra.0", "local.isra.0+0x1/0xc0");
	assert_prints(db, 0xffffffff81000100, "weak", "weak+0x0/0x100");
	/* the list contains _end, so the kernel's range includes data, without holes */
	assert_prints(db, 0xffffffff81000234, "_etext", "_etext+0x34/0xfffe00");
	assert_prints(db, 0xffffffff82000001, "some_data", "some_data+0x1/0x8");
	assert_prints(db, 0xffffffff82ffffff, "local.isra.0", "local.isra.0+0xfffff7/0xfffff8");
	assert_prints(db, 0xffffffff83000000, "0xffffffff83000000", "0xffffffff83000000");
	/* not in the kernel, although listed or lower */
	assert_prints(db, 0x1000, "0x1000", "0x1000");
	assert_prints(db, 0xffffffff80ffffff, "0xffffffff80ffffff", "0xffffffff80ffffff");
	assert_prints(db, 0, "0x0", "0x0");
	assert_prints(db, UINT64_MAX, "0xffffffffffffffff", "0xffffffffffffffff");
	assert_int_equal(src.kallsyms.calls, 1);
	event_db_free(db);
}

static void names_the_modules(void **state)
{
	struct sources src = { .kallsyms.text = whole };
	struct event_db *db = db_of(&src);
	struct event_symbol sym;

	(void)state;
	assert_prints(db, 0xffffffffc0001000, "one [first]", "one+0x0/0x10 [first]");
	assert_prints(db, 0xffffffffc000100f, "one [first]", "one+0xf/0x10 [first]");
	/* assembler labels neither name nor end a symbol */
	assert_prints(db, 0xffffffffc0001021, "two [first]", "two+0x11/0x70 [first]");
	/* the last one ends at its page, whatever follows */
	assert_prints(db, 0xffffffffc0001fff, "late [first]", "late+0xf7f/0xf80 [first]");
	assert_prints(db, 0xffffffffc0002000, "0xffffffffc0002000", "0xffffffffc0002000");
	assert_prints(db, 0xffffffffc0003001, "late [second]", "late+0x1/0x40 [second]");
	assert_prints(db, 0xffffffffc0000fff, "0xffffffffc0000fff", "0xffffffffc0000fff");
	/* kernel: BPF programs have no module, trampolines have no name */
	assert_prints(db, 0xffffffffc0005001, "bpf_prog_6deef7357e7b4530",
		      "bpf_prog_6deef7357e7b4530+0x1/0x1000");
	assert_prints(db, 0xffffffffc0006001, "0xffffffffc0006001", "0xffffffffc0006001");
	assert_prints(db, 0xffffffffc0007001, "0xffffffffc0007001", "0xffffffffc0007001");

	assert_true(event_symbol_at(db, 0xffffffffc0001015, &sym));
	assert_true(span_eq(sym.name, "two"));
	assert_true(span_eq(sym.module, "first"));
	assert_true(sym.addr == 0xffffffffc0001010 && sym.size == 0x70);
	event_db_free(db);
}

static void finds_by_name(void **state)
{
	struct sources src = { .kallsyms.text = whole };
	struct event_db *db = db_of(&src);
	struct event_symbol sym;

	(void)state;
	assert_true(event_symbol_find(db, span_of("local.isra.0"), &sym));
	assert_true(sym.addr == 0xffffffff81000040 && sym.size == 0xc0);
	assert_true(event_symbol_find(db, span_of("_text"), &sym));
	assert_true(span_eq(sym.name, "_text"));
	assert_true(sym.addr == 0xffffffff81000000 && sym.size == 0x40);
	/* the first module of the file, before and after sorting */
	assert_true(event_symbol_find(db, span_of("late"), &sym));
	assert_true(sym.addr == 0xffffffffc0003000);
	assert_true(event_symbol_find(db, span_of("late"), &sym));
	assert_true(sym.addr == 0xffffffffc0003000);
	assert_true(span_eq(sym.module, "second"));
	assert_true(event_symbol_find(db, span_of("first:late"), &sym));
	assert_true(sym.addr == 0xffffffffc0001080);

	assert_false(event_symbol_find(db, span_of("lat"), &sym));
	assert_false(event_symbol_find(db, span_of("later"), &sym));
	assert_false(event_symbol_find(db, span_of("third:late"), &sym));
	assert_false(event_symbol_find(db, span_of("first:strong"), &sym));
	assert_false(event_symbol_find(db, span_of("percpu_thing"), &sym));
	assert_false(event_symbol_find(db, span_of(""), &sym));
	assert_false(event_symbol_find(db, span_of("first:"), &sym));
	event_db_free(db);
}

/* Without data, the kernel's text ends at its end marker. */
static void ends_with_the_text(void **state)
{
	struct sources src = {
		.kallsyms.text = "c0008000 T _stext\nc0008010 T first\nc0009000 T _etext\n"
				 "c0010000 T _sinittext\nc0010100 t setup\nc0010200 T _einittext\n",
	};
	struct event_db *db = db_of(&src);

	(void)state;
	assert_prints(db, 0xc0008011, "first", "first+0x1/0xff0");
	assert_prints(db, 0xc0009000, "0xc0009000", "0xc0009000");
	assert_prints(db, 0xc0010101, "setup", "setup+0x1/0x100");
	assert_prints(db, 0xc0010200, "0xc0010200", "0xc0010200");
	assert_prints(db, 0xc0007fff, "0xc0007fff", "0xc0007fff");
	event_db_free(db);

	/*
	 * without markers: from the first text symbol to the end of a page; the file may be
	 * unsorted
	 */
	src.kallsyms.text = "c0009000 t last\nc0008000 t first\n00000010 a absolute\n";
	db = db_of(&src);
	assert_prints(db, 0xc0008001, "first", "first+0x1/0x1000");
	assert_prints(db, 0xc0009fff, "last", "last+0xfff/0x1000");
	assert_prints(db, 0xc000a000, "0xc000a000", "0xc000a000");
	assert_prints(db, 0x11, "0x11", "0x11");
	event_db_free(db);
}

static void has_none(void **state)
{
	static const char *const texts[] = {
		NULL,
		"",
		"\n\n\n",
		"0000000000000000 T _stext\n0000000000000000 t hidden\t[mod]\n",
		"not a symbol\nffffffff81000000T x\nffffffff81000000 T\nffffffff81000000  x\n",
		"fffffffff81000000 T seventeen_digits\n",
	};
	struct event_db *db;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct sources src = { .kallsyms.text = texts[i] };
		struct event_symbol sym;

		db = db_of(&src);
		assert_false(event_has_symbols(db));
		assert_false(event_symbol_at(db, 0xffffffff81000000, &sym));
		assert_false(event_symbol_find(db, span_of("x"), &sym));
		assert_prints(db, 0xffffffff81000000, "0xffffffff81000000", "0xffffffff81000000");
		event_db_free(db);
	}
	assert_int_equal(event_db_new(&db, NULL, 0, (struct event_machine){ .long_size = 8 }, NULL),
			 0);
	assert_false(event_has_symbols(db));
	assert_null(event_saved_comm(db, 1));
	assert_null(event_printk(db, 1));
	event_db_free(db);
}

static void survives_a_failing_source(void **state)
{
	struct sources src = {
		.kallsyms = { .text = whole, .err = -HIST_EFORMAT },
		.printk.err = -HIST_EFORMAT,
		.cmdlines.err = -HIST_ENOMEM,
	};
	struct event_db *db = db_of(&src);

	(void)state;
	assert_false(event_has_symbols(db));
	assert_false(event_has_symbols(db));
	assert_null(event_saved_comm(db, 7));
	assert_null(event_saved_comm(db, 7));
	assert_null(event_printk(db, 7));
	assert_int_equal(src.kallsyms.calls, 1);
	assert_int_equal(src.cmdlines.calls, 1);
	assert_int_equal(src.printk.calls, 1);
	event_db_free(db);
}

/* The file may end anywhere. */
static void survives_cut_files(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(whole); len++) {
		char *copy = strndup(whole, len);
		struct sources src = { .kallsyms.text = copy };
		struct event_db *db = db_of(&src);
		struct strbuf out = STRBUF_INIT;

		assert_non_null(copy);
		event_print_symbol(db, 0xffffffff81000041, true, &out);
		event_print_symbol(db, 0xffffffffc0001021, true, &out);
		strbuf_release(&out);
		event_db_free(db);
		free(copy);
	}
}

static void reads_saved_comms(void **state)
{
	struct sources src = {
		.cmdlines.text = "1 init\nnot a line\n-5 negative\n17 kworker/0:1 H \n\n17 later\n"
				 "9\n 10 indented\n4294967297 huge\n3 \n2 last",
	};
	struct event_db *db = db_of(&src);

	(void)state;
	assert_string_equal(event_saved_comm(db, 0), "<idle>");
	assert_int_equal(src.cmdlines.calls, 0);
	assert_string_equal(event_saved_comm(db, 1), "init");
	assert_string_equal(event_saved_comm(db, 17), "kworker/0:1 H ");
	assert_string_equal(event_saved_comm(db, 3), "");
	assert_string_equal(event_saved_comm(db, 2), "last");
	assert_null(event_saved_comm(db, 9));
	assert_null(event_saved_comm(db, 10));
	assert_null(event_saved_comm(db, 16));
	assert_null(event_saved_comm(db, 18));
	assert_null(event_saved_comm(db, -5));
	assert_null(event_saved_comm(db, INT32_MAX));
	assert_int_equal(src.cmdlines.calls, 1);
	event_db_free(db);
}

static void reads_printk_formats(void **state)
{
	struct sources src = {
		.printk.text = "0xffffffff81bab421 : \"rcu_preempt-GPS\"\n"
			       "0xffffffffc0001000 : \"a=%d\\tb=\\\"%s\\\"\\n\"\n"
			       "0x10 : \"C:\\dir\\\"\n"
			       "0x20 : \"\"\n"
			       "0x30 : \"open\n"
			       "0x40 \"no colon\"\n"
			       "zz : \"x\"\n",
	};
	struct event_db *db = db_of(&src);

	(void)state;
	assert_string_equal(event_printk(db, 0xffffffff81bab421), "rcu_preempt-GPS");
	assert_string_equal(event_printk(db, 0xffffffffc0001000), "a=%d\tb=\"%s\"\n");
	assert_string_equal(event_printk(db, 0x10), "C:\\dir\\");
	assert_string_equal(event_printk(db, 0x20), "");
	assert_null(event_printk(db, 0x30));
	assert_null(event_printk(db, 0x40));
	assert_null(event_printk(db, 0));
	event_db_free(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_the_kernels),  TEST(names_the_modules), TEST(finds_by_name),
		TEST(ends_with_the_text), TEST(has_none),          TEST(survives_a_failing_source),
		TEST(survives_cut_files), TEST(reads_saved_comms), TEST(reads_printk_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
