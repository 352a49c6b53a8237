// SPDX-License-Identifier: LGPL-2.1-only
/*
 * zlib blocks (RFC 1950). trace-cmd writes them with compress2(); a reader accepts any zlib stream
 * that ends with the block. The only user of zlib.
 */
#include <zlib.h>

#include "codec/codec.h"

static void *zlib_decoder_new(void)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (z && inflateInit(z) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static void zlib_decoder_free(void *decoder)
{
	if (decoder)
		inflateEnd(decoder);
	free(decoder);
}

static int zlib_decode(void *decoder, struct span src, u8 *dst, size_t dst_len)
{
	z_stream *z = decoder;
	int end;

	if (src.n > UINT32_MAX || dst_len > UINT32_MAX || inflateReset(z) != Z_OK)
		return -HIST_EFORMAT;
	z->next_in = (Bytef *)(uintptr_t)src.s;
	z->avail_in = (uInt)src.n;
	z->next_out = dst;
	z->avail_out = (uInt)dst_len;
	end = inflate(z, Z_FINISH);
	return end == Z_STREAM_END && !z->avail_out ? 0 : -HIST_EFORMAT;
}

static void *zlib_encoder_new(void)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (z && deflateInit(z, Z_DEFAULT_COMPRESSION) != Z_OK) {
		free(z);
		return NULL;
	}
	return z;
}

static void zlib_encoder_free(void *encoder)
{
	if (encoder)
		deflateEnd(encoder);
	free(encoder);
}

static size_t zlib_bound(size_t n)
{
	return compressBound(n);
}

static int zlib_encode(void *encoder, struct span src, u8 *dst, size_t *dst_len)
{
	z_stream *z = encoder;

	if (src.n > UINT32_MAX || *dst_len > UINT32_MAX || deflateReset(z) != Z_OK)
		return -HIST_EINVAL;
	z->next_in = (Bytef *)(uintptr_t)src.s;
	z->avail_in = (uInt)src.n;
	z->next_out = dst;
	z->avail_out = (uInt)*dst_len;
	if (deflate(z, Z_FINISH) != Z_STREAM_END)
		return HIST_NOMEM;
	*dst_len -= z->avail_out;
	return 0;
}

const struct codec_ops codec_zlib = {
	.name = "zlib",
	.version = zlibVersion,
	.max_ratio = 1032, /* the maximum ratio of deflate */
	.decoder_new = zlib_decoder_new,
	.decoder_free = zlib_decoder_free,
	.decode = zlib_decode,
	.encoder_new = zlib_encoder_new,
	.encoder_free = zlib_encoder_free,
	.bound = zlib_bound,
	.encode = zlib_encode,
};
