// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The only place that starts threads. If none can be started, the calling thread does all the work.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/threads.h"

static void *element(const struct thread_job *job, unsigned int i)
{
	return (char *)job->elements + i * job->size;
}

void threads_start(struct threads *threads, const struct thread_job *job)
{
	pthread_t *list = calloc(job->n + 1, sizeof(*list));

	*threads = (struct threads){ .list = list };
	while (list && threads->n < job->n &&
	       !pthread_create(&list[threads->n], NULL, job->work, element(job, threads->n)))
		threads->n++;
}

void threads_join(struct threads *threads)
{
	pthread_t *list = threads->list;

	for (unsigned int i = 0; i < threads->n; i++)
		pthread_join(list[i], NULL);
	free(list);
	*threads = (struct threads){ .list = NULL };
}

void threads_run(const struct thread_job *job)
{
	struct thread_job others = *job;
	struct threads threads;

	others.n = job->n - 1;
	threads_start(&threads, &others);
	for (unsigned int i = threads.n; i < job->n; i++)
		job->work(element(job, i));
	threads_join(&threads);
}

void thread_once(struct thread_once *once, void (*init)(void *arg), void *arg)
{
	enum { FRESH, RUNS, DONE };
	int fresh = FRESH;

	if (likely(__atomic_load_n(&once->state, __ATOMIC_ACQUIRE) == DONE))
		return;
	if (__atomic_compare_exchange_n(&once->state, &fresh, RUNS, false, __ATOMIC_ACQUIRE,
					__ATOMIC_ACQUIRE)) {
		init(arg);
		__atomic_store_n(&once->state, DONE, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(&once->state, __ATOMIC_ACQUIRE) != DONE)
		sched_yield();
}

unsigned int thread_count(unsigned int jobs)
{
	long cpus = jobs ? (long)jobs : sysconf(_SC_NPROCESSORS_ONLN);

	return cpus > 0 ? (unsigned int)cpus : 1;
}
