// SPDX-License-Identifier: LGPL-2.1-only
/* Processes, command lines and cgroups of tasks over time, and the answers to questions. */
#include "unit.h"

#include <stdio.h>

#include "names/name_run.h"

enum { THREAD = 0x10000 };

struct fixture {
	struct event_db *db;
	struct names names;
	struct who_cache cache;
};

static int saved_names(void *arg, struct span *text)
{
	*text = span_of(arg);
	return 0;
}

static int setup(void **state)
{
	static const struct event_machine machine = { .long_size = 8 };
	const struct event_sources sources = { .cmdlines = saved_names,
					       .arg = (void *)(uintptr_t) "77 late\n" };
	struct fixture *f = calloc(1, sizeof(*f));

	assert_int_equal(event_db_new(&f->db, NULL, 0, machine, &sources), 0);
	names_init(&f->names, f->db);
	f->names.processes.asked = true;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	names_release(&f->names);
	event_db_free(f->db);
	free(f);
	return 0;
}

static void learn(struct fixture *f, struct task_state fact, u64 ts, const char *text)
{
	fact.place.ts = ts;
	fact.text = span_of(text);
	assert_int_equal(names_learn(&f->names, &fact), 0);
}

static void name(struct fixture *f, s32 pid, enum name_fact fact, u64 ts, const char *text)
{
	assert_int_equal(names_state(&f->names, pid, fact, ts, span_of(text)), 0);
}

static void rename_task(struct fixture *f, s32 pid, u64 ts, const char *from, const char *to)
{
	name(f, pid, NAME_IS, ts, from);
	name(f, pid, NAME_BECOMES, ts, to);
}

static void build(struct fixture *f)
{
	struct names_seen *none = NULL;

	assert_int_equal(names_build(&f->names, &none, 0), 0);
	assert_int_equal(names_add_idle(&f->names, 1), 0);
	assert_int_equal(processes_build(&f->names, &none, 0), 0);
	memset(&f->cache, 0, sizeof(f->cache));
}

/* The answer, twice: also from the cache. */
static void check(struct fixture *f, enum who_what what, s32 pid, u64 ts, const char *want)
{
	for (int i = 0; i < 2; i++) {
		char buf[WHO_TEXT_MAX];
		u64 answer = names_who(&f->names, &f->cache, what, name_key(pid, 1),
				       (struct name_place){ ts, 2 });

		if (what == WHO_TGID)
			snprintf(buf, sizeof(buf), "%d", (s32)answer);
		assert_string_equal(what == WHO_TGID ? buf
						     : who_text(&f->names.processes.sorted, what,
								answer, buf),
				    want);
	}
}

static void state_process(struct fixture *f, s32 pid, const char *text)
{
	name(f, pid, NAME_IS, 10, text);
	learn(f, (struct task_state){ .kind = STATE_IS, .pid = pid, .other = pid, .parent = 1 }, 10,
	      "");
}

static void test_threads(void **state)
{
	struct fixture *f = *state;

	state_process(f, 5, "web");
	learn(f, (struct task_state){ .kind = STATE_IS, .pid = 6, .other = 5, .parent = 1 }, 10,
	      "");
	name(f, 6, NAME_IS, 10, "old-thread");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 5 }, 10,
	      "/system.slice/web.service");
	learn(f, (struct task_state){ .kind = STATE_ARGS, .pid = 5 }, 10, "web -x");
	name(f, 7, NAME_BORN, 20, "web");
	learn(f, (struct task_state){ .kind = STATE_BORN, .pid = 7, .other = 6, .flags = THREAD },
	      20, "");
	rename_task(f, 7, 25, "web", "new-thread");
	rename_task(f, 5, 30, "web", "server");
	build(f);
	check(f, WHO_TASK, 6, 15, "old-thread-6");
	check(f, WHO_PROCESS, 6, 15, "web-5");
	check(f, WHO_CGROUP, 6, 15, "/system.slice/web.service");
	check(f, WHO_CMDLINE, 6, 15, "web -x");
	check(f, WHO_PROCESS, 7, 26, "web-5");
	check(f, WHO_TASK, 7, 26, "new-thread-7");
	check(f, WHO_CGROUP, 7, 26, "/system.slice/web.service");
	check(f, WHO_TGID, 7, 26, "5");
	check(f, WHO_PROCESS, 7, 31, "server-5");
	assert_int_equal(names_task_at(&f->names, 7, 0, (struct name_place){ 26, 2 }).parent, 1);
}

