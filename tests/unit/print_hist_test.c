// SPDX-License-Identifier: LGPL-2.1-only
/* The files hist and hist_debug, byte for byte as written by kernels. */
#include "tracing_dir.h"

static const char waking[] = "sched:sched_waking", sw[] = "sched:sched_switch", all[] = "test:all";

/* A complete file, with saved variables and a snapshot; the records are those of a 6.12 kernel. */
static void test_whole_file(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking,
	       "hist:keys=comm:np=prio:onchange($np).save(comm,prio):onchange($np).snapshot() if pid >= 7000");
	hit(&d, waking, "comm=aaa prio=5 pid=7001");
	hit(&d, waking, "comm=bbb prio=0 pid=7002");
	hit(&d, waking, "comm=aaa prio=7 pid=7001");
	hit(&d, waking, "comm=ccc prio=7 pid=6999");
	check_shown(
		&d, waking, print_hist_file,
		"# event histogram\n"
		"#\n"
		"# trigger info: hist:keys=comm:vals=hitcount:np=prio:sort=hitcount:size=2048:"
		"onchange($np).save(comm,prio):onchange($np).snapshot() if pid >= 7000 [active]\n"
		"#\n"
		"\n"
		"{ comm: bbb                                                } hitcount:          1\n"
		"\tchanged:          0  comm: (null)                            prio:          0\n"
		"{ comm: aaa                                                } hitcount:          2\n"
		"\tchanged:          7  comm: aaa                               prio:          7\n"
		"\n"
		"Snapshot taken (see tracing/snapshot).  Details:\n"
		"\ttriggering value { onchange($np) }:          7\ttriggered by event with key: "
		"{ comm: aaa                                                }\n"
		"\n"
		"Totals:\n"
		"    Hits: 3\n"
		"    Entries: 2\n"
		"    Dropped: 0\n");
	dir_close(&d);
}

static void test_empty(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	check_shown(&d, waking, print_hist_file, "");
	accept(&d, waking, "traceoff");
	check_shown(&d, waking, print_hist_file, "");
	accept(&d, waking, "hist:keys=pid");
	accept(&d, waking, "hist:keys=prio");
	check_shown(
		&d, waking, print_hist_file,
		"# event histogram\n#\n# trigger info: hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 "
		"[active]\n#\n\n\nTotals:\n    Hits: 0\n    Entries: 0\n    Dropped: 0\n"
		"\n\n"
		"# event histogram\n#\n# trigger info: hist:keys=prio:vals=hitcount:sort=hitcount:size=2048 "
		"[active]\n#\n\n\nTotals:\n    Hits: 0\n    Entries: 0\n    Dropped: 0\n");
	dir_close(&d);
}

/* The entries of test:all with @trigger after one hit, without the surrounding lines. */
static void check_entry(const char *event, const char *trigger, const char *fields,
			const char *want)
{
	char *text, *from, *to;
	struct dir d;

	dir_open(&d, "6.12");
	accept(&d, event, trigger);
	d.stack[0] = 0xffffffff81001010;
	d.stack[1] = 0xffffffff81002020;
	d.n_stack = 2;
	d.comm = "swapper";
	hit(&d, event, fields);
	text = shown(file_of(&d, event), print_hist_file);
	from = strstr(text, "\n#\n\n") + 4;
	to = strstr(from, "\nTotals:");
	to[0] = '\0';
	assert_string_equal(from, want);
	free(text);
	dir_close(&d);
}

