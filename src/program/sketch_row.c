// SPDX-License-Identifier: LGPL-2.1-only
/* Reference-counted rows of sketches. A row is used by one thread. */
#include <stdlib.h>

#include "base/base.h"
#include "program/sketch_row.h"

struct sketch_row *sketch_row_new(u32 n)
{
	struct sketch_row *row = calloc(1, sizeof(*row) + n * sizeof(*row->v));

	if (row) {
		row->refs = 1;
		row->n = n;
	}
	return row;
}

void sketch_row_put(struct sketch_row *row)
{
	if (!row || --row->refs)
		return;
	for (u32 i = 0; i < row->n; i++)
		sketch_release(&row->v[i]);
	free(row);
}

struct sketch_row *sketch_row_copy(const struct sketch_row *row)
{
	struct sketch_row *copy = sketch_row_new(row->n);
	int err = copy ? 0 : HIST_NOMEM;

	for (u32 i = 0; i < row->n && !err; i++) {
		copy->v[i].is_signed = row->v[i].is_signed;
		err = sketch_merge(&copy->v[i], &row->v[i]);
	}
	if (err) {
		sketch_row_put(copy);
		return NULL;
	}
	return copy;
}
