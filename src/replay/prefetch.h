/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Sources whose records other threads read, inflate and decode before they are needed.
 */
#ifndef HIST_REPLAY_PREFETCH_H
#define HIST_REPLAY_PREFETCH_H

#include "replay/source.h"
#include "ring_buffer/merge.h"

struct prefetch;

/**
 * prefetch_start() - prefetch from @n sources
 * @from:    belong to other threads until prefetch_stop()
 * @threads: how many to start, at least 1
 * @sources: gets what ring_buffer_merge_init_sources() takes, one for each of @from
 *
 * Return: NULL without memory; it also works if no thread can be started
 */
struct prefetch *prefetch_start(struct source *from, size_t n, unsigned int threads,
				struct ring_buffer_source *sources);

/* End the threads; @p may be NULL. */
void prefetch_stop(struct prefetch *p);

#endif
