// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The sub-buffers of a stream that can contain records of the span, found by bisection of the time
 * stamps in their headers; the others are not accessed.
 *
 * Bisection relies on ascending time stamps, which a sample of the headers, and those next to both
 * ends, must confirm. Otherwise, and after any damage among them, all sub-buffers are read.
 */
#include "replay/replay.h"
#include "replay/stream.h"

enum { SAMPLES = 16, NEIGHBOURS = 8 };

struct page_clock {
	const struct stream *s;
	struct trace_dat_pages *pages;
	bool unsure; /* the time stamps do not ascend, or one cannot be read */
};

static u64 page_time(struct page_clock *c, u64 index)
{
	struct ring_buffer_page page;
	const u8 *bytes;
	size_t len;

	if (trace_dat_pages_seek(c->pages, index) || trace_dat_pages_next(c->pages, &bytes, &len) ||
	    ring_buffer_page_open(&page, &c->s->layout, bytes, len) || !page.page_ts) {
		c->unsure = true;
		return 0;
	}
	return page.page_ts;
}

/* Whether the time stamps of every @step-th sub-buffer ascend. */
static void check_times(struct page_clock *c, u64 first, u64 end, u64 step)
{
	u64 last = 0;

	for (u64 i = first; i < end && !c->unsure; i += step) {
		u64 ts = page_time(c, i);

		c->unsure |= ts < last;
		last = ts;
	}
}

/* The number of sub-buffers that begin before @ts. */
static u64 pages_before(struct page_clock *c, u64 ts)
{
	u64 low = 0, high = c->s->n_pages;

	while (low < high && !c->unsure) {
		u64 mid = low + (high - low) / 2;

		if (page_time(c, mid) < ts)
			low = mid + 1;
		else
			high = mid;
	}
	check_times(c, low - min_t(u64, low, NEIGHBOURS),
		    min_t(u64, low + NEIGHBOURS, c->s->n_pages), 1);
	return low;
}

/*
 * One sub-buffer that begins before the span may end in it; one that begins after it contains
 * the number of records lost before it.
 */
static void select_pages(struct page_clock *c, struct stream *s, const struct replay_span *span)
{
	u64 first = span->from ? pages_before(c, span->from) : 0;
	u64 end = span->to < UINT64_MAX ? pages_before(c, span->to + 1) : s->n_pages;

	first -= first > 0;
	end += end < s->n_pages;
	check_times(c, 0, s->n_pages, s->n_pages / SAMPLES + 1);
	if (c->unsure)
		return;
	s->first = first;
	s->end = max_t(u64, first, end);
}

int stream_open(struct stream *s, const struct replay_span *span, struct diags *diags)
{
	struct page_clock clock = { .s = s };
	int err = trace_dat_pages_open(s->rec->td, s->buffer, s->cpu_index, &s->pages, diags);

	if (err)
		return err;
	s->n_pages = s->end = trace_dat_pages_count(s->pages);
	s->stays = trace_dat_pages_stay(s->pages);
	if (!span || (!span->from && span->to == UINT64_MAX))
		return 0;
	err = trace_dat_pages_open_like(s->pages, &clock.pages);
	if (!err)
		select_pages(&clock, s, span);
	trace_dat_pages_close(clock.pages);
	return err;
}

void stream_close(struct stream *s)
{
	trace_dat_pages_close(s->pages);
	s->pages = NULL;
}
