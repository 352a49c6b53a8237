// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sub-buffers with every type of entry, byte order and word size; damage; the inlined path compared
 * with the general one.
 */
#include "unit.h"

#include "ring_buffer_draft.h"

static void expect(struct ring_buffer_page *pg, u64 ts, u32 len)
{
	struct ring_buffer_record rec;

	assert_int_equal(ring_buffer_page_next(pg, &rec), 0);
	assert_int_equal(rec.ts, ts);
	assert_int_equal(rec.len, len);
	assert_ptr_equal(rec.data + len > pg->end ? NULL : rec.data, rec.data);
}

static void expect_end(struct ring_buffer_page *pg, bool damaged)
{
	struct ring_buffer_record rec;

	assert_int_equal(ring_buffer_page_next(pg, &rec), 1);
	assert_int_equal(ring_buffer_page_next(pg, &rec), 1);
	assert_int_equal(pg->damaged, damaged);
}

static void test_every_type(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct draft d = draft_of(&layouts[i], 5000);
		struct ring_buffer_page pg;

		put_data(&d, 0, 2, false);
		put_data(&d, 7, 28, false);
		put_data(&d, 3, 40, true);
		put_stamp(&d, RINGBUF_TYPE_TIME_EXTEND, (9ull << RINGBUF_TS_SHIFT) + 1);
		put_data(&d, 0, 3, false);
		put_word(&d, RINGBUF_TYPE_PADDING, 10); /* a discarded record of 2 words */
		put_u32(&d, 8);
		put_payload(&d, 1);
		put_data(&d, 5, 1, false);
		put_stamp(&d, RINGBUF_TYPE_TIME_STAMP, 77777777777);
		put_data(&d, 0, 2, true);
		put_word(&d, RINGBUF_TYPE_PADDING, 0); /* the rest of the page */
		put_payload(&d, 5);

		pg = open_draft(&d);
		assert_int_equal(pg.missed, 0);
		assert_int_equal(pg.page_ts, 5000);
		expect(&pg, 5000, 8);
		expect(&pg, 5007, 112);
		expect(&pg, 5010, 160);
		expect(&pg, 5011 + (9ull << RINGBUF_TS_SHIFT), 12);
		expect(&pg, 5026 + (9ull << RINGBUF_TS_SHIFT), 4);
		expect(&pg, 77777777777, 8);
		expect_end(&pg, false);
	}
}

/* The long form contains the number of bytes; the next entry starts at the next word. */
static void test_odd_length(void **state)
{
	struct draft d = draft_of(&layouts[0], 1);
	struct ring_buffer_page pg;

	(void)state;
	put_word(&d, 0, 0);
	put_u32(&d, 4 + 5);
	put_payload(&d, 2);
	put_data(&d, 1, 1, false);
	pg = open_draft(&d);
	expect(&pg, 1, 5);
	expect(&pg, 2, 4);
	expect_end(&pg, false);
}

static u64 stamp_after(u64 page_ts, u64 stamp)
{
	struct draft d = draft_of(&layouts[0], page_ts);
	struct ring_buffer_record rec;
	struct ring_buffer_page pg;

	put_stamp(&d, RINGBUF_TYPE_TIME_STAMP, stamp);
	put_data(&d, 0, 1, false);
	pg = open_draft(&d);
	assert_int_equal(ring_buffer_page_next(&pg, &rec), 0);
	return rec.ts;
}

/* An absolute time stamp has 59 bits. */
static void test_absolute_stamps(void **state)
{
	const u64 all = (1ull << 59) - 1;

	(void)state;
	assert_int_equal(stamp_after(100, 200), 200);
	assert_int_equal(stamp_after(200, 100), 100);
	assert_int_equal(stamp_after(5ull << 59 | 100, 200), 5ull << 59 | 200);
	assert_int_equal(stamp_after(5ull << 59 | all, 3), 6ull << 59 | 3);
	assert_int_equal(stamp_after(100, all), all);
}

