// SPDX-License-Identifier: LGPL-2.1-only
/* Filters: which records pass; which filters are rejected, and the error position. */
#include "tracing_dir.h"

/* Whether a record of test:all with @fields passes @filter. */
static bool passes(const char *event, const char *filter, const char *fields)
{
	char text[512];
	struct dir d;
	bool matched;

	dir_open(&d, "6.12");
	snprintf(text, sizeof(text), "hist:keys=common_cpu if %s", filter);
	accept(&d, event, text);
	hit(&d, event, fields);
	matched = hist_map(hist_count_of(file_of(&d, event)->triggers.v[0]->hist))->hits == 1;
	dir_close(&d);
	return matched;
}

static void check_passes(const char *event, const char *filter, const char *fields, bool want)
{
	bool got = passes(event, filter, fields);

	if (got != want)
		print_error("# of: %s on %s\n", filter, fields);
	assert_int_equal(got, want);
}

/* --- strings: as observed on a kernel, for the value abc --- */

static const struct {
	const char *pattern;
	int fixed, dynamic, buf; /* 1 match, 0 none, -1 not observed */
} strings[] = {
	{ "== \"abc\"", 1, 1, 1 },    { "~ \"abc\"", 1, 1, -1 },    { "~ \"a*\"", 1, 1, 1 },
	{ "~ \"*c\"", 0, 1, 0 }, /* an array of fixed size ends at its declared size */
	{ "~ \"*b*\"", 1, 1, 1 },     { "~ \"*\"", 1, 1, -1 },      { "~ \"a?c\"", 1, 1, 0 },
	{ "~ \"a[b-d]c\"", 1, 1, 0 }, { "~ \"a[!b]c\"", 0, 0, -1 }, { "~ \"!abc\"", 0, 0, -1 },
	{ "~ \"a\\*\"", 0, 0, -1 },   { "== \"\"", 0, 0, -1 },      { "~ \"\"", 0, 0, -1 },
	{ "~ \"**\"", 1, 1, -1 },     { "~ \"a*c*\"", 1, 1, -1 },   { "~ \"!x*\"", 1, 1, -1 },
	{ "!= \"!abc\"", 1, 1, -1 },  { "== \"ab\"", 0, 0, 0 },     { "== \"abcd\"", 0, 0, 0 },
	{ "~ \"ab\"", 0, 0, 0 },      { "!= \"abc\"", 0, 0, 0 },    { "!= \"abd\"", 1, 1, 1 },
	{ "== 'abc'", 1, 1, 1 },      { "~ \"[abc\"", 0, 0, -1 },   { "~ \"*[c]\"", 1, 1, -1 },
	{ "~ \"???\"", 1, 1, 0 },     { "~ \"????\"", 0, 0, 0 },
};

static void test_strings(void **state)
{
	char filter[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		snprintf(filter, sizeof(filter), "st %s", strings[i].pattern);
		check_passes("test:all", filter, "st=abc", strings[i].fixed);
		snprintf(filter, sizeof(filter), "dyn %s", strings[i].pattern);
		check_passes("test:all", filter, "dyn=abc", strings[i].dynamic);
		snprintf(filter, sizeof(filter), "rel %s", strings[i].pattern);
		check_passes("test:all", filter, "dyn=xyz rel=abc", strings[i].dynamic);
		snprintf(filter, sizeof(filter), "buf %s", strings[i].pattern);
		if (strings[i].buf >= 0)
			check_passes("ftrace:print", filter, "buf=abc", strings[i].buf);
	}
}

static const struct {
	const char *filter, *fields;
	bool match;
} more_strings[] = {
	/* only a string that fills the array ends at the end of the array */
	{ "st ~ \"*no\"", "st=abcdefghijklmno", true },
	{ "st ~ \"*op\"", "st=abcdefghijklmnop", false },
	{ "st == \"abcdefghijklmnop\"", "st=abcdefghijklmnop", true },
	{ "st ~ \"abcdefghijklmnopq*\"", "st=abcdefghijklmnop", false },
	{ "st == \"\"", "b8=1", true },
	{ "dyn == \"\"", "dyn=", true },
	{ "dyn ~ \"*\"", "dyn=", true },
	{ "dyn ~ \"*\"", "b8=1", false },   /* recorded with length 0 */
	{ "dyn ~ \"1*\"", "dyn=1*", true }, /* text that starts with a digit is not a pattern */
	{ "dyn ~ \"1*\"", "dyn=12", false },
	{ "dyn ~ \"a*b*c\"", "dyn=aXbYbZc", true },
	{ "dyn ~ \"a*b*c\"", "dyn=aXbYbZd", false },
	{ "dyn ~ \"[a-cx]z\"", "dyn=xz", true },
	{ "dyn ~ \"[a-cx]z\"", "dyn=dz", false },
	{ "dyn ~ \"[!a-c]z\"", "dyn=dz", true },
	{ "dyn ~ \"[^a]z\"", "dyn=^z", true }, /* '^' is an ordinary character */
	{ "dyn ~ \"a\\?c\"", "dyn=a?c", true },
	{ "dyn ~ \"a\\?c\"", "dyn=abc", false },
	{ "st == \"a\" || dyn == \"b\"", "dyn=b", true },
};

