// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A single writer: sizes, the bytes of each type of event, ends of sub-buffers, full rings,
 * reading, snapshots. The expected numbers were observed on kernels.
 */
#include "unit.h"

#include "kernel_ring/whole.h"

enum { PAGE = 4096, DATA = 4080 };

static u64 now;
static enum kernel_ring_context context;

static u64 clock_now(void *arg, u32 cpu)
{
	(void)arg;
	(void)cpu;
	return now;
}

static enum kernel_ring_context context_now(void *arg, u32 cpu)
{
	(void)arg;
	(void)cpu;
	return context;
}

static const struct ring_buffer_layout layouts[] = {
	{ false, 8, PAGE },
	{ false, 4, PAGE },
	{ true, 8, PAGE },
	{ true, 4, PAGE },
};

static struct kernel_ring *new_buffer_as(size_t size, bool overwrite,
					 const struct ring_buffer_layout *layout)
{
	struct kernel_ring *buffer;
	const struct kernel_ring_options options = {
		.nr_cpus = 2,
		.size = size,
		.overwrite = overwrite,
		.layout = *layout,
		.host = { .clock = clock_now, .context = context_now },
	};

	now = 1000;
	context = KERNEL_RING_NORMAL;
	assert_int_equal(kernel_ring_alloc(&options, &buffer), 0);
	return buffer;
}

static struct kernel_ring *new_buffer(size_t size)
{
	return new_buffer_as(size, true, &layouts[0]);
}

/* Write a payload of @length bytes that contains @id. */
static int put(struct kernel_ring *buffer, u32 id, size_t length)
{
	u8 data[8192];

	memset(data, (int)id, sizeof(data));
	memcpy(data, &id, sizeof(id));
	return kernel_ring_write(buffer, 0, length, data);
}

static struct kernel_ring_stats stats_of(const struct kernel_ring *buffer)
{
	struct kernel_ring_stats stats;

	kernel_ring_stats(buffer, 0, &stats);
	assert_false(stats.broken);
	return stats;
}

/* The entries of CPU 0 as they are in the buffer. */
static size_t entries_of(const struct kernel_ring *buffer, const struct ring_buffer_layout *layout,
			 struct ring_buffer_record *recs, size_t max)
{
	struct kernel_ring_walk walk;
	struct ring_buffer_page pg;
	const u8 *bytes;
	size_t len, n = 0;

	assert_int_equal(kernel_ring_read_start(&walk, buffer, 0), 0);
	while (!kernel_ring_walk_page(&walk, &bytes, &len)) {
		assert_int_equal(ring_buffer_page_open(&pg, layout, bytes, len), 0);
		while (n < max && !ring_buffer_page_raw(&pg, &recs[n]))
			n++;
		assert_false(pg.damaged);
	}
	kernel_ring_read_finish(&walk);
	return n;
}

/* The ids of the records that @read_page returns. */
static size_t ids_from(ring_buffer_read_page_fn read_page, void *source,
		       const struct ring_buffer_layout *layout, u32 *ids, size_t max)
{
	struct ring_buffer_iter it;
	struct ring_buffer_record rec;
	size_t n = 0;

	ring_buffer_iter_init(&it, layout, 0, read_page, source);
	while (n < max && !ring_buffer_iter_next(&it, &rec))
		memcpy(&ids[n++], rec.data, sizeof(*ids));
	assert_int_equal(it.damaged_pages, 0);
	return n;
}

static size_t ids_of(const struct kernel_ring *buffer, u32 *ids, size_t max)
{
	const struct ring_buffer_layout layout = { false, 8, kernel_ring_subbuf_size_get(buffer) };
	struct kernel_ring_walk walk;
	size_t n;

	assert_int_equal(kernel_ring_read_start(&walk, buffer, 0), 0);
	n = ids_from(kernel_ring_walk_page, &walk, &layout, ids, max);
	kernel_ring_read_finish(&walk);
	return n;
}

/* --- size --- */

