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

static bool comes_before(u64 value, u64 at, const struct exemplar *e, bool is_signed)
{
	if (value != e->value)
		return is_signed ? (s64)value > (s64)e->value : value > e->value;
	return at < e->at;
}

struct exemplar *exemplar_row_add(struct exemplar_row *row, u64 value, u64 at, bool is_signed)
{
	u32 i = row->n;

	while (i && comes_before(value, at, &row->v[i - 1], is_signed))
		i--;
	if (i == row->max)
		return NULL;
	if (row->n < row->max)
		row->n++;
	memmove(&row->v[i + 1], &row->v[i], (row->n - 1 - i) * sizeof(*row->v));
	row->v[i] = (struct exemplar){ .value = value, .at = at };
	return &row->v[i];
}

void exemplar_row_merge(struct exemplar_row *row, const struct exemplar_row *from, bool is_signed)
{
	for (u32 i = 0; i < from->n; i++) {
		const struct exemplar *e = &from->v[i];
		struct exemplar *to = exemplar_row_add(row, e->value, e->at, is_signed);

		if (!to)
			return; /* the values after it are smaller */
		*to = *e;
	}
}
