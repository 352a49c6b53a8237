/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A pass over the streams: workers that count the events of one way (enum plan_way) at the same
 * time, each with its own sources, maps, counts, and a merge if it needs one; their results are
 * joined.
 *
 * In order, there is one worker, which uses the histograms' own maps. By range, workers process
 * ranges of sub-buffers one after the other, and their maps are added up. By key, each worker
 * counts a part of the keys, and the entries of all maps are combined.
 */
#ifndef HIST_REPLAY_PASS_H
#define HIST_REPLAY_PASS_H

#include "recording/comm_times.h"
#include "replay/ordered.h"
#include "replay/partition.h"
#include "replay/plan.h"
#include "replay/slices.h"
#include "run/columns.h"
#include "run/part.h"

enum { MERGE_BATCH = 64 };

struct page_range {
	size_t stream;
	u64 first, end; /* sub-buffers */
	double place;   /* in the stream, from 0 to 1 */
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

struct pass {
	struct ordered *ordered;
	const struct plan *plan;
	enum plan_way way;
	/*
	 * By range: histograms whose maps are too small for all keys. Their maps accept no new
	 * keys.
	 */
	hist_data_array *full;
	/* In order, for events by range: stop as soon as the maps of ->full are full. */
	bool until_full;
	enum plan_names names; /* by range: collect names of tasks; FIRST: and count nothing */

	struct comm_times *times;        /* names of tasks; NULL: not needed */
	const struct run_source *source; /* of hits by range and by key */
	unsigned int n_workers;
	struct worker *workers;
	hist_data_array hists; /* for which workers have maps */
	ARRAY(struct page_range) ranges;
	size_t n_batches; /* in one table */
	u32 key_size;     /* the largest key */
	bool whole;       /* the span does not limit the times */
	bool plain;       /* by range: no slices, no places of records, no single records */
	size_t next;      /* atomic: next of ->ranges */
	size_t limit;     /* of ->next, for now */
	u64 slice;        /* with slices, by range: the current one */
	u64 last;         /* by key: workers stop before later records */
	struct slice_cursor *cursors; /* one for each stream */
	bool stop;                    /* atomic: the counts are useless */
};

struct prefetch;

/* A thread. */
struct worker {
	struct pass *pass;
	u32 part;                        /* index of its maps, from 1; 0: the histograms' own */
	struct source *sources;          /* one for each stream; by range: opened on demand */
	struct stream_account *accounts; /* one for each stream */
	struct ring_buffer_merge merge;
	struct partition *partitions; /* by key: one for each source */
	/* by key: ->merged from ->at to ->n_merged are the next records */
	struct ring_buffer_merged merged[MERGE_BATCH];
	int at, n_merged;
	/* by range, for the current stream */
	struct batch *batches;
	u64 **counts; /* one array for each stream, shared by the streams of a table */
	struct columns *columns;
	struct comm_runs names;
	struct slice_set slices;
	struct run_source source; /* of single hits, whose record is ->rec */
	const struct ring_buffer_record *rec;
	u64 page_at; /* place of the current sub-buffer, see stream_at() */
	struct hit_account hits;
	size_t stream;

	struct arena arena;
	struct prefetch *prefetch;
	struct diags diags;
	bool full; /* a map is full */
	int err;
};

/**
 * pass_run() - count all events of pass->way
 *
 * Return: 0; 1 if a map was too small, or a CPU's time went back: then nothing was counted, and
 *         pass->full gained the histograms whose maps are known to be too small; < 0 an error
 */
int pass_run(struct pass *pass, struct diags *diags);

/* The threads of each way. */
void *pass_work_merged(void *worker);
void *pass_work_by_range(void *worker);

/*
 * Names of tasks: how many ranges a worker takes at a time, because each time takes memory for all
 * tasks that it finds.
 */
size_t pass_names_share(const struct pass *pass);

/* The time of the first record of a sub-buffer, and after its last one was read. */
u64 pass_names_from(const struct ring_buffer_page *page);
void pass_names_page(struct worker *w, const struct ring_buffer_page *page, u64 from);

/*
 * Add the names that all workers have found to pass->times, and if they are late, to the results.
 * As comm_times_build()
 */
int pass_join_names(struct pass *pass);

/* Set up the merge of the worker's sources. */
int pass_merge_start(struct worker *w);

#endif
