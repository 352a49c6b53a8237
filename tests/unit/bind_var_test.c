// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Variables: where they are found, when they are set, which triggers can read them and how often.
 */
#include "tracing_dir.h"

static const char waking[] = "sched:sched_waking", wakeup[] = "sched:sched_wakeup",
		  sw[] = "sched:sched_switch", all[] = "test:all";

/* --- a trigger's own variables --- */

/* A reference to an own variable that is a plain field means that field. */
static void test_own_variables(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, all, "hist:keys=$k:k=b8.hex:vals=$v:v=b16");
	check_triggers(
		&d, all,
		"hist:keys=b8.hex:vals=hitcount,b16:k=b8.hex,v=b16:sort=hitcount:size=2048 [active]");
	hit(&d, all, "b8=255 b16=3");
	check_rows(&d, all, "{ b8: ff } hitcount: 1 b16: 3 | 1 1 0");
	accept(&d, waking, "hist:keys=prio:aa=$bb,bb=pid");
	check_triggers(
		&d, waking,
		"hist:keys=prio:vals=hitcount:aa=pid,bb=pid:sort=hitcount:size=2048 [active]");
	accept(&d, sw, "hist:keys=next_pid:vals=sched.sched_switch.$v:v=next_prio");
	check_triggers(
		&d, sw,
		"hist:keys=next_pid:vals=hitcount,next_prio:v=next_prio:sort=hitcount:size=2048 [active]");
	dir_close(&d);
}

/* Expressions, numbers and references are not substituted, and therefore not found. */
static const char *const own_refused[][2] = {
	{ "hist:keys=b8:x=b16+1:vals=$x", "13 Couldn't find variable; 26 Couldn't find field" },
	{ "hist:keys=b8:x=12:vals=$x", "15 Couldn't find field" },
	{ "hist:keys=b8:vals=$nix", "19 Couldn't find variable; 18 Couldn't find field" },
	{ "hist:keys=b8:vals=$", "18 Couldn't find field" },
	{ "hist:keys=b8:x=b16,x=b8", "13 Variable already defined" },
	{ "hist:keys=b8:x=b16,vv", "19 Malformed assignment" },
	{ "hist:keys=b8:x=nix", "15 Couldn't find field" },
};

static void test_own_refused(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	for (size_t i = 0; i < ARRAY_SIZE(own_refused); i++)
		refuse(&d, all, own_refused[i][0], own_refused[i][1]);
	/* names are unique per event, not per trigger */
	accept(&d, all, "hist:keys=b8:x=b16");
	refuse(&d, all, "hist:keys=a8:x=a16", "13 Variable already defined");
	accept(&d, waking, "hist:keys=pid:x=prio");
	dir_close(&d);
}

static void test_too_many_variables(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	strbuf_addstr(&text, "hist:keys=b8:v0=0");
	for (int i = 1; i < 16; i++)
		strbuf_addf(&text, ",v%d=%d", i, i);
	accept(&d, all, text.s);
	strbuf_addstr(&text, ":last=1");
	refuse(&d, waking, text.s, "105 Too many variables defined");
	strbuf_release(&text);
	dir_close(&d);
}

/* --- variables of other triggers --- */

static void test_references(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:ts0=common_timestamp.usecs,con=12,cm=comm");
	accept(&d, sw,
	       "hist:keys=next_pid:lat=common_timestamp.usecs-$ts0:vals=sched.sched_waking.$con,next_prio");
	check_triggers(
		&d, sw,
		"hist:keys=next_pid:vals=hitcount,sched.sched_waking.$con,next_prio:"
		"lat=common_timestamp.usecs-$ts0:sort=hitcount:size=2048:clock=global [active]");
	hit(&d, waking, "pid=7 @ts=1000000");
	hit(&d, sw, "next_pid=7 next_prio=2 @ts=1500000");
	hit(&d, sw, "next_pid=8 @ts=1600000"); /* was never woken: no hit */
	check_rows(&d, sw,
		   "{ next_pid: 7 } hitcount: 1 sched.sched_waking.$con: 12 next_prio: 2 | 1 1 0");
	dir_close(&d);
}

/*
 * An operand of an expression is read once: then it is unset until it is set again. Plain values,
 * aliases and parameters do not consume it.
 */
static void test_read_once(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:x=prio");
	accept(&d, sw, "hist:keys=next_pid:d=next_prio-$x");
	accept(&d, wakeup, "hist:keys=pid:vals=$x:y=$x");
	hit(&d, waking, "pid=7 prio=5");
	hit(&d, wakeup, "pid=7");
	hit(&d, wakeup, "pid=7");
	hit(&d, sw, "next_pid=7 next_prio=9");
	hit(&d, sw, "next_pid=7 next_prio=9");
	hit(&d, wakeup, "pid=7");
	check_rows(&d, sw, "{ next_pid: 7 } hitcount: 1 | 1 1 0");
	check_rows(&d, wakeup, "{ pid: 7 } hitcount: 2 x: 10 | 2 1 0");
	hit(&d, waking, "pid=7 prio=6");
	hit(&d, sw, "next_pid=7 next_prio=9");
	check_rows(&d, sw, "{ next_pid: 7 } hitcount: 2 | 2 1 0");
	dir_close(&d);
}