/* buffer_size_kb after writing KB to it, before and after changing buffer_subbuf_size_kb. */
static void test_size(void **state)
{
	static const struct {
		size_t kb, shown;
		u32 order;
		size_t then;
	} sizes[] = {
		{ 1, 7, 0, 7 },    { 4, 7, 0, 7 },       { 8, 11, 0, 11 },  { 9, 11, 0, 11 },
		{ 12, 15, 0, 15 }, { 16, 19, 0, 19 },    { 24, 27, 0, 27 }, { 32, 35, 0, 35 },
		{ 64, 67, 0, 67 }, { 100, 103, 0, 103 }, { 32, 35, 2, 47 }, { 20, 23, 1, 23 },
		{ 20, 23, 3, 63 }, { 200, 203, 4, 255 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		struct kernel_ring *buffer = new_buffer(1 << 20);

		assert_int_equal(
			kernel_ring_resize(buffer, sizes[i].kb << 10, KERNEL_RING_ALL_CPUS), 0);
		assert_int_equal(kernel_ring_size(buffer, 0) >> 10, sizes[i].shown);
		assert_int_equal(kernel_ring_subbuf_order_set(buffer, sizes[i].order), 0);
		assert_int_equal(kernel_ring_size(buffer, 1) >> 10, sizes[i].then);
		assert_int_equal(kernel_ring_subbuf_size_get(buffer), PAGE << sizes[i].order);
		assert_int_equal(kernel_ring_max_event_size(buffer), DATA - 8);
		kernel_ring_free(buffer);
	}
}

static void test_size_of_one_cpu(void **state)
{
	struct kernel_ring *buffer = new_buffer(8 << 10);

	(void)state;
	assert_int_equal(kernel_ring_resize(buffer, 64 << 10, 1), 0);
	assert_int_equal(kernel_ring_size(buffer, 0), 3 * DATA);
	assert_int_equal(kernel_ring_size(buffer, 1), 17 * DATA);
	assert_int_equal(kernel_ring_size(buffer, 2), 0);
	kernel_ring_free(buffer);
}

static void test_size_that_cannot_be(void **state)
{
	struct kernel_ring *buffer = new_buffer(8 << 10), *none;
	struct kernel_ring_options o = { .nr_cpus = 1,
					 .layout = layouts[0],
					 .host = { .clock = clock_now } };

	(void)state;
	assert_int_equal(kernel_ring_resize(buffer, 8192, 2), -HIST_EINVAL);
	assert_int_equal(kernel_ring_resize(buffer, SIZE_MAX, 0), -HIST_ENOMEM);
	assert_int_equal(kernel_ring_subbuf_order_set(buffer, 9), -HIST_EINVAL);
	assert_int_equal(kernel_ring_subbuf_order_set(buffer, 32), -HIST_EINVAL);
	assert_int_equal(kernel_ring_size(buffer, 0), 3 * DATA);
	kernel_ring_free(buffer);

	o.layout.subbuf_size = 4095;
	assert_int_equal(kernel_ring_alloc(&o, &none), -HIST_EINVAL);
	o.layout.subbuf_size = 2 << 20;
	assert_int_equal(kernel_ring_alloc(&o, &none), -HIST_EINVAL);
	o.layout = (struct ring_buffer_layout){ false, 5, PAGE };
	assert_int_equal(kernel_ring_alloc(&o, &none), -HIST_EINVAL);
	o.layout = layouts[0];
	o.nr_cpus = 0;
	assert_int_equal(kernel_ring_alloc(&o, &none), -HIST_EINVAL);
}

/* --- events --- */

/* Bytes in the buffer for each length of data, in every layout; the data is read back. */
static void test_lengths(void **state)
{
	static const size_t lengths[][2] = {
		{ 0, 8 },     { 1, 8 },       { 4, 8 },       { 5, 16 },
		{ 8, 16 },    { 9, 16 },      { 12, 16 },     { 13, 20 },
		{ 111, 116 }, { 112, 116 },   { 113, 124 },   { 116, 124 },
		{ 117, 128 }, { 4000, 4008 }, { 4071, 4080 }, { 4072, 4080 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths) * ARRAY_SIZE(layouts); i++) {
		const struct ring_buffer_layout *layout = &layouts[i % ARRAY_SIZE(layouts)];
		size_t length = lengths[i / ARRAY_SIZE(layouts)][0];
		struct kernel_ring *buffer = new_buffer_as(1 << 16, true, layout);
		struct ring_buffer_record recs[3];

		assert_int_equal(put(buffer, 7, 0), 0);
		assert_int_equal(stats_of(buffer).bytes, 8);
		kernel_ring_reset(buffer);
		assert_int_equal(put(buffer, 0x01010101, length), 0);
		assert_int_equal(stats_of(buffer).bytes, lengths[i / ARRAY_SIZE(layouts)][1]);
		assert_int_equal(entries_of(buffer, layout, recs, 3), 1);
		assert_int_equal(recs[0].len,
				 ALIGN_UP(max_t(size_t, length, 1), 4) +
					 (length > 4 && length <= 8 ? 12 - ALIGN_UP(length, 4)
								    : 0));
		assert_int_equal(recs[0].ts, now);
		kernel_ring_free(buffer);
	}
}

static void test_too_long(void **state)
{
	struct kernel_ring *buffer = new_buffer(1 << 16);

	(void)state;
	assert_int_equal(put(buffer, 1, DATA - 7), 1);
	assert_int_equal(kernel_ring_subbuf_order_set(buffer, 2), 0);
	assert_int_equal(put(buffer, 1, DATA - 8), 0);
	assert_int_equal(put(buffer, 1, DATA - 7),
			 1); /* kernel: the limit does not depend on larger sub-buffers */
	kernel_ring_set_time_stamp_abs(buffer, true);
	assert_int_equal(kernel_ring_max_event_size(buffer), DATA - 16);
	assert_int_equal(stats_of(buffer).entries, 1);
	kernel_ring_free(buffer);
}

static void test_data_comes_back(void **state)
{
	struct kernel_ring *buffer = new_buffer(1 << 16);
	struct ring_buffer_record rec;
	struct kernel_ring_walk walk;
	struct ring_buffer_iter it;
	u8 want[300];

	(void)state;
	for (size_t i = 0; i < sizeof(want); i++)
		want[i] = (u8)(i * 7);
	for (size_t n = 1; n < sizeof(want); n++)
		assert_int_equal(kernel_ring_write(buffer, 0, n, want), 0);
	assert_int_equal(kernel_ring_read_start(&walk, buffer, 0), 0);
	ring_buffer_iter_init(&it, &layouts[0], 0, kernel_ring_walk_page, &walk);
	for (size_t n = 1; n < sizeof(want); n++) {
		assert_int_equal(ring_buffer_iter_next(&it, &rec), 0);
		assert_memory_equal(rec.data, want, n);
	}
	assert_int_equal(ring_buffer_iter_next(&it, &rec), 1);
	kernel_ring_read_finish(&walk);
	kernel_ring_free(buffer);
}

/* --- time --- */

static void check_entry(const struct ring_buffer_record *rec, u32 type, u64 ts)
{
	assert_int_equal(rec->type_len, type);
	assert_true(rec->ts == ts);
}

static void test_delta_and_extend(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct kernel_ring *buffer = new_buffer_as(1 << 16, true, &layouts[i]);
		struct ring_buffer_record recs[10] = { 0 };

		put(buffer, 1, 4);
		now += (1 << 27) - 1;
		put(buffer, 2, 4);
		now += 1 << 27;
		put(buffer, 3, 4);
		now += 1ull << 58;
		put(buffer, 4, 4);
		assert_int_equal(entries_of(buffer, &layouts[i], recs, 10), 6);
		check_entry(&recs[0], 1, 1000);
		check_entry(&recs[1], 1, 1000 + (1 << 27) - 1);
		assert_int_equal(recs[1].delta, (1 << 27) - 1);
		check_entry(&recs[2], RINGBUF_TYPE_TIME_EXTEND, 1000 + (1 << 28) - 1);
		check_entry(&recs[3], 1, 1000 + (1 << 28) - 1);
		assert_int_equal(recs[3].delta, 0);
		check_entry(&recs[4], RINGBUF_TYPE_TIME_EXTEND, now);
		check_entry(&recs[5], 1, now);
		assert_int_equal(stats_of(buffer).bytes, 4 * 8 + 2 * 8);
		kernel_ring_free(buffer);
	}
}

