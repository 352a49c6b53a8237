// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Trigger files: the list and its order, equal triggers, names, counts, pausing, switching,
 * error_log.
 */
#include "tracing_dir.h"

static const char waking[] = "sched:sched_waking", sw[] = "sched:sched_switch", all[] = "test:all";

static const char none[] =
	"# Available triggers: // # traceon traceoff snapshot stacktrace enable_event disable_event "
	"enable_hist disable_hist hist";

static size_t n_triggers(struct dir *d, const char *event)
{
	return file_of(d, event)->triggers.n;
}

/* --- equal triggers --- */

static const struct {
	const char *first, *second;
	bool same;
} pairs[] = {
	{ "keys=pid", "keys=pid", true },
	{ "keys=pid", "keys=prio", false },
	{ "keys=pid", "keys=pid,prio", false },
	{ "keys=pid", "keys=pid.hex", false },
	{ "keys=pid", "keys=pid:vals=prio", false },
	{ "keys=pid:vals=prio", "keys=pid:vals=target_cpu", false },
	{ "keys=pid:vals=prio", "keys=pid:vals=hitcount,prio", true },
	{ "keys=pid", "keys=pid:sort=pid", false },
	{ "keys=pid:sort=pid", "keys=pid:sort=pid.descending", false },
	{ "keys=pid:sort=hitcount", "keys=pid", true },
	{ "keys=pid", "keys=pid if prio > 1", false },
	{ "keys=pid if prio > 1", "keys=pid if prio > 2", false },
	{ "keys=pid if prio > 1", "keys=pid if  prio > 1", false }, /* compared as text */
	{ "keys=pid if prio > 1", "keys=pid if prio > 1", true },
	{ "keys=pid:aa=prio", "keys=pid:bb=prio", false },
	{ "keys=pid,prio", "keys=prio,pid", false },
	{ "keys=cpu", "keys=common_cpu", false },
	{ "keys=stacktrace", "keys=common_stacktrace", true },
	{ "keys=common_stacktrace,pid", "keys=stacktrace,pid", true },
	{ "keys=pid,stacktrace:sort=pid", "keys=pid,common_stacktrace:sort=pid", true },
	/* not compared */
	{ "keys=pid", "keys=pid:size=256", true },
	{ "keys=pid", "keys=pid:clock=mono", true },
	{ "keys=pid", "keys=pid:pause", true },
	{ "keys=pid:vals=prio", "keys=pid:vals=prio:nohitcount", true },
	{ "keys=pid.buckets=5", "keys=pid.buckets=6", true },
	{ "keys=5", "keys=2+3", true },
	{ "keys=5", "keys=6", true },
	{ "keys=pid:vals=prio+1", "keys=pid:vals=target_cpu-2", true },
	{ "keys=pid:vals=prio+1", "keys=pid:vals=-(prio)", true },
};

/* Removing the second trigger removes the first if they are equal; it succeeds in either case. */
static void test_matching(void **state)
{
	char text[128];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
		struct dir d;

		dir_open(&d, "6.12");
		snprintf(text, sizeof(text), "hist:%s", pairs[i].first);
		accept(&d, waking, text);
		snprintf(text, sizeof(text), "!hist:%s", pairs[i].second);
		accept(&d, waking, text);
		if (n_triggers(&d, waking) != !pairs[i].same)
			print_error("# of: %s and %s\n", pairs[i].first, pairs[i].second);
		assert_int_equal(n_triggers(&d, waking), !pairs[i].same);
		dir_close(&d);
	}
}

