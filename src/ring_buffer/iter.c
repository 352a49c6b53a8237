// SPDX-License-Identifier: LGPL-2.1-only
/* Iterates over the records of one CPU across sub-buffers, and counts lost records. */
#include "ring_buffer/ring_buffer.h"

void ring_buffer_iter_init(struct ring_buffer_iter *it, const struct ring_buffer_layout *layout,
			   u32 cpu, ring_buffer_read_page_fn read_page, void *source)
{
	*it = (struct ring_buffer_iter){
		.layout = *layout,
		.read_page = read_page,
		.source = source,
		.cpu = cpu,
		.times = { .first = UINT64_MAX },
	};
}

/* Add the times of the current page, all of whose records were returned. */
static __attribute__((noinline)) void add_first(struct ring_buffer_iter *it, bool ascend)
{
	struct ring_buffer_page page = it->page;
	struct ring_buffer_record rec = { .ts = 0 };
	struct ring_buffer_times t;

	if ((size_t)(page.end - page.base) < ring_buffer_header_size(&it->layout))
		return;
	page.p = page.stamped = page.base + ring_buffer_header_size(&it->layout);
	page.ts = page.page_ts;
	page.damaged = false;
	if (ascend && !ring_buffer_page_next(&page, &rec))
		t = (struct ring_buffer_times){ .first = rec.ts, .last = it->page.last };
	else
		t = ring_buffer_page_times(&page);
	it->times.first = min_t(u64, it->times.first, t.first);
	it->times.last = max_t(u64, it->times.last, t.last);
}

static inline void add_times(struct ring_buffer_iter *it)
{
	const struct ring_buffer_page *page = &it->page;
	bool ascend = !page->backwards && page->last > page->page_ts;

	if (likely(ascend && page->page_ts >= it->times.first))
		it->times.last = max_t(u64, it->times.last, page->last);
	else
		add_first(it, ascend);
}

/*
 * The kernel returns no sub-buffer without records: a header of zeros is a hole in the file, or a
 * part that was never written. (A buffer in memory may have such sub-buffers.)
 */
bool ring_buffer_page_is_hole(const struct ring_buffer_page *page)
{
	return !page->page_ts && page->p == page->end && !page->cut && !page->missed;
}

/* Records may be missing before the sub-buffer at @to; @damaged: because others are. */
static void note_gap(struct ring_buffer_iter *it, bool damaged, u64 to)
{
	const bool first = it->n_pages == 1 && to != UINT64_MAX;
	const bool missed = it->page.missed && !it->losses_known;
	struct coverage_hole hole = { .cpu = it->cpu, .from = it->times.last, .to = to };

	if (likely(!damaged && !missed && !(first ? it->late : it->drops)))
		return;
	it->n_gaps++;
	if (!it->coverage)
		return;
	hole.reason = damaged  ? COVERAGE_DAMAGED
		      : missed ? COVERAGE_LOST
		      : first  ? COVERAGE_BEGIN
			       : COVERAGE_DROPPED;
	hole.n = it->page.missed > 0 ? (u64)it->page.missed : 0;
	it->coverage->failed |= array_push(&it->coverage->holes, hole) != 0;
}

int ring_buffer_iter_page(struct ring_buffer_iter *it)
{
	const bool damaged = it->have_page && it->page.damaged;
	const u8 *bytes;
	size_t len;
	int err;

	if (it->have_page) {
		it->damaged_pages += damaged;
		add_times(it);
	}
	it->have_page = false;
	it->page = (struct ring_buffer_page){ .p = NULL };
	it->skipped = false;
	err = it->read_page(it->source, &bytes, &len);
	if (err) {
		note_gap(it, damaged || it->skipped, UINT64_MAX);
		return err;
	}
	it->have_page = true;
	it->n_pages++;
	if (ring_buffer_page_open(&it->page, &it->layout, bytes, len) ||
	    (it->stored && ring_buffer_page_is_hole(&it->page)))
		it->page.damaged = true;
	if (it->page.missed > 0)
		it->missed += (u64)it->page.missed;
	else if (it->page.missed < 0)
		it->missed_unknown++;
	note_gap(it, damaged || it->skipped, it->page.page_ts);
	return 0;
}

struct kept_ids {
	const u8 *keep;
	u32 n;
};

static inline __attribute__((always_inline)) int is_kept(void *arg,
							 const struct ring_buffer_record *rec)
{
	const struct kept_ids *kept = arg;
	u32 id = load_u16(rec->data, false);

	return id < kept->n ? kept->keep[id] : 0;
}

static __attribute__((noinline)) int iter_fill_short(struct ring_buffer_iter *it,
						     struct ring_buffer_record *recs, int max)
{
	struct kept_ids kept = { it->keep, it->n_keep };

	return ring_buffer_page_fill(&it->page, recs, max, is_kept, &kept);
}

/* Fill @recs with up to @max records of this sub-buffer; fewer: it has no more. */
static int iter_fill_page(struct ring_buffer_iter *it, struct ring_buffer_record *recs, int max)
{
	bool is_plain = it->keep && !it->page.big;
	int n = 0;

	for (;;) {
		if (likely(is_plain))
			n += iter_fill_short(it, recs + n, max - n);
		if (n == max || ring_buffer_page_next(&it->page, &recs[n]))
			return n;
		n += ring_buffer_iter_keeps(it, &recs[n]);
	}
}

int ring_buffer_iter_fill(struct ring_buffer_iter *it, struct ring_buffer_record *recs, int max)
{
	int n = 0, err = 0;

	while (!err) {
		n = iter_fill_page(it, recs, max);
		if (n)
			return n;
		err = ring_buffer_iter_page(it);
	}
	return err < 0 ? err : 0;
}

int ring_buffer_iter_turn(struct ring_buffer_iter *it, struct ring_buffer_record *rec)
{
	int err;

	/* a sub-buffer may have no selected record */
	for (;;) {
		err = ring_buffer_iter_page(it);
		if (err)
			return err;
		while (!ring_buffer_page_next(&it->page, rec))
			if (ring_buffer_iter_keeps(it, rec))
				return 0;
	}
}
