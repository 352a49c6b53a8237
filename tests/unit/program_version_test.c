// SPDX-License-Identifier: LGPL-2.1-only
/* The kernel version in a text, and the differences between kernels. */
#include "tracing_dir.h"

enum { NEWEST = KERNEL_PATCH_NEWEST };

static const struct {
	const char *text;
	unsigned int major, minor, patch;
} texts[] = {
	{ "6.12", 6, 12, NEWEST },
	{ "6.12.107", 6, 12, 107 },
	{ "6.12.117-1~deb12u1", 6, 12, 117 },
	{ "Linux (none) 6.12.107+deb13-amd64 x86_64", 6, 12, 107 },
	{ "Linux (none) 6.12.117 x86_64", 6, 12, 117 },
	{ "Linux host-5.4 5.10.0 x86_64", 5, 10, 0 },   /* a number within a word is ignored */
	{ "Linux 192.168.1.2 6.6.1 aarch64", 6, 6, 1 }, /* so is a host name that looks like one */
	/* Debian 12 has package numbers; the build text contains the patch level */
	{ "Linux host 6.1.0-30-amd64 x86_64", 6, 1, 119 },
	{ "Linux host 6.1.0-47-amd64 x86_64", 6, 1, 170 },
	{ "Linux host 6.1.0-50-amd64 x86_64", 6, 1, 176 },
	{ "Linux host 6.1.0-56-amd64 x86_64", 6, 1, 192 },
	{ "Linux host 6.1.0-99-amd64 x86_64", 6, 1, 192 },
	{ "Linux host 6.1.0-52-amd64 x86_64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.181-1 (2026-08-01)",
	  6, 1, 181 },
	{ "Linux host 6.1.0 x86_64", 6, 1, 0 },
	{ "Linux host 6.8.0-45-generic x86_64", 6, 8, 0 },
	{ "7.3.0-rc1", 7, 3, 0 },
	{ "6", 0, 0, 0 },
	{ "v6.8", 0, 0, 0 },
	{ "", 0, 0, 0 },
	{ "nothing", 0, 0, 0 },
};

static void test_parse(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct kernel_version v = kernel_version_parse(texts[i].text);

		if (v.major != texts[i].major || v.minor != texts[i].minor ||
		    v.patch != texts[i].patch)
			print_error("# of: %s\n", texts[i].text);
		assert_int_equal(v.major, texts[i].major);
		assert_int_equal(v.minor, texts[i].minor);
		assert_int_equal(v.patch, texts[i].patch);
	}
	assert_int_equal(kernel_version_parse(NULL).major, 0);
}

static struct kernel_quirks quirks(const char *version)
{
	struct kernel_quirks q;

	kernel_quirks_init(&q, kernel_version_parse(version));
	return q;
}

static bool same_rules(const char *a, const char *b)
{
	struct kernel_quirks qa = quirks(a), qb = quirks(b);

	qa.version = qb.version = (struct kernel_version){ 0 };
	/* NOLINTNEXTLINE: both are copies of static data */
	return !memcmp(&qa, &qb, sizeof(qa));
}

/* Without the faults of the newest kernel and all limits; with all else that it has. */
static void test_exact(void **state)
{
	struct kernel_quirks q;

	(void)state;
	assert_true(quirks("7.3").cpu_named_twice && quirks("7.3").whole_array_keys &&
		    quirks("7.3").hist_pads);
	assert_false(quirks("7.3").exact || quirks("7.3").unlimited || quirks("7.3").rows_by_key ||
		     quirks("7.3").symbol_keys);
	kernel_quirks_exact(&q);
	assert_true(q.exact && q.unlimited && q.rows_by_key && q.symbol_keys);
	assert_false(q.cpu_named_twice || q.whole_array_keys || q.hist_pads);
	assert_true(q.common_stacktrace && q.common_comm && q.nohitcount && q.percent_values);
}

