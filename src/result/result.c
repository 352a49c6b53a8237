// SPDX-License-Identifier: LGPL-2.1-only
/* Numbers that are names, not quantities; memory for rows. */
#include "result/store.h"

bool result_is_part(const struct result_column *c)
{
	static const char *const parts[] = { "percent", "graph", "share", "cpu", "mean" };
	const bool part = c->role == RESULT_VALUE && c->modifier &&
			  any_of(i, ARRAY_SIZE(parts), !strcmp(c->modifier, parts[i]));

	return part;
}

int row_space_init(struct row_space *space, const struct result *r)
{
	space->cells = calloc(r->n_columns + 1, sizeof(*space->cells));
	space->sketches = calloc(r->n_row_stats + 1, sizeof(*space->sketches));
	space->samples = calloc(r->n_row_stats + 1, sizeof(*space->samples));
	return space->cells && space->sketches && space->samples ? 0 : HIST_NOMEM;
}

void row_space_release(struct row_space *space)
{
	free(space->cells);
	free(space->sketches);
	free(space->samples);
	*space = (struct row_space){ .cells = NULL };
}

struct result_column *columns_copy(struct arena *arena, const struct result_column *from, size_t n)
{
	struct result_column *to = arena_alloc(arena, (n + 1) * sizeof(*to));

	for (size_t i = 0; i < n && to; i++) {
		to[i] = from[i];
		to[i].name = arena_strdup(arena, from[i].name);
		to[i].label = arena_strdup(arena, from[i].label);
		to[i].modifier = arena_strdup(arena, from[i].modifier);
		to[i].unit = arena_strdup(arena, from[i].unit);
	}
	return arena->failed ? NULL : to;
}

const char *const *texts_copy(struct arena *arena, const char *const *from, size_t n)
{
	const char **to = arena_alloc(arena, (n + 1) * sizeof(*to));

	for (size_t i = 0; i < n && to; i++)
		to[i] = arena_strdup(arena, from[i]);
	return arena->failed ? NULL : to;
}

/* --- copies of exemplars: most rows have those of one file, so the last name is reused --- */

int exemplars_describe(struct arena *arena, const struct result_exemplars *from,
		       struct result_exemplars *to)
{
	*to = (struct result_exemplars){
		.name = arena_strdup(arena, from->name),
		.unit = arena_strdup(arena, from->unit),
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

const char *unique_names_add(struct unique_names *names, const char *name)
{
	unsigned int n = 1;

	for (size_t i = 0; i < names->given.n; i++)
		n += !strcmp(names->given.v[i], name);
	if (array_push(&names->given, name))
		return NULL;
	return n > 1 ? arena_printf(names->arena, "%s#%u", name, n) : name;
}
