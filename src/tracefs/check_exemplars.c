// SPDX-License-Identifier: LGPL-2.1-only
/* Checks that a histogram of the script has the number that --exemplars names. */
#include "program/exemplars.h"
#include "tracefs/tracefs.h"

static bool any_has(const struct tracing *t)
{
	for (const struct trace_array *tr = t->top; tr; tr = tr->next)
		for (const struct event_file *file = tr->files; file; file = file->next)
			for (size_t i = 0; i < file->triggers.n; i++)
				if (file->triggers.v[i]->hist &&
				    file->triggers.v[i]->hist->exemplars)
					return true;
	return false;
}

static void offer_fields(const struct hist_data *hd, struct near *near)
{
	u32 i;

	for_each_hist_field(i, hd)
		if (i != HITCOUNT_IDX)
			near_offer(near, exemplars_name(hd->fields[i]),
				   exemplars_name(hd->fields[i]));
}

static int no_such(const struct tracing *t, const char *name, struct diags *diags)
{
	struct near near = NEAR_INIT(name);
	struct strbuf names = STRBUF_INIT;

	for (const struct trace_array *tr = t->top; tr; tr = tr->next)
		for (const struct event_file *file = tr->files; file; file = file->next)
			for (size_t i = 0; i < file->triggers.n; i++)
				if (file->triggers.v[i]->hist)
					offer_fields(file->triggers.v[i]->hist, &near);
	near_text(&near, &names);
	diags_error(diags, 0,
		    "--exemplars: no histogram has a numeric value, variable or key '%s'%s%s", name,
		    names.len ? "; did you mean " : "", names.len ? names.s : "");
	strbuf_release(&names);
	return -HIST_EINVAL;
}

int check_exemplars(const struct tracing *t, struct diags *diags)
{
	const char *name = t->machine.exemplars.of;

	if (!t->machine.exemplars.max || any_has(t))
		return 0;
	if (name)
		return no_such(t, name, diags);
	return diags_error(diags, -HIST_EINVAL,
			   "--exemplars: no histogram has a numeric value, variable or key; "
			   "add one with vals=FIELD, or name it: --exemplars N:NAME");
}
