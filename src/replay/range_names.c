// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The names of tasks over time, from records by range: before the other passes, or together with
 * events whose histograms need names only in their result.
 *
 * All times are needed: if one goes back, the order of records is only known to their merge.
 */
#include <stdlib.h>

#include "replay/range.h"

enum { SHARES = 8 }; /* of a worker */

size_t range_names_share(const struct pass *pass)
{
	return max_t(size_t, 1, range_pass_of(pass)->ranges.n / ((size_t)SHARES * pass->n_workers));
}

u64 range_names_from(const struct ring_buffer_page *page)
{
	struct ring_buffer_page copy = *page;
	struct ring_buffer_record rec;

	return ring_buffer_page_next(&copy, &rec) ? UINT64_MAX : rec.ts;
}

void range_names_page(struct range_worker *w, const struct ring_buffer_page *page, u64 from)
{
	if (from != UINT64_MAX || page->last == UINT64_MAX)
		comm_runs_times(&w->names, from, page->last, page->backwards || page->last < from);
}

/* The names of entries that were counted when names were not known. */
static void set_names(const struct pass *pass)
{
	struct run_source source = *pass->source;

	source.arg = pass->times;
	source.comm = comm_times_at;
	for (size_t i = 0; i < pass->hists.n; i++)
		hist_set_names(pass->hists.v[i], &source);
}

int range_join_names(struct pass *pass)
{
	const struct plan *plan = pass->plan;
	struct comm_runs **runs = calloc(pass->n_workers, sizeof(*runs));
	int err = runs ? 0 : HIST_NOMEM;

	for (unsigned int i = 0; i < pass->n_workers && !err; i++)
		runs[i] = &range_worker_at(pass, i)->names;
	if (!err)
		err = comm_times_build(pass->times, runs, pass->n_workers);
	for (size_t i = 0; i < plan->n_streams && !err; i++)
		err = comm_times_add_idle(pass->times, plan->streams[i].cpu);
	if (!err && pass->names == NAMES_LATE)
		set_names(pass);
	free(runs);
	return err;
}
