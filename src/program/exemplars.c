// SPDX-License-Identifier: LGPL-2.1-only
/* What exemplars compare. */
#include "program/exemplars.h"

const char *exemplars_name(const struct hist_field *field)
{
	return field->var.name ? field->var.name : field->label;
}

const struct hist_field *exemplars_number(const struct hist_field *field)
{
	bool rounded = field->flags & (HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET);

	return rounded && field->expr.operands[0] ? field->expr.operands[0] : field;
}
