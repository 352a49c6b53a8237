// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Names, processes, command lines and cgroups while facts come: random tasks are made, renamed,
 * moved, execute programs and end. The answers are those for all facts together. Cgroups have
 * several hierarchies, in which tasks are below the root from the beginning on, or later. Changes
 * of processes are copied to each thread only while facts come, so this is also a second road for
 * threads.
 */
#include "unit.h"

#include <stdio.h>

#include "names/name_run.h"

enum { TASKS = 24, FACTS = 60000, ASKS = 4, THREAD = 0x10000, STEP = 2000000, KNOWN = 100000000 };

struct question {
	enum who_what what;
	s32 pid;
	u64 ts;
	char *text;
};

struct model {
	struct event_db *db;
	struct names live, all;
	struct who_cache cache;
	bool runs[TASKS];
	s32 tgid[TASKS];
	u64 ended[TASKS];
	u64 now;
	u32 seed;
	u32 first, hierarchies; /* of cgroups */
	u32 below;              /* in those before this one, a task is below the root at first */
	ARRAY(struct question) asked;
};

static u32 pick(struct model *m, u32 n)
{
	m->seed = m->seed * 1103515245 + 12345;
	return (m->seed >> 8) % n;
}

static void learn(struct model *m, struct task_state fact, const char *text)
{
	fact.place.ts = m->now;
	fact.text = span_of(text);
	assert_int_equal(names_learn(&m->all, &fact), 0);
	assert_int_equal(names_learn(&m->live, &fact), 0);
}

static void name(struct model *m, s32 pid, enum name_fact fact, const char *text)
{
	assert_int_equal(names_state(&m->all, pid, fact, m->now, span_of(text)), 0);
	assert_int_equal(names_state(&m->live, pid, fact, m->now, span_of(text)), 0);
}

static char comms[TASKS][16];

static void rename_task(struct model *m, s32 pid)
{
	name(m, pid, NAME_IS, comms[pid]);
	snprintf(comms[pid], sizeof(comms[pid]), "name%u", pick(m, 9));
	name(m, pid, NAME_BECOMES, comms[pid]);
}

static void make_task(struct model *m, s32 pid, s32 maker)
{
	const bool thread = pick(m, 2);

	learn(m,
	      (struct task_state){ .kind = STATE_BORN,
				   .pid = pid,
				   .other = maker,
				   .flags = thread ? THREAD : 0 },
	      "");
	memcpy(comms[pid], comms[maker], sizeof(comms[pid]));
	name(m, pid, NAME_BORN, comms[pid]);
	m->runs[pid] = true;
	m->tgid[pid] = thread ? m->tgid[maker] : pid;
}

static void execute(struct model *m, s32 pid)
{
	char text[32];

	rename_task(m, pid);
	m->now += 10;
	learn(m, (struct task_state){ .kind = STATE_EXECED, .pid = pid, .other = pid }, "/bin/x");
	snprintf(text, sizeof(text), "x %u", pick(m, 20));
	if (pick(m, 4))
		learn(m, (struct task_state){ .kind = STATE_ARGS, .pid = pid }, text);
}

static void end_task(struct model *m, s32 pid)
{
	learn(m, (struct task_state){ .kind = STATE_ENDED, .pid = pid }, "");
	name(m, pid, NAME_IS, comms[pid]);
	m->runs[pid] = false;
	m->ended[pid] = m->now;
}

static void happen(struct model *m)
{
	s32 pid = (s32)pick(m, TASKS - 1) + 1, maker = (s32)pick(m, TASKS - 1) + 1;
	char path[32];

	m->now += STEP;
	if (!m->runs[pid]) {
		make_task(m, pid, m->runs[maker] ? maker : 1);
		return;
	}
	switch (pick(m, 5)) {
	case 0:
		rename_task(m, pid);
		break;
	case 1:
		if (m->tgid[pid] == pid)
			execute(m, pid);
		break;
	case 2:
		snprintf(path, sizeof(path), "/group%u", pick(m, 6));
		learn(m,
		      (struct task_state){ .kind = STATE_MOVED,
					   .pid = pid,
					   .hierarchy = m->first + pick(m, m->hierarchies) },
		      path);
		/* at the same time, also for all threads */
		if (!pick(m, 3))
			learn(m, (struct task_state){ .kind = STATE_ARGS, .pid = pid }, path);
		break;
	default:
		if (pid != 1)
			end_task(m, pid);
	}
}

/* "name-5 (2)" is "name-5": while facts come, only tasks that were asked are numbered. */
static char *answer(struct names *n, struct who_cache *cache, const struct question *q)
{
	char buf[WHO_TEXT_MAX], *text, *number;
	u64 who =
		names_who(n, cache, q->what, name_key(q->pid, 1), (struct name_place){ q->ts, 2 });

	if (q->what == WHO_TGID)
		snprintf(buf, sizeof(buf), "%d", (s32)who);
	text = strdup(q->what == WHO_TGID ? buf
					  : who_text(&n->processes.sorted, q->what, who, buf));
	assert_non_null(text);
	number = q->what == WHO_CMDLINE ? NULL : strstr(text, " (");
	if (number && number[2] != 't')
		*number = '\0';
	return text;
}

