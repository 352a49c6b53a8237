/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * codec: compression of the chunks of a trace.dat, and of the pages of Parquet. Encodes and decodes
 * one block at a time; both sizes are known. A state belongs to one thread and is reused for each
 * block.
 *
 * Each codec is a file codec_NAME.c, the only user of its library, and a line in codec_ops_of();
 * its name in files is in trace_dat/index_v7.c.
 */
#pragma once
#include "base/base.h"

enum codec { CODEC_NONE, CODEC_ZLIB, CODEC_ZSTD };

struct codec_ops {
	const char *name;             /* name in the file header */
	const char *(*version)(void); /* version in the file header; informative */
	u32 max_ratio;                /* maximum ratio of decoded to encoded size */

	void *(*decoder_new)(void);
	void (*decoder_free)(void *decoder);
	/* Decode all of @src to exactly @dst_len bytes: 0, otherwise -HIST_EFORMAT. */
	int (*decode)(void *decoder, struct span src, u8 *dst, size_t dst_len);

	void *(*encoder_new)(void);
	void (*encoder_free)(void *encoder);
	size_t (*bound)(size_t n); /* size needed by encode() for @n bytes */
	/* Return: 0 with *@dst_len set (on entry the size of the buffer); -HIST_ENOMEM */
	int (*encode)(void *encoder, struct span src, u8 *dst, size_t *dst_len);
};

extern const struct codec_ops codec_zlib, codec_zstd;

/* NULL for CODEC_NONE */
static inline const struct codec_ops *codec_ops_of(enum codec codec)
{
	return codec == CODEC_ZLIB ? &codec_zlib : codec == CODEC_ZSTD ? &codec_zstd : NULL;
}
