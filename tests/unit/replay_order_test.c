// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What is counted in batches on several threads is what is counted record by record: random
 * triggers on random records, alone (in any order) and beside a histogram with a variable,
 * which makes the replay go in order. ORDER_TEST_ROUNDS=N for more.
 */
#include <stdlib.h>

#include "random.h"
#include "replay_recording.h"

enum { N_LINES = 1500, N_TRIGGERS = 40, N_ROUNDS = 4 };

/* --- records --- */

static char *random_fields(u64 ts)
{
	static const char *const names[] = {
		"a", "bb", "kworker/0:1", "rcu_sched", "0123456789abcde", "xa"
	};
	u32 few = 1 + random_below(3) * random_below(40);
	struct strbuf s = STRBUF_INIT;

	strbuf_addf(&s, "b8=%u a8=%d a16=%d b16=%u a32=%d b32=%u", random_below(few) & 255,
		    (int)random_below(200) - 100, (int)random_below(few) - 5, random_below(65536),
		    (int)random_below(few) - 2,
		    random_below(4) ? random_below(few) : 4000000000u + random_below(few));
	strbuf_addf(&s, " a64=%d b64=%u st=%s dyn=%s rel=%s common_pid=%u @ts=%llu",
		    (int)random_below(2000) - 1000, random_below(few) * 1000, ONE_OF(names),
		    ONE_OF(names), ONE_OF(names), random_below(5), (unsigned long long)ts);
	return s.s;
}

static void write_recording(void)
{
	struct event_line *lines = calloc(N_LINES, sizeof(*lines));
	u64 ts = 1000;

	assert_non_null(lines);
	for (size_t i = 0; i < N_LINES; i++) {
		ts += random_below(3) ? random_below(1000) : random_below(100000000);
		lines[i] = (struct event_line){ .event = "test:all",
						.cpu = random_below(MAX_CPUS),
						.fields = random_fields(ts) };
	}
	recording_write("random.dat", &(struct recording_of){ .lines = lines, .n = N_LINES });
	for (size_t i = 0; i < N_LINES; i++)
		free((char *)lines[i].fields);
	free(lines);
}

/* --- triggers --- */

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
						   "a32/b8",   "-a16",
						   "b32*2",    "common_timestamp.usecs",
						   "a64/a32-1" };

	switch (random_below(4)) {
	case 0:
		strbuf_addstr(s, ONE_OF(texts));
		break;
	case 1:
		strbuf_addstr(s, ONE_OF(expressions));
		break;
	default:
		strbuf_addf(s, "%s%s", ONE_OF(ints), ONE_OF(modifiers));
	}
}

static void add_values(struct strbuf *s)
{
	static const char *const values[] = { "b8",  "a16", "a32",     "b32",
					      "a64", "b64", "a32.hex", "b64.percent" };
	u32 n = random_below(3);

	for (u32 i = 0; i < n; i++)
		strbuf_addf(s, "%s%s", i ? "," : ":vals=", ONE_OF(values));
}

static char *random_trigger(void)
{
	static const char *const filters[] = { "",
					       "",
					       "",
					       " if a32 > 3",
					       " if st == bb || b8 < 5",
					       " if dyn ~ *a*",
					       " if !(rel == a) && a64 < 0",
					       " if CPU & 3" };
	static const char *const sizes[] = { "", "", "", ":size=128" };
	static const char *const sorts[] = { "", "", ":sort=hitcount",
					     ":sort=hitcount.descending" };
	struct strbuf s = STRBUF_INIT;
	u32 n = 1 + random_below(3);

	for (u32 i = 0; i < n; i++) {
		strbuf_addstr(&s, i ? "," : "hist:keys=");
		add_key(&s);
	}
	add_values(&s);
	strbuf_addf(&s, "%s%s%s", ONE_OF(sorts), ONE_OF(sizes), ONE_OF(filters));
	return s.s;
}

/* --- both ways --- */

static int hist_of(const char *trigger, const char *beside, unsigned int jobs, struct strbuf *out)
{
	const char *path = recording_path("random.dat");
	struct hist_options options = { .inputs = &path, .n_inputs = 1, .jobs = jobs };
	struct diags *diags = hist_diags_new();
	struct hist *h;
	int err;

	assert_non_null(diags);
	assert_int_equal(hist_open(&options, &h, diags), 0);
	err = hist_write(h, "events/test/all/trigger", trigger, strlen(trigger), HIST_APPEND,
			 diags);
	if (!err && beside)
		err = hist_write(h, "events/test/all/trigger", beside, strlen(beside), HIST_APPEND,
				 diags);
	if (!err)
		err = hist_read(h, "events/test/all/hist", add_to_strbuf, out, diags);
	hist_close(h);
	hist_diags_free(diags);
	return err;
}

/* False if the trigger is none. */
static bool check_trigger(const char *trigger)
{
	struct strbuf any = STRBUF_INIT, ordered = STRBUF_INIT;
	int err = hist_of(trigger, NULL, 1 + random_below(7), &any);

	if (!err) {
		assert_int_equal(hist_of(trigger, "hist:keys=b8:v=1", 1, &ordered), 0);
		if (strncmp(any.s, ordered.s, any.len))
			print_error("# of: %s\n# any order:\n%s\n# ordered:\n%s\n", trigger, any.s,
				    ordered.s);
		assert_int_equal(strncmp(any.s, ordered.s, any.len), 0);
	}
	strbuf_release(&any);
	strbuf_release(&ordered);
	return !err;
}

static void test_any_order(void **state)
{
	const char *rounds = getenv("ORDER_TEST_ROUNDS");
	long n = rounds ? strtol(rounds, NULL, 0) : N_ROUNDS;
	int taken = 0;

	(void)state;
	for (long round = 0; round < n; round++) {
		write_recording();
		for (int i = 0; i < N_TRIGGERS; i++) {
			char *trigger = random_trigger();

			taken += check_trigger(trigger);
			free(trigger);
		}
	}
	assert_true(taken > n * N_TRIGGERS / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_any_order),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
