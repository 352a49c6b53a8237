// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prefetching. Records are copied to blocks, so that a source can move to its next sub-buffer while
 * they are used; or a block is an inflated chunk, which replaces that of the source.
 *
 * Each source has a small ring of blocks: threads fill it at the tail, the merge consumes it at
 * the head. A thread selects the source with the fewest blocks ready. If no block is ready, the
 * merge fills one itself, unless a thread is filling it.
 */
#include <pthread.h>
#include <stdlib.h>

#include "replay/prefetch.h"

enum {
	BLOCKS = 4,
	BLOCK_RECORDS_MAX = 512,
	BLOCK_RECORDS_MIN = 64,
	ALL_RECORDS = 32768, /* in all blocks together, if there are few iterators */
	BYTES_PER_RECORD = 64,
	CHUNK_MAX = 256 << 10, /* larger ones are inflated when they are needed */
};

struct block {
	struct ring_buffer_record *recs;
	u8 *bytes;   /* copies of the data that they point to */
	size_t room; /* in bytes */
	int n;       /* 0: the end; < 0: an error */
	u64 page;    /* the sub-buffer of the last record */
	struct trace_dat_chunk chunk;
};

struct feed {
	struct prefetch *all;
	struct source *source;
	struct block blocks[BLOCKS];
	u32 head, tail; /* number of blocks consumed and filled */
	bool in_use;    /* the merge uses the block at the head */
	bool busy;      /* the block at the tail is being filled */
	bool ended;
	struct trace_dat_pages *chunks; /* of prefetch_chunks() */
};

struct prefetch {
	pthread_mutex_t lock;
	pthread_cond_t room, ready; /* a block was returned, or filled */
	struct feed *feeds;
	size_t n_feeds;
	struct threads threads;
	struct prefetch **self; /* one for each thread */
	int block_records;
	bool by_page; /* the records of a block are from one sub-buffer */
	bool stop;
};

/* --- filling --- */

/* Copy the data of @n records after the @used bytes; false if out of memory. */
static bool copy_records(struct block *b, struct ring_buffer_record *recs, int n, size_t *used)
{
	size_t size = *used;

	for (int i = 0; i < n; i++)
		size += ALIGN_UP((size_t)recs[i].len, 8);
	/* copies made earlier must not move */
	if (*used ? size > b->room : !bytes_reserve(&b->bytes, &b->room, size))
		return false;
	for (int i = 0; i < n; i++) {
		memcpy(b->bytes + *used, recs[i].data, recs[i].len);
		recs[i].data = b->bytes + *used;
		*used += ALIGN_UP((size_t)recs[i].len, 8);
	}
	return true;
}

/*
 * As many records as fit. The iterator delivers one sub-buffer at a time, so a block is closed
 * while a whole sub-buffer may still fit.
 */
static void fill_block(struct feed *f, struct block *b)
{
	struct ring_buffer_iter *iter = &f->source->iter;
	size_t used = 0, page = iter->layout.subbuf_size;
	int max = f->all->block_records, n = 0, got;

	if (!b->recs) {
		b->recs = malloc((size_t)max * sizeof(*b->recs));
		if (!b->recs ||
		    !bytes_reserve(&b->bytes, &b->room, (size_t)max * BYTES_PER_RECORD)) {
			b->n = HIST_NOMEM;
			return;
		}
	}
	do {
		got = ring_buffer_iter_fill(iter, b->recs + n, max - n);
		if (got <= 0)
			break;
		if (!copy_records(b, b->recs + n, got, &used))
			got = HIST_NOMEM;
		else
			n += got;
	} while (got > 0 && !f->all->by_page && n < max && b->room - used >= page);
	b->page = f->source->page;
	/* an end or error that follows records is delivered by the next call */
	b->n = n && got != HIST_NOMEM ? n : got;
}

static void inflate_block(struct feed *f, struct block *b)
{
	int err = 1;

	if (trace_dat_pages_index(f->chunks) < f->source->end)
		err = trace_dat_pages_inflate(f->chunks, &b->chunk);
	b->n = err <= 0 ? err ?: 1 : 0;
}

static void fill_one(struct feed *f)
{
	struct prefetch *a = f->all;
	struct block *b = &f->blocks[f->tail % BLOCKS];

	f->busy = true;
	pthread_mutex_unlock(&a->lock);
	if (f->chunks)
		inflate_block(f, b);
	else
		fill_block(f, b);
	pthread_mutex_lock(&a->lock);
	f->busy = false;
	f->ended = b->n <= 0 || b->chunk.usize > CHUNK_MAX;
	f->tail++;
	pthread_cond_broadcast(&a->ready);
}

/* --- the threads --- */

