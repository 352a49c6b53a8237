// SPDX-License-Identifier: LGPL-2.1-only
/* Names of tasks over time, from facts in any order, on several CPUs, and guessed. */
#include "unit.h"

#include <stdio.h>

#include "names/name_run.h"

enum { PID = 7, JOURNAL = 2 };

/* A fact at time ->ts on a CPU, or in the journal of tasks. */
struct fact {
	u64 ts;
	enum name_fact fact;
	const char *name;
	u32 cpu;
};

static const struct event_machine machine = { .long_size = 8 };

static int saved_names(void *arg, struct span *text)
{
	*text = span_of(arg);
	return 0;
}

/* The records of one CPU, in a range of their own. */
static void see(struct names_seen *seen, const struct fact *facts, size_t n, u32 cpu)
{
	static struct event_field pid = { .offset = 4, .size = 4 };
	static struct event_field text = { .offset = 8, .size = TASK_COMM_LEN };
	u8 rec[8 + TASK_COMM_LEN] = { [4] = PID };

	names_seen_start(seen);
	for (size_t i = 0; i < n; i++) {
		struct hit hit = { .rec = rec,
				   .len = sizeof(rec),
				   .cpu = cpu,
				   .pid = PID,
				   .ts = facts[i].ts,
				   .at = (u64)cpu << 48 | (i + 1) * 2 };
		struct name_event event = { .n = 1,
					    .end = sizeof(rec),
					    .fields = { { .pid = &pid,
							  .text = &text,
							  .fact = facts[i].fact,
							  .fixed = true,
							  .pid_at = 4,
							  .text_at = 8,
							  .end = sizeof(rec) } } };

		if (facts[i].cpu != cpu)
			continue;
		event.n_repeats = facts[i].fact == NAME_IS;
		memset(rec + 8, 0, TASK_COMM_LEN);
		if (facts[i].name)
			memcpy(rec + 8, facts[i].name, strlen(facts[i].name));
		else
			event = (struct name_event){ .fact = facts[i].fact, .execve = 1 };
		names_seen_add(seen, &event, &hit);
		/* ranges end anywhere */
		if (i % 2)
			names_seen_start(seen);
	}
}

/* After each time from 0 on, as "name" or "name?". */
static void check(const struct fact *facts, size_t n, const char *saved, const char *want)
{
	const struct event_sources sources = { .cmdlines = saved_names,
					       .arg = (void *)(uintptr_t)saved };
	struct event_db *db;
	struct strbuf got = STRBUF_INIT;
	struct names names;
	int err = 1;

	assert_int_equal(event_db_new(&db, NULL, 0, machine, &sources), 0);
	names_init(&names, db);
	for (size_t i = 0; i < n; i++)
		if (facts[i].cpu == JOURNAL)
			assert_int_equal(names_state(&names, PID, facts[i].fact, facts[i].ts,
						     span_of(facts[i].name)),
					 0);
	for (int tries = 0; err > 0 && tries < 2; tries++) {
		struct names_seen seen[2], *all[] = { &seen[1], &seen[0] };

		for (u32 cpu = 0; cpu < 2; cpu++) {
			names_seen_init(&seen[cpu], false, names.every);
			see(&seen[cpu], facts, n, cpu);
		}
		err = names_build(&names, all, 2);
		for (u32 cpu = 0; cpu < 2; cpu++)
			names_seen_release(&seen[cpu]);
	}
	assert_int_equal(err, 0);
	for (u64 ts = 0; ts < 10; ts++) {
		struct who who = names_at(&names, PID, 0, (struct name_place){ ts, UINT64_MAX });

		strbuf_addf(&got, "%s%s%s", ts ? " " : "", who.name, who.guessed ? "?" : "");
		assert_int_equal(names_guess_at(&names, PID, 0,
						(struct name_place){ ts, UINT64_MAX }),
				 who.guessed);
	}
	assert_string_equal(got.s, want);
	strbuf_release(&got);
	names_release(&names);
	event_db_free(db);
}

#define CHECK(saved, want, ...)                                     \
	do {                                                        \
		static const struct fact facts[] = { __VA_ARGS__ }; \
		check(facts, ARRAY_SIZE(facts), saved, want);       \
	} while (0)