/* kernel: a time extend of zero; time continues from there */
static void test_clock_goes_back(void **state)
{
	struct kernel_ring *buffer = new_buffer(1 << 16);
	struct ring_buffer_record recs[10] = { 0 };

	(void)state;
	put(buffer, 1, 4);
	now -= 600;
	put(buffer, 2, 4);
	now += 10;
	put(buffer, 3, 4);
	assert_int_equal(entries_of(buffer, &layouts[0], recs, 10), 4);
	check_entry(&recs[1], RINGBUF_TYPE_TIME_EXTEND, 1000);
	check_entry(&recs[2], 1, 1000);
	check_entry(&recs[3], 1, 1010);
	kernel_ring_free(buffer);
}

/* 59 bits are stored; the upper bits are those of the previous time. */
static void test_absolute(void **state)
{
	static const u64 starts[] = { 5, 1ull << 40, (1ull << 59) - 10, 0xa8ull << 56,
				      UINT64_MAX - 50 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(starts) * ARRAY_SIZE(layouts); i++) {
		const struct ring_buffer_layout *layout = &layouts[i % ARRAY_SIZE(layouts)];
		struct kernel_ring *buffer = new_buffer_as(1 << 16, true, layout);
		struct ring_buffer_record recs[10] = { 0 };

		now = starts[i / ARRAY_SIZE(layouts)];
		kernel_ring_set_time_stamp_abs(buffer, true);
		for (u32 id = 0; id < 4; id++, now += 7)
			put(buffer, id, 4);
		now -= 4 * 7;
		assert_int_equal(entries_of(buffer, layout, recs, 10), 8);
		for (u32 id = 0; id < 4; id++, now += 7) {
			/* without upper bits, an overflow into them cannot be detected */
			u64 ts = starts[i / ARRAY_SIZE(layouts)] >> 59 ? now
								       : now & ((1ull << 59) - 1);

			check_entry(&recs[2 * id], RINGBUF_TYPE_TIME_STAMP, ts);
			check_entry(&recs[2 * id + 1], 1, ts);
		}
		kernel_ring_free(buffer);
	}
}

