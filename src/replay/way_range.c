// SPDX-License-Identifier: LGPL-2.1-only
/*
 * By range: a worker processes ranges of sub-buffers of any stream. It collects records by event
 * until a batch is full, then runs the triggers of the event on the batch.
 */
#include "replay/range.h"

/* SMALL_PARTS: for tests, so that small recordings have many ranges. */
#ifdef SMALL_PARTS
enum { RANGE_BYTES = 1, RANGE_BYTES_SMALL = 1, SLICED_RANGES = 1 };
#else
enum { RANGE_BYTES = 1 << 21, RANGE_BYTES_SMALL = 1 << 18, SLICED_RANGES = 32 };
#endif

static const struct stream *current_stream(const struct range_worker *w)
{
	return &w->worker.pass->plan->streams[w->stream];
}

static void range_flush(struct range_worker *w, const struct dispatch *d)
{
	struct batch *batch = &w->batches[d->slot];

	if (batch->n && !w->full)
		w->full = !event_hit_batch(d->file, batch, w->worker.part, w->columns);
	w->worker.counts[w->stream][d - current_stream(w)->table->by_id] += batch->n;
	batch->n = 0;
}

/* Called before the memory to which the batches point is released, or another stream follows. */
static void range_flush_all(void *arg)
{
	struct range_worker *w = arg;
	const struct dispatch_table *table = current_stream(w)->table;

	for (u32 i = 0; i < table->n_slots; i++)
		range_flush(w, &table->by_id[table->slots[i]]);
}

/* --- records that are not collected --- */

static struct hit_account *hits_of(struct range_worker *w)
{
	return w->slices.current ? &w->slices.current->hits : &w->worker.hits;
}

static size_t stack_of_record(void *arg, u64 *entries, size_t max)
{
	struct range_worker *w = arg;
	struct hit_account *hits = hits_of(w);
	bool cut = false;
	size_t n = source_stack(&w->worker.sources[w->stream], w->rec, entries, max, &cut);

	hits->cut_stacks += cut;
	hits->cut_depth = cut ? (u32)max : hits->cut_depth;
	hits->no_stack += !n;
	return n;
}

static void stacks_of_record(void *arg, struct hit_stacks *stacks)
{
	struct range_worker *w = arg;
	struct source *s = &w->worker.sources[w->stream];
	bool cut;

	stacks->n_kernel = source_stack(s, w->rec, stacks->kernel, HIT_FRAMES_MAX, &cut);
	source_user_stack(s, w->rec, stacks);
}

static __attribute__((noinline)) void hit_single(struct range_worker *w, const struct dispatch *d,
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
		.part = (u16)w->worker.part,
		.context = &w->worker.context,
	};

	if (w->full)
		return;
	w->rec = rec;
	w->full = !event_hit_single(d->file, &hit);
	w->worker.counts[w->stream][d - stream->table->by_id]++;
}

/* --- records that are collected --- */

static __attribute__((noinline)) void note_guess(struct range_worker *w, s32 pid,
						 struct name_place place)
{
	hits_of(w)->guessed_names +=
		names_guess_at(w->worker.pass->names, pid, current_stream(w)->cpu, place);
}

/* @plain: see struct range_pass */
static inline __attribute__((always_inline)) void range_gather(struct range_worker *w,
							       const struct dispatch *d,
							       const struct ring_buffer_record *rec,
							       bool plain)
{
	const struct replay_span *span = &w->worker.pass->plan->h->span;
	struct batch *batch = &w->batches[d->slot];

	if (unlikely(!w->worker.pass->whole) &&
	    (rec->ts < span->from || rec->ts > span->to || current_stream(w)->names))
		return;
	if (unlikely(dispatch_is_short(d, rec))) {
		w->worker.accounts[w->stream].short_records++;
		return;
	}
	if (!plain && unlikely(d->guesses))
		note_guess(w, stream_pid(current_stream(w), rec),
			   (struct name_place){ rec->ts, stream_record_at(w->page_at, rec) });
	if (!plain && unlikely(d->single)) {
		/* what a hit needs of it: *@rec stays in registers */
		const struct ring_buffer_record copy = {
			.ts = rec->ts, .data = rec->data, .len = rec->len, .offset = rec->offset
		};

		hit_single(w, d, &copy);
		return;
	}
	batch->rec[batch->n] = rec->data;
	batch->len[batch->n] = rec->len;
	batch->ts[batch->n] = rec->ts;
	if (!plain && batch->context)
		batch->at[batch->n] = stream_record_at(w->page_at, rec);
	if (unlikely(++batch->n == BATCH_MAX))
		range_flush(w, d);
}