static void test_table(void **state)
{
	(void)state;
	assert_false(quirks("6.1").heapsort_pairs);
	assert_false(quirks("6.1").nohitcount);
	assert_false(quirks("6.1").hist_pads);
	assert_true(quirks("6.12").heapsort_pairs);
	assert_true(quirks("6.12").nohitcount);
	assert_true(quirks("6.12").hist_pads);
	assert_false(quirks("6.12").resched_lazy);
	assert_true(quirks("6.13").resched_lazy);
	assert_false(quirks("6.13").set_event_mod);
	assert_true(quirks("6.14").set_event_mod);
	assert_false(quirks("6.14").common_comm);
	assert_true(quirks("6.16").common_comm);
	assert_int_equal(kernel_generics(&(struct kernel_quirks){ .common_stacktrace = false }),
			 GENERICS_6_1);
	assert_int_equal(kernel_generics(&(struct kernel_quirks){ .common_stacktrace = true }),
			 GENERICS_6_3);
}

/* A stable tree gets a change with a patch; other trees have it depending on their own version. */
static void test_patches(void **state)
{
	(void)state;
	assert_false(quirks("6.1.188").percent_values);
	assert_true(quirks("6.1.189").percent_values);
	assert_true(quirks("6.1").percent_values);
	assert_false(quirks("6.2").percent_values);
	assert_false(quirks("6.12.110").percent_values);
	assert_true(quirks("6.12.111").percent_values);
	assert_false(quirks("6.16.12").percent_values);
	assert_false(quirks("7.0.13").percent_values);
	assert_false(quirks("7.1.13").percent_values);
	assert_false(quirks("7.2.6").percent_values);
	assert_true(quirks("7.2.9").percent_values);
	assert_true(quirks("7.3.4").percent_values);
	assert_false(quirks("6.12.114").filter_needs_end);
	assert_true(quirks("6.12.115").filter_needs_end);
	assert_false(quirks("6.12.116").dollar_inside);
	assert_true(quirks("6.12.117").dollar_inside);
	assert_false(quirks("6.1.192").dollar_inside);
	assert_int_equal(kernel_stack_depth(&(struct kernel_quirks){ .deep_stacks = false }), 16);
	assert_int_equal(kernel_stack_depth(&(struct kernel_quirks){ .deep_stacks = true }), 31);
}

/* An unknown or newer version uses the newest rules, an older one the oldest. */
static void test_nearest(void **state)
{
	(void)state;
	assert_true(same_rules("7.9.3", "7.3"));
	assert_true(same_rules("unknown", "7.3"));
	assert_true(same_rules("8.0", "7.3"));
	assert_true(same_rules("5.10.200", "6.1"));
	assert_true(same_rules("4.17", "6.1"));
	assert_false(same_rules("6.12", "7.3"));
	assert_int_equal(quirks("7.9.3").version.minor, 3);
	assert_int_equal(quirks("5.10").version.major, 6);
	assert_int_equal(quirks("6.13.2").version.minor, 13);
}

/* What each kernel accepts; "" is an error without a message, NULL is success. */
static const struct {
	const char *event, *text, *on_6_1, *on_6_12;
} commands[] = {
	{ "sched:sched_waking", "hist:keys=pid:vals=prio:nohitcount", "", NULL },
	{ "sched:sched_waking", "hist:keys=pid:vals=prio:NOHC", "", NULL },
	{ "sched:sched_waking", "hist:keys=pid:vals=hitcount.percent", "19 Couldn't find field",
	  NULL },
	{ "sched:sched_waking", "hist:keys=hitcount", "10 Couldn't find field", NULL },
	{ "sched:sched_waking", "hist:keys=pid:vals=hitcount,hitcount", NULL, NULL },
	{ "sched:sched_waking", "hist:keys=common_stacktrace", "10 Couldn't find field", NULL },
	{ "sched:sched_waking", "hist:keys=stacktrace", NULL, NULL },
	{ "sched:sched_waking", "hist:keys=pid if CPU & CPUS{1-2}", "", NULL },
	{ "test:all", "hist:keys=b8 if b64.function == do_one", "", NULL },
};

