// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Inflating ahead. Each source has a small ring of chunks: threads inflate at the tail; the source
 * takes the one at the head when it has read its own chunk. A thread selects the source with the
 * fewest chunks ready. If none is ready, the thread that reads inflates one itself, unless a thread
 * is doing so.
 */
#include <pthread.h>

#include "replay/read_ahead.h"

enum {
	BLOCKS = 4,
	CHUNK_MAX = 256 << 10, /* larger ones are inflated when they are needed */
};

struct block {
	struct trace_dat_chunk chunk;
	int ret; /* > 0: it has a chunk; 0: the end; < 0: an error */
};

struct feed {
	struct prefetch *all;
	struct source *source;
	struct trace_dat_pages *chunks;
	struct block blocks[BLOCKS];
	u32 head, tail; /* number of blocks consumed and filled */
	bool busy;      /* the block at the tail is being filled */
	bool ended;
};

struct prefetch {
	pthread_mutex_t lock;
	pthread_cond_t room, ready; /* a block was returned, or filled */
	struct feed *feeds;
	size_t n_feeds;
	struct threads threads;
	bool stop;
};

/* --- filling --- */

static void fill_one(struct feed *f)
{
	struct prefetch *a = f->all;
	struct block *b = &f->blocks[f->tail % BLOCKS];
	int err = 1;

	f->busy = true;
	pthread_mutex_unlock(&a->lock);
	if (trace_dat_pages_index(f->chunks) < f->source->end)
		err = trace_dat_pages_inflate(f->chunks, &b->chunk);
	b->ret = err <= 0 ? err ?: 1 : 0;
	pthread_mutex_lock(&a->lock);
	f->busy = false;
	f->ended = b->ret <= 0 || b->chunk.usize > CHUNK_MAX;
	f->tail++;
	pthread_cond_broadcast(&a->ready);
}

/* --- the threads --- */

/* The source with the fewest blocks ready, or NULL. */
static struct feed *find_work(struct prefetch *a)
{
	struct feed *best = NULL;

	array_each_of(struct feed, f, a->feeds, a->n_feeds) {
		if (f->busy || f->ended || f->tail - f->head == BLOCKS)
			continue;
		if (!best || f->tail - f->head < best->tail - best->head)
			best = f;
	}
	return best;
}

static void *prefetch_blocks(void *arg)
{
	struct prefetch *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		struct feed *f = find_work(a);

		if (f)
			fill_one(f);
		else
			pthread_cond_wait(&a->room, &a->lock);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* --- the thread that reads --- */

/*
 * Replace the chunk of the source by the next one. Without one, the source inflates it itself, and
 * finds the same damage.
 */
static void take_chunk(void *arg)
{
	struct feed *f = arg;
	struct prefetch *a = f->all;
	bool used = false;

	pthread_mutex_lock(&a->lock);
	while (!used) {
		struct block *b = &f->blocks[f->head % BLOCKS];

		if (f->head == f->tail && f->busy) {
			pthread_cond_wait(&a->ready, &a->lock);
		} else if (f->head == f->tail) {
			fill_one(f);
		} else if (b->ret <= 0) {
			break;
		} else {
			used = trace_dat_pages_use(f->source->pages, &b->chunk);
			f->head++;
			pthread_cond_signal(&a->room);
		}
	}
	pthread_mutex_unlock(&a->lock);
}

bool prefetch_one(struct prefetch *a)
{
	struct feed *f;

	pthread_mutex_lock(&a->lock);
	f = find_work(a);
	if (f)
		fill_one(f);
	pthread_mutex_unlock(&a->lock);
	return f;
}

/* --- all together --- */

static int open_feeds(struct prefetch *a, struct source *from, size_t n)
{
	int err = 0;

	a->feeds = calloc(n + 1, sizeof(*a->feeds));
	if (!a->feeds)
		return HIST_NOMEM;
	for (; a->n_feeds < n && !err; a->n_feeds++) {
		struct feed *f = &a->feeds[a->n_feeds];
		struct source *s = &from[a->n_feeds];

		*f = (struct feed){ .all = a, .source = s };
		err = trace_dat_pages_open_like(s->pages, &f->chunks);
		if (!err)
			trace_dat_pages_seek(f->chunks, trace_dat_pages_index(s->pages));
		s->leave = take_chunk;
		s->leave_arg = f;
	}
	return err;
}

struct prefetch *prefetch_start(struct source *from, size_t n, unsigned int threads)
{
	struct prefetch *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->room, NULL);
	pthread_cond_init(&a->ready, NULL);
	if (open_feeds(a, from, n)) {
		prefetch_stop(a);
		return NULL;
	}
	threads_start(&a->threads,
		      &(struct thread_job){ .work = prefetch_blocks, .elements = a, .n = threads });
	return a;
}

void prefetch_stop(struct prefetch *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_broadcast(&a->room);
	pthread_mutex_unlock(&a->lock);
	threads_join(&a->threads);
	pthread_cond_destroy(&a->ready);
	pthread_cond_destroy(&a->room);
	pthread_mutex_destroy(&a->lock);
	for (size_t i = 0; i < a->n_feeds; i++) {
		for (int k = 0; k < BLOCKS; k++)
			free(a->feeds[i].blocks[k].chunk.buf);
		trace_dat_pages_close(a->feeds[i].chunks);
	}
	free(a->feeds);
	free(a);
}
