// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Exemplars of a sum: the largest of all, each with the recording that it is from.
 *
 * Each result knows the N largest of its rows, so of the sum only as many are known as the smallest
 * N. If a result has none, or those of another number, the sum has none.
 */
#include <stdlib.h>

#include "saved/merged.h"

int merged_copy_exemplars(struct stored_result *s, const struct result *like)
{
	const struct result_exemplars *from = like->exemplars;

	if (!from)
		return 0;
	s->result.exemplars = &s->exemplars;
	return exemplars_describe(&s->arena, from, &s->exemplars);
}

/* Results of hist 0.1 do not know all units. */
static bool are_alike(const struct result_exemplars *a, const struct result_exemplars *b)
{
	return a && b && !strcmp(a->name, b->name) && a->is_signed == b->is_signed &&
	       (!a->unit || !b->unit || !strcmp(a->unit, b->unit));
}

/* A unit that only later results know is that of the sum. */
static int adopt(struct merged *g, const struct result_exemplars *from)
{
	struct result_exemplars *own = &g->s->exemplars;

	own->max = min_t(u32, own->max, from->max);
	if (!own->unit)
		own->unit = arena_strdup(&g->s->arena, from->unit);
	return g->s->arena.failed ? HIST_NOMEM : 0;
}

int merged_begin_exemplars(struct merged *g, const struct result *r)
{
	struct result *sum = &g->s->result;

	free(g->exemplars);
	g->exemplars = NULL;
	if (!sum->exemplars)
		return r->exemplars != NULL;
	if (!are_alike(sum->exemplars, r->exemplars)) {
		sum->exemplars = NULL;
		return 1;
	}
	g->exemplars = exemplar_row_new(r->exemplars->max);
	return g->exemplars && !exemplar_copier_init(&g->copier, &g->s->arena, r->info)
		       ? adopt(g, r->exemplars)
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
