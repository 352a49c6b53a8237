/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The hot loop of every replay, inlined. Decodes short data records of little-endian recordings, as
 * nearly all records are. page.c decodes all other entries, of any recording;
 * tests/unit/ring_buffer_page_test.c compares both.
 *
 * Part of ring_buffer.h; do not include it directly.
 */
#pragma once

/* Decode any data record: 0, 1 at the end. */
int ring_buffer_page_next_any(struct ring_buffer_page *pg, struct ring_buffer_record *rec);

/* Decode into a copy, so that the caller's @rec may be in registers. */
static inline int ring_buffer_page_next_other(struct ring_buffer_page *pg,
					      struct ring_buffer_record *rec)
{
	struct ring_buffer_record any = { .data = NULL };
	int end = ring_buffer_page_next_any(pg, &any);

	*rec = any;
	return end;
}

/* The longest short data record, with its first word. */
enum { RING_BUFFER_SHORT_MAX = 4 + 4 * RINGBUF_TYPE_DATA_TYPE_LEN_MAX };

/*
 * Before this address, even the longest short record ends within a little-endian page, with @more
 * bytes after it.
 */
static inline const u8 *ring_buffer_shorts_end(const struct ring_buffer_page *pg, int more)
{
	return pg->big || pg->end - pg->p < RING_BUFFER_SHORT_MAX + more
		       ? pg->p
		       : pg->end - RING_BUFFER_SHORT_MAX - more + 1;
}

/* The place of a record is only known from the one before: the processor looks ahead too little. */
static inline void ring_buffer_prefetch(const u8 *p)
{
	__builtin_prefetch(p + 2048);
}

/* Fill in a short record at @p whose first word is @word; @ts: its time. */
static inline void ring_buffer_set_short(const struct ring_buffer_page *pg, const u8 *p, u32 word,
					 u64 ts, struct ring_buffer_record *rec)
{
	rec->ts = ts;
	rec->data = p + 4;
	rec->len = (word & 31) * 4;
	rec->offset = (u32)(p - pg->base);
	rec->delta = word >> 5;
	rec->type_len = (u8)(word & 31);
}

/* Decode the record at @p if it is a short data record; @ts: time of the previous entry. */
static inline bool ring_buffer_short(const struct ring_buffer_page *pg, const u8 *p, u64 ts,
				     struct ring_buffer_record *rec)
{
	size_t left = (size_t)(pg->end - p);
	u32 word, type;

	if (unlikely(left < 4))
		return false;
	word = load_u32(p, false);
	type = word & 31;
	if (unlikely(type - 1 >= RINGBUF_TYPE_DATA_TYPE_LEN_MAX || left < 4 + 4 * (size_t)type))
		return false;
	ring_buffer_set_short(pg, p, word, ts + (word >> 5), rec);
	return true;
}

/**
 * ring_buffer_page_next() - step to the next data record
 * @rec: filled in; @rec->data is borrowed from the page
 *
 * Shape:   @rec->ts is the time at which the record was written. It includes the deltas of
 *          discarded records, because the next delta is relative to them (the kernel's own readers
 *          ignore them and show later records too early; libtraceevent includes them)
 * Return:  0, 1 at the end of the page (also after damage; see pg->damaged)
 * Context: hot path
 * Source:  rb_event_length(), rb_read_data_buffer(), rb_fix_abs_ts() @ v6.12
 */
static inline int ring_buffer_page_next(struct ring_buffer_page *pg, struct ring_buffer_record *rec)
{
	if (unlikely(pg->big || !ring_buffer_short(pg, pg->p, pg->ts, rec)))
		return ring_buffer_page_next_other(pg, rec);
	pg->p = rec->data + rec->len;
	pg->ts = rec->ts;
	return 0;
}

