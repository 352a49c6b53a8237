// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The records of a replay and their order: buffers, CPUs, time, several files; lost records; data
 * that belongs to a record without being in it.
 */
#include "replay_recording.h"

#define WAKING "events/sched/sched_waking/"
#define SWITCH "events/sched/sched_switch/"

static const struct event_line cpus[] = {
	{ .event = "sched:sched_waking", .fields = "pid=1 prio=1 @ts=1000000000" },
	{ .event = "sched:sched_waking", .fields = "pid=2 prio=2 @ts=2000000000", .cpu = 1 },
	{ .event = "sched:sched_waking", .fields = "pid=3 prio=3 @ts=2500000000", .cpu = 3 },
	{ .event = "sched:sched_waking", .fields = "pid=1 prio=4 @ts=3000000000" },
	{ .event = "sched:sched_waking", .fields = "pid=2 prio=5 @ts=4000000000", .cpu = 1 },
};

static const struct event_line buffers[] = {
	{ .event = "sched:sched_waking", .fields = "pid=1 @ts=1000" },
	{ .event = "sched:sched_waking", .fields = "pid=2 @ts=2000", .buffer = "foo" },
	{ .event = "sched:sched_waking", .fields = "pid=3 @ts=3000", .buffer = "foo" },
};

static const struct event_line only_foo[] = {
	{ .event = "sched:sched_waking", .fields = "pid=2 @ts=2000", .buffer = "foo" },
};

static const struct event_line later[] = {
	{ .event = "sched:sched_switch", .fields = "next_pid=1 @ts=1500000000" },
	{ .event = "sched:sched_switch", .fields = "next_pid=1 @ts=3500000000" },
};

static const struct event_line lost[] = {
	{ .event = "sched:sched_waking", .fields = "pid=1 @ts=1000" },
	{ .lost = 12 },
	{ .event = "sched:sched_waking", .fields = "pid=1 @ts=5000" },
	{ .event = "sched:sched_waking", .fields = "pid=1 @ts=1000", .cpu = 2 },
	{ .lost = -1, .cpu = 2 },
	{ .event = "sched:sched_waking", .fields = "pid=1 @ts=7000", .cpu = 2 },
};

static int make_recordings(void **state)
{
	if (recording_make_dir(state))
		return -1;
	recording_write("cpus.dat", &(struct recording_of){ .lines = cpus, .n = ARRAY_SIZE(cpus) });
	recording_write("v6.dat", &(struct recording_of){
					  .lines = cpus, .n = ARRAY_SIZE(cpus), .version = 6 });
	recording_write("buffers.dat",
			&(struct recording_of){ .lines = buffers, .n = ARRAY_SIZE(buffers) });
	recording_write("foo.dat",
			&(struct recording_of){ .lines = only_foo, .n = ARRAY_SIZE(only_foo) });
	recording_write("later.dat",
			&(struct recording_of){ .lines = later, .n = ARRAY_SIZE(later) });
	recording_write("lost.dat", &(struct recording_of){ .lines = lost, .n = ARRAY_SIZE(lost) });
	recording_write("other.dat",
			&(struct recording_of){ .lines = later,
						.n = ARRAY_SIZE(later),
						.uname = "Linux other 6.12.117 x86_64" });
	recording_write("mono.dat", &(struct recording_of){ .lines = later,
							    .n = ARRAY_SIZE(later),
							    .clock = "mono" });
	recording_write("guest.dat", &(struct recording_of){
					     .lines = cpus, .n = ARRAY_SIZE(cpus), .guest = true });
	return 0;
}

static const char pids[] = "echo hist:keys=pid:sort=pid > " WAKING "trigger";

static void check_options(const char *input, struct hist_options options, const char *want,
			  const char *said)
{
	run_script(&(struct run){ .inputs = { input }, .options = options }, pids, want, said);
}

/* --- CPUs and time --- */

