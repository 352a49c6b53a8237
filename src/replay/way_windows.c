// SPDX-License-Identifier: LGPL-2.1-only
/*
 * By windows of time: each thread merges the records of a window, and derives from them, as soon as
 * those who have the windows before it have told what their tasks were doing (derive_tails.c).
 * Events that are derived count in maps of its own, which are added up.
 *
 * A window is read from the sub-buffers that the file's notes or headers tell, and checked: each
 * starts where the one before it ended, and times do not go back. If that does not hold, or records
 * are missing anywhere, all is replayed in order.
 */
#include <pthread.h>

#include "replay/derived.h"
#include "replay/way.h"

/*
 * Sub-buffers of a stream between two places where a window may begin, of a window, of all windows
 * that threads have at a time. SMALL_PARTS: for tests.
 */
#ifdef SMALL_PARTS
enum { CUT_PAGES = 1, WINDOW_PAGES = 2, ALL_PAGES = 2, LEAST_THREADS = 2 };
#else
enum { CUT_PAGES = 32, WINDOW_PAGES = 2048, ALL_PAGES = 16384, LEAST_THREADS = 4 };
#endif
enum { MERGE_BATCH = 64, WINDOWS_A_THREAD = 3 };

/* A place where a window may begin. */
struct cut {
	u64 ts, page;
	size_t stream;
};

/* From ->ts to that of the next one. */
struct time_window {
	u64 ts;
	u64 *pages; /* from which each stream is read */
};

struct windows_pass {
	ARRAY(struct cut) cuts; /* by time */
	ARRAY(struct time_window) windows;
	struct derive_tails *tails;
	size_t next; /* atomic: of ->windows */
	pthread_mutex_t lock;
	pthread_cond_t turn;
	size_t joined; /* windows */
	u64 *stopped;  /* the sub-buffer of each stream at which they end */
};

struct windows_worker {
	struct worker worker;
	struct derive_window *window;
	u64 *last; /* time of each stream */
};

static struct windows_pass *own_of(const struct pass *pass)
{
	return pass->own;
}

/* --- windows --- */

/* Those of which the file has notes. */
static int cut_at_notes(struct pass *pass, size_t i, struct trace_dat_pages *pages)
{
	const struct stream *s = &pass->plan->streams[i];
	struct trace_dat_note around[2];
	u64 last = s->first, ts = 0;
	int err = 0;

	while (!err && trace_dat_pages_notes(pages, ts + 1, around) && around[1].ts > ts &&
	       around[1].index < s->end) {
		ts = around[1].ts;
		if (around[1].index - last < CUT_PAGES)
			continue;
		last = around[1].index;
		err = array_push(&own_of(pass)->cuts, ((struct cut){ ts, last, i }));
	}
	return err;
}

static int cut_at_headers(struct pass *pass, size_t i, struct trace_dat_pages *pages)
{
	const struct stream *s = &pass->plan->streams[i];
	struct ring_buffer_page page;
	const u8 *bytes;
	size_t len;
	int err = 0;

	for (u64 k = s->first + CUT_PAGES; k < s->end && !err; k += CUT_PAGES)
		if (!trace_dat_pages_seek(pages, k) && !trace_dat_pages_next(pages, &bytes, &len) &&
		    !ring_buffer_page_open(&page, &s->layout, bytes, len) && page.page_ts)
			err = array_push(&own_of(pass)->cuts, ((struct cut){ page.page_ts, k, i }));
	return err;
}

static int cut_stream(struct pass *pass, size_t i)
{
	const struct stream *s = &pass->plan->streams[i];
	struct trace_dat_pages *pages;
	struct trace_dat_note around[2];
	int err = trace_dat_pages_open_like(s->pages, &pages);

	if (err)
		return err;
	trace_dat_pages_use_notes(pages);
	err = trace_dat_pages_notes(pages, 0, around) ? cut_at_notes(pass, i, pages)
						      : cut_at_headers(pass, i, pages);
	trace_dat_pages_close(pages);
	return err;
}

