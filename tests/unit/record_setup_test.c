// SPDX-License-Identifier: LGPL-2.1-only
/* The triggers and filters of an instance as a script and limits (record/setup.h). */
#include "unit.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/setup.h"

static char dir[] = "/tmp/hist-setup-XXXXXX";

static void put(const char *path, const char *text)
{
	char at[300];
	FILE *f;

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		snprintf(at, sizeof(at), "%s/%.*s", dir, (int)(slash - path), path);
		mkdir(at, 0700);
	}
	snprintf(at, sizeof(at), "%s/%s", dir, path);
	f = fopen(at, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void expect(const char *script, const char *limits)
{
	struct strbuf s = STRBUF_INIT, l = STRBUF_INIT;
	char command[64];

	assert_int_equal(setup_read(dir, dir, &s, &l), 0);
	assert_string_equal(s.s, script);
	assert_string_equal(l.s, limits);
	strbuf_release(&s);
	strbuf_release(&l);
	snprintf(command, sizeof(command), "rm -rf %s/*", dir);
	assert_int_equal(system(command), 0);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static void nothing_is_set(void **state)
{
	(void)state;
	put("events/sched/sched_switch/trigger",
	    "# Available triggers:\n# traceon traceoff stacktrace hist\n");
	put("events/sched/sched_switch/filter", "none\n");
	put("current_tracer", "nop\n");
	put("set_event_pid", "");
	put("synthetic_events", "other\tu64 lat\n");
	expect("", "");
}

/* An event prints its latest trigger first; events are listed by name. */
static void after_what_they_need(void **state)
{
	(void)state;
	put("synthetic_events", "other\tu64 lat\nlate\tu64 lat; char what[16]\n");
	put("events/sched/sched_switch/trigger",
	    "hist:keys=next_pid:vals=hitcount:lat=common_timestamp.usecs-$ts0:sort=hitcount:size=2048"
	    ":clock=global:onmatch(sched.sched_waking).late($lat,next_comm) if next_comm == \"it's\""
	    " [active]\n"
	    "traceoff:count=1\n");
	put("events/sched/sched_waking/trigger",
	    "hist:keys=pid:vals=hitcount,prio:sort=prio.descending,pid.log2.descending,pid.execname"
	    ":size=2048 if prio > 1 [paused]\n"
	    "hist:keys=pid:vals=hitcount:ts0=common_timestamp.usecs:sort=hitcount:size=2048"
	    ":clock=global [active]\n");
	put("events/synthetic/late/trigger",
	    "hist:keys=lat.log2:vals=hitcount:sort=lat.log2:size=2048 [active]\n");
	put("current_tracer", "function\n");
	expect("echo 'late\tu64 lat; char what[16]' >> synthetic_events\n"
	       "echo 'hist:keys=pid:vals=hitcount:ts0=common_timestamp.usecs:sort=hitcount:size=2048"
	       ":clock=global' >> events/sched/sched_waking/trigger\n"
	       "echo 'hist:keys=pid:vals=hitcount,prio:sort=prio.descending,pid.descending,pid"
	       ":size=2048:pause if prio > 1' >> events/sched/sched_waking/trigger\n"
	       "echo 'hist:keys=next_pid:vals=hitcount:lat=common_timestamp.usecs-$ts0:sort=hitcount"
	       ":size=2048:clock=global:onmatch(sched.sched_waking).late($lat,next_comm)"
	       " if next_comm == \"it'\\''s\"' >> events/sched/sched_switch/trigger\n"
	       "echo 'hist:keys=lat.log2:vals=hitcount:sort=lat:size=2048'"
	       " >> events/synthetic/late/trigger\n"
	       "# events/sched/sched_switch: traceoff:count=1\n"
	       "# tracer: function\n",
	       "");
}

/* Two that need each other cannot be, but may be read while they change. */
static void without_an_order(void **state)
{
	(void)state;
	put("events/a/b/trigger", "hist:keys=x:v=$w [active]\n");
	put("events/a/c/trigger", "hist:keys=x:w=$v [active]\n");
	expect("echo 'hist:keys=x:v=$w' >> events/a/b/trigger\n"
	       "echo 'hist:keys=x:w=$v' >> events/a/c/trigger\n",
	       "");
}

static void limits(void **state)
{
	(void)state;
	put("events/sched/sched_switch/filter", "next_pid > 0 && next_comm == \"a\"\n");
	put("set_event_pid", "12\n34\n");
	expect("", "filter sched:sched_switch next_pid > 0 && next_comm == \"a\"\npids 12 34\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_set),
		cmocka_unit_test(after_what_they_need),
		cmocka_unit_test(without_an_order),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
