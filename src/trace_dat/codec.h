/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A compression format of trace.dat v7: encodes and decodes one block at a time; both sizes are
 * known. A codec state belongs to one thread and is reused for each block.
 *
 * Each codec is a file codec_NAME.c, the only user of its library, and a line in
 * trace_dat_codec_ops(); its number is in open.h, its name in files in index_v7.c.
 */
#pragma once
#include "trace_dat/open.h"

struct trace_dat_codec_ops {
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

extern const struct trace_dat_codec_ops trace_dat_zlib, trace_dat_zstd;

/* Return: NULL for TRACE_DAT_NONE */
const struct trace_dat_codec_ops *trace_dat_codec_ops(enum trace_dat_codec codec);
