// SPDX-License-Identifier: LGPL-2.1-only
/*
 * By range: a worker processes ranges of sub-buffers of any stream. It collects records by event
 * until a batch is full, then runs the triggers of the event on the batch.
 */
#include "replay/pass.h"

static const struct stream *current_stream(const struct worker *w)
{
	return &w->pass->plan->streams[w->stream];
}

static void flush(struct worker *w, const struct dispatch *d)
{
	struct batch *batch = &w->batches[d->slot];

	if (batch->n && !w->full)
		w->full = !event_file_hit_batch(d->file, batch, w->part, w->columns);
	w->counts[w->stream][d->slot] += batch->n;
	batch->n = 0;
}

/* Called before the memory to which the batches point is released, or another stream follows. */
static void flush_all(void *arg)
{
	struct worker *w = arg;
	const struct dispatch_table *table = current_stream(w)->table;

	for (u32 i = 0; i < table->n_slots; i++)
		flush(w, &table->by_id[table->slots[i]]);
}

/* --- records that are not collected --- */

static const char *comm_of_hit(void *arg, const struct hit *hit)
{
	const struct worker *w = arg;

	return w->pass->source->comm(w->pass->source->arg, hit);
}

static size_t stack_of_record(void *arg, u64 *entries, size_t max)
{
	struct worker *w = arg;
	struct hit_account *hits = w->slices.current ? &w->slices.current->hits : &w->hits;
	bool cut = false;
	size_t n = source_stack(&w->sources[w->stream], w->rec, entries, max, &cut);

	hits->cut_stacks += cut;
	hits->no_stack += !n;
	return n;
}

static __attribute__((noinline)) void hit_single(struct worker *w, const struct dispatch *d,
						 const struct ring_buffer_record *rec)
{
	const struct stream *stream = current_stream(w);
	const struct hit hit = {
		.file = d->file,
		.rec = rec->data,
		.len = rec->len,
		.cpu = stream->cpu,
		.pid = stream_pid(stream, rec),
		.ts = rec->ts,
		.at = stream_record_at(w->page_at, rec),
		.part = (u16)w->part,
		.source = &w->source,
	};

	if (w->full)
		return;
	w->rec = rec;
	w->full = !event_file_hit_part(d->file, &hit);
	w->counts[w->stream][d->slot]++;
}

/* --- records that are collected --- */

/* @plain: see struct pass */
static inline __attribute__((always_inline)) void gather(struct worker *w, const struct dispatch *d,
							 const struct ring_buffer_record *rec,
							 bool plain)
{
	const struct replay_span *span = &w->pass->plan->h->span;
	struct batch *batch = &w->batches[d->slot];

	if (unlikely(rec->len < d->min_size)) {
		w->accounts[w->stream].short_records++;
		return;
	}
	if (unlikely(!w->pass->whole) && (rec->ts < span->from || rec->ts > span->to))
		return;
	if (!plain && unlikely(d->single)) {
		const struct ring_buffer_record copy = *rec; /* *@rec stays in registers */

		hit_single(w, d, &copy);
		return;
	}
	batch->rec[batch->n] = rec->data;
	batch->len[batch->n] = rec->len;
	batch->ts[batch->n] = rec->ts;
	if (!plain && batch->source)
		batch->at[batch->n] = stream_record_at(w->page_at, rec);
	if (unlikely(++batch->n == BATCH_MAX))
		flush(w, d);
}

static void start_batch(const struct worker *w, struct batch *batch)
{
	batch->cpu = current_stream(w)->cpu;
	batch->source = w->pass->times ? w->pass->source : NULL;
}

static int open_source(struct worker *w, struct source *s, const struct page_range *range)
{
	int err = 0;

	if (!s->pages)
		err = source_open(s, current_stream(w));
	if (err)
		return err;
	s->leave = flush_all;
	s->leave_arg = w;
	source_range(s, range->first, range->end);
	trace_dat_pages_map(s->pages, range->first, range->end, true);
	for (u32 i = 0; i < current_stream(w)->table->n_slots; i++)
		start_batch(w, &w->batches[i]);
	return 0;
}

/* If the record belongs to another slice of time, first count those before it. */
static inline int enter_slice(struct worker *w, const struct source *s, u64 ts)
{
	if (likely(ts - w->slices.begin < w->slices.length))
		return 0;
	flush_all(w);
	return slices_enter(w, ts, s->iter.missed, s->iter.missed_unknown);
}