static void test_more_strings(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more_strings); i++)
		check_passes("test:all", more_strings[i].filter, more_strings[i].fields,
			     more_strings[i].match);
}

/* --- numbers --- */

static const struct {
	const char *filter, *fields;
	bool match;
} numbers[] = {
	{ "a32 < 0", "a32=-3", true },
	{ "a32 == -3", "a32=-3", true },
	{ "a32 > -4 && a32 <= -3", "a32=-3", true },
	{ "a32 >= -2", "a32=-3", false },
	{ "b32 > 5", "b32=-3", true }, /* unsigned */
	{ "b32 == 4294967293", "b32=-3", true },
	{ "b32 == 0xfffffffd", "b32=-3", true },
	{ "b8 == 255", "b8=255", true },
	{ "b8 == 511", "b8=255", true }, /* truncated to the size of the field */
	{ "a8 == -1", "a8=255", true },
	{ "a64 == -9223372036854775808", "a64=-9223372036854775808", true },
	{ "b64 == 18446744073709551615", "b64=18446744073709551615", true },
	{ "b64 > 9223372036854775808", "b64=18446744073709551615", true },
	{ "b64 == 010", "b64=8", true },
	{ "b8 & 6", "b8=4", true },
	{ "b8 & 6", "b8=9", false },
	{ "b8 != 4", "b8=4", false },
	{ "a16 & 0x8000", "a16=-1", true },
	{ "!(b8 == 1) && b16 == 2", "b8=2 b16=2", true },
	{ "b8 == 1 || b8 == 2 && b16 == 9", "b8=1", true },
	{ "(b8 == 1 || b8 == 2) && b16 == 9", "b8=1", false },
	{ "!b8 == 1", "b8=2", true },
	{ "!!b8 == 1", "b8=2", false },
	{ "mac == 0", "b8=1", false }, /* a size that is not one of a number: never matches */
	{ "mac != 0", "b8=1", false },
	{ "common_pid == 7", "common_pid=7", true },
	{ "common_type == 102", "b8=1", true },
};

static void test_numbers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		check_passes("test:all", numbers[i].filter, numbers[i].fields, numbers[i].match);
}

/* --- CPUs --- */

static const struct {
	const char *filter, *fields;
	bool match;
} cpus[] = {
	{ "CPU == 2", "@cpu=2", true },
	{ "cpu < 2", "@cpu=2", false },
	{ "common_cpu >= 2", "@cpu=2", true },
	{ "CPU & 3", "@cpu=2", false }, /* always false */
	{ "CPU & CPUS{1-2}", "@cpu=2", true },
	{ "CPU & CPUS{1-2}", "@cpu=3", false },
	{ "CPU == CPUS{2}", "@cpu=2", true },
	{ "CPU & CPUS{2}", "@cpu=2", true },
	{ "CPU == CPUS{1-2}", "@cpu=2", false }, /* a number and several CPUs: never equal */
	{ "CPU != CPUS{1-2}", "@cpu=2", true },
	{ "CPU & CPUS{0-3:1/2}", "@cpu=2", true },
	{ "CPU & CPUS{0-3:1/2}", "@cpu=1", false },
	{ "CPU & CPUS{0,3}", "@cpu=3", true },
	{ "b8 & CPUS{0,3}", "b8=3", true },
	{ "b8 & CPUS{0,3}", "b8=200", false },
	{ "mask & CPUS{0,3}", "mask=0x8", true },
	{ "mask & CPUS{0,3}", "mask=0x6", false },
	{ "mask == CPUS{0,3}", "mask=0x9", true },
	{ "mask == CPUS{0,3}", "mask=0xd", false },
	{ "mask != CPUS{0,3}", "mask=0xd", true },
	{ "mask == CPUS{3}", "mask=0x8", true },
	{ "mask == CPUS{3}", "mask=0x9", false },
	{ "mask & CPUS{3}", "mask=0x9", true },
};

