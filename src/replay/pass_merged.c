// SPDX-License-Identifier: LGPL-2.1-only
/* In order and by key: a worker merges its sources in time order. */
#include <stdlib.h>

#include "replay/pass.h"
#include "replay/prefetch.h"

/* --- sources --- */

static int partitioned(struct worker *w, size_t i, struct ring_buffer_source *source)
{
	struct partition *p = &w->partitions[i];

	*p = (struct partition){ .source = &w->sources[i],
				 .h = w->pass->plan->h,
				 .last_in_slice = w->pass->last,
				 .from = w->pass->times ? w->pass->source : NULL,
				 .part = w->part,
				 .n_parts = w->pass->n_workers,
				 .counts = w->counts[i] };
	*source = partition_of_merge(p);
	return partition_init(p, &w->arena);
}

/*
 * The sources of the worker: each source as it is, restricted to a part of the keys, or prefetched.
 */
int pass_merge_start(struct worker *w)
{
	const struct plan *plan = w->pass->plan;
	size_t n = plan->n_streams;
	unsigned int threads = (unsigned int)min_t(size_t, plan->prefetch, n);
	struct ring_buffer_source *sources = calloc(n + 1, sizeof(*sources));
	bool others = threads && !w->partitions && !w->pass->until_full;
	int err = sources ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		if (w->partitions)
			err = partitioned(w, i, &sources[i]);
		else
			sources[i] = source_of_merge(&w->sources[i]);
	}
	if (!err && others)
		w->prefetch = prefetch_start(w->sources, n, threads, sources);
	if (others && !w->prefetch)
		err = HIST_NOMEM;
	if (!err)
		err = ring_buffer_merge_init_sources(&w->merge, sources, n);
	free(sources);
	return err;
}

/* --- records --- */

static bool all_full(const hist_data_array *hists)
{
	for (size_t i = 0; i < hists->n; i++)
		if (!tracing_map_is_full(hists->v[i]->map))
			return false;
	return true;
}

static int run_in_order(struct worker *w)
{
	struct ring_buffer_merged some[MERGE_BATCH];
	struct pass *pass = w->pass;
	int n;

	while ((n = ring_buffer_merge_next(&w->merge, some, MERGE_BATCH)) > 0) {
		ordered_records(pass->ordered, some, n);
		if (unlikely(pass->until_full) && all_full(pass->full))
			return 0;
	}
	return n;
}

static inline void hit_part(const struct worker *w, const struct ring_buffer_merged *m,
			    struct hit *hit)
{
	const struct stream *stream = w->sources[m->index].stream;
	struct event_file *file;

	if (unlikely(!m->rec->len)) /* only starts a slice */
		return;
	file = stream_dispatch(stream, m->rec)->file;
	hit->file = file;
	hit->rec = m->rec->data;
	hit->len = m->rec->len;
	hit->cpu = stream->cpu;
	hit->pid = stream_pid(stream, m->rec);
	hit->ts = m->rec->ts;
	if (unlikely(w->pass->times != NULL))
		hit->at = stream_at(stream, w->sources[m->index].page, m->rec);
	event_file_count(file, hit);
}

/* Whether the pass can still give the result of a replay in order. */
static bool is_well(const struct worker *w)
{
	for (size_t i = 0; i < w->pass->plan->n_streams; i++)
		if (w->partitions[i].backwards)
			return false;
	for (size_t i = 0; i < w->pass->hists.n; i++)
		if (hist_part_is_full(w->pass->hists.v[i], w->part))
			return false;
	return !__atomic_load_n(&w->pass->stop, __ATOMIC_RELAXED);
}

/* The end of those records of the worker that are in the current slice of time. */
static int end_of_slice(const struct worker *w)
{
	int end = w->n_merged;

	while (end > w->at && w->merged[end - 1].rec->ts > w->pass->last)
		end--;
	return end;
}

static int next_records(struct worker *w)
{
	w->at = 0;
	w->n_merged = ring_buffer_merge_next(&w->merge, w->merged, MERGE_BATCH);
	return w->n_merged;
}

/* Up to the end of the slice, or to the last record. */
static int run_by_key(struct worker *w)
{
	struct hit hit = { .part = (u16)w->part,
			   .n_parts = (u16)w->pass->n_workers,
			   .source = w->pass->source };
	bool ends = false;

	while (!ends) {
		int end = end_of_slice(w);

		for (int i = w->at; i < end; i++)
			hit_part(w, &w->merged[i], &hit);
		w->at = end;
		ends = end < w->n_merged || next_records(w) <= 0 || !is_well(w);
	}
	w->full = w->n_merged >= 0 && !is_well(w);
	if (w->n_merged < 0 || w->full)
		__atomic_store_n(&w->pass->stop, true, __ATOMIC_RELAXED);
	return min_t(int, w->n_merged, 0);
}

void *pass_work_merged(void *worker)
{
	struct worker *w = worker;

	w->err = w->partitions ? run_by_key(w) : run_in_order(w);
	return NULL;
}