/* The source with the fewest blocks ready, or NULL. */
static struct feed *find_work(struct prefetch *a)
{
	struct feed *best = NULL;

	for (size_t i = 0; i < a->n_feeds; i++) {
		struct feed *f = &a->feeds[i];

		if (f->busy || f->ended || f->tail - f->head == BLOCKS)
			continue;
		if (!best || f->tail - f->head < best->tail - best->head)
			best = f;
	}
	return best;
}

static void *prefetch_blocks(void *arg)
{
	struct prefetch *a = *(struct prefetch **)arg;

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

/* --- the merge --- */

static void give_back(struct feed *f)
{
	if (!f->in_use)
		return;
	f->in_use = false;
	f->head++;
	pthread_cond_signal(&f->all->room);
}

/* The next block, which is used until it is given back. */
static struct block *take_block(struct feed *f)
{
	struct prefetch *a = f->all;
	struct block *b;

	pthread_mutex_lock(&a->lock);
	give_back(f);
	while (f->head == f->tail) {
		if (f->busy)
			pthread_cond_wait(&a->ready, &a->lock);
		else
			fill_one(f);
	}
	b = &f->blocks[f->head % BLOCKS];
	f->in_use = b->n > 0;
	pthread_mutex_unlock(&a->lock);
	return b;
}

static int take_records(void *arg, const struct ring_buffer_record **recs)
{
	struct feed *f = arg;
	const struct block *b = take_block(f);

	*recs = b->recs;
	f->source->merged = b->page;
	return b->n;
}

/* Without one, the source inflates the chunk itself, and finds the same damage. */
static void take_chunk(void *arg)
{
	struct feed *f = arg;
	struct block *b;

	do {
		b = take_block(f);
	} while (b->n > 0 && !trace_dat_pages_use(f->source->pages, &b->chunk));
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

static void free_feeds(struct prefetch *a)
{
	for (size_t i = 0; a->feeds && i < a->n_feeds; i++) {
		for (int k = 0; k < BLOCKS; k++) {
			free(a->feeds[i].blocks[k].recs);
			free(a->feeds[i].blocks[k].bytes);
			free(a->feeds[i].blocks[k].chunk.buf);
		}
		trace_dat_pages_close(a->feeds[i].chunks);
	}
	free(a->feeds);
	free(a->self);
	free(a);
}

/* With a feed of each source, and no threads. */
static struct prefetch *new_prefetch(struct source *from, size_t n, unsigned int threads)
{
	struct prefetch *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->feeds = calloc(n + 1, sizeof(*a->feeds));
	a->self = calloc(threads + 1, sizeof(struct prefetch *));
	if (!a->feeds || !a->self) {
		free_feeds(a);
		return NULL;
	}
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->room, NULL);
	pthread_cond_init(&a->ready, NULL);
	for (unsigned int i = 0; i < threads; i++)
		a->self[i] = a;
	for (; a->n_feeds < n; a->n_feeds++)
		a->feeds[a->n_feeds] = (struct feed){ .all = a, .source = &from[a->n_feeds] };
	return a;
}

static void start_threads(struct prefetch *a, unsigned int threads)
{
	threads_start(&a->threads, &(struct thread_job){ .work = prefetch_blocks,
							 .elements = a->self,
							 .size = sizeof(struct prefetch *),
							 .n = threads });
}

struct prefetch *prefetch_start(struct source *from, size_t n, unsigned int threads, bool by_page,
				struct ring_buffer_source *sources)
{
	struct prefetch *a = new_prefetch(from, n, threads);
	size_t share = ALL_RECORDS / BLOCKS / (n ? n : 1);

	if (!a)
		return NULL;
	a->block_records =
		(int)max_t(size_t, BLOCK_RECORDS_MIN, min_t(size_t, BLOCK_RECORDS_MAX, share));
	a->by_page = by_page;
	for (size_t i = 0; i < n; i++)
		sources[i] = (struct ring_buffer_source){ .fill = take_records,
							  .arg = &a->feeds[i],
							  .cpu = from[i].iter.cpu };
	start_threads(a, threads);
	return a;
}

struct prefetch *prefetch_chunks(struct source *from, size_t n, unsigned int threads)
{
	struct prefetch *a = new_prefetch(from, n, threads);
	int err = a ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		err = trace_dat_pages_open_like(from[i].pages, &a->feeds[i].chunks);
		if (!err)
			trace_dat_pages_seek(a->feeds[i].chunks,
					     trace_dat_pages_index(from[i].pages));
		from[i].leave = take_chunk;
		from[i].leave_arg = &a->feeds[i];
	}
	if (err) {
		prefetch_stop(a);
		return NULL;
	}
	start_threads(a, threads);
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
	free_feeds(a);
}