static void test_commands(void **state)
{
	static const char *const versions[] = { "6.1", "6.12" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		for (size_t v = 0; v < ARRAY_SIZE(versions); v++) {
			const char *want = v ? commands[i].on_6_12 : commands[i].on_6_1;
			struct dir d;

			dir_open(&d, versions[v]);
			if (want)
				refuse(&d, commands[i].event, commands[i].text, want);
			else
				accept(&d, commands[i].event, commands[i].text);
			dir_close(&d);
		}
	}
}

/* The result of a write to the trigger file of sched_waking. */
static int trigger_result(struct dir *d, const char *text)
{
	d->replaying = false;
	forget_diags(d);
	return event_trigger_write(file_of(d, "sched:sched_waking"), span_of(text), false,
				   &d->diags);
}

/* What each kernel prints for the same command; NULL: it rejects it. */
static const struct {
	const char *version, *text, *line;
} shows[] = {
	{ "6.12", "hist:keys=common_cpu", "hist:keys=common_cpu:vals=hitcount" },
	{ "6.16", "hist:keys=common_cpu", "hist:keys=common_cpucommon_cpu:vals=hitcount" },
	{ "7.3", "hist:keys=cpu", "hist:keys=common_cpucpu:vals=hitcount" },
	{ "7.3", "hist:keys=pid:vals=cpu", "hist:keys=pid:vals=hitcount,common_cpucpu" },
	{ "7.3", "hist:keys=pid:x=common_cpu",
	  "hist:keys=pid:vals=hitcount:x=common_cpucommon_cpu" },
	{ "6.12", "hist:keys=common_comm", NULL },
	{ "6.16", "hist:keys=common_comm", "hist:keys=common_comm:vals=hitcount" },
	{ "6.16", "hist:keys=COMM", "hist:keys=common_comm:vals=hitcount" },
	{ "6.12.110", "hist:keys=pid:vals=prio.percent", NULL },
	{ "6.12.111", "hist:keys=pid:vals=prio.percent",
	  "hist:keys=pid:vals=hitcount,prio.percent" },
	{ "6.16", "hist:keys=pid:vals=hitcount.graph", NULL },
	{ "6.1.188", "hist:keys=pid:vals=prio.graph", NULL },
	{ "6.1.189", "hist:keys=pid:vals=prio.graph", "hist:keys=pid:vals=hitcount,prio.graph" },
	{ "6.12.111", "hist:keys=STACKTRACE", "hist:keys=STACKTRACE.stacktrace:vals=hitcount" },
	{ "6.12.112", "hist:keys=STACKTRACE", "hist:keys=common_stacktrace:vals=hitcount" },
	{ "6.12.111", "hist:keys=stacktrace", "hist:keys=common_stacktrace:vals=hitcount" },
	{ "7.0", "hist:keys=pid:x=prio.buckets=10+1",
	  "hist:keys=pid:vals=hitcount:x=prio.buckets+1" },
	{ "7.3", "hist:keys=pid:x=prio.buckets=10+1",
	  "hist:keys=pid:vals=hitcount:x=prio.buckets=10+1" },
};

static void test_shown(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(shows); i++) {
		char line[256];
		struct dir d;

		dir_open(&d, shows[i].version);
		snprintf(line, sizeof(line), "%s:sort=hitcount:size=2048 [active]",
			 shows[i].line ? shows[i].line : "");
		if (shows[i].line) {
			accept(&d, "sched:sched_waking", shows[i].text);
			check_triggers(&d, "sched:sched_waking", line);
		} else {
			assert_int_not_equal(trigger_result(&d, shows[i].text), 0);
		}
		dir_close(&d);
	}
}