static void test_event_time_stamp(void **state)
{
	struct kernel_ring *buffer = new_buffer(1 << 16);
	struct kernel_ring_event *outer, *inner;

	(void)state;
	outer = kernel_ring_lock_reserve(buffer, 0, 4);
	assert_non_null(outer);
	assert_int_equal(kernel_ring_event_time_stamp(buffer, 0), 1000);
	now = 1100;
	context = KERNEL_RING_IRQ;
	inner = kernel_ring_lock_reserve(buffer, 0, 4);
	assert_non_null(inner);
	assert_int_equal(kernel_ring_event_time_stamp(buffer, 0), 1100);
	kernel_ring_unlock_commit(buffer, 0);
	assert_int_equal(stats_of(buffer).entries, 1);
	assert_int_equal(kernel_ring_event_time_stamp(buffer, 0), 1000);
	kernel_ring_unlock_commit(buffer, 0);
	assert_int_equal(stats_of(buffer).entries, 2);
	kernel_ring_free(buffer);
}

/* --- discard --- */

/* Discarding the last event leaves nothing, but the next event has an absolute time. */
static void test_discard_last(void **state)
{
	struct kernel_ring *buffer = new_buffer(1 << 16);
	struct ring_buffer_record recs[10] = { 0 };

	(void)state;
	put(buffer, 1, 4);
	now += 10;
	kernel_ring_discard_commit(buffer, 0, kernel_ring_lock_reserve(buffer, 0, 40));
	assert_int_equal(stats_of(buffer).bytes, 8);
	now += 10;
	put(buffer, 2, 4);
	assert_int_equal(entries_of(buffer, &layouts[0], recs, 10), 3);
	check_entry(&recs[1], RINGBUF_TYPE_TIME_STAMP, 1020);
	check_entry(&recs[2], 1, 1020);
	assert_int_equal(stats_of(buffer).entries, 2);
	/* kernel: for an event with a time stamp, only the length of the stamp is subtracted */
	kernel_ring_discard_commit(buffer, 0, kernel_ring_lock_reserve(buffer, 0, 4));
	kernel_ring_discard_commit(buffer, 0, kernel_ring_lock_reserve(buffer, 0, 36));
	assert_int_equal(stats_of(buffer).bytes, 8 + 16 + 40);
	kernel_ring_free(buffer);
}

/* An event that is followed by another one becomes padding when discarded. */
static void test_discard_in_the_middle(void **state)
{
	static const size_t lengths[] = { 4, 40, 112, 113, 1000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct kernel_ring *buffer = new_buffer(1 << 16);
		struct kernel_ring_event *outer;
		struct ring_buffer_record recs[10] = { 0 };
		u32 ids[4];

		put(buffer, 1, 4);
		now += 10;
		outer = kernel_ring_lock_reserve(buffer, 0, lengths[i]);
		kernel_ring_nest_start(buffer, 0);
		now += 10;
		put(buffer, 2, 4);
		kernel_ring_nest_end(buffer, 0);
		kernel_ring_discard_commit(buffer, 0, outer);
		assert_int_equal(entries_of(buffer, &layouts[0], recs, 10), 3);
		check_entry(&recs[1], RINGBUF_TYPE_PADDING, 1010);
		check_entry(&recs[2], 1, 1020);
		assert_int_equal(ids_of(buffer, ids, 4), 2);
		assert_int_equal(ids[1], 2);
		assert_int_equal(stats_of(buffer).entries, 2);
		kernel_ring_free(buffer);
	}
}

/* --- contexts --- */

