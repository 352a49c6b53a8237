// SPDX-License-Identifier: LGPL-2.1-only
/* Before the other passes: the names of tasks over time, by ranges of sub-buffers. */
#include "replay/pass.h"

enum { SHARES = 8 }; /* of a worker */

static void read_record(struct worker *w, const struct source *s,
			const struct ring_buffer_record *rec)
{
	const struct dispatch *d = stream_dispatch(s->stream, rec);
	const struct hit hit = { .rec = rec->data,
				 .len = rec->len,
				 .cpu = s->stream->cpu,
				 .pid = rec->len >= d->min_size ? stream_pid(s->stream, rec) : 0,
				 .ts = rec->ts,
				 .at = stream_at(s->stream, s->page, rec) };

	if (rec->len >= d->min_size)
		comm_runs_add(&w->names, d->comm, &hit);
}

/* All times are needed: if one goes back, the order of records is only known to their merge. */
static int read_range(struct worker *w, struct source *s)
{
	struct ring_buffer_iter *it = &s->iter;
	const u8 *keep = it->keep;
	u32 n_keep = it->n_keep;
	struct ring_buffer_record rec;
	int err;

	while (!(err = ring_buffer_iter_page(it))) {
		struct ring_buffer_page page = it->page;
		u64 from = page.ts, last = 0;
		bool backwards = false;

		while (likely(!ring_buffer_page_next(&page, &rec))) {
			backwards |= rec.ts < last;
			from = last ? from : rec.ts;
			last = rec.ts;
			if (ring_buffer_keeps(keep, n_keep, &it->layout, &rec))
				read_record(w, s, &rec);
		}
		comm_runs_times(&w->names, from, last, backwards);
		it->page = page;
	}
	return err;
}

static int work_on(struct worker *w, const struct page_range *range)
{
	struct source *s = &w->sources[range->stream];
	int err = s->pages ? 0 : source_open(s, &w->pass->plan->streams[range->stream]);

	if (err)
		return err;
	source_range(s, range->first, range->end);
	trace_dat_pages_prefetch(s->pages, range->end - range->first);
	err = read_range(w, s);
	return err < 0 ? err : 0;
}

/* Some ranges, one after the other; those of one stream are like one range. */
static int work_on_some(struct worker *w, size_t first, size_t end)
{
	const struct page_range *ranges = w->pass->ranges.v;
	int err = 0;

	for (size_t i = first; i < end && !err && !w->names.failed; i++) {
		if (i == first || ranges[i].stream != ranges[i - 1].stream)
			comm_runs_start(&w->names, ranges[i].stream, ranges[i].first);
		if (!w->names.failed)
			err = work_on(w, &ranges[i]);
		if (i + 1 == end || ranges[i + 1].stream != ranges[i].stream)
			comm_runs_end(&w->names);
	}
	return err;
}

/* How many ranges a worker takes at a time: each time takes memory for all tasks that it finds. */
static size_t share_of(const struct pass *pass)
{
	return max_t(size_t, 1, pass->ranges.n / ((size_t)SHARES * pass->n_workers));
}

void *pass_work_names(void *worker)
{
	struct worker *w = worker;
	struct pass *pass = w->pass;
	size_t share = share_of(pass), i;

	while (!w->err && !w->names.failed && !w->names.backwards &&
	       (i = __atomic_fetch_add(&pass->next, share, __ATOMIC_RELAXED)) < pass->ranges.n)
		w->err = work_on_some(w, i, min_t(size_t, i + share, pass->ranges.n));
	return NULL;
}

int pass_join_names(struct pass *pass)
{
	const struct plan *plan = pass->plan;
	struct comm_runs **runs = calloc(pass->n_workers, sizeof(*runs));
	int err = runs ? 0 : HIST_NOMEM;

	for (unsigned int i = 0; i < pass->n_workers && !err; i++)
		runs[i] = &pass->workers[i].names;
	if (!err)
		err = comm_times_build(pass->times, runs, pass->n_workers);
	for (size_t i = 0; i < plan->n_streams && !err; i++)
		err = comm_times_add_idle(pass->times, plan->streams[i].cpu);
	free(runs);
	return err;
}
