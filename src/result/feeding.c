// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Hits that are missing in a histogram because another one was full: kernel: a hit without an
 * entry neither sets a variable nor runs an action, so event_hist_trigger() loses the rest, too.
 *
 * A histogram is fed by those whose variables it reads and by those that generate its synthetic
 * event, directly or through others.
 */
#include "count/count.h"
#include "program/hist_data.h"
#include "program/synth_event.h"
#include "result/store.h"
#include "tracing/trigger.h"
#include "tracing/tracing.h"

struct feeders {
	ARRAY(const struct hist_data *) list; /* the first one is the histogram itself */
};

static int add(struct feeders *f, const struct hist_data *hd)
{
	for (size_t i = 0; i < f->list.n; i++)
		if (f->list.v[i] == hd)
			return 0;
	return array_push(&f->list, hd);
}

int trigger_feeding_drops(const struct trigger *trigger, u64 *drops)
{
	struct feeders all = { .list = ARRAY_INIT };
	int err = add(&all, trigger->hist);

	*drops = 0;
	for (size_t i = 0; i < all.list.n && !err; i++) {
		const struct hist_data *hd = all.list.v[i];
		const struct event_file *file = i ? hd->file : trigger->file;
		const struct action_data *a = file->synth ? file->synth->generators : NULL;

		for (u32 k = 0; k < hd->n_var_refs && !err; k++)
			err = add(&all, hd->var_refs[k]->var.hist_data);
		for (; a && !err; a = a->next)
			err = add(&all, a->owner);
		if (i)
			*drops += hist_map(hist_count_of(hd))->drops;
	}
	array_release(&all.list);
	return err;
}
