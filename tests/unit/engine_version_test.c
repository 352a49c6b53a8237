// SPDX-License-Identifier: LGPL-2.1-only
/* Which kernel a text means, and what differs between kernels. */
#include "engine_dir.h"

static const struct {
	const char *text;
	unsigned int major, minor;
} texts[] = {
	{ "6.12", 6, 12 },
	{ "6.12.117-1~deb12u1", 6, 12 },
	{ "Linux host 6.1.0-30-amd64 x86_64", 6, 1 },
	{ "Linux (none) 6.12.117 x86_64", 6, 12 },
	{ "Linux host-5.4 5.10.0 x86_64", 5, 10 },   /* a number within a word is none */
	{ "Linux 192.168.1.2 6.6.1 aarch64", 6, 6 }, /* nor is a host that is called like one */
	{ "6", 0, 0 },
	{ "v6.8", 0, 0 },
	{ "", 0, 0 },
	{ "nothing", 0, 0 },
};

static void test_parse(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct kernel_version v = kernel_version_parse(texts[i].text);

		if (v.major != texts[i].major || v.minor != texts[i].minor)
			print_error("# of: %s\n", texts[i].text);
		assert_int_equal(v.major, texts[i].major);
		assert_int_equal(v.minor, texts[i].minor);
	}
	assert_int_equal(kernel_version_parse(NULL).major, 0);
}

static const struct kernel_quirks *quirks(const char *version)
{
	return kernel_quirks_of(kernel_version_parse(version));
}

static void test_table(void **state)
{
	(void)state;
	assert_int_equal(quirks("6.1")->heapsort, HEAPSORT_6_1);
	assert_false(quirks("6.1")->nohitcount);
	assert_false(quirks("6.1")->nesting_limit);
	assert_int_equal(quirks("6.12")->heapsort, HEAPSORT_6_12);
	assert_true(quirks("6.12")->nohitcount);
	assert_true(quirks("6.12")->nesting_limit);
	/* what is unknown or newer is as the newest */
	assert_ptr_equal(quirks("7.0"), quirks("6.16"));
	assert_ptr_equal(quirks("unknown"), quirks("6.16"));
	assert_false(quirks("6.12")->resched_lazy);
	assert_true(quirks("6.13")->resched_lazy);
	assert_false(quirks("6.13")->set_event_mod);
	assert_true(quirks("6.14")->set_event_mod);
	assert_false(quirks("6.14")->common_comm);
	assert_true(quirks("6.16")->common_comm);
	assert_int_equal(kernel_generics(quirks("6.1")), GENERICS_6_1);
	assert_int_equal(kernel_generics(quirks("6.12")), GENERICS_6_3);
	assert_int_equal(kernel_generics(quirks("6.16")), GENERICS_6_16);
	/* the older the less: nothing comes and goes */
	assert_ptr_equal(quirks("4.17"), quirks("6.1"));
	assert_ptr_equal(quirks("6.1.192"), quirks("6.1"));
	for (unsigned int minor = 1; minor < 12; minor++) {
		const struct kernel_quirks *a =
			kernel_quirks_of((struct kernel_version){ 6, minor });
		const struct kernel_quirks *b =
			kernel_quirks_of((struct kernel_version){ 6, minor + 1 });

		assert_true(a->heapsort <= b->heapsort);
		assert_true(a->nohitcount <= b->nohitcount);
		assert_true(a->common_stacktrace <= b->common_stacktrace);
		assert_true(a->filter_function <= b->filter_function);
		assert_true(a->filter_cpus <= b->filter_cpus);
	}
}

/* What each kernel takes; "" is a refusal without a word, NULL acceptance. */
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

/* Where the dollar of a qualified reference stands. */
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

/* An expression whose text the kernel cannot write. */
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
		TEST(test_parse),     TEST(test_table),           TEST(test_commands),
		TEST(test_reference), TEST(test_long_expression),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