static void test_recursion(void **state)
{
	struct kernel_ring *buffer = new_buffer(1 << 16);
	u32 depth = 0;

	(void)state;
	for (context = KERNEL_RING_NORMAL; context <= KERNEL_RING_NMI; context++, depth++)
		assert_non_null(kernel_ring_lock_reserve(buffer, 0, 4));
	context = KERNEL_RING_IRQ; /* once more: an interrupt that is not marked as one yet */
	assert_non_null(kernel_ring_lock_reserve(buffer, 0, 4));
	for (context = KERNEL_RING_NORMAL; context <= KERNEL_RING_NMI; context++)
		assert_null(kernel_ring_lock_reserve(buffer, 0, 4));
	for (depth++; depth; depth--)
		kernel_ring_unlock_commit(buffer, 0);
	context = KERNEL_RING_NORMAL;
	assert_int_equal(put(buffer, 1, 4), 0);
	assert_int_equal(stats_of(buffer).entries, 6);
	kernel_ring_free(buffer);
}

/* Synthetic events are generated by events: the same context, each on the next level. */
static void test_nest(void **state)
{
	struct kernel_ring *buffer = new_buffer(1 << 16);
	u32 depth;

	(void)state;
	for (depth = 0; kernel_ring_lock_reserve(buffer, 0, 4); depth++)
		kernel_ring_nest_start(buffer, 0);
	assert_true(depth == 5 || depth == 6);
	kernel_ring_nest_end(buffer, 0);
	while (depth--) {
		kernel_ring_unlock_commit(buffer, 0);
		if (depth)
			kernel_ring_nest_end(buffer, 0);
	}
	kernel_ring_free(buffer);
}

static void test_off(void **state)
{
	struct kernel_ring *buffer = new_buffer(1 << 16);
	struct kernel_ring_event *event;

	(void)state;
	event = kernel_ring_lock_reserve(buffer, 0, 4);
	assert_true(kernel_ring_record_is_set_on(buffer));
	kernel_ring_record_off(buffer);
	assert_false(kernel_ring_record_is_set_on(buffer));
	assert_int_equal(put(buffer, 1, 4), 1);
	assert_non_null(event);
	kernel_ring_unlock_commit(buffer, 0); /* an event that was reserved is recorded */
	assert_int_equal(stats_of(buffer).entries, 1);
	kernel_ring_record_on(buffer);
	assert_int_equal(put(buffer, 1, 4), 0);
	assert_int_equal(put(buffer, 1, 4), 0);
	assert_null(kernel_ring_lock_reserve(buffer, 2, 4));
	kernel_ring_free(buffer);
}

/* --- full rings --- */

/* Ends of sub-buffers: no space left, a single word, padding; the next event is in the next one. */
static void test_end_of_subbuffer(void **state)
{
	(void)state;
	for (size_t left = 0; left <= 64; left += 4) {
		struct kernel_ring *buffer = new_buffer(1 << 16);
		struct ring_buffer_record recs[10] = { 0 };
		size_t n;
		u32 ids[4];

		put(buffer, 1, DATA - left - 8);
		now += 5;
		put(buffer, 2, 60);
		n = entries_of(buffer, &layouts[0], recs, 10);
		assert_int_equal(n, left >= 8 && left < 64 ? 3 : 2);
		check_entry(&recs[n - 1], 15, 1005);
		assert_int_equal(recs[n - 1].delta, left == 64 ? 5 : 0);
		if (n == 3)
			assert_int_equal(recs[1].type_len, RINGBUF_TYPE_PADDING);
		assert_int_equal(ids_of(buffer, ids, 4), 2);
		assert_int_equal(stats_of(buffer).bytes,
				 DATA - left + 64 + (left >= 8 && left < 64 ? left : 0));
		kernel_ring_free(buffer);
	}
}

static void test_overwrite(void **state)
{
	struct kernel_ring *buffer = new_buffer(8 << 10); /* 3 x 10 events of 408 bytes */
	u32 ids[40];

	(void)state;
	for (u32 id = 0; id < 100; id++) {
		size_t n;

		assert_int_equal(put(buffer, id, 400), 0);
		n = ids_of(buffer, ids, 40);
		assert_int_equal(n, id < 30 ? id + 1 : 20 + id % 10 + 1);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(ids[i], id - n + 1 + i);
		assert_int_equal(stats_of(buffer).entries, n);
		assert_int_equal(stats_of(buffer).overrun, id + 1 - n);
		assert_int_equal(stats_of(buffer).bytes, 408 * n);
	}
	assert_int_equal(stats_of(buffer).oldest_event_ts, 1000);
	kernel_ring_free(buffer);
}

