// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Decodes a sub-buffer, entry by entry: every type, both byte orders, 4- and 8-byte kernels. No
 * entry may extend past the committed bytes; at the first invalid one, the rest is skipped, because
 * the start of the next entry is unknown.
 *
 * Corresponds to: ring_buffer.c rb_event_length(), rb_update_read_stamp(), rb_lost_events().
 */
#include "ring_buffer/ring_buffer.h"

#define RB_COMMIT_MASK (RB_MISSED_STORED - 1)

/* An absolute time stamp has 59 bits; the upper bits are those of the previous time. */
#define TS_MSB      (0xf8ull << 56)
#define TS_ABS_WRAP (1ull << 59)

static u64 load_long(const void *p, const struct ring_buffer_layout *l)
{
	return l->long_size == 8 ? load_u64(p, l->big_endian) : load_u32(p, l->big_endian);
}

/* The number of lost records, which follows the data if there was room for it. */
static s64 missed_records(const u8 *end, const u8 *limit, u32 commit,
			  const struct ring_buffer_layout *l)
{
	u64 n;

	if (!(commit & RB_MISSED_EVENTS))
		return 0;
	if (!(commit & RB_MISSED_STORED) || (size_t)(limit - end) < l->long_size)
		return -1;
	n = load_long(end, l);
	return n && n <= INT64_MAX ? (s64)n : -1;
}

int ring_buffer_page_open(struct ring_buffer_page *pg, const struct ring_buffer_layout *layout,
			  const void *bytes, size_t len)
{
	u32 header = ring_buffer_header_size(layout);
	const u8 *b = bytes;
	u32 commit, size;

	*pg = (struct ring_buffer_page){ .base = b, .p = b, .end = b, .big = layout->big_endian };
	if (len < header)
		return -HIST_EFORMAT;
	pg->page_ts = pg->ts = load_u64(b, layout->big_endian);
	/* kernel: the word may be sign-extended; flags and size are in its low 32 bits */
	commit = (u32)load_long(b + 8, layout);
	size = commit & RB_COMMIT_MASK;
	pg->p = pg->end = pg->stamped = b + header;
	if (size > layout->subbuf_size - header)
		return -HIST_EFORMAT;
	pg->cut = size > len - header;
	pg->end += min_t(size_t, size, len - header);
	pg->missed = missed_records(pg->end, b + len, commit, layout);
	return 0;
}

static u64 absolute_stamp(u64 stamp, u64 before)
{
	if (!(before & TS_MSB))
		return stamp;
	stamp |= before & TS_MSB;
	return stamp < before ? stamp + TS_ABS_WRAP : stamp;
}

/* An entry does not fit: end the page. */
static int end_damaged(struct ring_buffer_page *pg)
{
	pg->damaged = !pg->cut;
	pg->p = pg->end;
	return 1;
}

/* Size of an entry from its first word; @array is its second word. 0: invalid. */
static u64 entry_size(u32 type, u32 delta, u32 array, size_t left)
{
	switch (type) {
	case RINGBUF_TYPE_PADDING:
		if (!delta)
			return left; /* kernel: null event, the rest of the page is unused */
		break;
	case RINGBUF_TYPE_TIME_EXTEND:
	case RINGBUF_TYPE_TIME_STAMP:
		return 8;
	case 0:
		break;
	default:
		return 4 + 4 * (u64)type;
	}
	/* the length includes its own word */
	return array < 4 ? 0 : 4 + ALIGN_UP((u64)array, 4);
}

int ring_buffer_page_raw(struct ring_buffer_page *pg, struct ring_buffer_record *rec)
{
	const u8 *p = pg->p;
	size_t left = (size_t)(pg->end - p);
	u32 word, type, delta, array;
	u64 size;

	if (!left)
		return 1;
	if (left < 4)
		return end_damaged(pg);
	word = load_u32(p, pg->big);
	type = pg->big ? word >> RINGBUF_TS_SHIFT : word & 31;
	delta = pg->big ? word & ((1u << RINGBUF_TS_SHIFT) - 1) : word >> 5;
	array = left < 8 ? 0 : load_u32(p + 4, pg->big);
	size = entry_size(type, delta, array, left);
	if (!size || size > left)
		return end_damaged(pg);

	if (type == RINGBUF_TYPE_TIME_STAMP)
		pg->ts = absolute_stamp(delta + ((u64)array << RINGBUF_TS_SHIFT), pg->ts);
	else if (type == RINGBUF_TYPE_TIME_EXTEND)
		pg->ts += delta + ((u64)array << RINGBUF_TS_SHIFT);
	/*
	 * kernel: discarding a record changes its delta from 0 to 1. Every record after a time that
	 * is stored in full, as at the start of a sub-buffer, has delta 0.
	 */
	else if (type == RINGBUF_TYPE_PADDING && delta == 1 && pg->p == pg->stamped)
		pg->late++;
	else
		pg->ts += delta;
	*rec = (struct ring_buffer_record){
		.ts = pg->ts,
		.data = type ? p + 4 : p + 8,
		.len = type ? (u32)size - 4 : array - 4,
		.offset = (u32)(p - pg->base),
		.delta = delta,
		.type_len = (u8)type,
	};
	pg->p = p + size;
	if (type == RINGBUF_TYPE_TIME_STAMP)
		pg->late = 0;
	if (type == RINGBUF_TYPE_TIME_STAMP || type == RINGBUF_TYPE_TIME_EXTEND)
		pg->stamped = pg->p;
	return 0;
}

int ring_buffer_page_next_any(struct ring_buffer_page *pg, struct ring_buffer_record *rec)
{
	int end;

	pg->last = pg->ts;
	do {
		end = ring_buffer_page_raw(pg, rec);
	} while (!end && rec->type_len > RINGBUF_TYPE_DATA_TYPE_LEN_MAX);
	pg->backwards |= !end && pg->ts < pg->last;
	/* entries after the last record also have times; the next call finds its time again */
	if (end)
		pg->ts = pg->last;
	return end;
}

struct ring_buffer_times ring_buffer_page_times(const struct ring_buffer_page *pg)
{
	struct ring_buffer_times t = { .first = UINT64_MAX, .ascend = true };
	struct ring_buffer_page page = *pg;
	struct ring_buffer_record rec;
	u64 before = pg->page_ts;

	while (!ring_buffer_page_next(&page, &rec)) {
		t.ascend &= rec.ts >= before;
		t.first = min_t(u64, t.first, rec.ts);
		t.last = max_t(u64, t.last, rec.ts);
		before = rec.ts;
	}
	t.ascend &= !page.damaged;
	return t;
}
