/* SPDX-License-Identifier: LGPL-2.1-only */
/* Threads that run the same function on the elements of an array, and are joined at the end. */
#pragma once
#include "base/types.h"

struct threads {
	void *list;
	unsigned int n; /* threads that were started */
};

/* An array with one element for each of @n threads. */
struct thread_job {
	void *(*work)(void *element);
	void *elements;
	size_t size; /* size of an element; 0: all threads work on the same one */
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

/*
 * Items that threads make in any order, and that the calling thread takes in theirs. A slot holds
 * an item from its start until it is taken; item @i has slot @i modulo @n_slots.
 */
struct ordered_work {
	size_t n; /* with ->read: at most */
	/*
	 * what an item is made of, if that must be read in their order: by any thread, but one at a
	 * time; false: there are no more items. NULL: nothing is read
	 */
	bool (*read)(void *arg, void *slot);
	void (*make)(void *slot, size_t i);       /* NULL: reading it is enough */
	int (*take)(void *arg, const void *slot); /* nonzero: stop */
	/* what the calling thread does while it waits; false: nothing now. NULL: nothing ever */
	bool (*help)(void *arg);
	void *arg;
	void *slots;
	size_t slot_size, n_slots;
	unsigned int threads; /* including the calling one, which also makes items */
};

/* Return: 0, or what take() returned, -HIST_ENOMEM */
int threads_run_ordered(const struct ordered_work *work);

/* Starts as zeros. */
struct thread_once {
	int state;
};

/* Run @init unless it ran before; if another thread runs it, wait until it has returned. */
void thread_once(struct thread_once *once, void (*init)(void *arg), void *arg);

/* The number of threads that @jobs requests; 0: the number of CPUs. At least 1. */
unsigned int thread_count(unsigned int jobs);
