/* SPDX-License-Identifier: LGPL-2.1-only */
/* Threads that run the same function on the elements of an array, and are joined at the end. */
#ifndef HIST_REPLAY_THREADS_H
#define HIST_REPLAY_THREADS_H

#include "base/base.h"

struct threads {
	void *list;
	unsigned int n; /* threads that were started */
};

/* An array with one element for each of @n threads. */
struct thread_job {
	void *(*work)(void *element);
	void *elements;
	size_t size; /* size of an element */
	unsigned int n;
};

/* Start threads for the first elements, as many as the system permits. */
void threads_start(struct threads *threads, const struct thread_job *job);

/* Join all threads that were started. */
void threads_join(struct threads *threads);

/*
 * Run on all elements at the same time; this thread takes the last one and those without a thread.
 */
void threads_run(const struct thread_job *job);

/* The number of threads that @jobs requests; 0: the number of CPUs. At least 1. */
unsigned int thread_count(unsigned int jobs);

#endif
