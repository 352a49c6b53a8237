/* SPDX-License-Identifier: LGPL-2.1-only */
/* Inflates a stream of zlib or gzip in steps, so that the receiver can limit it. */
#pragma once
#include "base/base.h"

enum inflate_format { INFLATE_ZLIB = 15, INFLATE_GZIP = 15 + 16 }; /* windowBits of zlib */

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
