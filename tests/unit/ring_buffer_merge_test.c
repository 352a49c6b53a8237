// SPDX-License-Identifier: LGPL-2.1-only
/* Iterators over the sub-buffers of a CPU; the merge of several, compared with a sort. */
#include "unit.h"

#include "ring_buffer_draft.h"

/* --- iterators --- */

struct book {
	const struct draft *pages;
	const int *errors; /* result in place of page i, if not 0 */
	size_t n, next;
};

static int turn(void *source, const u8 **page, size_t *len)
{
	struct book *book = source;
	size_t i = book->next++;

	if (i >= book->n)
		return 1;
	*page = book->pages[i].bytes;
	*len = SUBBUF;
	return book->errors ? book->errors[i] : 0;
}

static void test_iterator(void **state)
{
	static const int errors[] = { 0, 0, -HIST_EFORMAT, 0, 0, 0, 0 };
	struct draft pages[7];
	struct book book = { pages, errors, ARRAY_SIZE(pages), 0 };
	struct ring_buffer_iter it;
	struct ring_buffer_record rec;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = draft_of(&layouts[0], i ? i * 100 : 1);
		draft_commit(&pages[i], 0);
	}
	/*
	 * an empty page, one with a record, an error, an invalid commit, lost events, damage, a
	 * hole
	 */
	put_data(&pages[1], 0, 1, false);
	put_data(&pages[2], 0, 1, false);
	draft_commit(&pages[3], SUBBUF);
	put_data(&pages[4], 0, 1, false);
	put_u32(&pages[4], 33);
	draft_commit(&pages[4], 8 | RB_MISSED_EVENTS | RB_MISSED_STORED);
	put_data(&pages[5], 0, 1, false);
	put_word(&pages[5], 20, 0);
	pages[6] = draft_of(&layouts[0], 0);
	draft_commit(&pages[6], 0);

	ring_buffer_iter_init(&it, &layouts[0], 3, turn, &book);
	it.stored = true;
	assert_int_equal(ring_buffer_iter_next(&it, &rec), 0);
	assert_int_equal(rec.ts, 100);
	assert_int_equal(ring_buffer_iter_next(&it, &rec), -HIST_EFORMAT);
	assert_int_equal(ring_buffer_iter_next(&it, &rec), 0);
	assert_int_equal(rec.ts, 400);
	assert_int_equal(it.missed, 33);
	assert_int_equal(ring_buffer_iter_next(&it, &rec), 0);
	assert_int_equal(rec.ts, 500);
	assert_int_equal(ring_buffer_iter_next(&it, &rec), 1);
	assert_int_equal(ring_buffer_iter_next(&it, &rec), 1);
	assert_int_equal(it.damaged_pages, 3);
	assert_false(it.missed_unknown);
}

/* Types that are not selected are skipped, also across pages with no other types. */
static void test_keep(void **state)
{
	static const u8 keep[4] = { 0, 0, 1, 0 };
	static const u32 first[] = { 1, 2, 3, 3, 9, 2 };

	(void)state;
	for (size_t l = 0; l < ARRAY_SIZE(layouts); l++) {
		struct draft pages[3];
		struct book book = { pages, NULL, ARRAY_SIZE(pages), 0 };
		struct ring_buffer_iter it;
		struct ring_buffer_record rec;

		for (size_t i = 0; i < ARRAY_SIZE(first); i++) {
			struct draft *d = &pages[i / 2];

			if (i % 2 == 0)
				*d = draft_of(&layouts[l], i * 100);
			put_word(d, 1, (u32)(i % 2));
			put_u32(d, layouts[l].big_endian ? first[i] << 16 : first[i]);
		}
		ring_buffer_iter_init(&it, &layouts[l], 0, turn, &book);
		it.keep = keep;
		it.n_keep = ARRAY_SIZE(keep);
		assert_int_equal(ring_buffer_iter_next(&it, &rec), 0);
		assert_int_equal(rec.ts, 1);
		assert_int_equal(ring_buffer_iter_next(&it, &rec), 0);
		assert_int_equal(rec.ts, 401);
		assert_int_equal(ring_buffer_iter_next(&it, &rec), 1);
	}
}