static void test_no_overwrite(void **state)
{
	struct kernel_ring *buffer = new_buffer_as(8 << 10, false, &layouts[0]);
	u32 ids[40];

	(void)state;
	for (u32 id = 0; id < 100; id++)
		assert_int_equal(put(buffer, id, 400), id >= 30);
	assert_int_equal(ids_of(buffer, ids, 40), 30);
	assert_int_equal(ids[29], 29);
	assert_int_equal(stats_of(buffer).dropped_events, 70);
	assert_int_equal(stats_of(buffer).overrun, 0);
	assert_int_equal(put(buffer, 100, 1), 1);
	kernel_ring_change_overwrite(buffer, true);
	assert_int_equal(put(buffer, 100, 400), 0);
	assert_int_equal(ids_of(buffer, ids, 40), 21);
	kernel_ring_free(buffer);
}

/* An uncommitted event protects its sub-buffer: interrupts cannot overtake it. */
static void test_commit_overrun(void **state)
{
	struct kernel_ring *buffer = new_buffer(8 << 10);
	u32 id = 0, ids[40];

	(void)state;
	assert_non_null(kernel_ring_lock_reserve(buffer, 0, 400));
	context = KERNEL_RING_IRQ;
	while (!put(buffer, ++id, 400))
		;
	assert_int_equal(id, 30);
	assert_int_equal(stats_of(buffer).commit_overrun, 1);
	context = KERNEL_RING_NORMAL;
	kernel_ring_unlock_commit(buffer, 0);
	assert_int_equal(ids_of(buffer, ids, 40), 30);
	assert_int_equal(ids[29], 29);
	assert_int_equal(put(buffer, 50, 400), 0);
	assert_int_equal(ids_of(buffer, ids, 40), 21);
	kernel_ring_free(buffer);
}

/* --- reading --- */

struct pages {
	struct kernel_ring *buffer;
	_Alignas(8) u8 bytes[PAGE << 2];
	bool full;
};

static int take_page(void *source, const u8 **page, size_t *len)
{
	struct pages *p = source;

	*page = p->bytes;
	*len = kernel_ring_subbuf_size_get(p->buffer);
	memset(p->bytes, 0xa5, sizeof(p->bytes));
	return kernel_ring_read_page(p->buffer, 0, p->bytes, p->full);
}

static void test_read_page(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++) {
		struct pages p = { .buffer = new_buffer_as(8 << 10, true, &layouts[i]) };
		struct ring_buffer_page pg;
		const u8 *bytes;
		size_t len;
		u32 id = 0, ids[40];

		assert_int_equal(take_page(&p, &bytes, &len), 1);
		for (; id < 45; id++, now++)
			put(p.buffer, id, 392);
		/* 20 were overwritten before the first event that is read */
		assert_int_equal(take_page(&p, &bytes, &len), 0);
		assert_int_equal(ring_buffer_page_open(&pg, &layouts[i], bytes, len), 0);
		assert_int_equal(pg.missed, 20);
		assert_int_equal(pg.page_ts, 1020);
		assert_int_equal(pg.end - pg.p, 4000); /* without the padding */
		assert_int_equal(stats_of(p.buffer).read_events, 10);
		p.full = true; /* one more is full; the writer is on the last one */
		assert_int_equal(ids_from(take_page, &p, &layouts[i], ids, 40), 10);
		assert_int_equal(ids[0], 30);
		p.full = false;
		assert_int_equal(ids_from(take_page, &p, &layouts[i], ids, 40), 5);
		assert_int_equal(ids[0], 40);
		assert_int_equal(stats_of(p.buffer).entries, 0);
		assert_int_equal(stats_of(p.buffer).bytes, 0);
		kernel_ring_free(p.buffer);
	}
}

/* 4080 bytes of events leave no space for the number of lost events. */
static void test_missed_without_number(void **state)
{
	(void)state;
	for (size_t left = 0; left <= 16; left += 4) {
		struct pages p = { .buffer = new_buffer(8 << 10) };
		struct ring_buffer_page pg;
		const u8 *bytes;
		size_t len;

		for (u32 id = 0; id < 5; id++)
			put(p.buffer, id, DATA - left - 8);
		assert_int_equal(take_page(&p, &bytes, &len), 0);
		assert_int_equal(ring_buffer_page_open(&pg, &layouts[0], bytes, len), 0);
		assert_int_equal(pg.missed, left < 8 ? -1 : 2);
		assert_int_equal(take_page(&p, &bytes, &len), 0);
		assert_int_equal(ring_buffer_page_open(&pg, &layouts[0], bytes, len), 0);
		assert_int_equal(pg.missed, 0);
		kernel_ring_free(p.buffer);
	}
}

