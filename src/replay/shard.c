// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sharding. Enters: streams. Leaves: their histograms, in parts that are joined at the end.
 *
 * Each thread has a shard, reads all streams by itself, and lets only records of its shard
 * into its merge. That some decoding is done by everybody costs less than handing records
 * over: a line of memory that one processor wrote reaches another one late. Nothing is shared
 * but what nobody writes.
 */
#include <pthread.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "replay/shard.h"
#include "ring_buffer/merge.h"

enum { READ_MAX = 64, READERS_MAX = 4096 };

/* A stream, as one shard reads it. */
struct reader {
	struct stream stream; /* a copy with a cursor of its own */
	struct ring_buffer_iter *iter, own_iter;
	const struct replay_span *span;
	u32 shard, n_shards;
	u64 last; /* time of the last record that was read */
	bool backwards;
	u64 *counts; /* by id */
	u64 short_records;
	struct ring_buffer_record recs[READ_MAX];
};

/* A thread. */
struct worker {
	struct sharding *all;
	u32 shard; /* from 1 */
	struct reader *readers;
	struct ring_buffer_merge merge;
	struct diags diags;
	pthread_t thread;
	int err;
};

struct sharding {
	const struct shard_input *in;
	struct arena arena;
	u32 n_shards;
	struct worker *workers;
	hist_data_array hists;
	bool stop; /* atomic: in vain */
};

/* --- which recordings --- */

static bool dispatch_can_shard(const struct dispatch *d)
{
	return !d->special && !d->comm && event_file_can_shard(d->file);
}

static bool stream_can_shard(const struct stream *s)
{
	/* everybody would inflate everything */
	if (!trace_dat_pages_stay(s->pages))
		return false;
	for (u32 id = 0; id < s->table->n; id++)
		if (s->table->keep[id] && !dispatch_can_shard(&s->table->by_id[id]))
			return false;
	return true;
}

bool shard_can_run(const struct shard_input *in)
{
	if (in->n * min_t(u32, in->jobs, SHARDS_MAX) > READERS_MAX)
		return false;
	for (size_t i = 0; i < in->n; i++)
		if (!stream_can_shard(&in->streams[i]))
			return false;
	return true;
}

/* --- reading --- */

/* Whether the record is of the shard; @hit knows what is the same for all of the stream. */
static inline bool is_mine(struct reader *r, const struct ring_buffer_record *rec, struct hit *hit)
{
	const struct dispatch *d = stream_dispatch(&r->stream, rec);

	if (!d)
		return false;
	r->backwards |= rec->ts < r->last;
	r->last = rec->ts;
	if (unlikely(rec->len < d->min_size)) {
		r->short_records++;
		return false;
	}
	if (unlikely(rec->ts < r->span->from || rec->ts > r->span->to))
		return false;
	r->counts[d - r->stream.table->by_id]++;
	hit->rec = rec->data;
	hit->len = rec->len;
	hit->ts = rec->ts;
	return event_file_shards_of(d->file, hit, r->n_shards) >> (r->shard - 1) & 1;
}

/* A ring_buffer_source. */
static int read_some(void *arg, const struct ring_buffer_record **recs)
{
	struct reader *r = arg;
	struct hit hit = { .cpu = r->stream.cpu };
	struct ring_buffer_record rec;
	int n = 0, err = 0;

	while (n < READ_MAX && !(err = ring_buffer_iter_next(r->iter, &rec))) {
		r->recs[n] = rec;
		n += is_mine(r, &rec, &hit);
	}
	*recs = r->recs;
	return err < 0 ? err : n;
}

/* --- a shard --- */

static inline void hit_record(const struct worker *w, const struct ring_buffer_merged *m,
			      struct hit *hit)
{
	const struct stream *stream = &w->readers[m->index].stream;
	const u8 *data = m->rec->data;

	hit->file = stream_dispatch(stream, m->rec)->file;
	hit->rec = data;
	hit->len = m->rec->len;
	hit->cpu = stream->cpu;
	hit->pid = (s32)load_u32(data + COMMON_PID_AT, stream->layout.big_endian);
	hit->ts = m->rec->ts;
	event_file_hit_shard(hit->file, hit, w->all->n_shards);
}

