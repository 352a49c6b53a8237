// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The rows of a histogram over all slices of time: values are added up, saved values are those of
 * the slice with the largest one.
 */
#include "picture/gather.h"

struct slice_row {
	const struct pic_group *g;
	size_t row;
};

static int compare_cells(const struct pic_cell *a, const struct pic_cell *b)
{
	if (a->num != b->num)
		return (a->num > b->num) - (a->num < b->num);
	return span_cmp(a->text, b->text);
}

static int compare_keys(const void *one, const void *other)
{
	const struct slice_row *a = one, *b = other;

	for (size_t i = 0; i < a->g->r->n_keys; i++) {
		int order = compare_cells(&a->g->rows.v[a->row].cells[i],
					  &b->g->rows.v[b->row].cells[i]);

		if (order)
			return order;
	}
	return 0;
}

DEFINE_ORDER(compare_rows, struct slice_row, compare_keys(x, y) ?: cmp_int(x->row, y->row))

static int add_row(struct pic_totals *t, const struct pic_group *g, struct pic_row *to,
		   struct pic_cell *cells, const struct pic_row *row)
{
	const size_t saved = g->r->n_keys + g->r->n_values;
	int err = 0;

	for (size_t i = g->r->n_keys; i < saved && !err; i++) {
		const struct result_column *c = &g->r->columns[i];
		const u64 num = c->is_signed ? cells[i].num + row->cells[i].num
					     : add_saturated(cells[i].num, row->cells[i].num);
		const bool part = result_is_part(c);
		struct strbuf sb = STRBUF_INIT;
		const char *text;

		/* A number as text; a percentage of a slice cannot be added up. */
		cells[i].num = cells[i].max = num;
		if (!part)
			text_add_number(&sb, num, c->is_signed);
		text = arena_take(&t->arena, &sb);
		cells[i].text = span_of(text ? text : "");
		err = text ? 0 : HIST_NOMEM;
	}
	if (saved < g->r->n_columns && cell_number(&g->r->columns[saved], &row->cells[saved]) >
					       cell_number(&g->r->columns[saved], &cells[saved]))
		memcpy(&cells[saved], &row->cells[saved],
		       (g->r->n_columns - saved) * sizeof(*cells));
	if (!err && row->exemplars && to->exemplars) {
		struct exemplar_row *both = exemplar_row_in(&t->arena, g->r->exemplars->max);

		if (!both)
			return HIST_NOMEM;
		exemplar_row_merge(both, to->exemplars, g->r->exemplars->is_signed);
		exemplar_row_merge(both, row->exemplars, g->r->exemplars->is_signed);
		to->exemplars = both;
	} else if (row->exemplars) {
		to->exemplars = row->exemplars;
	}
	return err;
}

int totals_init(struct pic_totals *t, const struct pic_group *g)
{
	struct slice_row *keyed;
	struct pic_cell *cells = NULL;
	int err = 0;

	t->rows = g->rows.v;
	t->n = g->rows.n;
	if (!g->sliced || !g->rows.n)
		return 0;
	keyed = calloc(g->rows.n, sizeof(*keyed));
	t->rows = arena_alloc(&t->arena, g->rows.n * sizeof(*t->rows));
	t->n = 0;
	if (!keyed || !t->rows) {
		free(keyed);
		return HIST_NOMEM;
	}
	for (size_t i = 0; i < g->rows.n; i++)
		keyed[i] = (struct slice_row){ g, i };
	qsort(keyed, g->rows.n, sizeof(*keyed), compare_rows);
	for (size_t i = 0; i < g->rows.n && !err; i++) {
		const struct pic_row *row = &g->rows.v[keyed[i].row];

		if (i && !compare_keys(&keyed[i - 1], &keyed[i])) {
			err = add_row(t, g, &t->rows[t->n - 1], cells, row);
			continue;
		}
		cells = arena_alloc(&t->arena, (g->r->n_columns + 1) * sizeof(*cells));
		if (!cells) {
			err = HIST_NOMEM;
			break;
		}
		memcpy(cells, row->cells, g->r->n_columns * sizeof(*cells));
		t->rows[t->n] = *row;
		t->rows[t->n++].cells = cells;
	}
	free(keyed);
	return err;
}
