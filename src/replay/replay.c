// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The replay. Enters: recordings, and a tracing directory with triggers. Leaves: the
 * directory as the kernel would have left it at the end of the recording.
 *
 * Every CPU of every buffer that is looked at is a stream; streams are merged in time
 * order, ties as the kernel breaks them; a record goes to the triggers of its event.
 */
#include <stdlib.h>

#include "replay/account.h"
#include "replay/ahead.h"
#include "replay/dispatch.h"
#include "replay/scan.h"
#include "replay/shard.h"
#include "replay/slimmed.h"
#include "replay/traced.h"
#include "replay/watch.h"
#include "ring_buffer/merge.h"

enum { MERGE_BATCH = 64, HELP_BYTES_MIN = 4 << 20 };

struct replay {
	struct hist *h;
	struct diags *diags;
	struct run_needs needs;
	struct run_source source;
	struct arena arena;
	struct comms comms;
	ARRAY(struct stream) streams;
	struct ring_buffer_iter *iters;
	struct ring_buffer_merge merge;
	struct ahead *ahead; /* or NULL */
	/* the record that is being replayed */
	struct stream *stream;
	struct ring_buffer_iter *iter;
	const struct ring_buffer_record *rec;
	bool no_memory;       /* for want of memory */
	struct strbuf marker; /* a copy of a record with something changed */
	struct traced_queue traced;
};

/* --- streams --- */

static int add_streams(struct replay *r, struct recording *rec, struct trace_array *tr)
{
	const char *name = tr->name[0] ? tr->name : r->h->buffer;
	struct dispatch_table *table;
	size_t buffer;
	int err = 0;

	if (!recording_find_buffer(rec, name, &buffer) || rec->buffers[buffer].text)
		return 0;
	table = dispatch_table_new(r->h, rec, tr, &r->needs, &r->arena);
	if (!table)
		return HIST_NOMEM;
	for (size_t i = 0; i < rec->buffers[buffer].n_cpus && !err; i++) {
		struct stream s = { .rec = rec,
				    .buffer = buffer,
				    .cpu_index = i,
				    .tr = tr,
				    .table = table,
				    .layout = { rec->info->big_endian, rec->info->long_size,
						rec->buffers[buffer].subbuf_size } };

		s.cpu = rec->buffers[buffer].cpus[i].cpu;
		if (!replay_span_has_cpu(&r->h->span, s.cpu))
			continue;
		err = stream_open(&s, r->diags);
		if (!err && array_push(&r->streams, s)) {
			stream_close(&s);
			err = HIST_NOMEM;
		}
	}
	return err;
}

static int open_streams(struct replay *r)
{
	struct recordings *recs = &r->h->recordings;
	int err = 0;

	for (size_t i = 0; i < recs->files.n; i++)
		for (struct trace_array *tr = r->h->tracing->top; tr && !err; tr = tr->next)
			err = add_streams(r, &recs->files.v[i], tr);
	if (err)
		return err;
	r->iters = calloc(r->streams.n + 1, sizeof(*r->iters));
	if (!r->iters)
		return HIST_NOMEM;
	for (size_t i = 0; i < r->streams.n; i++)
		stream_iter_init(&r->streams.v[i], NULL, &r->iters[i]);
	return 0;
}

/* --- what triggers ask for --- */

static const char *source_comm(void *arg, const struct hit *hit)
{
	struct replay *r = arg;

	if (r->h->watch && r->stream)
		r->h->watch->comm(r->h->watch->arg, hit);
	return comms_of(&r->comms, hit);
}

static void tell_stack(const struct replay *r, bool found, bool traced)
{
	r->h->watch->stack(r->h->watch->arg, found ? r->stream->stack.page : NO_STACK,
			   r->stream->stack.offset, traced);
}

static size_t source_stack(void *arg, u64 *entries, size_t max)
{
	struct replay *r = arg;
	/* what a program traced has none */
	size_t n = r->stream ? stream_stack(r->stream, r->iter, r->rec, entries, max) : 0;

	if (!n)
		r->h->account.no_stack++;
	else if (r->h->watch)
		tell_stack(r, true, false);
	return n;
}

static struct hit hit_of(const struct replay *r, const struct stream *s,
			 const struct ring_buffer_record *rec, struct event_file *file)
{
	return (struct hit){
		.file = file,
		.rec = rec->data,
		.len = rec->len,
		.cpu = s->cpu,
		.pid = (s32)load_u32(rec->data + COMMON_PID_AT, s->layout.big_endian),
		.ts = rec->ts,
		.source = &r->source,
	};
}

static void source_recorded(void *arg, struct trace_array *tr, const struct hit *hit)
{
	const struct replay *r = arg;

	r->h->watch->recorded(r->h->watch->arg, tr, hit);
}

