/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A mutator for compressed chunks. Contents are inflated, changed and compressed again; data, sizes
 * and numbers are updated or changed alone.
 */
#ifndef TESTS_CHUNK_MUTATOR_H
#define TESTS_CHUNK_MUTATOR_H

#include "chunk_content.h"

static inline void mutate_content(struct chunk_list *c, struct chunk_piece *piece)
{
	u32 n;
	u8 *content = chunk_decode(c, piece, &n);

	if (content)
		n = (u32)LLVMFuzzerMutate(content, n, CHUNK_CONTENT);
	if (content && n)
		chunk_encode(c, piece, content, n);
}

/* A length close to a multiple of the size of a sub-buffer, or any. */
static inline u32 random_length(const struct chunk_list *c)
{
	u32 subbuf = chunk_subbufs[c->flags / 4 % ARRAY_SIZE(chunk_subbufs)];
	u32 n = 1 + mutator_random(4) * subbuf + mutator_random(3);

	return mutator_random(4) ? n : 1 + mutator_random(1u << mutator_random(15));
}

/* New contents that are almost the same bytes, so that the chunk is small. */
static inline void new_content(struct chunk_list *c, struct chunk_piece *piece)
{
	static u8 run[CHUNK_RUN];
	u32 n = min_t(u32, random_length(c), CHUNK_RUN);

	memset(run, (int)mutator_random(256), n);
	for (u32 i = mutator_random(8); i; i--)
		run[mutator_random(n)] = (u8)mutator_random(256);
	chunk_encode(c, piece, run, n);
}

/* Two frames, one after the other: one zstd chunk; zlib does not read the second. */
static inline void join_frames(struct chunk_list *c, struct chunk_piece *piece)
{
	const struct chunk_piece *other = &c->v[mutator_random(c->n)];
	u32 size = piece->size + other->size;
	u8 *both = chunk_room(c, size);

	if (!both || !piece->size || !other->size)
		return;
	memcpy(both, piece->data, piece->size);
	memcpy(both + piece->size, other->data, other->size);
	c->used += size;
	*piece = (struct chunk_piece){ both, size, size,
				       c->flags & CHUNKS_ZSTD && mutator_random(8)
					       ? piece->usize + other->usize
					       : piece->usize };
}

/* Change compressed bytes; the compressed size is updated. */
static inline void mutate_frame(struct chunk_list *c, struct chunk_piece *piece)
{
	enum { MORE = 16 };
	u8 *copy = chunk_room(c, (size_t)piece->size + MORE);
	u32 size;

	if (!copy || !piece->size)
		return;
	c->used += (size_t)piece->size + MORE;
	memcpy(copy, piece->data, piece->size);
	size = (u32)LLVMFuzzerMutate(copy, piece->size, (size_t)piece->size + MORE);
	*piece = (struct chunk_piece){ copy, size, size, piece->usize };
}

/* --- sizes and numbers --- */

/* Insert a piece at @at, 1 to 300 times; the announced number is updated. */
static inline void insert_piece(struct chunk_list *c, size_t at, struct chunk_piece piece)
{
	size_t times = mutator_random(16) ? 1 : 1 + mutator_random(300);

	times = times < CHUNK_LIST - c->n ? times : CHUNK_LIST - c->n;
	memmove(c->v + at + times, c->v + at, (c->n - at) * sizeof(*c->v));
	for (size_t i = 0; i < times; i++)
		c->v[at + i] = piece;
	c->n += times;
	c->count += (u32)times;
}

static inline void remove_piece(struct chunk_list *c, size_t at)
{
	memmove(c->v + at, c->v + at + 1, (c->n - at - 1) * sizeof(*c->v));
	c->n--;
	c->count--;
}

/* Compress all chunks by the other codec. */
static inline void change_codec(struct chunk_list *c)
{
	for (size_t i = 0; i < c->n && i < 8; i++) {
		u32 n;
		u8 *content = chunk_decode(c, &c->v[i], &n);

		c->flags ^= CHUNKS_ZSTD;
		if (n)
			chunk_encode(c, &c->v[i], content, n);
		c->flags ^= CHUNKS_ZSTD;
	}
	c->flags ^= CHUNKS_ZSTD;
}

static inline void mutate_piece(struct chunk_list *c, size_t at)
{
	struct chunk_piece *piece = &c->v[at];

	switch (mutator_random(13)) {
	case 0:
	case 1:
	case 2:
		mutate_content(c, piece);
		break;
	case 3:
	case 4:
		new_content(c, piece);
		break;
	case 5:
	case 6:
		mutate_frame(c, piece);
		break;
	case 7:
		join_frames(c, piece);
		break;
	case 8:
		piece->usize = mutate_number(piece->usize);
		break;
	case 9:
		piece->csize = mutate_number(piece->csize);
		break;
	case 10:
		remove_piece(c, at);
		break;
	default:
		insert_piece(c, mutator_random(c->n + 1), *piece);
	}
}

static inline void mutate_list(struct chunk_list *c)
{
	struct chunk_piece piece = { .usize = 0 };

	switch (mutator_random(16)) {
	case 0:
		c->count = mutate_number(c->count);
		break;
	case 1:
		c->flags ^= CHUNKS_BIG_ENDIAN;
		break;
	case 2:
		c->flags ^= (u8)(1u << (2 + mutator_random(6)));
		break;
	case 3:
		change_codec(c);
		break;
	case 4:
		new_content(c, &piece);
		if (piece.size)
			insert_piece(c, c->n, piece);
		break;
	case 5:
		c->tail.n = min_t(size_t, c->tail.n, mutator_random(8));
		break;
	default:
		if (c->n)
			mutate_piece(c, mutator_random(c->n));
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	static struct chunk_list c;
	size_t n = 0;

	mutator_state = seed;
	if (mutator_random(8)) {
		chunks_parse(&c, data, size);
		if (!c.n)
			insert_piece(&c, 0, (struct chunk_piece){ .size = 0 });
		for (u32 i = 0; i <= mutator_random(3); i++)
			mutate_list(&c);
		limit_sizes(&c);
		n = chunks_write(&c, data, max);
	}
	return n ? n : LLVMFuzzerMutate(data, size, max);
}

#endif
