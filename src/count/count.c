// SPDX-License-Identifier: LGPL-2.1-only
/* Makes the counts of a replay. */
#include "count/count.h"
#include "program/program.h"
#include "tracing/trigger.h"

static bool add_hist(struct count *count, const struct hist_data *hd)
{
	struct hist_count *hc = arena_alloc(&count->arena, sizeof(*hc));

	if (!hc)
		return false;
	count->hists[hd->serial] = hc;
	hc->hd = hd;
	hc->program = hd->program;
	hc->parts = calloc(1, sizeof(*hc->parts));
	return hc->parts && !hist_part_init(hc->parts, hd);
}

/* After all counts are made, because histograms may refer to each other. */
static bool link_owners(struct count *count, struct hist_count *hc)
{
	u32 n = hc->program->n_other_refs;

	hc->owners = arena_alloc(&count->arena, (n + 1) * sizeof(struct hist_count *));
	for (u32 i = 0; i < n && hc->owners; i++)
		hc->owners[i] = count->hists[hc->program->other_refs[i].owner->serial];
	return hc->owners;
}

struct count *count_new(const struct tracing *t)
{
	struct count *count = calloc(1, sizeof(*count));
	bool ok = count;

	if (!count)
		return NULL;
	count->n_hists = (size_t)t->n_hists + 1;
	count->hists = arena_alloc(&count->arena, count->n_hists * sizeof(struct hist_count *));
	count->events = arena_alloc(&count->arena, (t->n_files + 1) * sizeof(*count->events));
	count->receivers = arena_alloc(&count->arena,
				       ((size_t)t->n_dynamic + 1) * sizeof(struct event_count *));
	ok = count->hists && count->events && count->receivers;
	for (struct trace_array *tr = t->top; tr && ok; tr = tr->next)
		for (struct event_file *file = tr->files; file; file = file->next)
			count->events[file->serial].file = file;
	for (size_t i = 0; i < t->triggers.n && ok; i++) {
		const struct trigger *trigger = t->triggers.v[i];

		if (trigger && trigger->hist && !count->hists[trigger->hist->serial])
			ok = add_hist(count, trigger->hist);
	}
	for (size_t i = 0; i < count->n_hists && ok; i++)
		ok = !count->hists[i] || link_owners(count, count->hists[i]);
	if (ok)
		return count;
	count_free(count);
	return NULL;
}

/* The histograms may have been removed. */
void count_free(struct count *count)
{
	if (!count)
		return;
	for (size_t i = 0; i < count->n_hists && count->hists; i++) {
		struct hist_count *hc = count->hists[i];

		if (!hc)
			continue;
		hist_parts_drop(hc);
		if (hc->parts)
			hist_part_release(hc->parts);
		free(hc->parts);
	}
	arena_release(&count->arena);
	free(count);
}
