// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Scanning. Enters: streams whose dispatch tables name the events that may be counted in
 * any order. Leaves: their histograms.
 *
 * The plan (classes, tasks, histograms) is made first and read by all; a worker owns its
 * cursors, batches and maps. Records are gathered per event until a batch is full, then
 * the batch goes through the triggers of the event. When a map is full it depends on the
 * order which keys it has, and only that: everybody stops, the first keys are found in order, and
 * all is scanned again with maps that take no others.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "replay/scan.h"
#include "ring_buffer/merge.h"

enum { CLASSES_MAX = 255, TASK_BYTES = 1 << 21, TASK_BYTES_SMALL = 1 << 18 };

/* An event that is scanned. */
struct scan_class {
	struct event_file *file;
	struct dispatch *dispatch; /* gets the count */
	u32 min_size;
	size_t *hists; /* for each of its triggers: which of plan->hists */
};

struct scan_hist {
	struct hist_data *hd;
	bool full; /* ->hd->map has all the keys that there will be */
};

struct scan_task {
	size_t stream;
	u64 first, n; /* sub-buffers */
};

struct scan_plan {
	struct arena arena;
	struct stream *streams;
	size_t n_streams;
	const struct replay_span *span;
	u8 **class_of;                    /* for each stream: by id, 0 is none */
	ARRAY(struct scan_class) classes; /* from 1 */
	ARRAY(struct scan_hist) hists;
	ARRAY(struct scan_task) tasks;
	bool whole; /* every time counts */

	pthread_mutex_t lock;
	size_t next_task;
	bool stop;
};

struct worker {
	struct scan_plan *plan;
	struct trace_dat_pages **cursors;
	struct stream_account *accounts; /* for each stream */
	struct stream_account *account;  /* of the one that is being read */
	struct batch *batches;           /* for each class */
	u64 *counts;
	struct batch_hist **hists;
	struct diags diags;
	pthread_t thread;
	bool full;      /* it stopped because of */
	size_t full_at; /* this histogram */
	int err;
};

/* --- the plan --- */

static int find_hist(struct scan_plan *plan, struct hist_data *hd, size_t *index)
{
	for (*index = 0; *index < plan->hists.n; (*index)++)
		if (plan->hists.v[*index].hd == hd)
			return 0;
	return array_push(&plan->hists, ((struct scan_hist){ .hd = hd }));
}

static int add_class(struct scan_plan *plan, struct dispatch *d, u8 *number)
{
	struct scan_class c = { .file = d->file,
				.dispatch = d,
				.min_size = d->file->format->min_size };
	int err = 0;

	c.hists = arena_alloc(&plan->arena, d->file->triggers.n * sizeof(*c.hists));
	if (!c.hists)
		return HIST_NOMEM;
	for (size_t i = 0; i < d->file->triggers.n && !err; i++)
		err = find_hist(plan, d->file->triggers.v[i]->hist, &c.hists[i]);
	if (!err)
		err = array_push(&plan->classes, c);
	*number = (u8)(plan->classes.n - 1);
	return err;
}

static int plan_classes(struct scan_plan *plan, size_t s)
{
	struct dispatch_table *table = plan->streams[s].table;
	int err = 0;

	for (size_t i = 0; i < s; i++) {
		if (plan->streams[i].table != table)
			continue;
		plan->class_of[s] = plan->class_of[i];
		return 0;
	}
	plan->class_of[s] = arena_alloc(&plan->arena, table->n);
	if (!plan->class_of[s])
		return HIST_NOMEM;
	for (u32 id = 0; id < table->n && !err; id++)
		if (table->by_id[id].scanned && plan->classes.n <= CLASSES_MAX)
			err = add_class(plan, &table->by_id[id], &plan->class_of[s][id]);
	return err;
}

static int plan_tasks(struct scan_plan *plan, size_t s)
{
	struct stream *stream = &plan->streams[s];
	u64 n = trace_dat_pages_count(stream->pages), bytes = n * stream->layout.subbuf_size;
	u64 size = (bytes > 8ull * TASK_BYTES ? TASK_BYTES : TASK_BYTES_SMALL) /
		   stream->layout.subbuf_size;
	int err = 0;

	size = max_t(u64, size, 1);
	for (u64 first = 0; first < n && !err; first += size)
		err = array_push(&plan->tasks,
				 ((struct scan_task){ .stream = s,
						      .first = first,
						      .n = min_t(u64, size, n - first) }));
	return err;
}