/* The names of tasks in a record. */
static inline __attribute__((always_inline)) void read_names(struct worker *w,
							     const struct dispatch *d,
							     const struct ring_buffer_record *rec)
{
	const struct stream *stream = current_stream(w);
	const struct hit hit = { .rec = rec->data,
				 .len = rec->len,
				 .cpu = stream->cpu,
				 .pid = stream_pid(stream, rec),
				 .ts = rec->ts,
				 .at = stream_record_at(w->page_at, rec) };

	comm_runs_add(&w->names, d->comm, &hit);
}

/*
 * The records of ring_buffer_iter_next(), with the state of the loop in local variables. @plain:
 * see struct pass
 */
static inline __attribute__((always_inline)) int read_records(struct worker *w, struct source *s,
							      bool plain)
{
	struct ring_buffer_iter *it = &s->iter;
	const u8 *keep = it->keep;
	u32 n_keep = it->n_keep;
	bool names = !plain && w->pass->names, slices = !plain && w->pass->cursors;
	const struct dispatch *d;
	struct ring_buffer_record rec;
	u64 from = 0;
	int err = 0;

	while (!w->full && !(err = ring_buffer_iter_page(it))) {
		struct ring_buffer_page page = it->page;

		if (!plain)
			w->page_at = stream_page_at(s->stream, s->page);
		if (names)
			from = pass_names_from(&page);
		while (likely(
			!ring_buffer_page_next_kept(&page, keep, n_keep, &it->layout, &rec))) {
			if (slices && !err)
				err = enter_slice(w, s, rec.ts);
			d = stream_dispatch(s->stream, &rec);
			if (names && d->comm && rec.len >= d->min_size)
				read_names(w, d, &rec);
			if (plain || d->hits)
				gather(w, d, &rec, plain);
		}
		it->page = page;
		if (names)
			pass_names_page(w, &page, from);
		if (err)
			break;
	}
	return err;
}

static __attribute__((noinline)) int read_plain(struct worker *w, struct source *s)
{
	return read_records(w, s, true);
}

static __attribute__((noinline)) int read_any(struct worker *w, struct source *s)
{
	return read_records(w, s, false);
}

static void end_range(const struct worker *w, const struct source *s, struct page_range *range)
{
	range->done = true;
	range->worker = w->part - 1;
	range->n_marks = w->slices.marks.n - range->first_mark;
	range->missed = s->iter.missed;
	range->missed_unknown = s->iter.missed_unknown;
}

static int read_range(struct worker *w, struct page_range *range)
{
	struct source *s = &w->sources[range->stream];
	int err;

	/* the next stream uses the memory of the last one; with slices, they alternate */
	if (range->stream != w->stream && !w->pass->cursors)
		source_close(&w->sources[w->stream]);
	w->stream = range->stream;
	err = open_source(w, s, range);
	if (err)
		return err;
	slices_start_range(&w->slices);
	range->first_mark = w->slices.marks.n;
	err = w->pass->plain ? read_plain(w, s) : read_any(w, s);
	flush_all(w);
	source_account(s, &w->accounts[range->stream]);
	end_range(w, s, range);
	return err < 0 ? err : 0;
}

/* Some ranges, one after the other. For names, those of one stream are like one range. */
static int read_some(struct worker *w, size_t first, size_t end)
{
	bool names = w->pass->names;
	int err = 0;

	for (size_t i = first; i < end && !err && !w->full; i++) {
		struct page_range *range = &w->pass->ranges.v[i];

		if (names && (i == first || range->stream != range[-1].stream))
			comm_runs_start(&w->names, range->stream, range->first);
		err = w->names.failed ? HIST_NOMEM : read_range(w, range);
		if (names && (i + 1 == end || range[1].stream != range->stream))
			comm_runs_end(&w->names);
		if (w->names.failed)
			err = HIST_NOMEM;
		w->full |= w->names.backwards;
	}
	return err;
}

void *pass_work_by_range(void *worker)
{
	struct worker *w = worker;
	struct pass *pass = w->pass;
	size_t share = pass->names ? pass_names_share(pass) : 1, i;

	w->source = *pass->source;
	w->source.arg = w;
	w->source.comm = comm_of_hit;
	w->source.stack = stack_of_record;
	while (!w->err && !w->full && !__atomic_load_n(&pass->stop, __ATOMIC_RELAXED) &&
	       (i = __atomic_fetch_add(&pass->next, share, __ATOMIC_RELAXED)) < pass->limit)
		w->err = read_some(w, i, min_t(size_t, i + share, pass->limit));
	slices_leave(w);
	if (w->err || w->full)
		__atomic_store_n(&pass->stop, true, __ATOMIC_RELAXED);
	return NULL;
}
