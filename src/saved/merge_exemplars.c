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
	s->exemplars = (struct result_exemplars){
		.name = arena_strdup(&s->arena, from->name),
		.unit = from->unit ? arena_strdup(&s->arena, from->unit) : NULL,
		.is_signed = from->is_signed,
		.max = from->max,
	};
	s->result.exemplars = &s->exemplars;
	return !s->exemplars.name || (from->unit && !s->exemplars.unit) ? HIST_NOMEM : 0;
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
	if (own->unit || !from->unit)
		return 0;
	own->unit = arena_strdup(&g->s->arena, from->unit);
	return own->unit ? 0 : HIST_NOMEM;
}

int merged_begin_exemplars(struct merged *g, const struct result *r)
{
	const struct result_info *info = r->info;
	struct result *sum = &g->s->result;

	free(g->exemplars);
	g->exemplars = NULL;
	g->file = g->last_file = NULL;
	if (!sum->exemplars)
		return r->exemplars != NULL;
	if (!are_alike(sum->exemplars, r->exemplars)) {
		sum->exemplars = NULL;
		return 1;
	}
	g->exemplars = exemplar_row_new(r->exemplars->max);
	if (info->n_files == 1) {
		g->file = arena_strdup(&g->s->arena, info->files[0]);
		if (!g->file)
			return HIST_NOMEM;
	}
	return g->exemplars ? adopt(g, r->exemplars) : HIST_NOMEM;
}

/* A copy of the name, which is mostly that of the exemplar before. NULL: out of memory */
static const char *own_file(struct merged *g, const char *file)
{
	if (!file)
		return g->file;
	if (!g->last_file || strcmp(file, g->last_file) != 0)
		g->last_file = arena_strdup(&g->s->arena, file);
	return g->last_file;
}

int merged_own_exemplars(struct merged *g, struct result_row *row)
{
	const struct exemplar_row *from = row->exemplars;

	row->exemplars = NULL;
	if (!from || !g->exemplars)
		return 0;
	g->exemplars->n = min_t(u32, from->n, g->exemplars->max);
	for (u32 i = 0; i < g->exemplars->n; i++) {
		struct exemplar *e = &g->exemplars->v[i];

		*e = from->v[i];
		e->file = own_file(g, e->file);
		if (!e->file && from->v[i].file)
			return HIST_NOMEM;
	}
	row->exemplars = g->exemplars;
	return 0;
}