static void test_cpus(void **state)
{
	(void)state;
	check_options(
		"cpus.dat", (struct hist_options){ 0 },
		"{ pid: 1 } hitcount: 2 { pid: 2 } hitcount: 2 { pid: 3 } hitcount: 1 | 5 3 0", "");
	check_options("cpus.dat", (struct hist_options){ .cpus = "0" },
		      "{ pid: 1 } hitcount: 2 | 2 1 0", "");
	check_options("cpus.dat", (struct hist_options){ .cpus = "1-3" },
		      "{ pid: 2 } hitcount: 2 { pid: 3 } hitcount: 1 | 3 2 0", "");
	check_options("cpus.dat", (struct hist_options){ .cpus = "0,3" },
		      "{ pid: 1 } hitcount: 2 { pid: 3 } hitcount: 1 | 3 2 0", "");
	run_script(&(struct run){ .inputs = { "cpus.dat" },
				  .options = { .cpus = "2" },
				  .doubtful = true },
		   pids, "| 0 0 0",
		   "warning: no sched:sched_waking event is in the selected part of the recording, "
		   "but the event has a trigger");
}

static void test_time(void **state)
{
	(void)state;
	check_options(
		"cpus.dat", (struct hist_options){ .from = "2" },
		"{ pid: 1 } hitcount: 1 { pid: 2 } hitcount: 2 { pid: 3 } hitcount: 1 | 4 3 0", "");
	check_options(
		"cpus.dat", (struct hist_options){ .from = "2.000000001" },
		"{ pid: 1 } hitcount: 1 { pid: 2 } hitcount: 1 { pid: 3 } hitcount: 1 | 3 3 0", "");
	check_options(
		"cpus.dat", (struct hist_options){ .to = "2.5" },
		"{ pid: 1 } hitcount: 1 { pid: 2 } hitcount: 1 { pid: 3 } hitcount: 1 | 3 3 0", "");
	check_options(
		"cpus.dat", (struct hist_options){ .from = "+1", .to = "+2" },
		"{ pid: 1 } hitcount: 1 { pid: 2 } hitcount: 1 { pid: 3 } hitcount: 1 | 3 3 0", "");
	check_options("cpus.dat", (struct hist_options){ .from = "+1", .to = "+2", .cpus = "0" },
		      "{ pid: 1 } hitcount: 1 | 1 1 0", "");
}

static const struct {
	const char *cpus, *from, *to, *said;
} wrong[] = {
	{ "4", NULL, NULL, "error: the recording has no CPU 4, only 0 to 3" },
	{ "x", NULL, NULL, "error: x is not a list of CPUs: write 0,2-3" },
	{ "2-1", NULL, NULL, "error: 2-1 is not a list of CPUs: write 0,2-3" },
	{ "", NULL, NULL, "error:  is not a list of CPUs: write 0,2-3" },
	{ NULL, "x", NULL,
	  "error: x is not a time, or too large: write SECONDS, +SECONDS, +500ms or SECONDS-2ms" },
	{ NULL, NULL, "1.5x",
	  "error: 1.5x is not a time, or too large: write SECONDS, +SECONDS, +500ms or SECONDS-2ms" },
	{ NULL, NULL, "99999999999999999999999",
	  "error: 99999999999999999999999 is not a time, or too large: write SECONDS, +SECONDS, +500ms or SECONDS-2ms" },
};

static void test_wrong_options(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		run_script(&(struct run){ .inputs = { "cpus.dat" },
					  .want = -HIST_EINVAL,
					  .options = { .cpus = wrong[i].cpus,
						       .from = wrong[i].from,
						       .to = wrong[i].to } },
			   pids, "", wrong[i].said);
}