/* The stack has three names; STACKTRACE is another key until 6.12.112. */
static void test_spellings_of_the_stack(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12.117");
	accept(&d, waking, "hist:keys=common_stacktrace:pause");
	refuse(&d, waking, "hist:keys=STACKTRACE", "0 Hist trigger already exists");
	accept(&d, waking, "hist:keys=stacktrace:cont");
	check_triggers(
		&d, waking,
		"hist:keys=common_stacktrace:vals=hitcount:sort=hitcount:size=2048 [active]");
	accept(&d, waking, "hist:keys=STACKTRACE:clear");
	accept(&d, waking, "!hist:keys=STACKTRACE");
	accept(&d, waking, "hist:name=n:keys=stacktrace");
	accept(&d, sw, "hist:name=n:keys=common_stacktrace");
	refuse(&d, sw, "hist:name=n:keys=STACKTRACE", "0 Hist trigger already exists");
	dir_close(&d);
	dir_open(&d, "6.12.107");
	accept(&d, waking, "hist:keys=STACKTRACE");
	accept(&d, waking, "hist:keys=stacktrace");
	refuse(&d, waking, "hist:keys=common_stacktrace", "0 Hist trigger already exists");
	assert_int_equal(n_triggers(&d, waking), 2);
	dir_close(&d);
}

static void test_duplicates(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid");
	refuse(&d, waking, "hist:keys=pid", "0 Hist trigger already exists");
	refuse(&d, waking, "hist:keys=pid:size=4096", "0 Hist trigger already exists");
	accept(&d, waking, "hist:keys=pid if prio > 1");
	accept(&d, sw, "hist:keys=prev_pid");
	assert_int_equal(n_triggers(&d, waking), 2);
	dir_close(&d);
}

static void test_actions_are_compared(void **state)
{
	static const char one[] = "hist:keys=pid:vv=prio:onmax($vv).save(prio)";
	static const char *const others[] = {
		"!hist:keys=pid:vv=prio:onmax($vv).save(comm)",
		"!hist:keys=pid:vv=prio:onchange($vv).save(prio)",
		"!hist:keys=pid:vv=prio:onmax($vv).save(prio,comm)",
		"!hist:keys=pid:vv=prio:onmax($vv).snapshot()",
		"!hist:keys=pid:vv=prio:onmax($vv).nosuch(prio)", /* an unknown event */
		"!hist:keys=pid:vv=prio",
	};
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, one);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		accept(&d, waking, others[i]);
		assert_int_equal(n_triggers(&d, waking), 1);
	}
	accept(&d, waking, "!hist:keys=pid:vv=prio:onmax($vv).save( prio )");
	assert_int_equal(n_triggers(&d, waking), 0);
	dir_close(&d);
}

static void test_removal(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid if prio > 1");
	accept(&d, waking, "hist:keys=pid");
	accept(&d, waking, "!hist:keys=pid"); /* the filter is compared */
	check_triggers(&d, waking,
		       "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 if prio > 1 [active]");
	accept(&d, waking, "!hist:keys=prio");                          /* none exists: accepted */
	refuse(&d, waking, "!hist:keys=nix", "10 Couldn't find field"); /* it must be valid */
	accept(&d, waking, "!hist:keys=pid if prio > 1");
	check_triggers(&d, waking, none);
	dir_close(&d);
}

/* --- pause, continue, clear --- */

static void test_pause(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:pause");
	check_triggers(&d, waking, "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [paused]");
	hit(&d, waking, "pid=1");
	check_rows(&d, waking, "| 0 0 0");
	accept(&d, waking, "hist:keys=pid:cont");
	hit(&d, waking, "pid=1");
	check_rows(&d, waking, "{ pid: 1 } hitcount: 1 | 1 1 0");
	accept(&d, waking, "hist:keys=pid:clear");
	check_rows(&d, waking, "| 0 0 0");
	check_triggers(&d, waking, "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active]");
	accept(&d, waking, "hist:keys=pid:clear:cont:pause"); /* pause is applied first */
	check_triggers(&d, waking, "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [paused]");
	accept(&d, waking, "hist:keys=pid:clear:continue");
	check_triggers(&d, waking, "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active]");
	refuse(&d, sw, "hist:keys=prev_pid:cont",
	       "0 Can't clear or continue a nonexistent hist trigger");
	refuse(&d, sw, "hist:keys=prev_pid:clear",
	       "0 Can't clear or continue a nonexistent hist trigger");
	refuse(&d, waking, "hist:keys=pid:cont if prio > 1",
	       "0 Can't clear or continue a nonexistent hist trigger");
	dir_close(&d);
}

