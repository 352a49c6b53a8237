// SPDX-License-Identifier: LGPL-2.1-only
/* A result with additional keys, which are strings, after its own keys. */
#include "saved/merged.h"

struct labelled {
	struct result result;
	const struct result *inner;
	const struct merge_label *labels;
	size_t n_labels;
	struct result_column *columns;
	struct result_sort *sort;
	struct result_cell *cells, *snapshot_keys;
	struct result_snapshot snapshot;
};

/* The inner result's cells with the labels between keys and values. */
static void spread(const struct labelled *l, const struct result_cell *from, size_t n,
		   struct result_cell *to)
{
	size_t keys = l->inner->n_keys;

	memcpy(to, from, keys * sizeof(*to));
	for (size_t i = 0; i < l->n_labels; i++)
		to[keys + i] = (struct result_cell){ .text = span_of(l->labels[i].value) };
	memcpy(to + keys + l->n_labels, from + keys, (n - keys) * sizeof(*to));
}

static void row(const struct result *result, size_t i, struct result_row *out)
{
	struct labelled *l = result->arg;

	l->inner->row(l->inner, i, out);
	spread(l, out->cells, l->inner->n_columns, l->cells);
	out->cells = l->cells;
}

int labelled_new(const struct result *inner, const struct merge_label *labels, size_t n,
		 struct result **out)
{
	struct labelled *l = calloc(1, sizeof(*l));
	size_t columns = inner->n_columns + n, keys = inner->n_keys;

	if (!l)
		return HIST_NOMEM;
	l->result = *inner;
	l->inner = inner;
	l->labels = labels;
	l->n_labels = n;
	l->columns = calloc(columns, sizeof(*l->columns));
	l->cells = calloc(columns, sizeof(*l->cells));
	l->snapshot_keys = calloc(columns, sizeof(*l->snapshot_keys));
	l->sort = calloc(inner->n_sort + 1, sizeof(*l->sort));
	if (!l->columns || !l->cells || !l->snapshot_keys || !l->sort) {
		labelled_free(&l->result);
		return HIST_NOMEM;
	}
	memcpy(l->columns, inner->columns, keys * sizeof(*l->columns));
	for (size_t i = 0; i < n; i++)
		l->columns[keys + i] = (struct result_column){ .name = labels[i].name,
							       .label = labels[i].name,
							       .role = RESULT_KEY,
							       .type = RESULT_TEXT };
	memcpy(l->columns + keys + n, inner->columns + keys,
	       (inner->n_columns - keys) * sizeof(*l->columns));
	for (size_t i = 0; i < inner->n_sort; i++) {
		l->sort[i] = inner->sort[i];
		l->sort[i].column += inner->sort[i].column >= keys ? n : 0;
	}
	l->result.columns = l->columns;
	l->result.sort = l->sort;
	l->result.n_columns += n;
	l->result.n_keys += n;
	if (inner->snapshot) {
		spread(l, inner->snapshot->keys, inner->n_keys, l->snapshot_keys);
		l->snapshot = *inner->snapshot;
		l->snapshot.keys = l->snapshot_keys;
		l->result.snapshot = &l->snapshot;
	}
	l->result.row = row;
	l->result.row_in = NULL;
	l->result.arg = l;
	*out = &l->result;
	return 0;
}

void labelled_free(struct result *result)
{
	struct labelled *l;

	if (!result)
		return;
	l = container_of(result, struct labelled, result);
	free(l->columns);
	free(l->sort);
	free(l->cells);
	free(l->snapshot_keys);
	free(l);
}