/* The journal sees sched_process_exec later than the recording, which has it at 32. */
static void test_exec(void **state)
{
	struct fixture *f = *state;
	struct task_state exec = { .kind = STATE_EXECED, .pid = 5, .other = 5 },
			  args = { .kind = STATE_ARGS, .pid = 5 };

	f->names.complete = true;
	state_process(f, 5, "sh");
	learn(f, (struct task_state){ .kind = STATE_ARGS, .pid = 5 }, 10, "sh -c");
	rename_task(f, 5, 30, "sh", "dd");
	learn(f, exec, 35, "/bin/dd");
	learn(f, args, 35, "dd if=a");
	/* of the same name, and a program whose arguments are not known */
	rename_task(f, 5, 50, "dd", "dd");
	learn(f, exec, 55, "/bin/dd");
	learn(f, args, 55, "dd if=b");
	rename_task(f, 5, 70, "dd", "cat");
	learn(f, exec, 75, "/bin/cat");
	build(f);
	check(f, WHO_CMDLINE, 5, 29, "sh -c");
	check(f, WHO_CMDLINE, 5, 32, "dd if=a");
	check(f, WHO_CMDLINE, 5, 49, "dd if=a");
	check(f, WHO_CMDLINE, 5, 52, "dd if=b");
	check(f, WHO_CMDLINE, 5, 72, "/bin/cat");
}

static void test_reuse(void **state)
{
	struct fixture *f = *state;

	state_process(f, 1, "init");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 1 }, 10, "/a/b/c");
	name(f, 9, NAME_BORN, 20, "init");
	learn(f, (struct task_state){ .kind = STATE_BORN, .pid = 9, .other = 1 }, 20, "");
	rename_task(f, 9, 22, "init", "first");
	learn(f, (struct task_state){ .kind = STATE_EXECED, .pid = 9, .other = 9 }, 22,
	      "/bin/first");
	learn(f, (struct task_state){ .kind = STATE_MOVED, .pid = 9 }, 24, "/x");
	/* the same pid is a thread of init */
	name(f, 9, NAME_BORN, 40, "init");
	learn(f, (struct task_state){ .kind = STATE_BORN, .pid = 9, .other = 1, .flags = THREAD },
	      40, "");
	f->names.processes.cgroup_depth = 2;
	build(f);
	check(f, WHO_CMDLINE, 9, 23, "/bin/first");
	check(f, WHO_CGROUP, 9, 23, "/a/b");
	check(f, WHO_CGROUP, 9, 25, "/x");
	check(f, WHO_PROCESS, 9, 25, "first-9");
	check(f, WHO_PROCESS, 9, 41, "init-1");
	check(f, WHO_CGROUP, 9, 41, "/a/b");
	check(f, WHO_CMDLINE, 9, 41, "[init]");
}