static void test_cpus(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cpus); i++)
		check_passes("test:all", cpus[i].filter, cpus[i].fields, cpus[i].match);
}

/* --- symbols, comms, pointers --- */

static void test_functions(void **state)
{
	(void)state;
	check_passes("test:all", "b64.function == do_one", "b64=0xffffffff81001000", true);
	check_passes("test:all", "b64.function == do_one", "b64=0xffffffff81001fff", true);
	check_passes("test:all", "b64.function == do_one", "b64=0xffffffff81002000", false);
	check_passes("test:all", "b64.function != do_one", "b64=0xffffffff81002000", true);
	check_passes("test:all", "b64.function == 0xffffffff81001234", "b64=0xffffffff81001000",
		     true);
}

static void test_comm(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all",
	       "hist:keys=common_pid:sort=common_pid if COMM == \"bash\" || comm ~ \"sh*\"");
	d.comm = "bash";
	hit(&d, "test:all", "common_pid=1");
	d.comm = "shell";
	hit(&d, "test:all", "common_pid=2");
	d.comm = "zsh";
	hit(&d, "test:all", "common_pid=3");
	check_rows(&d, "test:all",
		   "{ common_pid: 1 } hitcount: 1 { common_pid: 2 } hitcount: 1 | 2 2 0");
	/* an event's own field of that name takes precedence */
	accept(&d, "sched:sched_waking", "hist:keys=pid if comm == \"abc\"");
	hit(&d, "sched:sched_waking", "comm=abc pid=5");
	check_rows(&d, "sched:sched_waking", "{ pid: 5 } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* Recordings do not contain the string at a pointer: accepted with a warning, never matches. */
static void test_pointers(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=common_cpu if ptr == \"abc\"");
	assert_int_equal(d.diags.list.n, 1);
	assert_int_equal(d.diags.list.v[0].level, DIAG_WARNING);
	hit(&d, "test:all", "ptr=5");
	check_rows(&d, "test:all", "| 0 0 0");
	dir_close(&d);
}

/* A record shorter than its format never matches, and nothing beyond it is read. */
static void test_short_records(void **state)
{
	struct record r = { .len = 8 };
	struct hit h = { .rec = r.bytes, .len = 8 };
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "test:all", "hist:keys=common_cpu if b8 == 0 && dyn != \"x\" && st != \"x\"");
	h.file = file_of(&d, "test:all");
	h.context = &d.context;
	tracing_reset(d.t);
	event_hit(event_count_of(file_of(&d, "test:all")), &h);
	check_rows(&d, "test:all", "| 0 0 0");
	dir_close(&d);
}

/* --- errors: the kernel's column; within a predicate it is one too far to the right --- */

static const char *const errors[][2] = {
	{ "nofield == 1", "8 Field not found" },
	{ "prio == 1 && nofield == 1", "21 Field not found" },
	{ "prio", "5 Invalid operator" },
	{ "prio = 1", "6 Invalid operator" },
	{ "prio ==", "8 Invalid value (did you forget quotes)?" },
	{ "prio == x", "9 Invalid value (did you forget quotes)?" },
	{ "prio == \"1\"", "9 Expecting numeric field" },
	{ "comm == 1", "9 Expecting string field" },
	{ "comm < \"a\"", "8 Illegal operation for field type" },
	{ "comm & \"a\"", "8 Illegal operation for field type" },
	{ "prio ~ 1", "8 Illegal operation for field type" },
	{ "prio == 0x", "9 Illegal integer value" },
	{ "prio == 99999999999999999999", "9 Illegal integer value" },
	{ "prio == 1)", "9 Too few '('" },
	{ "(prio == 1", "0 Too many '('" },
	{ "comm == \"a", "8 Missing matching quote" },
	{ "prio == 1 prio == 2", "10 Too many terms in predicate expression" },
	{ "prio == 1 &&", "12 Meaningless filter expression" },
	{ "== 1", "0 Error" },
	{ "prio == 1 && == 2", "0 Error" },
	{ "()", "0 Error" },
	{ "prio & CPUS", "13 Missing '{'" },
	{ "prio & CPUS{1", "14 Missing '}'" },
	{ "prio & CPUS{9}", "14 Invalid cpulist" },
	{ "prio & CPUS{}", "13 Invalid cpulist" },
	{ "comm & CPUS{1}", "8 Illegal operation for field type" },
	{ "prio.function == do_one", "18 Illegal operation for field type" },
};

