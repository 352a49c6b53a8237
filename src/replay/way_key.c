// SPDX-License-Identifier: LGPL-2.1-only
/*
 * By key: each worker merges the records of a part of the keys (partition.h). Keys of different
 * workers differ, so the entries of all maps together are the result.
 */
#include "replay/partition.h"
#include "replay/slices.h"
#include "replay/way.h"

enum { MERGE_BATCH = 64 };

struct key_worker {
	struct worker worker;
	struct source *sources; /* one for each stream */
	struct partition *partitions;
	struct ring_buffer_merge merge;
	/* ->merged from ->at to ->n_merged are the next records */
	struct ring_buffer_merged merged[MERGE_BATCH];
	int at, n_merged;
};

/* Of all workers: they stop before later records. */
struct key_pass {
	u64 last;
};

static u64 last_of(const struct pass *pass)
{
	return ((const struct key_pass *)pass->own)->last;
}

static int key_start(struct pass *pass)
{
	struct key_pass *own = pass->own = arena_alloc(&pass->arena, sizeof(*own));
	int err;

	if (!own)
		return HIST_NOMEM;
	own->last = slices_last(pass->plan->h, 0);
	pass->n_workers = (unsigned int)min_t(size_t, pass->plan->threads, PARTS_MAX);
	pass->all_count_all = true;
	pass_choose_records(pass, false);
	err = pass_choose_hists(pass);
	return err ? err : pass_start_parts(pass);
}

static int open_partition(struct key_worker *kw, size_t i, struct ring_buffer_source *input)
{
	struct worker *w = &kw->worker;
	struct partition *p = &kw->partitions[i];
	int err = source_open(&kw->sources[i], &w->pass->plan->streams[i]);

	*p = (struct partition){ .source = &kw->sources[i],
				 .h = w->pass->plan->h,
				 .last_in_slice = last_of(w->pass),
				 .names = w->pass->names,
				 .from = w->pass->source,
				 .part = w->part,
				 .n_parts = w->pass->n_workers,
				 .counts = w->counts[i] };
	*input = partition_of_merge(p);
	return err ? err : partition_init(p, &w->arena);
}

static int key_open(struct worker *w)
{
	struct key_worker *kw = (struct key_worker *)w;
	size_t n = w->pass->plan->n_streams;
	struct ring_buffer_source *inputs = arena_alloc(&w->arena, (n + 1) * sizeof(*inputs));
	int err = worker_make_counts(w);

	kw->sources = arena_alloc(&w->arena, (n + 1) * sizeof(*kw->sources));
	kw->partitions = arena_alloc(&w->arena, (n + 1) * sizeof(*kw->partitions));
	if (!inputs || !kw->sources || !kw->partitions)
		return HIST_NOMEM;
	for (size_t i = 0; i < n && !err; i++)
		err = open_partition(kw, i, &inputs[i]);
	return err ? err : ring_buffer_merge_init_sources(&kw->merge, inputs, n);
}

static inline void key_hit(const struct key_worker *kw, const struct ring_buffer_merged *m,
			   struct hit *hit)
{
	const struct stream *stream = kw->sources[m->index].stream;
	const struct event_count *event;

	if (unlikely(!m->rec->len)) /* only starts a slice */
		return;
	event = stream_dispatch(stream, m->rec)->event;
	hit->file = event->file;
	hit->rec = m->rec->data;
	hit->len = m->rec->len;
	hit->cpu = stream->cpu;
	hit->pid = stream_pid(stream, m->rec);
	hit->ts = m->rec->ts;
	if (unlikely(kw->worker.pass->names != NULL))
		hit->at = stream_at(stream, kw->sources[m->index].page, m->rec);
	event_hit_quick(event, hit);
}

/* Whether the pass can still give the result of a replay in order. */
static bool is_well(const struct key_worker *kw)
{
	const struct pass *pass = kw->worker.pass;

	for (size_t i = 0; i < pass->plan->n_streams; i++)
		if (kw->partitions[i].backwards)
			return false;
	for (size_t i = 0; i < pass->hists.n; i++)
		if (hist_part_is_full(&pass->hists.v[i]->parts[kw->worker.part]))
			return false;
	return !__atomic_load_n(&pass->stop, __ATOMIC_RELAXED);
}