/* The first of two triggers on one event consumes the variable; the second finds it unset. */
static void test_read_once_in_order(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:x=prio");
	accept(&d, sw, "hist:keys=next_pid:d=next_prio-$x");
	accept(&d, sw, "hist:keys=next_pid:vals=next_prio:e=next_prio-$x");
	hit(&d, waking, "pid=7 prio=5");
	hit(&d, sw, "next_pid=7 next_prio=9");
	check_rows(&d, sw, "{ next_pid: 7 } hitcount: 1 | 1 1 0 || | 0 0 0");
	dir_close(&d);
}

/* A variable that was read once remains unset, even if a later reference fails. */
static void test_read_once_then_fail(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:x=prio");
	accept(&d, wakeup, "hist:keys=pid:y=prio");
	accept(&d, sw, "hist:keys=next_pid:d=$x+1,e=$y+1");
	hit(&d, waking, "pid=7 prio=5");
	hit(&d, sw, "next_pid=7");
	hit(&d, wakeup, "pid=7 prio=6");
	hit(&d, sw, "next_pid=7");
	check_rows(&d, sw, "| 0 0 0");
	hit(&d, waking, "pid=7 prio=5");
	hit(&d, sw, "next_pid=7");
	check_rows(&d, sw, "{ next_pid: 7 } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* A folded constant is a reference nevertheless. */
static void test_constant_variables(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:k=5");
	accept(&d, sw, "hist:keys=next_pid:d=$k*2");
	check_triggers(&d, sw,
		       "hist:keys=next_pid:vals=hitcount:d=10:sort=hitcount:size=2048 [active]");
	hit(&d, sw, "next_pid=7");
	hit(&d, waking, "pid=7");
	hit(&d, sw, "next_pid=7");
	hit(&d, sw, "next_pid=7");
	check_rows(&d, sw, "{ next_pid: 7 } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* A variable set by one trigger is available to the next one on the same record. */
static void test_same_record(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, all, "hist:keys=b8:x=b16");
	accept(&d, all, "hist:keys=b8:vals=$x:y=$x*2");
	hit(&d, all, "b8=1 b16=5");
	check_rows(&d, all, "{ b8: 1 } hitcount: 1 | 1 1 0 || { b8: 1 } hitcount: 1 x: 5 | 1 1 0");
	dir_close(&d);
}

/* The key of the reader is looked up in the owner's map, byte by byte. */
static void test_keys_must_agree(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid,prio:x=target_cpu");
	accept(&d, sw, "hist:keys=next_pid,next_prio:vals=$x");
	hit(&d, waking, "pid=7 prio=1 target_cpu=3");
	hit(&d, sw, "next_pid=7 next_prio=2");
	hit(&d, sw, "next_pid=7 next_prio=1");
	check_rows(&d, sw, "{ next_pid: 7, next_prio: 1 } hitcount: 1 x: 3 | 1 1 0");
	dir_close(&d);
	/* the rest of a shorter key is 0 */
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid,prio:x=target_cpu");
	accept(&d, sw, "hist:keys=next_pid:vals=$x");
	hit(&d, waking, "pid=7 prio=0 target_cpu=3");
	hit(&d, waking, "pid=8 prio=1 target_cpu=4");
	hit(&d, sw, "next_pid=7");
	hit(&d, sw, "next_pid=8");
	check_rows(&d, sw, "{ next_pid: 7 } hitcount: 1 x: 3 | 1 1 0");
	dir_close(&d);
}

static void test_lookup(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:x=prio");
	accept(&d, wakeup, "hist:keys=pid:x=prio");
	refuse(&d, sw, "hist:keys=next_pid:vals=$x",
	       "12 Variable name not unique, need to use fully qualified name (subsys.event.var) for variable; "
	       "12 Couldn't find variable; 24 Couldn't find field");
	accept(&d, sw, "hist:keys=next_pid:vals=sched.sched_wakeup.$x");
	refuse(&d, sw, "hist:keys=next_pid:vals=sched.sched_wakeup.$vv",
	       "44 Couldn't find variable; 43 Couldn't find field");
	refuse(&d, sw, "hist:keys=next_pid:vals=no.event.$x",
	       "12 Couldn't find variable; 33 Couldn't find field");
	/* events of ftrace cannot be enabled, so their variables are not found by name */
	accept(&d, "ftrace:print", "hist:keys=common_pid:z=ip");
	accept(&d, wakeup, "hist:keys=prio:vals=$z");
	refuse(&d, sw, "hist:keys=next_pid:vals=ftrace.print.$z",
	       "38 Couldn't find variable; 37 Couldn't find field");
	dir_close(&d);
}

static void test_keys_take_no_references(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:x=prio");
	refuse(&d, sw, "hist:keys=$x", "10 Using variable references in keys not supported");
	refuse(&d, sw, "hist:keys=next_pid+$x",
	       "10 Using variable references in keys not supported");
	dir_close(&d);
}

static void test_units(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:us=common_timestamp.usecs,ns=prio");
	refuse(&d, sw, "hist:keys=next_pid:d=common_timestamp-$us",
	       "0 Timestamp units in expression don't match");
	refuse(&d, sw, "hist:keys=next_pid:d=common_timestamp.usecs-$ns",
	       "0 Timestamp units in expression don't match");
	accept(&d, sw, "hist:keys=next_pid:d=common_timestamp-$ns");
	dir_close(&d);
}

/* An alias is printed with the modifier of its target; a value is not. */
static void test_aliases(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:ts0=common_timestamp.usecs,cm=comm,con=12");
	accept(&d, sw,
	       "hist:keys=next_pid:a=$ts0,b=sched.sched_waking.$ts0,cc=$cm:vals=$ts0,sched.sched_waking.$con");
	check_triggers(&d, sw,
		       "hist:keys=next_pid:vals=hitcount,$ts0,sched.sched_waking.$con:"
		       "a=$ts0.usecs,b=$ts0.usecs,cc=$cm:sort=hitcount:size=2048 [active]");
	hit(&d, waking, "pid=7 @ts=5000");
	hit(&d, sw, "next_pid=7");
	check_rows(&d, sw,
		   "{ next_pid: 7 } hitcount: 1 ts0: 5 sched.sched_waking.$con: 12 | 1 1 0");
	dir_close(&d);
}

/* A variable is unset if its entry was never created, or was cleared. */
static void test_unset(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:x=prio if prio > 3");
	accept(&d, sw, "hist:keys=next_pid:vals=$x");
	hit(&d, sw, "next_pid=7");
	hit(&d, waking, "pid=7 prio=3");
	hit(&d, sw, "next_pid=7");
	hit(&d, waking, "pid=7 prio=4");
	hit(&d, sw, "next_pid=7");
	check_rows(&d, sw, "{ next_pid: 7 } hitcount: 1 x: 4 | 1 1 0");
	dir_close(&d);
}

/* Looking up variables counts neither hits nor drops of their owner. */
static void test_lookup_counts_nothing(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:x=prio:size=128");
	accept(&d, sw, "hist:keys=next_pid:vals=$x");
	hit(&d, waking, "pid=1");
	for (int i = 0; i < 10; i++)
		hit(&d, sw, i ? "next_pid=2" : "next_pid=1");
	check_rows(&d, waking, "{ pid: 1 } hitcount: 1 | 1 1 0");
	check_rows(&d, sw, "{ next_pid: 1 } hitcount: 1 x: 0 | 1 1 0");
	dir_close(&d);
}

/* A string variable is stored with the entry; the comm of an entry is that of its first task. */
static void test_text_variables(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "synthetic_events", "ev char a[16]; char b[]; char c[]");
	accept(&d, waking, "hist:keys=pid:cm=comm,ex=common_pid.execname");
	accept(&d, all, "hist:keys=a32:dd=dyn");
	accept(&d, sw,
	       "hist:keys=next_pid:x=$cm,y=$ex,z=$dd:onmatch(sched.sched_waking).ev($x,$y,$z)");
	accept(&d, "synthetic:ev", "hist:keys=a,b:sort=a");
	accept(&d, "synthetic:ev", "hist:keys=c");
	d.comm = "waker";
	hit(&d, waking, "pid=7 common_pid=3 comm=abcdefghijklmno");
	d.comm = "other";
	hit(&d, waking, "pid=7 common_pid=3 comm=xyz");
	hit(&d, all, "a32=7 dyn=dynamic");
	hit(&d, sw, "next_pid=7");
	check_rows(
		&d, "synthetic:ev",
		"{ a: xyz , b: waker } hitcount: 1 | 1 1 0 || { c: dynamic } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* --- removing triggers with references --- */

static void test_busy(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:x=prio");
	accept(&d, sw, "hist:keys=next_pid:vals=$x");
	refuse(&d, waking, "!hist:keys=pid:x=prio", "");
	event_trigger_truncate(file_of(&d, waking)); /* removes nothing, without a message */
	assert_int_equal(file_of(&d, waking)->triggers.n, 1);
	accept(&d, sw, "!hist:keys=next_pid:vals=$x");
	accept(&d, waking, "!hist:keys=pid:x=prio");
	assert_int_equal(file_of(&d, waking)->triggers.n, 0);
	dir_close(&d);
}

/* A trigger that defines variables cannot be written again to pause it. */
static void test_pause_is_refused(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:x=prio");
	refuse(&d, waking, "hist:keys=pid:x=prio:pause", "14 Variable already defined");
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_own_variables),
		TEST(test_own_refused),
		TEST(test_too_many_variables),
		TEST(test_references),
		TEST(test_read_once),
		TEST(test_read_once_in_order),
		TEST(test_read_once_then_fail),
		TEST(test_constant_variables),
		TEST(test_same_record),
		TEST(test_keys_must_agree),
		TEST(test_lookup),
		TEST(test_keys_take_no_references),
		TEST(test_units),
		TEST(test_aliases),
		TEST(test_unset),
		TEST(test_lookup_counts_nothing),
		TEST(test_text_variables),
		TEST(test_busy),
		TEST(test_pause_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