static void test_entries(void **state)
{
	(void)state;
	check_entry(waking, "hist:keys=pid", "pid=2", "{ pid:          2 } hitcount:          1\n");
	check_entry(
		all, "hist:keys=dyn:vals=a32.hex,hitcount.percent", "dyn=hello a32=-3",
		"{ dyn: hello                                              } hitcount:          1"
		"  a32: fffffffffffffffd  hitcount (%): 100.00\n");
	check_entry(
		all, "hist:keys=st:vals=a32.graph,b8.percent:nohitcount", "st=nm a32=1 b8=3",
		"{ st: nm                                                 }  a32: ####################"
		"  b8 (%): 100.00\n");
	check_entry(
		all, "hist:keys=b64.sym", "b64=0xffffffff81001010",
		"{ b64: [ffffffff81001010] do_one                                        } hitcount:          1\n");
	check_entry(
		all, "hist:keys=b64.sym", "b64=0",
		"{ b64: [0] 0x0                                           } hitcount:          1\n");
	check_entry(
		all, "hist:keys=b64.sym-offset", "b64=0xffffffff81001010",
		"{ b64: [ffffffff81001010] do_one+0x10/0x1000                                      } "
		"hitcount:          1\n");
	check_entry(all, "hist:keys=b64.syscall", "b64=1",
		    "{ b64: sys_write                     [  1] } hitcount:          1\n");
	check_entry(all, "hist:keys=common_pid.execname", "b64=1",
		    "{ common_pid: <idle>          [         0] } hitcount:          1\n");
	check_entry(all, "hist:keys=a32,common_stacktrace,b8", "a32=7",
		    "{ a32:          7, common_stacktrace:\n"
		    "         do_one+0x10/0x1000\n"
		    "         do_two+0x20/0x1000\n"
		    ", b8:          0} hitcount:          1\n");
	check_entry(all, "hist:keys=common_stacktrace", "a32=7",
		    "{ common_stacktrace:\n"
		    "         do_one+0x10/0x1000\n"
		    "         do_two+0x20/0x1000\n"
		    "} hitcount:          1\n");
	check_entry(all, "hist:keys=5", "a32=7", "{ :          5 } hitcount:          1\n");
	check_entry(all, "hist:keys=b8.log2,b16.log2", "b8=33 b16=1000",
		    "{ b8: ~ 2^6 , b16: ~ 2^10 } hitcount:          1\n");
	/* kernel: the upper end of a bucket wraps */
	check_entry(
		all, "hist:keys=b64.log2,b64.buckets=10", "b64=9223372036854775808",
		"{ b64: ~ 2^63, b64: ~ 9223372036854775800-9223372036854775809 } hitcount:          1\n");
	check_entry(all, "hist:keys=b64.buckets=10", "b64=18446744073709551615",
		    "{ b64: ~ 18446744073709551610-3 } hitcount:          1\n");
	check_entry(all, "hist:keys=b8.buckets=10", "b8=33",
		    "{ b8: ~ 30-39 } hitcount:          1\n");
	check_entry(
		waking,
		"hist:keys=pid:vv=prio:onmax($vv).save(comm,target_cpu,common_pid.execname)",
		"pid=2 prio=-1 comm=cc common_pid=1",
		"{ pid:          2 } hitcount:          1\n"
		"\tmax: 18446744073709551615  comm: cc                                target_cpu:          0"
		"  common_pid.execname:          1\n");
}

static void test_graph(void **state)
{
	char *text;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, all, "hist:keys=b8:vals=b16.graph:sort=b8");
	for (int i = 0; i <= 4; i++) {
		char fields[32];

		snprintf(fields, sizeof(fields), "b8=%d b16=%d", i, i * 50);
		hit(&d, all, fields);
	}
	text = shown(file_of(&d, all), print_hist_file);
	assert_non_null(strstr(
		text, "{ b8:          0 } hitcount:          1  b16:                     \n"
		      "{ b8:          1 } hitcount:          1  b16: #####               \n"
		      "{ b8:          2 } hitcount:          1  b16: ##########          \n"
		      "{ b8:          3 } hitcount:          1  b16: ###############     \n"
		      "{ b8:          4 } hitcount:          1  b16: ####################\n"));
	free(text);
	dir_close(&d);
}

/* Percentages of zero, and numbers so large that the kernel scales first. */
static void test_percent_extremes(void **state)
{
	char *text;
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, all, "hist:keys=b8:vals=b64.percent,b16.percent:sort=b8");
	hit(&d, all, "b8=1 b64=9000000000000000000");
	hit(&d, all, "b8=2 b64=3000000000000000000");
	text = shown(file_of(&d, all), print_hist_file);
	assert_non_null(strstr(
		text,
		"{ b8:          1 } hitcount:          1  b64 (%):  75.00  b16 (%):   0.00\n"
		"{ b8:          2 } hitcount:          1  b64 (%):  25.00  b16 (%):   0.00\n"));
	free(text);
	dir_close(&d);
}

/* --- hist_debug --- */

