// SPDX-License-Identifier: LGPL-2.1-only
/*
 * In order: one worker merges all records, and counts in the histograms' own maps. Other threads
 * may prefetch, or one reads and another one derives.
 */
#include <stdlib.h>

#include "replay/prefetch.h"
#include "replay/way.h"

enum { MERGE_BATCH = 64 };

struct order_worker {
	struct worker worker;
	struct ring_buffer_merge merge;
	struct prefetch *prefetch;
	bool reads_ahead;
};

/* What threads do for the one that merges; 0, -HIST_ENOMEM */
static int order_prefetch(struct order_worker *ow, size_t n, struct ring_buffer_source *inputs)
{
	struct worker *w = &ow->worker;
	const struct plan *plan = w->pass->plan;
	const unsigned int threads = (unsigned int)min_t(size_t, plan->prefetch, n);
	bool inflates = false;

	ow->reads_ahead = plan->reads_ahead && w->pass->ordered->derived.all.n == 1;
	for (size_t i = 0; i < n && ow->reads_ahead; i++)
		inflates |= !plan->streams[i].stays;
	if (w->pass->until_full || !(threads || inflates))
		return 0;
	if (inflates)
		ow->prefetch = prefetch_chunks(w->sources, n, plan->threads - 2);
	else
		ow->prefetch = prefetch_start(w->sources, n, threads, w->pass->names, inputs);
	return ow->prefetch ? 0 : HIST_NOMEM;
}

static int order_open(struct worker *w)
{
	struct order_worker *ow = (struct order_worker *)w;
	const struct plan *plan = w->pass->plan;
	size_t n = plan->n_streams;
	struct ring_buffer_source *inputs = arena_alloc(&w->arena, (n + 1) * sizeof(*inputs));
	int err = inputs ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		err = source_open(&w->sources[i], &plan->streams[i]);
		inputs[i] = source_of_merge(&w->sources[i]);
	}
	if (err)
		return err;
	ordered_open(w->pass->ordered, w->sources, n, w->accounts, &w->hits);
	if (!w->pass->until_full)
		ordered_start(w->pass->ordered);
	err = order_prefetch(ow, n, inputs);
	return err ?: ring_buffer_merge_init_sources(&ow->merge, inputs, n);
}

/* --- reading ahead --- */

struct reading {
	struct worker *worker;
	struct derive *derive;
	int ret; /* of the merge: 0 at the end, < 0 an error */
};

static bool read_batch(void *arg, void *slot)
{
	struct reading *r = arg;
	struct order_worker *ow = (struct order_worker *)r->worker;
	struct ring_buffer_merged some[MERGE_BATCH];
	bool any = false;
	size_t room;

	derive_collect(r->derive, *(struct derive_batch **)slot);
	while (r->ret > 0 && (room = derive_batch_room(r->derive))) {
		r->ret = ring_buffer_merge_next(&ow->merge, some,
						(int)min_t(size_t, room, MERGE_BATCH));
		if (r->ret > 0)
			ordered_records(r->worker->pass->ordered, some, r->ret);
		any = true;
	}
	return any;
}

static void batch_is_made(void *slot, size_t i)
{
	(void)slot;
	(void)i;
}

static int take_batch(void *arg, const void *slot)
{
	const struct reading *r = arg;

	derive_from(r->derive, *(struct derive_batch *const *)slot);
	return 0;
}

static bool inflate_ahead(void *arg)
{
	const struct reading *r = arg;

	return prefetch_one(((struct order_worker *)r->worker)->prefetch);
}

/* One thread reads the records of derivers, of which the calling thread derives events. */
static int order_read_ahead(struct worker *w)
{
	struct reading r = { .worker = w, .derive = w->pass->ordered->derived.all.v[0], .ret = 1 };
	struct derive_batch *batches[4] = { NULL };
	const struct ordered_work work = { .n = SIZE_MAX,
					   .read = read_batch,
					   .make = batch_is_made,
					   .take = take_batch,
					   .help = ((struct order_worker *)w)->prefetch
							   ? inflate_ahead
							   : NULL,
					   .arg = &r,
					   .slots = batches,
					   .slot_size = sizeof(*batches),
					   .n_slots = ARRAY_SIZE(batches),
					   .threads = 2 };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(batches); i++) {
		batches[i] = derive_batch_new();
		err = batches[i] ? err : HIST_NOMEM;
	}
	err = err ?: threads_run_ordered(&work);
	derive_collect(r.derive, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(batches); i++)
		derive_batch_free(batches[i]);
	return err ?: r.ret;
}

/* --- one thread --- */

static int order_work(struct worker *w)
{
	struct order_worker *ow = (struct order_worker *)w;
	struct ring_buffer_merged some[MERGE_BATCH];
	struct pass *pass = w->pass;
	int n;

	if (ow->reads_ahead)
		return order_read_ahead(w);
	while ((n = ring_buffer_merge_next(&ow->merge, some, MERGE_BATCH)) > 0) {
		ordered_records(pass->ordered, some, n);
		if (unlikely(pass->until_full) && pass_all_full(pass->full))
			return 0;
		pass->paused = ordered_is_paused(pass->ordered);
		if (unlikely(pass->paused))
			return 0;
	}
	return n;
}

static void order_close(struct worker *w)
{
	struct order_worker *ow = (struct order_worker *)w;

	prefetch_stop(ow->prefetch);
	ring_buffer_merge_release(&ow->merge);
	ordered_close(w->pass->ordered);
}

const struct way way_order = {
	.name = "order",
	.supports = ~0u,
	.worker_size = sizeof(struct order_worker),
	.start = pass_start_in_order,
	.open = order_open,
	.work = order_work,
	.join = pass_account_sources,
	.close = order_close,
};
