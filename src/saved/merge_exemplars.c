// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Exemplars of a sum: the largest of all, each with the recording that it is from.
 *
 * Each result knows the N largest of its rows, so of the sum only as many are known as the smallest
 * N. If a result has none, or those of another number, the sum has none.
 */
#include <stdlib.h>

#include "saved/merged.h"

/* Results of hist 0.1 do not know all units. */
static bool are_alike(const struct result_exemplars *a, const struct result_exemplars *b)
{
	return a && b && !strcmp(a->name, b->name) && a->is_signed == b->is_signed &&
	       (!a->unit || !b->unit || !strcmp(a->unit, b->unit));
}

int merged_begin_exemplars(struct merged *g, const struct result *r)
{
	struct result *sum = &g->s->result;
	struct result_exemplars *own = &g->s->exemplars;

	free(g->exemplars);
	g->exemplars = NULL;
	if (!sum->exemplars)
		return r->exemplars != NULL;
	if (!are_alike(sum->exemplars, r->exemplars)) {
		sum->exemplars = NULL;
		return 1;
	}
	g->exemplars = exemplar_row_new(r->exemplars->max);
	own->max = min_t(u32, own->max, r->exemplars->max);
	if (!own->unit) /* a unit that only later results know is that of the sum */
		own->unit = arena_strdup(&g->s->arena, r->exemplars->unit);
	return g->exemplars && !exemplar_copier_init(&g->copier, &g->s->arena, r->info) &&
			       !g->s->arena.failed
		       ? 0
		       : HIST_NOMEM;
}

int merged_own_exemplars(struct merged *g, struct result_row *row)
{
	const struct exemplar_row *from = row->exemplars;

	row->exemplars = NULL;
	if (!from || !g->exemplars)
		return 0;
	row->exemplars = g->exemplars;
	return exemplar_copy(&g->copier, from, g->exemplars);
}
