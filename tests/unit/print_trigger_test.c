// SPDX-License-Identifier: LGPL-2.1-only
/* How triggers are printed: the text written, and the output of a 6.12 kernel. */
#include "tracing_dir.h"

/* In the tables below and in the output, "..." is ":sort=hitcount:size=2048". */
static void check_line(struct dir *d, const char *event, const char *text, const char *want)
{
	struct strbuf line = STRBUF_INIT;
	const char *dots = strstr(want, "...");

	if (dots)
		strbuf_addf(&line, "%.*s:sort=hitcount:size=2048%s", (int)(dots - want), want,
			    dots + 3);
	else
		strbuf_addstr(&line, want);
	accept(d, event, text);
	check_triggers(d, event, line.s);
	strbuf_release(&line);
}

static const char *const lines[][2] = {
	{ "hist:keys=pid", "hist:keys=pid:vals=hitcount... [active]" },
	{ "hist:keys=pid:pause:vals=prio:NOHC:clock=mono:size=4096",
	  "hist:keys=pid:vals=prio:sort=hitcount:size=4096:nohitcount [paused]" },
	{ "hist:keys=$kk:kk=pid:vals=$vv:vv=prio",
	  "hist:keys=pid:vals=hitcount,prio:kk=pid,vv=prio... [active]" },
	{ "hist:keys=prio:aa=$bb,bb=pid",
	  "hist:keys=prio:vals=hitcount:aa=pid,bb=pid... [active]" },
	{ "hist:keys=pid:g=prio.hex+pid.sym-offset*2,h=prio.log2+1",
	  "hist:keys=pid:vals=hitcount:g=prio.hex+pid.sym-offset*2,h=prio.log2+1... [active]" },
	{ "hist:keys=pid:e=-(prio),f=-(prio+target_cpu)",
	  "hist:keys=pid:vals=hitcount:e=-(prio),f=-(prio+target_cpu)... [active]" },
	{ "hist:keys=prio.buckets=5*2,pid.bucket=0x10",
	  "hist:keys=prio.buckets*2,pid.buckets=16:vals=hitcount... [active]" },
	{ "hist:keys=pid:ts0=common_timestamp.usecs,st=stacktrace,ex=common_pid.execname,cm=comm,con=12",
	  "hist:keys=pid:vals=hitcount:ts0=common_timestamp.usecs,st=common_stacktrace,ex=common_pid.execname,cm=comm,"
	  "con=12...:clock=global [active]" },
	{ "hist:keys=pid:vals=prio:sort=prio.ascending,hitcount.descending",
	  "hist:keys=pid:vals=hitcount,prio:sort=prio,hitcount.descending:size=2048 [active]" },
	{ "hist:keys=pid.log2,prio.sym,comm:vals=prio.hex,target_cpu.percent",
	  "hist:keys=pid.log2,prio.sym,comm:vals=hitcount,prio.hex,target_cpu.percent... [active]" },
	{ "hist:keys=cpu:vals=CPU", "hist:keys=common_cpu:vals=hitcount,common_cpu... [active]" },
	{ "hist:keys=stacktrace,pid", "hist:keys=common_stacktrace,pid:vals=hitcount... [active]" },
	{ "hist:keys=5", "hist:keys=5:vals=hitcount... [active]" },
	{ "hist:keys=pid:clock=mono:x=common_timestamp",
	  "hist:keys=pid:vals=hitcount:x=common_timestamp...:clock=mono [active]" },
	{ "hist keys=pid if   prio > 5", "hist:keys=pid:vals=hitcount... if   prio > 5 [active]" },
	{ "hist:keys=pid:name=foo", "hist:name=foo:keys=pid:vals=hitcount... [active]" },
	{ "hist:keys=pid:onmatch(sched.sched_wakeup)i1.trace(i1, prio )",
	  "hist:keys=pid:vals=hitcount...:onmatch(sched.sched_wakeup).trace(i1,prio) [active]" },
	{ "hist:keys=pid:rr=prio:onmatch(sched.sched_wakeup).i1($rr",
	  "hist:keys=pid:vals=hitcount:rr=prio...:onmatch(sched.sched_wakeup).i1($rr) [active]" },
	{ "hist:keys=pid:rr=prio:onmax($rr).tracexyz(i1,prio):onchange($rr).savefoo(comm):onmax($rr).snapshotty()",
	  "hist:keys=pid:vals=hitcount:rr=prio...:onmax($rr).tracexyz(i1,prio):onchange($rr).savefoo(comm):"
	  "onmax($rr).snapshotty() [active]" },
	{ "traceoff   if   prio > 50", "traceoff:unlimited if   prio > 50" },
	{ "enable_event:sched:sched_switch:0x10", "enable_event:sched:sched_switch:count=16" },
};

static void test_lines(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct dir d;

		dir_open(&d, "6.12");
		accept(&d, "synthetic_events", "i1 int prio");
		check_line(&d, "sched:sched_waking", lines[i][0], lines[i][1]);
		dir_close(&d);
	}
}

/* References to variables of another event. */
static void test_references(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "sched:sched_waking", "hist:keys=pid:ts0=common_timestamp.usecs,cm=comm,con=12");
	check_line(
		&d, "sched:sched_wakeup",
		"hist:keys=pid:a=$ts0,b=sched.sched_waking.$ts0,cc=$cm:vals=$ts0,sched.sched_waking.$con",
		"hist:keys=pid:vals=hitcount,$ts0,sched.sched_waking.$con:a=$ts0.usecs,b=$ts0.usecs,cc=$cm... [active]");
	check_line(
		&d, "sched:sched_switch",
		"hist:keys=next_pid:d=common_timestamp.usecs-sched.sched_waking.$ts0",
		"hist:keys=next_pid:vals=hitcount:d=common_timestamp.usecs-sched.sched_waking.$ts0...:clock=global [active]");
	/* kernel: a left operand in microseconds gets its own suffix */
	check_line(
		&d, "test:all", "hist:keys=b8:d=common_timestamp.usecs-$ts0-$ts0",
		"hist:keys=b8:vals=hitcount:d=common_timestamp.usecs-$ts0.usecs-$ts0...:clock=global [active]");
	dir_close(&d);
}

static void test_none(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	check_shown(
		&d, "sched:sched_waking", print_trigger,
		"# Available triggers:\n# traceon traceoff snapshot stacktrace enable_event disable_event "
		"enable_hist disable_hist hist\n");
	dir_close(&d);
}

/* kernel: the position of an error and the word after it have at most 127 characters together. */
static void test_long_place(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = add_to_strbuf, .arg = &text };
	char loc[126];
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	memset(loc, 'x', 125);
	loc[125] = '\0';
	assert_int_equal(
		error_log_add(&d.t->top->errors, loc, "hist:keys=x", "Couldn't find field", 10), 0);
	print_error_log(&p, d.t->top);
	assert_int_equal(printer_end(&p), 0);
	assert_non_null(strstr(text.s, "xxx: Couldn't find field\n  Command: hist:keys=x\n"));
	strbuf_release(&text);
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_lines),
		TEST(test_references),
		TEST(test_none),
		TEST(test_long_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
