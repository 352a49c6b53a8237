/* SPDX-License-Identifier: LGPL-2.1-only */
/* Replay in order by two threads: one reads records, another one counts them, or derives events. */
#pragma once
#include "replay/way.h"

/* --- prefetch.c: chunks of compressed sub-buffers that other threads inflate ahead of use --- */

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

/* --- read_ahead.c --- */

/* All records of a pass. @inflating: NULL, or what the second thread does while it waits */
int read_ahead(struct worker *w, struct ring_buffer_merge *merge, struct prefetch *inflating);