static void test_recorded(void **state)
{
	(void)state;
	CHECK("", "sh sh sh sh dd dd dd dd dd dd", { 2, NAME_IS, "sh", 0 },
	      { 4, NAME_EXECED, "dd", 0 }, { 6, NAME_IS, "dd", 0 });
	CHECK("", "sh sh sh sh sh dd dd dd dd dd", { 2, NAME_BORN, "sh", 0 },
	      { 5, NAME_IS, "sh", 0 }, { 5, NAME_BECOMES, "dd", 0 });
	/* preempted while it was renamed */
	CHECK("", "sh sh sh sh sh sh sh dd dd dd", { 5, NAME_IS, "sh", 0 },
	      { 5, NAME_BECOMES, "dd", 0 }, { 6, NAME_IS, "sh", 0 }, { 7, NAME_IS, "sh", 1 },
	      { 9, NAME_IS, "dd", 1 });
	/* another CPU woke it before */
	CHECK("", "sh sh sh sh sh dd dd dd dd dd", { 1, NAME_IS, "sh", 0 }, { 2, NAME_IS, "sh", 1 },
	      { 5, NAME_IS, "sh", 0 }, { 5, NAME_BECOMES, "dd", 0 }, { 8, NAME_IS, "dd", 0 });
	/* another task with the number */
	CHECK("", "sh sh sh sh sh sh top top top top", { 2, NAME_IS, "sh", 0 },
	      { 6, NAME_BORN, "top", 1 });
}

static void test_journal(void **state)
{
	(void)state;
	/* records alone do not contain the moment */
	CHECK("", "sh sh sh sh sh dd dd dd dd dd", { 2, NAME_IS, "sh", 0 }, { 8, NAME_IS, "dd", 0 },
	      { 1, NAME_IS, "sh", JOURNAL }, { 5, NAME_IS, "sh", JOURNAL },
	      { 5, NAME_BECOMES, "dd", JOURNAL });
	/* preempted while it was renamed */
	CHECK("", "sh sh sh sh sh sh sh dd dd dd", { 1, NAME_IS, "sh", JOURNAL },
	      { 5, NAME_IS, "sh", JOURNAL }, { 5, NAME_BECOMES, "dd", JOURNAL },
	      { 6, NAME_IS, "sh", 0 }, { 7, NAME_IS, "sh", 0 }, { 9, NAME_IS, "dd", 1 });
	/* two tasks with the number, of which records name only the first, and only twice */
	CHECK("", "a a a a b b b b a a", { 1, NAME_IS, "a", JOURNAL }, { 3, NAME_IS, "a", JOURNAL },
	      { 4, NAME_BORN, "b", JOURNAL }, { 7, NAME_IS, "b", JOURNAL },
	      { 8, NAME_BORN, "a", JOURNAL }, { 2, NAME_IS, "a", 0 }, { 9, NAME_IS, "a", 0 });
	/* of two files */
	CHECK("", "a a b b b c c c c c", { 6, NAME_IS, "c", JOURNAL }, { 9, NAME_IS, "c", JOURNAL },
	      { 1, NAME_IS, "a", JOURNAL }, { 2, NAME_IS, "a", JOURNAL },
	      { 2, NAME_BECOMES, "b", JOURNAL }, { 5, NAME_IS, "b", JOURNAL },
	      { 5, NAME_BECOMES, "c", JOURNAL });
}

