/* SPDX-License-Identifier: LGPL-2.1-only */
/* State of the way by range: way_range.c, and its parts slices.c and range_names.c. */
#pragma once
#include "replay/slices.h"
#include "replay/way.h"

struct page_range {
	size_t stream;
	u64 first, end;  /* sub-buffers */
	double fraction; /* in the stream, from 0 to 1 */
	/* names: times of its first and its last record; ->from > ->to: none */
	u64 from, to;
	bool backwards; /* a time went back */
	/* with slices, when it was read */
	bool done, missed_unknown;
	u64 missed;
	u32 worker;
	size_t first_mark, n_marks; /* of the worker */
};

/* With slices: a place in a stream, after which the current slice ends. */
struct slice_cursor {
	size_t range, mark;
	u64 missed; /* until the range */
	bool missed_unknown;
	size_t checked; /* range until which slices ascend */
	u64 last;       /* slice there */
};

/* Of all workers. */
struct range_pass {
	ARRAY(struct page_range) ranges;
	size_t n_batches;             /* in one table */
	u32 key_size;                 /* the largest key */
	bool plain;                   /* no slices, no places of records, no single records */
	size_t next;                  /* atomic: next of ->ranges */
	size_t limit;                 /* of ->next, for now */
	u64 slice;                    /* with slices: the current one */
	struct slice_cursor *cursors; /* with slices: one for each stream */
};

struct range_worker {
	struct worker worker;
	struct batch *batches; /* of the current stream; ->worker.sources are opened on demand */
	struct columns *columns;
	struct names_seen seen;
	struct slice_set slices;
	const struct ring_buffer_record *rec; /* of a single hit */
	u64 page_at;                          /* place of the current sub-buffer, see stream_at() */
	size_t stream;
	struct page_range *range;
	bool full; /* a map is full */
};

static inline struct range_pass *range_pass_of(const struct pass *pass)
{
	return pass->own;
}

static inline struct range_worker *range_worker_at(const struct pass *pass, unsigned int i)
{
	return (struct range_worker *)pass_worker(pass, i);
}

/*
 * Names of tasks: how many ranges a worker takes at a time, because each time takes memory for all
 * tasks that it finds.
 */
size_t range_names_share(const struct pass *pass);

/* The time of the first record of a sub-buffer; false: it has none. */
bool range_names_from(const struct ring_buffer_page *page, u64 *from);

/* The last record of a sub-buffer was read, whose first one has time @from. */
void range_names_page(struct page_range *range, const struct ring_buffer_page *page, u64 from);

/**
 * range_join_names() - add the names that all workers have found to pass->names
 *
 * If they are late, also to the results.
 * Return: 0; 1: all facts are needed (names->every), or a time of a CPU went back; -HIST_ENOMEM
 */
int range_join_names(struct pass *pass);
