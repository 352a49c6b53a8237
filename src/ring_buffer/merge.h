/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Merges the records of several CPUs in time order, as the kernel's `trace` file shows them.
 *
 * At equal times, the lowest CPU comes first, then the order of the iterators. If times of a source
 * decrease, its record is delivered when it is at the head of the source. The merge fetches several
 * records ahead, from an iterator at most the rest of a sub-buffer.
 */
#pragma once
#include "ring_buffer/ring_buffer.h"

enum { RING_BUFFER_MERGE_AHEAD = 64 };

/*
 * A source of the records of one CPU. The function returns the number of records, borrowed until
 * the next call; 0 at the end.
 */
struct ring_buffer_source {
	int (*fill)(void *arg, const struct ring_buffer_record **recs);
	void *arg;
	u32 cpu;
};

struct ring_buffer_merge_leaf {
	struct ring_buffer_source source;
	size_t index;                         /* position in the array of the caller */
	const struct ring_buffer_record *rec; /* the next record */
	const struct ring_buffer_record *end;
};

/* An iterator as a source. */
struct ring_buffer_merge_iter {
	struct ring_buffer_iter *iter;
	struct ring_buffer_record recs[RING_BUFFER_MERGE_AHEAD];
};

struct ring_buffer_merge {
	struct ring_buffer_merge_leaf *leaves; /* by rank */
	struct ring_buffer_merge_iter *iters;  /* NULL: other sources */
	u64 *ts;   /* by rank: time of the next record; the highest at the end */
	u32 *tree; /* ranks; tree[0] has the overall earliest record */
	size_t n;
	size_t started; /* leaves that have fetched their first records */
	size_t n_live;  /* leaves that are not at the end */
	bool empty;     /* the source in tree[0] has to be refilled */
	u32 streak;     /* number of successive wins of the same source */
	u32 second;     /* after a long streak: the earliest of the other sources */
};

/* A record and the index of its iterator or source. */
struct ring_buffer_merged {
	const struct ring_buffer_record *rec;
	size_t index;
};

/**
 * ring_buffer_merge_init() - merge @n iterators
 * @iters: borrowed until ring_buffer_merge_release()
 *
 * Return: 0, -HIST_ENOMEM
 */
int ring_buffer_merge_init(struct ring_buffer_merge *m, struct ring_buffer_iter *iters, size_t n);

/* As ring_buffer_merge_init(), for other kinds of sources. */
int ring_buffer_merge_init_sources(struct ring_buffer_merge *m,
				   const struct ring_buffer_source *sources, size_t n);

void ring_buffer_merge_release(struct ring_buffer_merge *m);

/**
 * ring_buffer_merge_next() - return the next records of all sources
 * @out: set to up to @max of them, in order; borrowed, with their data, until the next call
 *
 * Return:  their number, 0 at the end, < 0: error of the source with index out->index (the next
 *          call continues)
 * Context: hot path; allocates nothing
 * Source:  __find_next_entry() @ v6.12, trace.c
 */
int ring_buffer_merge_next(struct ring_buffer_merge *m, struct ring_buffer_merged *out, int max);
