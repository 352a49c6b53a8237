// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Warns about the obvious, but wrong way to measure the time from one event to the next of its
 * type:
 *
 *	hist:keys=pid:last=common_timestamp
 *	hist:keys=pid:ns=common_timestamp-$last
 *
 * kernel: triggers of an event run in the order in which they were created, so $last is the time
 * of the current event. The kernel accepts this and always computes 0.
 */
#include "bind/binding.h"

static bool is_time(const struct hist_field *f)
{
	return f->flags & HIST_FIELD_FL_TIMESTAMP;
}

static const struct trigger *trigger_of(const struct hist_data *hd)
{
	for (size_t i = 0; i < hd->file->triggers.n; i++)
		if (hd->file->triggers.v[i]->hist == hd)
			return hd->file->triggers.v[i];
	return NULL;
}

static bool same_keys(const struct hist_data *a, const struct hist_data *b)
{
	if (a->n_keys != b->n_keys)
		return false;
	return all_of(i, a->n_keys,
		      strcmp(a->fields[a->n_vals + i]->label, b->fields[b->n_vals + i]->label) ==
			      0);
}

/* Whether each hit of @hd is first a hit of the owner of @ref. */
static bool is_set_before(const struct hist_data *hd, const struct hist_field *ref)
{
	const struct hist_data *owner = ref->var.hist_data;
	const struct trigger *t;

	if (!(ref->flags & HIST_FIELD_FL_VAR_REF) || !owner || owner == hd ||
	    owner->file != hd->file || !same_keys(owner, hd))
		return false;
	t = trigger_of(owner);
	return t && !t->filter && !t->paused;
}

static bool is_no_interval(const struct hist_data *hd, const struct hist_field *f)
{
	const struct hist_field *to, *from;

	if (!(f->flags & HIST_FIELD_FL_EXPR) || f->expr.op != EXPR_MINUS)
		return false;
	to = f->expr.operands[0];
	from = f->expr.operands[1];
	if (!to || !from || !is_time(to) || !is_time(from) || to->flags & HIST_FIELD_FL_VAR_REF)
		return false;
	return !(from->flags & HIST_FIELD_FL_VAR_REF) || is_set_before(hd, from);
}

void warn_no_interval(const struct hist_data *hd, struct diags *diags)
{
	u32 i;

	for_each_hist_val_field(i, hd)
		if (is_no_interval(hd, hd->fields[i]))
			diags_add(diags, DIAG_WARNING,
				  "%s is always 0: the subtracted time is that of the same "
				  "event, because triggers run in the order in which they were "
				  "written; hist recipe inter-arrival measures the time from one "
				  "event to the next",
				  hd->fields[i]->var.name ? hd->fields[i]->var.name
							  : hd->fields[i]->name);
}
