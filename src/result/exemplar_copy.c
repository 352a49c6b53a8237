// SPDX-License-Identifier: LGPL-2.1-only
/* Copies of exemplars. Most rows have exemplars of one file, so the last name is reused. */
#include <string.h>

#include "result/exemplar_copy.h"

int exemplars_describe(struct arena *arena, const struct result_exemplars *from,
		       struct result_exemplars *to)
{
	*to = (struct result_exemplars){
		.name = arena_strdup(arena, from->name),
		.unit = from->unit ? arena_strdup(arena, from->unit) : NULL,
		.is_signed = from->is_signed,
		.max = from->max,
	};
	return !to->name || (from->unit && !to->unit) ? HIST_NOMEM : 0;
}

int exemplar_copier_init(struct exemplar_copier *c, struct arena *arena,
			 const struct result_info *info)
{
	bool one = info->n_files == 1;

	*c = (struct exemplar_copier){
		.arena = arena,
		.file = one ? arena_strdup(arena, info->files[0]) : NULL,
	};
	return one && !c->file ? HIST_NOMEM : 0;
}

int exemplar_copy(struct exemplar_copier *c, const struct exemplar_row *from,
		  struct exemplar_row *to)
{
	to->n = min_t(u32, from->n, to->max);
	for (u32 i = 0; i < to->n; i++) {
		const char *file = from->v[i].file;

		if (file && (!c->last || strcmp(file, c->last) != 0))
			c->last = arena_strdup(c->arena, file);
		if (file && !c->last)
			return HIST_NOMEM;
		to->v[i] = from->v[i];
		to->v[i].file = file ? c->last : c->file;
	}
	return 0;
}
