// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Every plan has the result of --plan=plain: random scripts on random recordings, complete,
 * three at a time, cut, damaged. A difference is printed with its seed.
 *
 * PLAN_SEEDS=N runs N scripts (default 120), PLAN_SEED=N starts with that one.
 */
#include <stdio.h>

#include "plan_check.h"
#include "random.h"
#include "replay_recording.h"

enum { N_SEEDS = 120, SCRIPTS_PER_RECORDING = 12, N_LINES_MAX = 1200, BYTES_AHEAD = 64 };

/* --- recordings --- */

/* Two of them have data after their NUL. */
static const char *const names[] = { "a",        "bb",           "kworker/0:1",    "rcu_sched",
				     "bb\1left", "a\1rcu_sched", "0123456789abcde" };

enum { N_TASKS_MAX = 301 };

/* How often each task was renamed, and whether it was switched out before it had the new name. */
static u32 renamed[N_TASKS_MAX];
static bool pending[N_TASKS_MAX];

static bool has_instance; /* the last recording has the buffer "two" */

static const char *name_of(u32 pid)
{
	return names[(pid + renamed[pid]) % ARRAY_SIZE(names)];
}

static void add_rename(struct strbuf *s, u32 tasks)
{
	u32 pid = random_below(tasks);

	strbuf_addf(s, "common_pid=%u pid=%u oldcomm=%s ", random_below(9) ? pid : pid / 2, pid,
		    name_of(pid));
	pending[pid] = random_below(2);
	renamed[pid]++;
	strbuf_addf(s, "newcomm=%s", name_of(pid));
	renamed[pid] -= pending[pid];
}

/* Executed by its path, or by a descriptor, of which the new name is not known. */
static void add_exec(struct strbuf *s, u32 tasks)
{
	static const char *const dirs[] = { "/usr/bin/", "./", "", "/dev/fd/7/" };
	u32 pid = random_below(tasks);

	if (!random_below(8)) {
		strbuf_addf(s, "filename=/dev/fd/7 pid=%u common_pid=%u", pid, pid);
		return;
	}
	renamed[pid]++;
	strbuf_addf(s, "filename=%s%s pid=%u common_pid=%u", ONE_OF(dirs), name_of(pid), pid, pid);
}

/* A task runs: it has its new name from now on, unless it is switched out again before. */
static void run_task(u32 pid)
{
	if (!random_below(4))
		return;
	renamed[pid] += pending[pid];
	pending[pid] = false;
}

static void add_waking(struct strbuf *s, u32 tasks)
{
	u32 pid = random_below(tasks);

	strbuf_addf(s, "comm=%s pid=%u prio=%u target_cpu=%u common_pid=%u", name_of(pid), pid,
		    100 + pid % 3, random_below(4), random_below(9));
}

static void add_switch(struct strbuf *s, u32 tasks)
{
	static u32 last; /* often the one that renamed itself */
	u32 prev = random_below(2) ? last % tasks : random_below(tasks);
	u32 next = random_below(tasks);

	last = next;

	strbuf_addf(s, "prev_comm=%s prev_pid=%u prev_prio=%u prev_state=%u next_comm=%s ",
		    name_of(prev), prev, 100 + prev % 3, random_below(3), name_of(next));
	strbuf_addf(s, "next_pid=%u next_prio=%u common_pid=%u", next, 100 + next % 3, prev);
	run_task(next);
}

static void add_all(struct strbuf *s)
{
	static u32 pid; /* often the one of the record before */
	u32 few = 1 + random_below(3) * random_below(40);

	if (!random_below(4))
		pid = random_below(5);

	strbuf_addf(s, "b8=%u a8=%d a16=%d b16=%u a32=%d b32=%u", random_below(few) & 255,
		    (int)random_below(200) - 100, (int)random_below(few) - 5, random_below(65536),
		    (int)random_below(few) - 2,
		    random_below(4) ? random_below(few) : 4000000000u + random_below(few));
	strbuf_addf(s, " a64=%d b64=%u st=%s dyn=%s rel=%s common_pid=%u",
		    (int)random_below(2000) - 1000, random_below(few) * 1000, ONE_OF(names),
		    ONE_OF(names), ONE_OF(names), pid);
}

static const u64 a_stack[] = { 0x10, 0x20, 0x30, 0x40, 0 };

