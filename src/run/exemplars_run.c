// SPDX-License-Identifier: LGPL-2.1-only
/* A hit is kept as an exemplar if its value is among the largest of its entry. */
#include <stdlib.h>

#include "program/entry.h"
#include "program/exemplars.h"
#include "program/hit.h"
#include "program/value.h"
#include "run/hist_run.h"

static struct exemplar_row *new_row(struct hist_exemplars *exemplars)
{
	struct exemplar_row *row = exemplar_row_new(exemplars->max);

	if (row && array_push(&exemplars->rows, row)) {
		free(row);
		return NULL;
	}
	return row;
}

static void describe(struct exemplar *e, const struct hit *hit)
{
	const char *comm = hit->pid < 0 ? "<XXX>"
			   : hit->pid   ? hit->source->comm(hit->source->arg, hit)
					: "<idle>";

	e->cpu = hit->cpu;
	e->pid = hit->pid;
	text_copy(e->comm, comm, sizeof(e->comm) - 1);
}

void hist_exemplars_hit(struct hist_data *hd, struct tracing_map_elt *elt, const struct hit *hit,
			const u64 *refs)
{
	struct hist_exemplars *exemplars = hd->exemplars;
	struct exemplar_row **row = elt_exemplars(hd, elt);
	struct exemplar *e;

	if (!*row)
		*row = new_row(exemplars);
	if (!*row) {
		hd->map->failed = true;
		return;
	}
	e = exemplar_row_add(*row, value_num(exemplars->value, hit, refs), hit->ts,
			     exemplars_number(exemplars->field)->is_signed);
	if (e)
		describe(e, hit);
}