DEFINE_ORDER(by_time, struct cut, cmp_int(x->ts, y->ts) ?: cmp_int(x->stream, y->stream))

static int add_window(struct pass *pass, u64 ts, const u64 *pages)
{
	const size_t n = pass->plan->n_streams;
	u64 *copy = arena_alloc(&pass->arena, (n + 1) * sizeof(*copy));

	if (!copy)
		return HIST_NOMEM;
	memcpy(copy, pages, n * sizeof(*copy));
	return array_push(&own_of(pass)->windows, ((struct time_window){ ts, copy }));
}

/* Each has about as many sub-buffers. */
static int make_windows(struct pass *pass)
{
	struct windows_pass *own = own_of(pass);
	const size_t n = pass->plan->n_streams;
	u64 *pages = arena_alloc(&pass->arena, (n + 1) * sizeof(*pages));
	const size_t threads = pass->n_workers,
		     most = min_t(size_t, WINDOW_PAGES, ALL_PAGES / threads);
	size_t some = max_t(size_t, most / CUT_PAGES, n), since = 0;
	int err = pages ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		pages[i] = pass->plan->streams[i].first;
		err = cut_stream(pass, i);
	}
	if (own->cuts.n)
		qsort(own->cuts.v, own->cuts.n, sizeof(*own->cuts.v), by_time);
	err = err ?: add_window(pass, 0, pages);
	/* threads end at about the same time */
	some = min_t(size_t, some, own->cuts.n / (WINDOWS_A_THREAD * threads) + 1);
	array_each_while(const struct cut, c, &own->cuts, !err) {
		/* the sub-buffer before may end at the same time */
		pages[c->stream] = c->page - 1;
		if (++since > some && c->ts > own->windows.v[own->windows.n - 1].ts) {
			err = add_window(pass, c->ts, pages);
			since = 1;
		}
	}
	pass->n_workers = (unsigned int)min_t(size_t, threads, own->windows.n);
	return err;
}

/* --- a worker --- */

static bool is_stopped(const struct pass *pass)
{
	return __atomic_load_n(&pass->stop, __ATOMIC_RELAXED);
}

/* Whether anything that was read is missing. */
static bool misses(const struct source *s)
{
	const struct ring_buffer_iter *it = &s->iter;

	return it->missed || it->missed_unknown || it->n_gaps || it->damaged_pages || it->skipped ||
	       (it->have_page && it->page.damaged);
}

/* False: its time goes back. */
static bool read_record(struct windows_worker *w, const struct ring_buffer_merged *m, u64 from)
{
	struct worker *worker = &w->worker;
	const struct source *s = &worker->sources[m->index];
	const struct dispatch *d = stream_dispatch(s->stream, m->rec);
	struct hit hit = { .rec = m->rec->data,
			   .len = m->rec->len,
			   .cpu = s->stream->cpu,
			   .ts = m->rec->ts,
			   .context = &worker->context };

	if (m->rec->ts < w->last[m->index])
		return false;
	w->last[m->index] = m->rec->ts;
	if (m->rec->ts < from || !d || !d->derive)
		return true;
	if (dispatch_is_short(d, m->rec)) {
		worker->accounts[m->index].short_records++;
		return true;
	}
	hit.pid = stream_pid(s->stream, m->rec);
	hit.at = worker->pass->names ? stream_at(s->stream, s->merged, m->rec) : 0;
	derive_window_add(w->window, d->derive, &hit);
	return true;
}

static int read_until(struct windows_worker *w, struct ring_buffer_merge *merge, u64 from, u64 to)
{
	struct ring_buffer_merged some[MERGE_BATCH];
	size_t room;
	int n;

	for (;;) {
		room = derive_window_room(w->window);
		if (!room)
			return HIST_NOMEM;
		n = ring_buffer_merge_next(merge, some, (int)min_t(size_t, room, MERGE_BATCH));
		if (n <= 0)
			return n;
		for (int i = 0; i < n; i++) {
			if (some[i].rec->ts >= to && to != UINT64_MAX)
				return 0;
			if (!read_record(w, &some[i], from))
				return 1;
		}
	}
}

