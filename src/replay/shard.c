// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sharding. Enters: streams. Leaves: their histograms, in parts that are joined at the end.
 *
 * Each stream reads on and deals its records out to lists, one for each shard. Each shard
 * merges its lists. Both go on at once, in rounds: what is due in a round is what is not
 * later than the last record that any stream had read, of those that have more to come.
 *
 * Invariant: the records of a list are in order of time; the stream that bounds a round
 * gives away all that it has read, so that each round gets on.
 */
#include <stdlib.h>

#include "engine/engine.h"
#include "replay/crew.h"
#include "replay/shard.h"
#include "replay/shard_list.h"
#include "ring_buffer/merge.h"

enum {
	LISTED_MAX = 32768, /* records in all lists, while they are few */
	LIST_MIN = 128,
	LISTS_MAX = 2048,
	BYTES_MAX = 64 << 20, /* of records that are copied, in all lists */
	LOOK_AT = 8,          /* times as many records as a list holds are looked at in a round */
	READ_MAX = 64,        /* at once */
	BYTES_PER_RECORD = 64,
};

struct feed {
	struct sharding *all;
	struct stream *stream;
	struct ring_buffer_iter *iter;
	size_t index;
	struct shard_list *lists; /* one a shard */
	u64 last;                 /* time of the last record that was read */
	u64 *counts;              /* by id */
	u64 short_records;
	bool ended, backwards;
	int err;
};

/* How far a round goes: to this record, or to the end. */
struct bound {
	const struct feed *feed; /* NULL: to the end */
	u64 ts;
};

struct sharding {
	const struct shard_input *in;
	struct arena arena;
	u32 n_shards, list_max; /* a power of 2 */
	struct feed *feeds;
	int *errs; /* of shards */
	hist_data_array hists;
};

/* --- which recordings --- */

static bool dispatch_can_shard(const struct dispatch *d)
{
	return !d->special && !d->comm && event_file_can_shard(d->file);
}

static u32 shards_of(const struct shard_input *in)
{
	return min_t(u32, in->jobs, SHARDS_MAX);
}

static u32 list_max(size_t lists)
{
	u32 max = LIST_MIN;

	while (max * lists <= LISTED_MAX / 2)
		max *= 2;
	return max;
}

/* What a list needs for copies: room for some sub-buffers, or for all records. */
static size_t bytes_of_list(const struct stream *stream, u32 records)
{
	if (trace_dat_pages_stay(stream->pages))
		return 0;
	return max_t(size_t, 4 * (size_t)stream->layout.subbuf_size,
		     (size_t)records * BYTES_PER_RECORD);
}