/* Records of all CPUs are sorted by time, whatever the number of threads. */
static void test_order(void **state)
{
	(void)state;
	for (unsigned int jobs = 0; jobs < 4; jobs++) {
		run_script(
			&(struct run){ .inputs = { "cpus.dat" }, .options = { .jobs = jobs } },
			"echo 'hist:keys=common_type:pr=prio:onchange($pr).save(prio,common_cpu)' > " WAKING
			"trigger",
			"{ common_type: 100 } hitcount: 5 changed: 5 prio: 5 common_cpu: 1 | 5 1 0",
			"");
		run_script(
			&(struct run){ .inputs = { "cpus.dat" }, .options = { .jobs = jobs } },
			"echo 'hist:keys=pid:sort=pid:pause' > " WAKING "trigger\n"
			"echo 'enable_hist:sched:sched_waking if prio == 3' >> " WAKING "trigger\n",
			"{ pid: 1 } hitcount: 1 { pid: 2 } hitcount: 1 { pid: 3 } hitcount: 1 | 3 3 0",
			"");
		check_options(
			"cpus.dat", (struct hist_options){ .jobs = jobs },
			"{ pid: 1 } hitcount: 2 { pid: 2 } hitcount: 2 { pid: 3 } hitcount: 1 | 5 3 0",
			"");
	}
}

/* --- buffers --- */

static void test_buffers(void **state)
{
	static const char note[] = "note: other buffers also contain events: foo (choose with -B)";

	(void)state;
	check_options("buffers.dat", (struct hist_options){ 0 }, "{ pid: 1 } hitcount: 1 | 1 1 0",
		      note);
	check_options("buffers.dat", (struct hist_options){ .buffer = "" },
		      "{ pid: 1 } hitcount: 1 | 1 1 0", "");
	check_options("buffers.dat", (struct hist_options){ .buffer = "foo" },
		      "{ pid: 2 } hitcount: 1 { pid: 3 } hitcount: 1 | 2 2 0", "");
	/* the only one with events is used */
	check_options("foo.dat", (struct hist_options){ 0 }, "{ pid: 2 } hitcount: 1 | 1 1 0", "");
	run_script(&(struct run){ .inputs = { "buffers.dat" },
				  .want = -HIST_ENOENT,
				  .options = { .buffer = "bar" } },
		   pids, "", "error: the recording has no buffer bar; it has the top buffer, foo");
	/* the events of an instance are in its own directory */
	run_script(
		&(struct run){ .inputs = { "buffers.dat" } },
		"echo hist:keys=pid:sort=pid > instances/foo/" WAKING "trigger\n"
		"echo hist:keys=pid:sort=pid.descending > " WAKING "trigger\n"
		"cat instances/foo/" WAKING "trigger instances/foo/" WAKING "hist " WAKING "hist",
		"hist:keys=pid:vals=hitcount:sort=pid:size=2048 [active] "
		"{ pid: 2 } hitcount: 1 { pid: 3 } hitcount: 1 | 2 2 0 { pid: 1 } hitcount: 1 | 1 1 0",
		note);
	/* a synthetic event is an event of all buffers, also if a histogram of one would suffice */
	run_script(&(struct run){ .inputs = { "buffers.dat" } },
		   "echo 'woken pid_t pid' > synthetic_events\n"
		   "echo 'hist:keys=pid:v=pid:onmatch(sched.sched_waking).woken($v)' > " WAKING
		   "trigger\n"
		   "echo hist:keys=pid > events/synthetic/woken/trigger\n"
		   "echo hist:keys=pid.hex > instances/foo/events/synthetic/woken/trigger\n"
		   "cat events/synthetic/woken/hist instances/foo/events/synthetic/woken/hist",
		   "{ pid: 1 } hitcount: 1 | 1 1 0 { pid: 1 } hitcount: 1 | 1 1 0", note);
}

/* --- several files --- */

