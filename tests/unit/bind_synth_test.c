// SPDX-License-Identifier: LGPL-2.1-only
/* Files of synthetic events: defining, listing, removing, formats. */
#include "tracing_dir.h"

static const char defs[] = "synthetic_events", all[] = "test:all";

static void check_listing(struct dir *d, bool dynamic, const char *want)
{
	struct strbuf text = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = add_to_strbuf, .arg = &text };

	if (dynamic)
		print_dynamic_events(&p, d->t);
	else
		print_synthetic_events(&p, d->t);
	assert_int_equal(printer_end(&p), 0);
	assert_string_equal(text.s, want);
	strbuf_release(&text);
}

static void test_listing(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	check_listing(&d, false, "");
	accept(&d, defs, "wakeup_latency u64 lat; pid_t pid; char comm[16];");
	accept(&d, defs, "old u64 lat pid_t pid");
	accept(&d, defs, "texts char a[]; unsigned long st[]\n");
	check_listing(&d, false,
		      "wakeup_latency\tu64 lat; pid_t pid; char[16] comm\n"
		      "old\tu64 lat; pid_t pid\n"
		      "texts\tchar[] a; unsigned long[] st\n");
	check_listing(&d, true,
		      "s:synthetic/wakeup_latency\tu64 lat; pid_t pid; char[16] comm\n"
		      "s:synthetic/old\tu64 lat; pid_t pid\n"
		      "s:synthetic/texts\tchar[] a; unsigned long[] st\n");
	accept(&d, defs, "!old");
	accept(&d, defs, "!texts whatever follows");
	check_listing(&d, false, "wakeup_latency\tu64 lat; pid_t pid; char[16] comm\n");
	assert_int_equal(synth_events_truncate(d.t, &d.diags), 0);
	check_listing(&d, false, "");
	dir_close(&d);
}

/* Several lines in one write; comments; lines before an invalid line take effect. */
static void test_lines(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "# a comment\n\naa u64 x # another\n  bb u64 y\n");
	refuse(&d, defs, "cc u64 x\ndd u64\nee u64 x",
	       "0 Command must be of the form: <name> field[;field] ...");
	check_listing(&d, false, "aa\tu64 x\nbb\tu64 y\ncc\tu64 x\n");
	assert_string_equal(d.t->top->errors.entries[0].loc, "synthetic_events");
	assert_string_equal(d.t->top->errors.entries[0].cmd, "dd u64");
	dir_close(&d);
}

static const char *const refused[][2] = {
	{ "there u64 x", "0 Event already exists" },
	{ "  there u64 x", "0 Event already exists" },
	{ "there chr x", "0 Event already exists" }, /* before the fields are parsed */
	{ "th-re u64 x", "0 Illegal name" },
	{ "ev u64 x; chr arg", "10 Invalid type" },
	{ "ev unsigned arg", "3 Incomplete type" },
	{ "ev u64 x; int", "10 Invalid field" },
	{ "ev char str[257]", "8 Invalid array specification" },
	{ "!nosuch", "" },
	{ "!", "" },
};

static void test_refused(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "there u64 x");
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		refuse(&d, defs, refused[i][0], refused[i][1]);
	check_listing(&d, false, "there\tu64 x\n");
	dir_close(&d);
}

static void test_dynamic_events(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	assert_int_equal(synth_events_write(d.t, span_of("s:aa u64 x"), true, &d.diags), 0);
	assert_int_equal(synth_events_write(d.t, span_of("s:synthetic/bb u64 x"), true, &d.diags),
			 0);
	assert_int_equal(synth_events_write(d.t, span_of("s:junk/cc u64 x"), true, &d.diags),
			 -HIST_EREJECTED);
	check_log(&d, "s:junk/cc",
		  "0 Command must be of the form: s or -:[synthetic/]<name> field[;field] ...");
	assert_int_equal(synth_events_write(d.t, span_of("-:aa"), true, &d.diags), 0);
	check_listing(&d, true, "s:synthetic/bb\tu64 x\n");
	assert_int_equal(synth_events_write(d.t, span_of("!bb"), true, &d.diags), -HIST_EREJECTED);
	assert_int_equal(synth_events_write(d.t, span_of("!s:synthetic/bb"), true, &d.diags), 0);
	assert_int_equal(synth_events_write(d.t, span_of("x:probe do_x"), true, &d.diags),
			 -HIST_EREJECTED);
	check_listing(&d, true, "");
	dir_close(&d);
}

/* Types of events that do not exist are logged since 6.16, removals are not. */
static void test_unknown_type(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "7.3");
	assert_int_equal(synth_events_write(d.t, span_of("s n u64 a"), true, &d.diags),
			 -HIST_EREJECTED);
	check_log(&d, "s n u64 a", "0 No matching dynamic event type");
	assert_int_equal(synth_events_write(d.t, span_of("-"), true, &d.diags), -HIST_EREJECTED);
	check_log(&d, "s n u64 a", "0 No matching dynamic event type");
	dir_close(&d);
}

