/* SPDX-License-Identifier: LGPL-2.1-only */
/* Sources whose records other threads read, inflate and decode ahead of use. */
#ifndef HIST_REPLAY_PREFETCH_H
#define HIST_REPLAY_PREFETCH_H

#include "replay/source.h"
#include "ring_buffer/merge.h"

struct prefetch;

/**
 * prefetch_start() - prefetch from @n sources
 * @from:    owned by other threads until prefetch_stop()
 * @threads: how many to start, at least 1
 * @by_page: source->merged is used
 * @sources: set to the input of ring_buffer_merge_init_sources(), one for each of @from
 *
 * Return: NULL if out of memory; without threads the caller's thread reads
 */
struct prefetch *prefetch_start(struct source *from, size_t n, unsigned int threads, bool by_page,
				struct ring_buffer_source *sources);

/*
 * The same, but chunks of compressed sub-buffers are only inflated. Without threads, prefetch_one()
 * does it, or the source itself.
 */
struct prefetch *prefetch_chunks(struct source *from, size_t n, unsigned int threads);

/* Prefetch something, if that is of use now. Context: any thread */
bool prefetch_one(struct prefetch *p);

/* End the threads; @p may be NULL. */
void prefetch_stop(struct prefetch *p);

#endif