bool shard_can_run(const struct shard_input *in)
{
	size_t bytes = 0;

	for (size_t i = 0; i < in->n; i++)
		bytes += bytes_of_list(&in->streams[i], list_max(in->n * shards_of(in)));
	if (in->n * shards_of(in) > LISTS_MAX || bytes * shards_of(in) > BYTES_MAX)
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

static bool has_room(const struct feed *f)
{
	for (u32 k = 0; k < f->all->n_shards; k++)
		if (!shard_list_has_room(&f->lists[k], READ_MAX, f->iter->layout.subbuf_size))
			return false;
	return true;
}

static inline void hand_out(struct feed *f, const struct ring_buffer_record *rec, u32 shards)
{
	do {
		shard_list_add(&f->lists[__builtin_ctz(shards)], rec);
		shards &= shards - 1;
	} while (unlikely(shards));
}

/* What the record means to the replay, NULL: nothing. */
static inline const struct dispatch *wanted(const struct feed *f,
					    const struct ring_buffer_record *rec)
{
	const struct dispatch_table *table = f->stream->table;
	u32 id = rec->len < 8 ? 0 : load_u16(rec->data, f->iter->layout.big_endian);

	return id < table->n && table->keep[id] ? &table->by_id[id] : NULL;
}

/* @hit knows what is the same for all records of the stream. */
static inline void take_record(struct feed *f, const struct ring_buffer_record *rec,
			       struct hit *hit)
{
	const struct replay_span *span = f->all->in->span;
	const struct dispatch *d = wanted(f, rec);
	u32 shards;

	if (!d)
		return;
	f->backwards |= rec->ts < f->last;
	f->last = rec->ts;
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
		hand_out(f, rec, shards);
}

/* The first record of the next sub-buffer that has one that is let through. */
static bool turn_page(struct feed *f, struct ring_buffer_record *rec)
{
	int err = ring_buffer_iter_turn(f->iter, rec);

	f->ended = err != 0;
	f->err = err < 0 ? err : 0;
	return !err;
}

/* Some records, all of one sub-buffer. */
static void read_some(struct feed *f, struct hit *hit)
{
	struct ring_buffer_record rec;

	for (int n = 0; n < READ_MAX; n++) {
		if (unlikely(ring_buffer_page_next(&f->iter->page, &rec)) &&
		    (n || !turn_page(f, &rec)))
			return;
		take_record(f, &rec, hit);
	}
}

/* A stream's part of a round. */
static void read_on(struct feed *f)
{
	struct hit hit = { .cpu = f->stream->cpu, .source = f->all->in->source };

	for (u32 n = 0; n < LOOK_AT * f->all->list_max && !f->ended && has_room(f); n += READ_MAX)
		read_some(f, &hit);
}

/* --- how far a round goes --- */

/* At one time the lower CPU comes first, as in the merge. */
static bool is_before(const struct feed *a, const struct feed *b)
{
	if (a->stream->cpu != b->stream->cpu)
		return a->stream->cpu < b->stream->cpu;
	return a->index < b->index;
}

static struct bound find_bound(const struct sharding *s)
{
	struct bound bound = { .ts = UINT64_MAX };

	for (size_t i = 0; i < s->in->n; i++) {
		const struct feed *f = &s->feeds[i];

		if (f->ended)
			continue;
		if (!bound.feed || f->last < bound.ts ||
		    (f->last == bound.ts && is_before(f, bound.feed)))
			bound = (struct bound){ f, f->last };
	}
	return bound;
}

/* What was taken makes room; see what is due now. Whether that goes to the end. */
static bool next_round(struct sharding *s)
{
	struct bound bound = find_bound(s);

	for (size_t i = 0; i < s->in->n; i++) {
		const struct feed *f = &s->feeds[i];
		bool with_equal = !bound.feed || f == bound.feed || is_before(f, bound.feed);

		for (u32 k = 0; k < s->n_shards; k++)
			shard_list_turn(&f->lists[k], bound.ts, with_equal);
	}
	return !bound.feed;
}

/* --- a shard --- */

static int merge_lists(const struct sharding *s, u32 k, struct ring_buffer_merge *m)
{
	struct ring_buffer_source *sources = calloc(s->in->n, sizeof(*sources));
	int err;

	if (!sources)
		return HIST_NOMEM;
	for (size_t i = 0; i < s->in->n; i++)
		sources[i] = (struct ring_buffer_source){ .fill = shard_list_take,
							  .arg = &s->feeds[i].lists[k],
							  .cpu = s->feeds[i].stream->cpu };
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

/* Another processor may have read them. */
static inline void prefetch(const struct ring_buffer_merged *some, int n)
{
	enum { CACHE_LINE = 64 };

	for (int i = 0; i < n; i++) {
		__builtin_prefetch(some[i].rec->data);
		__builtin_prefetch(some[i].rec->data + CACHE_LINE);
	}
}

static void run_shard(struct sharding *s, u32 k)
{
	struct ring_buffer_merged some[READ_MAX];
	struct hit hit = { .shard = (u16)(k + 1), .source = s->in->source };
	struct ring_buffer_merge m;
	int n;

	s->errs[k] = merge_lists(s, k, &m);
	if (s->errs[k])
		return;
	while ((n = ring_buffer_merge_next(&m, some, READ_MAX)) > 0) {
		prefetch(some, n);
		for (int i = 0; i < n; i++)
			hit_record(s, &some[i], &hit);
	}
	ring_buffer_merge_release(&m);
}

/* --- all together --- */

static int list_init(struct sharding *s, const struct stream *stream, struct shard_list *list)
{
	*list = (struct shard_list){
		.recs = arena_alloc(&s->arena, s->list_max * sizeof(*list->recs)),
		.mask = s->list_max - 1,
		.n_bytes = bytes_of_list(stream, s->list_max),
	};
	if (list->n_bytes)
		list->bytes = arena_alloc(&s->arena, list->n_bytes);
	return list->recs && (list->bytes || !list->n_bytes) ? 0 : HIST_NOMEM;
}

static int feed_init(struct sharding *s, size_t i)
{
	struct feed *f = &s->feeds[i];
	int err = 0;

	*f = (struct feed){
		.all = s, .stream = &s->in->streams[i], .iter = &s->in->iters[i], .index = i
	};
	f->lists = arena_alloc(&s->arena, s->n_shards * sizeof(*f->lists));
	f->counts = arena_alloc(&s->arena, f->stream->table->n * sizeof(*f->counts));
	if (!f->lists || !f->counts)
		return HIST_NOMEM;
	for (u32 k = 0; k < s->n_shards && !err; k++)
		err = list_init(s, f->stream, &f->lists[k]);
	return err;
}

static int start(struct sharding *s)
{
	size_t n = s->in->n;
	int err = 0;

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

/* Shards first: theirs is the larger part. */
static void take_part(void *arg, size_t i)
{
	struct sharding *s = arg;

	if (i < s->n_shards)
		run_shard(s, (u32)i);
	else
		read_on(&s->feeds[i - s->n_shards]);
}

static int run_rounds(struct sharding *s)
{
	struct crew *crew = crew_new(s->n_shards - 1);
	int err = crew ? 0 : HIST_NOMEM;
	bool last = false;

	while (!err && !last) {
		last = next_round(s);
		crew_run(crew, take_part, s, s->n_shards + s->in->n);
		err = check(s);
	}
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
	struct sharding s = { .in = in,
			      .n_shards = shards_of(in),
			      .list_max = list_max(in->n * shards_of(in)) };
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
