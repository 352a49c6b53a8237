/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Ways of counting. A pass counts all events of one way (enum plan_way): its workers count at the
 * same time, each with its own sources, maps and counts, and their results are joined.
 *
 * Each way is a file that ends in one struct way, and owns its state: a worker of a way is a struct
 * that begins with struct worker, and pass->own belongs to the way. The driver (pass.c) does not
 * know which way it drives; the plan (plan.h) chooses.
 */
#pragma once
#include "replay/ordered.h"
#include "replay/plan.h"

struct pass {
	struct ordered *ordered;
	const struct plan *plan;
	enum plan_way way;
	const struct way *how; /* the way, or instead of the one in order the plain one */
	/*
	 * By range: histograms with more keys than entries. The first keys in the order of records
	 * get the entries, which threads that count at the same time do not know: if a map is full,
	 * replay.c finds these keys in order, and counts again with maps that accept no others.
	 */
	hist_count_array *full;
	/* In order, for events by range: stop as soon as the maps of ->full are full. */
	bool until_full;
	enum plan_names collect; /* names of tasks; FIRST: and count nothing */

	struct names *names;               /* NULL: not needed */
	const struct hit_context *context; /* of hits by range */
	bool whole;                        /* the span limits neither times nor CPUs */

	unsigned int n_workers;
	void *workers;          /* see pass_worker() */
	hist_count_array hists; /* for which workers have maps */
	bool stop;              /* atomic: the counts are useless */
	bool paused;            /* in order: the observer has enough, more records follow */
	struct arena arena;
	void *own; /* of the way, in ->arena */
};

/* What every worker has, on a thread of its own. */
struct worker {
	struct pass *pass;
	u32 part;                        /* index of its maps, from 1 */
	struct source *sources;          /* one for each stream; closed by the driver */
	struct stream_account *accounts; /* one for each stream */
	/* records by id: one array for each stream, shared by the streams of a table */
	u64 **counts;
	struct hit_account hits;
	struct hit_context context; /* of its hits by range: ->arg is the worker */
	struct who_cache who;
	struct arena arena;
	struct diags diags;
	int err;
};

struct way {
	size_t worker_size; /* of its struct worker */
	/* Choose records and histograms, set the number of workers. 0, < 0 an error */
	int (*start)(struct pass *pass);
	/* The worker is zeroed but for struct worker. As above */
	int (*open)(struct worker *w);
	/* Count, to the end of a slice of time or of all records. As above. Context: a thread */
	int (*work)(struct worker *w);
	/*
	 * All workers have stopped: > 0 if they have to go on, 0 at the end; < 0 an error. NULL:
	 * slices end during the work
	 */
	int (*slice)(struct pass *pass);
	/*
	 * The sum of all workers becomes the histograms' own; @err: > 0 if the counts are useless.
	 * Return: as pass_run()
	 */
	int (*join)(struct pass *pass, int err);
	void (*close)(struct worker *w); /* NULL: not needed */
	/* Release what ->start allocated outside of the arena; NULL: nothing */
	void (*end)(struct pass *pass);
};

/* What counting by range supports of enum depends_bit; the others support all. */
#define RANGE_SUPPORTS                                                                      \
	(DEPENDS_ON(PROGRAM) | DEPENDS_ON(SAMPLES) | DEPENDS_ON(COMM) | DEPENDS_ON(FIRST) | \
	 DEPENDS_ON(EXEMPLARS) | DEPENDS_ON(SLICES) | DEPENDS_ON(STACK))

extern const struct way way_order, way_range, way_plain, way_windows;

/* Whether what is derived can be by windows of time, as far as is known before. */
bool way_windows_fits(const struct plan *p, const struct derived *d);

static inline struct worker *pass_worker(const struct pass *pass, unsigned int i)
{
	return (struct worker *)(void *)((u8 *)pass->workers + i * pass->how->worker_size);
}

/**
 * pass_run() - count all events of pass->way
 *
 * Return: 0; 1 if a map was too small, or a CPU's time went back: then nothing was counted, and
 *         pass->full gained the histograms whose maps are known to be too small; < 0 an error
 */
int pass_run(struct pass *pass, struct diags *diags);

/* What derivers have to know of what comes later: all records, before anything is traced. */
int pass_rehearse(struct ordered *o, const struct plan *plan, struct diags *diags);

/*
 * The same in steps, for a way with one worker: pass_step() returns 1 if the observer paused the
 * pass, 0 at the end; pass_finish() is called also after an error, and returns as pass_run().
 */
int pass_start(struct pass *pass);
int pass_step(struct pass *pass);
int pass_finish(struct pass *pass, int err, struct diags *diags);

bool pass_all_full(const hist_count_array *hists);

/* --- for the ways --- */

/* In order: one worker, for all records of the way. */
int pass_start_in_order(struct pass *pass);

/* The sources of the first worker have read all records. Return: @err */
int pass_account_sources(struct pass *pass, int err);

/*
 * Select the records of the events of the way, those that name tasks if they are collected, and
 * those that change which tasks are selected.
 */
void pass_choose_records(struct pass *pass, bool changes);

/* Find the histograms of the way, and give them maps for each worker. 0, -HIST_ENOMEM */
int pass_choose_hists(struct pass *pass);
int pass_start_parts(struct pass *pass);

/* Add up the workers' maps. Return: as pass_run() */
int pass_join_parts(struct pass *pass, int err);

/* worker.counts. 0, -HIST_ENOMEM */
int worker_make_counts(struct worker *w);
