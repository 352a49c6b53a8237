// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Scripts on recordings: when the replay runs, the output of each cat, the effect of lines after
 * it, rejected lines.
 */
#include "hist-script.h"
#include "replay_recording.h"

static const struct event_line lines[] = {
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=1 comm=a @ts=1000" },
	{ .event = "sched:sched_waking", .fields = "pid=8 prio=2 comm=b @ts=2000" },
	{ .event = "sched:sched_switch", .fields = "next_pid=7 @ts=3000" },
	{ .event = "sched:sched_waking", .fields = "pid=7 prio=3 comm=a @ts=4000" },
	{ .event = "ftrace:print", .fields = "buf=start\n @ts=5000" },
};

#define WAKING "events/sched/sched_waking/"
#define SWITCH "events/sched/sched_switch/"

/* Added to the message about an unknown field. */
#define TASK "; the running task is common_pid, by name common_pid.execname"
#define WAKING_HAS \
	"sched:sched_waking has comm, pid, prio, target_cpu, and the fields common_*" TASK
#define SWITCH_HAS                                                                       \
	"sched:sched_switch has prev_comm, prev_pid, prev_prio, prev_state, next_comm, " \
	"next_pid, next_prio, and the fields common_*" TASK

#define NOTHING                                                                      \
	"note: nothing to print: the script has no hist trigger and no cat; "        \
	"-e EVENT --by FIELD, or -e EVENT -R 'hist:keys=FIELD', makes a histogram; " \
	"hist events prints the events"

static const struct run one = { .inputs = { "one.dat" } };

