// SPDX-License-Identifier: LGPL-2.1-only
/*
 * In order: one worker merges all records, and counts in the histograms' own maps. If it reads
 * ahead, another thread merges, and the others inflate chunks of compressed sub-buffers.
 */
#include "replay/read_ahead.h"

enum { MERGE_BATCH = 64 };

struct order_worker {
	struct worker worker;
	struct ring_buffer_merge merge;
	struct prefetch *inflating;
	bool reads_ahead;
};

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
	ow->reads_ahead = plan->reads_ahead && !w->pass->until_full &&
			  w->pass->ordered->derived.all.n <= 1;
	if (ow->reads_ahead && plan->inflates) {
		ow->inflating = prefetch_start(w->sources, n, plan->threads - 2);
		err = ow->inflating ? 0 : HIST_NOMEM;
	}
	return err ?: ring_buffer_merge_init_sources(&ow->merge, inputs, n);
}

static int order_work(struct worker *w)
{
	struct order_worker *ow = (struct order_worker *)w;
	struct ring_buffer_merged some[MERGE_BATCH];
	struct pass *pass = w->pass;
	int n;

	if (ow->reads_ahead)
		return read_ahead(w, &ow->merge, ow->inflating);
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

	prefetch_stop(ow->inflating);
	ring_buffer_merge_release(&ow->merge);
	ordered_close(w->pass->ordered);
}

const struct way way_order = {
	.worker_size = sizeof(struct order_worker),
	.start = pass_start_in_order,
	.open = order_open,
	.work = order_work,
	.join = pass_account_sources,
	.close = order_close,
};
