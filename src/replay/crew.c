// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A crew. Whoever has nothing to do takes the next number; the caller waits for the last.
 */
#include <pthread.h>
#include <stdlib.h>

#include "replay/crew.h"

struct crew {
	pthread_mutex_t lock;
	pthread_cond_t more, done; /* there is something to do, all of it was done */
	void (*job)(void *arg, size_t i);
	void *arg;
	size_t next, n, left; /* to be taken, how many, not yet done */
	bool stop;
	pthread_t *threads;
	unsigned int n_threads;
};

/* Take what there is; the lock is held before and after. */
static void take_part(struct crew *c)
{
	while (c->next < c->n) {
		size_t i = c->next++;

		pthread_mutex_unlock(&c->lock);
		c->job(c->arg, i);
		pthread_mutex_lock(&c->lock);
		if (!--c->left)
			pthread_cond_signal(&c->done);
	}
}

static void *member(void *arg)
{
	struct crew *c = arg;

	pthread_mutex_lock(&c->lock);
	while (!c->stop) {
		take_part(c);
		if (!c->stop)
			pthread_cond_wait(&c->more, &c->lock);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

struct crew *crew_new(unsigned int threads)
{
	struct crew *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->threads = calloc(threads + 1, sizeof(*c->threads));
	if (!c->threads) {
		free(c);
		return NULL;
	}
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->more, NULL);
	pthread_cond_init(&c->done, NULL);
	while (c->n_threads < threads &&
	       !pthread_create(&c->threads[c->n_threads], NULL, member, c))
		c->n_threads++;
	return c;
}

void crew_run(struct crew *c, void (*job)(void *arg, size_t i), void *arg, size_t n)
{
	pthread_mutex_lock(&c->lock);
	c->job = job;
	c->arg = arg;
	c->next = 0;
	c->n = c->left = n;
	pthread_cond_broadcast(&c->more);
	take_part(c);
	while (c->left)
		pthread_cond_wait(&c->done, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->stop = true;
	pthread_cond_broadcast(&c->more);
	pthread_mutex_unlock(&c->lock);
	for (unsigned int i = 0; i < c->n_threads; i++)
		pthread_join(c->threads[i], NULL);
	pthread_cond_destroy(&c->done);
	pthread_cond_destroy(&c->more);
	pthread_mutex_destroy(&c->lock);
	free(c->threads);
	free(c);
}
