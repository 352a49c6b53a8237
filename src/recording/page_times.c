// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The times in the sub-buffers of one CPU: decoded, or concluded from the headers of all of them.
 * They are stored for blocks of sub-buffers, so memory does not grow with the file. Bisection is
 * only for a CPU whose times ascend according to the file.
 */
#include "recording/page_times.h"

enum { AHEAD = 12, BLOCKS = 4096, SAMPLES = 16, NEIGHBOURS = 8 };

struct finder {
	struct trace_dat_pages *pages;
	const struct ring_buffer_layout *layout;
	struct page_times *times;
	u64 start;      /* of the last sub-buffer that could be read */
	u64 unreadable; /* the first one after it; UINT64_MAX: none */
};

/* --- blocks --- */

static void extend(struct finder *f, u64 i, u64 first, u64 last)
{
	struct page_block *b = &f->times->blocks[i / f->times->size];

	b->first = min_t(u64, b->first, first);
	b->last = max_t(u64, b->last, last);
}

/* The records of sub-buffer @i are not earlier than @first or later than @last. */
static void add_times(struct finder *f, u64 i, u64 first, u64 last)
{
	extend(f, i, first, last);
	f->times->first = min_t(u64, f->times->first, first);
	f->times->last = max_t(u64, f->times->last, last);
}

static void add_decoded(struct finder *f, u64 i, const struct ring_buffer_page *page)
{
	struct ring_buffer_times t = ring_buffer_page_times(page);

	if (t.first <= t.last)
		add_times(f, i, t.first, t.last);
	if (!t.ascend)
		f->unreadable = min_t(u64, f->unreadable, i);
}

/* @end: time of the first record of the next sub-buffer */
static void add_until(struct finder *f, u64 i, const struct ring_buffer_page *page, u64 end)
{
	struct ring_buffer_page copy = *page;
	struct ring_buffer_record rec = { .ts = page->page_ts };

	if (end < page->page_ts)
		add_decoded(f, i, page);
	else if (page->page_ts >= f->times->first || !ring_buffer_page_next(&copy, &rec))
		add_times(f, i, rec.ts, end);
}

/* Sub-buffer @i, which starts at @start, follows those that cannot be read. */
static void add_unreadable(struct finder *f, u64 i, u64 start)
{
	for (u64 k = f->unreadable; k < i; k++)
		extend(f, k, min_t(u64, f->start, start), max_t(u64, f->start, start));
	f->unreadable = UINT64_MAX;
}

/* Open the next sub-buffer with records: 0, 1 after the last one, -HIST_ENOMEM */
static int next_page(struct finder *f, struct ring_buffer_page *page)
{
	for (;;) {
		u64 i = trace_dat_pages_index(f->pages);
		const u8 *bytes;
		size_t len;
		int err = trace_dat_pages_next(f->pages, &bytes, &len);

		if (err == HIST_NOMEM)
			return err;
		if (err == 1) {
			add_unreadable(f, f->times->n_pages, UINT64_MAX);
			return 1;
		}
		if (!err) {
			/* only the headers of large data are read, which are far from each other */
			__builtin_prefetch(bytes + (size_t)AHEAD * f->layout->subbuf_size);
			err = ring_buffer_page_open(page, f->layout, bytes, len);
		}
		if (err || ring_buffer_page_is_hole(page)) {
			f->unreadable = min_t(u64, f->unreadable, i);
		} else if (page->p < page->end) {
			add_unreadable(f, i, page->page_ts);
			f->start = page->page_ts;
			return 0;
		}
	}
}

/* Sub-buffers stay in memory, so that the one before can still be decoded. */
static int find_by_headers(struct finder *f)
{
	struct ring_buffer_page page, before;
	u64 i, next;
	int err = next_page(f, &before);

	for (i = trace_dat_pages_index(f->pages); !err; i = next, before = page) {
		err = next_page(f, &page);
		next = trace_dat_pages_index(f->pages);
		if (err)
			add_decoded(f, i - 1, &before);
		else
			add_until(f, i - 1, &before, page.page_ts);
	}
	/* here by several threads, at the end of the process by one */
	trace_dat_pages_map(f->pages, 0, f->times->n_pages, false);
	return err < 0 ? err : 0;
}

/* --- ascending times --- */

static bool open_page(const struct finder *f, u64 i, struct ring_buffer_page *page)
{
	const u8 *bytes;
	size_t len;

	return !trace_dat_pages_seek(f->pages, i) &&
	       !trace_dat_pages_next(f->pages, &bytes, &len) &&
	       !ring_buffer_page_open(page, f->layout, bytes, len);
}

/* The start of sub-buffer @i; 0: unknown */
static u64 page_start(const struct finder *f, u64 i)
{
	struct ring_buffer_page page;

	return open_page(f, i, &page) ? page.page_ts : 0;
}

/* Whether the times of every @step-th sub-buffer ascend. */
static bool starts_ascend(const struct finder *f, u64 first, u64 end, u64 step)
{
	u64 last = 1;

	for (u64 i = first; i < end; i += step) {
		u64 ts = page_start(f, i);

		if (ts < last)
			return false;
		last = ts;
	}
	return true;
}

/*
 * The number of sub-buffers that begin before @ts; false if times do not ascend there, or are not
 * those that the writer noted.
 */
