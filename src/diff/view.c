// SPDX-License-Identifier: LGPL-2.1-only
/* Enters: a compared histogram. Leaves: the rows to show, the largest change first. */
#include <math.h>
#include <stdlib.h>

#include "diff/diff.h"

static int measure_row(const struct comparison *c, const struct metric *metric,
		       const struct diff_row *row, struct measure *m)
{
	const struct subject subject = { .row = row };
	struct dists d;
	int err;

	if (metric->what == MEASURE_VALUE) {
		*m = measure_value(&c->meter, metric->at, row);
		return 0;
	}
	err = dists_init(&d, c->join, metric->at, &subject);
	if (!err)
		*m = measure_stat(&c->meter, &d, metric->what);
	dists_release(&d);
	return err;
}

static double ends(struct interval i)
{
	double v = fmax(fabs(i.min), fabs(i.max));

	return isnan(v) ? -HUGE_VAL : v;
}

static double sort_value(const struct measure *m, const char *sort)
{
	if (!sort || !strcmp(sort, "delta"))
		return ends(m->delta);
	if (!strcmp(sort, "percent"))
		return ends(m->percent);
	if (!strcmp(sort, "before"))
		return isnan(m->side[0].max) ? -HUGE_VAL : m->side[0].max;
	if (!strcmp(sort, "after"))
		return isnan(m->side[1].max) ? -HUGE_VAL : m->side[1].max;
	return 0;
}

static int compare_views(const void *a, const void *b)
{
	const struct view_row *x = a, *y = b;

	if (x->sort != y->sort)
		return x->sort > y->sort ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* --- by key --- */

static int compare_cells(const struct diff_key *key, const struct diff_cell *a,
			 const struct diff_cell *b)
{
	size_t n = min_t(size_t, a->text.n, b->text.n);
	u64 flip = key->column.is_signed ? 1ull << 63 : 0;
	int order = n ? memcmp(a->text.s, b->text.s, n) : 0;

	if (order || a->text.n != b->text.n)
		return order ? order : a->text.n < b->text.n ? -1 : 1;
	return ((a->num ^ flip) > (b->num ^ flip)) - ((a->num ^ flip) < (b->num ^ flip));
}

struct keyed {
	const struct join *join;
	const struct diff_row *row;
	size_t at;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	for (size_t i = 0; i < x->join->n_keys; i++) {
		int order = compare_cells(&x->join->keys[i], &x->row->keys[i], &y->row->keys[i]);

		if (order)
			return order;
	}
	return 0;
}

/* Give rows their place in the order of keys. */
static int order_by_key(struct view *view, const struct join *j)
{
	struct keyed *keyed = calloc(view->n + 1, sizeof(*keyed));

	if (!keyed)
		return HIST_NOMEM;
	for (size_t i = 0; i < view->n; i++)
		keyed[i] = (struct keyed){ j, view->rows[i].row, i };
	qsort(keyed, view->n, sizeof(*keyed), compare_keyed);
	for (size_t i = 0; i < view->n; i++)
		view->rows[keyed[i].at].order = i;
	free(keyed);
	return 0;
}

/* --- the whole --- */

static bool is_shown(const struct view_row *v, const struct hist_diff_options *options)
{
	return options->all || (v->mark >= MARK_CHANGED && v->mark <= MARK_NEW);
}

static int add_rows(struct view *view, const struct comparison *c, const struct metric *metric,
		    const struct hist_diff_options *options)
{
	const struct join *j = c->join;
	int err = 0;

	for (size_t i = 0; i < j->rows.n && !err; i++) {
		struct view_row v = { .row = j->rows.v[i] };

		if (v.row->left_out)
			continue;
		err = measure_row(c, metric, v.row, &v.measure);
		v.mark = mark_of(j, v.row, &v.measure, options->noise);
		v.sort = sort_value(&v.measure, options->sort);
		if (is_shown(&v, options))
			view->rows[view->n++] = v;
		else
			view->hidden++;
	}
	return err;
}

int view_init(struct view *view, const struct comparison *c, const struct metric *metric,
	      const struct hist_diff_options *options)
{
	const struct join *j = c->join;
	int err;

	*view = (struct view){ .all = { .row = &j->all } };
	view->rows = calloc(j->rows.n + 1, sizeof(*view->rows));
	err = view->rows ? measure_row(c, metric, &j->all, &view->all.measure) : HIST_NOMEM;
	if (err)
		return err;
	view->all.mark = mark_of(j, &j->all, &view->all.measure, options->noise);
	err = add_rows(view, c, metric, options);
	if (!err)
		err = order_by_key(view, j);
	if (err)
		return err;
	qsort(view->rows, view->n, sizeof(*view->rows), compare_views);
	if (options->top && view->n > options->top) {
		view->hidden += view->n - options->top;
		view->n = options->top;
	}
	return 0;
}

void view_release(struct view *view)
{
	free(view->rows);
}
