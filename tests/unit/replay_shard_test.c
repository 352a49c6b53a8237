// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What threads count that have a part of the keys each is what one counts in order: random
 * histograms that work on each other, on random records. SHARD_TEST_ROUNDS=N for more.
 */
#include <stdlib.h>

#include "replay/replay.h"
#include "random.h"
#include "replay_recording.h"

enum { N_LINES = 4000, N_LINES_LONG = 30000, N_SCRIPTS = 30, N_ROUNDS = 4, LINES_MAX = 8 };

/* --- records --- */

static char *random_waking(u32 tasks, u64 ts)
{
	static const char *const names[] = { "a", "bb", "kworker/0:1", "0123456789abcde" };
	u32 pid = random_below(tasks);
	struct strbuf s = STRBUF_INIT;

	strbuf_addf(&s, "comm=%s pid=%u prio=%u target_cpu=%u common_pid=%u @ts=%llu",
		    names[pid % ARRAY_SIZE(names)], pid, 100 + pid % 3, random_below(4),
		    random_below(9), (unsigned long long)ts);
	return s.s;
}

static char *random_switch(u32 tasks, u64 ts)
{
	static const char *const names[] = { "a", "bb", "kworker/0:1", "0123456789abcde" };
	u32 prev = random_below(tasks), next = random_below(tasks);
	struct strbuf s = STRBUF_INIT;

	strbuf_addf(&s, "prev_comm=%s prev_pid=%u prev_prio=%u prev_state=%u next_comm=%s ",
		    names[prev % ARRAY_SIZE(names)], prev, 100 + prev % 3, random_below(3),
		    names[next % ARRAY_SIZE(names)]);
	strbuf_addf(&s, "next_pid=%u next_prio=%u common_pid=%u @ts=%llu", next, 100 + next % 3,
		    prev, (unsigned long long)ts);
	return s.s;
}

/* @backwards: the time of a CPU goes back once. */
static void write_recording(size_t n, bool backwards)
{
	struct event_line *lines = calloc(n, sizeof(*lines));
	u32 cpus = 1 + random_below(MAX_CPUS), tasks = 1 + random_below(2) * random_below(300);
	bool lopsided = random_below(2); /* one CPU has nearly all */
	u64 ts = 1000;

	assert_non_null(lines);
	for (size_t i = 0; i < n; i++) {
		bool is_switch = random_below(2);

		/* often several at one time */
		ts += random_below(3) ? random_below(3000) : 0;
		if (backwards && i == n / 2)
			ts -= 900;
		lines[i] = (struct event_line){
			.event = is_switch ? "sched:sched_switch" : "sched:sched_waking",
			.cpu = lopsided && random_below(300) ? 0 : random_below(cpus),
			.fields = is_switch ? random_switch(tasks, ts) : random_waking(tasks, ts)
		};
	}
	recording_write("random.dat", &(struct recording_of){ .lines = lines, .n = n });
	for (size_t i = 0; i < n; i++)
		free((char *)lines[i].fields);
	free(lines);
}

/* --- scripts --- */

enum { SYNTH, WAKING, SWITCH, LATENCY, N_FILES };

static const char *const files[] = { "synthetic_events", "events/sched/sched_waking/trigger",
				     "events/sched/sched_switch/trigger",
				     "events/synthetic/lat/trigger" };

static const char *const results[] = { "events/sched/sched_waking/hist",
				       "events/sched/sched_switch/hist",
				       "events/synthetic/lat/hist" };

struct lines {
	struct {
		int file;
		char *text;
	} v[LINES_MAX];
	size_t n;
};

static void add_line(struct lines *lines, int file, const char *fmt, ...) PRINTF_LIKE(3, 4);

static void add_line(struct lines *lines, int file, const char *fmt, ...)
{
	struct strbuf s = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&s, fmt, ap);
	va_end(ap);
	assert_true(lines->n < LINES_MAX);
	lines->v[lines->n].file = file;
	lines->v[lines->n++].text = s.s;
}

/* A latency: from waking to switching in, by one key or two. */
static void add_latency(struct lines *lines)
{
	static const char *const sizes[] = { "", "", ":size=128" };
	static const char *const times[] = { "common_timestamp", "common_timestamp.usecs" };
	static const char *const kept[] = { "", ",who=comm", ",woken_by=common_pid,who=comm" };
	static const char *const values[] = { "", ":vals=prev_prio", ":vals=$d,hitcount" };
	static const char *const actions[] = {
		"",
		":onmatch(sched.sched_waking).lat($d,next_pid,next_comm)",
		":onmatch(sched.sched_waking).trace(lat,$d,next_pid,prev_comm)",
		":onmax($d).lat($d,prev_pid,next_comm)",
		":onmax($d).save(next_comm,prev_pid,prev_prio)",
		":onchange($d).save(prev_comm)",
		":onmax($d).save(next_prio):onmatch(sched.sched_waking).lat($d,next_pid,next_comm)"
	};
	static const char *const filters[] = { "", "", " if next_pid & 1", " if prev_state != 1" };
	static const char *const wakings[] = { "", "", " if prio > 100 || comm == bb" };
	bool two = random_below(3) == 0;
	const char *time = ONE_OF(times);

	add_line(lines, WAKING, "hist:keys=pid%s:ts0=%s%s%s%s", two ? ",prio" : "", time,
		 ONE_OF(kept), ONE_OF(sizes), ONE_OF(wakings));
	add_line(lines, SWITCH, "hist:keys=next_pid%s:d=%s-$ts0%s%s%s%s", two ? ",next_prio" : "",
		 time, ONE_OF(values), ONE_OF(actions), ONE_OF(sizes), ONE_OF(filters));
}