static void source_snapshot(void *arg, struct trace_array *tr)
{
	(void)arg;
	array_buffer_snapshot(tr);
}

/* The stack that was recorded behind the current record: it goes in when its turn comes. */
static void source_record_stack(void *arg, struct trace_array *tr)
{
	struct replay *r = arg;
	struct ring_buffer_record stack;
	bool found;
	u64 place;

	if (!tr->array_buffer.recording || !tr->tracing_on)
		return;
	found = r->stream && stream_stack_record(r->stream, r->iter, r->rec, &stack, &place);
	if (found)
		r->no_memory |= array_push(&r->stream->stacks, place) != 0;
	else
		r->h->account.no_stack++;
	if (r->h->watch && r->stream)
		tell_stack(r, found, true);
}

/* A stack comes: somebody may wait for it. */
static void copy_stack(struct replay *r, const struct hit *hit)
{
	u64 place = stream_place(r->iter, r->rec);
	struct stream *s = r->stream;

	for (size_t i = 0; i < s->stacks.n; i++) {
		if (s->stacks.v[i] != place)
			continue;
		s->stacks.v[i] = s->stacks.v[--s->stacks.n];
		array_buffer_write(s->tr, hit);
		return;
	}
}

/* --- records --- */

/* A copy of the record that can be changed; false without memory. */
static bool copy_record(struct replay *r, struct hit *hit)
{
	strbuf_reset(&r->marker);
	strbuf_add(&r->marker, hit->rec, hit->len);
	r->no_memory |= r->marker.failed;
	if (!r->marker.failed)
		hit->rec = (const u8 *)r->marker.s;
	return !r->marker.failed;
}

/* kernel: triggers see what was written to trace_marker before a newline is added to it. */
static void cut_newline(struct replay *r, struct hit *hit, u32 at)
{
	const u8 *nul;

	if (!copy_record(r, hit))
		return;
	nul = hit->len > at ? memchr(hit->rec + at, 0, hit->len - at) : NULL;
	if (nul && nul > hit->rec + at && nul[-1] == '\n')
		r->marker.s[nul - 1 - hit->rec] = '\0';
}

/* What triggers see is not what was recorded. */
static void run_changed(struct replay *r, const struct dispatch *d, const struct hit *hit)
{
	struct hit seen = *hit;

	if (d->is_stack) {
		copy_stack(r, hit);
	} else if (d->copied) {
		array_buffer_write(r->stream->tr, hit);
	} else if (d->marker_at) {
		cut_newline(r, &seen, d->marker_at);
		trace_marker_hit(r->stream->tr, d->file, hit, &seen);
	} else if (copy_record(r, &seen)) {
		store_u16(r->marker.s, (u16)d->file->format->id, r->stream->layout.big_endian);
		event_file_hit(d->file, &seen);
	}
}

static bool in_span(const struct replay *r, u64 ts)
{
	return ts >= r->h->span.from && ts <= r->h->span.to;
}

static void look_on(void (*look)(void *, const struct watched *), struct replay *r,
		    const struct dispatch *d, const struct hit *hit)
{
	const struct watched w = { .stream = r->stream,
				   .page = r->iter->pages - 1,
				   .missed = r->iter->missed,
				   .missed_unknown = r->iter->missed_unknown,
				   .rec = r->rec,
				   .dispatch = d,
				   .hit = hit };

	look(r->h->watch->arg, &w);
}

static inline void dispatch(struct replay *r, struct dispatch *d)
{
	struct hit hit = hit_of(r, r->stream, r->rec, d->file);
	const struct replay_watch *watch = r->h->watch;

	if (unlikely(d->file && hit.len < d->file->format->min_size)) {
		r->stream->account.short_records += !d->scanned;
		return;
	}
	if (unlikely(watch != NULL))
		look_on(watch->before, r, d, &hit);
	if (d->comm)
		comms_before(&r->comms, d->comm, &hit);
	if ((d->file || d->special) && !d->scanned && in_span(r, hit.ts)) {
		d->count++;
		if (likely(!d->special))
			event_file_hit(d->file, &hit);
		else
			run_changed(r, d, &hit);
	}
	if (d->comm)
		comms_after(&r->comms, d->comm, &hit);
	if (unlikely(watch != NULL))
		look_on(watch->after, r, d, &hit);
}

static u64 missed_so_far(const struct replay *r, bool *unknown)
{
	u64 missed = 0;

	*unknown = false;
	for (size_t i = 0; i < r->streams.n; i++) {
		missed += r->iters[i].missed;
		*unknown |= r->iters[i].missed_unknown;
	}
	return missed;
}