static void test_two_files(void **state)
{
	static const char latency[] =
		"echo 'hist:keys=pid:ts0=common_timestamp.usecs' > " WAKING "trigger\n"
		"echo 'hist:keys=next_pid:vals=next_prio:d=common_timestamp.usecs-$ts0:onmax($d).save(next_prio)' "
		"> " SWITCH "trigger\n"
		"cat " SWITCH "hist\n";

	(void)state;
	/* one time line, whatever the order of the files: 1.0 1.5 3.0 3.5 s */
	for (int i = 0; i < 2; i++)
		run_script(
			&(struct run){ .inputs = { i ? "cpus.dat" : "later.dat",
						   i ? "later.dat" : "cpus.dat" } },
			latency,
			"{ next_pid: 1 } hitcount: 2 next_prio: 0 max: 500000 next_prio: 0 | 2 1 0",
			"");
	run_script(
		&(struct run){ .inputs = { "cpus.dat", "other.dat" }, .want = -HIST_EUNSUPPORTED },
		latency, "",
		"error: DIR/cpus.dat and DIR/other.dat are from different machines or kernels and do not share a "
		"timeline: hist report --hosts answers for each of them, hist sql --hosts has "
		"tables of all, hist events --hosts merges their events by the time of day; other "
		"verbs, such as summary and why, take one: -i DIR/other.dat");
	run_script(
		&(struct run){ .inputs = { "cpus.dat", "mono.dat" }, .want = -HIST_EUNSUPPORTED },
		latency, "",
		"error: DIR/cpus.dat and DIR/mono.dat are from different trace clocks and do not share a "
		"timeline: hist report --hosts answers for each of them, hist sql --hosts has "
		"tables of all, hist events --hosts merges their events by the time of day; other "
		"verbs, such as summary and why, take one: -i DIR/mono.dat");
	run_script(&(struct run){ .inputs = { "v6.dat", "later.dat" } }, latency,
		   "{ next_pid: 1 } hitcount: 2 next_prio: 0 max: 500000 next_prio: 0 | 2 1 0", "");
}

static void test_guest(void **state)
{
	(void)state;
	run_script(&(struct run){ .inputs = { "guest.dat" } }, pids,
		   "{ pid: 1 } hitcount: 2 { pid: 2 } hitcount: 2 { pid: 3 } hitcount: 1 | 5 3 0",
		   "warning: DIR/guest.dat: recorded in a guest, with the guest's times: give the "
		   "recording of its host, too");
}

static void test_no_file(void **state)
{
	(void)state;
	run_script(&(struct run){ .inputs = { "none.dat" }, .want = -HIST_ENOENT }, pids, "",
		   "error: DIR/none.dat: cannot open: No such file or directory");
	run_script(&(struct run){ .want = -HIST_EINVAL }, pids, "", "error: no recording given");
}

static void test_version_6(void **state)
{
	(void)state;
	check_options(
		"v6.dat", (struct hist_options){ 0 },
		"{ pid: 1 } hitcount: 2 { pid: 2 } hitcount: 2 { pid: 3 } hitcount: 1 | 5 3 0", "");
}

/* --- losses --- */

static void test_lost(void **state)
{
	(void)state;
	run_script(&(struct run){ .inputs = { "lost.dat" }, .doubtful = true }, pids,
		   "{ pid: 1 } hitcount: 4 | 4 1 0",
		   "warning: DIR/lost.dat: CPU 0 lost 12 events; "
		   "warning: DIR/lost.dat: CPU 2 lost events; the number was not recorded");
	run_script(&(struct run){ .inputs = { "lost.dat" },
				  .options = { .cpus = "0" },
				  .doubtful = true },
		   pids, "{ pid: 1 } hitcount: 2 | 2 1 0",
		   "warning: DIR/lost.dat: CPU 0 lost 12 events");
}

/* Records lost before a traced record are also lost in the recording of the traced events. */
static void test_saved_lost(void **state)
{
	static char saved[sizeof(recording_dir) + 16];
	struct run run = { .inputs = { "lost.dat" }, .doubtful = true };
	struct strbuf out = STRBUF_INIT, said = STRBUF_INIT;

	(void)state;
	snprintf(saved, sizeof(saved), "%s/saved.dat", recording_dir);
	run.how.save_events = saved;
	assert_int_equal(run_text(&run, "echo 1 > events/sched/enable\n", &out, &said), 0);
	run_script(&(struct run){ .inputs = { "saved.dat" }, .doubtful = true }, pids,
		   "{ pid: 1 } hitcount: 4 | 4 1 0",
		   "warning: DIR/saved.dat: CPU 0 lost 12 events; "
		   "warning: DIR/saved.dat: CPU 2 lost events; the number was not recorded");
	strbuf_release(&out);
	strbuf_release(&said);
}