static void test_debug(void **state)
{
	struct dir d;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, waking, "hist:keys=pid:ts0=common_timestamp.usecs");
	accept(&d, sw, "hist:keys=next_pid:wakeup_lat=common_timestamp.usecs-$ts0");
	check_shown(
		&d, sw, print_hist_debug,
		"# event histogram\n"
		"#\n"
		"# trigger info: hist:keys=next_pid:vals=hitcount:wakeup_lat=common_timestamp.usecs-$ts0:"
		"sort=hitcount:size=2048:clock=global [active]\n"
		"#\n"
		"\n"
		"hist_data: 0000000000000002\n"
		"\n"
		"  n_vals: 2\n"
		"  n_keys: 1\n"
		"  n_fields: 3\n"
		"\n"
		"  val fields:\n"
		"\n"
		"    hist_data->fields[0]:\n"
		"      flags:\n"
		"        VAL: HIST_FIELD_FL_HITCOUNT\n"
		"      type: u64\n"
		"      size: 8\n"
		"      is_signed: 0\n"
		"\n"
		"    hist_data->fields[1]:\n"
		"      flags:\n"
		"        HIST_FIELD_FL_VAR\n"
		"      var.name: wakeup_lat\n"
		"      var.idx (into tracing_map_elt.vars[]): 0\n"
		"      type: u64\n"
		"      size: 8\n"
		"      is_signed: 0\n"
		"\n"
		"  key fields:\n"
		"\n"
		"    hist_data->fields[2]:\n"
		"      flags:\n"
		"        HIST_FIELD_FL_KEY\n"
		"      ftrace_event_field name: next_pid\n"
		"      type: pid_t\n"
		"      size: 8\n"
		"      is_signed: 1\n"
		"\n"
		"  variable reference fields:\n"
		"\n"
		"    hist_data->var_refs[0]:\n"
		"      flags:\n"
		"        HIST_FIELD_FL_VAR_REF\n"
		"      name: ts0\n"
		"      var.idx (into tracing_map_elt.vars[]): 0\n"
		"      var.hist_data: 0000000000000001\n"
		"      var_ref_idx (into hist_data->var_refs[]): 0\n"
		"      type: u64\n"
		"      size: 8\n"
		"      is_signed: 0\n");
	dir_close(&d);
}

static void check_debug_has(struct dir *d, const char *event, const char *want)
{
	char *text = shown(file_of(d, event), print_hist_debug);

	if (!strstr(text, want))
		print_error("# lacks:\n%s\n# in:\n%s\n", want, text);
	assert_non_null(strstr(text, want));
	free(text);
}

static void test_debug_actions(void **state)
{
	struct dir d;
	char *text;

	(void)state;
	dir_open(&d, "6.12");
	accept(&d, "synthetic_events", "ev pid_t pid");
	accept(&d, sw,
	       "hist:keys=next_pid:pr=next_prio:onmatch(sched.sched_waking).ev(next_pid):onmax($pr).save(next_comm)");
	check_debug_has(&d, sw,
			"\n  field variables:\n"
			"\n    hist_data->field_vars[0]:\n"
			"\n      field_vars[0].var:\n"
			"      flags:\n"
			"        HIST_FIELD_FL_VAR\n"
			"      var.name: next_pid\n");
	check_debug_has(&d, sw,
			"\n  action tracking variables (for onmax()/onchange()/onmatch()):\n"
			"\n    hist_data->actions[0].match_data.event_system: sched\n"
			"    hist_data->actions[0].match_data.event: sched_waking\n"
			"\n    hist_data->actions[1].track_data.var_ref:\n");
	check_debug_has(&d, sw,
			"      var.name: __max\n"
			"      var.idx (into tracing_map_elt.vars[]): 2\n"
			"      type: u64\n"
			"      size: 8\n"
			"      is_signed: 0\n"
			"\n  save action variables (save() params):\n"
			"\n    hist_data->save_vars[0]:\n");
	/* kernel: a name that is not a field of the record ends the output */
	accept(&d, all, "hist:keys=b8:vv=b16:onmax($vv).save(common_cpu,b16)");
	check_debug_has(&d, all, "\n      save_vars[0].val:\n");
	text = shown(file_of(&d, all), print_hist_debug);
	assert_null(strstr(text, "save_vars[1]"));
	free(text);
	dir_close(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_whole_file),       TEST(test_empty),
		TEST(test_entries),          TEST(test_graph),
		TEST(test_percent_extremes), TEST(test_debug),
		TEST(test_debug_actions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
