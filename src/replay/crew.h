/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Threads that do the same thing to the elements of an array, and then are waited for.
 */
#ifndef HIST_REPLAY_CREW_H
#define HIST_REPLAY_CREW_H

#include "base/base.h"

struct crew {
	void *threads;
	unsigned int n; /* that could be started */
};

/* One element for each of @n threads. */
struct crew_job {
	void *(*work)(void *element);
	void *elements;
	size_t size; /* of an element */
	unsigned int n;
};

/* Start threads for the first elements: as many as can be had. */
void crew_start(struct crew *crew, const struct crew_job *job);

/* Wait for all that were started. */
void crew_join(struct crew *crew);

/* Work on all elements at the same time, the last one and what has no thread in this thread. */
void crew_run(const struct crew_job *job);

/* How many threads @jobs asks for; 0: as many as there are CPUs. At least 1. */
unsigned int crew_size(unsigned int jobs);

#endif