static void test_missed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct draft d = draft_of(&layouts[i], 0);
		struct ring_buffer_page pg;
		u32 data;

		put_data(&d, 0, 2, false);
		data = d.used;
		if (d.layout.long_size == 8 && d.layout.big_endian)
			put_u32(&d, 0);
		put_u32(&d, 2604);
		draft_commit(&d, data | RB_MISSED_EVENTS);
		assert_int_equal(open_draft(&d).missed, -1);
		draft_commit(&d, data | RB_MISSED_EVENTS | RB_MISSED_STORED);
		assert_int_equal(open_draft(&d).missed, 2604);
		draft_commit(&d, data | RB_MISSED_STORED);
		assert_int_equal(open_draft(&d).missed, 0);
		/* sign-extended, as 64-bit kernels write it */
		if (d.layout.long_size == 8)
			store_u64(d.bytes + 8,
				  0xffffffff00000000 | RB_MISSED_EVENTS | RB_MISSED_STORED | data,
				  d.layout.big_endian);
		pg = open_draft(&d);
		expect(&pg, 0, 8);
		expect_end(&pg, false);

		/* no space for the number */
		draft_commit(&d, (SUBBUF - ring_buffer_header_size(&d.layout)) | RB_MISSED_EVENTS |
					 RB_MISSED_STORED);
		assert_int_equal(open_draft(&d).missed, -1);
	}
}

static void test_wrong_commit(void **state)
{
	struct draft d = draft_of(&layouts[0], 0);
	struct ring_buffer_page pg;
	struct ring_buffer_record rec;

	(void)state;
	put_data(&d, 0, 2, false);
	draft_commit(&d, SUBBUF - 16);
	assert_int_equal(ring_buffer_page_open(&pg, &d.layout, d.bytes, SUBBUF), 0);
	draft_commit(&d, SUBBUF - 15);
	assert_int_equal(ring_buffer_page_open(&pg, &d.layout, d.bytes, SUBBUF), -HIST_EFORMAT);
	assert_int_equal(ring_buffer_page_next(&pg, &rec), 1);
	for (size_t len = 0; len < 16; len++) {
		assert_int_equal(ring_buffer_page_open(&pg, &d.layout, d.bytes, len),
				 -HIST_EFORMAT);
		assert_int_equal(ring_buffer_page_next(&pg, &rec), 1);
	}
}

/* An invalid entry after a valid one: the valid one is returned. */
static void check_damage(u32 type, u32 delta, u32 array, u32 words)
{
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct draft d = draft_of(&layouts[i], 9);
		struct ring_buffer_page pg;

		put_data(&d, 0, 1, false);
		put_word(&d, type, delta);
		if (words)
			put_u32(&d, array);
		if (words > 1)
			put_payload(&d, words - 1);
		pg = open_draft(&d);
		expect(&pg, 9, 4);
		expect_end(&pg, true);
	}
}

static void test_damage(void **state)
{
	(void)state;
	check_damage(3, 0, 0, 2);
	check_damage(1, 0, 0, 0);
	check_damage(0, 0, 0, 0);
	check_damage(0, 0, 0, 4); /* zeros within the commit */
	check_damage(0, 0, 3, 4);
	check_damage(0, 0, 24, 5);
	check_damage(0, 0, 0xffffffff, 5);
	check_damage(RINGBUF_TYPE_PADDING, 1, 0, 4);
	check_damage(RINGBUF_TYPE_PADDING, 1, 24, 5);
	check_damage(RINGBUF_TYPE_PADDING, 1, 0xfffffffd, 5);
	check_damage(RINGBUF_TYPE_PADDING, 1, 0, 0);
	check_damage(RINGBUF_TYPE_TIME_EXTEND, 0, 0, 0);
	check_damage(RINGBUF_TYPE_TIME_STAMP, 0, 0, 0);
}

/* --- both paths, on random pages --- */

static void random_page(struct draft *d)
{
	u32 room = SUBBUF - ring_buffer_header_size(&d->layout);

	while (d->used + 160 < room) {
		u32 delta = random_u32() & 0xffff;

		switch (random_u32() % 8) {
		case 0:
			put_stamp(d, RINGBUF_TYPE_TIME_EXTEND, random_u32());
			break;
		case 1:
			put_stamp(d, RINGBUF_TYPE_TIME_STAMP, random_u32());
			break;
		case 2:
			put_word(d, RINGBUF_TYPE_PADDING, delta + 1);
			put_u32(d, 12);
			put_payload(d, 2);
			break;
		case 3:
			put_data(d, delta, 1 + random_u32() % 30, true);
			break;
		default:
			put_data(d, delta, 1 + random_u32() % 28, false);
			break;
		}
	}
}

