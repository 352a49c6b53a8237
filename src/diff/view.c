// SPDX-License-Identifier: LGPL-2.1-only
/* The displayed rows of a compared histogram, the largest change first. */
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
	err = dists_init(&d, &c->meter, metric->at, &subject);
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

struct keyed {
	const struct join *join;
	const struct diff_row *row;
	size_t at;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;

	for (size_t i = 0; i < x->join->n_keys; i++) {
		int order = key_compare(&x->join->keys[i], &x->row->keys[i], &y->row->keys[i]);

		if (order)
			return order;
	}
	return 0;
}

/* Assign the order of keys to rows. */
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

/* --- contributions to the change --- */

/* --- numbers of rows with each mark --- */

static void count_mark(struct summary *s, const struct view_row *v, bool more_is_better)
{
	switch (v->mark) {
	case MARK_GONE:
		s->gone++;
		return;
	case MARK_NEW:
		s->new ++;
		return;
	case MARK_FEW:
		return;
	case MARK_CHANGED:
		if ((v->measure.delta.max > 0) == more_is_better)
			s->better++;
		else
			s->worse++;
		return;
	default:
		s->same++;
	}
}

/* --- tests --- */

static int test_row(const struct comparison *c, const struct metric *metric, struct view_row *v)
{
	int err = measure_row(c, metric, v->row, &v->measure);

	return err ? err : measure_test(&c->meter, &v->measure);
}

/* --- making a view --- */

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
		v.mark = mark_of(&c->meter, v.row, &v.measure, options->noise);
		v.sort = sort_value(&v.measure, options->sort);
		count_mark(&view->summary, &v, options->more_is_better);
		if (v.mark != MARK_FEW) {
			/* of ranges: of the middles; rows that one side lacks have none */
			double ratio = interval_middle(v.measure.side[1]) /
				       interval_middle(v.measure.side[0]);

			if (ratio > 0 && isfinite(ratio)) {
				view->summary.geomean_percent += log(ratio);
				view->summary.n_ratios++;
			}
		}
		if (options->all || (v.mark >= MARK_CHANGED && v.mark <= MARK_NEW))
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
	double all, so_far = 0;

	*view = (struct view){ .all = { .row = &j->all } };
	view->rows = calloc(j->rows.n + 1, sizeof(*view->rows));
	err = view->rows ? measure_row(c, metric, &j->all, &view->all.measure) : HIST_NOMEM;
	if (err)
		return err;
	view->all.mark = mark_of(&c->meter, &j->all, &view->all.measure, options->noise);
	err = add_rows(view, c, metric, options);
	err = err ?: order_by_key(view, j);
	if (err)
		return err;
	qsort(view->rows, view->n, sizeof(*view->rows), compare_views);
	if (view->summary.n_ratios)
		view->summary.geomean_percent =
			expm1(view->summary.geomean_percent / (double)view->summary.n_ratios) * 100;
	all = view->all.measure.delta.min;
	view->all.part = view->all.so_far = (double)NAN;
	for (size_t i = 0; i < view->n; i++) {
		struct view_row *row = &view->rows[i];

		row->part = all != 0 ? row->measure.delta.min / all * 100 : (double)NAN;
		so_far += row->part;
		row->so_far = so_far;
	}
	if (options->top && view->n > options->top) {
		view->hidden += view->n - options->top;
		view->n = options->top;
	}
	/* test only the rows that are shown, because it takes time */
	if (!meter_can_test(&c->meter))
		return 0;
	err = test_row(c, metric, &view->all);
	for (size_t i = 0; i < view->n && !err; i++)
		err = test_row(c, metric, &view->rows[i]);
	return err;
}

int view_of_value(struct view *view, const struct hist_diff *d, const struct comparison *c,
		  size_t v, size_t max_rows)
{
	const struct metric metric = { MEASURE_VALUE, v, NULL };
	struct hist_diff_options options = d->options;

	if (max_rows && (!options.top || options.top > max_rows))
		options.top = max_rows;
	return view_init(view, c, &metric, &options);
}

void view_release(struct view *view)
{
	free(view->rows);
}