/* --- names --- */

static void test_named(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:name=foo:keys=common_pid:sort=common_pid");
	accept(&d, sw, "hist:name=foo:keys=common_pid:sort=common_pid if next_prio > 5");
	check_triggers(
		&d, waking,
		"hist:name=foo:keys=common_pid:vals=hitcount:sort=common_pid:size=2048 [active]");
	check_triggers(
		&d, sw,
		"hist:name=foo:keys=common_pid:vals=hitcount:sort=common_pid:size=2048 if next_prio > 5 [active]");
	hit(&d, waking, "common_pid=1");
	hit(&d, sw, "common_pid=1 next_prio=6");
	hit(&d, sw, "common_pid=2 next_prio=6");
	hit(&d, sw, "common_pid=2 next_prio=5");
	check_rows(&d, waking,
		   "{ common_pid: 1 } hitcount: 2 { common_pid: 2 } hitcount: 1 | 3 2 0");
	check_rows(&d, sw, "{ common_pid: 1 } hitcount: 2 { common_pid: 2 } hitcount: 1 | 3 2 0");
	refuse(&d, waking, "hist:name=foo:keys=common_pid:sort=common_pid",
	       "0 Hist trigger already exists");
	refuse(&d, all, "hist:name=foo:keys=common_pid.hex:sort=common_pid",
	       "5 Named hist trigger doesn't match existing named trigger (includes variables)");
	/* without its name, another trigger is meant */
	accept(&d, waking, "hist:keys=common_pid:sort=common_pid");
	accept(&d, waking, "!hist:keys=common_pid:sort=common_pid");
	assert_int_equal(n_triggers(&d, waking), 1);
	dir_close(&d);
}

/* The data exists longer than the trigger that was first. */
static void test_named_first_removed(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:name=foo:keys=common_pid");
	accept(&d, sw, "hist:name=foo:keys=common_pid");
	accept(&d, waking, "!hist:name=foo:keys=common_pid");
	check_triggers(&d, waking, none);
	hit(&d, sw, "common_pid=1");
	hit(&d, waking, "common_pid=1");
	check_rows(&d, sw, "{ common_pid: 1 } hitcount: 1 | 1 1 0");
	accept(&d, sw, "!hist:name=foo:keys=common_pid");
	check_triggers(&d, sw, none);
	dir_close(&d);
}

/* Each trigger is paused separately. */
static void test_named_pause(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:name=foo:keys=common_pid");
	accept(&d, sw, "hist:name=foo:keys=common_pid");
	accept(&d, sw, "hist:name=foo:keys=common_pid:pause");
	hit(&d, waking, "common_pid=1");
	hit(&d, sw, "common_pid=1");
	check_rows(&d, waking, "{ common_pid: 1 } hitcount: 1 | 1 1 0");
	check_triggers(
		&d, waking,
		"hist:name=foo:keys=common_pid:vals=hitcount:sort=hitcount:size=2048 [active]");
	check_triggers(
		&d, sw,
		"hist:name=foo:keys=common_pid:vals=hitcount:sort=hitcount:size=2048 [paused]");
	dir_close(&d);
}

static void test_named_odds(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid");
	accept(&d, waking, "hist:name=foo:keys=pid"); /* never equal to an unnamed one */
	assert_int_equal(n_triggers(&d, waking), 2);
	accept(&d, waking, "!hist:name=bar:keys=pid"); /* an unknown name removes the unnamed one */
	check_triggers(&d, waking,
		       "hist:name=foo:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active]");
	dir_close(&d);
}