/* How long tasks were away, beside: another key of the same event. */
static void add_absence(struct lines *lines)
{
	static const char *const values[] = { "", ":vals=next_prio", ":vals=$away" };

	add_line(lines, SWITCH, "hist:keys=prev_pid:off=common_timestamp");
	add_line(lines, SWITCH, "hist:keys=next_pid:away=common_timestamp-$off%s", ONE_OF(values));
}

static void make_script(struct lines *lines)
{
	static const char *const ends[] = { "hist:keys=comm,d.log2:sort=d",
					    "hist:keys=pid:vals=d:sort=d.descending",
					    "hist:keys=comm:vals=d.buckets=100 if d > 200",
					    "hist:keys=pid:x=d" };
	u32 n = random_below(3);

	add_line(lines, SYNTH, "lat u64 d; pid_t pid; char comm%s",
		 random_below(2) ? "[16]" : "[]");
	add_latency(lines);
	if (random_below(2))
		add_absence(lines);
	for (u32 i = 0; i < n; i++)
		add_line(lines, LATENCY, "%s", ONE_OF(ends));
}

/* --- both ways --- */

static bool was_sharded(const struct hist *h)
{
	for (const struct event_file *f = h->tracing->top->files; f; f = f->next)
		for (size_t i = 0; i < f->triggers.n; i++)
			if (f->triggers.v[i]->hist && f->triggers.v[i]->hist->n_shards)
				return true;
	return false;
}

/* What the histograms show; whether it was counted by key. */
static bool run_lines(const struct lines *lines, unsigned int jobs, struct strbuf *out)
{
	const char *path = recording_path("random.dat");
	struct hist_options options = { .inputs = &path, .n_inputs = 1, .jobs = jobs };
	struct diags *diags = hist_diags_new();
	struct hist *h;
	bool sharded;

	assert_non_null(diags);
	assert_int_equal(hist_open(&options, &h, diags), 0);
	for (size_t i = 0; i < lines->n; i++)
		hist_write(h, files[lines->v[i].file], lines->v[i].text, strlen(lines->v[i].text),
			   HIST_APPEND, diags);
	for (size_t i = 0; i < ARRAY_SIZE(results); i++)
		assert_int_equal(hist_read(h, results[i], add_to_strbuf, out, diags), 0);
	sharded = was_sharded(h);
	hist_close(h);
	hist_diags_free(diags);
	return sharded;
}

static void say_difference(const struct lines *lines, const char *want, const char *got)
{
	for (size_t i = 0; i < lines->n; i++)
		print_error("# %s: %s\n", files[lines->v[i].file], lines->v[i].text);
	print_error("# in order:\n%s\n# by key:\n%s\n", want, got);
}

static bool check_script(const struct lines *lines)
{
	static const unsigned int jobs[] = { 2, 3, 7, 20 };
	struct strbuf want = STRBUF_INIT;
	bool sharded = false;

	assert_false(run_lines(lines, 1, &want));
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++) {
		struct strbuf got = STRBUF_INIT;

		sharded |= run_lines(lines, jobs[i], &got);
		if (strcmp(want.s, got.s))
			say_difference(lines, want.s, got.s);
		assert_string_equal(want.s, got.s);
		strbuf_release(&got);
	}
	strbuf_release(&want);
	return sharded;
}

static u32 check_scripts(u32 n)
{
	u32 sharded = 0;

	for (u32 i = 0; i < n; i++) {
		struct lines lines = { .n = 0 };

		make_script(&lines);
		sharded += check_script(&lines);
		for (size_t k = 0; k < lines.n; k++)
			free(lines.v[k].text);
	}
	return sharded;
}

static void test_by_key(void **state)
{
	const char *rounds = getenv("SHARD_TEST_ROUNDS");
	u32 n = rounds ? (u32)strtoul(rounds, NULL, 0) : N_ROUNDS, sharded = 0;

	(void)state;
	for (u32 round = 0; round < n; round++) {
		write_recording(N_LINES, false);
		sharded += check_scripts(N_SCRIPTS);
	}
	assert_true(sharded > n * N_SCRIPTS / 3);
}

/* More than a merge takes at once. */
static void test_long_recording(void **state)
{
	u32 sharded = 0;

	(void)state;
	for (u32 round = 0; round < N_ROUNDS; round++) {
		write_recording(N_LINES_LONG, false);
		sharded += check_scripts(N_SCRIPTS / N_ROUNDS);
	}
	assert_true(sharded > 0);
}

/* Only a replay in order knows what a merge makes of it. */
static void test_time_goes_back(void **state)
{
	(void)state;
	for (u32 round = 0; round < N_ROUNDS; round++) {
		write_recording(N_LINES, true);
		check_scripts(N_SCRIPTS / N_ROUNDS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_by_key),
		TEST(test_long_recording),
		TEST(test_time_goes_back),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