/* The texts of one name and id: each task has its own. */
static void test_same_name(void **state)
{
	struct fixture *f = *state;
	const struct task_state born = { .kind = STATE_BORN, .pid = 8, .other = 5 };
	const struct task_state ended = { .kind = STATE_ENDED, .pid = 8 };

	state_process(f, 5, "sh");
	/* what /proc knew is the task that was just born */
	learn(f, (struct task_state){ .kind = STATE_IS, .pid = 8, .other = 8, .parent = 5 }, 10,
	      "");
	name(f, 8, NAME_IS, 10, "sh");
	learn(f, born, 12, "");
	name(f, 8, NAME_BORN, 12, "sh");
	name(f, 8, NAME_IS, 20, "sh");
	learn(f, ended, 20, "");
	learn(f, born, 30, "");
	name(f, 8, NAME_BORN, 30, "sh");
	rename_task(f, 8, 32, "sh", "dd");
	rename_task(f, 8, 34, "dd", "sh");
	name(f, 8, NAME_IS, 40, "sh");
	learn(f, ended, 40, "");
	learn(f, born, 50, "");
	name(f, 8, NAME_BORN, 50, "sh");
	rename_task(f, 8, 52, "sh", "dd");
	name(f, 8, NAME_IS, 60, "dd");
	learn(f, ended, 60, "");
	/* never named dd */
	learn(f, born, 70, "");
	name(f, 8, NAME_BORN, 70, "sh");
	name(f, 8, NAME_IS, 80, "sh");
	learn(f, ended, 80, "");
	learn(f, born, 90, "");
	name(f, 8, NAME_BORN, 90, "dd");
	build(f);
	check(f, WHO_TASK, 8, 11, "sh-8");
	check(f, WHO_TASK, 8, 15, "sh-8");
	check(f, WHO_PROCESS, 8, 31, "sh-8 (2)");
	check(f, WHO_TASK, 8, 33, "dd-8");
	check(f, WHO_TASK, 8, 35, "sh-8 (2)");
	check(f, WHO_TASK, 8, 51, "sh-8 (3)");
	check(f, WHO_PROCESS, 8, 53, "dd-8 (2)");
	check(f, WHO_TASK, 8, 75, "sh-8 (4)");
	check(f, WHO_TASK, 8, 95, "dd-8 (3)");
	check(f, WHO_PROCESS, 5, 53, "sh-5");
}

/* The journal of a later recording: the times at which tasks were made tell whether it is the same.
 */
static void test_two_journals(void **state)
{
	struct fixture *f = *state;

	for (u64 ts = 10; ts <= 30; ts += 10) {
		for (s32 pid = 5; pid <= 6; pid++) {
			name(f, pid, NAME_IS, ts, "sh");
			learn(f,
			      (struct task_state){ .kind = STATE_IS,
						   .pid = pid,
						   .other = pid,
						   .flags = pid == 6 && ts == 30 ? 9 : 1 },
			      ts, "");
		}
	}
	build(f);
	check(f, WHO_PROCESS, 5, 35, "sh-5");
	check(f, WHO_PROCESS, 6, 25, "sh-6");
	check(f, WHO_PROCESS, 6, 35, "sh-6 (2)");
}

/* Without any exit, each birth is another task. */
static void test_only_births(void **state)
{
	struct fixture *f = *state;

	for (u64 ts = 10; ts <= 30; ts += 10) {
		learn(f, (struct task_state){ .kind = STATE_BORN, .pid = 8, .other = 5 }, ts, "");
		name(f, 8, NAME_BORN, ts, "sh");
	}
	build(f);
	check(f, WHO_TASK, 8, 15, "sh-8");
	check(f, WHO_TASK, 8, 25, "sh-8 (2)");
	check(f, WHO_TASK, 8, 35, "sh-8 (3)");
}

static void test_unknown(void **state)
{
	struct fixture *f = *state;

	/* no journal: a fork may have made a thread, a leader executes with its own pid */
	learn(f,
	      (struct task_state){
		      .kind = STATE_BORN, .pid = 8, .other = 3, .flags = STATE_FLAGS_UNKNOWN },
	      20, "");
	learn(f,
	      (struct task_state){
		      .kind = STATE_BORN, .pid = 9, .other = 3, .flags = STATE_FLAGS_UNKNOWN },
	      21, "");
	learn(f, (struct task_state){ .kind = STATE_EXECED, .pid = 9, .other = 9 }, 30, "/bin/ls");
	build(f);
	check(f, WHO_PROCESS, 8, 25, "? (thread 8)");
	check(f, WHO_TGID, 8, 25, "-1");
	check(f, WHO_PROCESS, 9, 25, "<...>-9");
	check(f, WHO_CMDLINE, 9, 25, "? (thread 9)");
	check(f, WHO_CMDLINE, 9, 31, "/bin/ls");
	check(f, WHO_CGROUP, 9, 31, "?");
	check(f, WHO_TASK, 77, 31, "late-77");
	check(f, WHO_PROCESS, 0, 31, "swapper/1-0");
	check(f, WHO_CGROUP, 0, 31, "/");
	check(f, WHO_TGID, 0, 31, "0");
}