static bool pages_before(const struct finder *f, u64 ts, u64 *before)
{
	u64 low = 0, high = f->times->n_pages;
	struct trace_dat_note around[2];
	const bool noted = trace_dat_pages_notes(f->pages, ts, around);

	for (size_t i = 0; i < 2 && noted; i++)
		if (around[i].index < high && page_start(f, around[i].index) != around[i].ts)
			return false;
	if (noted) {
		low = around[0].index;
		high = around[1].index;
	}
	while (low < high) {
		u64 mid = low + (high - low) / 2, start = page_start(f, mid);

		if (!start)
			return false;
		if (start < ts)
			low = mid + 1;
		else
			high = mid;
	}
	*before = low;
	return noted || starts_ascend(f, low - min_t(u64, low, NEIGHBOURS),
				      min_t(u64, low + NEIGHBOURS, f->times->n_pages), 1);
}

/* Sub-buffers without records are only at the ends of a recording. */
static void find_ends(struct finder *f)
{
	struct page_times *t = f->times;
	struct ring_buffer_page page;

	for (u64 i = 0; i < t->n_pages && t->first == UINT64_MAX; i++)
		if (open_page(f, i, &page))
			t->first = ring_buffer_page_times(&page).first;
	for (u64 i = t->n_pages; i && !t->last; i--)
		if (open_page(f, i - 1, &page))
			t->last = ring_buffer_page_times(&page).last;
}

/* --- all together --- */

static int find_blocks(struct finder *f, bool by_headers)
{
	struct page_times *t = f->times;
	struct ring_buffer_page page;
	int err;

	t->size = t->n_pages / BLOCKS + 1;
	t->blocks = malloc((t->n_pages / t->size + 1) * sizeof(*t->blocks));
	if (!t->blocks)
		return HIST_NOMEM;
	for (u64 i = 0; i <= t->n_pages / t->size; i++)
		t->blocks[i] = (struct page_block){ .first = UINT64_MAX };
	trace_dat_pages_seek(f->pages, 0);
	if (by_headers)
		return find_by_headers(f);
	while (!(err = next_page(f, &page)))
		add_decoded(f, trace_dat_pages_index(f->pages) - 1, &page);
	return err < 0 ? err : 0;
}

int page_times_find(struct trace_dat_pages *pages, const struct ring_buffer_layout *layout,
		    bool ascend, u64 decoded, struct page_times *times)
{
	struct finder f = {
		.pages = pages, .layout = layout, .times = times, .unreadable = UINT64_MAX
	};
	bool stay = trace_dat_pages_stay(pages), small;
	struct trace_dat_note around[2];
	u64 n = trace_dat_pages_count(pages);
	int err = 0;

	*times = (struct page_times){ .first = UINT64_MAX, .n_pages = n };
	small = n * layout->subbuf_size <= decoded;
	/* the file may have been changed: compare some */
	if (!small && ascend &&
	    (trace_dat_pages_notes(pages, 0, around) || starts_ascend(&f, 0, n, n / SAMPLES + 1)))
		find_ends(&f);
	else
		err = find_blocks(&f, stay && !small);
	times->damaged = trace_dat_pages_damaged(pages);
	return err;
}

void page_times_start(struct trace_dat_pages *pages, const struct ring_buffer_layout *layout,
		      struct page_times *times)
{
	struct ring_buffer_page page;
	const u8 *bytes;
	size_t len;
	int err;

	*times = (struct page_times){ .first = UINT64_MAX };
	trace_dat_pages_seek(pages, 0);
	while ((err = trace_dat_pages_next(pages, &bytes, &len)) != 1 && err != HIST_NOMEM) {
		u64 ts = err || len < sizeof(u64) ? 0 : load_u64(bytes, layout->big_endian);

		__builtin_prefetch(bytes + (size_t)AHEAD * layout->subbuf_size);
		times->last = max_t(u64, times->last, ts);
		if (ts && ts < times->first && !ring_buffer_page_open(&page, layout, bytes, len))
			times->first =
				min_t(u64, times->first, ring_buffer_page_times(&page).first);
	}
}

/* One sub-buffer that begins before the span may end in it. */
static struct page_span bisect(const struct finder *f, u64 from, u64 to)
{
	struct page_span s = { 0, f->times->n_pages };

	if ((from && !pages_before(f, from, &s.first)) ||
	    (to < UINT64_MAX && !pages_before(f, to + 1, &s.end)))
		return (struct page_span){ 0, f->times->n_pages };
	s.first -= s.first > 0;
	return (struct page_span){ s.first, max_t(u64, s.first, s.end) };
}

struct page_span page_times_select(const struct page_times *times, struct trace_dat_pages *pages,
				   const struct ring_buffer_layout *layout, u64 from, u64 to)
{
	const struct finder f = { .pages = pages,
				  .layout = layout,
				  .times = (struct page_times *)times };
	struct page_span s = { times->n_pages, 0 };

	if (!times->blocks)
		return bisect(&f, from, to);
	for (u64 i = 0; i * times->size < times->n_pages; i++) {
		const struct page_block *b = &times->blocks[i];

		if (b->first > to || b->last < from || b->first > b->last)
			continue;
		s.first = min_t(u64, s.first, i * times->size);
		s.end = min_t(u64, (i + 1) * times->size, times->n_pages);
	}
	s.first = min_t(u64, s.first, s.end);
	return s;
}