/* 1: it is to be replayed in order */
static int read_window(struct windows_worker *w, size_t number)
{
	const struct windows_pass *own = own_of(w->worker.pass);
	const struct time_window *window = &own->windows.v[number];
	const u64 to = number + 1 < own->windows.n ? window[1].ts : UINT64_MAX;
	const size_t n = w->worker.pass->plan->n_streams;
	struct ring_buffer_merge merge;
	struct ring_buffer_source *inputs = calloc(n + 1, sizeof(*inputs));
	int err = inputs ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < n && !err; i++) {
		source_range(&w->worker.sources[i], window->pages[i],
			     w->worker.pass->plan->streams[i].end);
		inputs[i] = source_of_merge(&w->worker.sources[i]);
		w->last[i] = 0;
	}
	derive_window_start(w->window, number);
	err = err ?: ring_buffer_merge_init_sources(&merge, inputs, n);
	if (!err) {
		err = read_until(w, &merge, window->ts, to);
		ring_buffer_merge_release(&merge);
	}
	free(inputs);
	for (size_t i = 0; i < n && !err; i++) {
		const struct ring_buffer_iter *it = &w->worker.sources[i].iter;
		struct stream_account *a = &w->worker.accounts[i];

		err = misses(&w->worker.sources[i]);
		a->first = min_t(u64, a->first, it->times.first);
		a->last = max_t(u64, a->last, it->times.last);
	}
	derive_window_read(w->window);
	return err;
}

/* Windows are joined in their order: those before this one are, or all stop. */
static int take_turn(struct windows_worker *w, size_t number, int err)
{
	struct pass *pass = w->worker.pass;
	struct windows_pass *own = own_of(pass);
	const struct time_window *window = &own->windows.v[number];

	pthread_mutex_lock(&own->lock);
	while (!err && own->joined < number && !is_stopped(pass))
		pthread_cond_wait(&own->turn, &own->lock);
	if (!err && is_stopped(pass))
		err = 1;
	for (size_t i = 0; i < pass->plan->n_streams && !err; i++) {
		const struct source *s = &w->worker.sources[i];

		/* ->stopped: the sub-buffer of the first record that is not before the window */
		if (number && window->pages[i] > own->stopped[i])
			err = 1;
		own->stopped[i] = s->merged;
	}
	if (!err && !derive_tails_join(own->tails, w->window))
		err = 1;
	if (err)
		__atomic_store_n(&pass->stop, true, __ATOMIC_RELAXED);
	own->joined = number + 1;
	pthread_cond_broadcast(&own->turn);
	pthread_mutex_unlock(&own->lock);
	return err;
}

static int windows_work(struct worker *worker)
{
	struct windows_worker *w = (struct windows_worker *)worker;
	struct windows_pass *own = own_of(worker->pass);
	size_t i;
	int err = 0;

	while (!err && !is_stopped(worker->pass) &&
	       (i = __atomic_fetch_add(&own->next, 1, __ATOMIC_RELAXED)) < own->windows.n) {
		err = take_turn(w, i, read_window(w, i));
		if (!err && !derive_window_derive(w->window))
			err = 1;
	}
	if (err)
		__atomic_store_n(&worker->pass->stop, true, __ATOMIC_RELAXED);
	return min_t(int, err, 0);
}

/* --- the way --- */

/* Whether histograms on derived events can be added up. */
static bool can_add_up(const struct trace_array *tr)
{
	struct depends d = { .bits = 0 };

	for (const struct event_file *f = tr->files; f; f = f->next) {
		if (!f->synth || !f->synth->derived || !f->triggers.n)
			continue;
		event_file_depends(f, &d);
		for (size_t i = 0; i < f->triggers.n; i++)
			trigger_depends(f->triggers.v[i], &d);
	}
	return !(d.bits & ~(RANGE_SUPPORTS & ~DEPENDS_ON(STACK)));
}

