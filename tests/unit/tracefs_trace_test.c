// SPDX-License-Identifier: LGPL-2.1-only
/* trace and snapshot: their records, the format of a line, and the files that control both. */
#include "replay_recording.h"

static const struct event_line lines[] = {
	{ .event = "sched:sched_waking", .fields = "common_pid=3 pid=7 prio=1 comm=a @ts=1000500" },
	{ .event = "sched:sched_waking", .fields = "common_pid=4 pid=8 prio=2 comm=b @ts=2000000" },
	{ .event = "sched:sched_switch",
	  .fields = "common_pid=4 next_pid=7 @ts=3000000",
	  .cpu = 1 },
	{ .event = "sched:sched_waking", .fields = "common_pid=3 pid=7 prio=3 comm=a @ts=4000000" },
	{ .event = "ftrace:print", .fields = "common_pid=3 buf=start\n @ts=5000000" },
	{ .event = "sched:sched_switch",
	  .fields = "common_pid=4 next_pid=8 @ts=6000000",
	  .cpu = 1 },
};

#define WAKING "events/sched/sched_waking/"
#define SWITCH "events/sched/sched_switch/"
#define PRINT  "events/ftrace/print/"

/* The expected line of each record. */
#define W1   "<...>-3 [000] ..... 0.001001: sched_waking: comm=a"
#define W2   "<...>-4 [000] ..... 0.002000: sched_waking: comm=b"
#define W3   "<...>-3 [000] ..... 0.004000: sched_waking: comm=a"
#define S1   "<...>-4 [001] ..... 0.003000: sched_switch: prev_comm="
#define S2   "<...>-4 [001] ..... 0.006000: sched_switch: prev_comm="
#define MARK "<...>-3 [000] ..... 0.005000: 0: start"

static const struct run one = { .inputs = { "one.dat" } };