/* Reading the page of the writer: each call continues, and the first event has its own time. */
static void test_read_page_of_writer(void **state)
{
	struct pages p = { .buffer = new_buffer(8 << 10) };
	struct ring_buffer_page pg;
	struct ring_buffer_record rec;
	const u8 *bytes;
	size_t len;

	(void)state;
	for (u32 id = 0; id < 1000; id++) {
		now += id % 7 ? 3 : 1ull << 28;
		assert_int_equal(put(p.buffer, id, 4 + id % 200), 0);
		assert_int_equal(stats_of(p.buffer).entries, 1);
		assert_int_equal(take_page(&p, &bytes, &len), 0);
		assert_int_equal(ring_buffer_page_open(&pg, &layouts[0], bytes, len), 0);
		assert_int_equal(ring_buffer_page_next(&pg, &rec), 0);
		assert_int_equal(load_u32(rec.data, HOST_IS_BIG), id);
		assert_int_equal(rec.ts, now);
		assert_int_equal(ring_buffer_page_next(&pg, &rec), 1);
		assert_int_equal(take_page(&p, &bytes, &len), 1);
		assert_int_equal(stats_of(p.buffer).bytes, 0);
	}
	assert_int_equal(stats_of(p.buffer).overrun, 0);
	assert_int_equal(stats_of(p.buffer).read_events, 1000);
	kernel_ring_free(p.buffer);
}

/*
 * An iteration returns what a reader would get, including partly read pages, and consumes nothing.
 */
static void test_walk_after_read(void **state)
{
	struct pages p = { .buffer = new_buffer(8 << 10) };
	u32 id = 0, ids[64], again[64];
	size_t n;

	(void)state;
	for (int round = 0; round < 40; round++) {
		const u8 *bytes;
		size_t len;

		for (int i = 0; i < round; i++, now++)
			put(p.buffer, id++, 400);
		n = ids_of(p.buffer, ids, 64);
		assert_int_equal(n, stats_of(p.buffer).entries);
		assert_int_equal(ids_of(p.buffer, again, 64), n);
		assert_memory_equal(ids, again, n * sizeof(*ids));
		if (round % 3)
			take_page(&p, &bytes, &len);
	}
	n = ids_of(p.buffer, ids, 64);
	assert_int_equal(ids_from(take_page, &p, &layouts[0], again, 64), n);
	assert_memory_equal(ids, again, n * sizeof(*ids));
	kernel_ring_free(p.buffer);
}

static void test_large_subbuffers(void **state)
{
	struct pages p = { .buffer = new_buffer(32 << 10) };
	const struct ring_buffer_layout layout = { false, 8, PAGE << 2 };
	u32 ids[200];

	(void)state;
	assert_int_equal(kernel_ring_subbuf_order_set(p.buffer, 2), 0);
	for (u32 id = 0; id < 200; id++)
		put(p.buffer, id, 400);
	/* 3 x 40 */
	assert_int_equal(stats_of(p.buffer).entries, 120);
	assert_int_equal(ids_from(take_page, &p, &layout, ids, 200), 120);
	assert_int_equal(ids[0], 80);
	kernel_ring_free(p.buffer);
}

/* --- reset and snapshots --- */

static void test_reset(void **state)
{
	struct kernel_ring *buffer = new_buffer(8 << 10);
	u32 ids[40];

	(void)state;
	for (u32 id = 0; id < 50; id++)
		put(buffer, id, 400);
	kernel_ring_reset_cpu(buffer, 1);
	assert_int_equal(stats_of(buffer).entries, 30);
	kernel_ring_reset(buffer);
	assert_int_equal(stats_of(buffer).entries, 0);
	assert_int_equal(stats_of(buffer).overrun, 0);
	assert_int_equal(ids_of(buffer, ids, 40), 0);
	put(buffer, 77, 400);
	assert_int_equal(ids_of(buffer, ids, 40), 1);
	kernel_ring_free(buffer);
}