static void test_guessed(void **state)
{
	(void)state;
	/* switched in with one name, out with another one */
	CHECK("", "sh sh dd? dd? dd? dd? dd dd dd dd", { 1, NAME_IS, "sh", 0 },
	      { 2, NAME_IS, "sh", 0 }, { 6, NAME_IS, "dd", 0 });
	/* the second change since its fork */
	CHECK("", "dd? dd? dd dd? dd? dd? top top top top", { 0, NAME_BORN, "sh", 0 },
	      { 2, NAME_IS, "dd", 0 }, { 3, NAME_IS, "dd", 0 }, { 6, NAME_IS, "top", 0 });
	/* the last entry of execve */
	CHECK("", "sh sh sh sh dd? dd? dd dd dd dd", { 1, NAME_IS, "sh", 0 },
	      { 3, NAME_EXECS, NULL, 0 }, { 4, NAME_EXECS, NULL, 0 }, { 6, NAME_IS, "dd", 0 });
	/* its exit with 0 */
	CHECK("", "sh sh sh sh dd dd dd dd dd dd", { 1, NAME_IS, "sh", 0 },
	      { 4, NAME_RAN, NULL, 0 }, { 6, NAME_IS, "dd", 0 });
	CHECK("", "sh sh sh dd? dd? dd dd dd dd dd", { 1, NAME_IS, "sh", 0 },
	      { 3, NAME_EXECS, NULL, 0 }, { 5, NAME_RAN, NULL, 0 }, { 7, NAME_IS, "dd", 0 });
	/* still the same name when it was switched out in execve */
	CHECK("", "sh sh sh dd? dd? dd? dd dd dd dd", { 1, NAME_IS, "sh", 0 },
	      { 2, NAME_EXECS, NULL, 0 }, { 3, NAME_IS, "sh", 0 }, { 6, NAME_IS, "dd", 1 });
	/* saved at the end */
	CHECK("7 dd\n", "sh sh sh sh dd dd dd dd dd dd", { 1, NAME_IS, "sh", 0 },
	      { 4, NAME_RAN, NULL, 0 });
	CHECK("", "sh sh sh sh sh? sh? sh? sh? sh? sh?", { 1, NAME_IS, "sh", 0 },
	      { 4, NAME_RAN, NULL, 0 });
	CHECK("7 dd\n", "sh sh sh sh sh sh sh sh sh sh", { 1, NAME_IS, "sh", 0 });
	/* the exit of an execve whose name was recorded */
	CHECK("7 top\n", "sh sh sh sh dd dd dd dd dd dd", { 1, NAME_IS, "sh", 0 },
	      { 3, NAME_EXECS, NULL, 0 }, { 4, NAME_EXECED, "dd", 0 }, { 5, NAME_RAN, NULL, 0 });
	/* the first change since its fork, of another task with the number */
	CHECK("", "a b? b? b b d? d? d? d d", { 1, NAME_IS, "a", 0 }, { 3, NAME_IS, "b", 0 },
	      { 5, NAME_BORN, "c", 0 }, { 8, NAME_IS, "d", 0 });
	/* an execve after which another CPU saw the old name */
	CHECK("", "a a a a a a b? b? b b", { 1, NAME_IS, "a", 1 }, { 4, NAME_RAN, NULL, 0 },
	      { 6, NAME_IS, "a", 1 }, { 8, NAME_IS, "b", 0 });
}

/* A task that two CPUs name is renamed back and forth. */
static void test_in_turns(void **state)
{
	(void)state;
	CHECK("", "a b? b? b? b? c? c? a a a", { 1, NAME_IS, "a", 0 }, { 3, NAME_IS, "b", 1 },
	      { 5, NAME_IS, "c", 1 }, { 7, NAME_IS, "a", 0 });
}

/* Metadata overrides what the records state. */
static void test_known(void **state)
{
	struct names names;
	const struct event_sources none = { .arg = NULL };
	struct event_db *db;

	(void)state;
	assert_int_equal(event_db_new(&db, NULL, 0, machine, &none), 0);
	names_init(&names, db);
	assert_int_equal(names_know(&names, PID, (struct names_time){ 2, 4 }, span_of("a"), false),
			 0);
	assert_int_equal(names_know(&names, PID, (struct names_time){ 5, 8 },
				    span_of("a name that is too long"), true),
			 0);
	assert_int_equal(names_build(&names, NULL, 0), 0);
	assert_string_equal(names_at(&names, PID, 0, (struct name_place){ 4, 100 }).name, "a");
	assert_false(names_at(&names, PID, 0, (struct name_place){ 4, 100 }).guessed);
	assert_string_equal(names_at(&names, PID, 0, (struct name_place){ 5, 2 }).name,
			    "a name that is ");
	assert_true(names_at(&names, PID, 0, (struct name_place){ 5, 2 }).guessed);
	assert_string_equal(names_at(&names, PID + 1, 0, (struct name_place){ 5, 2 }).name,
			    "<...>");
	assert_int_equal(names_add_idle(&names, 3), 0);
	assert_string_equal(names_at(&names, 0, 3, (struct name_place){ 5, 2 }).name, "swapper/3");
	names_release(&names);
	event_db_free(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_recorded), TEST(test_guessed), TEST(test_journal),
		TEST(test_in_turns), TEST(test_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