static void ask(struct model *m)
{
	struct question q = { .what = (enum who_what)pick(m, N_WHO),
			      .pid = (s32)pick(m, TASKS - 1) + 1,
			      .ts = m->now - pick(m, 20) * (STEP / 3) - pick(m, 12) };

	if ((!m->runs[q.pid] && m->ended[q.pid] < m->now - STEP))
		return;
	q.text = answer(&m->live, &m->cache, &q);
	assert_int_equal(array_push(&m->asked, q), 0);
}

static void begin(struct model *m)
{
	static const u32 cpus[] = { 0, 1 };
	struct task_state in = { .kind = STATE_IN, .pid = 3, .hierarchy = m->first };

	/* as much as is known then */
	m->now = in.place.ts = KNOWN;
	for (; in.hierarchy < m->below; in.hierarchy++) {
		in.text = span_of("/group1");
		assert_int_equal(names_learn(&m->live, &in), 0);
	}
	assert_int_equal(names_go_live(&m->live, cpus, 2), 0);
	for (s32 pid = 1; pid < 9; pid++) {
		m->tgid[pid] = pid < 6 ? pid : 2;
		m->runs[pid] = true;
		snprintf(comms[pid], sizeof(comms[pid]), "known%d", pid % 10);
		learn(m, (struct task_state){ .kind = STATE_IS, .pid = pid, .other = m->tgid[pid] },
		      "");
		name(m, pid, NAME_IS, comms[pid]);
		learn(m, (struct task_state){ .kind = STATE_IN, .pid = pid }, "/");
	}
	for (in.hierarchy = m->first; in.hierarchy < m->below; in.hierarchy++)
		learn(m, in, "/group1");
	learn(m, (struct task_state){ .kind = STATE_ARGS, .pid = 2 }, "two\0args");
}

static void open_model(struct model *m)
{
	static const struct event_machine machine = { .long_size = 8 };
	const struct event_sources sources = { 0 };

	assert_int_equal(event_db_new(&m->db, NULL, 0, machine, &sources), 0);
	names_init(&m->live, m->db);
	names_init(&m->all, m->db);
	m->live.processes.asked = m->all.processes.asked = m->all.complete = true;
	begin(m);
}

/* Compare the answers with those of all facts together. */
static void close_model(struct model *m)
{
	assert_int_equal(names_build(&m->all, NULL, 0), 0);
	assert_int_equal(processes_build(&m->all, NULL, 0), 0);
	memset(&m->cache, 0, sizeof(m->cache));
	for (size_t i = 0; i < m->asked.n; i++) {
		char *want = answer(&m->all, &m->cache, &m->asked.v[i]);

		if (strcmp(want, m->asked.v[i].text) != 0)
			fail_msg("question %zu of pid %d at %llu (%d): '%s', not '%s'", i,
				 m->asked.v[i].pid, (unsigned long long)m->asked.v[i].ts,
				 m->asked.v[i].what, m->asked.v[i].text, want);
		free(want);
		free(m->asked.v[i].text);
	}
	array_release(&m->asked);
	names_release(&m->live);
	names_release(&m->all);
	event_db_free(m->db);
}

static void compare_random(struct model m)
{
	size_t most = 0;

	open_model(&m);
	for (int i = 0; i < FACTS; i++) {
		happen(&m);
		for (int k = 0; k < ASKS; k++)
			ask(&m);
		assert_int_equal(names_forget_before(&m.live, m.now - 7 * STEP), 0);
		most = m.live.changes.n > most ? m.live.changes.n : most;
	}
	/* it does not grow */
	assert_true(most < 20000);
	assert_true(m.asked.n > FACTS);
	close_model(&m);
}

/* A process is known while it has threads, however long ago its first one ended. */
static void test_leader_ended(void **state)
{
	static const enum who_what whats[] = { WHO_TGID, WHO_PROCESS, WHO_CMDLINE };
	struct model m = { .seed = 1, .hierarchies = 1, .below = 1 };

	(void)state;
	open_model(&m);
	end_task(&m, 2);
	/* a minute later, with enough changes that some are forgotten */
	m.now += 60000000000;
	for (int i = 0; i < FACTS; i++) {
		m.now += 1000;
		rename_task(&m, 1);
		assert_int_equal(names_forget_before(&m.live, m.now - STEP), 0);
	}
	assert_true(m.live.changes.n < FACTS);
	for (size_t i = 0; i < ARRAY_SIZE(whats); i++) {
		struct question q = { .what = whats[i], .pid = 6, .ts = m.now };

		q.text = answer(&m.live, &m.cache, &q);
		assert_int_equal(array_push(&m.asked, q), 0);
	}
	assert_string_equal(m.asked.v[0].text, "2");
	close_model(&m);
}

static void test_unified(void **state)
{
	(void)state;
	compare_random((struct model){ .seed = 1, .hierarchies = 1, .below = 1 });
}

static void test_version_1(void **state)
{
	(void)state;
	compare_random((struct model){ .seed = 2, .first = 3, .hierarchies = 4, .below = 5 });
}

static void test_later(void **state)
{
	(void)state;
	for (u32 seed = 3; seed < 9; seed++)
		compare_random((struct model){ .seed = seed, .hierarchies = 5 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unified),
		cmocka_unit_test(test_version_1),
		cmocka_unit_test(test_later),
		cmocka_unit_test(test_leader_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
