// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The specification of a replay, --plan=plain: of the next records of all streams, the one with the
 * lowest time is replayed, with the plainest code for its hits (run/hist_plain.c). One thread, one
 * record at a time; records are decoded by the general decoder. Every other way has to give the
 * same result; none of their shortcuts is used here.
 *
 * To understand what a replay does, read this file, then ordered.c.
 */
#include "replay/way.h"

struct plain_worker {
	struct worker worker;
	struct ring_buffer_record *next; /* the next record of each stream */
	bool *at_end;
	size_t last; /* the stream of the last record */
};

/* The next record of the stream whose id the pass needs. */
static int plain_advance(struct plain_worker *pw, size_t i)
{
	struct source *s = &pw->worker.sources[i];
	struct ring_buffer_iter *it = &s->iter;
	int end;

	do {
		while (!ring_buffer_page_next_any(&it->page, &pw->next[i]))
			if (ring_buffer_iter_keeps(it, &pw->next[i])) {
				s->merged = s->page;
				return 0;
			}
		end = ring_buffer_iter_page(it);
	} while (!end);
	pw->at_end[i] = true;
	return min_t(int, end, 0);
}

static int plain_open(struct worker *w)
{
	struct plain_worker *pw = (struct plain_worker *)w;
	size_t n = w->pass->plan->n_streams;
	int err = 0;

	pw->next = arena_alloc(&w->arena, (n + 1) * sizeof(*pw->next));
	pw->at_end = arena_alloc(&w->arena, (n + 1) * sizeof(*pw->at_end));
	if (!pw->next || !pw->at_end)
		return HIST_NOMEM;
	for (size_t i = 0; i < n && !err; i++)
		err = source_open(&w->sources[i], &w->pass->plan->streams[i]);
	if (err)
		return err;
	ordered_open(w->pass->ordered, w->sources, n, w->accounts, &w->hits);
	ordered_start(w->pass->ordered);
	for (size_t i = 0; i < n && !err; i++)
		err = plain_advance(pw, i);
	pw->last = n;
	return err;
}

/* Of equal times, the record of the lowest CPU is the first one. */
static bool plain_is_before(const struct plain_worker *pw, size_t a, size_t b)
{
	if (pw->next[a].ts != pw->next[b].ts)
		return pw->next[a].ts < pw->next[b].ts;
	return pw->worker.sources[a].stream->rank < pw->worker.sources[b].stream->rank;
}

static int plain_work(struct worker *w)
{
	struct plain_worker *pw = (struct plain_worker *)w;
	size_t n = w->pass->plan->n_streams, first;
	int err = 0;

	while (!w->pass->paused) {
		if (pw->last < n)
			err = plain_advance(pw, pw->last);
		if (err)
			break;
		first = n;
		for (size_t i = 0; i < n; i++)
			if (!pw->at_end[i] && (first == n || plain_is_before(pw, i, first)))
				first = i;
		if (first == n)
			break;
		ordered_record(w->pass->ordered,
			       &(struct ring_buffer_merged){ &pw->next[first], first });
		/* the record is borrowed until the next one of its stream */
		pw->last = first;
		w->pass->paused = ordered_is_paused(w->pass->ordered);
	}
	return err;
}

static void plain_close(struct worker *w)
{
	ordered_close(w->pass->ordered);
}

const struct way way_plain = {
	.worker_size = sizeof(struct plain_worker),
	.start = pass_start_in_order,
	.open = plain_open,
	.work = plain_work,
	.join = pass_account_sources,
	.close = plain_close,
};
