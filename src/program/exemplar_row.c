// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The largest values of a row, in a sorted array. There are few, and most values are smaller than
 * the last one, so the position is searched from the end.
 */
#include "program/exemplar_row.h"

struct exemplar_row *exemplar_row_new(u32 max)
{
	struct exemplar_row *row = malloc(sizeof(*row) + max * sizeof(*row->v));

	if (row)
		*row = (struct exemplar_row){ .n = 0, .max = max };
	return row;
}

struct exemplar_row *exemplar_row_in(struct arena *arena, u32 max)
{
	struct exemplar_row *row = arena_alloc(arena, sizeof(*row) + max * sizeof(*row->v));

	if (row)
		row->max = max;
	return row;
}

static bool comes_before(const struct exemplar *a, const struct exemplar *b, bool is_signed)
{
	if (a->value != b->value)
		return is_signed ? (s64)a->value > (s64)b->value : a->value > b->value;
	return a->at < b->at || (a->at == b->at && a->place < b->place);
}

static struct exemplar *insert(struct exemplar_row *row, u32 i, const struct exemplar *e)
{
	if (i == row->max)
		return NULL;
	if (row->n < row->max)
		row->n++;
	memmove(&row->v[i + 1], &row->v[i], (row->n - 1 - i) * sizeof(*row->v));
	row->v[i] = *e;
	return &row->v[i];
}

struct exemplar *exemplar_row_add(struct exemplar_row *row, const struct exemplar *e,
				  bool is_signed)
{
	u32 i = row->n;

	while (i && comes_before(e, &row->v[i - 1], is_signed))
		i--;
	return insert(row, i, e);
}

/* The order of merged rows; 0: they are the same. */
static int compare(const struct exemplar *a, const struct exemplar *b, bool is_signed)
{
	int order;

	if (comes_before(a, b, is_signed) || comes_before(b, a, is_signed))
		return comes_before(a, b, is_signed) ? -1 : 1;
	order = (a->cpu > b->cpu) - (a->cpu < b->cpu);
	if (!order)
		order = ((u32)a->pid > (u32)b->pid) - ((u32)a->pid < (u32)b->pid);
	if (!order)
		order = strncmp(a->comm, b->comm, sizeof(a->comm));
	return order ? order : strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

void exemplar_row_merge(struct exemplar_row *row, const struct exemplar_row *from, bool is_signed)
{
	for (u32 k = 0; k < from->n; k++) {
		u32 i = row->n;

		while (i && compare(&from->v[k], &row->v[i - 1], is_signed) < 0)
			i--;
		insert(row, i, &from->v[k]);
	}
}