/* --- stacks --- */

static const u64 one_stack[] = { 0xffffffff81000001, 0xffffffff81000002, 0xffffffff81001010,
				 0xffffffff81002020, 0 };
static const u64 other_stack[] = { 0xffffffff81000001, 0xffffffff81000002, 0xffffffff81002020, 0 };

static const struct event_line stacks[] = {
	{ .event = "sched:sched_waking", .fields = "pid=1 common_pid=5 @ts=1000" },
	{ .event = "stack", .fields = "@ts=1001", .stack = other_stack }, /* of another task */
	{ .event = "sched:sched_switch", .fields = "next_pid=1 common_pid=5 @ts=1002" },
	{ .event = "stack", .fields = "@ts=1003", .stack = one_stack },
	{ .event = "sched:sched_waking", .fields = "pid=2 @ts=2000" },
	{ .event = "stack", .fields = "@ts=2001", .stack = one_stack },
	{ .event = "sched:sched_waking", .fields = "pid=3 @ts=3000" },
	{ .event = "sched:sched_waking", .fields = "pid=4 @ts=4000", .cpu = 1 },
	{ .event = "stack", .fields = "@ts=4001", .stack = other_stack, .cpu = 1 },
};

/* The next stack of the same CPU and task, without its first two entries. */
static void test_stacks(void **state)
{
	(void)state;
	recording_write("stacks.dat",
			&(struct recording_of){ .lines = stacks, .n = ARRAY_SIZE(stacks) });
	run_script(
		&(struct run){ .inputs = { "stacks.dat" }, .doubtful = true },
		"echo hist:keys=common_stacktrace,pid:sort=pid > " WAKING "trigger",
		"{ common_stacktrace: , pid: 1} hitcount: 1 "
		"{ common_stacktrace: do_one+0x10/0x1000 do_two+0x20/0x1000 , pid: 2} hitcount: 1 "
		"{ common_stacktrace: , pid: 3} hitcount: 1 "
		"{ common_stacktrace: do_two+0x20/0x1000 , pid: 4} hitcount: 1 | 4 4 0",
		"warning: 2 hits needed a kernel stack that was not recorded; record with the stacktrace trigger "
		"or -T");
}

/* --- comms --- */

static const struct event_line comms[] = {
	{ .event = "test:all", .fields = "common_pid=7 b8=1 @ts=1000" },
	{ .event = "sched:sched_switch",
	  .fields = "prev_pid=7 prev_comm=before next_pid=8 next_comm=eight @ts=2000" },
	{ .event = "test:all", .fields = "common_pid=8 b8=2 @ts=3000" },
	{ .event = "sched:sched_switch",
	  .fields = "prev_pid=8 prev_comm=eight next_pid=7 next_comm=after @ts=4000" },
	{ .event = "test:all", .fields = "common_pid=7 b8=3 @ts=5000" },
	{ .event = "test:all", .fields = "common_pid=9 b8=4 @ts=6000" },
	{ .event = "test:all", .fields = "common_pid=10 b8=5 @ts=7000" },
	{ .event = "test:all", .fields = "common_pid=0 b8=6 @ts=8000" },
};

/* As known from events before; otherwise as saved at the end. */
static void test_comms(void **state)
{
	(void)state;
	recording_write("comms.dat", &(struct recording_of){ .lines = comms,
							     .n = ARRAY_SIZE(comms),
							     .cmdlines = "7 saved\n9 nine\n" });
	run_script(
		&(struct run){ .inputs = { "comms.dat" } },
		"echo hist:keys=b8,common_pid.execname:sort=b8 > events/test/all/trigger",
		"{ b8: 1, common_pid: before [ 7] } hitcount: 1 { b8: 2, common_pid: eight [ 8] } hitcount: 1 "
		"{ b8: 3, common_pid: after [ 7] } hitcount: 1 { b8: 4, common_pid: nine [ 9] } hitcount: 1 "
		"{ b8: 5, common_pid: <...> [ 10] } hitcount: 1 { b8: 6, common_pid: <idle> [ 0] } hitcount: 1 "
		"| 6 6 0",
		"");
	run_script(
		&(struct run){ .inputs = { "comms.dat" } },
		"echo 'hist:keys=b8:sort=b8 if COMM ~ \"*ft*\" || comm == \"before\"' > events/test/all/trigger",
		"{ b8: 1 } hitcount: 1 { b8: 3 } hitcount: 1 | 2 2 0", "");
	/* the names of the idle tasks are always known */
	run_script(&(struct run){ .inputs = { "comms.dat" } },
		   "echo 'hist:keys=b8 if COMM == \"swapper/0\"' > events/test/all/trigger",
		   "{ b8: 6 } hitcount: 1 | 1 1 0", "");
}

