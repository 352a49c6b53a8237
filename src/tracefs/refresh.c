// SPDX-License-Identifier: LGPL-2.1-only
/* Prints the histograms of a replay before its end. */
#include "count/count.h"
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

	for (size_t i = 0; file && i < file->triggers.n && !err; i++)
		if (output_prints(file->triggers.v[i]) && (++r->n == o->table || !o->table))
			err = hist_map(hist_count_of(file->triggers.v[i]->hist))->failed
				      ? HIST_NOMEM
				      : output_print(r->h, file->triggers.v[i], r->p);
	return err;
}

int output_refresh(struct hist *h, struct printer *p)
{
	struct output *o = &directory_of(h)->output;
	const struct script *script = o->shows;
	struct refresh r = { h, p, 0 };
	event_file_array files = ARRAY_INIT;
	struct diags ignored = DIAGS_INIT;
	bool shows = false;
	/* once: it allocates */
	int err = o->info.version ? 0 : output_describe(h);

	o->info.lost_events = h->feed->lost;
	o->info.lost_unknown = h->feed->lost_unknown;
	for (size_t i = 0; i < script->cmds.n && !err; i++) {
		const struct script_cmd *cmd = &script->cmds.v[i];

		shows |= cmd->verb == SCRIPT_CAT;
		if (cmd->verb == SCRIPT_CAT)
			err = refresh_file(&r, output_hist_file(h, cmd->path, &ignored));
	}
	if (!err && !shows)
		err = files_with_hists(h->tracing, &files);
	for (size_t i = 0; i < files.n && !err; i++)
		err = refresh_file(&r, files.v[i]);
	array_release(&files);
	diags_release(&ignored);
	/* the next one begins anew */
	o->n_tables = o->n_answers = 0;
	return err;
}