static void assert_same(const struct ring_buffer_record *a, const struct ring_buffer_record *b)
{
	assert_int_equal(a->ts, b->ts);
	assert_ptr_equal(a->data, b->data);
	assert_int_equal(a->len, b->len);
	assert_int_equal(a->offset, b->offset);
	assert_int_equal(a->delta, b->delta);
	assert_int_equal(a->type_len, b->type_len);
}

static void compare_paths(const struct draft *d, size_t len)
{
	struct ring_buffer_page fast, plain;
	struct ring_buffer_record a, b;
	int end, err = ring_buffer_page_open(&fast, &d->layout, d->bytes, len);

	assert_int_equal(ring_buffer_page_open(&plain, &d->layout, d->bytes, len), err);
	for (u32 n = 0;; n++) {
		end = ring_buffer_page_next(&fast, &a);
		assert_int_equal(ring_buffer_page_next_any(&plain, &b), end);
		assert_int_equal(fast.damaged, plain.damaged);
		if (end)
			break;
		assert_same(&a, &b);
		assert_true(a.data + a.len <= d->bytes + len);
		assert_true(n < SUBBUF);
	}
}

/* --- several records at once --- */

struct one_page {
	const u8 *bytes;
	size_t len;
};

static int read_once(void *source, const u8 **page, size_t *len)
{
	struct one_page *left = source;

	*page = left->bytes;
	*len = left->len;
	left->bytes = NULL;
	return *page ? 0 : 1;
}

static struct ring_buffer_iter iter_of(const struct draft *d, struct one_page *page)
{
	static u8 keep[3000]; /* some ids; larger ones are not selected */
	struct ring_buffer_iter it;

	for (u32 i = 0; i < sizeof(keep); i++)
		keep[i] = i % 5 < 3;
	ring_buffer_iter_init(&it, &d->layout, 0, read_once, page);
	it.keep = keep;
	it.n_keep = sizeof(keep);
	return it;
}

static void compare_kept(const struct draft *d, size_t len)
{
	struct one_page unread = { NULL, 0 };
	const struct ring_buffer_iter it = iter_of(d, &unread);
	struct ring_buffer_page fast, plain;
	struct ring_buffer_record a, b;
	int end;

	ring_buffer_page_open(&fast, &d->layout, d->bytes, len);
	ring_buffer_page_open(&plain, &d->layout, d->bytes, len);
	do {
		end = ring_buffer_page_next_kept(&fast, it.keep, it.n_keep, NULL, &a);
		while (!ring_buffer_page_next_any(&plain, &b) && !ring_buffer_iter_keeps(&it, &b))
			;
		assert_ptr_equal(fast.p, plain.p);
		assert_int_equal(fast.ts, plain.ts);
		assert_int_equal(fast.damaged, plain.damaged);
		if (end)
			break;
		assert_same(&a, &b);
	} while (!end);
	assert_ptr_equal(fast.p, fast.end);
}

static void compare_fill(const struct draft *d, size_t len)
{
	struct one_page a = { d->bytes, len }, b = a;
	struct ring_buffer_iter one = iter_of(d, &a), some = iter_of(d, &b);
	struct ring_buffer_record want, recs[8];
	int n, end;

	do {
		n = ring_buffer_iter_fill(&some, recs, 1 + (int)(random_u32() % 8));
		for (int i = 0; i < n; i++) {
			assert_int_equal(ring_buffer_iter_next(&one, &want), 0);
			assert_same(&recs[i], &want);
		}
	} while (n);
	end = ring_buffer_iter_next(&one, &want);
	assert_int_equal(end, 1);
	assert_int_equal(some.damaged_pages, one.damaged_pages);
	assert_int_equal(some.times.first, one.times.first);
	assert_int_equal(some.times.last, one.times.last);
}