/* Whether the id that starts every record is selected. */
static inline bool ring_buffer_keeps(const u8 *keep, u32 n_keep, bool big_endian,
				     const struct ring_buffer_record *rec)
{
	u32 type = rec->len < 2 ? 0 : load_u16(rec->data, big_endian);

	return type < n_keep && keep[type];
}

/* The values of two numbers in records, of which most have others. */
struct ring_buffer_numbers {
	u32 values[2];
};

/* keep[ID] of records that may be skipped: the offset of the number, which is in every one */
enum { RING_BUFFER_KEEP = 1, RING_BUFFER_NUMBER_MIN = 2 };

static inline bool ring_buffer_lacks_number(const struct ring_buffer_numbers *numbers, u32 at,
					    const u8 *data)
{
	u32 number = load_u32(data + at, false);

	return at >= RING_BUFFER_NUMBER_MIN && number != numbers->values[0] &&
	       number != numbers->values[1];
}

/*
 * Of loops over short records there are two: this one for a record at a time, if most are skipped,
 * and ring_buffer_page_fill() for an array of records, of which it cannot be predicted which are
 * selected.
 *
 * Step to the next data record whose id is selected; as ring_buffer_page_next(). The first loop is
 * for short records where even the longest one would end within the page, so that one test is
 * enough for all that is not selected. @numbers: NULL if no id has a number
 */
static inline __attribute__((always_inline)) int ring_buffer_page_next_kept(
	struct ring_buffer_page *pg, const u8 *keep, u32 n_keep,
	const struct ring_buffer_numbers *numbers, struct ring_buffer_record *rec)
{
	const u8 *p = pg->p, *next, *last = ring_buffer_shorts_end(pg, 0);
	u64 ts = pg->ts;
	int end;

	for (; p < last; p = next) {
		u32 word = load_u32(p, false), type = word & 31, id = load_u16(p + 4, false);

		ring_buffer_prefetch(p);
		if (unlikely(type - 1 >= RINGBUF_TYPE_DATA_TYPE_LEN_MAX))
			break;
		ts += word >> 5;
		next = p + 4 + 4 * (size_t)type;
		if (id >= n_keep || !keep[id] ||
		    (numbers && ring_buffer_lacks_number(numbers, keep[id], p + 4)))
			continue;
		pg->p = next;
		pg->ts = ts;
		ring_buffer_set_short(pg, p, word, ts, rec);
		return 0;
	}
	pg->p = p;
	pg->ts = ts;
	do {
		end = ring_buffer_page_next(pg, rec);
	} while (!end && !ring_buffer_keeps(keep, n_keep, pg->big, rec));
	return end;
}

/* 1: the record is selected, 0: it is not; -1: stop before it. May read 8 bytes after it. */
typedef int (*ring_buffer_select_fn)(void *arg, const struct ring_buffer_record *rec);

/*
 * The selected ones of the next records, up to @max or to one that is not short. All changing state
 * is in registers. Records that are not selected are also written, in place of a branch.
 */
static inline __attribute__((always_inline)) int ring_buffer_page_fill(
	struct ring_buffer_page *page, struct ring_buffer_record *recs, int max,
	ring_buffer_select_fn select, void *arg)
{
	struct ring_buffer_record *to = recs, *end = recs + max;
	const struct ring_buffer_page pg = *page;
	const u8 *p = pg.p, *last = ring_buffer_shorts_end(&pg, sizeof(u64));
	u64 ts = pg.ts;

	while (to < end && p < last) {
		u32 word = load_u32(p, false), type = word & 31;
		int selected;

		ring_buffer_prefetch(p);
		ring_buffer_set_short(&pg, p, word, ts + (word >> 5), to);
		if (unlikely(type - 1 >= RINGBUF_TYPE_DATA_TYPE_LEN_MAX))
			break;
		selected = select(arg, to);
		if (unlikely(selected < 0))
			break;
		ts = to->ts;
		p += 4 + to->len;
		to += selected;
	}
	page->p = p;
	page->ts = ts;
	return (int)(to - recs);
}
