/* SPDX-License-Identifier: LGPL-2.1-only */
/* Contents of compressed chunks: inflated, and compressed by each kind of encoder. */
#ifndef TESTS_CHUNK_CONTENT_H
#define TESTS_CHUNK_CONTENT_H

#define ZSTD_STATIC_LINKING_ONLY
#include <zlib.h>
#include <zstd.h>

#include "chunk_list.h"
#include "mutator.h"

enum { CHUNK_CONTENT = 8192, CHUNK_RUN = 20000 };

static inline size_t deflate_any(const u8 *src, size_t n, u8 *dst, size_t max)
{
	static const int levels[] = { 0, 1, 6, 9 };
	z_stream z = { .next_in = (Bytef *)(uintptr_t)src,
		       .avail_in = (uInt)n,
		       .next_out = dst,
		       .avail_out = (uInt)max };
	size_t done = 0;

	if (deflateInit2(&z, levels[mutator_random(4)], Z_DEFLATED, 9 + (int)mutator_random(4),
			 1 + (int)mutator_random(4), (int)mutator_random(5)) != Z_OK)
		return 0;
	if (deflate(&z, Z_FINISH) == Z_STREAM_END)
		done = max - z.avail_out;
	deflateEnd(&z);
	return done;
}

static inline size_t zstd_any(const u8 *src, size_t n, u8 *dst, size_t max)
{
	static ZSTD_CCtx *z;
	size_t done;

	if (!z)
		z = ZSTD_createCCtx();
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, (int)mutator_random(5) - 1);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, (int)mutator_random(2));
	ZSTD_CCtx_setParameter(z, ZSTD_c_contentSizeFlag, (int)mutator_random(2));
	ZSTD_CCtx_setParameter(z, ZSTD_c_windowLog, 10 + (int)mutator_random(4));
	done = ZSTD_compress2(z, dst, max, src, n);
	return ZSTD_isError(done) ? 0 : done;
}

/* Replace @piece by one with the contents @src. */
static inline void chunk_encode(struct chunk_list *c, struct chunk_piece *piece, const u8 *src,
				u32 n)
{
	size_t max = n + n / 8 + 512, size = 0;
	u8 *dst = chunk_room(c, max);

	if (dst)
		size = c->flags & CHUNKS_ZSTD ? zstd_any(src, n, dst, max)
					      : deflate_any(src, n, dst, max);
	if (!size)
		return;
	c->used += size;
	*piece = (struct chunk_piece){ dst, (u32)size, (u32)size, n };
}

/* The contents of @piece in scratch space of CHUNK_CONTENT bytes; *@n is 0 if it is damaged. */
static inline u8 *chunk_decode(struct chunk_list *c, const struct chunk_piece *piece, u32 *n)
{
	u8 *dst = chunk_room(c, CHUNK_CONTENT);
	static ZSTD_DCtx *z;
	uLongf len = CHUNK_CONTENT;
	size_t got;

	*n = 0;
	if (!dst)
		return NULL;
	c->used += CHUNK_CONTENT;
	if (!z)
		z = ZSTD_createDCtx();
	if (c->flags & CHUNKS_ZSTD) {
		got = ZSTD_decompressDCtx(z, dst, CHUNK_CONTENT, piece->data, piece->size);
		*n = ZSTD_isError(got) ? 0 : (u32)got;
	} else if (uncompress(dst, &len, piece->data, piece->size) == Z_OK) {
		*n = (u32)len;
	}
	return dst;
}

/* Allocating and checking large buffers takes most of the time, so announce few. */
static inline void limit_sizes(struct chunk_list *c)
{
	enum { LARGE = 1 << 15 };

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].usize > LARGE && mutator_random(64))
			c->v[i].usize %= LARGE;
}

#endif
