// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Exemplars of entries. An entry's private area points to its exemplars, which are allocated at its
 * first hit; the list of all of them is used to free them.
 */
#include <stdlib.h>

#include "program/entry.h"
#include "program/exemplars.h"

const struct exemplar_row *hist_exemplars_of(const struct hist_data *hd,
					     struct tracing_map_elt *elt)
{
	return *elt_exemplars(hd, elt);
}

void hist_exemplars_clear(struct hist_exemplars *exemplars)
{
	for (size_t i = 0; i < exemplars->rows.n; i++)
		free(exemplars->rows.v[i]);
	array_release(&exemplars->rows);
}

const char *exemplars_name(const struct hist_field *field)
{
	return field->var.name ? field->var.name : field->label;
}

const struct hist_field *exemplars_number(const struct hist_field *field)
{
	bool rounded = field->flags & (HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET);

	return rounded && field->expr.operands[0] ? field->expr.operands[0] : field;
}
