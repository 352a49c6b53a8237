// SPDX-License-Identifier: LGPL-2.1-only
/* Handlers and actions: when they fire, what they require, and their results. */
#include "tracing_dir.h"

static const char waking[] = "sched:sched_waking", sw[] = "sched:sched_switch", all[] = "test:all",
		  defs[] = "synthetic_events";

/* --- onmatch and trace --- */

static void test_latency(void **state)
{
	static const char *const spellings[] = { "lat($d,next_pid,next_comm)",
						 "trace(lat,$d,next_pid,next_comm)" };
	char text[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		struct dir d;

		dir_open(&d, "6.12");
		accept(&d, defs, "lat u64 lat; pid_t pid; char comm[16]");
		accept(&d, waking, "hist:keys=pid:ts0=common_timestamp.usecs");
		snprintf(
			text, sizeof(text),
			"hist:keys=next_pid:d=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking).%s",
			spellings[i]);
		accept(&d, sw, text);
		accept(&d, "synthetic:lat", "hist:keys=comm,pid:vals=lat:sort=pid");
		hit(&d, waking, "pid=7 @ts=1000000");
		hit(&d, waking, "pid=8 @ts=1100000");
		hit(&d, sw, "next_pid=7 next_comm=seven @ts=1500000");
		hit(&d, sw, "next_pid=8 next_comm=eight @ts=1600000");
		hit(&d, sw, "next_pid=7 next_comm=seven @ts=1700000");
		check_rows(&d, "synthetic:lat",
			   "{ comm: seven , pid: 7 } hitcount: 1 lat: 500 "
			   "{ comm: eight , pid: 8 } hitcount: 1 lat: 500 | 2 2 0");
		assert_int_equal(d.generated, 0); /* it was not enabled for the buffer */
		dir_close(&d);
	}
}

/* trace does nothing unless the event is enabled; then the record is passed on. */
static void test_trace_enabled(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev u64 v");
	accept(&d, all, "hist:keys=b8:onmatch(test.all).ev(b64)");
	hit(&d, all, "b64=3");
	assert_int_equal(d.generated, 0);
	event_file_enable(file_of(&d, "synthetic:ev"), true, false);
	d.replaying = false;
	hit(&d, all, "b64=3");
	assert_int_equal(d.generated, 1);
	dir_close(&d);
}

/* onmatch itself checks nothing: with parameters of the current event it always fires. */
static void test_onmatch_fires_always(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev pid_t pid");
	accept(&d, sw, "hist:keys=next_pid:onmatch(sched.sched_waking).ev(next_pid)");
	accept(&d, "synthetic:ev", "hist:keys=pid");
	hit(&d, sw, "next_pid=1");
	hit(&d, sw, "next_pid=1");
	check_rows(&d, "synthetic:ev", "{ pid: 1 } hitcount: 2 | 2 1 0");
	dir_close(&d);
}