/* --- other triggers --- */

static void test_order_of_list(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid");
	accept(&d, waking, "traceoff if   prio > 50");
	accept(&d, waking, "hist:keys=prio");
	accept(&d, waking, "stacktrace:5");
	accept(&d, waking, "enable_event:sched:sched_switch:0x10");
	check_triggers(&d, waking,
		       "enable_event:sched:sched_switch:count=16 // stacktrace:count=5 // "
		       "traceoff:unlimited if   prio > 50 // "
		       "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active] // "
		       "hist:keys=prio:vals=hitcount:sort=hitcount:size=2048 [active]");
	hit(&d, waking, "pid=1");
	check_triggers(&d, waking,
		       "enable_event:sched:sched_switch:count=15 // stacktrace:count=4 // "
		       "traceoff:unlimited if   prio > 50 // "
		       "hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active] // "
		       "hist:keys=prio:vals=hitcount:sort=hitcount:size=2048 [active]");
	/* '>' removes hist, enable_hist and disable_hist; nothing else */
	accept(&d, waking, "disable_hist:sched:sched_switch");
	event_trigger_truncate(file_of(&d, waking));
	check_triggers(&d, waking,
		       "enable_event:sched:sched_switch:count=15 // stacktrace:count=4 // "
		       "traceoff:unlimited if   prio > 50");
	dir_close(&d);
}

static const char *const simple_accepted[][2] = {
	{ "traceon", "traceon:unlimited" },
	{ "traceon:", "traceon:unlimited" },
	{ "traceon:3", "traceon:count=3" },
	{ "traceon 3", "traceon:count=3" },
	{ "traceon:3:junk", "traceon:count=3" },
	{ "stacktrace:0", "stacktrace:count=0" },
	{ "snapshot:010 if prio > 1", "snapshot:count=8 if prio > 1" },
	{ "disable_event:sched:sched_switch", "disable_event:sched:sched_switch:unlimited" },
	{ "disable_hist:sched:sched_switch:2 if pid == 1",
	  "disable_hist:sched:sched_switch:count=2 if pid == 1" },
};

static const char *const simple_refused[] = {
	"traceon:x",
	"traceon:3x",
	"traceon:unlimited",
	"traceon if",
	"traceon:3 prio > 1",
	"enable_event",
	"enable_event:sched",
	"enable_event:sched:nosuch",
	"enable_event:ftrace:print",
	"enable_event:sched:sched_switch:",
	"enable_event:sched:sched_switch:x",
	"enable_hist:nosuch:sched_switch",
	"tracing",
	"!tracing",
	"Hist:keys=pid",
	"",
};

static void test_simple(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(simple_accepted); i++) {
		struct dir d;

		dir_open(&d, "6.12");
		accept(&d, waking, simple_accepted[i][0]);
		check_triggers(&d, waking, simple_accepted[i][1]);
		dir_close(&d);
	}
}

static void test_simple_refused(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	for (size_t i = 0; simple_refused[i][0]; i++)
		refuse(&d, waking, simple_refused[i], "");
	refuse(&d, waking, "traceon if nofield", "8 Field not found");
	check_triggers(&d, waking, none);
	dir_close(&d);
}

/* One of each type; on and off are one type. */
static void test_simple_duplicates(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "traceon");
	refuse(&d, waking, "traceoff", "");
	refuse(&d, waking, "traceon:5 if prio > 1", "");
	accept(&d, waking, "enable_event:sched:sched_switch");
	refuse(&d, waking, "disable_event:sched:sched_switch", "");
	accept(&d, waking, "disable_event:test:all");
	accept(&d, waking, "!traceoff:7 if whatever"); /* count, filter and type are not compared */
	accept(&d, waking, "!disable_event:sched:sched_switch");
	accept(&d, waking, "!stacktrace"); /* there is none: accepted */
	check_triggers(&d, waking, "disable_event:test:all:unlimited");
	refuse(&d, waking, "!enable_event:sched:nosuch", "");
	dir_close(&d);
}

