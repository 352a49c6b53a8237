// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reading ahead. One thread decodes and merges all records, and puts them in batches, which the
 * calling thread takes in their order. For triggers, a batch refers to the records, or to copies if
 * they do not stay in memory; the calling thread counts them. For derivers, it has the fields that
 * they need (derive/batch.h).
 */
#include "replay/read_ahead.h"

enum { MERGE_BATCH = 64, BATCHES = 4, BATCH_RECORDS = 4096, BATCH_BYTES = 256 << 10 };

struct record_batch {
	struct read_record recs[BATCH_RECORDS];
	size_t n;
	u8 *bytes; /* copies of records; NULL: they stay */
	size_t used;
};

struct reading {
	struct worker *worker;
	struct ring_buffer_merge *merge;
	struct prefetch *inflating;
	struct derive *derive; /* NULL: for triggers */
	int ret;               /* of the merge: 0 at the end, < 0 an error */
	bool places;           /* of records are needed */
	u64 slice_end;         /* of the current slice of time; without slices the highest time */
	size_t bytes, largest; /* for copies: of a batch, of a record */
};

/* --- for triggers --- */

/* How many records surely fit. */
static size_t batch_room(const struct reading *r, const struct record_batch *b)
{
	/* each can be after the end of a slice */
	size_t room = (BATCH_RECORDS - b->n) / 2;

	return b->bytes ? min_t(size_t, room, (r->bytes - b->used) / r->largest) : room;
}

/* If a slice ends before a record, it ends with what all sources have lost until then. */
static void end_slices(struct reading *r, struct record_batch *b, u64 ts)
{
	const struct worker *w = r->worker;
	const struct hist *h = w->pass->plan->h;
	struct stream_account lost;
	u64 after;

	if (ts > h->span.to)
		return;
	lost = sources_lost(w->sources, w->pass->plan->n_streams);
	b->recs[b->n++] =
		(struct read_record){ .ts = ts, .at = lost.missed, .len = lost.missed_unknown };
	after = ts - h->timer->from;
	after -= after % h->timer->length;
	if (__builtin_add_overflow(after, h->timer->length, &after) ||
	    __builtin_add_overflow(after, h->timer->from, &r->slice_end))
		r->slice_end = UINT64_MAX;
}

static inline void add_record(struct reading *r, struct record_batch *b,
			      const struct ring_buffer_merged *m)
{
	const struct source *s = &r->worker->sources[m->index];
	const struct ring_buffer_record *rec = m->rec;
	struct read_record *to;

	if (unlikely(rec->ts >= r->slice_end))
		end_slices(r, b, rec->ts);
	to = &b->recs[b->n++];
	to->ts = rec->ts;
	to->data = rec->data;
	to->len = rec->len;
	to->source = (u32)m->index;
	to->at = r->places ? stream_at(s->stream, s->merged, rec) : 0;
	if (!b->bytes)
		return;
	to->data = memcpy(b->bytes + b->used, rec->data, rec->len);
	b->used += ALIGN_UP((size_t)rec->len, 8);
}

static bool read_records(void *arg, void *slot)
{
	struct ring_buffer_merged some[MERGE_BATCH];
	struct record_batch *b = slot;
	struct reading *r = arg;
	size_t room;

	b->n = b->used = 0;
	while (r->ret > 0 && (room = batch_room(r, b))) {
		r->ret = ring_buffer_merge_next(r->merge, some,
						(int)min_t(size_t, room, MERGE_BATCH));
		for (int i = 0; i < r->ret; i++)
			add_record(r, b, &some[i]);
	}
	return b->n;
}

static int count_records(void *arg, const void *slot)
{
	const struct record_batch *b = slot;
	const struct reading *r = arg;

	ordered_ahead(r->worker->pass->ordered, b->recs, b->n);
	return 0;
}

/* --- for derivers --- */

static bool read_for_derivers(void *arg, void *slot)
{
	struct ring_buffer_merged some[MERGE_BATCH];
	struct reading *r = arg;
	bool any = false;
	size_t room;

	derive_collect(r->derive, *(struct derive_batch **)slot);
	while (r->ret > 0 && (room = derive_batch_room(r->derive))) {
		r->ret = ring_buffer_merge_next(r->merge, some,
						(int)min_t(size_t, room, MERGE_BATCH));
		if (r->ret > 0)
			ordered_records(r->worker->pass->ordered, some, r->ret);
		any = true;
	}
	return any;
}

static int derive_from_batch(void *arg, const void *slot)
{
	const struct reading *r = arg;

	derive_from(r->derive, *(struct derive_batch *const *)slot);
	return 0;
}

/* --- both --- */

static bool inflate_ahead(void *arg)
{
	const struct reading *r = arg;

	return prefetch_one(r->inflating);
}

static int read_for_all_derivers(struct reading *r, struct ordered_work *work)
{
	struct derive_batch *batches[BATCHES] = { NULL };
	int err = 0;

	for (size_t i = 0; i < BATCHES; i++) {
		batches[i] = derive_batch_new();
		err = batches[i] ? err : HIST_NOMEM;
	}
	work->read = read_for_derivers;
	work->take = derive_from_batch;
	work->slots = batches;
	work->slot_size = sizeof(*batches);
	err = err ?: threads_run_ordered(work);
	derive_collect(r->derive, NULL);
	for (size_t i = 0; i < BATCHES; i++)
		derive_batch_free(batches[i]);
	return err;
}

static int read_for_triggers(struct reading *r, struct ordered_work *work)
{
	const struct pass *pass = r->worker->pass;
	const struct plan *plan = pass->plan;
	scoped(free_scoped) struct record_batch *batches = calloc(BATCHES, sizeof(*batches));
	int err = batches ? 0 : HIST_NOMEM;

	r->places = pass->names;
	r->slice_end = plan->h->timer ? plan->h->timer->end : UINT64_MAX;
	for (size_t i = 0; i < plan->n_streams; i++)
		r->largest = max_t(size_t, r->largest, plan->streams[i].layout.subbuf_size);
	r->bytes = max_t(size_t, BATCH_BYTES, r->largest);
	for (size_t i = 0; i < BATCHES && plan->inflates && !err; i++) {
		batches[i].bytes = malloc(r->bytes);
		err = batches[i].bytes ? 0 : HIST_NOMEM;
	}
	work->read = read_records;
	work->take = count_records;
	work->slots = batches;
	work->slot_size = sizeof(*batches);
	err = err ?: threads_run_ordered(work);
	for (size_t i = 0; i < BATCHES && batches; i++)
		free(batches[i].bytes);
	return err;
}

int read_ahead(struct worker *w, struct ring_buffer_merge *merge, struct prefetch *inflating)
{
	struct derived *derived = &w->pass->ordered->derived;
	struct reading r = { .worker = w,
			     .merge = merge,
			     .inflating = inflating,
			     .derive = derived_any(derived) ? derived->all.v[0] : NULL,
			     .ret = 1 };
	struct ordered_work work = { .n = SIZE_MAX,
				     .help = inflating ? inflate_ahead : NULL,
				     .arg = &r,
				     .n_slots = BATCHES,
				     .threads = 2 };
	int err = r.derive ? read_for_all_derivers(&r, &work) : read_for_triggers(&r, &work);

	return err ?: r.ret;
}