/* An event that is referred to can neither be removed nor truncated. */
static void test_busy(void **state)
{
	static const char user[] = "hist:keys=b8:onmatch(test.all).ev(b64)";
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev u64 x\nfree u64 x");
	accept(&d, all, user);
	refuse(&d, defs, "!ev", "");
	assert_int_equal(synth_events_truncate(d.t, &d.diags), -HIST_EREJECTED);
	check_listing(&d, false, "ev\tu64 x\nfree\tu64 x\n"); /* all or none */
	accept(&d, all, "!hist:keys=b8:onmatch(test.all).ev(b64)");

	accept(&d, "synthetic:ev", "hist:keys=x");
	refuse(&d, defs, "!ev", "");
	accept(&d, "synthetic:ev", "!hist:keys=x");

	accept(&d, all, "enable_event:synthetic:ev");
	refuse(&d, defs, "!ev", "");
	accept(&d, all, "!enable_event:synthetic:ev");

	event_file_enable(file_of(&d, "synthetic:ev"), true, false);
	refuse(&d, defs, "!ev", "");
	/* this reference is only detected after the older events are removed */
	accept(&d, defs, "!free");
	accept(&d, defs, "newer u64 x");
	accept(&d, all, "enable_event:synthetic:newer");
	event_file_enable(file_of(&d, "synthetic:ev"), false, false);
	assert_int_equal(synth_events_truncate(d.t, &d.diags), -HIST_EREJECTED);
	check_listing(&d, false, "newer\tu64 x\n");
	accept(&d, all, "!enable_event:synthetic:newer");
	/* and it can be defined again with other fields */
	accept(&d, defs, "ev char name[16]");
	accept(&d, "synthetic:ev", "hist:keys=name");
	dir_close(&d);
}

/* Every byte except the ID, which only has to be unique. */
static void test_format(void **state)
{
	struct dir d;
	char *text, *id;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs,
	       "ev u64 lat; s8 a; char comm[16]; gfp_t flags; char text[]; unsigned long st[]; bool ok");
	text = shown(file_of(&d, "synthetic:ev"), print_format);
	id = strstr(text, "\nID: ");
	assert_non_null(id);
	assert_true(strtoul(id + 5, NULL, 10) > 104);
	assert_string_equal(
		strchr(id + 1, '\n'),
		"\n"
		"format:\n"
		"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		"\n"
		"\tfield:u64 lat;\toffset:8;\tsize:8;\tsigned:0;\n"
		"\tfield:s8 a;\toffset:16;\tsize:1;\tsigned:1;\n"
		"\tfield:char comm[];\toffset:24;\tsize:16;\tsigned:1;\n"
		"\tfield:gfp_t flags;\toffset:280;\tsize:4;\tsigned:0;\n"
		"\tfield:__data_loc char[] text;\toffset:288;\tsize:8;\tsigned:1;\n"
		"\tfield:__data_loc unsigned long[] st;\toffset:296;\tsize:8;\tsigned:1;\n"
		"\tfield:bool ok;\toffset:304;\tsize:1;\tsigned:1;\n"
		"\n"
		"print fmt: \"lat=%llu, a=%d, comm=%s, flags=%x, text=%s, st=%s, ok=%d\", REC->lat, REC->a, "
		"REC->comm, REC->flags, __get_str(text), __get_stacktrace(st), REC->ok\n");
	free(text);
	dir_close(&d);
}

/* A stack variable, as a field and as a key. */
static void test_stacks(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev pid_t pid; unsigned long st[]");
	accept(&d, "sched:sched_switch", "hist:keys=prev_pid:st=common_stacktrace");
	accept(&d, "sched:sched_waking",
	       "hist:keys=pid:s2=$st:onmatch(sched.sched_switch).ev(pid,$s2)");
	accept(&d, "synthetic:ev", "hist:keys=st.stacktrace,pid");
	d.stack[0] = 0xffffffff81001010;
	d.stack[1] = 0xffffffff81002020;
	d.n_stack = 2;
	hit(&d, "sched:sched_switch", "prev_pid=7");
	d.stack[0] = 0xffffffff81002000;
	hit(&d, "sched:sched_waking", "pid=7");
	check_rows(
		&d, "synthetic:ev",
		"{ st.stacktrace do_one+0x10/0x1000 do_two+0x20/0x1000 , pid: 7} hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* 6.1 has neither stack variables nor that name. */
static void test_stacks_6_1(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.1");
	refuse(&d, all, "hist:keys=b8:st=stacktrace", "16 Couldn't find field");
	refuse(&d, all, "hist:keys=common_stacktrace", "10 Couldn't find field");
	accept(&d, all, "hist:keys=stacktrace");
	check_triggers(&d, all,
		       "hist:keys=stacktrace:vals=hitcount:sort=hitcount:size=2048 [active]");
	d.stack[0] = 0xffffffff81001010;
	d.n_stack = 1;
	hit(&d, all, "");
	check_rows(&d, all, "{ stacktrace: do_one+0x10/0x1000 } hitcount: 1 | 1 1 0");
	/* a stack in a field is a number */
	accept(&d, defs, "s u64 lat; unsigned long[] st");
	accept(&d, "synthetic:s", "hist:keys=st:vals=lat:m=st");
	accept(&d, "synthetic:s", "hist:keys=st.hex,stacktrace");
	check_triggers(
		&d, "synthetic:s",
		"hist:keys=st:vals=hitcount,lat:m=st:sort=hitcount:size=2048 [active] // "
		"hist:keys=st.hex,stacktrace:vals=hitcount:sort=hitcount:size=2048 [active]");
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_listing),        TEST(test_lines),        TEST(test_refused),
		TEST(test_dynamic_events), TEST(test_unknown_type), TEST(test_busy),
		TEST(test_format),         TEST(test_stacks),       TEST(test_stacks_6_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
