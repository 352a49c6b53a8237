// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The only place that starts threads. If none can be started, the calling thread does all the work.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay/crew.h"

static void *element(const struct crew_job *job, unsigned int i)
{
	return (char *)job->elements + i * job->size;
}

void crew_start(struct crew *crew, const struct crew_job *job)
{
	pthread_t *threads = calloc(job->n + 1, sizeof(*threads));

	*crew = (struct crew){ .threads = threads };
	while (threads && crew->n < job->n &&
	       !pthread_create(&threads[crew->n], NULL, job->work, element(job, crew->n)))
		crew->n++;
}

void crew_join(struct crew *crew)
{
	pthread_t *threads = crew->threads;

	for (unsigned int i = 0; i < crew->n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	*crew = (struct crew){ .threads = NULL };
}

void crew_run(const struct crew_job *job)
{
	struct crew_job others = *job;
	struct crew crew;

	others.n = job->n - 1;
	crew_start(&crew, &others);
	for (unsigned int i = crew.n; i < job->n; i++)
		job->work(element(job, i));
	crew_join(&crew);
}

unsigned int crew_size(unsigned int jobs)
{
	long cpus = jobs ? (long)jobs : sysconf(_SC_NPROCESSORS_ONLN);

	return cpus > 0 ? (unsigned int)cpus : 1;
}