static const struct event_line execs[] = {
	{ .event = "test:all", .fields = "common_pid=7 b8=1 @ts=1000" },
	{ .event = "sched:sched_waking", .fields = "pid=7 comm=shell common_pid=8 @ts=2000" },
	{ .event = "sched:sched_process_exec",
	  .fields = "filename=/usr/bin/a_long_name_of_a_program pid=7 common_pid=7 @ts=3000" },
	{ .event = "test:all", .fields = "common_pid=7 b8=2 @ts=4000" },
	{ .event = "sched:sched_process_exec",
	  .fields = "filename=/dev/fd/3 pid=7 common_pid=7 @ts=5000" },
	{ .event = "test:all", .fields = "common_pid=7 b8=3 @ts=6000" },
	{ .event = "sched:sched_process_exec",
	  .fields = "filename=/dev/fd/3/script pid=7 common_pid=7 @ts=7000" },
	{ .event = "test:all", .fields = "common_pid=7 b8=4 @ts=8000" },
	{ .event = "test:all", .fields = "common_pid=9 b8=5 @ts=9000" },
	{ .event = "sched:sched_process_exec",
	  .fields = "filename=ls pid=9 common_pid=9 @ts=10000" },
	{ .event = "test:all", .fields = "common_pid=9 b8=6 @ts=11000" },
};

/* A program gives its name to the task; the name before does not follow from it. */
static void test_execs(void **state)
{
	(void)state;
	recording_write("execs.dat", &(struct recording_of){ .lines = execs,
							     .n = ARRAY_SIZE(execs),
							     .cmdlines = "9 saved\n",
							     .rename = true });
	run_script(
		&(struct run){ .inputs = { "execs.dat" }, .doubtful = true },
		"echo hist:keys=b8,common_pid.execname:sort=b8 > events/test/all/trigger\n"
		"echo hist:keys=common_pid.execname:sort=common_pid > events/sched/sched_process_exec/trigger\n"
		"cat events/test/all/hist events/sched/sched_process_exec/hist",
		"{ b8: 1, common_pid: shell [ 7] } hitcount: 1 { b8: 2, common_pid: a_long_name_of_ [ 7] } hitcount: 1 "
		"{ b8: 3, common_pid: a_long_name_of_ [ 7] } hitcount: 1 { b8: 4, common_pid: script [ 7] } hitcount: 1 "
		"{ b8: 5, common_pid: saved [ 9] } hitcount: 1 { b8: 6, common_pid: ls [ 9] } hitcount: 1 | 6 6 0 "
		"{ common_pid: a_long_name_of_ [ 7] } hitcount: 3 { common_pid: ls [ 9] } hitcount: 1 | 4 2 0",
		"note 3: the names of tasks of 1 event are guesses, because the recording does not contain when "
		"the tasks were renamed or executed a program; record task:task_rename and "
		"sched:sched_process_exec, too");
}

/* Events that contain comms are counted once, even if a script needs comms. */
static void test_comms_and_counts(void **state)
{
	(void)state;
	run_script(
		&(struct run){ .inputs = { "comms.dat" } },
		"echo hist:keys=next_pid:sort=next_pid > " SWITCH "trigger\n"
		"echo 'hist:keys=common_pid.execname:sort=common_pid if b8 == 1' > events/test/all/trigger\n"
		"cat " SWITCH "hist events/test/all/hist",
		"{ next_pid: 7 } hitcount: 1 { next_pid: 8 } hitcount: 1 | 2 2 0 "
		"{ common_pid: before [ 7] } hitcount: 1 | 1 1 0",
		"");
}

