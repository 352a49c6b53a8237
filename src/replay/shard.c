// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sharding. Enters: streams. Leaves: their histograms, in parts that are joined at the end.
 *
 * It goes in rounds of two steps. First each stream reads on and hands its records out to
 * lists, one for each shard. What is due is what is not later than the last record of any
 * stream that has more to come. Then each shard merges its lists as far as that.
 *
 * Invariant: the records of a list are in order of time; the stream that bounds a round
 * gives away all that it has read, so that each round gets on.
 */
#include <stdlib.h>

#include "engine/engine.h"
#include "replay/crew.h"
#include "replay/shard.h"
#include "ring_buffer/merge.h"

enum {
	LISTED_MAX = 16384, /* records in all lists, while they are few */
	LIST_MIN = 128,
	LISTS_MAX = 2048,
	LOOK_AT = 8,  /* times as many records as a list holds are looked at in a round */
	READ_MAX = 64, /* at once */
	BYTES_PER_RECORD = 64,
};

struct list {
	struct ring_buffer_record *recs;
	u32 head, due, tail; /* taken, to be taken in this round, there */
};

struct feed {
	struct sharding *all;
	struct stream *stream;
	struct ring_buffer_iter *iter;
	size_t index;
	struct list *lists; /* one a shard */
	u64 last;           /* time of the last record that was read */
	u64 *counts;        /* by id */
	u64 short_records;
	u8 *bytes, *spare; /* what records point to, of sub-buffers that do not stay; or NULL */
	size_t used, room;
	bool ended, backwards;
	int err;
};

struct sharding {
	const struct shard_input *in;
	struct arena arena;
	u32 n_shards, list_max;
	struct feed *feeds;
	hist_data_array hists;
	const struct feed *bound; /* of this round; NULL: all streams have ended */
	int *errs;                /* of shards */
};

/* --- which recordings --- */

static bool dispatch_can_shard(const struct dispatch *d)
{
	return !d->special && !d->comm && event_file_can_shard(d->file);
}

bool shard_can_run(const struct shard_input *in)
{
	if (in->n * min_t(u32, in->jobs, SHARDS_MAX) > LISTS_MAX)
		return false;
	for (size_t i = 0; i < in->n; i++) {
		const struct dispatch_table *table = in->streams[i].table;

		if (i && table == in->streams[i - 1].table)
			continue;
		for (u32 id = 0; id < table->n; id++)
			if (table->keep[id] && !dispatch_can_shard(&table->by_id[id]))
				return false;
	}
	return true;
}

/* --- the lists of a stream --- */

static u32 left_over(const struct feed *f)
{
	u32 n = 0;

	for (u32 k = 0; k < f->all->n_shards; k++)
		n += f->lists[k].tail - f->lists[k].head;
	return n;
}

static const u8 *keep_bytes(struct feed *f, const u8 *data, u32 len)
{
	u8 *to = f->bytes + f->used;

	f->used += ALIGN_UP((size_t)len, 8);
	return memcpy(to, data, len);
}

/* Move what is left to the front. */
static void compact(struct feed *f)
{
	u8 *old = f->bytes;

	f->bytes = f->spare;
	f->spare = old;
	f->used = 0;
	for (u32 k = 0; k < f->all->n_shards; k++) {
		struct list *list = &f->lists[k];
		u32 n = list->tail - list->head;

		memmove(list->recs, list->recs + list->head, n * sizeof(*list->recs));
		list->head = list->due = 0;
		list->tail = n;
		for (u32 i = 0; i < n && f->bytes; i++)
			list->recs[i].data =
				keep_bytes(f, list->recs[i].data, list->recs[i].len);
	}
}

static bool has_room(const struct feed *f)
{
	for (u32 k = 0; k < f->all->n_shards; k++)
		if (f->lists[k].tail + READ_MAX > f->all->list_max)
			return false;
	return !f->bytes || f->room - f->used >= f->iter->layout.subbuf_size;
}

static inline void hand_out(struct feed *f, struct ring_buffer_record rec, u32 shards)
{
	if (f->bytes)
		rec.data = keep_bytes(f, rec.data, rec.len);
	do {
		struct list *list = &f->lists[__builtin_ctz(shards)];

		list->recs[list->tail++] = rec;
		shards &= shards - 1;
	} while (unlikely(shards));
}

/* @hit knows what is the same for all records of the stream. */
static inline void take_record(struct feed *f, const struct ring_buffer_record *rec,
			       struct hit *hit)
{
	const struct replay_span *span = f->all->in->span;
	const struct dispatch *d = stream_dispatch(f->stream, rec);
	u32 shards;