static int make_plan(struct scan_plan *plan)
{
	int err = array_push(&plan->classes, (struct scan_class){ .file = NULL });

	plan->class_of = arena_alloc(&plan->arena, plan->n_streams * sizeof(*plan->class_of));
	if (!plan->class_of)
		return HIST_NOMEM;
	for (size_t s = 0; s < plan->n_streams && !err; s++) {
		err = plan_classes(plan, s);
		if (!err)
			err = plan_tasks(plan, s);
	}
	return err;
}

static bool next_task(struct scan_plan *plan, struct scan_task *task)
{
	bool found;

	pthread_mutex_lock(&plan->lock);
	found = !plan->stop && plan->next_task < plan->tasks.n;
	if (found)
		*task = plan->tasks.v[plan->next_task++];
	pthread_mutex_unlock(&plan->lock);
	return found;
}

static void stop_all(struct scan_plan *plan)
{
	pthread_mutex_lock(&plan->lock);
	plan->stop = true;
	pthread_mutex_unlock(&plan->lock);
}

/* --- a worker --- */

static void flush_class(struct worker *w, size_t c)
{
	const struct scan_class *class = &w->plan->classes.v[c];
	struct batch *batch = &w->batches[c];

	for (size_t i = 0; i < class->file->triggers.n && batch->n && !w->full; i++) {
		w->full_at = class->hists[i];
		w->full = !batch_hist_run(w->hists[w->full_at], class->file->triggers.v[i]->filter,
					  batch);
	}
	w->counts[c] += batch->n;
	batch->n = 0;
}

/* Before memory that the batches point to goes away, or another CPU's records come. */
static void flush_all(struct worker *w)
{
	for (size_t c = 1; c < w->plan->classes.n; c++)
		flush_class(w, c);
}

static inline void gather(struct worker *w, size_t c, const struct ring_buffer_record *rec)
{
	struct batch *batch = &w->batches[c];

	if (unlikely(!w->plan->whole) &&
	    (rec->ts < w->plan->span->from || rec->ts > w->plan->span->to))
		return;
	if (unlikely(rec->len < w->plan->classes.v[c].min_size)) {
		w->account->short_records++;
		return;
	}
	batch->rec[batch->n] = rec->data;
	batch->len[batch->n] = rec->len;
	batch->ts[batch->n] = rec->ts;
	if (unlikely(++batch->n == BATCH_MAX))
		flush_class(w, c);
}

static void scan_page(struct worker *w, size_t s, const u8 *bytes, size_t len)
{
	const struct stream *stream = &w->plan->streams[s];
	const u8 *class_of = w->plan->class_of[s];
	u32 n_ids = stream->table->n;
	struct ring_buffer_record rec;
	struct ring_buffer_page page;

	if (ring_buffer_page_open(&page, &stream->layout, bytes, len))
		page.damaged = true;
	while (!ring_buffer_page_next(&page, &rec)) {
		u32 id;

		if (unlikely(rec.len < 2))
			continue;
		id = load_u16(rec.data, stream->layout.big_endian);
		if (id < n_ids && class_of[id])
			gather(w, class_of[id], &rec);
	}
	w->account->missed += page.missed > 0 ? (u64)page.missed : 0;
	w->account->missed_unknown |= page.missed < 0;
	w->account->damaged += page.damaged;
}

static int open_cursor(struct worker *w, size_t s)
{
	const struct stream *stream = &w->plan->streams[s];

	if (w->cursors[s])
		return 0;
	return trace_dat_pages_open(stream->rec->td, stream->buffer, stream->cpu_index,
				    &w->cursors[s], &w->diags);
}

static int run_task(struct worker *w, const struct scan_task *task)
{
	const struct stream *stream = &w->plan->streams[task->stream];
	u32 size = stream->layout.subbuf_size;
	int err = open_cursor(w, task->stream);
	u64 left = task->n;

	if (err)
		return err;
	for (size_t c = 1; c < w->plan->classes.n; c++)
		w->batches[c].cpu = stream->cpu;
	w->account = &w->accounts[task->stream];
	trace_dat_pages_seek(w->cursors[task->stream], task->first);
	while (left && !w->full) {
		const u8 *run;
		size_t len;

		err = trace_dat_pages_run(w->cursors[task->stream], left, &run, &len);
		if (err == -HIST_EFORMAT)
			continue; /* the cursor goes on behind the chunk; said at the end */
		if (err)
			break;
		for (size_t at = 0; at < len; at += size, left--)
			scan_page(w, task->stream, run + at, min_t(size_t, size, len - at));
		flush_all(w);
	}
	return err < 0 ? err : 0;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct scan_task task;

	while (!w->err && !w->full && next_task(w->plan, &task))
		w->err = run_task(w, &task);
	if (w->err || w->full)
		stop_all(w->plan);
	return NULL;
}

