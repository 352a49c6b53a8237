// SPDX-License-Identifier: LGPL-2.1-only
/* Prints the histograms of a replay before its end. */
#include "tracefs/tracefs.h"

void taken_result_free(struct taken_result *t)
{
	modified_result_free(t->named);
	stored_free(t->frozen);
	*t = (struct taken_result){ NULL, NULL };
}

struct refresh {
	struct hist *h;
	struct printer *p;
	u64 n; /* histograms so far */
};

static int refresh_file(struct refresh *r, const struct event_file *file)
{
	const struct output *o = &directory_of(r->h)->output;
	int err = 0;

	for (size_t i = 0; i < file->triggers.n && !err; i++)
		if (output_prints(file->triggers.v[i]) && (++r->n == o->table || !o->table))
			err = hist_map(hist_count_of(file->triggers.v[i]->hist))->failed
				      ? HIST_NOMEM
				      : output_print(r->h, file->triggers.v[i], r->p);
	return err;
}

int output_refresh(struct hist *h, struct printer *p)
{
	struct output *o = &directory_of(h)->output;
	struct refresh r = { h, p, 0 };
	scoped(free_scoped) event_file_array files = ARRAY_INIT;
	/* once: it allocates */
	int err = o->info.version ? 0 : output_describe(h);

	o->info.lost_events = h->feed->lost;
	o->info.lost_unknown = h->feed->lost_unknown;
	err = err ?: files_shown(h, o->shows, &files);
	for (size_t i = 0; i < files.n && !err; i++)
		err = refresh_file(&r, files.v[i]);
	/* the next one begins anew */
	o->n_tables = o->n_answers = 0;
	o->titled = o->named = false;
	return err;
}