static void make_event(struct event_line *line, u32 tasks, u64 ts, u32 renames)
{
	struct strbuf s = STRBUF_INIT;

	switch (random_below(renames) ? random_below(12) : 12 + random_below(2)) {
	case 13:
		line->event = "sched:sched_process_exec";
		add_exec(&s, tasks);
		break;
	case 12:
		line->event = "task:task_rename";
		add_rename(&s, tasks);
		break;
	case 0:
		line->event = "stack";
		line->stack = a_stack;
		strbuf_addf(&s, "common_pid=%u", random_below(tasks));
		break;
	case 1:
	case 2:
	case 3:
		line->event = "test:all";
		add_all(&s);
		break;
	case 4:
		line->event = "sched:sched_wakeup";
		add_waking(&s, tasks);
		break;
	case 5:
	case 6:
	case 7:
		line->event = "sched:sched_waking";
		add_waking(&s, tasks);
		break;
	default:
		line->event = "sched:sched_switch";
		add_switch(&s, tasks);
	}
	strbuf_addf(&s, " @ts=%llu", (unsigned long long)ts);
	line->fields = s.s;
	/* shorter than its format: an event of an older module, or damage */
	line->cut = random_below(40) ? 0 : 4 * (1 + random_below(20));
}

/* Sometimes the time of a CPU decreases once, sometimes one CPU has nearly all records. */
static void write_recording(void)
{
	u32 n = 200 + random_below(N_LINES_MAX), cpus = 1 + random_below(MAX_CPUS);
	static const u32 numbers_of_tasks[] = { 1, 3, 8, N_TASKS_MAX - 1 };
	u32 tasks = 1 + random_below(numbers_of_tasks[random_below(4)]);
	u32 renames = random_below(3) ? 2 + random_below(200) : UINT32_MAX;
	bool backwards = !random_below(8), lopsided = random_below(2);
	bool instance = has_instance = !random_below(4);
	struct event_line *lines = calloc(n, sizeof(*lines));
	u64 ts = 1000, back = random_below(3) ? 900 : 100000;

	assert_non_null(lines);
	for (u32 i = 0; i < n; i++) {
		ts += random_below(3) ? random_below(3000) : 0;
		ts += random_below(200) ? 0 : 100000000;
		ts -= backwards && i == n / 2 ? min_t(u64, ts / 2, back) : 0;
		lines[i].cpu = lopsided && random_below(300) ? 0 : random_below(cpus);
		if (instance && !random_below(3))
			lines[i].buffer = "two";
		if (!random_below(400))
			lines[i].lost = (s64)random_below(5) - 1;
		if (!lines[i].lost)
			make_event(&lines[i], tasks, ts, renames);
	}
	recording_write("random.dat",
			&(struct recording_of){ .lines = lines, .n = n, .rename = true });
	for (u32 i = 0; i < n; i++)
		free((char *)lines[i].fields);
	free(lines);
}

/* --- other versions of the file --- */

static u8 *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	u8 *bytes = malloc(1 << 22);

	assert_non_null(f);
	assert_non_null(bytes);
	*n = fread(bytes, 1, 1 << 22, f);
	fclose(f);
	return bytes;
}