bool way_windows_fits(const struct plan *p, const struct derived *d)
{
	const struct hist *h = p->h;
	const struct recording *rec = &h->recordings.files.v[0];

	/* windows take a quarter more time of all CPUs than reading ahead */
	return p->derives && p->reads_ahead && p->threads >= LEAST_THREADS &&
	       h->plan == HIST_PLAN_AUTO && d->all.n == 1 && h->recordings.files.n == 1 &&
	       !h->window.on && !h->tracing->top->next && !h->recordings.options.open_intervals &&
	       !h->recordings.options.exemplars.moments && !rec->only && !slimmed_text(rec).s &&
	       can_add_up(h->tracing->top) && derive_joins(d->all.v[0]);
}

/* The histograms on derived events. */
static int choose_hists(struct pass *pass)
{
	int err = 0;

	for (const struct event_file *f = pass->plan->h->tracing->top->files; f && !err;
	     f = f->next)
		if (f->synth && f->synth->derived)
			err = event_reached_hists(f, &pass->hists);
	return err;
}

/* Whether records are missing of which no sub-buffer tells. */
static int find_holes(const struct pass *pass)
{
	int err = 0;

	for (size_t i = 0; i < pass->plan->n_streams && !err; i++) {
		const struct stream *s = &pass->plan->streams[i];
		struct coverage holes = { .failed = false };
		struct ring_buffer_iter it = { .layout = s->layout, .cpu = s->cpu };

		err = recording_watch_coverage(&s->of, &it, &holes);
		err = err ?: it.late || it.drops || holes.holes.n;
		coverage_release(&holes);
	}
	return err;
}

static int windows_start(struct pass *pass)
{
	struct windows_pass *own = pass->own = arena_alloc(&pass->arena, sizeof(*own));
	int err;

	if (!own)
		return HIST_NOMEM;
	own->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	own->turn = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
	own->tails = derive_tails_new();
	own->stopped =
		arena_alloc(&pass->arena, (pass->plan->n_streams + 1) * sizeof(*own->stopped));
	if (!own->tails || !own->stopped)
		return HIST_NOMEM;
	pass->n_workers = pass->plan->threads;
	pass_choose_records(pass, true);
	err = find_holes(pass) ?: make_windows(pass);
	err = err ?: choose_hists(pass);
	return err ?: pass_start_parts(pass);
}

static int windows_open(struct worker *worker)
{
	struct windows_worker *w = (struct windows_worker *)worker;
	const struct plan *plan = worker->pass->plan;
	int err = 0;

	w->last = arena_alloc(&worker->arena, (plan->n_streams + 1) * sizeof(*w->last));
	w->window = derive_window_new(worker->pass->ordered->derived.all.v[0], &worker->context,
				      worker->part);
	for (size_t i = 0; i < plan->n_streams && !err; i++)
		err = source_open(&worker->sources[i], &plan->streams[i]);
	return w->last && w->window ? err : HIST_NOMEM;
}

static int windows_join(struct pass *pass, int err)
{
	err = pass_join_parts(pass, err);
	/* none is missing */
	for (size_t i = 0; i < pass->plan->n_streams && !err; i++)
		pass_worker(pass, 0)->accounts[i].pages =
			pass->plan->streams[i].end - pass->plan->streams[i].first;
	return err;
}

static void windows_close(struct worker *worker)
{
	derive_window_free(((struct windows_worker *)worker)->window);
}

static void windows_end(struct pass *pass)
{
	struct windows_pass *own = own_of(pass);

	if (!own)
		return;
	derive_tails_free(own->tails);
	array_release(&own->cuts);
	array_release(&own->windows);
}

const struct way way_windows = {
	.worker_size = sizeof(struct windows_worker),
	.start = windows_start,
	.open = windows_open,
	.work = windows_work,
	.join = windows_join,
	.close = windows_close,
	.end = windows_end,
};
