/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The records of several CPUs in time order, as the kernel's `trace` file shows them.
 *
 * At equal time the lowest CPU comes first, then the order in which the iterators were
 * given. A source whose own time goes back is taken as it is: its record comes as soon as it
 * is at the head. The merge asks for several records ahead, of an iterator never for more
 * than what is left of a sub-buffer.
 */
#ifndef HIST_RING_BUFFER_MERGE_H
#define HIST_RING_BUFFER_MERGE_H

#include "ring_buffer/ring_buffer.h"

enum { RING_BUFFER_MERGE_AHEAD = 64 };

/* Gives the next records of one CPU, borrowed until the next call: how many, 0 at the end. */
struct ring_buffer_source {
	int (*fill)(void *arg, const struct ring_buffer_record **recs);
	void *arg;
	u32 cpu;
};

struct ring_buffer_merge_leaf {
	struct ring_buffer_source source;
	size_t index;                         /* as given */
	const struct ring_buffer_record *rec; /* the next one */
	const struct ring_buffer_record *end;
};

/* An iterator as a source. */
struct ring_buffer_merge_iter {
	struct ring_buffer_iter *iter;
	struct ring_buffer_record recs[RING_BUFFER_MERGE_AHEAD];
};

struct ring_buffer_merge {
	struct ring_buffer_merge_leaf *leaves; /* by rank */
	struct ring_buffer_merge_iter *iters;  /* or NULL */
	u64 *ts;   /* by rank: of the next record; the highest at the end */
	u32 *tree; /* of ranks; tree[0] has the earliest record of all */
	size_t n;
	size_t started; /* leaves that were asked for their first records */
	size_t n_live;  /* leaves that are not at their end */
	bool empty;     /* the one in tree[0] has to be asked for more */
	u32 streak;     /* how often in a row the same one won */
	u32 second;     /* after a long streak: the earliest of the others */
};

/* A record and the iterator or source that it is from. */
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

/* The same for sources of another kind. */
int ring_buffer_merge_init_sources(struct ring_buffer_merge *m,
				   const struct ring_buffer_source *sources, size_t n);

void ring_buffer_merge_release(struct ring_buffer_merge *m);

/**
 * ring_buffer_merge_next() - the next records of all
 * @out: gets up to @max of them, in order; borrowed, as their data, until the next call
 *
 * Return:  how many, 0 at the end, < 0 from the source of iterator out->index (the next call
 *          goes on)
 * Context: hot path; allocates nothing
 * Source:  __find_next_entry() @ v6.12, trace.c
 */
int ring_buffer_merge_next(struct ring_buffer_merge *m, struct ring_buffer_merged *out, int max);

#endif