static void test_paths_agree(void **state)
{
	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct draft d = draft_of(&layouts[i % 4], random_u32());

		random_page(&d);
		compare_paths(&d, SUBBUF);
		compare_fill(&d, SUBBUF);
		compare_kept(&d, SUBBUF);
		compare_fill(&d, random_u32() % SUBBUF);
		compare_kept(&d, random_u32() % SUBBUF);
		/* cut anywhere */
		compare_paths(&d, random_u32() % SUBBUF);
		/* and with a few flipped bits */
		for (int k = 0; k < 3; k++)
			d.bytes[random_u32() % SUBBUF] ^= (u8)(1u << (random_u32() % 8));
		compare_paths(&d, SUBBUF);
		compare_fill(&d, SUBBUF);
		compare_kept(&d, SUBBUF);
	}
}

/*
 * A page that is cut by the end of the file returns its complete records, and is not counted as
 * damaged.
 */
static void test_cut(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct draft d = draft_of(&layouts[i], 0);
		u32 header = ring_buffer_header_size(&layouts[i]);

		for (int k = 0; k < 10; k++)
			put_data(&d, 1, 3, k & 1);
		for (size_t len = header; len < SUBBUF; len++) {
			struct ring_buffer_page pg;
			struct ring_buffer_record rec;
			u32 n = 0, whole = (u32)(len - header) / 36 * 2;

			whole += (len - header) % 36 >= 16;
			assert_int_equal(ring_buffer_page_open(&pg, &d.layout, d.bytes, len), 0);
			while (!ring_buffer_page_next(&pg, &rec))
				n++;
			assert_int_equal(n, min_t(u32, whole, 10));
			assert_false(pg.damaged);
		}
	}
}

/* Every entry with its own time. */
static void test_raw(void **state)
{
	static const u8 types[] = { 2, RINGBUF_TYPE_TIME_EXTEND, 0, RINGBUF_TYPE_PADDING };
	struct draft d = draft_of(&layouts[2], 50);
	struct ring_buffer_record rec;
	struct ring_buffer_page pg;
	u32 end = 8 + 8;

	(void)state;
	put_data(&d, 0, 2, false);
	put_stamp(&d, RINGBUF_TYPE_TIME_EXTEND, 1ull << 30);
	put_data(&d, 4, 2, true);
	put_word(&d, RINGBUF_TYPE_PADDING, 0);
	put_payload(&d, 3);
	pg = open_draft(&d);
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		assert_int_equal(ring_buffer_page_raw(&pg, &rec), 0);
		assert_int_equal(rec.type_len, types[i]);
		assert_int_equal(rec.offset, end);
		end = (u32)(rec.data - d.bytes) + rec.len;
	}
	assert_int_equal(rec.ts, 54 + (1ull << 30));
	assert_int_equal(end, 16 + d.used);
	assert_int_equal(ring_buffer_page_raw(&pg, &rec), 1);
}

/* A record that the kernel discarded after an absolute time: its delta of 1 was 0. */
static void test_late(void **state)
{
	_Alignas(8) u8 bytes[64] = { 0 };
	const struct ring_buffer_layout layout = { .long_size = 8, .subbuf_size = sizeof(bytes) };
	static const u32 words[] = {
		1u << 5 | RINGBUF_TYPE_PADDING,
		8,
		0, /* first */
		10u << 5 | 1,
		0, /* a record, 10 later */
		1u << 5 | RINGBUF_TYPE_PADDING,
		8,
		0, /* not after a time stamp: 1 later */
		5u << 5 | 1,
		0,
	};
	struct ring_buffer_record rec;
	struct ring_buffer_page pg;

	(void)state;
	store_u64(bytes, 1000, false);
	store_u64(bytes + 8, sizeof(words), false);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		store_u32(bytes + 16 + 4 * i, words[i], false);
	assert_int_equal(ring_buffer_page_open(&pg, &layout, bytes, sizeof(bytes)), 0);
	assert_int_equal(ring_buffer_page_next(&pg, &rec), 0);
	assert_int_equal(rec.ts, 1010);
	assert_int_equal(pg.late, 1);
	assert_int_equal(ring_buffer_page_next(&pg, &rec), 0);
	assert_int_equal(rec.ts, 1016);
	assert_int_equal(ring_buffer_page_next(&pg, &rec), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_every_type),  TEST(test_odd_length),   TEST(test_absolute_stamps),
		TEST(test_missed),      TEST(test_wrong_commit), TEST(test_damage),
		TEST(test_paths_agree), TEST(test_cut),          TEST(test_raw),
		TEST(test_late),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
