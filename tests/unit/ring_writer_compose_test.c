// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Composed sub-buffers are read back with the same contents: times, lengths, forms, lost records,
 * for both byte orders and word sizes.
 */
#include "unit.h"

#include "ring_writer/ring_writer.h"

enum { RECORDS = 3000, SUBBUF = 256, PAGES_MAX = RECORDS };

static const struct ring_buffer_layout layouts[] = {
	{ false, 8, SUBBUF }, { false, 4, SUBBUF }, { true, 8, SUBBUF }, { true, 4, SUBBUF }
};

struct pages {
	u8 (*v)[SUBBUF];
	size_t n, next;
	int stop_at; /* fail after this number of sub-buffers; 0: never */
};

static int keep_page(void *arg, const u8 *page)
{
	struct pages *p = arg;

	if (p->stop_at && (int)p->n + 1 == p->stop_at)
		return -HIST_EIO;
	assert_true(p->n < PAGES_MAX);
	memcpy(p->v[p->n++], page, SUBBUF);
	return 0;
}

static int next_page(void *arg, const u8 **page, size_t *len)
{
	struct pages *p = arg;

	if (p->next == p->n)
		return 1;
	*page = p->v[p->next++];
	*len = SUBBUF;
	return 0;
}

static struct pages no_pages(void)
{
	struct pages p = { .v = calloc(PAGES_MAX, SUBBUF) };

	assert_non_null(p.v);
	return p;
}

static u32 rnd(u64 *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*seed >> 33);
}

/* Record @i of the sequence with @seed; its bytes are written to @data. */
static struct ring_buffer_record make(u64 *seed, u64 *ts, u8 *data)
{
	static const u64 steps[] = {
		0, 1, 100, (1 << RINGBUF_TS_SHIFT) - 1, 1 << RINGBUF_TS_SHIFT, 1ull << 40
	};
	u32 words = rnd(seed) % 40 + 1;
	bool small = words <= 28 && rnd(seed) % 8;

	*ts += steps[rnd(seed) % ARRAY_SIZE(steps)];
	if (rnd(seed) % 50 == 0)
		*ts -= 5;
	for (u32 i = 0; i < words * 4; i++)
		data[i] = (u8)rnd(seed);
	return (struct ring_buffer_record){ .ts = *ts,
					    .data = data,
					    .len = small ? words * 4 : words * 4 - rnd(seed) % 3,
					    .type_len = small ? (u8)words : 0 };
}

static void check_round_trip(const struct ring_buffer_layout *layout, u64 seed)
{
	struct pages pages = no_pages();
	struct ring_buffer_composer c;
	struct ring_buffer_record rec, got;
	struct ring_buffer_iter it;
	u64 start = seed, ts = 1000, missed = 0;
	u8 data[256];

	assert_int_equal(ring_buffer_composer_init(&c, layout, keep_page, &pages), 0);
	for (int i = 0; i < RECORDS; i++) {
		rec = make(&seed, &ts, data);
		assert_int_equal(ring_buffer_compose(&c, &rec), 0);
		if (i % 100 == 7)
			assert_int_equal(ring_buffer_compose_missed(&c, 0, i), 0);
		missed += i % 100 == 7 ? (u64)i : 0;
	}
	assert_int_equal(ring_buffer_compose_end(&c), 0);
	ring_buffer_composer_release(&c);

	ring_buffer_iter_init(&it, layout, 0, next_page, &pages);
	seed = start;
	ts = 1000;
	for (int i = 0; i < RECORDS; i++) {
		rec = make(&seed, &ts, data);
		assert_int_equal(ring_buffer_iter_next(&it, &got), 0);
		assert_int_equal(got.ts, rec.ts);
		assert_int_equal(got.len, rec.len);
		assert_int_equal(!got.type_len, !rec.type_len);
		assert_memory_equal(got.data, rec.data, rec.len);
	}
	assert_int_equal(ring_buffer_iter_next(&it, &got), 1);
	assert_int_equal(it.missed, missed);
	assert_false(it.missed_unknown);
	assert_int_equal(it.damaged_pages, 0);
	free(pages.v);
}

static void test_round_trips(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		for (u64 seed = 1; seed <= 5; seed++)
			check_round_trip(&layouts[i], seed);
}

/* Losses with a known and an unknown number, also after the last record. */
static void test_lost(void **state)
{
	static const u8 data[8];
	const struct ring_buffer_record rec = { .ts = 50, .data = data, .len = 8, .type_len = 2 };
	struct pages pages = no_pages();
	struct ring_buffer_composer c;
	struct ring_buffer_record got;
	struct ring_buffer_iter it;

	(void)state;
	assert_int_equal(ring_buffer_composer_init(&c, &layouts[0], keep_page, &pages), 0);
	assert_int_equal(ring_buffer_compose_missed(&c, 40, 3), 0);
	assert_int_equal(ring_buffer_compose_missed(&c, 40, -1), 0);
	assert_int_equal(ring_buffer_compose(&c, &rec), 0);
	assert_int_equal(ring_buffer_compose_missed(&c, 60, 4), 0);
	assert_int_equal(ring_buffer_compose_end(&c), 0);
	assert_int_equal(ring_buffer_compose_end(&c), 0);
	ring_buffer_composer_release(&c);
	assert_int_equal(pages.n, 3);
	assert_int_equal(load_u64(pages.v[0], false), 40);
	assert_int_equal(load_u64(pages.v[2], false), 60);

	ring_buffer_iter_init(&it, &layouts[0], 0, next_page, &pages);
	assert_int_equal(ring_buffer_iter_next(&it, &got), 0);
	assert_int_equal(got.ts, 50);
	assert_int_equal(it.missed, 3);
	assert_true(it.missed_unknown);
	assert_int_equal(ring_buffer_iter_next(&it, &got), 1);
	assert_int_equal(it.missed, 7);
	free(pages.v);
}

static void test_failures(void **state)
{
	static const u8 data[SUBBUF];
	struct ring_buffer_record rec = { .ts = 50, .data = data, .len = SUBBUF };
	struct pages pages = no_pages();
	struct ring_buffer_composer c;
	int err = 0;

	(void)state;
	pages.stop_at = 2;
	assert_int_equal(ring_buffer_composer_init(&c, &layouts[0], keep_page, &pages), 0);
	assert_int_equal(ring_buffer_compose(&c, &rec), -HIST_ELIMIT);
	rec.len = 100;
	rec.type_len = 25;
	for (int i = 0; i < 5 && !err; i++)
		err = ring_buffer_compose(&c, &rec);
	assert_int_equal(err, -HIST_EIO);
	assert_int_equal(pages.n, 1);
	ring_buffer_composer_release(&c);
	free(pages.v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trips),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_failures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
