// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The names of tasks over time, from records by range: before the other passes, or together with
 * events whose histograms need names only in their result.
 *
 * All times are needed: if one goes back, the order of records is only known to their merge.
 */
#include "replay/range.h"

enum { SHARES = 8 }; /* of a worker */

size_t range_names_share(const struct pass *pass)
{
	return max_t(size_t, 1, range_pass_of(pass)->ranges.n / ((size_t)SHARES * pass->n_workers));
}

bool range_names_from(const struct ring_buffer_page *page, u64 *from)
{
	struct ring_buffer_page copy = *page;
	struct ring_buffer_record rec;

	if (ring_buffer_page_next(&copy, &rec))
		return false;
	*from = rec.ts;
	return true;
}

void range_names_page(struct page_range *range, const struct ring_buffer_page *page, u64 from)
{
	bool first = range->from > range->to;

	range->backwards |= page->backwards || page->last < from || (!first && from < range->to);
	range->from = first ? from : range->from;
	range->to = page->last;
}

/* Whether a CPU's time went back, in a range or between two. */
static bool is_backwards(const struct range_pass *own)
{
	const struct page_range *last = NULL;
	bool backwards = false;

	array_each(const struct page_range, r, &own->ranges) {
		if (last && last->stream != r->stream)
			last = NULL;
		backwards |= r->backwards || (last && r->from <= r->to && r->from < last->to);
		if (r->from <= r->to)
			last = r;
	}
	return backwards;
}

int range_join_names(struct pass *pass)
{
	const struct plan *plan = pass->plan;
	struct names_seen **seen = arena_alloc(&pass->arena, pass->n_workers * sizeof(*seen));
	int err;

	if (!seen)
		return HIST_NOMEM;
	for (unsigned int i = 0; i < pass->n_workers; i++)
		seen[i] = &range_worker_at(pass, i)->seen;
	err = names_build(pass->names, seen, pass->n_workers);
	for (size_t i = 0; i < plan->n_streams && !err; i++)
		err = names_add_idle(pass->names, plan->streams[i].cpu);
	if (!err && pass->names->processes.asked)
		err = processes_build(pass->names, seen, pass->n_workers);
	/* the names of entries that were counted when names were not known */
	for (size_t i = 0; i < pass->hists.n && !err && pass->collect == NAMES_LATE; i++)
		hist_set_names(pass->hists.v[i], pass->context);
	return err ? err : is_backwards(range_pass_of(pass));
}
