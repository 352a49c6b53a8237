/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sources whose chunks of compressed sub-buffers other threads inflate ahead of use. */
#ifndef HIST_REPLAY_PREFETCH_H
#define HIST_REPLAY_PREFETCH_H

#include "replay/source.h"

struct prefetch;

/*
 * Inflate for @n sources. Without threads, prefetch_one() does it, or the source itself. Return:
 * NULL if out of memory
 */
struct prefetch *prefetch_start(struct source *from, size_t n, unsigned int threads);

/* Inflate something, if that is of use now. Context: any thread */
bool prefetch_one(struct prefetch *p);

/* End the threads; @p may be NULL. */
void prefetch_stop(struct prefetch *p);

#endif
