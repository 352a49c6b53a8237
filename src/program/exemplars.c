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

void hist_exemplars_free(exemplar_row_array *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->v[i]);
	array_release(rows);
}

void hist_exemplars_clear(struct hist_exemplars *exemplars)
{
	hist_exemplars_free(&exemplars->rows);
}

int hist_exemplars_start_parts(struct hist_exemplars *exemplars, u32 n)
{
	exemplars->parts = calloc(n, sizeof(*exemplars->parts));
	exemplars->n_parts = exemplars->parts ? n : 0;
	return exemplars->parts ? 0 : HIST_NOMEM;
}

void hist_exemplars_drop_parts(struct hist_exemplars *exemplars)
{
	for (u32 i = 0; i < exemplars->n_parts; i++)
		hist_exemplars_free(&exemplars->parts[i]);
	free(exemplars->parts);
	exemplars->parts = NULL;
	exemplars->n_parts = 0;
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