/* Filters that end with an operator: older kernels ignore the operator. */
static void test_open_filters(void **state)
{
	static const struct {
		const char *filter;
		bool taken;
	} rows[] = {
		{ "pid == 3 &&", true },
		{ "pid == 3 ||", true },
		{ "pid == 3 && !", true },
		{ "pid == 3 && prio == 1 &&", true },
		{ "pid == 3 && prio == 1 ||", true },
		{ "pid == 3 || prio == 1 ||", true },
		{ "pid == 3 || prio == 1 &&", false },
		{ "(pid == 3 &&)", false },
		{ "pid == 3 && (", false },
		{ "pid == 3 && !=", false },
		{ "!", false },
		{ "&&", false },
	};
	char text[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct dir d;

		snprintf(text, sizeof(text), "hist:keys=pid if %s", rows[i].filter);
		dir_open(&d, "6.12.114");
		assert_int_equal(trigger_result(&d, text) == 0, rows[i].taken);
		dir_close(&d);
		dir_open(&d, "6.12.115");
		assert_int_not_equal(trigger_result(&d, text), 0);
		dir_close(&d);
	}
}

/* The position of the dollar sign in a qualified reference. */
static void check_reference(const char *version, const char *want)
{
	char line[256];
	struct dir d;

	dir_open(&d, version);
	accept(&d, "sched:sched_waking", "hist:keys=pid:ts0=prio");
	accept(&d, "sched:sched_switch",
	       "hist:keys=next_pid:vals=sched.sched_waking.$ts0:d=next_prio-sched.sched_waking.$ts0");
	snprintf(
		line, sizeof(line),
		"hist:keys=next_pid:vals=hitcount,%s:d=next_prio-%s:sort=hitcount:size=2048 [active]",
		want, want);
	check_triggers(&d, "sched:sched_switch", line);
	dir_close(&d);
}

static void test_reference(void **state)
{
	(void)state;
	check_reference("6.1", "$sched.sched_waking.ts0");
	check_reference("6.12", "sched.sched_waking.$ts0");
}

/* The power of two above 2^63. */
static void check_log2(const char *version, const char *want)
{
	char row[64];
	struct dir d;

	dir_open(&d, version);
	snprintf(row, sizeof(row), "{ b64: ~ 2^%s } hitcount: 1 | 1 1 0", want);
	accept(&d, "test:all", "hist:keys=b64.log2");
	hit(&d, "test:all", "b64=9223372036854775809");
	check_rows(&d, "test:all", row);
	dir_close(&d);
	snprintf(row, sizeof(row), "{ a32: ~ 2^%s } hitcount: 1 | 1 1 0", want);
	dir_open(&d, version);
	accept(&d, "test:all", "hist:keys=a32.log2");
	hit(&d, "test:all", "a32=-1");
	check_rows(&d, "test:all", row);
	dir_close(&d);
}

static void test_log2_of_most(void **state)
{
	(void)state;
	check_log2("6.1.190", "0");
	check_log2("6.1.192", "64");
	check_log2("6.12.113", "0");
	check_log2("6.12.117", "64");
	check_log2("7.2.12", "0");
	check_log2("7.2.13", "64");
	check_log2("7.3.4", "64");
}

/* An expression whose text the kernel cannot print. */
static void test_long_expression(void **state)
{
	struct strbuf name = STRBUF_INIT, text = STRBUF_INIT;
	struct dir d;

	(void)state;
	strbuf_fill(&name, 'v', 200);
	strbuf_addf(&text, "hist:keys=pid:%s=prio", name.s);
	dir_open(&d, "6.12");
	accept(&d, "sched:sched_waking", text.s);
	strbuf_reset(&text);
	strbuf_addf(&text, "hist:keys=next_pid:d=$%s-$%s", name.s, name.s);
	refuse(&d, "sched:sched_switch", text.s, "");
	dir_close(&d);
	strbuf_release(&name);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_parse),           TEST(test_table),        TEST(test_exact),
		TEST(test_patches),         TEST(test_nearest),      TEST(test_commands),
		TEST(test_shown),           TEST(test_open_filters), TEST(test_reference),
		TEST(test_long_expression), TEST(test_log2_of_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
