// SPDX-License-Identifier: LGPL-2.1-only
/*
 * zstd blocks: one independent frame each. trace-cmd's frames do not contain their decoded size;
 * the size words of the file do. The only user of libzstd.
 */
#include <zstd.h>

#include "codec/codec.h"

enum { LEVEL = ZSTD_CLEVEL_DEFAULT, CHECKSUM = 4 };

static void *zstd_decoder_new(void)
{
	return ZSTD_createDCtx();
}

static void zstd_decoder_free(void *decoder)
{
	ZSTD_freeDCtx(decoder);
}

static int zstd_decode(void *decoder, struct span src, u8 *dst, size_t dst_len)
{
	size_t n = ZSTD_decompressDCtx(decoder, dst, dst_len, src.s, src.n);

	return !ZSTD_isError(n) && n == dst_len ? 0 : -HIST_EFORMAT;
}

static void *zstd_encoder_new(void)
{
	ZSTD_CCtx *cctx = ZSTD_createCCtx();

	/* without a checksum, most damage would not be detected */
	if (cctx && (ZSTD_isError(ZSTD_CCtx_setParameter(cctx, ZSTD_c_compressionLevel, LEVEL)) ||
		     ZSTD_isError(ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, 1)))) {
		ZSTD_freeCCtx(cctx);
		cctx = NULL;
	}
	return cctx;
}

static void zstd_encoder_free(void *encoder)
{
	ZSTD_freeCCtx(encoder);
}

static size_t zstd_bound(size_t n)
{
	return ZSTD_compressBound(n) + CHECKSUM;
}

static int zstd_encode(void *encoder, struct span src, u8 *dst, size_t *dst_len)
{
	size_t n = ZSTD_compress2(encoder, dst, *dst_len, src.s, src.n);

	if (ZSTD_isError(n))
		return HIST_NOMEM;
	*dst_len = n;
	return 0;
}

const struct codec_ops codec_zstd = {
	.name = "zstd",
	.version = ZSTD_versionString,
	.max_ratio = 32768, /* a run of 128 KiB may be encoded in a block of 4 bytes */
	.decoder_new = zstd_decoder_new,
	.decoder_free = zstd_decoder_free,
	.decode = zstd_decode,
	.encoder_new = zstd_encoder_new,
	.encoder_free = zstd_encoder_free,
	.bound = zstd_bound,
	.encode = zstd_encode,
};
