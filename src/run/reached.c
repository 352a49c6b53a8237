// SPDX-License-Identifier: LGPL-2.1-only
/* The histograms that an event reaches, all of them, and its own ones by one record. */
#include "run/run.h"

static int add_hist(hist_count_array *hists, const struct hist_data *hd)
{
	for (size_t i = 0; i < hists->n; i++)
		if (hists->v[i]->hd == hd)
			return 0;
	return array_push(hists, hist_count_of(hd));
}

static int add_receivers(hist_count_array *hists, const struct tracing *t,
			 const struct synth_event *se)
{
	int err = 0;

	for (const struct event_count *e = *count_receivers(t, se); e; e = e->next_receiver)
		for (size_t i = 0; i < e->file->triggers.n && !err; i++)
			if (e->file->triggers.v[i]->hist)
				err = add_hist(hists, e->file->triggers.v[i]->hist);
	return err;
}

int event_reached_hists(const struct event_file *file, hist_count_array *hists)
{
	int err = 0;

	for (size_t t = 0; t < file->triggers.n && !err; t++) {
		const struct hist_data *hd = file->triggers.v[t]->hist;

		if (!hd)
			continue;
		err = add_hist(hists, hd);
		for (u32 i = 0; i < hd->program->n_other_refs && !err; i++)
			err = add_hist(hists, hd->program->other_refs[i].owner);
		for (u32 i = 0; i < hd->n_actions && !err; i++)
			if (hd->actions[i]->action == ACTION_TRACE)
				err = add_receivers(hists, hd->tracing,
						    hd->actions[i]->synth_event);
	}
	return err;
}

bool event_hit_single(const struct event_file *file, const struct hit *hit)
{
	bool full = false;

	for (size_t i = 0; i < file->triggers.n && !full; i++) {
		const struct trigger *t = file->triggers.v[i];

		if (t->filter && !filter_match(t->filter, hit))
			continue;
		hist_hit(hist_count_of(t->hist), hit);
		full = hist_part_is_full(&hist_count_of(t->hist)->parts[hit->part]);
	}
	return !full;
}
