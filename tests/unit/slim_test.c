// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A smaller recording has the same output as the original: random records with tasks that are
 * renamed, stacks, lost events and interrupts, with random scripts that pause, count and switch.
 * SLIM_TEST_ROUNDS=N sets the number of rounds.
 */
#include <stdlib.h>

#include "random.h"
#include "replay_recording.h"

#include "hist-save.h"

enum { N_LINES = 600, N_SCRIPTS = 12, N_ROUNDS = 6, N_PIDS = 6 };

/* --- records --- */

static u32 name_of[N_PIDS]; /* the current name of each task */

static const char *comm(u32 pid)
{
	static const char *const names[] = { "init", "bash", "kworker/0:1", "cc1",
					     "0123456789abcde" };

	if (!pid)
		return "swapper";
	if (!random_below(12))
		name_of[pid] = random_below(ARRAY_SIZE(names));
	return names[name_of[pid]];
}

static char *random_fields(const char *event, u64 ts)
{
	static const char *const marks[] = { "START", "STOP", "else", "else", "else" };
	u32 pid = random_below(N_PIDS), other = random_below(N_PIDS);
	struct strbuf s = STRBUF_INIT;

	if (!strcmp(event, "sched:sched_switch"))
		strbuf_addf(&s, "prev_comm=%s prev_pid=%u prev_state=%u next_comm=%s next_pid=%u",
			    comm(pid), pid, random_below(2), comm(other), other);
	else if (!strcmp(event, "sched:sched_waking"))
		strbuf_addf(&s, "comm=%s pid=%u prio=%u", comm(other), other, random_below(3));
	else if (!strcmp(event, "sched:sched_wakeup"))
		strbuf_addf(&s, "comm=%s pid=%u prio=%u", ONE_OF(marks), 1000 + random_below(2),
			    random_below(3));
	else
		strbuf_addf(&s, "id=%lld",
			    random_below(2) ? (long long)random_below(4)
					    : -2130702336LL + random_below(4) * 256LL);
	strbuf_addf(&s, " common_pid=%u @ts=%llu", pid, (unsigned long long)ts);
	return s.s;
}

static void write_recording(void)
{
	static const char *const events[] = { "sched:sched_switch",     "sched:sched_switch",
					      "sched:sched_waking",     "sched:sched_wakeup",
					      "raw_syscalls:sys_enter", "raw_syscalls:sys_enter" };
	static const u64 stack[] = { 1, 2, 0xffffffff81001010, 0xffffffffc0000020, 0 };
	struct event_line *lines = calloc(2 * N_LINES, sizeof(*lines));
	u64 ts = 1000;
	size_t n = 0;

	assert_non_null(lines);
	for (int i = 0; i < N_LINES; i++) {
		struct event_line *line = &lines[n++];
		const char *event = ONE_OF(events);

		ts += random_below(4) ? random_below(1000) : random_below(300000000);
		*line = (struct event_line){ .event = event,
					     .cpu = random_below(MAX_CPUS),
					     .fields = random_fields(event, ts) };
		if (!random_below(3)) {
			lines[n] = *line;
			lines[n].event = "stack";
			lines[n].stack = stack;
			lines[n++].fields = strchr(strstr(line->fields, "common_pid"), 'c');
		}
		if (!random_below(40))
			lines[n++] = (struct event_line){ .event = "",
							  .cpu = line->cpu,
							  .lost = random_below(3) ? 5 : -1 };
	}
	recording_write("whole.dat", &(struct recording_of){ .lines = lines, .n = n });
	for (size_t i = 0; i < n; i++)
		if (lines[i].fields && strcmp(lines[i].event, "stack") != 0)
			free((char *)lines[i].fields);
	free(lines);
}

/* --- scripts --- */

#define SWITCH " >> events/sched/sched_switch/trigger\n"
#define WAKING " >> events/sched/sched_waking/trigger\n"
#define WAKEUP " >> events/sched/sched_wakeup/trigger\n"
#define STACK  " >> events/ftrace/kernel_stack/trigger\n"
#define ENTER  " >> events/raw_syscalls/sys_enter/trigger\n"

/* The first line depends on the lines before it in its group. */
static const char *const groups[] = {
	"echo 'hist:keys=common_pid.execname:pause'" ENTER,
	"echo 'hist:keys=common_pid.execname'" ENTER,
	"echo 'hist:keys=common_pid.execname,id.sym:vals=id:pause if COMM ~ \"*c*\"'" ENTER,
	"echo 'hist:keys=id.sym-offset'" ENTER,
	"echo 'hist:keys=id.syscall:pause'" ENTER,
	"echo 'hist:keys=common_stacktrace if id == 2'" ENTER,
	"echo 'hist:keys=common_pid:st=common_stacktrace:pause'" ENTER,
	/* its records are those of other records, too */
	"echo 'hist:keys=common_pid.execname'" STACK,
	"echo 'hist:keys=common_stacktrace if common_pid > 2'" STACK,
	"echo 'hist:keys=next_comm,prev_state:pause if prev_state == 1'" SWITCH,
	"echo 'hist:keys=next_pid.execname if comm != \"bash\"'" SWITCH,
	"echo 'hist:name=n:keys=common_pid.execname:pause'" SWITCH
	"echo 'hist:name=n:keys=common_pid.execname:pause'" ENTER,
	"echo 'hist:keys=pid:ts0=common_timestamp.usecs'" WAKING
	"echo 'lat u64 lat; pid_t pid; char c[16]' >> synthetic_events\n"
	"echo 'hist:keys=next_pid:l=common_timestamp.usecs-$ts0:onmatch(sched.sched_waking)"
	".lat($l,next_pid,next_comm):pause'" SWITCH
	"echo 'hist:keys=c,pid.execname:vals=lat' >> events/synthetic/lat/trigger\n",
	"echo 'hist:keys=next_pid:p=prev_pid:onmax($p).save(prev_comm):onchange($p).snapshot()'" SWITCH,
	"echo 'enable_hist:raw_syscalls:sys_enter if comm == START'" WAKEUP,
	"echo 'enable_hist:sched:sched_switch:2 if comm == START'" WAKEUP,
	"echo 'disable_hist:sched:sched_switch if comm == STOP'" WAKEUP,
	"echo 'disable_hist:raw_syscalls:sys_enter if comm == STOP'" WAKEUP,
	"echo 'traceoff:3 if prio == 2'" WAKEUP "echo 'traceon if prio == 1'" WAKEUP,
	"echo 'snapshot:1 if prio == 1'" WAKEUP,
	"echo 'enable_event:sched:sched_waking if comm == START'" WAKEUP
	"echo 'disable_event:sched:sched_waking if comm == STOP'" WAKEUP,
	"echo 'stacktrace if prio == 1'" WAKING,
	"echo 1 > events/sched/sched_switch/enable\n",
	"echo 1 > events/raw_syscalls/enable\n",
	"echo 'prev_state == 1' > events/sched/sched_switch/filter\n",
	"echo 'sched:*' > set_event\n",
	"echo 8 > buffer_size_kb\n",
};

