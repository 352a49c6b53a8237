/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A compression of trace.dat v7, as the rest of trace_dat sees it: one block in, one block
 * out, both of known size. A state belongs to one thread and is used again for each block.
 */
#ifndef HIST_TRACE_DAT_CODEC_H
#define HIST_TRACE_DAT_CODEC_H

#include "trace_dat/trace_dat.h"

struct trace_dat_codec_ops {
	const char *name;             /* as in the file header */
	const char *(*version)(void); /* likewise; only informative */
	u32 max_ratio;                /* bytes that one compressed byte can become at most */

	void *(*decoder_new)(void);
	void (*decoder_free)(void *decoder);
	/* All of @src must give exactly @dst_len bytes: 0, else -HIST_EFORMAT. */
	int (*decode)(void *decoder, struct span src, u8 *dst, size_t dst_len);

	void *(*encoder_new)(void);
	void (*encoder_free)(void *encoder);
	size_t (*bound)(size_t n); /* room that encode() needs for @n bytes */
	/* 0 with *@dst_len set (it enters as the room); -HIST_ENOMEM. */
	int (*encode)(void *encoder, struct span src, u8 *dst, size_t *dst_len);
};

extern const struct trace_dat_codec_ops trace_dat_zlib, trace_dat_zstd;

/* NULL for TRACE_DAT_NONE. */
const struct trace_dat_codec_ops *trace_dat_codec_ops(enum trace_dat_codec codec);

#endif