static int make_recordings(void **state)
{
	if (recording_make_dir(state))
		return -1;
	recording_write("one.dat",
			&(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
	return 0;
}

static void test_cat(void **state)
{
	(void)state;
	run_script(&one, "echo hist:keys=pid:sort=pid > " WAKING "trigger\ncat " WAKING "hist",
		   "{ pid: 7 } hitcount: 2 { pid: 8 } hitcount: 1 | 3 2 0", "");
	run_script(&one, "cat " WAKING "hist", "", "");
	run_script(&one, "echo hist:keys=pid > " WAKING "trigger\ncat trace_clock tracing_on",
		   "[local] 1", "");
}

static void test_paused(void **state)
{
	(void)state;
	run_script(&one, "echo 'hist:keys=pid:pause' > " WAKING "trigger\ncat " WAKING "hist",
		   "| 0 0 0", "");
	run_script(&one,
		   "echo 'hist:keys=pid:pause if prio > 0' > " WAKING "trigger\ncat " WAKING "hist",
		   "| 0 0 0", "");
}

/* Files that do not depend on events show what was written before their line. */
static void test_cat_as_of_its_line(void **state)
{
	(void)state;
	run_script(&one,
		   "cat " WAKING "filter synthetic_events\n"
		   "echo 'prio > 1' > " WAKING "filter\n"
		   "echo 'aa u64 x' > synthetic_events\n"
		   "cat " WAKING "filter synthetic_events\n"
		   "echo 'bb u64 x' > synthetic_events\n"
		   "echo 0 > " WAKING "filter\n"
		   "cat " WAKING "filter synthetic_events\n",
		   "none prio > 1 aa u64 x none bb u64 x", "");
}

/* Without cat: prints each event with histograms, in the order of their first histogram. */
static void test_default(void **state)
{
	(void)state;
	run_script(&one, "echo hist:keys=next_pid > " SWITCH "trigger",
		   "{ next_pid: 7 } hitcount: 1 | 1 1 0", "");
	run_script(
		&one,
		"echo hist:keys=next_pid > " SWITCH "trigger\n"
		"echo hist:keys=prio:sort=prio > " WAKING "trigger\n"
		"echo hist:keys=next_prio >> " SWITCH "trigger\n",
		"==> events/sched/sched_switch/hist <== { next_pid: 7 } hitcount: 1 | 1 1 0 "
		"{ next_prio: 0 } hitcount: 1 | 1 1 0 "
		"==> events/sched/sched_waking/hist <== { prio: 1 } hitcount: 1 { prio: 2 } hitcount: 1 "
		"{ prio: 3 } hitcount: 1 | 3 3 0",
		"");
	run_script(&one, "", "", NOTHING);
	run_script(
		&(struct run){ .inputs = { "one.dat" }, .how = { .show = "sched_waking" } },
		"echo hist:keys=next_pid > " SWITCH "trigger\necho hist:keys=prio > " WAKING
		"trigger",
		"{ prio: 3 } hitcount: 1 { prio: 2 } hitcount: 1 { prio: 1 } hitcount: 1 | 3 3 0",
		"");
}

/* --- after the replay --- */

/* A removal, pause or clear after the replay applies to the end of the recording. */
static void test_changes_after(void **state)
{
	(void)state;
	run_script(&one,
		   "echo hist:keys=pid:sort=pid > " WAKING "trigger\n"
		   "cat " WAKING "hist\n"
		   "echo hist:keys=pid:sort=pid:pause > " WAKING "trigger\n",
		   "{ pid: 7 } hitcount: 2 { pid: 8 } hitcount: 1 | 3 2 0", "");
	run_script(&one,
		   "echo hist:keys=pid:sort=pid > " WAKING "trigger\n"
		   "cat " WAKING "hist\n"
		   "echo hist:keys=pid:sort=pid:pause >> " WAKING "trigger\n"
		   "cat " WAKING "hist " WAKING "trigger\n"
		   "echo hist:keys=pid:sort=pid:clear >> " WAKING "trigger\n"
		   "cat " WAKING "hist\n"
		   "echo '!hist:keys=pid:sort=pid' >> " WAKING "trigger\n"
		   "cat " WAKING "hist\n",
		   "{ pid: 7 } hitcount: 2 { pid: 8 } hitcount: 1 | 3 2 0 "
		   "{ pid: 7 } hitcount: 2 { pid: 8 } hitcount: 1 | 3 2 0 "
		   "hist:keys=pid:vals=hitcount:sort=pid:size=2048 [paused] "
		   "| 0 0 0",
		   "");
}

/* Adding a trigger after the replay starts another replay. */
static void test_adding_after(void **state)
{
	(void)state;
	run_script(&one,
		   "echo hist:keys=next_pid > " SWITCH "trigger\n"
		   "cat " SWITCH "hist\n"
		   "echo hist:keys=prio > " WAKING "trigger\n"
		   "cat " SWITCH "hist\n"
		   "cat " SWITCH "hist\n",
		   "{ next_pid: 7 } hitcount: 1 | 1 1 0 { next_pid: 7 } hitcount: 1 | 1 1 0 "
		   "{ next_pid: 7 } hitcount: 1 | 1 1 0",
		   "note 4: a trigger was added after the replay: replaying from the start");
}

/* A line rejected after the replay has no effect. */
static void test_refused_after(void **state)
{
	(void)state;
	run_script(&(struct run){ .inputs = { "one.dat" },
				  .how = { .keep_going = true },
				  .want = -HIST_EREJECTED },
		   "echo hist:keys=next_pid > " SWITCH "trigger\n"
		   "cat " SWITCH "hist\n"
		   "echo hist:keys=nix >> " SWITCH "trigger\n"
		   "cat " SWITCH "hist\n",
		   "{ next_pid: 7 } hitcount: 1 | 1 1 0 { next_pid: 7 } hitcount: 1 | 1 1 0",
		   "error 3: Couldn't find field; note 3: " SWITCH_HAS);
}

/* Counts are those after the replay. */
static void test_counts(void **state)
{
	(void)state;
	run_script(&one,
		   "echo 'stacktrace:5' > " WAKING "trigger\n"
		   "cat " WAKING "trigger",
		   "stacktrace:count=2", "");
}

/* --- rejected lines --- */

static const struct run rejected = { .inputs = { "one.dat" }, .want = -HIST_EREJECTED };
static const struct run keep_going = { .inputs = { "one.dat" },
				       .how = { .keep_going = true },
				       .want = -HIST_EREJECTED };

/* The first bad line ends the run, and nothing is printed, not even earlier output. */
static void test_rejected(void **state)
{
	static const char script[] = "echo hist:keys=pid:sort=pid > " WAKING "trigger\n"
				     "cat " WAKING "hist\n"
				     "echo hist:keys=nix > " SWITCH "trigger\n"
				     "echo hist:keys=nax > " SWITCH "trigger\n";

	(void)state;
	run_script(&rejected, script, "", "error 3: Couldn't find field; note 3: " SWITCH_HAS);
	run_script(&keep_going, script, "{ pid: 7 } hitcount: 2 { pid: 8 } hitcount: 1 | 3 2 0",
		   "error 3: Couldn't find field; note 3: " SWITCH_HAS
		   "; error 4: Couldn't find field; note 4: " SWITCH_HAS);
}

static const char *const wrong[][2] = {
	{ "echo 1 > nosuchfile", "error 1: nosuchfile: No such file or directory" },
	{ "cat nosuchfile", "error 1: nosuchfile: No such file or directory" },
	{ "cat events/sched/sched_waking/nosuchfile",
	  "error 1: events/sched/sched_waking/nosuchfile: No such file or directory" },
	{ "cat events/sched/sched_waling/hist",
	  "error 1: the recording has no format for event sched:sched_waling; nearest: sched:sched_waking, sched:sched_wakeup" },
	{ "echo hist:keys=pid > events/sched/sched_waling/trigger",
	  "error 1: the recording has no format for event sched:sched_waling; nearest: sched:sched_waking, sched:sched_wakeup" },
	{ "echo x > events/sched/sched_waking/hist",
	  "error 1: events/sched/sched_waking/hist can only be read: Permission denied" },
	{ "cat instances/foo/trace_clock",
	  "error 1: the recording has no buffer for an instance foo" },
	{ "echo 2 > events/sched/sched_waking/enable",
	  "error 1: enable takes 0 or 1: Invalid argument" },
	{ "cat events/ftrace/print/enable",
	  "error 1: events/ftrace/print/enable: No such file or directory" },
	{ "echo nosuch > trace_clock", "error 1: unknown clock: Invalid argument" },
};

static void test_wrong_paths(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		run_script(&rejected, wrong[i][0], "", wrong[i][1]);
}

/* Opens one.dat and parses @text; closed by the caller. */
static struct hist *open_script(const char *text, const char *kernel, struct hist_script **script,
				struct diags *diags)
{
	const char *path = recording_path("one.dat");
	struct hist *h = NULL;

	*script = hist_script_new();
	assert_non_null(*script);
	assert_int_equal(hist_open(&(struct hist_options){ .inputs = &path,
							   .n_inputs = 1,
							   .kernel = kernel ?: "6.12" },
				   &h, diags),
			 0);
	assert_int_equal(hist_script_parse(*script, "t", text, strlen(text), diags), 0);
	return h;
}

/* The same by the new function and by the options of version 0.2. */
static void check_script(const char *text, bool every, int want, const char *want_said)
{
	const struct run run = { .inputs = { "one.dat" },
				 .options = { .kernel = "6.12" },
				 .how = { .check_only = true, .keep_going = every },
				 .want = want };
	struct diags *diags = hist_diags_new();
	struct strbuf said = STRBUF_INIT;
	struct hist_script *script;
	struct hist *h = open_script(text, NULL, &script, diags);

	assert_int_equal(hist_script_check(h, script, every, diags), want);
	add_diags(&said, diags);
	assert_string_equal(said.s ?: "", want_said);
	run_script(&run, text, "", want_said);
	strbuf_release(&said);
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
}

static void test_check(void **state)
{
	(void)state;
	check_script("echo hist:keys=pid > " WAKING "trigger\ncat " WAKING "hist", false, 0, "");
	check_script("echo hist:keys=nix > " WAKING "trigger\necho hist:keys=nie > " WAKING
		     "trigger",
		     false, -HIST_EREJECTED, "error 1: Couldn't find field; note 1: " WAKING_HAS);
	check_script("echo hist:keys=nix > " WAKING "trigger\necho hist:keys=nie > " WAKING
		     "trigger",
		     true, -HIST_EREJECTED,
		     "error 1: Couldn't find field; note 1: " WAKING_HAS
		     "; error 2: Couldn't find field; note 2: " WAKING_HAS);
	check_script("cat " WAKING "nix", false, -HIST_EREJECTED,
		     "error 1: " WAKING "nix: No such file or directory; nearest: id");
	check_script("table sched:sched_waking by nix", false, -HIST_EREJECTED,
		     "error 1: Couldn't find field; note 1: " WAKING_HAS);
}

static int add_need(void *arg, enum hist_need need, const char *name)
{
	if (need == HIST_NEED_BYTES || need == HIST_NEED_OPTION)
		strncat(arg, name, 99);
	return 0;
}

static int stop_at_need(void *arg, enum hist_need need, const char *name)
{
	(void)arg, (void)need, (void)name;
	return -HIST_EIO;
}

static void needs_are(const char *text, const char *kernel, const char *want)
{
	struct diags *diags = hist_diags_new();
	struct hist_script *script;
	struct hist *h = open_script(text, kernel, &script, diags);
	char needs[100] = "";

	assert_int_equal(hist_script_needs(h, script, add_need, needs, diags), 0);
	assert_string_equal(needs, want);
	if (*want)
		assert_int_equal(hist_script_needs(h, script, stop_at_need, NULL, diags),
				 -HIST_EIO);
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
}

/* Stacks of options; they were on, although the script ends without. */
static void test_needs_options(void **state)
{
	(void)state;
	needs_are("echo 1 > options/sym-offset", NULL, "");
	needs_are("echo 1 > options/userstacktrace", NULL, "userstacktrace");
	needs_are("echo stacktrace > trace_options\necho 0 > options/stacktrace", NULL,
		  "stacktrace");
	/* what a script shows is another matter */
	needs_are("echo 1 > options/stacktrace\ncat events/no/such/hist", NULL, "stacktrace");
}

/* A string of a synthetic event as a key, since 6.16. */
static void test_needs_bytes(void **state)
{
	static const struct {
		const char *kernel, *key, *needs;
	} cases[] = { { "6.12", "comm", "" },
		      { "6.16", "prio", "" },
		      { "6.16", "comm", "synthetic:woken" },
		      { "7.3", "prio,comm", "synthetic:woken" } };
	char script[400];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(script, sizeof(script),
			 "echo 'woken char comm[16]; int prio' > synthetic_events\n"
			 "echo hist:keys=%s > events/synthetic/woken/trigger",
			 cases[i].key);
		needs_are(script, cases[i].kernel, cases[i].needs);
	}
}

/* --- error_log, clocks, other files --- */

static void test_error_log(void **state)
{
	(void)state;
	run_script(
		&keep_going,
		"echo hist:keys=nix > " WAKING
		"trigger\ncat error_log\necho > error_log\ncat error_log",
		"[ 0.000001] hist:sched:sched_waking: error: Couldn't find field Command: hist:keys=nix ^",
		"error 1: Couldn't find field; note 1: " WAKING_HAS);
}

static void test_clock(void **state)
{
	(void)state;
	run_script(&one, "echo mono > trace_clock\ncat trace_clock", "[mono]",
		   "warning 1: the recording's clock is local: times are not converted to mono");
	run_script(&one, "echo local > trace_clock\n", "", NOTHING);
}

static void test_available_events(void **state)
{
	(void)state;
	run_script(
		&one, "cat available_events",
		"synthetic:lat sched:sched_waking sched:sched_switch test:all raw_syscalls:sys_enter "
		"sched:sched_wakeup",
		"");
}

/* Text of trace_marker does not include the newline that the kernel appended. */
static void test_marker(void **state)
{
	(void)state;
	run_script(&one,
		   "echo 'hist:keys=common_pid if buf == \"start\"' > events/ftrace/print/trigger",
		   "{ common_pid: 0 } hitcount: 1 | 1 1 0", "");
}

/* A trigger on an event without records prints nothing: there is a note. */
static void test_no_records(void **state)
{
	const struct run doubtful = { .inputs = { "one.dat" }, .doubtful = true };

	(void)state;
	run_script(
		&doubtful, "echo hist:keys=id > events/raw_syscalls/sys_enter/trigger", "| 0 0 0",
		"warning: no raw_syscalls:sys_enter event is in the recording, but the event has a trigger");
}

static void test_drops(void **state)
{
	static struct event_line many[200];
	static char fields[200][32];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(fields[i], sizeof(fields[i]), "pid=%d @ts=%d", i / 2 * 2, 1000 + i);
		many[i] = (struct event_line){ .event = "sched:sched_waking", .fields = fields[i] };
	}
	recording_write("many.dat", &(struct recording_of){ .lines = many, .n = 200 });
	for (int i = 0; i < 200; i++)
		snprintf(fields[i], sizeof(fields[i]), "pid=%d @ts=%d", i, 1000 + i);
	recording_write("more.dat", &(struct recording_of){ .lines = many, .n = 200 });
	run_script(&(struct run){ .inputs = { "many.dat" } },
		   "echo hist:keys=common_cpu:vals=pid:size=128 > " WAKING "trigger",
		   "{ common_cpu: 0 } hitcount: 200 pid: 19800 | 200 1 0", "");
	run_script(
		&(struct run){ .inputs = { "more.dat" }, .doubtful = true },
		"echo 'hist:keys=pid:size=128 if pid >= 0' > " WAKING
		"trigger\ncat trace_clock\ncat " WAKING "trigger",
		"[local] hist:keys=pid:vals=hitcount:sort=hitcount:size=128 if pid >= 0 [active]",
		"warning 3: sched:sched_waking: 72 hits were dropped because the histogram is full, as in the "
		"kernel; --unlimited lifts the limit, size= in a trigger raises it to 131072 at most");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cat),           TEST(test_cat_as_of_its_line),
		TEST(test_paused),        TEST(test_default),
		TEST(test_changes_after), TEST(test_adding_after),
		TEST(test_refused_after), TEST(test_counts),
		TEST(test_rejected),      TEST(test_wrong_paths),
		TEST(test_check),         TEST(test_error_log),
		TEST(test_clock),         TEST(test_available_events),
		TEST(test_marker),        TEST(test_no_records),
		TEST(test_drops),         TEST(test_needs_bytes),
		TEST(test_needs_options),
	};

	return cmocka_run_group_tests(tests, make_recordings, recording_remove_dir);
}
