// SPDX-License-Identifier: LGPL-2.1-only
/* Differences found by comparing thousands of commands with booted kernels (6.1, 6.12). */
#include "tracing_dir.h"

static const char waking[] = "sched:sched_waking", all[] = "test:all";

/*
 * The kernel cuts a definition in place while it parses it. A later $NAME of the same command
 * refers to what is left: the first operand.
 */
static void test_cut_definitions(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, all, "hist:keys=b8:x=b16-a8*2:y=$x");
	check_triggers(
		&d, all,
		"hist:keys=b8:vals=hitcount:x=b16-a8*2,y=b16:sort=hitcount:size=2048 [active]");
	accept(&d, waking, "hist:keys=pid:x=prio-$x");
	check_triggers(&d, waking,
		       "hist:keys=pid:vals=hitcount:x=prio-prio:sort=hitcount:size=2048 [active]");
	/* values are evaluated before the variables, keys after them */
	refuse(&d, all, "hist:keys=a8:vals=$z:z=b16+1",
	       "19 Couldn't find variable; 18 Couldn't find field");
	accept(&d, all, "hist:keys=$z:z=b16+1");
	/* system.event.name is cut, too */
	refuse(&d, all, "hist:keys=a8:u=a.b.b16:w=$u", "10 Couldn't find field");
	dir_close(&d);
}

/* A modifier that rounds is parsed before the operand is known not to be a number. */
static void test_rounded_without_number(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	refuse(&d, all, "hist:keys=b8:v=common_stacktrace.buckets=5", "15 Invalid field modifier");
	refuse(&d, all, "hist:keys=b8:vals=hitcount.log2,hitcount.log2",
	       "18 Invalid field modifier");
	dir_close(&d);
}

static const struct {
	const char *list;
	bool good;
} cpulists[] = {
	{ "0", true },        { " ,0,, 1 ", true },       { "0-3:1/2", true },
	{ "ALL", true },      { "aLl:1/2", true },        { "N", true },
	{ "2-N", true },      { "00000000000001", true }, { "0\n,x", true },
	{ "0:1/1", false },   { "0-1:1/1x", false },      { "0-1:2/1", false },
	{ "0-1:1/0", false }, { "2-1", false },           { "4", false },
	{ "0x1", false },     { "4294967296", false },    { "all1", false },
};

static void test_cpulists(void **state)
{
	char text[64];
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	for (size_t i = 0; i < ARRAY_SIZE(cpulists); i++) {
		char want[64];

		snprintf(text, sizeof(text), "traceon if pid & CPUS{%s}", cpulists[i].list);
		snprintf(want, sizeof(want), "%zu Invalid cpulist", strlen(text) - 11);
		if (!cpulists[i].good) {
			refuse(&d, waking, text, want);
			continue;
		}
		accept(&d, waking, text);
		accept(&d, waking, "!traceon");
	}
	dir_close(&d);
}

/* dynamic_events does not use '!' for removing, but it skips a check. */
static void test_dynamic_exclamation(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	assert_int_equal(synth_events_write(d.t, span_of("s:!wl"), true, &d.diags),
			 -HIST_EREJECTED);
	assert_int_equal(synth_events_write(d.t, span_of("s:!wl u64 lat"), true, &d.diags),
			 -HIST_EREJECTED);
	check_log(&d, "s:!wl",
		  "0 Command must be of the form: <name> field[;field] ...; 2 Illegal name");
	dir_close(&d);
}

