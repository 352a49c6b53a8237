// SPDX-License-Identifier: LGPL-2.1-only
/*
 * By key: each worker merges the records of a part of the keys. Keys of different workers differ,
 * so the entries of all maps together are the result. Each worker decodes all streams itself: that
 * costs less than passing records between threads, because a cache line written by one processor is
 * slow to reach another.
 */
#include "replay/slices.h"
#include "replay/way.h"

enum { MERGE_BATCH = 64 };

/* How the part of a short record of an id is found. */
struct part_route {
	u16 at;       /* offset of the integer that determines it */
	u16 min_size; /* shorter records, or all of them, are left to key_is_mine() */
	u8 high_bits; /* bits of 8 bytes at ->at that do not belong to the integer */
	bool kept;
};

/*
 * The records of one part of the keys in a stream, and where slices of time start: the first record
 * of each one, without its data if it is not of the part.
 */
struct partition {
	struct source *source;
	const struct hist *h;
	struct names *names;     /* NULL: not needed */
	struct hit_context from; /* for filters and keys */
	u32 part, n_parts;       /* from 1 */
	u64 last;                /* time of the last record read */
	u64 last_in_slice; /* the first later record is delivered to all parts, see slices.h */
	bool backwards;    /* a time stamp was lower than the previous one */
	/* counts records that all parts read */
	u64 *counts; /* by id: records in the span; of ids that are not kept, any number */
	u64 short_records, guessed_names;
	struct part_route *routes; /* by id, as many as the stream's table has */
};

struct key_worker {
	struct worker worker;
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

/* --- the records of a part --- */

/*
 * Whether the record belongs to the part; the caller has set the fields of @hit that are the same
 * for the whole stream.
 */
static inline bool key_is_mine(struct partition *p, const struct ring_buffer_record *rec,
			       struct hit *hit)
{
	const struct stream *stream = p->source->stream;
	const struct dispatch *d = stream_dispatch(stream, rec);

	if (!d)
		return false;
	p->backwards |= rec->ts < p->last;
	p->last = rec->ts;
	if (unlikely(!d->hits))
		return false;
	if (unlikely(dispatch_is_short(d, rec))) {
		p->short_records++;
		return false;
	}
	if (unlikely(rec->ts < p->h->span.from || rec->ts > p->h->span.to))
		return false;
	p->counts[d - stream->table->by_id]++;
	hit->rec = rec->data;
	hit->len = rec->len;
	hit->ts = rec->ts;
	if (unlikely(p->names != NULL)) {
		hit->pid = stream_pid(stream, rec);
		hit->at = stream_at(stream, p->source->page, rec);
		p->guessed_names += d->guesses &&
				    names_guess_at(p->names, hit->pid, hit->cpu,
						   (struct name_place){ hit->ts, hit->at });
	}
	return event_parts_of(d->event, hit, p->n_parts) >> (p->part - 1) & 1;
}

/* Whether the part gets the record. */
static bool key_is_delivered(struct partition *p, struct ring_buffer_record *rec, struct hit *hit)
{
	bool mine = key_is_mine(p, rec, hit);

	if (likely(rec->ts <= p->last_in_slice))
		return mine;
	p->last_in_slice = slices_last(p->h, rec->ts);
	rec->len = mine ? rec->len : 0;
	return true;
}

/* No record has this length, so that key_is_mine() is used. */
enum { NO_ROUTE = UINT16_MAX };

/* Set p->routes, when the other members are set. 0, -HIST_ENOMEM */
static int key_routes(struct partition *p, struct arena *arena)
{
	const struct dispatch_table *table = p->source->stream->table;
	bool whole = !p->h->span.from && p->h->span.to == UINT64_MAX;

	p->routes = arena_alloc(arena, (table->n + 1) * sizeof(*p->routes));
	for (u32 id = 0; p->routes && id < table->n; id++) {
		const struct dispatch *d = &table->by_id[id];
		const struct value *v = d->hits ? event_part_number(d->event) : NULL;
		struct part_route *route = &p->routes[id];

		route->min_size = d->hits ? NO_ROUTE : 0;
		if (!v || !whole || d->n_dynamic || d->guesses ||
		    d->min_size > RING_BUFFER_SHORT_MAX || (u64)v->offset + v->size > d->min_size)
			continue;
		*route = (struct part_route){ .at = (u16)v->offset,
					      .min_size = (u16)d->min_size,
					      .high_bits = (u8)(64 - 8 * v->size),
					      .kept = true };
	}
	return p->routes ? 0 : HIST_NOMEM;
}

struct key_select {
	const struct part_route *routes;
	u64 *counts;
	u64 last_ts;
	u32 n, part, n_parts;
};

/*
 * Selects what key_is_mine() would, and stops at a record that starts a slice of time, or that has
 * no simple route. Without branches, because neither the event nor the part can be predicted.
 */
static inline __attribute__((always_inline)) int key_select(void *arg,
							    const struct ring_buffer_record *rec)
{
	const struct key_select *s = arg;
	u32 id = load_u16(rec->data, false), i = id < s->n ? id : s->n;
	const struct part_route *route = &s->routes[i];
	/* the integer is read as 8 bytes */
	s64 key = (s64)(load_u64(rec->data + route->at, false) << route->high_bits) >>
		  route->high_bits;

	if (unlikely(rec->len < route->min_size || rec->ts > s->last_ts))
		return -1;
	s->counts[i]++;
	return route->kept & (hist_part_of_number((u64)key, s->n_parts) == s->part);
}

static __attribute__((noinline)) int key_fill_short(struct partition *p,
						    struct ring_buffer_record *recs, int max)
{
	struct ring_buffer_page *page = &p->source->iter.page;
	struct key_select select = { .routes = p->routes,
				     .counts = p->counts,
				     .last_ts = p->last_in_slice,
				     .n = p->source->stream->table->n,
				     .part = p->part - 1,
				     .n_parts = p->n_parts };
	const u8 *start = page->p;
	u64 first = page->ts;
	int n;