static int open_source(struct range_worker *w, struct source *s, const struct page_range *range)
{
	int err = 0;

	if (!s->pages)
		err = source_open(s, current_stream(w));
	if (err)
		return err;
	s->leave = range_flush_all;
	s->leave_arg = w;
	source_range(s, range->first, range->end);
	trace_dat_pages_map(s->pages, range->first, range->end, true);
	for (u32 i = 0; i < current_stream(w)->table->n_slots; i++) {
		w->batches[i].cpu = current_stream(w)->cpu;
		w->batches[i].context = w->worker.pass->names ? &w->worker.context : NULL;
	}
	return 0;
}

/* If the record belongs to another slice of time, first count those before it. */
static inline int enter_slice(struct range_worker *w, const struct source *s, u64 ts)
{
	if (likely(ts - w->slices.begin < w->slices.length))
		return 0;
	range_flush_all(w);
	return slices_enter(w, ts, s->iter.missed, s->iter.missed_unknown);
}

/* The names of tasks in a record. */
static inline __attribute__((always_inline)) void read_names(struct range_worker *w,
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

	if (replay_window_has(&w->worker.pass->plan->h->window, hit.ts))
		names_seen_add(&w->seen, d->names, &hit);
}

/*
 * The records of ring_buffer_iter_next(), with the state of the loop in local variables. @plain:
 * see struct range_pass; @names: names of tasks are collected
 */
static inline __attribute__((always_inline)) int read_records(struct range_worker *w,
							      struct source *s, const bool plain,
							      const bool names)
{
	struct ring_buffer_iter *it = &s->iter;
	const u8 *keep = it->keep;
	u32 n_keep = it->n_keep;
	const struct ring_buffer_numbers *calls = names ? &s->stream->table->calls : NULL;
	const bool slices = !plain && !names && range_pass_of(w->worker.pass)->cursors;
	const struct dispatch *d;
	struct ring_buffer_record rec;
	bool timed = false;
	u64 from = 0;
	int err = 0;

	while (!w->full && !(err = ring_buffer_iter_page(it))) {
		struct ring_buffer_page page = it->page;

		if (!plain)
			w->page_at = stream_page_at(s->stream, s->page);
		if (names)
			timed = range_names_from(&page, &from);
		while (likely(!ring_buffer_page_next_kept(&page, keep, n_keep, calls, &rec))) {
			if (slices && !err)
				err = enter_slice(w, s, rec.ts);
			d = stream_dispatch(s->stream, &rec);
			if (names && d->names && rec.len >= EVENT_HEADER_SIZE &&
			    name_event_counts(d->names, rec.data, rec.len, it->layout.big_endian))
				read_names(w, d, &rec);
			if (plain || d->hits)
				range_gather(w, d, &rec, plain);
		}
		it->page = page;
		if (names && timed)
			range_names_page(w->range, &page, from);
		if (err)
			break;
	}
	return err;
}

static __attribute__((noinline)) int read_plain(struct range_worker *w, struct source *s)
{
	return read_records(w, s, true, false);
}

static __attribute__((noinline)) int read_names_too(struct range_worker *w, struct source *s)
{
	return read_records(w, s, false, true);
}

static __attribute__((noinline)) int read_any(struct range_worker *w, struct source *s)
{
	return read_records(w, s, false, false);
}

static int read_range(struct range_worker *w, struct page_range *range)
{
	struct source *s = &w->worker.sources[range->stream];
	int err;

	/* the next stream uses the memory of the last one; with slices, they alternate */
	if (range->stream != w->stream && !range_pass_of(w->worker.pass)->cursors)
		source_close(&w->worker.sources[w->stream]);
	w->stream = range->stream;
	w->range = range;
	err = open_source(w, s, range);
	if (err)
		return err;
	w->slices.begin = UINT64_MAX;
	w->slices.length = 0;
	range->first_mark = w->slices.marks.n;
	err = range_pass_of(w->worker.pass)->plain ? read_plain(w, s)
	      : w->worker.pass->collect            ? read_names_too(w, s)
						   : read_any(w, s);
	range_flush_all(w);
	source_account(s, &w->worker.accounts[range->stream]);
	range->done = true;
	range->worker = w->worker.part - 1;
	range->n_marks = w->slices.marks.n - range->first_mark;
	range->missed = current_stream(w)->names ? 0 : s->iter.missed;
	range->missed_unknown = s->iter.missed_unknown && !current_stream(w)->names;
	return err < 0 ? err : 0;
}

