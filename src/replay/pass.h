/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A pass over the streams: workers that count the events of one way (enum plan_way) at the same
 * time, each with sources, maybe a merge, maps of its own, and counts; then all is joined.
 *
 * In order, there is one worker with everything, which works on the histograms' own maps. By
 * range, workers take ranges of sub-buffers one after the other, and their maps are added up. By
 * key, each worker has a part of the keys, and the entries of all maps are put together.
 */
#ifndef HIST_REPLAY_PASS_H
#define HIST_REPLAY_PASS_H

#include "replay/ordered.h"
#include "replay/partition.h"
#include "replay/plan.h"
#include "run/columns.h"
#include "run/part.h"

struct page_range {
	size_t stream;
	u64 first, end; /* sub-buffers */
};

struct pass {
	struct ordered *ordered;
	const struct plan *plan;
	enum plan_way way;
	/*
	 * By range: histograms whose maps are too small for all keys. They take only the keys that
	 * their maps have already.
	 */
	hist_data_array *full;
	/* In order, the events by range: end as soon as the maps of ->full are full. */
	bool until_full;

	unsigned int n_workers;
	struct worker *workers;
	hist_data_array hists; /* that workers have maps of */
	ARRAY(struct page_range) ranges;
	size_t n_batches; /* in one table */
	u32 key_size;     /* the largest */
	bool whole;       /* every time counts */
	size_t next;      /* atomic: of ->ranges */
	bool stop;        /* atomic: what is counted is of no use */
};

struct prefetch;

/* A thread. */
struct worker {
	struct pass *pass;
	u32 part;                        /* which maps, from 1; 0: the histograms' own */
	struct source *sources;          /* one for each stream; by range: opened when needed */
	struct stream_account *accounts; /* one for each stream */
	struct ring_buffer_merge merge;
	struct partition *partitions; /* by key: one for each source */
	/* by range, for the stream that is being read */
	struct batch *batches;
	u64 **counts; /* one array for each stream, shared by those of a table */
	struct columns *columns;
	size_t stream;

	struct arena arena;
	struct prefetch *prefetch;
	struct diags diags;
	bool full; /* a map is */
	int err;
};

/**
 * pass_run() - count all events of pass->way
 *
 * Return: 0; 1 if a map was too small, or a CPU's time went back: then nothing was counted, and
 *         pass->full has further histograms if it is known which maps were; < 0 an error
 */
int pass_run(struct pass *pass, struct diags *diags);

/* The threads of each way. */
void *pass_work_merged(void *worker);
void *pass_work_by_range(void *worker);

/* Set up the merge of the worker's sources. */
int pass_merge_start(struct worker *w);

#endif