static void step_slice(struct replay *r, u64 ts)
{
	bool unknown;
	u64 missed = missed_so_far(r, &unknown);

	slice_step(r->h, ts, missed, unknown);
}

static inline void replay_record(struct replay *r, const struct ring_buffer_merged *m)
{
	struct dispatch *d;

	r->rec = m->rec;
	if (unlikely(r->h->slicer && r->rec->ts >= r->h->slicer->end))
		step_slice(r, r->rec->ts);
	if (unlikely(traced_due(&r->traced, r->rec->ts))) {
		r->stream = NULL;
		traced_run(&r->traced, r->rec->ts);
	}
	r->stream = &r->streams.v[m->index];
	r->iter = &r->iters[m->index];
	d = stream_dispatch(r->stream, r->rec);
	if (d)
		dispatch(r, d);
}

static bool is_small(const struct replay *r)
{
	u64 bytes = 0;

	for (size_t i = 0; i < r->streams.n; i++)
		bytes += trace_dat_pages_count(r->streams.v[i].pages) *
			 r->streams.v[i].layout.subbuf_size;
	return bytes < HELP_BYTES_MIN;
}

/*
 * Threads that help with an ordered replay: where it pays, or somebody said how many. A stack
 * is looked for on the sub-buffer itself, slices ask the iterators what was lost.
 */
static unsigned int helpers(const struct replay *r)
{
	if (r->needs.stack || r->h->slicer || r->h->watch || (!r->h->jobs && is_small(r)))
		return 0;
	return scan_jobs(r->h->jobs) - 1;
}

static int merge_start(struct replay *r)
{
	unsigned int threads = (unsigned int)min_t(size_t, helpers(r), r->streams.n);
	struct ring_buffer_source *sources;
	int err = HIST_NOMEM;

	if (!threads)
		return ring_buffer_merge_init(&r->merge, r->iters, r->streams.n);
	sources = calloc(r->streams.n, sizeof(*sources));
	if (sources)
		r->ahead = ahead_start(r->iters, r->streams.n, threads, sources);
	if (r->ahead)
		err = ring_buffer_merge_init_sources(&r->merge, sources, r->streams.n);
	free(sources);
	return err;
}

static int run_merged(struct replay *r)
{
	struct ring_buffer_merged some[MERGE_BATCH];
	int n = merge_start(r);

	while (!n && (n = ring_buffer_merge_next(&r->merge, some, MERGE_BATCH)) > 0) {
		for (int i = 0; i < n; i++)
			replay_record(r, &some[i]);
		n = 0;
	}
	ahead_stop(r->ahead);
	ring_buffer_merge_release(&r->merge);
	return n;
}

static void rewind_iter(struct replay *r, size_t i)
{
	struct stream *s = &r->streams.v[i];

	trace_dat_pages_seek(s->pages, 0);
	stream_iter_init(s, s->table->keep, &r->iters[i]);
}

/* A first pass over the events that name tasks, for what they were called at the start. */
static int scan_comms(struct replay *r)
{
	int err = comms_init(&r->comms, r->h->recordings.db, r->h->recordings.machine.big_endian);

	for (size_t i = 0; i < r->streams.n && r->needs.comm && !err; i++) {
		struct stream *s = &r->streams.v[i];
		struct ring_buffer_record rec;

		while (!ring_buffer_iter_next(&r->iters[i], &rec)) {
			const struct dispatch *d = stream_dispatch(s, &rec);
			struct hit hit;

			if (!d || !d->comm)
				continue;
			hit = hit_of(r, s, &rec, NULL);
			comms_scan(&r->comms, d->comm, &hit);
		}
		rewind_iter(r, i);
	}
	for (size_t i = 0; i < r->h->recordings.files.n && r->needs.comm && !err; i++)
		slimmed_comms(&r->h->recordings.files.v[i], &r->comms);
	return err;
}

/* Let only those records through the merge that something is done with; how many ids? */
static size_t choose_records(struct replay *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->streams.n; i++) {
		struct dispatch_table *table = r->streams.v[i].table;

		for (u32 id = 0; id < table->n; id++) {
			const struct dispatch *d = &table->by_id[id];

			table->keep[id] = (d->file && !d->scanned) || d->special || d->comm;
			n += (d->file && !d->scanned) || d->special;
		}
		r->iters[i].keep = table->keep;
		r->iters[i].n_keep = table->n;
	}
	return n;
}

static void account_iter(struct stream *s, const struct ring_buffer_iter *it)
{
	u64 short_records = s->account.short_records;

	s->account = (struct stream_account){
		.missed = it->missed,
		.missed_unknown = it->missed_unknown,
		.damaged = it->damaged_pages + (it->have_page && it->page.damaged),
		.short_records = short_records,
	};
}

