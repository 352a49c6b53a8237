/* SPDX-License-Identifier: LGPL-2.1-only */
/* Inflates a stream of zlib or gzip in steps, so that the receiver can limit it. */
#pragma once
#include "base/base.h"

enum inflate_format { INFLATE_ZLIB = 15, INFLATE_GZIP = 15 + 16 }; /* windowBits of zlib */

/* What is inflated to an unnamed file, of at most as many bytes as compressors can have packed. */
struct inflated {
	FILE *file; /* the caller closes it */
	u64 n, limit;
};

/* @packed: bytes. 0; -HIST_EIO with errno */
int inflated_open(struct inflated *to, u64 packed);

/* Write the next bytes to a struct inflated. 0; -HIST_EFORMAT: too many; -HIST_EIO with errno */
int inflated_put(void *to, const void *p, size_t n);

/**
 * inflate_stream() - inflate the stream at the start of @from; of gzip, also those after it
 * @put:      receives the next bytes; nonzero: stop
 * @complete: whether the end of the stream was found; otherwise it is cut or damaged, or @put
 * stopped
 *
 * Return: 0, what @put returned, -HIST_ENOMEM
 */
int inflate_stream(struct span from, enum inflate_format format,
		   int (*put)(void *arg, const void *p, size_t n), void *arg, bool *complete);