static void test_swap(void **state)
{
	struct kernel_ring *a = new_buffer(8 << 10), *b = new_buffer(8 << 10);
	struct kernel_ring_event *event;
	u32 ids[40];

	(void)state;
	put(a, 1, 4);
	put(a, 2, 4);
	assert_int_equal(kernel_ring_swap_cpu(a, b, 0), 0);
	assert_int_equal(ids_of(b, ids, 40), 2);
	assert_int_equal(ids_of(a, ids, 40), 0);
	put(a, 3, 4);
	assert_int_equal(ids_of(a, ids, 40), 1);
	assert_int_equal(kernel_ring_swap_cpu(a, b, 1), 0);

	event = kernel_ring_lock_reserve(a, 0, 4);
	assert_non_null(event);
	assert_int_equal(kernel_ring_swap_cpu(a, b, 0), 1);
	kernel_ring_unlock_commit(a, 0);
	kernel_ring_record_off(b);
	assert_int_equal(kernel_ring_swap_cpu(a, b, 0), 1);
	kernel_ring_record_on(b);
	assert_int_equal(kernel_ring_swap_cpu(a, b, 2), -HIST_EINVAL);
	assert_int_equal(kernel_ring_resize(b, 64 << 10, KERNEL_RING_ALL_CPUS), 0);
	assert_int_equal(kernel_ring_swap_cpu(a, b, 0), -HIST_EINVAL);
	kernel_ring_free(a);
	kernel_ring_free(b);
}

static void test_cpus_are_apart(void **state)
{
	struct kernel_ring *buffer = new_buffer(8 << 10);
	struct kernel_ring_stats stats;
	u32 id = 5, ids[4];

	(void)state;
	assert_int_equal(kernel_ring_write(buffer, 1, 4, &id), 0);
	assert_int_equal(ids_of(buffer, ids, 4), 0);
	kernel_ring_stats(buffer, 1, &stats);
	assert_int_equal(stats.entries, 1);
	kernel_ring_stats(buffer, 9, &stats);
	assert_int_equal(stats.entries, 0);
	kernel_ring_free(buffer);
	kernel_ring_free(NULL);
}

/* As for a file that claims many CPUs: 23 GB, were it not for the first record of each. */
static void test_memory_at_the_first_record(void **state)
{
	const struct kernel_ring_options options = {
		.nr_cpus = 1 << 14,
		.size = 1441792,
		.overwrite = true,
		.late = true,
		.layout = layouts[0],
		.host = { .clock = clock_now, .context = context_now },
	};
	struct kernel_ring_stats stats;
	struct kernel_ring *buffer;
	u8 page[PAGE];
	u32 ids[4];

	(void)state;
	now = 1000;
	assert_int_equal(kernel_ring_alloc(&options, &buffer), 0);
	assert_int_equal(kernel_ring_size(buffer, 0), 354 * DATA);
	assert_int_equal(put(buffer, 1, 4), 1);
	assert_int_equal(ids_of(buffer, ids, 4), 0);
	assert_int_equal(kernel_ring_read_page(buffer, 0, page, false), 1);
	assert_int_equal(stats_of(buffer).entries, 0);
	kernel_ring_reset(buffer);
	assert_int_equal(kernel_ring_ready(buffer, 0), 1);
	assert_int_equal(kernel_ring_ready(buffer, 0), 0);
	assert_int_equal(kernel_ring_ready(buffer, 1 << 14), 0);
	assert_int_equal(put(buffer, 1, 4), 0);
	assert_int_equal(ids_of(buffer, ids, 4), 1);
	kernel_ring_stats(buffer, 1, &stats);
	assert_int_equal(stats.oldest_event_ts, 0);

	/* another size: empty again, and without memory */
	assert_int_equal(kernel_ring_resize(buffer, 8 << 10, KERNEL_RING_ALL_CPUS), 0);
	assert_int_equal(kernel_ring_size(buffer, 0), 3 * DATA);
	assert_int_equal(stats_of(buffer).entries, 0);
	assert_int_equal(put(buffer, 2, 4), 1);
	assert_int_equal(kernel_ring_ready(buffer, 0), 1);
	assert_int_equal(put(buffer, 2, 4), 0);
	assert_int_equal(ids_of(buffer, ids, 4), 1);
	kernel_ring_free(buffer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_size),
		TEST(test_size_of_one_cpu),
		TEST(test_size_that_cannot_be),
		TEST(test_lengths),
		TEST(test_too_long),
		TEST(test_data_comes_back),
		TEST(test_delta_and_extend),
		TEST(test_clock_goes_back),
		TEST(test_absolute),
		TEST(test_event_time_stamp),
		TEST(test_discard_last),
		TEST(test_discard_in_the_middle),
		TEST(test_recursion),
		TEST(test_nest),
		TEST(test_off),
		TEST(test_end_of_subbuffer),
		TEST(test_overwrite),
		TEST(test_no_overwrite),
		TEST(test_commit_overrun),
		TEST(test_read_page),
		TEST(test_missed_without_number),
		TEST(test_read_page_of_writer),
		TEST(test_walk_after_read),
		TEST(test_large_subbuffers),
		TEST(test_reset),
		TEST(test_swap),
		TEST(test_cpus_are_apart),
		TEST(test_memory_at_the_first_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