/* Everything that the script can print; trace only if it is kept. */
static const char *const looked_at[] = {
	"cat events/raw_syscalls/sys_enter/hist events/raw_syscalls/sys_enter/trigger\n",
	"cat events/sched/sched_switch/hist events/sched/sched_switch/trigger\n",
	"cat events/sched/sched_waking/hist events/sched/sched_waking/enable\n",
	"cat events/ftrace/kernel_stack/hist\n",
	"cat events/sched/sched_wakeup/trigger tracing_on synthetic_events error_log\n",
	"cat trace\n",
	"cat snapshot per_cpu/cpu0/stats\n",
	"cat set_event\n",
	"cat available_events\n",
	"cat events/sched/enable\n",
};

static void make_script(struct strbuf *s)
{
	for (u32 n = 1 + random_below(6); n; n--)
		strbuf_addstr(s, ONE_OF(groups));
	for (size_t i = 0; i < ARRAY_SIZE(looked_at); i++)
		if (i < 5 || !random_below(3))
			strbuf_addstr(s, looked_at[i]);
}

/* --- comparison --- */

static int slim(const struct hist_options *options, const char *text)
{
	const struct hist_slim_options to = { .output = recording_path("slim.dat"),
					      .script_text = text,
					      .keep_going = true };
	const char *input = recording_path("whole.dat");
	struct hist_options from = *options;
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	struct hist *h = NULL;
	int err;

	from.inputs = &input;
	from.n_inputs = 1;
	assert_int_equal(hist_open(&from, &h, diags), 0);
	assert_int_equal(hist_script_parse(script, "t", text, strlen(text), diags), 0);
	err = hist_slim(h, script, &to, diags);
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
	return err;
}

static int results(const char *input, const struct hist_options *options, const char *text,
		   struct strbuf *out)
{
	const struct hist_run_options how = { .keep_going = true };
	struct hist_options from = *options;
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	const char *path = recording_path(input);
	struct hist *h = NULL;
	int err;

	from.inputs = &path;
	from.n_inputs = 1;
	assert_int_equal(hist_open(&from, &h, diags), 0);
	assert_int_equal(hist_script_parse(script, "t", text, strlen(text), diags), 0);
	err = hist_run(h, script, &how, add_to_strbuf, out, diags);
	for (size_t i = 0; i < diags->list.n; i++) {
		const char *said = diags->list.v[i].text, *of = strstr(said, ".dat: ");

		strbuf_addf(out, "%s\n", of ? of : said);
	}
	strbuf_addf(out, "doubtful %d\n", hist_doubtful(h));
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
	return err;
}

static void check_same(const char *text, struct span want, struct span got)
{
	while (want.s || got.s) {
		struct span a = want.s ? span_sep(&want, "\n") : span_of("(the end)");
		struct span b = got.s ? span_sep(&got, "\n") : span_of("(the end)");

		if (span_same(a, b))
			continue;
		print_error("# wanted: %.*s\n# got:    %.*s\n# of:\n", (int)a.n, a.s, (int)b.n,
			    b.s);
		print_error("%s", text);
		fail();
	}
}

static void check_script(const struct hist_options *part)
{
	static const struct hist_options all = { .n_inputs = 0 };
	struct strbuf text = STRBUF_INIT, want = STRBUF_INIT, got = STRBUF_INIT;
	int err;

	make_script(&text);
	err = results("whole.dat", part, text.s, &want);
	assert_int_equal(slim(part, text.s), err);
	assert_int_equal(results("slim.dat", &all, text.s, &got), err);
	check_same(text.s, span_of(want.s), span_of(got.s));
	strbuf_release(&text);
	strbuf_release(&want);
	strbuf_release(&got);
}

static void test_same_results(void **state)
{
	const char *rounds = getenv("SLIM_TEST_ROUNDS");
	long n = rounds ? strtol(rounds, NULL, 10) : N_ROUNDS;

	(void)state;
	for (long i = 0; i < n; i++) {
		const struct hist_options parts[] = { { .n_inputs = 0 },
						      { .cpus = "1-2" },
						      { .from = "+5", .to = "+20" } };

		write_recording();
		for (int k = 0; k < N_SCRIPTS; k++)
			check_script(&parts[random_below(2) ? 0 : random_below(3)]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_same_results) };

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
