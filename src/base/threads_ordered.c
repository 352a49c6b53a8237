// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Items that threads make in any order, and that the calling thread takes in theirs. The calling
 * thread makes an item itself whenever the next one to take is not ready.
 *
 * Slots form a ring: items from ->taken up to ->next are in slots, being made or ready.
 */
#include <pthread.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/threads.h"

struct ring {
	const struct ordered_work *work;
	pthread_mutex_t lock;
	pthread_cond_t room, made; /* an item was taken, or the next one to take is ready */
	bool *ready;               /* of each slot */
	size_t next, taken, n;
	bool reading, stop;
};

static void *slot_of(const struct ring *r, size_t i)
{
	return (char *)r->work->slots + i % r->work->n_slots * r->work->slot_size;
}

/* Whether a thread can make the next item now. */
static bool can_make(const struct ring *r)
{
	return r->next < r->n && r->next - r->taken < r->work->n_slots && !r->reading;
}

/* Read the next item. Called with the lock; false: there is none. */
static bool read_next(struct ring *r)
{
	bool more;

	r->reading = true;
	pthread_mutex_unlock(&r->lock);
	more = r->work->read(r->work->arg, slot_of(r, r->next));
	pthread_mutex_lock(&r->lock);
	r->reading = false;
	if (!more)
		r->n = r->next;
	pthread_cond_broadcast(&r->room);
	pthread_cond_signal(&r->made);
	return more;
}

/* Called with the lock. */
static void make_next(struct ring *r)
{
	size_t i;

	if (r->work->read && !read_next(r))
		return;
	i = r->next++;
	if (r->work->make) {
		pthread_mutex_unlock(&r->lock);
		r->work->make(slot_of(r, i), i);
		pthread_mutex_lock(&r->lock);
	}
	r->ready[i % r->work->n_slots] = true;
	if (i == r->taken)
		pthread_cond_signal(&r->made);
}

static void *make_items(void *element)
{
	struct ring *r = element;

	pthread_mutex_lock(&r->lock);
	while (!r->stop && r->next < r->n) {
		if (can_make(r))
			make_next(r);
		else
			pthread_cond_wait(&r->room, &r->lock);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* Called with the lock. */
static int take_next(struct ring *r)
{
	size_t i = r->taken;
	int err;

	pthread_mutex_unlock(&r->lock);
	err = r->work->take(r->work->arg, slot_of(r, i));
	pthread_mutex_lock(&r->lock);
	r->ready[i % r->work->n_slots] = false;
	r->taken++;
	pthread_cond_broadcast(&r->room);
	return err;
}

/* Called with the lock. */
static bool help_once(struct ring *r)
{
	bool helped;

	pthread_mutex_unlock(&r->lock);
	helped = r->work->help(r->work->arg);
	pthread_mutex_lock(&r->lock);
	return helped;
}

static int take_all(struct ring *r)
{
	/* false: help() had nothing to do, and the rest was not looked at since */
	bool helps = r->work->help;
	int err = 0;

	pthread_mutex_lock(&r->lock);
	while (r->taken < r->n && !err) {
		if (r->ready[r->taken % r->work->n_slots]) {
			err = take_next(r);
		} else if (can_make(r)) {
			make_next(r);
		} else if (helps) {
			helps = help_once(r);
			continue;
		} else {
			pthread_cond_wait(&r->made, &r->lock);
		}
		helps = r->work->help;
	}
	r->stop = true;
	pthread_cond_broadcast(&r->room);
	pthread_mutex_unlock(&r->lock);
	return err;
}

int threads_run_ordered(const struct ordered_work *work)
{
	struct ring r = { .work = work,
			  .n = work->n,
			  .ready = calloc(work->n_slots, sizeof(*r.ready)) };
	const struct thread_job job = { .work = make_items,
					.elements = &r,
					.n = work->threads - 1 };
	struct threads threads;
	int err = HIST_NOMEM;

	if (r.ready) {
		pthread_mutex_init(&r.lock, NULL);
		pthread_cond_init(&r.room, NULL);
		pthread_cond_init(&r.made, NULL);
		threads_start(&threads, &job);
		err = take_all(&r);
		threads_join(&threads);
		pthread_cond_destroy(&r.made);
		pthread_cond_destroy(&r.room);
		pthread_mutex_destroy(&r.lock);
	}
	free(r.ready);
	return err;
}
