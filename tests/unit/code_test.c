// SPDX-License-Identifier: LGPL-2.1-only
/* code: mappings over time (fork, exec, threads, used pids), and answers that are equal if they
 * read equal. */
#include "unit.h"
#include "random.h"

#include <stdio.h>

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
	assert_int_equal(code_maps_sort(&m), 0);

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
	assert_int_equal(code_maps_sort(&m), 0);
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
	assert_int_equal(code_maps_sort(&m), 0);
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

/* The mapping of a task at the end: the latest one, also of equal times. */
static const char *latest(const struct code_fact *facts, u32 n, s32 pid, u64 from, u64 addr)
{
	const struct code_fact *found = NULL;

	for (u32 i = 0; i < n; i++)
		if (facts[i].pid == pid && facts[i].ts >= from &&
		    addr - facts[i].addr < facts[i].size && (!found || facts[i].ts >= found->ts))
			found = &facts[i];
	return found ? found->path.s : "-";
}

/* Thousands of mappings of random places, times and sizes, some around the end of addresses. */
static void finds_the_latest_of_many(void **state)
{
	enum { MAPS = 9000, ASKS = 3000, PIDS = 3, EXEC = 40 };
	static char paths[MAPS][8];
	static struct code_fact facts[MAPS];
	struct code_maps m = { .arena = ARENA_INIT };
	u32 found = 0;

	(void)state;
	for (u32 i = 0; i < MAPS; i++) {
		struct code_fact *f = &facts[i];
		const u64 wide = (u64)(random_below(3)) << 62;

		snprintf(paths[i], sizeof(paths[i]), "/%u", i);
		*f = (struct code_fact){ .kind = CODE_MAP,
					 .pid = (s32)(random_below(PIDS)) + 1,
					 .ts = random_below(100) + 1,
					 .addr = 0ull - 500000 + random_below(1000000),
					 .size = random_below(40),
					 .path = span_of(paths[i]) };
		f->size += random_below(2000) ? 0 : wide;
		know(&m, *f);
	}
	know(&m, (struct code_fact){ .kind = CODE_EXEC, .pid = 2, .ts = EXEC });
	know(&m, (struct code_fact){ .kind = CODE_EXEC, .pid = 3, .ts = 0 });
	map(&m, 2, 101, 7, "[vdso]");
	assert_int_equal(code_maps_sort(&m), 0);
	for (u32 i = 0; i < ASKS; i++) {
		const s32 pid = (s32)(random_below(PIDS)) + 1;
		const u64 addr = 0ull - 500000 + random_below(1000000);
		const char *want = latest(facts, MAPS, pid, pid == 2 ? EXEC : 0, addr);

		if (addr - 7 >= 0x1000 || pid != 2)
			assert_string_equal(path_at(&m, pid, UINT64_MAX, addr), want);
		found += *want != '-';
	}
	assert_in_range(found, ASKS / 20, ASKS - ASKS / 20);
	code_maps_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_processes),
		cmocka_unit_test(finds_the_latest_of_many),
		cmocka_unit_test(keeps_the_rest_of_a_mapping),
		cmocka_unit_test(ends_cycles),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