/* traceoff applies after the record, and is counted only if it has an effect. */
static void test_traceoff(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	event_file_enable(file_of(&d, waking), true, false);
	accept(&d, waking, "traceoff:1 if prio == 9");
	accept(&d, waking, "hist:keys=pid");
	assert_true(hit(&d, waking, "pid=1"));
	assert_true(hit(&d, waking, "pid=1 prio=9"));
	assert_false(hit(&d, waking, "pid=1")); /* not in the buffer any more, but counted */
	assert_false(hit(&d, waking, "pid=1 prio=9"));
	check_rows(&d, waking, "{ pid: 1 } hitcount: 4 | 4 1 0");
	check_triggers(
		&d, waking,
		"traceoff:count=0 if prio == 9 // hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 [active]");
	dir_close(&d);
}

static void test_enable_event(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "enable_event:sched:sched_switch:1 if prio == 1");
	accept(&d, all, "disable_event:sched:sched_switch");
	check_shown(&d, sw, print_enable, "0*\n");
	assert_false(hit(&d, sw, ""));
	hit(&d, waking, "prio=0");
	assert_false(hit(&d, sw, ""));
	hit(&d, waking, "prio=1");
	assert_true(hit(&d, sw, ""));
	check_shown(&d, sw, print_enable, "1*\n");
	hit(&d, waking, "prio=1"); /* already on: not counted */
	hit(&d, all, "");
	assert_false(hit(&d, sw, ""));
	hit(&d, waking, "prio=1"); /* the count is used up */
	assert_false(hit(&d, sw, ""));
	check_triggers(&d, waking, "enable_event:sched:sched_switch:count=0 if prio == 1");
	dir_close(&d);
}

/* enable_hist on its own event takes effect before the histograms of that event run. */
static void test_enable_hist(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:pause");
	accept(&d, waking, "hist:keys=prio:sort=prio:pause");
	accept(&d, waking, "enable_hist:sched:sched_waking if prio == 1");
	accept(&d, sw, "disable_hist:sched:sched_waking:1");
	hit(&d, waking, "prio=0");
	hit(&d, waking, "prio=1");
	hit(&d, waking, "prio=0");
	hit(&d, sw, "");
	hit(&d, waking, "prio=0");
	hit(&d, waking, "prio=1");
	hit(&d, sw, ""); /* the count is used up */
	hit(&d, waking, "prio=0");
	check_rows(
		&d, waking,
		"{ pid: 0 } hitcount: 4 | 4 1 0 || { prio: 0 } hitcount: 2 { prio: 1 } hitcount: 2 | 4 2 0");
	dir_close(&d);
}

/* A replay starts with the counts and pauses as they were written. */
static void test_reset(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:pause");
	accept(&d, sw, "enable_hist:sched:sched_waking:1");
	for (int i = 0; i < 2; i++) {
		d.replaying = false;
		hit(&d, waking, "pid=1");
		hit(&d, sw, "");
		hit(&d, waking, "pid=1");
		check_rows(&d, waking, "{ pid: 1 } hitcount: 1 | 1 1 0");
		check_triggers(&d, sw, "enable_hist:sched:sched_waking:count=0");
	}
	dir_close(&d);
}

static void test_snapshot(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "snapshot:2");
	for (int i = 0; i < 5; i++)
		hit(&d, waking, "");
	assert_int_equal(d.snapshots, 2);
	dir_close(&d);
}

/* --- instances --- */