/* The end of those records of the worker that are in the current slice of time. */
static int end_of_slice(const struct key_worker *kw)
{
	u64 last = last_of(kw->worker.pass);
	int end = kw->n_merged;

	while (end > kw->at && kw->merged[end - 1].rec->ts > last)
		end--;
	return end;
}

static int next_records(struct key_worker *kw)
{
	kw->at = 0;
	kw->n_merged = ring_buffer_merge_next(&kw->merge, kw->merged, MERGE_BATCH);
	return kw->n_merged;
}

static int key_work(struct worker *w)
{
	struct key_worker *kw = (struct key_worker *)w;
	struct hit hit = { .part = (u16)w->part,
			   .n_parts = (u16)w->pass->n_workers,
			   .source = w->pass->source };
	bool ends = false, well = true;

	while (!ends) {
		int end = end_of_slice(kw);

		for (int i = kw->at; i < end; i++)
			key_hit(kw, &kw->merged[i], &hit);
		kw->at = end;
		ends = end < kw->n_merged || next_records(kw) <= 0 || !(well = is_well(kw));
	}
	if (kw->n_merged < 0 || !well || !is_well(kw))
		__atomic_store_n(&w->pass->stop, true, __ATOMIC_RELAXED);
	return min_t(int, kw->n_merged, 0);
}

/* --- slices of time --- */

/* Pass on the slice before @ts, the time of the record at which all workers stopped. */
static int pass_on(struct pass *pass, u64 ts)
{
	const struct key_worker *first = pass->workers;
	const struct replay_timer *timer = pass->plan->h->timer;
	struct stream_account sum;
	int err = 0;

	if (ts > pass->plan->h->span.to)
		return 0;
	for (size_t i = 0; i < pass->hists.n && !pass->stop; i++)
		pass->stop = !hist_parts_join(pass->hists.v[i]);
	if (pass->stop)
		return 0;
	sum = sources_account(first->sources, pass->plan->n_streams);
	timer->passed(timer->arg, ts, sum.missed, sum.missed_unknown);
	for (size_t i = 0; i < pass->hists.n && !err; i++)
		err = hist_parts_slice(pass->hists.v[i], pass->n_workers);
	return err;
}

/* Every worker stopped at the first record of the next slice, which all of them get. */
static int key_slice(struct pass *pass)
{
	const struct key_worker *first = pass->workers;
	struct key_pass *own = pass->own;
	u64 ts;
	int err;

	if (pass->stop || first->at == first->n_merged)
		return 0;
	ts = first->merged[first->at].rec->ts;
	own->last = slices_last(pass->plan->h, ts);
	err = pass_on(pass, ts);
	return err ? err : !pass->stop;
}

static int key_join(struct pass *pass, int err)
{
	struct key_worker *first = pass->workers;

	for (size_t i = 0; i < pass->plan->n_streams; i++) {
		struct stream_account *sum = &first->worker.accounts[i];

		source_account(&first->sources[i], sum);
		sum->short_records += first->partitions[i].short_records;
		first->worker.hits.guessed_names += first->partitions[i].guessed_names;
	}
	return pass_join_parts(pass, err);
}

static void key_close(struct worker *w)
{
	struct key_worker *kw = (struct key_worker *)w;

	ring_buffer_merge_release(&kw->merge);
	for (size_t i = 0; kw->sources && i < w->pass->plan->n_streams; i++)
		source_close(&kw->sources[i]);
}

const struct way way_key = {
	.name = "key",
	.supports = DEPENDS_ON(KEY_ORDER) | DEPENDS_ON(TRACE) | DEPENDS_ON(SAMPLES) |
		    DEPENDS_ON(COMM) | DEPENDS_ON(FIRST) | DEPENDS_ON(EXEMPLARS) |
		    DEPENDS_ON(SLICES),
	.worker_size = sizeof(struct key_worker),
	.start = key_start,
	.open = key_open,
	.work = key_work,
	.slice = key_slice,
	.join = key_join,
	.close = key_close,
};