	f->backwards |= rec->ts < f->last;
	f->last = rec->ts;
	if (!d)
		return;
	if (unlikely(rec->len < d->min_size)) {
		f->short_records++;
		return;
	}
	if (unlikely(rec->ts < span->from || rec->ts > span->to))
		return;
	f->counts[d - f->stream->table->by_id]++;
	hit->rec = rec->data;
	hit->len = rec->len;
	hit->ts = rec->ts;
	shards = event_file_shards_of(d->file, hit, f->all->n_shards);
	if (shards)
		hand_out(f, *rec, shards);
}

/* A stream's step. */
static void read_on(void *arg, size_t i)
{
	struct sharding *s = arg;
	struct feed *f = &s->feeds[i];
	struct ring_buffer_record recs[READ_MAX];
	struct hit hit = { .cpu = f->stream->cpu, .source = s->in->source };
	u32 looked_at = 0;
	int n = 1;

	if (f->ended || left_over(f) > s->list_max / 2)
		return;
	compact(f);
	while (has_room(f) && looked_at < LOOK_AT * s->list_max) {
		n = ring_buffer_iter_fill(f->iter, recs, READ_MAX);
		if (n <= 0)
			break;
		for (int r = 0; r < n; r++)
			take_record(f, &recs[r], &hit);
		looked_at += (u32)n;
	}
	f->ended = n <= 0;
	f->err = n < 0 ? n : 0;
}

/* --- how far a round goes --- */

/* At one time the lower CPU comes first, as in the merge. */
static bool is_before(const struct feed *a, const struct feed *b)
{
	if (a->stream->cpu != b->stream->cpu)
		return a->stream->cpu < b->stream->cpu;
	return a->index < b->index;
}

static void find_bound(struct sharding *s)
{
	s->bound = NULL;
	for (size_t i = 0; i < s->in->n; i++) {
		const struct feed *f = &s->feeds[i];

		if (f->ended)
			continue;
		if (!s->bound || f->last < s->bound->last ||
		    (f->last == s->bound->last && is_before(f, s->bound)))
			s->bound = f;
	}
}

