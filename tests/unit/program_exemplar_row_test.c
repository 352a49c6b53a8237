// SPDX-License-Identifier: LGPL-2.1-only
/* The largest values of a row: order, ties, signs, dropped values. */
#include <stdlib.h>

#include "base/base.h"
#include "unit.h"

#include "program/exemplar_row.h"

static void check(const struct exemplar_row *row, const char *want)
{
	struct strbuf got = STRBUF_INIT;

	for (u32 i = 0; i < row->n; i++)
		strbuf_addf(&got, "%s%lld@%llu", i ? " " : "", (long long)row->v[i].value,
			    (unsigned long long)row->v[i].at);
	assert_string_equal(got.s ? got.s : "", want);
	strbuf_release(&got);
}

static void add(struct exemplar_row *row, s64 value, u64 at, bool is_signed, bool taken)
{
	const struct exemplar new = { .value = (u64)value, .at = at };
	struct exemplar *e = exemplar_row_add(row, &new, is_signed);

	assert_int_equal(e != NULL, taken);
	if (e)
		e->cpu = (u32)at;
}

static void the_largest_come_first(void **state)
{
	struct exemplar_row *row = exemplar_row_new(3);

	(void)state;
	assert_non_null(row);
	check(row, "");
	add(row, 5, 1, false, true);
	add(row, 7, 2, false, true);
	add(row, 6, 3, false, true);
	check(row, "7@2 6@3 5@1");
	add(row, 4, 4, false, false);
	add(row, 5, 5, false, false);
	add(row, 8, 6, false, true);
	check(row, "8@6 7@2 6@3");
	assert_int_equal(row->v[1].cpu, 2);
	free(row);
}

static void ties_prefer_the_earlier(void **state)
{
	struct exemplar_row *row = exemplar_row_new(2);

	(void)state;
	add(row, 5, 10, false, true);
	add(row, 5, 11, false, true);
	add(row, 5, 12, false, false);
	add(row, 5, 9, false, true);
	check(row, "5@9 5@10");
	free(row);
}

static void with_and_without_sign(void **state)
{
	struct exemplar_row *row = exemplar_row_new(2);
	struct exemplar_row *same = exemplar_row_new(2);

	(void)state;
	add(row, -1, 1, true, true);
	add(row, -7, 2, true, true);
	add(row, 3, 3, true, true);
	check(row, "3@3 -1@1");
	add(same, -1, 1, false, true);
	add(same, -7, 2, false, true);
	add(same, 3, 3, false, false);
	check(same, "-1@1 -7@2");
	free(row);
	free(same);
}

/* The parts of a row together have the largest values of the whole row. */
static void parts_add_up(void **state)
{
	struct exemplar_row *all = exemplar_row_new(4), *sum = exemplar_row_new(4);

	(void)state;
	for (u64 part = 0; part < 5; part++) {
		struct exemplar_row *row = exemplar_row_new(4);

		for (u64 i = 0; i < 10; i++) {
			u64 at = part * 100 + i;
			const struct exemplar new = { .value = at * 7919 % 31, .at = at };

			exemplar_row_add(all, &new, false);
			exemplar_row_add(row, &new, false);
		}
		exemplar_row_merge(sum, row, false);
		free(row);
	}
	assert_int_equal(all->n, 4);
	assert_int_equal(sum->n, 4);
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(all->v[i].value, sum->v[i].value);
		assert_int_equal(all->v[i].at, sum->v[i].at);
	}
	free(all);
	free(sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_largest_come_first),
		cmocka_unit_test(ties_prefer_the_earlier),
		cmocka_unit_test(with_and_without_sign),
		cmocka_unit_test(parts_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