static void test_cgroups(void **state)
{
	struct fixture *f = *state;

	state_process(f, 5, "a");
	state_process(f, 6, "b");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 5 }, 10, "/");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 5, .hierarchy = 4 }, 10, "/v1");
	/* born in another cgroup of version 2 than its parent, and moved later */
	learn(f,
	      (struct task_state){
		      .kind = STATE_BORN, .pid = 7, .other = 5, .flags = 0x200000000ull },
	      20, "");
	learn(f, (struct task_state){ .kind = STATE_MOVED, .pid = 7, .hierarchy = 4 }, 30,
	      "/later");
	build(f);
	check(f, WHO_CGROUP, 5, 15, "/v1");
	check(f, WHO_CGROUP, 6, 15, "/");
	check(f, WHO_CGROUP, 7, 25, "/v1");
	check(f, WHO_CGROUP, 7, 31, "/later");
	assert_int_equal(f->names.processes.hierarchy, 4);
	assert_int_equal(f->names.processes.hierarchies, 1 << 4);
}

/* Which hierarchy is the answer, and which others there are: what is later does not change it. */
static void test_hierarchies(void **state)
{
	struct fixture *f = *state;

	state_process(f, 5, "a");
	state_process(f, 6, "b");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 5, .hierarchy = 4 }, 10, "/four");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 5, .hierarchy = 7 }, 10, "/seven");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 6, .hierarchy = 7 }, 10, "/other");
	learn(f, (struct task_state){ .kind = STATE_MOVED, .pid = 5 }, 20, "/unified");
	learn(f, (struct task_state){ .kind = STATE_MOVED, .pid = 6, .hierarchy = 4 }, 20, "/more");
	learn(f, (struct task_state){ .kind = STATE_MOVED, .pid = 6, .hierarchy = 4 }, 21, "/most");
	build(f);
	check(f, WHO_CGROUP, 5, 15, "/seven");
	check(f, WHO_CGROUP, 5, 25, "/seven");
	assert_int_equal(f->names.processes.hierarchy, 7);
	assert_int_equal(f->names.processes.hierarchies, 1 | 1 << 4 | 1 << 7);
}

static void test_unified(void **state)
{
	struct fixture *f = *state;

	state_process(f, 5, "a");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 5 }, 10, "/unified");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 5, .hierarchy = 7 }, 10, "/seven");
	build(f);
	check(f, WHO_CGROUP, 5, 15, "/unified");
	assert_int_equal(f->names.processes.hierarchy, 0);
	assert_int_equal(f->names.processes.hierarchies, 1 | 1 << 7);
}

static void test_born_elsewhere(void **state)
{
	struct fixture *f = *state;

	state_process(f, 5, "a");
	learn(f, (struct task_state){ .kind = STATE_IN, .pid = 5 }, 10, "/a");
	for (s32 pid = 7; pid < 9; pid++)
		learn(f,
		      (struct task_state){
			      .kind = STATE_BORN, .pid = pid, .other = 5, .flags = 0x200000000ull },
		      20, "");
	learn(f, (struct task_state){ .kind = STATE_MOVED, .pid = 7 }, 20, "");
	learn(f, (struct task_state){ .kind = STATE_MOVED, .pid = 8 }, 20, "/b");
	build(f);
	check(f, WHO_CGROUP, 5, 25, "/a");
	check(f, WHO_CGROUP, 7, 25, "?");
	check(f, WHO_CGROUP, 8, 25, "/b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
		cmocka_unit_test_setup_teardown(test_exec, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reuse, setup, teardown),
		cmocka_unit_test_setup_teardown(test_same_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_two_journals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_only_births, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cgroups, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hierarchies, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unified, setup, teardown),
		cmocka_unit_test_setup_teardown(test_born_elsewhere, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
