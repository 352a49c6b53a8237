// SPDX-License-Identifier: LGPL-2.1-only
/* Arrays whose elements are found by a hash of their key. */
#include "unit.h"

#include "base/base.h"

struct item {
	s32 pid;
	const char *name;
};

static void test_numbers(void **state)
{
	INDEXED(struct item) items = { .n = 0 };
	struct item *first;

	(void)state;
	assert_null(indexed_by(&items, pid, 7));
	for (s32 pid = -500; pid < 500; pid++) {
		const struct item *new =
			indexed_get(&items, pid, pid, ((struct item){ .pid = pid, .name = "a" }));

		assert_int_equal(new->pid, pid);
	}
	assert_int_equal(items.n, 1000);
	first = indexed_get(&items, pid, -500, ((struct item){ .name = "b" }));
	assert_ptr_equal(first, items.v);
	assert_string_equal(first->name, "a");
	assert_int_equal(items.n, 1000);
	assert_null(indexed_by(&items, pid, 500));
	for (s32 pid = -500; pid < 500; pid++)
		assert_ptr_equal(indexed_by(&items, pid, pid), &items.v[pid + 500]);
	indexed_release(&items);
	assert_int_equal(items.n, 0);
	assert_null(indexed_by(&items, pid, 7));
}

static void test_other_keys(void **state)
{
	static const char *const names[] = { "x", "y", "x" };
	INDEXED(struct item) items = { .n = 0 };
	u32 seen = 0;

	(void)state;
	for (s32 i = 0; i < 3; i++)
		assert_int_equal(indexed_add(&items, 1, ((struct item){ i, names[i] }))->pid, i);
	assert_int_equal(items.n, 3);
	assert_int_equal(indexed_find(&items, 1, e, !strcmp(e->name, "y"))->pid, 1);
	assert_null(indexed_find(&items, 1, e, !strcmp(e->name, "z")));
	assert_null(indexed_find(&items, 2, e, true));
	/* several elements have one key */
	assert_int_equal(indexed_find(&items, 1, e, !strcmp(e->name, "x") && e->pid)->pid, 2);
	assert_null(indexed_find(&items, 1, e, (seen |= 1U << e->pid, false)));
	assert_int_equal(seen, 7);
	assert_ptr_equal(array_find(&items, e, e->pid > 0), &items.v[1]);
	assert_null(array_find(&items, e, e->pid > 2));
	indexed_release(&items);
}

static void test_lists(void **state)
{
	INDEXED(u64) numbers = { .n = 0 };

	(void)state;
	for (u64 v = 0; v < 100; v += 3)
		assert_non_null(indexed_add(&numbers, hash_number(v), v));
	for (u64 v = 0; v < 100; v++)
		assert_int_equal(indexed_has(&numbers, v), v % 3 == 0);
	indexed_release(&numbers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_other_keys),
		cmocka_unit_test(test_lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