	if (page->end - start >= 4)
		first += load_u32(start, false) >> 5;
	/* without slices, the compiler omits their comparison */
	if (p->last_in_slice == UINT64_MAX) {
		select.last_ts = UINT64_MAX;
		n = ring_buffer_page_fill(page, recs, max, key_select, &select);
	} else {
		n = ring_buffer_page_fill(page, recs, max, key_select, &select);
	}
	if (page->p > start) {
		p->backwards |= first < p->last || page->ts < first;
		p->last = page->ts;
	}
	return n;
}

/* The records of the part in this sub-buffer, up to @max; fewer: it has no more. */
static int key_fill_page(struct partition *p, struct ring_buffer_record *recs, int max)
{
	struct ring_buffer_iter *it = &p->source->iter;
	struct hit hit = { .cpu = p->source->stream->cpu, .context = &p->from };
	int n = 0;

	for (;;) {
		if (likely(!it->page.big))
			n += key_fill_short(p, recs + n, max - n);
		if (n == max || ring_buffer_page_next(&it->page, &recs[n]))
			return n;
		n += ring_buffer_iter_keeps(it, &recs[n]) && key_is_delivered(p, &recs[n], &hit);
	}
}

/* The records of the part in the rest of a sub-buffer, or in a later one. */
static int key_fill(void *arg, const struct ring_buffer_record **recs)
{
	struct partition *p = arg;
	int n, err = 0;

	*recs = p->source->recs;
	do {
		n = key_fill_page(p, p->source->recs, SOURCE_RECORDS);
	} while (!n && !(err = ring_buffer_iter_page(&p->source->iter)));
	return err < 0 ? err : n;
}

/* --- workers --- */

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
	int err = source_open(&kw->worker.sources[i], &w->pass->plan->streams[i]);

	*p = (struct partition){ .source = &kw->worker.sources[i],
				 .h = w->pass->plan->h,
				 .last_in_slice = last_of(w->pass),
				 .names = w->pass->names,
				 .from = w->context,
				 .part = w->part,
				 .n_parts = w->pass->n_workers,
				 .counts = w->counts[i] };
	/* every worker filters all records, and those of its part again: the first one notes */
	p->from.quiet = w->part != 1;
	w->context.quiet = true;
	*input = (struct ring_buffer_source){ .fill = key_fill,
					      .arg = p,
					      .cpu = p->source->stream->cpu };
	return err ? err : key_routes(p, &w->arena);
}

static int key_open(struct worker *w)
{
	struct key_worker *kw = (struct key_worker *)w;
	size_t n = w->pass->plan->n_streams;
	struct ring_buffer_source *inputs = arena_alloc(&w->arena, (n + 1) * sizeof(*inputs));
	int err = worker_make_counts(w);

	kw->partitions = arena_alloc(&w->arena, (n + 1) * sizeof(*kw->partitions));
	if (!inputs || !kw->partitions)
		return HIST_NOMEM;
	for (size_t i = 0; i < n && !err; i++)
		err = open_partition(kw, i, &inputs[i]);
	return err ? err : ring_buffer_merge_init_sources(&kw->merge, inputs, n);
}

static inline void key_hit(const struct key_worker *kw, const struct ring_buffer_merged *m,
			   struct hit *hit)
{
	const struct stream *stream = kw->worker.sources[m->index].stream;
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
		hit->at = stream_at(stream, kw->worker.sources[m->index].page, m->rec);
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
			   .context = &w->context };
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
	int err = 0;

	if (ts > pass->plan->h->span.to)
		return 0;
	for (size_t i = 0; i < pass->hists.n && !pass->stop; i++)
		pass->stop = !hist_parts_join(pass->hists.v[i]);
	if (pass->stop)
		return 0;
	sources_end_slice(first->worker.sources, pass->plan->n_streams, pass->plan->h->timer, ts);
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
		first->worker.accounts[i].short_records += first->partitions[i].short_records;
		first->worker.hits.guessed_names += first->partitions[i].guessed_names;
	}
	return pass_join_parts(pass, pass_account_sources(pass, err));
}

static void key_close(struct worker *w)
{
	ring_buffer_merge_release(&((struct key_worker *)w)->merge);
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
