// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The largest values of a row, in a sorted array. There are few, and most values are smaller than
 * the last one, so the position is searched from the end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/exemplar_row.h"

struct exemplar_row *exemplar_row_new(u32 max)
{
	struct exemplar_row *row = malloc(sizeof(*row) + max * sizeof(*row->v));

	if (row)
		*row = (struct exemplar_row){ .n = 0, .max = max };
	return row;
}

static bool comes_before(const struct exemplar *a, const struct exemplar *b, bool is_signed)
{
	if (a->value != b->value)
		return is_signed ? (s64)a->value > (s64)b->value : a->value > b->value;
	return a->at < b->at || (a->at == b->at && a->place < b->place);
}

struct exemplar *exemplar_row_add(struct exemplar_row *row, const struct exemplar *e,
				  bool is_signed)
{
	u32 i = row->n;

	while (i && comes_before(e, &row->v[i - 1], is_signed))
		i--;
	if (i == row->max)
		return NULL;
	if (row->n < row->max)
		row->n++;
	memmove(&row->v[i + 1], &row->v[i], (row->n - 1 - i) * sizeof(*row->v));
	row->v[i] = *e;
	return &row->v[i];
}

void exemplar_row_merge(struct exemplar_row *row, const struct exemplar_row *from, bool is_signed)
{
	for (u32 i = 0; i < from->n; i++)
		if (!exemplar_row_add(row, &from->v[i], is_signed))
			return; /* the values after it are smaller */
}