static bool worker_init(struct worker *w, struct scan_plan *plan)
{
	w->plan = plan;
	w->cursors = calloc(plan->n_streams, sizeof(struct trace_dat_pages *));
	w->accounts = calloc(plan->n_streams, sizeof(*w->accounts));
	w->batches = calloc(plan->classes.n, sizeof(*w->batches));
	w->counts = calloc(plan->classes.n, sizeof(*w->counts));
	w->hists = calloc(plan->hists.n, sizeof(struct batch_hist *));
	if (!w->cursors || !w->accounts || !w->batches || !w->counts || !w->hists)
		return false;
	for (size_t i = 0; i < plan->hists.n; i++) {
		w->hists[i] = batch_hist_new(plan->hists.v[i].hd, plan->hists.v[i].full);
		if (!w->hists[i])
			return false;
	}
	return true;
}

static void worker_release(struct worker *w)
{
	for (size_t i = 0; w->hists && i < w->plan->hists.n; i++)
		batch_hist_free(w->hists[i]);
	for (size_t i = 0; w->cursors && i < w->plan->n_streams; i++)
		trace_dat_pages_close(w->cursors[i]);
	free(w->cursors);
	free(w->accounts);
	free(w->batches);
	free(w->counts);
	free(w->hists);
	diags_release(&w->diags);
}

/* --- the whole --- */

/* Give what a worker found to the triggers and streams; false if a map is too small. */
static bool collect(struct scan_plan *plan, struct worker *w)
{
	for (size_t i = 0; i < plan->hists.n; i++) {
		w->full_at = i;
		if (!batch_hist_merge(plan->hists.v[i].hd, w->hists[i]))
			return false;
	}
	for (size_t c = 1; c < plan->classes.n; c++)
		plan->classes.v[c].dispatch->count += w->counts[c];
	for (size_t s = 0; s < plan->n_streams; s++) {
		struct stream_account *to = &plan->streams[s].account;

		to->missed += w->accounts[s].missed;
		to->missed_unknown |= w->accounts[s].missed_unknown;
		to->damaged += w->accounts[s].damaged;
		to->short_records += w->accounts[s].short_records;
	}
	return true;
}

static void forget(struct scan_plan *plan)
{
	for (size_t i = 0; i < plan->hists.n; i++)
		tracing_map_clear(plan->hists.v[i].hd->map);
	for (size_t c = 1; c < plan->classes.n; c++)
		plan->classes.v[c].dispatch->count = 0;
	for (size_t s = 0; s < plan->n_streams; s++)
		plan->streams[s].account = (struct stream_account){ .missed = 0 };
	plan->next_task = 0;
	plan->stop = false;
}

unsigned int scan_jobs(unsigned int jobs)
{
	long cpus = jobs ? (long)jobs : sysconf(_SC_NPROCESSORS_ONLN);

	return cpus > 0 ? (unsigned int)cpus : 1;
}

static unsigned int count_workers(const struct scan_plan *plan, unsigned int jobs)
{
	return (unsigned int)max_t(size_t, 1, min_t(size_t, plan->tasks.n, scan_jobs(jobs)));
}

