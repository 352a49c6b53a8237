// SPDX-License-Identifier: LGPL-2.1-only
/* A pass: its sources, its workers, and joining their results. */
#include <stdlib.h>

#include "replay/pass.h"
#include "replay/prefetch.h"

/* SMALL_PARTS: for tests, so that small recordings have many ranges. */
#ifdef SMALL_PARTS
enum { RANGE_BYTES = 1, RANGE_BYTES_SMALL = 1, SLICED_RANGES = 1 };
#else
enum { RANGE_BYTES = 1 << 21, RANGE_BYTES_SMALL = 1 << 18, SLICED_RANGES = 32 };
#endif

/* --- sources --- */

/* Whether triggers run in this pass. */
static bool has_hits(const struct pass *pass, const struct dispatch *d)
{
	if (pass->names == NAMES_FIRST)
		return false;
	return (d->file || d->special) && d->way == (pass->until_full ? WAY_RANGE : pass->way);
}

static int choose_hists(struct pass *pass, const struct dispatch *d)
{
	return pass->way == WAY_ORDER ? 0 : event_file_reached_hists(d->file, &pass->hists);
}

/* Filter out the ids that the pass does not need. */
static int choose_records(struct pass *pass)
{
	/* in order, slices also end at the records that name tasks */
	bool comms = pass->names || (pass->way == WAY_ORDER && !pass->until_full) ||
		     (pass->way != WAY_ORDER && pass->plan->h->timer);
	int err = 0;

	pass->plain = !pass->times && !pass->plan->h->timer;
	for (size_t s = 0; s < pass->plan->n_streams; s++) {
		struct dispatch_table *table = plan_table(pass->plan, s);

		for (u32 id = 0; table && id < table->n && !err; id++) {
			struct dispatch *d = &table->by_id[id];

			if (!id)
				table->n_slots = 0;
			d->hits = has_hits(pass, d);
			d->single = d->hits && pass->way == WAY_RANGE &&
				    event_file_needs_stack(d->file);
			pass->plain &= !d->single;
			d->plain = d->hits && !d->special && !d->comm && !d->change;
			table->keep[id] = d->hits || (comms && d->comm) ||
					  (pass->way == WAY_ORDER && d->change);
			if (!d->hits)
				continue;
			d->slot = table->n_slots;
			table->slots[table->n_slots++] = id;
			pass->n_batches = max_t(size_t, pass->n_batches, table->n_slots);
			err = choose_hists(pass, d);
		}
	}
	return err;
}

static int cut_stream(struct pass *pass, size_t i)
{
	const struct stream *s = &pass->plan->streams[i];
	u64 bytes = (s->end - s->first) * s->layout.subbuf_size;
	u64 size = (bytes > 8ull * RANGE_BYTES ? RANGE_BYTES : RANGE_BYTES_SMALL) /
		   s->layout.subbuf_size;
	int err = 0;

	size = max_t(u64, size, 1);
	for (u64 first = s->first; first < s->end && !err; first += size)
		err = array_push(&pass->ranges,
				 ((struct page_range){ .stream = i,
						       .first = first,
						       .place = (double)(first - s->first) /
								(double)(s->end - s->first),
						       .end = min_t(u64, first + size, s->end) }));
	return err;
}

