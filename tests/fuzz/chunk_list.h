/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Compressed chunks as in a section of sub-buffers: a byte of enum chunk_flags, the number of
 * chunks, and for each its sizes and data. Split into pieces, to be changed and written again.
 */
#ifndef TESTS_CHUNK_LIST_H
#define TESTS_CHUNK_LIST_H

#include "base/base.h"

enum chunk_flags {
	CHUNKS_ZSTD = 1,
	CHUNKS_BIG_ENDIAN = 2,
	CHUNKS_SUBBUF = 4 | 8, /* index of chunk_subbufs */
	CHUNKS_SHORT = 16,     /* the announced size does not include the number of chunks */
	CHUNKS_CUT = 32,       /* the file was found to be cut */
};

static const u32 chunk_subbufs[] = { 64, 256, 1024, 4096 };

enum { CHUNK_LIST = 512, CHUNK_SCRATCH = 1 << 20 };

struct chunk_piece {
	const u8 *data;
	u32 size;         /* of the data */
	u32 csize, usize; /* as announced */
};

struct chunk_list {
	u8 flags;
	u32 count; /* as announced */
	struct chunk_piece v[CHUNK_LIST];
	size_t n;
	struct span tail;
	u8 scratch[CHUNK_SCRATCH]; /* owner of all data */
	size_t used;
};

/* Copy @data and locate its chunks; what follows the last complete one becomes the tail. */
static inline void chunks_parse(struct chunk_list *c, const u8 *data, size_t size)
{
	struct bytes b;

	c->used = size < CHUNK_SCRATCH ? size : CHUNK_SCRATCH;
	memcpy(c->scratch, data, c->used);
	c->n = 0;
	c->flags = c->used ? *c->scratch : 0;
	b = bytes_of(c->scratch, c->used, c->flags & CHUNKS_BIG_ENDIAN);
	bytes_u8(&b);
	c->count = bytes_u32(&b);
	while (c->n < CHUNK_LIST && bytes_left(&b) > 8) {
		struct bytes start = b;
		struct chunk_piece piece = { .csize = bytes_u32(&b), .usize = bytes_u32(&b) };

		piece.size = piece.csize;
		piece.data = bytes_take(&b, piece.size);
		if (b.bad) {
			b = start;
			break;
		}
		c->v[c->n++] = piece;
	}
	c->tail = (struct span){ (const char *)b.p, bytes_left(&b) };
}

static inline size_t chunks_write(const struct chunk_list *c, u8 *out, size_t max)
{
	bool big = c->flags & CHUNKS_BIG_ENDIAN;
	size_t n = 5;

	if (max < n)
		return 0;
	out[0] = c->flags;
	store_u32(out + 1, c->count, big);
	for (size_t i = 0; i < c->n; i++) {
		if (max - n < 8 || max - n - 8 < c->v[i].size)
			return 0;
		store_u32(out + n, c->v[i].csize, big);
		store_u32(out + n + 4, c->v[i].usize, big);
		if (c->v[i].size)
			memcpy(out + n + 8, c->v[i].data, c->v[i].size);
		n += 8 + c->v[i].size;
	}
	if (max - n < c->tail.n)
		return 0;
	if (c->tail.n)
		memcpy(out + n, c->tail.s, c->tail.n);
	return n + c->tail.n;
}

/* Scratch space of @n bytes, which remain unused unless ->used is increased; NULL: none left. */
static inline u8 *chunk_room(struct chunk_list *c, size_t n)
{
	return n <= CHUNK_SCRATCH - c->used ? c->scratch + c->used : NULL;
}

#endif