/* --- merge --- */

struct expected {
	u64 ts;
	u32 cpu;
	size_t index, order;
};

static int by_time(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->index != y->index)
		return x->index < y->index ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* @n iterators with repeated CPU numbers, and times that are often equal. */
static void check_merge(size_t n, u32 spread)
{
	struct draft pages[32];
	struct book books[32];
	struct ring_buffer_iter iters[32];
	struct expected all[32 * 40];
	struct ring_buffer_merge m;
	struct ring_buffer_merged out[16];
	size_t total = 0, done = 0;
	int got;

	for (size_t i = 0; i < n; i++) {
		u32 cpu = random_u32() % 8, records = random_u32() % 40;
		u64 ts = 1000 + random_u32() % spread;

		pages[i] = draft_of(&layouts[0], ts);
		draft_commit(&pages[i], 0);
		for (u32 k = 0; k < records; k++) {
			u32 delta = k ? random_u32() % spread : 0;

			ts += delta;
			put_data(&pages[i], delta, 1, false);
			all[total] = (struct expected){ ts, cpu, i, total };
			total++;
		}
		books[i] = (struct book){ &pages[i], NULL, 1, 0 };
		ring_buffer_iter_init(&iters[i], &layouts[0], cpu, turn, &books[i]);
	}
	qsort(all, total, sizeof(*all), by_time);
	assert_int_equal(ring_buffer_merge_init(&m, iters, n), 0);
	while ((got = ring_buffer_merge_next(&m, out, 1 + (int)(random_u32() % 16))) > 0) {
		for (int i = 0; i < got; i++, done++) {
			assert_true(done < total);
			assert_int_equal(out[i].rec->ts, all[done].ts);
			assert_int_equal(out[i].index, all[done].index);
		}
	}
	assert_int_equal(got, 0);
	assert_int_equal(done, total);
	assert_int_equal(ring_buffer_merge_next(&m, out, 1), 0);
	ring_buffer_merge_release(&m);
}

static void test_merge(void **state)
{
	(void)state;
	for (size_t n = 0; n <= 32; n++)
		for (u32 spread = 1; spread < 1000; spread *= 7)
			check_merge(n, spread);
}

/* A source that sometimes fails does not affect records of other sources. */
static void test_merge_errors(void **state)
{
	static const int errors[2][3] = { { -HIST_EFORMAT, 0, 0 }, { 0, -HIST_ENOMEM, 0 } };
	static const int want[] = { -HIST_EFORMAT, 1, -HIST_ENOMEM, 1, 1, 1, 0 };
	static const u64 ts[] = { 0, 10, 0, 30, 40, 50 };
	struct draft pages[2][3];
	struct book books[2];
	struct ring_buffer_iter iters[2];
	struct ring_buffer_merge m;
	struct ring_buffer_merged out;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < 3; k++) {
			pages[i][k] = draft_of(&layouts[0], k * 20 + (i ? 10 : 0));
			put_data(&pages[i][k], 0, 1, false);
		}
		books[i] = (struct book){ pages[i], errors[i], 3, 0 };
		ring_buffer_iter_init(&iters[i], &layouts[0], (u32)i, turn, &books[i]);
	}
	/* CPU 0 has 30 and 40, CPU 1 has 10 and 50 */
	pages[0][1] = draft_of(&layouts[0], 30);
	put_data(&pages[0][1], 0, 1, false);
	assert_int_equal(ring_buffer_merge_init(&m, iters, 2), 0);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(ring_buffer_merge_next(&m, &out, 1), want[i]);
		if (want[i] > 0)
			assert_int_equal(out.rec->ts, ts[i]);
	}
	ring_buffer_merge_release(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_iterator),
		TEST(test_keep),
		TEST(test_merge),
		TEST(test_merge_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