/* --- synthetic events --- */

static const struct event_line synth[] = {
	{ .event = "sched:sched_waking", .fields = "prio=9 @ts=1000" },
	{ .event = "synthetic:lat", .fields = "lat=5 @ts=1001" },
	{ .event = "synthetic:lat", .fields = "lat=6 @ts=1002" },
};

/* Recorded ones are ordinary events, unless the script defines the event itself. */
static void test_synthetic(void **state)
{
	(void)state;
	recording_write("synth.dat",
			&(struct recording_of){ .lines = synth, .n = ARRAY_SIZE(synth) });
	run_script(&(struct run){ .inputs = { "synth.dat" } },
		   "echo hist:keys=lat:sort=lat > events/synthetic/lat/trigger",
		   "{ lat: 5 } hitcount: 1 { lat: 6 } hitcount: 1 | 2 2 0", "");
	run_script(&(struct run){ .inputs = { "synth.dat" } },
		   "echo 'lat int lat' > synthetic_events\n"
		   "echo 'hist:keys=pid:onmatch(sched.sched_waking).lat(prio)' > " WAKING
		   "trigger\n"
		   "echo hist:keys=lat:sort=lat > events/synthetic/lat/trigger\n"
		   "cat events/synthetic/lat/hist",
		   "{ lat: 9 } hitcount: 1 | 1 1 0", "");
}

/* --- the kernel's version --- */

static void test_kernel(void **state)
{
	static const char script[] = "echo hist:keys=stacktrace > " WAKING "trigger\ncat " WAKING
				     "trigger";
	const struct recording_of old = { .lines = cpus,
					  .n = ARRAY_SIZE(cpus),
					  .uname = "Linux host 6.1.0-30-amd64 x86_64" };

	(void)state;
	recording_write("old.dat", &old);
	/* the trigger file only needs the hits; the stacks are missing */
	run_script(
		&(struct run){ .inputs = { "old.dat" }, .doubtful = true }, script,
		"hist:keys=stacktrace:vals=hitcount:sort=hitcount:size=2048 [active]",
		"warning 2: 5 hits needed a kernel stack that was not recorded; record with the stacktrace "
		"trigger or -T");
	run_script(
		&(struct run){ .inputs = { "old.dat" },
			       .options = { .kernel = "6.12" },
			       .doubtful = true },
		script,
		"hist:keys=common_stacktrace:vals=hitcount:sort=hitcount:size=2048 [active]",
		"warning 2: 5 hits needed a kernel stack that was not recorded; record with the stacktrace "
		"trigger or -T");
}

/* --unlimited: scripts that a kernel rejects, and hits that it drops */
static void test_unlimited(void **state)
{
	(void)state;
	run_script(
		&(struct run){ .inputs = { "cpus.dat" }, .options = { .unlimited = true } },
		"echo 'hist:keys=pid,prio,target_cpu,common_cpu:vals=pid,prio,common_cpu:sort=pid,prio,common_cpu "
		"if pid == 3' > " WAKING "trigger",
		"{ pid: 3, prio: 3, target_cpu: 0, common_cpu: 3 } hitcount: 1 pid: 3 prio: 3 common_cpu: 3 | 1 1 0",
		"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cpus),      TEST(test_time),       TEST(test_wrong_options),
		TEST(test_order),     TEST(test_buffers),    TEST(test_two_files),
		TEST(test_guest),     TEST(test_no_file),    TEST(test_version_6),
		TEST(test_lost),      TEST(test_saved_lost), TEST(test_stacks),
		TEST(test_execs),     TEST(test_comms),      TEST(test_comms_and_counts),
		TEST(test_synthetic), TEST(test_kernel),     TEST(test_unlimited),
	};

	return cmocka_run_group_tests(tests, make_recordings, recording_remove_dir);
}