/* A synthetic event is written while the event that caused it is being processed. */
static void test_preempt_count(void **state)
{
	static const char *const kernel[] = { "6.1", "6.12" };
	static const char *const want[][2] = { { "3", "15" }, { "4", "15" } };
	static const char *const of_print[] = { "1", "2" };
	char rows[128];
	struct dir d;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(kernel); i++) {
		dir_open(&d, kernel[i]);
		accept(&d, "synthetic_events", "ev pid_t pid");
		accept(&d, waking, "hist:keys=pid:onmatch(sched.sched_waking).ev(pid)");
		accept(&d, "synthetic:ev", "hist:keys=common_preempt_count:sort=hitcount");
		hit(&d, waking, "pid=7 common_preempt_count=1");
		snprintf(rows, sizeof(rows), "{ common_preempt_count: %s } hitcount: 1 | 1 1 0",
			 want[i][0]);
		check_rows(&d, "synthetic:ev", rows);
		accept(&d, "synthetic:ev", "hist:keys=pid:vals=common_preempt_count");
		hit(&d, waking, "pid=7 common_preempt_count=14");
		snprintf(rows, sizeof(rows),
			 "{ common_preempt_count: %s } hitcount: 1 | 1 1 0 || "
			 "{ pid: 7 } hitcount: 1 common_preempt_count: %s | 1 1 0",
			 want[i][1], want[i][1]);
		check_rows(&d, "synthetic:ev", rows);
		dir_close(&d);

		/* trace_marker has no tracepoint that disables preemption */
		dir_open(&d, kernel[i]);
		accept(&d, "synthetic_events", "ev int pid");
		accept(&d, "ftrace:print",
		       "hist:keys=common_pid:p=common_pid:onmatch(ftrace.print).ev($p)");
		accept(&d, "synthetic:ev", "hist:keys=common_preempt_count");
		hit(&d, "ftrace:print", "buf=x");
		snprintf(rows, sizeof(rows), "{ common_preempt_count: %s } hitcount: 1 | 1 1 0",
			 of_print[i]);
		check_rows(&d, "synthetic:ev", rows);
		dir_close(&d);
	}
}

/* The address of a string or stack is a number that no recording contains; strings still work. */
static void test_addresses(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:c=comm:onchange($c).save(prio,comm)");
	assert_int_equal(d.diags.list.n, 1);
	hit(&d, waking, "pid=7 prio=3 comm=abc");
	hit(&d, waking, "pid=7 prio=4 comm=def");
	/* the address changes once, from 0 */
	check_rows(&d, waking, "{ pid: 7 } hitcount: 2 changed: 0 prio: 3 comm: abc | 2 1 0");
	accept(&d, waking, "hist:keys=pid:vals=comm,$c:d=$c:onmax($d).save($c,common_stacktrace)");
	hit(&d, waking, "pid=7 prio=3 comm=abc");
	hit(&d, waking, "pid=7 prio=3 comm=abc");
	check_rows(&d, waking,
		   "{ pid: 7 } hitcount: 2 changed: 0 prio: 3 comm: abc | 2 1 0 || "
		   "{ pid: 7 } hitcount: 2 comm: 0 c: 0 max: 0 $c: 0 common_stacktrace: 0 | 2 1 0");
	dir_close(&d);
}

/*
 * A string of length zero, without even a NUL (as from a kprobe that could not read it): code that
 * uses the length sees an empty string, other code sees the string that follows.
 */
static void test_no_length(void **state)
{
	static const char *const filter[] = { "dyn == \"next\"", "dyn ~ \"ne*\"",  "dyn ~ \"*ex*\"",
					      "dyn ~ \"*xt\"",   "dyn ~ \"n?xt\"", "dyn == \"\"" };
	char text[64];
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "synthetic_events", "ev char s[]");
	accept(&d, all, "hist:keys=dyn:d=dyn:onmatch(test.all).ev($d)");
	accept(&d, "synthetic:ev", "hist:keys=s");
	hit(&d, all, "dyn=FAULT rel=next");
	hit(&d, all, "rel=before dyn=FAULT");
	check_rows(&d, all, "{ dyn: } hitcount: 2 | 2 1 0");
	check_rows(&d, "synthetic:ev", "{ s: next } hitcount: 1 { s: } hitcount: 1 | 2 2 0");
	accept(&d, all, "!hist:keys=dyn:d=dyn:onmatch(test.all).ev($d)");
	for (size_t i = 0; i < ARRAY_SIZE(filter); i++) {
		snprintf(text, sizeof(text), "hist:keys=b8 if %s", filter[i]);
		accept(&d, all, text);
		hit(&d, all, "dyn=FAULT rel=next");
		check_rows(&d, all, i < 3 ? "{ b8: 0 } hitcount: 1 | 1 1 0" : "| 0 0 0");
		snprintf(text, sizeof(text), "!hist:keys=b8 if %s", filter[i]);
		accept(&d, all, text);
	}
	dir_close(&d);
}