/* The last worker is this thread. */
static void run_workers(struct worker *workers, unsigned int n)
{
	unsigned int started = 0;

	while (started + 1 < n &&
	       !pthread_create(&workers[started].thread, NULL, work, &workers[started]))
		started++;
	work(&workers[n - 1]);
	for (unsigned int i = 0; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

/* 0, 1 if a map was too small that was not known to be: all is as before, but that it is known. */
static int scan(struct scan_plan *plan, unsigned int jobs)
{
	unsigned int n = count_workers(plan, jobs), i;
	struct worker *workers = calloc(n, sizeof(*workers));
	bool full = false;
	int err = workers ? 0 : HIST_NOMEM;

	for (i = 0; i < n && !err; i++)
		if (!worker_init(&workers[i], plan))
			err = HIST_NOMEM;
	if (!err)
		run_workers(workers, n);
	for (i = 0; i < n && !err; i++) {
		err = workers[i].err;
		full |= workers[i].full;
	}
	for (i = 0; i < n && !err && !full; i++)
		full = workers[i].full = !collect(plan, &workers[i]);
	for (i = 0; i < n && !err; i++)
		plan->hists.v[workers[i].full_at].full |= workers[i].full;
	if (full || err)
		forget(plan);
	for (i = 0; workers && i < n; i++)
		worker_release(&workers[i]);
	free(workers);
	return err ? err : full;
}

/* --- the first keys --- */

/* The record on the histograms that lack keys; how many of these have all now? */
static size_t add_keys(const struct scan_plan *plan, const struct scan_class *class,
		       const struct hit *hit)
{
	size_t done = 0;

	for (size_t i = 0; i < class->file->triggers.n; i++) {
		const struct scan_hist *h = &plan->hists.v[class->hists[i]];
		const struct filter *filter = class->file->triggers.v[i]->filter;
		const struct tracing_map *map = h->hd->map;

		if (!h->full || tracing_map_is_full(map) || (filter && !filter_match(filter, hit)))
			continue;
		hist_hit(h->hd, hit);
		done += tracing_map_is_full(map);
	}
	return done;
}

static size_t add_keys_of(const struct scan_plan *plan, const struct ring_buffer_merged *m)
{
	const struct stream *s = &plan->streams[m->index];
	u32 id = load_u16(m->rec->data, s->layout.big_endian);
	const struct scan_class *class = &plan->classes.v[plan->class_of[m->index][id]];
	const struct hit hit = { .file = class->file,
				 .rec = m->rec->data,
				 .len = m->rec->len,
				 .cpu = s->cpu,
				 .ts = m->rec->ts };

	if (hit.len < class->min_size || hit.ts < plan->span->from || hit.ts > plan->span->to)
		return 0;
	return add_keys(plan, class, &hit);
}

static int merge_until(const struct scan_plan *plan, struct ring_buffer_iter *iters, size_t left)
{
	struct ring_buffer_merge merge;
	struct ring_buffer_merged m;
	int n = ring_buffer_merge_init(&merge, iters, plan->n_streams);

	if (n)
		return n;
	while (left && (n = ring_buffer_merge_next(&merge, &m, 1)) > 0)
		left -= add_keys_of(plan, &m);
	ring_buffer_merge_release(&merge);
	return n < 0 ? n : 0;
}

/* Let the maps that will be full have the keys that come first, which are all they will have. */
static int find_first_keys(struct scan_plan *plan)
{
	struct ring_buffer_iter *iters = calloc(plan->n_streams + 1, sizeof(*iters));
	size_t left = 0;
	int err;

	if (!iters)
		return HIST_NOMEM;
	for (size_t i = 0; i < plan->n_streams; i++)
		stream_iter_init(&plan->streams[i], plan->class_of[i], &iters[i]);
	for (size_t i = 0; i < plan->hists.n; i++)
		left += plan->hists.v[i].full;
	err = merge_until(plan, iters, left);
	for (size_t i = 0; i < plan->hists.n; i++)
		if (plan->hists.v[i].full)
			tracing_map_zero(plan->hists.v[i].hd->map);
	for (size_t i = 0; i < plan->n_streams; i++)
		trace_dat_pages_seek(plan->streams[i].pages, 0);
	free(iters);
	return err;
}

/* Again as long as maps turn out to be too small. */
static int scan_all(struct scan_plan *plan, unsigned int jobs)
{
	int err = scan(plan, jobs);

	for (size_t i = 0; i < plan->hists.n && err > 0; i++) {
		err = find_first_keys(plan);
		if (!err)
			err = scan(plan, jobs);
	}
	return err;
}

int scan_run(struct stream *streams, size_t n, const struct replay_span *span, unsigned int jobs)
{
	struct scan_plan plan = { .streams = streams,
				  .n_streams = n,
				  .span = span,
				  .whole = !span->from && span->to == UINT64_MAX,
				  .lock = PTHREAD_MUTEX_INITIALIZER };
	int err = make_plan(&plan);

	if (!err)
		err = scan_all(&plan, jobs);
	array_release(&plan.classes);
	array_release(&plan.hists);
	array_release(&plan.tasks);
	arena_release(&plan.arena);
	pthread_mutex_destroy(&plan.lock);
	return err;
}
