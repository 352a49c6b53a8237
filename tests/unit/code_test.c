// SPDX-License-Identifier: LGPL-2.1-only
/* code: mappings over time (fork, exec, threads, used pids), and answers that are equal if they
 * read equal. */
#include "unit.h"

#include "code/maps.h"

static void know(struct code_maps *m, struct code_fact fact)
{
	assert_int_equal(code_maps_add(m, &fact), 0);
}

static void map(struct code_maps *m, s32 pid, u64 ts, u64 addr, const char *path)
{
	know(m, (struct code_fact){ .kind = CODE_MAP,
				    .pid = pid,
				    .ts = ts,
				    .addr = addr,
				    .size = 0x1000,
				    .path = span_of(path) });
}

static const char *path_at(const struct code_maps *m, s32 pid, u64 ts, u64 addr)
{
	const struct code_moment moment = code_moment_of(m, pid, ts);
	const struct code_map *map = code_map_at(m, &moment, addr);

	return map ? map->path : "-";
}

static void follows_processes(void **state)
{
	struct code_maps m = { .arena = ARENA_INIT };

	(void)state;
	map(&m, 7, 10, 0x1000, "/a");
	map(&m, 7, 30, 0x1000, "/over");
	map(&m, 7, 30, 0x9000, "/late");
	know(&m, (struct code_fact){ .kind = CODE_FORK, .pid = 8, .other = 7, .ts = 20 });
	know(&m, (struct code_fact){ .kind = CODE_THREAD, .pid = 9, .other = 8, .ts = 25 });
	map(&m, 8, 26, 0x5000, "/own");
	know(&m, (struct code_fact){ .kind = CODE_EXEC, .pid = 8, .ts = 40 });
	map(&m, 8, 41, 0x3000, "/b");
	map(&m, 8, 43, 0x7000, "[vdso]");
	/* the pid is used again */
	know(&m, (struct code_fact){ .kind = CODE_FORK, .pid = 8, .other = 7, .ts = 50 });
	code_maps_sort(&m);

	assert_string_equal(path_at(&m, 7, 9, 0x1000), "-");
	assert_string_equal(path_at(&m, 7, 10, 0x1000), "/a");
	assert_string_equal(path_at(&m, 7, 10, 0x0fff), "-");
	assert_string_equal(path_at(&m, 7, 29, 0x1fff), "/a");
	assert_string_equal(path_at(&m, 7, 30, 0x1fff), "/over");
	assert_string_equal(path_at(&m, 7, 30, 0x2000), "-");
	assert_string_equal(path_at(&m, 8, 19, 0x1000), "-");
	/* as its maker's were at that time, and its own */
	assert_string_equal(path_at(&m, 8, 39, 0x1000), "/a");
	assert_string_equal(path_at(&m, 8, 39, 0x9000), "-");
	assert_string_equal(path_at(&m, 8, 39, 0x5000), "/own");
	assert_string_equal(path_at(&m, 9, 39, 0x5000), "/own");
	assert_string_equal(path_at(&m, 9, 39, 0x1000), "/a");
	/* another program */
	assert_string_equal(path_at(&m, 8, 43, 0x1000), "-");
	assert_string_equal(path_at(&m, 8, 41, 0x3000), "/b");
	/* while it is executed, the stack is that of the caller of execve() */
	assert_string_equal(path_at(&m, 8, 41, 0x1000), "/a");
	assert_string_equal(path_at(&m, 9, 41, 0x3000), "/b");
	/* another process */
	assert_string_equal(path_at(&m, 8, 50, 0x3000), "-");
	assert_string_equal(path_at(&m, 8, 50, 0x9000), "/late");
	code_maps_release(&m);
}