/* An unset parameter prevents the actions, not the hit. */
static void test_own_variable_params(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev int v; s32 w");
	accept(&d, waking, "hist:keys=pid:pr=prio");
	accept(&d, sw, "hist:keys=next_pid:neg=next_prio:onmatch(sched.sched_waking).ev($pr,$neg)");
	accept(&d, "synthetic:ev", "hist:keys=v,w:sort=v");
	hit(&d, sw, "next_pid=1 next_prio=5");
	hit(&d, waking, "pid=1 prio=9");
	hit(&d, sw, "next_pid=1 next_prio=-6");
	check_rows(&d, sw, "{ next_pid: 1 } hitcount: 1 | 1 1 0");
	check_rows(&d, "synthetic:ev", "{ v: 9, w: 18446744073709551610 } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* Synthetic events may generate others; on 6.12 at most four nested histograms count. */
static void check_chain(const char *kernel, int depth)
{
	struct dir d;
	char name[32], text[128];

	dir_open(&d, kernel);
	for (int i = 0; i < 7; i++) {
		snprintf(text, sizeof(text), "ev%d u64 val", i);
		accept(&d, defs, text);
	}
	accept(&d, all, "hist:keys=b64:onmatch(test.all).ev0(b64)");
	for (int i = 0; i < 6; i++) {
		snprintf(name, sizeof(name), "synthetic:ev%d", i);
		snprintf(text, sizeof(text), "hist:keys=val:onmatch(synthetic.ev%d).ev%d(val)", i,
			 i + 1);
		accept(&d, name, text);
	}
	accept(&d, "synthetic:ev6", "hist:keys=val");
	hit(&d, all, "b64=3");
	for (int i = 0; i < 7; i++) {
		snprintf(name, sizeof(name), "synthetic:ev%d", i);
		check_rows(&d, name, i < depth ? "{ val: 3 } hitcount: 1 | 1 1 0" : "| 0 0 0");
	}
	dir_close(&d);
}

static void test_chain(void **state)
{
	(void)state;
	check_chain("6.12", 3);
	check_chain("6.1", 7);
}

/* @want: text of the warning; NULL: no warning. */
static void accept_warned(struct dir *d, const char *event, const char *text, const char *warning)
{
	bool found = false;

	accept(d, event, text);
	for (size_t i = 0; i < d->diags.list.n; i++)
		found |= d->diags.list.v[i].level == DIAG_WARNING &&
			 (!warning || strstr(d->diags.list.v[i].text, warning));
	if (found != (warning != NULL))
		print_diags(d, text);
	assert_true(found == (warning != NULL));
	forget_diags(d);
}

/* Adding a number to a string moves its start; the results of other operations are not readable. */
static void test_text_parts(void **state)
{
	static const struct {
		const char *var, *rows, *warning;
	} cases[] = {
		{ "$c+4", "{ c: preempt } hitcount: 1 | 1 1 0", NULL },
		{ "$c+3+3-2", "{ c: preempt } hitcount: 1 | 1 1 0", NULL },
		{ "$c+next_prio", "{ c: cu_preempt } hitcount: 1 | 1 1 0", NULL },
		{ "$c-0", "{ c: rcu_preempt } hitcount: 1 | 1 1 0", NULL },
		{ "$c+8", "{ c: mpt } hitcount: 1 | 1 1 0", NULL },
		{ "$c+15", "{ c: } hitcount: 1 | 1 1 0", NULL },
		{ "$c+100", "{ c: } hitcount: 1 | 1 1 0", NULL },
		{ "$c-1", "{ c: (fault) } hitcount: 1 | 1 1 0", NULL },
		{ "$c+300", "{ c: (fault) } hitcount: 1 | 1 1 0", NULL },
		{ "$c*2", "{ c: (fault) } hitcount: 1 | 1 1 0", "(fault)" },
		{ "$c/2", "{ c: (fault) } hitcount: 1 | 1 1 0", "(fault)" },
		{ "-($c)", "{ c: (fault) } hitcount: 1 | 1 1 0", "(fault)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		static const char *const types[] = { "char c[16]", "char[] c" };
		char text[128];

		for (size_t k = 0; k < ARRAY_SIZE(types); k++) {
			struct dir d;

			dir_open(&d, "6.12");
			snprintf(text, sizeof(text), "s1 %s", types[k]);
			accept(&d, defs, text);
			accept(&d, waking, "hist:keys=pid:c=comm");
			snprintf(text, sizeof(text),
				 "hist:keys=next_pid:d=%s:onmatch(sched.sched_waking).s1($d)",
				 cases[i].var);
			accept_warned(&d, sw, text, cases[i].warning);
			accept(&d, "synthetic:s1", "hist:keys=c");
			hit(&d, waking, "pid=7 comm=rcu_preempt");
			hit(&d, sw, "next_pid=7 next_prio=1");
			check_rows(&d, "synthetic:s1", cases[i].rows);
			dir_close(&d);
		}
	}
}

/* A number may have the size of a string field, and vice versa. */
static void test_number_for_text(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "lat char c[8]");
	accept(&d, defs, "few char c[4]");
	accept(&d, defs, "num u64 v");
	accept_warned(&d, waking, "hist:keys=pid:x=common_timestamp:onmax($x).lat($x)",
		      "field c is a string, but gets a number");
	accept_warned(&d, waking, "hist:keys=pid:y=prio:onmax($y).few($y)", "(fault)");
	accept(&d, "synthetic:lat", "hist:keys=c");
	accept(&d, "synthetic:few", "hist:keys=c");
	hit(&d, waking, "pid=7 prio=3 comm=abc @ts=1000");
	hit(&d, waking, "pid=7 prio=3 comm=abc @ts=1001");
	check_rows(&d, "synthetic:lat", "{ c: (fault) } hitcount: 2 | 2 1 0");
	check_rows(&d, "synthetic:few", "{ c: (fau } hitcount: 1 | 1 1 0");
	/* has the type of the number, and is a string */
	accept(&d, defs, "part char c[8]");
	accept(&d, waking, "hist:keys=pid:c=comm");
	accept_warned(&d, sw, "hist:keys=next_pid:e=4+$c:onmatch(sched.sched_waking).part($e)",
		      NULL);
	accept(&d, "synthetic:part", "hist:keys=c");
	hit(&d, waking, "pid=7 prio=3 comm=rcu_task @ts=1001");
	hit(&d, sw, "next_pid=7");
	check_rows(&d, "synthetic:part", "{ c: task } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* --- parameter types --- */

static const struct {
	const char *type;    /* type of the synthetic field */
	const char *trigger; /* text before and after the name of the event */
	const char *want;
} types[] = {
	/* by name, a field counts as unsigned, unless both types have the same text */
	{ "int x", "hist:keys=pid:onmax($vv).ev(prio):vv=pid", NULL },
	{ "s32 x", "hist:keys=pid:onmax($vv).ev(prio):vv=pid",
	  "28 Param type doesn't match synthetic event field type" },
	{ "u32 x", "hist:keys=pid:onmax($vv).ev(prio):vv=pid", NULL },
	{ "int x", "hist:keys=prio:onmax($vv).ev(pid):vv=prio",
	  "29 Param type doesn't match synthetic event field type" },
	{ "s32 x", "hist:keys=pid:onmax($vv).ev($vv):vv=prio", NULL },
	{ "u32 x", "hist:keys=pid:onmax($vv).ev($vv):vv=prio",
	  "20 Param type doesn't match synthetic event field type" },
	{ "long x", "hist:keys=pid:onmax($vv).ev(prio):vv=pid",
	  "28 Param type doesn't match synthetic event field type" },
	{ "char x[16]", "hist:keys=pid:onmax($vv).ev(prio):vv=pid",
	  "28 Param type doesn't match synthetic event field type" },
	{ "char x[]", "hist:keys=pid:onmax($vv).ev(prio):vv=pid",
	  "28 Param type doesn't match synthetic event field type" },
	{ "char x[16]", "hist:keys=pid:onmax($vv).ev(comm):vv=pid", NULL },
	{ "char x[]", "hist:keys=pid:onmax($vv).ev(comm):vv=pid", NULL },
	{ "u64 x", "hist:keys=pid:onmax($vv).ev(common_timestamp):vv=pid", NULL },
	{ "unsigned int x", "hist:keys=pid:onmax($vv).ev(common_cpu):vv=pid", NULL },
	{ "u64 x", "hist:keys=pid:onmax($vv).ev($vv):vv=hitcount", NULL },
};

static void test_param_types(void **state)
{
	char def[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct dir d;

		dir_open(&d, "6.12");
		snprintf(def, sizeof(def), "ev %s", types[i].type);
		accept(&d, defs, def);
		if (types[i].want)
			refuse(&d, waking, types[i].trigger, types[i].want);
		else
			accept(&d, waking, types[i].trigger);
		dir_close(&d);
	}
}

/* A string of 16 characters is passed with 15. */
static void test_text_params(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev char a[16]; char b[]; char c[]");
	accept(&d, all, "hist:keys=b8:onmatch(test.all).ev(st,st,dyn)");
	accept(&d, "synthetic:ev", "hist:keys=a,b:sort=a");
	accept(&d, "synthetic:ev", "hist:keys=c if c ~ \"*ng\" && a != \"x\"");
	hit(&d, all, "st=0123456789abcdef dyn=something-long");
	hit(&d, all, "st=x dyn=ng");
	check_rows(
		&d, "synthetic:ev",
		"{ a: 0123456789abcde , b: 0123456789abcde } hitcount: 1 { a: x , b: x } hitcount: 1 | 2 2 0 || "
		"{ c: something-long } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* Values are truncated to the size of the field and sign-extended. */
static void test_narrow_params(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev s8 a; u8 b; s16 c; u16 d; u64 e");
	accept(&d, all, "hist:keys=b8:onmatch(test.all).ev($aa,b8,$cc,b16,b64):aa=a8,cc=a16");
	accept(&d, "synthetic:ev", "hist:keys=a,b,c");
	accept(&d, "synthetic:ev", "hist:keys=d,e");
	hit(&d, all, "a8=-1 b8=255 a16=-2 b16=65534 b64=-1");
	check_rows(
		&d, "synthetic:ev",
		"{ a: 18446744073709551615, b: 255, c: 18446744073709551614 } hitcount: 1 | 1 1 0 || "
		"{ d: 65534, e: 18446744073709551615 } hitcount: 1 | 1 1 0");
	dir_close(&d);
}

/* --- onmax and onchange --- */

static void test_onmax(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:pr=prio:onmax($pr).save(comm,target_cpu):sort=pid");
	hit(&d, waking, "pid=1 prio=0 comm=zero");
	hit(&d, waking, "pid=2 prio=5 comm=five target_cpu=1");
	hit(&d, waking, "pid=2 prio=5 comm=again target_cpu=2");
	hit(&d, waking, "pid=2 prio=4 comm=four target_cpu=3");
	hit(&d, waking, "pid=3 prio=5 comm=five");
	hit(&d, waking, "pid=3 prio=-1 comm=huge target_cpu=-1"); /* unsigned */
	hit(&d, waking, "pid=3 prio=6 comm=six");
	check_rows(
		&d, waking,
		"{ pid: 1 } hitcount: 1 max: 0 comm: (null) target_cpu: 0 "
		"{ pid: 2 } hitcount: 3 max: 5 comm: five target_cpu: 1 "
		"{ pid: 3 } hitcount: 3 max: 18446744073709551615 comm: huge target_cpu: 18446744073709551615 "
		"| 7 3 0");
	dir_close(&d);
}

static void test_onchange(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev s32 v");
	accept(&d, waking, "hist:keys=pid:pr=prio:onchange($pr).ev($pr):onchange($pr).save(prio)");
	accept(&d, "synthetic:ev", "hist:keys=v:sort=v");
	hit(&d, waking, "pid=1 prio=0"); /* the initial value is 0 */
	hit(&d, waking, "pid=1 prio=5");
	hit(&d, waking, "pid=1 prio=5");
	hit(&d, waking, "pid=1 prio=0");
	hit(&d, waking, "pid=2 prio=5");
	check_rows(&d, "synthetic:ev", "{ v: 0 } hitcount: 1 { v: 5 } hitcount: 2 | 3 2 0");
	check_rows(&d, waking,
		   "{ pid: 2 } hitcount: 1 changed: 5 prio: 5 changed: 5 prio: 5 "
		   "{ pid: 1 } hitcount: 4 changed: 0 prio: 0 changed: 0 prio: 0 | 5 2 0");
	dir_close(&d);
}

/* One snapshot for all keys: it compares with the value of the last snapshot. */
static void test_snapshot(void **state)
{
	struct dir d;
	char *text;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=comm:pr=prio:onmax($pr).snapshot()");
	hit(&d, waking, "comm=a prio=5");
	hit(&d, waking, "comm=b prio=4"); /* new for b, but not the maximum */
	hit(&d, waking, "comm=c prio=6");
	assert_int_equal(d.snapshots, 2);
	text = shown(file_of(&d, waking), print_hist_file);
	assert_non_null(strstr(text, "\nSnapshot taken (see tracing/snapshot).  Details:\n"
				     "\ttriggering value { onmax($pr) }:          6"
				     "\ttriggered by event with key: { comm: c  "));
	free(text);
	/* only one such snapshot per buffer */
	refuse(&d, sw, "hist:keys=next_pid:pr=next_prio:onmax($pr).snapshot()", "");
	accept(&d, waking, "!hist:keys=comm:pr=prio:onmax($pr).snapshot()");
	accept(&d, sw, "hist:keys=next_pid:pr=next_prio:onmax($pr).snapshot()");
	dir_close(&d);
}

static void test_several_actions(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev pid_t pid; s32 prio");
	accept(&d, waking, "hist:keys=pid:xx=target_cpu");
	accept(&d, sw,
	       "hist:keys=next_pid:pr=next_prio:onmatch(sched.sched_waking).ev(next_pid,$pr):"
	       "onmax($pr).save(next_comm):onmax($pr).ev(next_pid,$pr)");
	accept(&d, "synthetic:ev", "hist:keys=pid,prio:sort=prio");
	hit(&d, sw, "next_pid=1 next_prio=3 next_comm=a");
	hit(&d, sw, "next_pid=1 next_prio=2 next_comm=b");
	check_rows(&d, "synthetic:ev",
		   "{ pid: 1, prio: 2 } hitcount: 1 { pid: 1, prio: 3 } hitcount: 2 | 3 2 0");
	check_rows(&d, sw,
		   "{ next_pid: 1 } hitcount: 2 max: 3 next_comm: a max: 3 next_comm: a | 2 1 0");
	dir_close(&d);
}

/* --- a field of the other event: a hidden histogram --- */

static void test_hidden_histogram(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev int prio");
	accept(&d, waking, "hist:keys=pid:ts0=common_timestamp.usecs if prio < 100");
	accept(&d, sw, "hist:keys=next_pid:onmatch(sched.sched_waking).ev(prio)");
	check_log(&d, "ev(prio)",
		  "50 Couldn't find field; 50 Couldn't parse field variable"); /* logged although it
										  succeeds */
	check_triggers(
		&d, waking,
		"hist:keys=pid:vals=hitcount:ts0=common_timestamp.usecs:sort=hitcount:size=2048:clock=global "
		"if prio < 100 [active] // "
		"hist:keys=pid:vals=hitcount:synthetic_prio=prio:sort=hitcount:size=2048 if prio < 100 [active]");
	accept(&d, "synthetic:ev", "hist:keys=prio");
	hit(&d, waking, "pid=7 prio=50");
	hit(&d, waking, "pid=8 prio=120");
	hit(&d, sw, "next_pid=7");
	hit(&d, sw, "next_pid=8");
	check_rows(&d, "synthetic:ev", "{ prio: 50 } hitcount: 1 | 1 1 0");
	/* it is removed with the trigger that created it */
	accept(&d, sw, "!hist:keys=next_pid:onmatch(sched.sched_waking).ev(prio)");
	assert_int_equal(file_of(&d, waking)->triggers.n, 1);
	dir_close(&d);
}

static const struct {
	const char *setup, *trigger, *want;
} hidden_refused[] = {
	{ NULL, "hist:keys=next_pid:onmatch(sched.sched_waking).ev(prio)",
	  "50 Couldn't find field; 50 Couldn't parse field variable; 50 Matching event histogram not found" },
	/* pid_t and int are different types */
	{ "hist:keys=common_pid", "hist:keys=next_pid:onmatch(sched.sched_waking).ev(prio)",
	  "50 Couldn't find field; 50 Couldn't parse field variable; 50 Matching event histogram not found" },
	{ "hist:keys=pid,prio", "hist:keys=next_pid:onmatch(sched.sched_waking).ev(prio)",
	  "50 Couldn't find field; 50 Couldn't parse field variable; 50 Matching event histogram not found" },
	{ "hist:keys=pid", "hist:keys=next_pid:onmatch(sched.sched_waking).ev(nofield)",
	  "50 Couldn't find field; 50 Couldn't parse field variable; 50 Couldn't find field; "
	  "50 Couldn't create histogram for field" },
	{ "hist:keys=pid", "hist:keys=next_pid:vv=next_prio:onmax($vv).ev(prio)",
	  "27 Couldn't find field; 27 Couldn't parse field variable" },
	{ "hist:keys=pid", "hist:keys=next_pid:vv=next_prio:onmax($vv).ev(no.event.prio)",
	  "27 Event file not found" },
};

static void test_hidden_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hidden_refused); i++) {
		struct dir d;

		dir_open(&d, "6.12");
		accept(&d, defs, "ev int prio");
		if (hidden_refused[i].setup)
			accept(&d, waking, hidden_refused[i].setup);
		refuse(&d, sw, hidden_refused[i].trigger, hidden_refused[i].want);
		assert_int_equal(file_of(&d, waking)->triggers.n, hidden_refused[i].setup ? 1 : 0);
		dir_close(&d);
	}
}

/* --- rejected triggers --- */

static const char *const refused[][2] = {
	{ "hist:keys=pid:vv=prio:onmax($vv).nosuch(prio)", "33 Couldn't find synthetic event" },
	{ "hist:keys=pid:vv=prio:onmax(vv).ev(prio)",
	  "14 For onmax(x) or onchange(x), x must be a variable" },
	{ "hist:keys=pid:vv=prio:onmax($ww).ev(prio)",
	  "29 Couldn't find onmax or onchange variable" },
	{ "hist:keys=pid:vv=prio:onmax($vv).ev($ww)", "37 Couldn't find param" },
	{ "hist:keys=pid:vv=prio:onmax($vv).ev(prio,pid)",
	  "10 Param type doesn't match synthetic event field type" },
	{ "hist:keys=pid:vv=prio:onmax($vv).save(nofield)",
	  "38 Couldn't find field; 38 Couldn't parse field variable; 38 Couldn't create field variable" },
	{ "hist:keys=pid:vv=prio:onmax($vv).save(prio):onmax($vv).save(comm)",
	  "0 Can't have more than one save() action per hist" },
	{ "hist:keys=pid:onmatch(sched.nosuch).ev(prio)", "28 Invalid subsystem or event name" },
	{ "hist:keys=pid:onmatch(sched).ev(prio)", "22 Missing subsystem" },
	{ "hist:keys=pid:onmatch(sched.sched_wakeup", "22 No closing paren found" },
	{ "hist:keys=pid:onmatch(sched.sched_wakeup)", "0 No action found" },
	{ "hist:keys=pid:onmatch(sched.sched_wakeup).save(prio)",
	  "42 Handler doesn't support action" },
	{ "hist:keys=pid:vv=prio:onmax($vv).ev(p)", "10 Invalid action param" },
	{ "hist:keys=pid:vv=prio:onmax($vv).ev(sched.prio)", "" },
};

static void test_refused(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, defs, "ev int prio");
	accept(&d, defs, "two int prio; int pid");
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		refuse(&d, waking, refused[i][0], refused[i][1]);
	refuse(&d, waking, "hist:keys=pid:vv=prio:onmax($vv).two(prio)",
	       "33 Param count doesn't match synthetic event field count");
	assert_int_equal(file_of(&d, waking)->triggers.n, 0);
	dir_close(&d);
}

/* The hidden variable of onmax takes one of the 16 slots. */
static void test_no_room_for_max(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	strbuf_addstr(&text, "hist:keys=pid:v0=prio");
	for (int i = 1; i < 16; i++)
		strbuf_addf(&text, ",v%d=prio", i);
	strbuf_addstr(&text, ":onmax($v0).snapshot()");
	refuse(&d, waking, text.s, "0 Couldn't create onmax or onchange variable");
	strbuf_release(&text);
	dir_close(&d);
}

/* The same kind of trigger in 6.1: hidden histograms use plain key names. */
static void test_6_1(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.1");
	accept(&d, defs, "ev int prio");
	accept(&d, waking, "hist:keys=pid.hex");
	accept(&d, sw, "hist:keys=next_pid:onmatch(sched.sched_waking).ev(prio)");
	check_triggers(
		&d, waking,
		"hist:keys=pid.hex:vals=hitcount:sort=hitcount:size=2048 [active] // "
		"hist:keys=pid:vals=hitcount:synthetic_prio=prio:sort=hitcount:size=2048 [active]");
	dir_close(&d);
	dir_open(&d, "6.12");
	accept(&d, defs, "ev int prio");
	accept(&d, waking, "hist:keys=pid.hex");
	accept(&d, sw, "hist:keys=next_pid:onmatch(sched.sched_waking).ev(prio)");
	check_triggers(
		&d, waking,
		"hist:keys=pid.hex:vals=hitcount:sort=hitcount:size=2048 [active] // "
		"hist:keys=pid.hex:vals=hitcount:synthetic_prio=prio:sort=hitcount:size=2048 [active]");
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_latency),
		TEST(test_trace_enabled),
		TEST(test_onmatch_fires_always),
		TEST(test_own_variable_params),
		TEST(test_text_parts),
		TEST(test_number_for_text),
		TEST(test_chain),
		TEST(test_param_types),
		TEST(test_text_params),
		TEST(test_narrow_params),
		TEST(test_onmax),
		TEST(test_onchange),
		TEST(test_snapshot),
		TEST(test_several_actions),
		TEST(test_hidden_histogram),
		TEST(test_hidden_refused),
		TEST(test_refused),
		TEST(test_no_room_for_max),
		TEST(test_6_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