/* The first record of the list that is not due yet. */
static u32 find_due(const struct feed *f, const struct list *list)
{
	const struct feed *bound = f->all->bound;
	u32 low = list->head, high = list->tail;
	bool with_equal = bound && (f == bound || is_before(f, bound));

	if (!bound)
		return high;
	while (low < high) {
		u32 mid = low + (high - low) / 2;
		u64 ts = list->recs[mid].ts;

		if (ts < bound->last || (ts == bound->last && with_equal))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* --- a shard --- */

/* All that is due of a list, then the end. */
static int take_due(void *arg, const struct ring_buffer_record **recs)
{
	struct list *list = arg;
	int n = (int)(list->due - list->head);

	*recs = list->recs + list->head;
	list->head = list->due;
	return n;
}

static int merge_lists(struct sharding *s, size_t k, struct ring_buffer_merge *m)
{
	struct ring_buffer_source *sources = calloc(s->in->n, sizeof(*sources));
	int err;

	if (!sources)
		return HIST_NOMEM;
	for (size_t i = 0; i < s->in->n; i++) {
		struct list *list = &s->feeds[i].lists[k];

		list->due = find_due(&s->feeds[i], list);
		sources[i] = (struct ring_buffer_source){ .fill = take_due,
							  .arg = list,
							  .cpu = s->feeds[i].stream->cpu };
	}
	err = ring_buffer_merge_init_sources(m, sources, s->in->n);
	free(sources);
	return err;
}

static inline void hit_record(const struct sharding *s, const struct ring_buffer_merged *m,
			      struct hit *hit)
{
	const struct stream *stream = s->feeds[m->index].stream;
	const u8 *data = m->rec->data;

	hit->file = stream_dispatch(stream, m->rec)->file;
	hit->rec = data;
	hit->len = m->rec->len;
	hit->cpu = stream->cpu;
	hit->pid = (s32)load_u32(data + COMMON_PID_AT, stream->layout.big_endian);
	hit->ts = m->rec->ts;
	event_file_hit_shard(hit->file, hit, s->n_shards);
}

/* A shard's step. */
static void run_shard(void *arg, size_t k)
{
	struct sharding *s = arg;
	struct ring_buffer_merged some[READ_MAX];
	struct hit hit = { .shard = (u16)(k + 1), .source = s->in->source };
	struct ring_buffer_merge m;
	int n;

	s->errs[k] = merge_lists(s, k, &m);
	if (s->errs[k])
		return;
	while ((n = ring_buffer_merge_next(&m, some, READ_MAX)) > 0) {
		for (int i = 0; i < n; i++)
			hit_record(s, &some[i], &hit);
	}
	ring_buffer_merge_release(&m);
}

/* --- all together --- */

static int feed_init(struct sharding *s, size_t i)
{
	struct feed *f = &s->feeds[i];
	size_t per_list = s->list_max * sizeof(struct ring_buffer_record);

	*f = (struct feed){ .all = s,
			    .stream = &s->in->streams[i],
			    .iter = &s->in->iters[i],
			    .index = i };
	f->lists = arena_alloc(&s->arena, s->n_shards * sizeof(*f->lists));
	f->counts = arena_alloc(&s->arena, f->stream->table->n * sizeof(*f->counts));
	if (!f->lists || !f->counts)
		return HIST_NOMEM;
	for (u32 k = 0; k < s->n_shards; k++) {
		f->lists[k].recs = arena_alloc(&s->arena, per_list);
		if (!f->lists[k].recs)
			return HIST_NOMEM;
	}
	if (trace_dat_pages_stay(f->stream->pages))
		return 0;
	f->room = (size_t)s->list_max * BYTES_PER_RECORD + 2 * (size_t)f->stream->layout.subbuf_size;
	f->bytes = arena_alloc(&s->arena, f->room);
	f->spare = arena_alloc(&s->arena, f->room);
	return f->bytes && f->spare ? 0 : HIST_NOMEM;
}

static int start(struct sharding *s)
{
	size_t n = s->in->n;
	int err = 0;

	s->n_shards = min_t(u32, s->in->jobs, SHARDS_MAX);
	s->list_max = max_t(u32, LIST_MIN, (u32)(LISTED_MAX / (n * s->n_shards)));
	s->feeds = arena_alloc(&s->arena, n * sizeof(*s->feeds));
	s->errs = arena_alloc(&s->arena, s->n_shards * sizeof(*s->errs));
	if (!s->feeds || !s->errs)
		return HIST_NOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		const struct dispatch_table *table = s->in->streams[i].table;

		err = feed_init(s, i);
		for (u32 id = 0; id < table->n && !err; id++)
			if (table->keep[id])
				err = event_file_shard_hists(table->by_id[id].file, &s->hists);
	}
	for (size_t i = 0; i < s->hists.n && !err; i++)
		err = hist_shards_start(s->hists.v[i], s->n_shards);
	return err;
}

/* 0 as long as all is well. */
static int check(const struct sharding *s)
{
	bool in_order = true;

	for (size_t i = 0; i < s->in->n; i++) {
		if (s->feeds[i].err)
			return s->feeds[i].err;
		in_order &= !s->feeds[i].backwards;
	}
	for (u32 k = 0; k < s->n_shards; k++) {
		if (s->errs[k])
			return s->errs[k];
		for (size_t i = 0; i < s->hists.n; i++)
			in_order &= !hist_shard_is_full(s->hists.v[i], k + 1);
	}
	return !in_order;
}

static int run_rounds(struct sharding *s)
{
	struct crew *crew = crew_new(s->n_shards - 1);
	int err = crew ? 0 : HIST_NOMEM;

	do {
		if (!err)
			crew_run(crew, read_on, s, s->in->n);
		if (!err)
			err = check(s);
		find_bound(s);
		if (!err)
			crew_run(crew, run_shard, s, s->n_shards);
		if (!err)
			err = check(s);
	} while (!err && s->bound);
	crew_free(crew);
	return err;
}

static int finish(const struct sharding *s)
{
	for (size_t i = 0; i < s->hists.n; i++)
		if (!hist_shards_join(s->hists.v[i]))
			return 1;
	for (size_t i = 0; i < s->in->n; i++) {
		const struct feed *f = &s->feeds[i];

		f->stream->account.short_records += f->short_records;
		for (u32 id = 0; id < f->stream->table->n; id++)
			f->stream->table->by_id[id].count += f->counts[id];
	}
	return 0;
}

int shard_run(const struct shard_input *in)
{
	struct sharding s = { .in = in };
	int err = start(&s);

	if (!err)
		err = run_rounds(&s);
	if (!err)
		err = finish(&s);
	for (size_t i = 0; i < s.hists.n && err; i++) {
		tracing_map_clear(s.hists.v[i]->map);
		hist_shards_drop(s.hists.v[i]);
	}
	array_release(&s.hists);
	arena_release(&s.arena);
	return err;
}
