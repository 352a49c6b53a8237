// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Units of times: a time stamp, a difference of time stamps, and what is computed from them or
 * passed on in variables and synthetic events.
 *
 * A unit is only for display: none of the kernel's behaviour depends on it.
 */
#include "program/hist_data.h"

static const struct hist_field *hidden_value(const struct hist_data *hd, u32 idx)
{
	for (u32 i = 0; i < hd->n_field_vars; i++)
		if (hd->field_vars[i]->var->var.idx == idx)
			return hd->field_vars[i]->val;
	for (u32 i = 0; i < hd->n_save_vars; i++)
		if (hd->save_vars[i]->var->var.idx == idx)
			return hd->save_vars[i]->val;
	return NULL;
}

/* The value of variable @idx of @hd; NULL if it is not a value of a hit, such as a maximum. */
static const struct hist_field *value_of(const struct hist_data *hd, u32 idx)
{
	u32 i;

	for_each_hist_val_field(i, hd)
		if (hd->fields[i]->flags & HIST_FIELD_FL_VAR && hd->fields[i]->var.idx == idx)
			return hd->fields[i];
	return hidden_value(hd, idx);
}

/* The value of @f if it is a constant; otherwise 0. */
static u64 constant_of(const struct hist_field *f)
{
	if (f->flags & HIST_FIELD_FL_VAR_REF)
		f = value_of(f->var.hist_data, f->var.idx);
	return f && f->flags & HIST_FIELD_FL_CONST ? f->expr.constant : 0;
}

const char *time_unit_of(const struct hist_field *f)
{
	const char *unit;

	while (f && f->flags & (HIST_FIELD_FL_VAR_REF | HIST_FIELD_FL_ALIAS))
		f = f->flags & HIST_FIELD_FL_ALIAS ? f->expr.operands[0]
						   : value_of(f->var.hist_data, f->var.idx);
	if (!f)
		return NULL;
	if (f->expr.operands[0]) {
		unit = time_unit_of(f->expr.operands[0]);
		if (f->expr.op == EXPR_DIV)
			return unit && !strcmp(unit, "ns") &&
					       constant_of(f->expr.operands[1]) == 1000
				       ? "us"
				       : NULL;
		/* a sum, a unary minus, and rounding keep it */
		return f->expr.op == EXPR_MULT ? NULL : unit;
	}
	if (f->flags & HIST_FIELD_FL_TIMESTAMP)
		return f->hist_data->ts_in_usecs ? "us" : "ns";
	if (f->field)
		return f->field->time_unit;
	/* a hidden value itself has neither a name nor an index */
	return f->var.name ? time_unit_of(hidden_value(f->hist_data, f->var.idx)) : NULL;
}