/* What a later mapping does not cover is still that of the one before. */
static void keeps_the_rest_of_a_mapping(void **state)
{
	struct code_maps m = { .arena = ARENA_INIT };

	(void)state;
	know(&m, (struct code_fact){ .kind = CODE_MAP,
				     .pid = 7,
				     .ts = 10,
				     .addr = 0x1000,
				     .size = 0x3000,
				     .path = span_of("/first") });
	map(&m, 7, 20, 0x2000, "/over");
	code_maps_sort(&m);
	assert_string_equal(path_at(&m, 7, 30, 0x1fff), "/first");
	assert_string_equal(path_at(&m, 7, 30, 0x2000), "/over");
	assert_string_equal(path_at(&m, 7, 30, 0x3000), "/first");
	assert_string_equal(path_at(&m, 7, 30, 0x4000), "-");
	code_maps_release(&m);
}

/* Tasks that are each other's makers or threads end a search. */
static void ends_cycles(void **state)
{
	struct code_maps m = { .arena = ARENA_INIT };

	(void)state;
	know(&m, (struct code_fact){ .kind = CODE_FORK, .pid = 1, .other = 2, .ts = 5 });
	know(&m, (struct code_fact){ .kind = CODE_FORK, .pid = 2, .other = 1, .ts = 5 });
	know(&m, (struct code_fact){ .kind = CODE_THREAD, .pid = 3, .other = 3, .ts = 5 });
	map(&m, 4, UINT64_MAX, UINT64_MAX - 0x10, "/end");
	code_maps_sort(&m);
	assert_string_equal(path_at(&m, 1, 9, 0x1000), "-");
	assert_string_equal(path_at(&m, 3, 9, 0x1000), "-");
	assert_string_equal(path_at(&m, 4, UINT64_MAX, UINT64_MAX), "/end");
	assert_string_equal(path_at(&m, 4, UINT64_MAX, 5),
			    "/end"); /* importers refuse such a size */
	code_maps_release(&m);
}

static int facts_of_test(void *arg, struct code *code)
{
	const struct code_fact map = { .kind = CODE_MAP,
				       .pid = 7,
				       .addr = 0x1000,
				       .size = 0x2000,
				       .path = span_of("/no/such/file") };

	(void)arg;
	return code_know(code, &map);
}

static const char *answer(struct code *c, enum code_what what, enum code_where where, u64 addr)
{
	const struct code_at at = { .pid = 7, .ts = 1, .where = where, .addr = addr };
	const char *text;
	size_t n;

	code_texts(c, what, code_answer(c, what, &at), &text, &n);
	assert_int_equal(n, 1);
	return text;
}

static void answers(void **state)
{
	const u64 user[] = { 0x1000, 0x1008 }, others[] = { 0x1010, 0x2000 };
	struct code_at at = { .pid = 7, .ts = 1, .user = user, .n_user = 2 };
	struct event_db *db;
	struct code *c;
	const char *room;
	u64 stack;
	size_t n;

	(void)state;
	assert_int_equal(event_db_new(&db, NULL, 0, (struct event_machine){ .long_size = 8 }, NULL),
			 0);
	c = code_new(db, &(struct code_sources){ NULL, facts_of_test });
	assert_non_null(c);
	assert_string_equal(answer(c, CODE_SYM, CODE_USER, 0x1000), "[unknown]");
	assert_string_equal(answer(c, CODE_DSO, CODE_USER, 0x1000), "file");
	assert_string_equal(answer(c, CODE_DSO, CODE_USER, 0x3000), "[unknown]");
	assert_string_equal(answer(c, CODE_DSO, CODE_KERNEL, 0x1000), "[unknown]");
	assert_string_equal(answer(c, CODE_DSO, CODE_GUEST, 0x1000), "[guest]");
	assert_string_equal(answer(c, CODE_SRCLINE, CODE_USER, 0x1000), "??:0");
	/* stacks that read equal are equal */
	stack = code_answer(c, CODE_USTACK, &at);
	assert_string_equal(code_texts(c, CODE_USTACK, stack, &room, &n)[0], "[file]");
	assert_int_equal(n, 2);
	at.user = others;
	assert_int_equal(code_answer(c, CODE_USTACK, &at), stack);
	at.n_user = 1;
	assert_int_not_equal(code_answer(c, CODE_USTACK, &at), stack);
	assert_false(code_failed(c));
	code_free(c);
	event_db_free(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_processes),
		cmocka_unit_test(keeps_the_rest_of_a_mapping),
		cmocka_unit_test(ends_cycles),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