static int make_recordings(void **state)
{
	if (recording_make_dir(state))
		return -1;
	recording_write("one.dat",
			&(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
	return 0;
}

#define ENABLE "echo 1 > events/sched/enable\n"

static void test_enabled(void **state)
{
	(void)state;
	run_script(&one, "cat trace", MARK, "");
	run_script(&one, "echo 1 > " WAKING "enable\ncat trace", W1 " " W2 " " W3 " " MARK, "");
	run_script(&one, ENABLE "cat trace", W1 " " W2 " " S1 " " W3 " " MARK " " S2, "");
	run_script(&one, "echo '*:*' > set_event\necho '!sched_waking' >> set_event\ncat trace",
		   S1 " " MARK " " S2, "");
	run_script(&one, ENABLE "echo 0 > options/markers\ncat trace",
		   W1 " " W2 " " S1 " " W3 " " S2, "");
	run_script(&one, ENABLE "cat per_cpu/cpu1/trace", S1 " " S2, "");
}

static void test_limited(void **state)
{
	(void)state;
	run_script(&one, ENABLE "echo 'pid == 8' > " WAKING "filter\ncat trace",
		   W2 " " S1 " " MARK " " S2, "");
	run_script(&one, ENABLE "echo 0 > tracing_on\ncat trace tracing_on", "0", "");
	run_script(&one, ENABLE "echo 3 > set_event_pid\ncat trace", W1 " " W3 " " MARK, "");
	/* a wakeup belongs to the woken task, a switch to both */
	run_script(&one, ENABLE "echo 7 > set_event_pid\ncat trace", W1 " " S1 " " W3 " " MARK, "");
	run_script(
		&one, ENABLE "echo 'prio > 1' > events/sched/filter\ncat trace",
		W2 " " S1 " " W3 " " MARK " " S2,
		"warning 2: 1 of the 3 events of sched do not accept this filter and now have none");
}

static void test_triggers(void **state)
{
	(void)state;
	run_script(&one,
		   ENABLE "echo 'traceoff if pid == 8' > " WAKING "trigger\ncat trace tracing_on",
		   W1 " " W2 " 0", "");
	run_script(&one,
		   "echo 'enable_event:sched:sched_switch if pid == 7' > " WAKING "trigger\n"
		   "echo 'disable_event:sched:sched_switch' > " PRINT "trigger\n"
		   "cat trace " SWITCH "enable",
		   S1 " " MARK " 0*", "");
	/* events while tracing is off are not recorded, as in the kernel */
	run_script(&one,
		   "echo 'traceoff if pid == 8' > " WAKING "trigger\n"
		   "echo hist:keys=common_pid > " PRINT "trigger\ncat " PRINT "hist",
		   "| 0 0 0", "");
}

static void test_snapshot(void **state)
{
	(void)state;
	run_script(&one,
		   ENABLE "echo 'snapshot if pid == 8' > " WAKING "trigger\ncat trace snapshot",
		   S1 " " W3 " " MARK " " S2 " " W1 " " W2, "");
	run_script(&one,
		   ENABLE "echo 'hist:keys=pid:p=prio:onmax($p).snapshot()' > " WAKING
			  "trigger\ncat snapshot",
		   W1 " " S1 " " W3, "");
	/* after the recording these take effect immediately */
	run_script(&one, "cat trace\necho 1 > snapshot\ncat trace snapshot", MARK " " MARK, "");
	run_script(&one, "cat trace\necho > trace\ncat trace", MARK, "");
	run_script(&one, "echo 1 > snapshot\necho 2 > per_cpu/cpu0/snapshot\ncat snapshot", "", "");
}

static void test_stack(void **state)
{
	static const u64 stack[] = { 0x10, 0x20, 0 };
	static const struct event_line with[] = {
		{ .event = "sched:sched_waking", .fields = "pid=7 @ts=1000000" },
		{ .event = "stack", .fields = "@ts=1000010", .stack = stack },
	};

	(void)state;
	recording_write("stack.dat",
			&(struct recording_of){ .lines = with, .n = ARRAY_SIZE(with) });
	run_script(&(struct run){ .inputs = { "stack.dat" } },
		   "echo stacktrace > " WAKING "trigger\ncat trace",
		   "<idle>-0 [000] ..... 0.001000: <stack trace> => 0x00000010 => 0x00000020", "");
}

/* After the record that generated it, with its time; preempt-depth is that of the kernel. */
static void test_synthetic(void **state)
{
	(void)state;
	run_script(&one,
		   "echo 'ev int x; char n[16]; s32 y; char d[]' > synthetic_events\n"
		   "echo 1 > events/synthetic/ev/enable\n"
		   "echo 'hist:keys=pid:y=prio-3:onmatch(sched.sched_waking)"
		   ".ev(prio,comm,$y,comm) if prio < 3' > " WAKING "trigger\ncat trace",
		   "<...>-3 [000] ...3. 0.001001: ev: x=1 n=a y=-2 d=a "
		   "<...>-4 [000] ...3. 0.002000: ev: x=2 n=b y=-1 d=b " MARK,
		   "");
}

/* An event probe that was not recorded is made from the records of its event. */
static void test_made_eprobe(void **state)
{
	static const char define[] =
		"echo 'e:g/new sched.sched_waking q=$prio:u8 b=$prio:b1@1/8 c=$comm:string n=$pid:s16 m=+0($pid) "
		"if prio < 3' > dynamic_events\n";
	static const char warning[] =
		"warning 1: argument m needs memory of the machine, which is not recorded: it is 0";
	char script[512];

	(void)state;
	snprintf(script, sizeof(script),
		 "%secho 1 > events/g/new/enable\ncat " WAKING "enable\ncat trace", define);
	run_script(
		&one, script,
		"0* <...>-3 [000] ...1. 0.001001: new: (sched.sched_waking) q=1 b=0 c=\"a\" n=7 m=0x0 "
		"<...>-4 [000] ...1. 0.002000: new: (sched.sched_waking) q=2 b=1 c=\"b\" n=8 m=0x0 " MARK,
		warning);
	snprintf(script, sizeof(script),
		 "%secho 'hist:keys=c,q,b:vals=n,m if q == 2' > events/g/new/trigger\n"
		 "cat events/g/new/hist",
		 define);
	run_script(&one, script, "{ c: b , q: 2, b: 1 } hitcount: 1 n: 8 m: 0 | 1 1 0", warning);
}

/* Only the line that defines it contains the event that it is attached to. */
static void test_eprobe(void **state)
{
	static const struct event_line line = { .event = "eprobes:ep",
						.fields = "next=26 @ts=1000000" };
	static const struct run run = { .inputs = { "eprobe.dat" } };

	(void)state;
	recording_write("eprobe.dat",
			&(struct recording_of){ .lines = &line, .n = 1, .more = true });
	run_script(&run,
		   "echo 'e:ep sched/sched_switch next=$next_pid' > dynamic_events\n"
		   "cat dynamic_events\necho 1 > events/eprobes/enable\ncat trace",
		   "e:eprobes/ep sched.sched_switch next=$next_pid "
		   "<idle>-0 [000] ..... 0.001000: ep: (sched.sched_switch) next=0x1a",
		   "");
	run_script(
		&run, "echo 1 > events/eprobes/enable\ncat trace",
		"<idle>-0 [000] ..... 0.001000: ep: (?) next=0x1a",
		"note 2: 1 lines of event probes, such as ep, show (?) for the attached event: only the line that defined the probe names it, so write that line to dynamic_events first");
}

/* kernel: NULL and error values are printed unchanged, other pointers as a hash unless disabled */
static void test_pointers(void **state)
{
	static const struct event_line in[] = {
		{ .event = "test:pointer", .fields = "to=0 @ts=1000000" },
		{ .event = "test:pointer", .fields = "to=18446744073709551604 @ts=2000000" },
		{ .event = "test:pointer", .fields = "to=18446744071562067968 @ts=3000000" },
	};
	static const struct run run = { .inputs = { "pointer.dat" } };
#define P1 "<idle>-0 [000] ..... 0.001000: pointer: to=0000000000000000"
#define P2 "<idle>-0 [000] ..... 0.002000: pointer: to=fffffffffffffff4"
#define P3 "<idle>-0 [000] ..... 0.003000: pointer: to=ffffffff80000000"

	(void)state;
	recording_write("pointer.dat", &(struct recording_of){ .lines = in, .n = 2, .more = true });
	run_script(&run, "echo 1 > events/test/pointer/enable\ncat trace", P1 " " P2, "");
	recording_write("pointer.dat", &(struct recording_of){ .lines = in, .n = 3, .more = true });
	run_script(
		&run, "echo 1 > events/test/pointer/enable\ncat trace", P1 " " P2 " " P3,
		"note 2: 1 pointers (%p) are shown as recorded; the kernel shows a hash that only it can compute, unless echo 0 > options/hash-ptr");
	run_script(&run,
		   "echo 1 > events/test/pointer/enable\necho 0 > options/hash-ptr\ncat trace",
		   P1 " " P2 " " P3, "");
}

/* A record of trace_puts() contains the address of its text; only the first one's is known. */
static void test_puts(void **state)
{
	const struct event_line in[] = {
		{ .event = "ftrace:bputs",
		  .fields = "ip=0xffffffff81000010 str=0x1000 @ts=1000000" },
		{ .event = "ftrace:bputs",
		  .fields = "ip=0xffffffff81000010 str=0x2000 @ts=2000000" },
	};
	static const struct run puts_of = { .inputs = { "puts.dat" } };

	(void)state;
	recording_write("puts.dat", &(struct recording_of){ .lines = in, .n = 2, .more = true });
	run_script(
		&puts_of, "cat trace",
		"<idle>-0 [000] ..... 0.001000: _text: once <idle>-0 [000] ..... 0.002000: _text:",
		"");
}

static void test_sizes(void **state)
{
	(void)state;
	run_script(&one, "cat buffer_size_kb buffer_total_size_kb",
		   "7 (expanded: 1408) 28 (expanded: 5632)", "");
	run_script(&one, "echo 8 > buffer_size_kb\ncat buffer_size_kb buffer_total_size_kb",
		   "11 44", "");
	run_script(&one,
		   "echo 16 > buffer_subbuf_size_kb\necho 32 > buffer_size_kb\n"
		   "cat buffer_size_kb buffer_subbuf_size_kb",
		   "47 16", "");
	run_script(&one, "echo 100 > per_cpu/cpu1/buffer_size_kb\ncat buffer_size_kb", "X", "");
	run_script(&one, "echo 1 > events/sched/enable\ncat buffer_size_kb", "1410", "");
}

#define W2_ONLY \
	"echo 1 > " WAKING "enable\necho 'pid == 8' > " WAKING "filter\necho 0 > options/markers\n"

static void test_layouts(void **state)
{
	static const struct {
		const char *options, *want;
	} tests[] = {
		{ "echo 0 > options/irq-info\n", "<...>-4 [000] 0.002000: sched_waking: comm=b" },
		{ "echo nocontext-info > trace_options\n", "sched_waking: comm=b" },
		{ "echo 1 > options/latency-format\n",
		  "<...>-4 0..... 0us : sched_waking: comm=b" },
		{ "echo 1 > options/latency-format\necho verbose > trace_options\n",
		  "<...> 4 0 0 00000000 00000000 [000007d0] 0.000ms (+0.000ms): sched_waking: comm=b" },
		{ "echo 1 > options/fields\n",
		  "<...>-4 [000] ..... 0.002000: sched_waking: comm=b pid=0x8 (8) prio=0x2 (2) "
		  "target_cpu=0x0 (0)" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		char script[512];

		snprintf(script, sizeof(script), W2_ONLY "%scat trace", tests[i].options);
		run_script(&one, script, tests[i].want, "");
	}
}

/* The time until the next record is rounded to microseconds before it gets a mark. */
static void test_delay_mark(void **state)
{
	const struct event_line in[] = {
		{ .event = "sched:sched_waking", .fields = "@ts=1000000" },
		{ .event = "sched:sched_waking", .fields = "@ts=1010499" },
		{ .event = "sched:sched_waking", .fields = "@ts=1020999" },
	};
	static const struct run run = { .inputs = { "marks.dat" } };

	(void)state;
	recording_write("marks.dat", &(struct recording_of){ .lines = in, .n = ARRAY_SIZE(in) });
	run_script(&run, "echo 1 > events/sched/enable\necho 1 > options/latency-format\ncat trace",
		   "<idle>-0 0..... 0us : sched_waking: comm= "
		   "<idle>-0 0..... 10us+: sched_waking: comm= "
		   "<idle>-0 0..... 21us : sched_waking: comm=",
		   "");
}

static void test_instance(void **state)
{
	static const struct event_line in[] = {
		{ .event = "sched:sched_waking", .fields = "pid=7 @ts=1000000", .buffer = "foo" },
		{ .event = "sched:sched_waking", .fields = "pid=8 @ts=2000000" },
	};
	static const struct run run = { .inputs = { "foo.dat" } };

	(void)state;
	recording_write("foo.dat", &(struct recording_of){ .lines = in, .n = ARRAY_SIZE(in) });
	run_script(&run,
		   "echo 1 > instances/foo/events/sched/enable\ncat instances/foo/trace trace "
		   "instances/foo/buffer_size_kb buffer_size_kb",
		   "<idle>-0 [000] ..... 0.001000: sched_waking: comm= 1410 7 (expanded: 1408)",
		   "note: other buffers also contain events: foo (choose with -B)");
}

/* A CPU whose first record is late is annotated if records were overwritten. */
static void test_annotate(void **state)
{
	static struct event_line many[402];
	static const struct run run = { .inputs = { "many.dat" } };
	static char fields[ARRAY_SIZE(many)][32];
	struct strbuf out = STRBUF_INIT, said = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(many); i++) {
		snprintf(fields[i], sizeof(fields[i]), "pid=%zu @ts=%zu", i, 1000000 + 1000 * i);
		many[i] = (struct event_line){ .event = "sched:sched_waking",
					       .fields = fields[i],
					       .cpu = i >= 400 };
	}
	recording_write("many.dat", &(struct recording_of){ .lines = many, .n = ARRAY_SIZE(many) });
	assert_int_equal(run_text(&run,
				  "echo 1 > " WAKING "enable\necho 8 > buffer_size_kb\ncat trace",
				  &out, &said),
			 0);
	assert_non_null(strstr(out.s, "##### CPU 1 buffer started ####\n"));
	strbuf_reset(&out);
	assert_int_equal(run_text(&run,
				  "echo 1 > " WAKING "enable\necho 8 > buffer_size_kb\n"
				  "echo 0 > options/overwrite\ncat trace per_cpu/cpu0/stats",
				  &out, &said),
			 0);
	assert_null(strstr(out.s, "#####"));
	assert_null(strstr(out.s, "dropped events: 0\n"));
	strbuf_release(&out);
	strbuf_release(&said);
}

static void test_lists(void **state)
{
	(void)state;
	run_script(&one, "echo traceon >> events/ftrace/print/trigger\ncat set_event",
		   "ftrace:print", "");
	run_script(&one,
		   "cat events/enable events/sched/enable\necho sched_switch > set_event\n"
		   "cat set_event events/enable events/sched/enable events/test/enable " SWITCH
		   "enable\necho '9 2 9' > set_event_pid\ncat set_event_pid",
		   "0 0 sched:sched_switch X X 0 1 2 9", "");
}

/* A program that replays before it reads trace gets the trace nevertheless, without a message. */
static void test_asked_late(void **state)
{
	const char *path = recording_path("one.dat");
	const struct hist_options options = { .inputs = &path, .n_inputs = 1 };
	struct diags *diags = hist_diags_new();
	struct strbuf out = STRBUF_INIT;
	struct hist *h;
	char *got;

	(void)state;
	assert_int_equal(hist_open(&options, &h, diags), 0);
	assert_int_equal(hist_write(h, WAKING "enable", "1", 1, HIST_TRUNCATE, diags), 0);
	assert_int_equal(hist_replay(h, diags), 0);
	assert_int_equal(hist_read(h, "trace", add_to_strbuf, &out, diags), 0);
	assert_int_equal(hist_diags_count(diags), 0);
	got = short_output(out.s);
	assert_string_equal(got, W1 " " W2 " " W3 " " MARK);
	free(got);
	strbuf_release(&out);
	hist_close(h);
	hist_diags_free(diags);
}

/* kernel: since 7.0 these files list the filters and triggers of all events, in the order of events
 */
static void test_show_events(void **state)
{
	static const struct run old = { .inputs = { "one.dat" },
					.options = { .kernel = "6.19" },
					.want = -HIST_EREJECTED };
	static const struct run new = { .inputs = { "one.dat" }, .options = { .kernel = "7.0" } };

	(void)state;
	run_script(&new,
		   "echo 'prio < 3' > " WAKING "filter\n"
		   "echo 'hist:keys=pid if prio < 4' > " WAKING "trigger\n"
		   "echo stacktrace:5 >> " WAKING "trigger\n"
		   "cat show_event_filters show_event_triggers",
		   "sched:sched_waking prio < 3 sched:sched_waking stacktrace:count=2 "
		   "sched:sched_waking hist:keys=pid:vals=hitcount:sort=hitcount:size=2048 "
		   "if prio < 4 [active]",
		   "");
	/* an event without them is not listed */
	run_script(&new, "echo 1 > " WAKING "enable\ncat show_event_filters show_event_triggers",
		   "", "");
	run_script(&old, "cat show_event_filters", "",
		   "error 1: show_event_filters: No such file or directory");
	run_script(&old, "cat show_event_triggers", "",
		   "error 1: show_event_triggers: No such file or directory");
}

/* kernel: since 6.14 the filter includes modules, also those loaded later */
static void test_modules(void **state)
{
	static const struct run old = { .inputs = { "one.dat" }, .want = -HIST_EREJECTED };
	static const struct run new = { .inputs = { "one.dat" }, .options = { .kernel = "6.16" } };

	(void)state;
	run_script(&new, "echo :mod:xfs > set_event\ncat set_event", "*:*:mod:xfs",
		   "note 1: no module xfs was loaded when this was recorded");
	run_script(&new,
		   "echo sys:*:mod:a-b :e:mod:a > set_event\necho x:mod:a y:mod:a >> set_event\n"
		   "echo '!y:mod:a' >> set_event\ncat set_event",
		   "x:mod:a *:e:mod:a sys:*:mod:a_b",
		   "note 1: no module a_b was loaded when this was recorded; "
		   "note 1: no module a was loaded when this was recorded; "
		   "note 2: no module a was loaded when this was recorded; "
		   "note 2: no module a was loaded when this was recorded");
	run_script(
		&old, "echo :mod:xfs > set_event", "",
		"error 1: no event has the name :mod:xfs (:mod: needs Linux 6.14 or newer; see --kernel): Invalid argument");
}

/* What the kernel's kstrtoul() with base 10 makes of the text, and its answer to what it refuses.
 */
static void test_numbers(void **state)
{
	static const struct {
		const char *text, *said; /* NULL: accepted */
	} tests[] = {
		{ "01", NULL },
		{ "+1", NULL },
		{ "-n 1", NULL },
		{ "0000000000000000000000000000000000000000000000000000000000000001", NULL },
		{ "' 1'", "Invalid argument" },
		{ "'1 '", "Invalid argument" },
		{ "'1\t'", "Invalid argument" },
		{ "0x1", "Invalid argument" },
		{ "1k", "Invalid argument" },
		{ "-1", "Invalid argument" },
		{ "++1", "Invalid argument" },
		{ "+", "Invalid argument" },
		{ "''", "Invalid argument" },
		{ "1,2", "Invalid argument" },
		{ "18446744073709551616", "Numerical result out of range" },
		{ "18446744073709551616x", "Numerical result out of range" },
	};
	static const struct {
		const char *path, *wants;
	} files[] = {
		{ "buffer_size_kb", "the size must be a number of KB greater than 0" },
		{ "per_cpu/cpu0/buffer_size_kb", "the size must be a number of KB greater than 0" },
		{ "buffer_subbuf_size_kb", "a sub-buffer has 1 to 512 KB" },
		{ "snapshot", "snapshot takes 0, 1 or 2" },
		{ "tracing_on", "tracing_on takes 0 or 1" },
		{ "options/overwrite", "an option takes 0 or 1" },
		{ "events/enable", "enable takes 0 or 1" },
		{ "events/sched/enable", "enable takes 0 or 1" },
		{ "events/sched/sched_waking/enable", "enable takes 0 or 1" },
	};
	char script[160], said[160];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tests) * ARRAY_SIZE(files); i++) {
		size_t t = i % ARRAY_SIZE(tests), f = i / ARRAY_SIZE(tests);
		const struct run r = { .inputs = { "one.dat" },
				       .want = tests[t].said ? -HIST_EREJECTED : 0 };

		snprintf(script, sizeof(script), "echo %s > %s\ncat timestamp_mode", tests[t].text,
			 files[f].path);
		snprintf(said, sizeof(said), "error 1: %s: %s", files[f].wants,
			 tests[t].said ? tests[t].said : "");
		run_script(&r, script, tests[t].said ? "" : "[delta] absolute",
			   tests[t].said ? said : "");
	}
}