/* Whether it can still become what a replay in order gives. */
static bool is_well(const struct worker *w)
{
	for (size_t i = 0; i < w->all->in->n; i++)
		if (w->readers[i].backwards)
			return false;
	for (size_t i = 0; i < w->all->hists.n; i++)
		if (hist_shard_is_full(w->all->hists.v[i], w->shard))
			return false;
	return !__atomic_load_n(&w->all->stop, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct ring_buffer_merged some[READ_MAX];
	struct hit hit = { .shard = (u16)w->shard, .source = w->all->in->source };
	int n;

	while ((n = ring_buffer_merge_next(&w->merge, some, READ_MAX)) > 0 && is_well(w))
		for (int i = 0; i < n; i++)
			hit_record(w, &some[i], &hit);
	w->err = n < 0 ? n : 0;
	if (n || !is_well(w))
		__atomic_store_n(&w->all->stop, true, __ATOMIC_RELAXED);
	return NULL;
}

/* --- all together --- */

/* The first shard reads what the replay would have read, the others the same once more. */
static int reader_init(struct worker *w, size_t i)
{
	const struct shard_input *in = w->all->in;
	struct reader *r = &w->readers[i];
	int err = 0;

	*r = (struct reader){ .stream = in->streams[i],
			      .iter = &in->iters[i],
			      .span = in->span,
			      .shard = w->shard,
			      .n_shards = w->all->n_shards };
	r->counts = arena_alloc(&w->all->arena, r->stream.table->n * sizeof(*r->counts));
	if (w->shard > 1) {
		r->stream.pages = NULL;
		err = stream_open(&r->stream, &w->diags);
		r->iter = &r->own_iter;
		stream_iter_init(&r->stream, r->stream.table->keep, r->iter);
	}
	return r->counts ? err : HIST_NOMEM;
}

static int worker_init(struct worker *w)
{
	size_t n = w->all->in->n;
	struct ring_buffer_source *sources = calloc(n + 1, sizeof(*sources));
	int err = 0;

	w->readers = calloc(n + 1, sizeof(*w->readers));
	if (!sources || !w->readers)
		err = HIST_NOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		err = reader_init(w, i);
		sources[i] = (struct ring_buffer_source){ .fill = read_some,
							  .arg = &w->readers[i],
							  .cpu = w->readers[i].stream.cpu };
	}
	if (!err)
		err = ring_buffer_merge_init_sources(&w->merge, sources, n);
	free(sources);
	return err;
}

static void worker_release(struct worker *w)
{
	for (size_t i = 0; w->readers && w->shard > 1 && i < w->all->in->n; i++)
		trace_dat_pages_close(w->readers[i].stream.pages);
	ring_buffer_merge_release(&w->merge);
	free(w->readers);
	diags_release(&w->diags);
}

static int start(struct sharding *s)
{
	int err = 0;

	s->workers = arena_alloc(&s->arena, s->n_shards * sizeof(*s->workers));
	if (!s->workers)
		return HIST_NOMEM;
	for (size_t i = 0; i < s->in->n; i++) {
		const struct dispatch_table *table = s->in->streams[i].table;

		for (u32 id = 0; id < table->n && !err; id++)
			if (table->keep[id])
				err = event_file_shard_hists(table->by_id[id].file, &s->hists);
	}
	for (size_t i = 0; i < s->hists.n && !err; i++)
		err = hist_shards_start(s->hists.v[i], s->n_shards);
	for (u32 k = 0; k < s->n_shards && !err; k++) {
		s->workers[k].all = s;
		s->workers[k].shard = k + 1;
		err = worker_init(&s->workers[k]);
	}
	return err;
}

/* The last is this thread's, and those for which there are no more threads. */
static int run_workers(struct sharding *s)
{
	u32 started = 0;
	int err = 0;

	while (started + 1 < s->n_shards &&
	       !pthread_create(&s->workers[started].thread, NULL, work, &s->workers[started]))
		started++;
	for (u32 k = started; k < s->n_shards; k++)
		work(&s->workers[k]);
	for (u32 k = 0; k < started; k++)
		pthread_join(s->workers[k].thread, NULL);
	for (u32 k = 0; k < s->n_shards && !err; k++)
		err = s->workers[k].err;
	return err ? err : s->stop;
}

static int finish(const struct sharding *s)
{
	const struct reader *readers = s->workers[0].readers;

	for (size_t i = 0; i < s->hists.n; i++)
		if (!hist_shards_join(s->hists.v[i]))
			return 1;
	for (size_t i = 0; i < s->in->n; i++) {
		struct stream *stream = &s->in->streams[i];

		stream->account.short_records += readers[i].short_records;
		for (u32 id = 0; id < stream->table->n; id++)
			stream->table->by_id[id].count += readers[i].counts[id];
	}
	return 0;
}

int shard_run(const struct shard_input *in)
{
	struct sharding s = { .in = in, .n_shards = min_t(u32, in->jobs, SHARDS_MAX) };
	int err = start(&s);

	if (!err)
		err = run_workers(&s);
	if (!err)
		err = finish(&s);
	for (size_t i = 0; i < s.hists.n && err; i++) {
		tracing_map_clear(s.hists.v[i]->map);
		hist_shards_drop(s.hists.v[i]);
	}
	for (u32 k = 0; s.workers && k < s.n_shards && s.workers[k].all; k++)
		worker_release(&s.workers[k]);
	array_release(&s.hists);
	arena_release(&s.arena);
	return err;
}