/* Some ranges, one after the other. For names, those of one stream are like one range. */
static int read_some(struct range_worker *w, size_t first, size_t end)
{
	bool names = w->worker.pass->collect;
	int err = 0;

	for (size_t i = first; i < end && !err && !w->full; i++) {
		struct page_range *range = &range_pass_of(w->worker.pass)->ranges.v[i];

		if (names && (i == first || range->stream != range[-1].stream))
			names_seen_start(&w->seen);
		err = w->seen.failed ? HIST_NOMEM : read_range(w, range);
		if (w->seen.failed)
			err = HIST_NOMEM;
	}
	return err;
}

static int range_work(struct worker *worker)
{
	struct range_worker *w = (struct range_worker *)worker;
	struct pass *pass = worker->pass;
	struct range_pass *own = range_pass_of(pass);
	size_t share = pass->collect ? range_names_share(pass) : 1, i;
	int err = 0;

	worker->context.stack = stack_of_record;
	worker->context.stacks = stacks_of_record;
	while (!err && !w->full && !__atomic_load_n(&pass->stop, __ATOMIC_RELAXED) &&
	       (i = __atomic_fetch_add(&own->next, share, __ATOMIC_RELAXED)) < own->limit)
		err = read_some(w, i, min_t(size_t, i + share, own->limit));
	slices_leave(w);
	if (err || w->full)
		__atomic_store_n(&pass->stop, true, __ATOMIC_RELAXED);
	return err;
}

/* --- ranges --- */

static int cut_stream(struct pass *pass, size_t i)
{
	const struct stream *s = &pass->plan->streams[i];
	u64 bytes = (s->end - s->first) * s->layout.subbuf_size;
	u64 size = (bytes > 8ull * RANGE_BYTES ? RANGE_BYTES : RANGE_BYTES_SMALL) /
		   s->layout.subbuf_size;
	int err = 0;

	size = max_t(u64, size, 1);
	/* a chunk that is in two ranges would be inflated twice */
	if (!s->stays && size > 1)
		size += TRACE_DAT_CHUNK_PAGES - size % TRACE_DAT_CHUNK_PAGES;
	for (u64 first = s->first, end; first < s->end && !err; first = end) {
		end = min_t(u64, first - first % size + size, s->end);
		err = array_push(&range_pass_of(pass)->ranges,
				 ((struct page_range){ .stream = i,
						       .first = first,
						       .from = 1,
						       .fraction = (double)(first - s->first) /
								   (double)(s->end - s->first),
						       .end = end }));
	}
	return err;
}

/* With slices: all streams at about the same time. */
DEFINE_ORDER(by_fraction, struct page_range,
	     cmp_int(x->fraction, y->fraction) ?:
	     cmp_int(x->stream, y->stream) ?:
	     cmp_int(x->first, y->first))

static int choose_ranges(struct pass *pass)
{
	struct range_pass *own = range_pass_of(pass);
	int err = 0;

	for (size_t i = 0; i < pass->plan->n_streams && !err; i++)
		err = cut_stream(pass, i);
	own->limit = own->ranges.n;
	pass->n_workers =
		(unsigned int)max_t(size_t, 1, min_t(size_t, own->ranges.n, pass->plan->threads));
	if (err || !pass->plan->h->timer || pass->collect)
		return err;
	own->cursors =
		arena_alloc(&pass->arena, (pass->plan->n_streams + 1) * sizeof(*own->cursors));
	/* some ranges at a time, so that not all slices are in memory */
	own->limit = min_t(size_t, own->limit, (size_t)SLICED_RANGES * pass->n_workers);
	if (own->ranges.n)
		qsort(own->ranges.v, own->ranges.n, sizeof(*own->ranges.v), by_fraction);
	return own->cursors ? 0 : HIST_NOMEM;
}

