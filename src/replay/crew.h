/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A crew: threads that do one step after the other together.
 */
#ifndef HIST_REPLAY_CREW_H
#define HIST_REPLAY_CREW_H

#include "base/base.h"

struct crew;

/* Threads besides the caller; fewer, or none, if they cannot be had. NULL without memory. */
struct crew *crew_new(unsigned int threads);

/* Do @job for each of 0 .. n-1, in any order, by all, the caller too; back when all are done. */
void crew_run(struct crew *crew, void (*job)(void *arg, size_t i), void *arg, size_t n);

/* @crew may be NULL. */
void crew_free(struct crew *crew);

#endif
