/* SPDX-License-Identifier: LGPL-2.1-only */
/* Threads that run the same function on the elements of an array, and are joined at the end. */
#ifndef HIST_REPLAY_CREW_H
#define HIST_REPLAY_CREW_H

#include "base/base.h"

struct crew {
	void *threads;
	unsigned int n; /* threads that were started */
};

/* An array with one element for each of @n threads. */
struct crew_job {
	void *(*work)(void *element);
	void *elements;
	size_t size; /* size of an element */
	unsigned int n;
};

/* Start threads for the first elements, as many as the system permits. */
void crew_start(struct crew *crew, const struct crew_job *job);

/* Join all threads that were started. */
void crew_join(struct crew *crew);

/*
 * Run on all elements at the same time; this thread takes the last one and those without a thread.
 */
void crew_run(const struct crew_job *job);

/* The number of threads that @jobs requests; 0: the number of CPUs. At least 1. */
unsigned int crew_size(unsigned int jobs);

#endif