/* With slices: all streams at about the same time. */
static int by_place(const void *a, const void *b)
{
	const struct page_range *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static int choose_ranges(struct pass *pass)
{
	int err = 0;

	for (size_t i = 0; i < pass->plan->n_streams && !err; i++)
		err = cut_stream(pass, i);
	pass->limit = pass->ranges.n;
	if (err || !pass->plan->h->timer || pass->names)
		return err;
	pass->cursors = calloc(pass->plan->n_streams + 1, sizeof(*pass->cursors));
	if (pass->ranges.n)
		qsort(pass->ranges.v, pass->ranges.n, sizeof(*pass->ranges.v), by_place);
	return pass->cursors ? 0 : HIST_NOMEM;
}

static unsigned int count_workers(const struct pass *pass)
{
	size_t n = pass->plan->threads;

	switch (pass->way) {
	case WAY_RANGE:
		return (unsigned int)max_t(size_t, 1, min_t(size_t, pass->ranges.n, n));
	case WAY_KEY:
		return (unsigned int)min_t(size_t, n, PARTS_MAX);
	default:
		return 1;
	}
}

static bool is_known_full(const struct pass *pass, const struct hist_data *hd)
{
	for (size_t i = 0; i < pass->full->n; i++)
		if (pass->full->v[i] == hd)
			return true;
	return false;
}

static int start_parts(struct pass *pass)
{
	int err = 0;

	for (size_t i = 0; i < pass->hists.n && !err; i++) {
		struct hist_data *hd = pass->hists.v[i];

		pass->key_size = max_t(u32, pass->key_size, hd->key_size);
		err = hist_parts_start(hd, pass->n_workers, is_known_full(pass, hd));
	}
	return err;
}

/* --- workers --- */

/* By range and by key, records are counted here, so the counts can be dropped on a retry. */
static int make_counts(struct worker *w)
{
	const struct plan *plan = w->pass->plan;

	w->counts = arena_alloc(&w->arena, (plan->n_streams + 1) * sizeof(u64 *));
	for (size_t i = 0; i < plan->n_streams && w->counts; i++) {
		const struct dispatch_table *table = plan_table(plan, i);

		w->counts[i] = table ? arena_alloc(&w->arena, (table->n + 1) * sizeof(u64))
				     : w->counts[i - 1];
		if (!w->counts[i])
			return HIST_NOMEM;
	}
	return w->counts ? 0 : HIST_NOMEM;
}

static int init_by_range(struct worker *w)
{
	w->batches = arena_alloc(&w->arena, (w->pass->n_batches + 1) * sizeof(*w->batches));
	w->columns = columns_new(w->pass->key_size);
	return w->batches && w->columns ? make_counts(w) : HIST_NOMEM;
}

/* Must run before other threads prefetch, because the sources are read twice. */
static void start_ordered(struct worker *w)
{
	struct ordered *o = w->pass->ordered;

	o->sources = w->sources;
	o->accounts = w->accounts;
	o->hits = &w->hits;
	o->n_sources = w->pass->plan->n_streams;
	if (o->h->timer)
		o->h->timer->start(o->h->timer->arg);
	if (!w->pass->until_full)
		ordered_start(o);
}

static int init_merged(struct worker *w)
{
	const struct plan *plan = w->pass->plan;
	int err = 0;

	for (size_t i = 0; i < plan->n_streams && !err; i++)
		err = source_open(&w->sources[i], &plan->streams[i]);
	if (!err && w->part) {
		w->partitions =
			arena_alloc(&w->arena, (plan->n_streams + 1) * sizeof(*w->partitions));
		err = w->partitions ? make_counts(w) : HIST_NOMEM;
	} else if (!err) {
		start_ordered(w);
	}
	return err ? err : pass_merge_start(w);
}

static int worker_init(struct worker *w, struct pass *pass, u32 part)
{
	size_t n = pass->plan->n_streams + 1;

	*w = (struct worker){ .pass = pass, .part = pass->way == WAY_ORDER ? 0 : part };
	comm_runs_init(&w->names, pass->plan->h->recordings.machine.big_endian);
	w->sources = arena_alloc(&w->arena, n * sizeof(*w->sources));
	w->accounts = arena_alloc(&w->arena, n * sizeof(*w->accounts));
	if (!w->sources || !w->accounts)
		return HIST_NOMEM;
	return pass->way == WAY_RANGE ? init_by_range(w) : init_merged(w);
}

static void worker_release(struct worker *w)
{
	prefetch_stop(w->prefetch);
	ring_buffer_merge_release(&w->merge);
	for (size_t i = 0; w->sources && i < w->pass->plan->n_streams; i++)
		source_close(&w->sources[i]);
	columns_free(w->columns);
	comm_runs_release(&w->names);
	slices_release(w);
	diags_release(&w->diags);
	arena_release(&w->arena);
}

static int start_workers(struct pass *pass)
{
	int err = 0;

	pass->workers = calloc(pass->n_workers, sizeof(*pass->workers));
	if (!pass->workers)
		return HIST_NOMEM;
	for (unsigned int i = 0; i < pass->n_workers; i++)
		pass->workers[i].pass = pass;
	for (unsigned int i = 0; i < pass->n_workers && !err; i++)
		err = worker_init(&pass->workers[i], pass, i + 1);
	return err;
}

static void *(*work_of(const struct pass *pass))(void *)
{
	return pass->way == WAY_RANGE ? pass_work_by_range : pass_work_merged;
}

static int run_threads(const struct pass *pass)
{
	int err = 0;

	threads_run(&(struct thread_job){ .work = work_of(pass),
					  .elements = pass->workers,
					  .size = sizeof(*pass->workers),
					  .n = pass->n_workers });
	for (unsigned int i = 0; i < pass->n_workers && !err; i++)
		err = pass->workers[i].err;
	return err;
}

/* Some ranges at a time, so that not all slices are in memory. */
static int run_slices(struct pass *pass)
{
	int err = 0;

	for (size_t limit = 0; limit < pass->ranges.n && !err; limit = pass->limit) {
		pass->next = limit;
		pass->limit = min_t(size_t, limit + (size_t)SLICED_RANGES * pass->n_workers,
				    pass->ranges.n);
		err = run_threads(pass);
		if (!err && !pass->stop)
			err = slices_step(pass, pass->limit == pass->ranges.n);
		if (err > 0)
			pass->stop = true;
		if (pass->stop)
			break;
	}
	return err;
}

/* One slice at a time: a run ends at the first record of the next one. */
static int run_merged(struct pass *pass)
{
	const struct worker *w = pass->workers;
	int err;

	do {
		err = run_threads(pass);
		if (err || pass->stop || w->at == w->n_merged)
			return err;
		err = slices_step_keys(pass, w->merged[w->at].rec->ts);
	} while (!err);
	pass->stop = true;
	return err;
}

static int run_workers(struct pass *pass)
{
	struct ordered *o = pass->ordered;
	int err = pass->cursors ? run_slices(pass) : run_merged(pass);

	o->sources = NULL;
	o->n_sources = 0;
	o->hits = &o->h->account.hits;
	o->at = NULL;
	return err ? err : pass->stop;
}

/* --- joining --- */

/* Those of slices are already in the sum. */
static void account_hits(const struct pass *pass)
{
	for (unsigned int k = 0; k < pass->n_workers; k++)
		hit_account_add(&pass->plan->h->account.hits, &pass->workers[k].hits);
}

/*
 * By range, every worker has counted a part of it; otherwise the first worker has counted
 * everything.
 */
static void account_records(const struct pass *pass)
{
	const struct plan *plan = pass->plan;
	unsigned int n = pass->way == WAY_RANGE ? pass->n_workers : 1;

	for (size_t i = 0; i < plan->n_streams; i++) {
		struct stream_account *to = &plan->streams[i].account;
		struct stream_account sum = { .short_records = to->short_records };

		for (unsigned int k = 0; k < n; k++) {
			const struct worker *w = &pass->workers[k];

			sum.missed += w->accounts[i].missed;
			sum.missed_unknown |= w->accounts[i].missed_unknown;
			sum.damaged += w->accounts[i].damaged;
			sum.short_records += w->accounts[i].short_records;
			if (pass->way != WAY_RANGE)
				source_account(&w->sources[i], &sum);
			if (w->partitions)
				sum.short_records += w->partitions[i].short_records;
		}
		*to = sum;
	}
}

static void count(struct pass *pass)
{
	unsigned int n = pass->way == WAY_RANGE ? pass->n_workers : 1;

	for (size_t s = 0; s < pass->plan->n_streams && pass->way != WAY_ORDER; s++) {
		struct dispatch_table *table = plan_table(pass->plan, s);

		for (u32 i = 0; table && i < table->n_slots; i++) {
			struct dispatch *d = &table->by_id[table->slots[i]];
			u32 at = pass->way == WAY_RANGE ? d->slot : table->slots[i];

			for (unsigned int k = 0; k < n; k++)
				d->count += pass->workers[k].counts[s][at];
		}
	}
}

/*
 * Whether a map of the histogram, or all of them together, has more keys than the histogram has
 * room for.
 */
static bool is_too_small(const struct hist_data *hd)
{
	bool full = tracing_map_is_full(hd->map);

	for (u32 i = 0; i < hd->n_parts; i++)
		full |= tracing_map_is_full(hd->parts[i]);
	return full;
}

/* Return: 0, or 1 if a map was too small, which is then in pass->full. */
static int join_parts(struct pass *pass)
{
	size_t n = pass->full->n;
	int err = 0;

	for (size_t i = 0; i < pass->hists.n && !err; i++) {
		struct hist_data *hd = pass->hists.v[i];
		bool joined = pass->stop || hist_parts_join(hd);

		if ((pass->stop || !joined) && is_too_small(hd) && !is_known_full(pass, hd))
			err = array_push(pass->full, hd);
		pass->stop |= !joined;
	}
	return err ? err : pass->stop || pass->full->n > n;
}

/* With slices, the maps are already joined. */
static int join(struct pass *pass, int err)
{
	if (!pass->cursors)
		return max_t(int, err, join_parts(pass));
	for (size_t i = 0; i < pass->hists.n; i++)
		hist_parts_drop(pass->hists.v[i]);
	return err;
}

static void forget(struct pass *pass)
{
	/* those of slices that were passed on */
	if (pass->plan->h->timer)
		pass->plan->h->account.hits = (struct hit_account){ .no_synth = 0 };
	for (size_t i = 0; i < pass->hists.n; i++)
		hist_data_clear(pass->hists.v[i]);
}

int pass_run(struct pass *pass, struct diags *diags)
{
	int err = choose_records(pass);

	if (!err && pass->way == WAY_RANGE)
		err = choose_ranges(pass);
	pass->n_workers = count_workers(pass);
	pass->last = slices_last(pass->plan->h, 0);
	if (!err)
		err = start_parts(pass);
	if (!err)
		err = start_workers(pass);
	if (!err)
		err = run_workers(pass);
	if (err >= 0 && pass->way != WAY_ORDER && pass->names != NAMES_FIRST)
		err = join(pass, err);
	if (!err && pass->names)
		err = pass_join_names(pass);
	if (!err && pass->names != NAMES_FIRST && !pass->until_full) {
		account_hits(pass);
		account_records(pass);
		count(pass);
	}
	if (err)
		forget(pass);
	for (unsigned int i = 0; pass->workers && i < pass->n_workers; i++) {
		diags_append(diags, &pass->workers[i].diags);
		worker_release(&pass->workers[i]);
	}
	free(pass->workers);
	array_release(&pass->hists);
	array_release(&pass->ranges);
	free(pass->cursors);
	return err;
}