static void write_file(const char *path, const u8 *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* Change the header of a sub-buffer, or a word of its records. */
static void damage(u8 *bytes, size_t n)
{
	size_t first = n - n / SUBBUF * SUBBUF, times = 1 + random_below(4);

	for (size_t i = 0; i < times && n > 2 * SUBBUF; i++) {
		size_t page = first + random_below((u32)(n / SUBBUF)) * SUBBUF;
		size_t at = random_below(2) ? 8 : BYTES_AHEAD + random_below(SUBBUF - BYTES_AHEAD);

		bytes[min_t(size_t, page + at, n - 1)] ^= (u8)(1 << random_below(8));
	}
}

static const char *make_form(u32 form)
{
	size_t n;
	u8 *bytes = read_file(recording_path("random.dat"), &n);

	if (form == 1)
		damage(bytes, n);
	else
		n = n / 3 + random_below((u32)(n - n / 3));
	write_file(recording_path("form.dat"), bytes, n);
	free(bytes);
	return recording_path("form.dat");
}

/* --- scripts --- */

static void echo(struct strbuf *s, const char *file, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void echo(struct strbuf *s, const char *file, const char *fmt, ...)
{
	va_list ap;

	strbuf_addstr(s, "echo '");
	va_start(ap, fmt);
	strbuf_vaddf(s, fmt, ap);
	va_end(ap);
	strbuf_addf(s, "' >> %s\n", file);
}

#define ALL    "events/test/all/trigger"
#define WAKING "events/sched/sched_waking/trigger"
#define WAKEUP "events/sched/sched_wakeup/trigger"
#define SWITCH "events/sched/sched_switch/trigger"
#define LAT    "events/synthetic/lat/trigger"

static void add_key(struct strbuf *s)
{
	static const char *const ints[] = { "b8",
					    "a8",
					    "a16",
					    "b16",
					    "a32",
					    "b32",
					    "a64",
					    "b64",
					    "common_pid",
					    "common_cpu",
					    "common_timestamp" };
	static const char *const modifiers[] = { "",      "",           ".hex",
						 ".log2", ".buckets=7", ".buckets=100",
						 ".sym" };
	static const char *const texts[] = { "st", "dyn", "rel" };
	static const char *const expressions[] = { "a32+b32",  "a64-b8*3",
						   "b64/7",    "b64/8",
						   "a32/b8",   "-(a16)",
						   "b32*2",    "common_timestamp.usecs",
						   "a64/a32-1" };
	static const char *const others[] = { "common_pid.execname", "common_stacktrace" };

	switch (random_below(10)) {
	case 9:
		strbuf_addstr(s, "common_pid.execname");
		break;
	case 0:
	case 1:
		strbuf_addstr(s, ONE_OF(texts));
		break;
	case 2:
	case 3:
		strbuf_addstr(s, ONE_OF(expressions));
		break;
	case 4:
		strbuf_addstr(s, random_below(3) ? "a32" : ONE_OF(others));
		break;
	default:
		strbuf_addf(s, "%s%s", ONE_OF(ints), ONE_OF(modifiers));
	}
}

/* A histogram on test:all that can be counted in any order in most cases. */
static void add_plain(struct strbuf *script)
{
	static const char *const values[] = { "",
					      "",
					      ":vals=b8",
					      ":vals=a16,b64",
					      ":vals=a32.hex,b64.percent",
					      ":v=b64",
					      ":name=shared" };
	static const char *const filters[] = { "",
					       "",
					       "",
					       " if a32 > 3",
					       " if st == \"bb\" || b8 < 5",
					       " if dyn ~ \"*a*\"",
					       " if !(rel == \"a\") && a64 < 0",
					       " if CPU & 3",
					       " if COMM == \"bb\"",
					       " if COMM ~ \"*a*\" && b8 < 9" };
	static const char *const sizes[] = { "", "", "", ":size=128" };
	static const char *const sorts[] = { "", "", ":sort=hitcount",
					     ":sort=hitcount.descending" };
	static const char *const pauses[] = { "", "", "", "", "", "", "", ":pause" };
	struct strbuf s = STRBUF_INIT;
	u32 n = 1 + random_below(3);

	for (u32 i = 0; i < n; i++) {
		strbuf_addstr(&s, i ? "," : "hist:keys=");
		add_key(&s);
	}
	strbuf_addf(&s, "%s%s%s%s%s", ONE_OF(values), ONE_OF(sorts), ONE_OF(sizes), ONE_OF(pauses),
		    ONE_OF(filters));
	echo(script, ALL, "%s", s.s);
	strbuf_release(&s);
}

/* A latency from sched_waking to sched_switch, by one or two keys. */
static void add_latency(struct strbuf *s)
{
	static const char *const sizes[] = { "", "", ":size=128" };
	static const char *const times[] = { "common_timestamp", "common_timestamp.usecs" };
	static const char *const kept[] = { "", ",who=comm", ",woken_by=common_pid,who=comm" };
	static const char *const values[] = { "", ":vals=prev_prio", ":vals=next_prio,hitcount" };
	static const char *const actions[] = {
		"",
		":onmatch(sched.sched_waking).lat($d,next_pid,next_comm)",
		":onmatch(sched.sched_waking).trace(lat,$d,next_pid,prev_comm)",
		":onmax($d).lat($d,prev_pid,next_comm)",
		":onmax($d).save(next_comm,prev_pid,prev_prio)",
		":onchange($d).save(prev_comm)",
		":onmax($d).snapshot()",
		":onmax($d).save(next_prio):onmatch(sched.sched_waking).lat($d,next_pid,next_comm)"
	};
	static const char *const filters[] = { "", "", " if next_pid & 1", " if prev_state != 1" };
	static const char *const wakings[] = { "", "", " if prio > 100 || comm == \"bb\"",
					       " if COMM != \"a\"" };
	bool two = random_below(3) == 0, other_two = random_below(8) ? two : !two;
	const char *time = ONE_OF(times);

	echo(s, WAKING, "hist:keys=pid%s:ts0=%s%s%s%s", two ? ",prio" : "", time, ONE_OF(kept),
	     ONE_OF(sizes), ONE_OF(wakings));
	echo(s, SWITCH, "hist:keys=next_pid%s:d=%s-$ts0%s%s%s%s", other_two ? ",next_prio" : "",
	     time, ONE_OF(values), ONE_OF(actions), ONE_OF(sizes), ONE_OF(filters));
}

/* What depends on the names of tasks at that time; a question has common_comm on all kernels. */
static void add_names(struct strbuf *s)
{
	static const char *const keys[] = {
		"common_pid.execname", "common_pid.execname",
		"common_stacktrace",   "common_pid",
		"common_tgid",         "common_pid.execname,common_stacktrace"
	};
	static const char *const asked[] = { "common_comm", "common_comm,common_cpu",
					     "common_pid,common_comm" };
	static const char *const files[] = { ALL, WAKING, SWITCH };
	static const char *const filters[] = { "", "", " if COMM == \"bb\"", " if COMM ~ \"*a*\"" };
	u32 n = 1 + random_below(3);

	while (n--) {
		const char *file = ONE_OF(files);
		bool question = random_below(2);
		const char *key = question ? ONE_OF(asked) : ONE_OF(keys);

		strbuf_addf(s, "echo 'hist:keys=%s%s' >> %s%s\n", key, ONE_OF(filters), file,
			    question ? " # question" : "");
	}
}

/*
 * Synthetic events that generate the next one: from 6.12.34 on, the kernel has no room for the last
 * ones.
 */
static void add_chain(struct strbuf *s)
{
	u32 n = 2 + random_below(4);

	for (u32 i = 1; i <= n; i++)
		echo(s, "synthetic_events", "chain%u int v; pid_t pid", i);
	echo(s, WAKING, "hist:keys=pid:v=prio:onmatch(sched.sched_waking).chain1($v,pid)");
	for (u32 i = 1; i <= n; i++) {
		char file[64], action[96] = "";

		snprintf(file, sizeof(file), "events/synthetic/chain%u/trigger", i);
		if (i < n)
			snprintf(action, sizeof(action),
				 ":x=v:onmatch(sched.sched_waking).chain%u($x,pid)", i + 1);
		echo(s, file, "hist:keys=pid%s", action);
	}
}

/* Also the time that tasks were away: another key of the same event. */
static void add_absence(struct strbuf *s)
{
	static const char *const values[] = { "", ":vals=next_prio", ":vals=next_prio.hex" };

	echo(s, SWITCH, "hist:keys=prev_pid:off=common_timestamp");
	echo(s, SWITCH, "hist:keys=next_pid:away=common_timestamp-$off%s", ONE_OF(values));
}

/* One named histogram of two events. */
static void add_shared(struct strbuf *s)
{
	static const char *const keys[] = { "pid", "comm", "pid,prio", "prio.log2" };
	static const char *const mores[] = { "", "", ":sort=hitcount.descending", ":vals=prio" };
	const char *key = ONE_OF(keys), *more = ONE_OF(mores);

	echo(s, WAKING, "hist:keys=%s%s:name=both", key, more);
	echo(s, WAKEUP, "hist:keys=%s%s:name=both%s", key, more,
	     random_below(2) ? "" : " if prio > 100");
}

/* Triggers that control hits, on the same events. */
static void add_control(struct strbuf *s)
{
	static const struct {
		const char *file, *text;
	} controls[] = {
		{ "set_event_pid", "1 2 3" },
		{ "set_event_notrace_pid", "2" },
		{ WAKING, "enable_hist:test:all if pid == 3" },
		{ SWITCH, "disable_hist:test:all if next_pid == 5" },
		{ ALL, "traceoff:1 if b8 == 3" },
		{ ALL, "stacktrace:3" },
		{ SWITCH, "snapshot:1 if next_pid == 2" },
		{ "events/test/all/enable", "1" },
		{ WAKING, "hist:keys=pid:name=both" },
		{ SWITCH, "hist:keys=next_pid:x=prev_prio" },
		{ SWITCH, "hist:keys=next_comm:vals=prev_prio" },
		{ SWITCH, "hist:keys=common_pid.execname:vals=next_prio" },
		{ WAKING, "hist:keys=comm,prio" },
	};
	u32 n = random_below(3);

	while (n--) {
		u32 i = random_below(ARRAY_SIZE(controls));

		echo(s, controls[i].file, "%s", controls[i].text);
	}
}

static char *make_script(void)
{
	static const char *const ends[] = {
		"hist:keys=comm,d.log2:sort=d",         "hist:keys=pid:vals=d:sort=d.descending",
		"hist:keys=common_pid.execname,d.log2", "hist:keys=pid:vals=d if COMM == \"bb\"",
		"hist:keys=comm:vals=d if d > 200",     "hist:keys=pid:x=d"
	};
	struct strbuf s = STRBUF_INIT;
	u32 plain = random_below(4), n = random_below(3);

	/* nothing that needs an order */
	if (!random_below(8)) {
		add_names(&s);
		return s.s;
	}
	echo(&s, "synthetic_events", "lat u64 d; pid_t pid; char comm%s",
	     random_below(2) ? "[16]" : "[]");
	while (plain--)
		add_plain(&s);
	if (random_below(5) < 2)
		add_latency(&s);
	if (!random_below(4))
		add_absence(&s);
	if (!random_below(3))
		add_names(&s);
	if (!random_below(5))
		add_shared(&s);
	if (!random_below(6))
		add_chain(&s);
	while (n--)
		echo(&s, LAT, "%s", ONE_OF(ends));
	if (has_instance && random_below(2))
		echo(&s, "instances/two/" LAT, "%s", ONE_OF(ends));
	if (!random_below(3))
		add_control(&s);
	if (!random_below(8))
		strbuf_addstr(&s, "cat trace\n");
	return s.s;
}

/* --- all plans --- */

static void check_seed(u64 seed, struct plan_counts *counts)
{
	static const char *const forms[] = { "whole", "damaged", "cut", "three times" };
	static const char *const kernels[] = { NULL, "6.1", "6.17", "7.3", "exact" };
	static const char *const intervals[] = { "20us", "200us", "1ms", "50ms", "100" };
	const char *inputs[3];
	char what[64];
	u32 form = seed % SCRIPTS_PER_RECORDING % ARRAY_SIZE(forms);
	struct plan_case c = {
		.inputs = inputs, .n_inputs = form == 3 ? 3 : 1, .stats = seed % 2, .what = what
	};

	random_seed = seed / SCRIPTS_PER_RECORDING;
	if (seed % SCRIPTS_PER_RECORDING == 0)
		write_recording();
	random_seed = seed * 7919 + 1;
	inputs[0] = form == 1 || form == 2 ? make_form(form) : recording_path("random.dat");
	inputs[1] = inputs[2] = inputs[0];
	snprintf(what, sizeof(what), "seed %llu, %s", (unsigned long long)seed, forms[form]);
	c.kernel = ONE_OF(kernels);
	c.script = make_script();
	c.interval = random_below(4) ? NULL : ONE_OF(intervals);
	c.exemplars = random_below(6) ? 0 : 1 + random_below(3);
	c.unlimited = !random_below(3);
	c.format = random_below(2) ? NULL : "json"; /* with records lost in each slice */
	plan_check(&c, counts);
	free((char *)c.script);
}

static u64 number(const char *name, u64 otherwise)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 0) : otherwise;
}

static void test_plans(void **state)
{
	u64 n = number("PLAN_SEEDS", N_SEEDS), first = number("PLAN_SEED", 0);
	struct plan_counts counts = { .fell_back = 0 };

	(void)state;
	first -= first % SCRIPTS_PER_RECORDING;
	for (u64 seed = first; seed < first + n; seed++)
		check_seed(seed, &counts);
	printf("# seeds %llu to %llu: auto %u, in order %u, by range %u, fell back %u\n",
	       (unsigned long long)first, (unsigned long long)(first + n - 1),
	       counts.ran[HIST_PLAN_AUTO], counts.ran[HIST_PLAN_ORDER], counts.ran[HIST_PLAN_RANGE],
	       counts.fell_back);
	printf("# %u of them were rejected\n", counts.rejected);
	assert_true(counts.rejected < n / 3);
	assert_true(counts.ran[HIST_PLAN_RANGE] > n / 4);
	assert_true(counts.ran[HIST_PLAN_ORDER] > n / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_plans),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