static void test_refused(void **state)
{
	static const struct run refused = { .inputs = { "one.dat" }, .want = -HIST_EREJECTED };
	static const struct {
		const char *script, *said;
	} tests[] = {
		{ "echo 2 > events/enable", "error 1: enable takes 0 or 1: Invalid argument" },
		{ "echo 0 > buffer_size_kb",
		  "error 1: the size must be a number of KB greater than 0: Invalid argument" },
		{ "echo 0 > buffer_subbuf_size_kb",
		  "error 1: a sub-buffer has 1 to 512 KB: Invalid argument" },
		{ "echo 1 > per_cpu/cpu0/snapshot",
		  "error 1: the snapshot of one CPU can only be emptied, with 2: Invalid argument" },
		{ "echo 1 > per_cpu/cpu9/trace",
		  "error 1: per_cpu/cpu9/trace: No such file or directory" },
		{ "echo 1 > events/ftrace/enable",
		  "error 1: events/ftrace/enable: No such file or directory" },
		{ "echo 1 > options/nosuch", "error 1: options/nosuch: No such file or directory" },
		{ "echo x > set_event_pid", "error 1: x is not a pid: Invalid argument" },
		{ "echo nosuch > set_event",
		  "error 1: no event has the name nosuch: Invalid argument" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		run_script(&refused, tests[i].script, "", tests[i].said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_enabled),    TEST(test_limited),  TEST(test_triggers),
		TEST(test_snapshot),   TEST(test_stack),    TEST(test_synthetic),
		TEST(test_sizes),      TEST(test_lists),    TEST(test_layouts),
		TEST(test_delay_mark), TEST(test_instance), TEST(test_annotate),
		TEST(test_refused),    TEST(test_numbers),  TEST(test_modules),
		TEST(test_asked_late), TEST(test_eprobe),   TEST(test_made_eprobe),
		TEST(test_pointers),   TEST(test_puts),     TEST(test_show_events),
	};

	return cmocka_run_group_tests(tests, make_recordings, recording_remove_dir);
}