/* In 6.1 a negated class matches the NUL, and zeros after the end of the field. */
static void test_class_at_end(void **state)
{
	static const struct {
		const char *pattern;
		bool old;
	} globs[] = {
		{ "ab[!x]", true },        { "ab[!x][!x]*", true }, { "ab*[!a-z]", true },
		{ "*[!a-z]*", true },      { "ab[!x]?", false },    { "ab[a-z]", false },
		{ "a[!x][!x][!x]", true }, { "ab[!", false },
	};
	char text[64];
	struct dir d;

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(globs); i++) {
		bool old = i % 2;

		dir_open(&d, old ? "6.1" : "6.12");
		snprintf(text, sizeof(text), "hist:keys=b8 if dyn ~ \"%s\"", globs[i / 2].pattern);
		accept(&d, all, text);
		hit(&d, all, "dyn=ab rel=behind");
		check_rows(&d, all,
			   old && globs[i / 2].old ? "{ b8: 0 } hitcount: 1 | 1 1 0" : "| 0 0 0");
		dir_close(&d);
	}
}

/* Since 6.16, the name of the task is a field of every event. */
static void test_common_comm(void **state)
{
	static const char *const keys[] = { "common_comm", "COMM", "comm" };
	char text[128], rows[128];
	struct dir d;

	(void)state;
	dir_open(&d, "6.14");
	refuse(&d, all, "hist:keys=common_comm", "10 Couldn't find field");
	refuse(&d, all, "hist:keys=comm", "10 Couldn't find field");
	refuse(&d, all, "traceon if common_comm == \"a\"", "12 Field not found");
	dir_close(&d);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		dir_open(&d, "6.16");
		snprintf(text, sizeof(text), "hist:keys=%s:sort=%s.descending if COMM ~ \"[ab]\"",
			 keys[i], keys[i]);
		accept(&d, all, text);
		d.comm = "b";
		hit(&d, all, "");
		d.comm = "c";
		hit(&d, all, "");
		d.comm = "a";
		hit(&d, all, "");
		/* kernel: as common_comm it is not compared; the sort swaps two equal entries */
		snprintf(rows, sizeof(rows), "{ %s: b } hitcount: 1 { %s: a } hitcount: 1 | 2 2 0",
			 keys[i], keys[i]);
		check_rows(&d, all, rows);
		dir_close(&d);
	}
	dir_open(&d, "6.16");
	refuse(&d, all, "traceon if common_comm == \"a\"", "12 Field not found");
	accept(&d, "synthetic_events", "ev char s[]");
	accept(&d, all, "hist:keys=b8:c=common_comm:onmatch(test.all).ev($c)");
	accept(&d, "synthetic:ev", "hist:keys=s");
	d.comm = "task";
	hit(&d, all, "");
	check_rows(&d, "synthetic:ev", "{ s: task } hitcount: 1 | 1 1 0");
	accept(&d, all, "!hist:keys=b8:c=common_comm:onmatch(test.all).ev($c)");
	accept(&d, all, "hist:keys=COMM");
	check_triggers(&d, all,
		       "hist:keys=common_comm:vals=hitcount:sort=hitcount:size=2048 [active]");
	/* an event's own field takes precedence */
	accept(&d, waking, "hist:keys=comm");
	hit(&d, waking, "comm=woken");
	check_rows(&d, waking, "{ comm: woken } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cut_definitions), TEST(test_rounded_without_number),
		TEST(test_cpulists),        TEST(test_dynamic_exclamation),
		TEST(test_preempt_count),   TEST(test_addresses),
		TEST(test_no_length),       TEST(test_class_at_end),
		TEST(test_common_comm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