static void unscan(struct replay *r)
{
	for (size_t i = 0; i < r->streams.n; i++)
		for (u32 id = 0; id < r->streams.v[i].table->n; id++)
			r->streams.v[i].table->by_id[id].scanned = false;
}

static bool anything_scanned(const struct replay *r)
{
	for (size_t i = 0; i < r->streams.n; i++)
		for (u32 id = 0; id < r->streams.v[i].table->n; id++)
			if (r->streams.v[i].table->by_id[id].scanned)
				return true;
	return false;
}

/* By key, on several threads: 0, 1 if it has to be done in order. */
static int run_sharded(struct replay *r)
{
	const struct shard_input in = { .streams = r->streams.v,
					.iters = r->iters,
					.n = r->streams.n,
					.span = &r->h->span,
					.source = &r->source,
					.jobs = helpers(r) + 1 };
	int err;

	if (in.jobs < 2 || r->needs.comm || r->h->tracing->traced.n || !shard_can_run(&in))
		return 1;
	err = shard_run(&in);
	for (size_t i = 0; i < r->streams.n && err; i++)
		rewind_iter(r, i);
	return err;
}

static int run_in_order(struct replay *r)
{
	int err = scan_comms(r);

	if (!err && r->h->watch)
		r->h->watch->start(r->h->watch->arg, &r->comms);
	return err ? err : run_merged(r);
}

static int run_ordered(struct replay *r)
{
	int err = run_sharded(r);

	if (err > 0)
		err = run_in_order(r);
	for (size_t i = 0; i < r->streams.n; i++)
		account_iter(&r->streams.v[i], &r->iters[i]);
	return err;
}

/* First what may come in any order, on all processors; then the rest in order of time. */
static int run(struct replay *r)
{
	int err = 0;

	if (r->h->watch || r->h->slicer)
		unscan(r);
	else if (anything_scanned(r))
		err = scan_run(r->streams.v, r->streams.n, &r->h->span, r->h->jobs);
	if (err < 0)
		return err;
	if (err)
		unscan(r);
	err = 0;
	if (choose_records(r) || (r->needs.comm && r->h->tracing->traced.n))
		err = run_ordered(r);
	r->stream = NULL;
	if (!err)
		err = traced_run_rest(&r->traced);
	return err;
}

/* --- afterwards --- */

static int check_memory(const struct replay *r)
{
	const struct hist *h = r->h;

	if (tracing_failed(h->tracing) || r->comms.failed || r->no_memory)
		return HIST_NOMEM;
	for (struct trace_array *tr = h->tracing->top; tr; tr = tr->next)
		for (struct event_file *file = tr->files; file; file = file->next)
			for (size_t i = 0; i < file->triggers.n; i++)
				if (file->triggers.v[i]->hist &&
				    file->triggers.v[i]->hist->map->failed)
					return HIST_NOMEM;
	return 0;
}

static void finish_slices(struct replay *r)
{
	bool unknown;
	u64 missed = missed_so_far(r, &unknown);

	slice_finish(r->h, missed, unknown, r->diags);
}

int replay_run(struct hist *h, struct diags *diags)
{
	struct replay r = { .h = h, .diags = diags, .marker = STRBUF_INIT };
	int err;

	h->account = (struct replay_account){ .missed = 0 };
	r.source = (struct run_source){
		.arg = &r,
		.comm = source_comm,
		.stack = source_stack,
		.snapshot = source_snapshot,
		.record_stack = source_record_stack,
		.recorded = h->watch ? source_recorded : NULL,
	};
	r.traced = (struct traced_queue){ .h = h, .source = &r.source };
	h->tracing->watched = h->watch != NULL;
	if (h->watch && h->watch->begin)
		h->watch->begin(h->watch->arg);
	tracing_reset(h->tracing);
	tracing_needs(h->tracing, &r.needs);
	err = open_streams(&r);
	if (!err)
		err = run(&r);
	if (!err)
		err = check_memory(&r);
	if (!err && h->slicer)
		finish_slices(&r);
	if (!err)
		replay_account(h, r.streams.v, r.streams.n, diags);
	for (size_t i = 0; i < r.streams.n; i++)
		stream_close(&r.streams.v[i]);
	array_release(&r.streams);
	free(r.iters);
	comms_release(&r.comms);
	strbuf_release(&r.marker);
	arena_release(&r.arena);
	return err;
}

int replay_if_needed(struct hist *h, struct diags *diags)
{
	int err;

	if (h->replayed && !h->changed)
		return 0;
	if (h->replayed)
		diags_add(diags, DIAG_NOTE,
			  "something was added after the replay: replaying from the start");
	err = replay_run(h, diags);
	h->replayed = !err;
	h->changed = false;
	return err;
}