static void test_instances(void **state)
{
	struct trace_array *tr;
	struct event_file *file;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	tr = tracing_instance(d.t, "foo", true);
	assert_non_null(tr);
	assert_ptr_equal(tracing_instance(d.t, "foo", true), tr);
	assert_null(tracing_instance(d.t, "bar", false));
	file = file_in(tr, waking);
	assert_ptr_not_equal(file, file_of(&d, waking));
	accept(&d, waking, "hist:keys=pid:xx=prio");
	assert_int_equal(
		event_trigger_write(file, span_of("hist:keys=pid:xx=prio"), false, &d.diags), 0);
	/* variables of one instance do not exist in the other */
	assert_int_equal(event_trigger_write(file_in(tr, sw),
					     span_of("hist:keys=next_pid:vals=$nix"), false,
					     &d.diags),
			 -HIST_EREJECTED);
	assert_int_equal(tr->errors.n, 2);
	assert_int_equal(d.t->top->errors.n, 0);
	hit_file(&d, file, "pid=1");
	check_rows(&d, waking, "| 0 0 0");
	assert_int_equal(hist_map(hist_count_of(file->triggers.v[0]->hist))->hits, 1);
	dir_close(&d);
}

/* --- error_log --- */

static void test_error_log(void **state)
{
	char text[64], *log;
	struct strbuf all_text = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = add_to_strbuf, .arg = &all_text };
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	refuse(&d, waking, "hist:keys=nix", "10 Couldn't find field");
	for (int i = 0; i < 10; i++) {
		snprintf(text, sizeof(text), "hist:keys=nix%d", i);
		event_trigger_write(file_of(&d, waking), span_of(text), false, &d.diags);
	}
	assert_int_equal(d.t->top->errors.n, TRACING_LOG_ERRS_MAX);
	assert_string_equal(d.t->top->errors.entries[0].cmd, "hist:keys=nix2");
	assert_string_equal(d.t->top->errors.entries[7].cmd, "hist:keys=nix9");
	refuse(&d, waking, "hist keys=nix if x", "10 Couldn't find field");
	print_error_log(&p, d.t->top);
	printer_end(&p);
	log = all_text.s;
	/* the kernel stores the command with ':' and without blanks, whatever was written */
	assert_string_equal(log,
			    "[    1.500000] hist:sched:sched_waking: error: Couldn't find field\n"
			    "  Command: hist:keys=nix if x\n"
			    "                     ^\n");
	strbuf_release(&all_text);
	dir_close(&d);
}

/* Diagnoses have the true position, even where the kernel points elsewhere. */
static void test_true_places(void **state)
{
	static const struct {
		const char *text;
		long at;
		size_t len;
	} places[] = {
		{ "hist:keys=st+1", 10, 2 },
		{ "  hist  keys=st+1", 13, 2 },
		{ "hist:keys=b8:sort=b8.junk", 21, 4 },
		{ "hist:keys=b8 if nix == 1", 16, 1 },
		{ "hist:keys=b8:vals=b64.sym-offset", 18, 14 },
	};
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct diag *diag;

		forget_diags(&d);
		assert_int_equal(event_trigger_write(file_of(&d, all), span_of(places[i].text),
						     false, &d.diags),
				 -HIST_EREJECTED);
		diag = &d.diags.list.v[0];
		if (diag->at != places[i].at)
			print_error("# of: %s\n", places[i].text);
		assert_int_equal(diag->at, places[i].at);
		assert_int_equal(diag->len, places[i].len);
	}
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_matching),
		TEST(test_duplicates),
		TEST(test_spellings_of_the_stack),
		TEST(test_actions_are_compared),
		TEST(test_removal),
		TEST(test_pause),
		TEST(test_named),
		TEST(test_named_first_removed),
		TEST(test_named_pause),
		TEST(test_named_odds),
		TEST(test_order_of_list),
		TEST(test_simple),
		TEST(test_simple_refused),
		TEST(test_simple_duplicates),
		TEST(test_traceoff),
		TEST(test_enable_event),
		TEST(test_enable_hist),
		TEST(test_reset),
		TEST(test_snapshot),
		TEST(test_instances),
		TEST(test_error_log),
		TEST(test_true_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