/* --- the way --- */

/*
 * Most system calls say nothing of a name: the loop that decodes skips those whose number is
 * another one. All that count have the same two numbers.
 */
static void skip_calls(struct dispatch_table *table, u32 id)
{
	const struct name_event *names = table->by_id[id].names;

	if (!table->keep[id] || !names || !names->nr || names->nr_at < RING_BUFFER_NUMBER_MIN ||
	    names->nr_at > RING_BUFFER_SHORT_MAX - 8)
		return;
	table->keep[id] = (u8)names->nr_at;
	table->calls.values[0] = (u32)names->execve;
	table->calls.values[1] = (u32)names->execveat;
}

/* Number the batches, and find out what the innermost loop has to do besides collecting. */
static void choose_batches(struct pass *pass)
{
	struct range_pass *own = range_pass_of(pass);

	own->plain = !pass->names && !pass->plan->h->timer;
	for (size_t s = 0; s < pass->plan->n_streams; s++) {
		struct dispatch_table *table = plan_table(pass->plan, s);

		if (!table)
			continue;
		table->n_slots = 0;
		for (u32 id = 0; id < table->n; id++) {
			struct dispatch *d = &table->by_id[id];

			d->single = d->hits && event_file_needs_stack(d->file);
			own->plain &= !d->single;
			if (d->hits)
				table->slots[d->slot = table->n_slots++] = id;
			else
				skip_calls(table, id);
		}
		own->n_batches = max_t(size_t, own->n_batches, table->n_slots);
	}
}

static int range_start(struct pass *pass)
{
	struct range_pass *own = pass->own = arena_alloc(&pass->arena, sizeof(*own));
	int err;

	if (!own)
		return HIST_NOMEM;
	pass_choose_records(pass, false);
	choose_batches(pass);
	err = pass_choose_hists(pass);
	err = err ?: choose_ranges(pass);
	for (size_t i = 0; i < pass->hists.n; i++)
		own->key_size = max_t(u32, own->key_size, pass->hists.v[i]->hd->key_size);
	return err ? err : pass_start_parts(pass);
}

static int range_open(struct worker *worker)
{
	struct range_worker *w = (struct range_worker *)worker;
	const struct range_pass *own = range_pass_of(worker->pass);
	const struct plan *plan = worker->pass->plan;

	names_seen_init(&w->seen, plan->h->recordings.machine.big_endian,
			worker->pass->names && worker->pass->names->every);
	w->batches = arena_alloc(&worker->arena, (own->n_batches + 1) * sizeof(*w->batches));
	w->columns = columns_new(own->key_size);
	return w->batches && w->columns ? worker_make_counts(worker) : HIST_NOMEM;
}

static int range_slice(struct pass *pass)
{
	struct range_pass *own = range_pass_of(pass);
	bool end = own->limit == own->ranges.n;
	int err;

	if (!own->cursors || !own->ranges.n || pass->stop)
		return 0;
	err = slices_step(pass, end);
	pass->stop |= err > 0;
	if (err || end)
		return min_t(int, err, 0);
	own->next = own->limit;
	own->limit =
		min_t(size_t, own->limit + (size_t)SLICED_RANGES * pass->n_workers, own->ranges.n);
	return 1;
}

static int range_join(struct pass *pass, int err)
{
	/* with slices, the maps are already joined */
	if (range_pass_of(pass)->cursors)
		for (size_t i = 0; i < pass->hists.n; i++)
			hist_parts_drop(pass->hists.v[i]);
	else
		err = pass_join_parts(pass, err);
	return !err && pass->collect ? range_join_names(pass) : err;
}

static void range_close(struct worker *worker)
{
	struct range_worker *w = (struct range_worker *)worker;

	columns_free(w->columns);
	names_seen_release(&w->seen);
	slices_release(w);
}

static void range_end(struct pass *pass)
{
	if (pass->own)
		array_release(&range_pass_of(pass)->ranges);
}

const struct way way_range = {
	.worker_size = sizeof(struct range_worker),
	.start = range_start,
	.open = range_open,
	.work = range_work,
	.slice = range_slice,
	.join = range_join,
	.close = range_close,
	.end = range_end,
};
