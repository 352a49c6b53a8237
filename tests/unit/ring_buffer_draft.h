/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sub-buffers made by hand, for tests of ring_buffer. */
#ifndef TESTS_RING_BUFFER_DRAFT_H
#define TESTS_RING_BUFFER_DRAFT_H

#include "ring_buffer/ring_buffer.h"

enum { SUBBUF = 1024 };

/* A sub-buffer being made. */
struct draft {
	_Alignas(8) u8 bytes[SUBBUF];
	struct ring_buffer_layout layout;
	u32 used; /* size of the data */
};

static const struct ring_buffer_layout layouts[] = {
	{ false, 8, SUBBUF },
	{ false, 4, SUBBUF },
	{ true, 8, SUBBUF },
	{ true, 4, SUBBUF },
};

static inline void draft_commit(struct draft *d, u32 commit)
{
	store_u32(d->bytes + 8, 0, false);
	if (d->layout.long_size == 4)
		store_u32(d->bytes + 8, commit, d->layout.big_endian);
	else
		store_u64(d->bytes + 8, commit, d->layout.big_endian);
}

static inline struct draft draft_of(const struct ring_buffer_layout *layout, u64 ts)
{
	struct draft d = { .layout = *layout };

	store_u64(d.bytes, ts, layout->big_endian);
	return d;
}

static inline void put_u32(struct draft *d, u32 v)
{
	store_u32(d->bytes + ring_buffer_header_size(&d->layout) + d->used, v,
		  d->layout.big_endian);
	d->used += 4;
	draft_commit(d, d->used);
}

static inline void put_word(struct draft *d, u32 type, u32 delta)
{
	put_u32(d, d->layout.big_endian ? type << 27 | delta : delta << 5 | type);
}

static inline void put_payload(struct draft *d, u32 words)
{
	for (u32 i = 0; i < words; i++)
		put_u32(d, d->used);
}

/* A record of @words words, in the long form if @is_long. */
static inline void put_data(struct draft *d, u32 delta, u32 words, bool is_long)
{
	put_word(d, is_long ? 0 : words, delta);
	if (is_long)
		put_u32(d, 4 * words + 4);
	put_payload(d, words);
}

static inline void put_stamp(struct draft *d, enum ring_buffer_type type, u64 value)
{
	put_word(d, type, value & ((1u << RINGBUF_TS_SHIFT) - 1));
	put_u32(d, (u32)(value >> RINGBUF_TS_SHIFT));
}

static inline struct ring_buffer_page open_draft(const struct draft *d)
{
	struct ring_buffer_page pg;

	assert_int_equal(ring_buffer_page_open(&pg, &d->layout, d->bytes, SUBBUF), 0);
	return pg;
}

static u32 seed = 1;

static inline u32 random_u32(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

#endif
