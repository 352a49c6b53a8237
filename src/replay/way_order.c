// SPDX-License-Identifier: LGPL-2.1-only
/*
 * In order: one worker merges all records, and counts in the histograms' own maps. Other threads
 * may prefetch.
 */
#include <stdlib.h>

#include "replay/prefetch.h"
#include "replay/way.h"

enum { MERGE_BATCH = 64 };

struct order_worker {
	struct worker worker;
	struct source *sources; /* one for each stream */
	struct ring_buffer_merge merge;
	struct prefetch *prefetch;
};

static int order_start(struct pass *pass)
{
	pass->n_workers = 1;
	pass_choose_records(pass, true);
	return 0;
}

static int order_open(struct worker *w)
{
	struct order_worker *ow = (struct order_worker *)w;
	const struct plan *plan = w->pass->plan;
	size_t n = plan->n_streams;
	unsigned int threads = (unsigned int)min_t(size_t, plan->prefetch, n);
	struct ring_buffer_source *inputs = arena_alloc(&w->arena, (n + 1) * sizeof(*inputs));
	int err = inputs ? 0 : HIST_NOMEM;

	ow->sources = arena_alloc(&w->arena, (n + 1) * sizeof(*ow->sources));
	for (size_t i = 0; i < n && ow->sources && !err; i++) {
		err = source_open(&ow->sources[i], &plan->streams[i]);
		inputs[i] = source_of_merge(&ow->sources[i]);
	}
	if (err || !ow->sources)
		return err ? err : HIST_NOMEM;
	ordered_open(w->pass->ordered, ow->sources, n, w->accounts, &w->hits);
	if (!w->pass->until_full)
		ordered_start(w->pass->ordered);
	if (threads && !w->pass->until_full) {
		ow->prefetch = prefetch_start(ow->sources, n, threads, w->pass->names, inputs);
		if (!ow->prefetch)
			return HIST_NOMEM;
	}
	return ring_buffer_merge_init_sources(&ow->merge, inputs, n);
}

static bool all_full(const hist_count_array *hists)
{
	for (size_t i = 0; i < hists->n; i++)
		if (!tracing_map_is_full(hist_map(hists->v[i])))
			return false;
	return true;
}

static int order_work(struct worker *w)
{
	struct order_worker *ow = (struct order_worker *)w;
	struct ring_buffer_merged some[MERGE_BATCH];
	const struct pass *pass = w->pass;
	int n;

	while ((n = ring_buffer_merge_next(&ow->merge, some, MERGE_BATCH)) > 0) {
		ordered_records(pass->ordered, some, n);
		if (unlikely(pass->until_full) && all_full(pass->full))
			return 0;
	}
	return n;
}

/* Slices of time end during the work. */
static int order_slice(struct pass *pass)
{
	const struct order_worker *ow = pass->workers;

	for (size_t i = 0; i < pass->plan->n_streams; i++)
		source_account(&ow->sources[i], &ow->worker.accounts[i]);
	return 0;
}

static int order_join(struct pass *pass, int err)
{
	(void)pass;
	return err;
}

static void order_close(struct worker *w)
{
	struct order_worker *ow = (struct order_worker *)w;

	prefetch_stop(ow->prefetch);
	ring_buffer_merge_release(&ow->merge);
	for (size_t i = 0; ow->sources && i < w->pass->plan->n_streams; i++)
		source_close(&ow->sources[i]);
	ordered_close(w->pass->ordered);
}

const struct way way_order = {
	.name = "order",
	.supports = ~0u,
	.worker_size = sizeof(struct order_worker),
	.start = order_start,
	.open = order_open,
	.work = order_work,
	.slice = order_slice,
	.join = order_join,
	.close = order_close,
};