static void test_errors(void **state)
{
	char text[512];
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		snprintf(text, sizeof(text), "hist:keys=pid if %s", errors[i][0]);
		refuse(&d, "sched:sched_waking", text, errors[i][1]);
		assert_string_equal(d.t->top->errors.entries[0].loc, "event filter parse error");
		assert_string_equal(d.t->top->errors.entries[0].cmd, errors[i][0]);
	}
	refuse(&d, "test:all", "hist:keys=b8 if b64.function == nosuch", "23 Function not found");
	refuse(&d, "test:all", "hist:keys=b8 if b64.function > do_one", "16 Invalid operator");
	refuse(&d, "test:all", "hist:keys=b8 if b64 == -1", "8 Illegal integer value");
	check_triggers(
		&d, "sched:sched_waking",
		"# Available triggers: // # traceon traceoff snapshot stacktrace enable_event disable_event "
		"enable_hist disable_hist hist");
	dir_close(&d);
}

/* 6.1 has no CPUS{} and no .function, and does not log errors in filters of triggers. */
static void test_errors_6_1(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.1");
	refuse(&d, "sched:sched_waking", "hist:keys=pid if nofield == 1", "");
	refuse(&d, "sched:sched_waking", "hist:keys=pid if prio & CPUS{1}", "");
	refuse(&d, "test:all", "hist:keys=b8 if b64.function == do_one", "");
	refuse(&d, "test:all", "hist:keys=b8 if stacktrace == 1", "");
	event_filter_write(file_of(&d, "test:all"), span_of("nofield == 1"), false, &d.diags);
	check_log(&d, "nofield == 1", "8 Field not found");
	dir_close(&d);
}

/* --- the filter file --- */

static void check_filter_file(struct dir *d, const char *text, int want_err, const char *want)
{
	int err = event_filter_write(file_of(d, "sched:sched_waking"), span_of(text), false,
				     &d->diags);

	assert_int_equal(err, want_err);
	check_shown(d, "sched:sched_waking", print_filter, want);
}

static void test_filter_file(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	check_shown(&d, "sched:sched_waking", print_filter, "none\n");
	check_filter_file(&d, "prio == 1\n", 0, "prio == 1\n");
	check_filter_file(&d, "nofield == 1", -HIST_EREJECTED,
			  "nofield == 1\n        ^\nparse_error: Field not found\n\n");
	check_filter_file(&d, "prio == 1)", -HIST_EREJECTED,
			  "prio == 1)\n         ^\nparse_error: Too few '('\n\n");
	check_filter_file(&d, "(prio == 1", -HIST_EREJECTED,
			  "(prio == 1\n^\nparse_error: Too many '('\n\n");
	check_filter_file(&d, "== 1", -HIST_EREJECTED, "== 1\nError: (0)\n\n");
	check_filter_file(&d, "prio > 3", 0, "prio > 3\n");
	check_filter_file(&d, "0", 0, "none\n");
	dir_close(&d);
}

/* It decides what would be recorded; triggers get the event in any case. */
static void test_filter_file_and_triggers(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	event_file_enable(file_of(&d, "sched:sched_waking"), true, false);
	accept(&d, "sched:sched_waking", "hist:keys=pid");
	assert_int_equal(event_filter_write(file_of(&d, "sched:sched_waking"), span_of("prio == 1"),
					    false, &d.diags),
			 0);
	assert_true(hit(&d, "sched:sched_waking", "pid=1 prio=1"));
	assert_false(hit(&d, "sched:sched_waking", "pid=1 prio=2"));
	check_rows(&d, "sched:sched_waking", "{ pid: 1 } hitcount: 2 | 2 1 0");
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_strings),     TEST(test_more_strings),
		TEST(test_numbers),     TEST(test_cpus),
		TEST(test_functions),   TEST(test_comm),
		TEST(test_pointers),    TEST(test_short_records),
		TEST(test_errors),      TEST(test_errors_6_1),
		TEST(test_filter_file), TEST(test_filter_file_and_triggers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
