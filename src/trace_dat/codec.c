// SPDX-License-Identifier: LGPL-2.1-only
/* The compression formats of trace.dat, by name. */
#include "trace_dat/codec.h"

const struct trace_dat_codec_ops *trace_dat_codec_ops(enum trace_dat_codec codec)
{
	switch (codec) {
	case TRACE_DAT_ZLIB:
		return &trace_dat_zlib;
	case TRACE_DAT_ZSTD:
		return &trace_dat_zstd;
	default:
		return NULL;
	}
}
