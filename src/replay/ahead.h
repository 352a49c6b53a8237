/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reading ahead: other threads read, inflate and decode what the ordered replay will need
 * next, and leave out the records that it does not want.
 */
#ifndef HIST_REPLAY_AHEAD_H
#define HIST_REPLAY_AHEAD_H

#include "ring_buffer/merge.h"

struct ahead;

/**
 * ahead_start() - read @n iterators ahead
 * @iters:   theirs are other threads until ahead_stop()
 * @threads: how many to start, at least 1
 * @sources: gets what ring_buffer_merge_init() takes, one for each iterator
 *
 * Return: NULL without memory; it works also if no thread can be started
 */
struct ahead *ahead_start(struct ring_buffer_iter *iters, size_t n, unsigned int threads,
			  struct ring_buffer_source *sources);

/* End the threads; @ahead may be NULL. */
void ahead_stop(struct ahead *ahead);

#endif
