// SPDX-License-Identifier: LGPL-2.1-only
/* The displayed rows of a compared histogram, the largest change first. */
#include "diff/diff.h"

static int measure_row(const struct comparison *c, const struct metric *metric,
		       const struct diff_row *row, struct measure *m)
{
	int err = measure_metric(&c->meter, metric, row, m);

	m->p_family = evidence_p(&c->evidence, c->join, metric, row);
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

DEFINE_ORDER(compare_views, struct view_row,
	     cmp_int(y->sort, x->sort) ?: cmp_int(x->order, y->order))

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
	return cmp_int(x->row->index, y->row->index);
}

static int order_by_key(struct view *view, const struct join *j)
{
	scoped(free_scoped) struct keyed *keyed = calloc(view->n + 1, sizeof(*keyed));

	if (!keyed)
		return HIST_NOMEM;
	for (size_t i = 0; i < view->n; i++)
		keyed[i] = (struct keyed){ j, view->rows[i].row, i };
	qsort(keyed, view->n, sizeof(*keyed), compare_keyed);
	for (size_t i = 0; i < view->n; i++)
		view->rows[keyed[i].at].order = i;
	return 0;
}

/* Sort the rows; only the first @most of them are displayed. */
static int sort_rows(struct view *view, const struct join *j, size_t most)
{
	int err = order_by_key(view, j);

	if (err)
		return err;
	qsort(view->rows, view->n, sizeof(*view->rows), compare_views);
	if (view->n > most) {
		view->hidden += view->n - most;
		view->n = most;
	}
	return 0;
}

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

/* --- making a view --- */

/*
 * Whether a row is shown without --all: one of its numbers changed; or it differs, and there are
 * too few runs to be sure.
 */
static bool is_shown(const struct comparison *c, const struct view_row *v, double noise)
{
	return c->evidence.changed[v->row->index] ||
	       (!c->evidence.family->exact && v->mark == MARK_WITHIN &&
		ends(v->measure.percent) > noise);
}

/* Of ranges the ratio of the middles; rows that one side lacks have none. */
static void add_ratio(struct summary *sum, const struct measure *m)
{
	const double ratio = interval_middle(m->side[1]) / interval_middle(m->side[0]);

	if (!(ratio > 0 && isfinite(ratio)))
		return;
	sum->geomean_percent += log(ratio);
	sum->n_ratios++;
}

/* How many rows there is room for: there may be millions, of which few are displayed. */
static size_t room_for_rows(size_t n, size_t most)
{
	enum { LEAST = 4096 };

	return most < n / 2 ? min_t(size_t, n, max_t(size_t, LEAST, 2 * most)) : n;
}

/*
 * All rows, of which the first @options->top are kept. @changes: set to the sum of all changes,
 * without their signs
 */
static int add_rows(struct view *view, const struct comparison *c, const struct metric *metric,
		    const struct hist_diff_options *options, double *changes)
{
	const struct join *j = c->join;
	const size_t most = options->top ?: SIZE_MAX, room = room_for_rows(j->rows.n, most);
	int err = 0;

	view->rows = calloc(room + 1, sizeof(*view->rows));
	if (!view->rows)
		return HIST_NOMEM;
	for (size_t i = 0; i < j->rows.n && !err; i++) {
		struct view_row v = { .row = j->rows.v[i] };

		if (v.row->left_out)
			continue;
		err = measure_row(c, metric, v.row, &v.measure);
		v.mark = mark_of(c, v.row, &v.measure, options);
		v.sort = sort_value(&v.measure, options->sort);
		*changes += isfinite(v.measure.delta.min) ? fabs(v.measure.delta.min) : 0;
		count_mark(&view->summary, &v, options->more_is_better);
		if (v.mark != MARK_FEW)
			add_ratio(&view->summary, &v.measure);
		if (!options->all && !is_shown(c, &v, options->noise)) {
			view->hidden++;
			continue;
		}
		if (view->n == room)
			err = err ?: sort_rows(view, j, most);
		view->rows[view->n++] = v;
	}
	return err ?: sort_rows(view, j, most);
}

int view_init(struct view *view, const struct comparison *c, const struct metric *metric,
	      const struct hist_diff_options *options)
{
	const struct join *j = c->join;
	int err;
	double all, changes = 0, so_far = 0;

	*view = (struct view){ .all = { .row = &j->all } };
	view->summary.neutral = metric->what == MEASURE_VALUE && !metric->at && j->n_sketches;
	err = measure_row(c, metric, &j->all, &view->all.measure);
	if (err)
		return err;
	view->all.mark = mark_of(c, &j->all, &view->all.measure, options);
	err = add_rows(view, c, metric, options, &changes);
	if (err)
		return err;
	if (view->summary.n_ratios)
		view->summary.geomean_percent =
			expm1(view->summary.geomean_percent / (double)view->summary.n_ratios) * 100;
	all = view->all.measure.delta.min;
	view->all.part = view->all.share = view->all.so_far = (double)NAN;
	array_each_of(struct view_row, row, view->rows, view->n) {
		double delta = row->measure.delta.min;

		row->part = all != 0 ? delta / all * 100 : (double)NAN;
		row->share = changes > 0 ? fabs(delta) / changes * 100 : (double)NAN;
		so_far += isnan(row->share) ? 0 : row->share;
		row->so_far = isnan(row->share) ? (double)NAN : fmin(so_far, 100);
	}
	return 0;
}

int view_test(struct view *view, const struct comparison *c, const struct metric *metric)
{
	struct measure m;
	int err = measure_metric(&c->meter, metric, view->all.row, &m);

	err = err ?: measure_test(&c->meter, &m);
	view->all.measure.p = m.p;
	for (size_t i = 0; i < view->n && !err; i++) {
		err = measure_metric(&c->meter, metric, view->rows[i].row, &m);
		err = err ?: measure_test(&c->meter, &m);
		view->rows[i].measure.p = m.p;
	}
	return err;
}

struct metric value_metric(const struct join *j, size_t v)
{
	return (struct metric){ MEASURE_VALUE, v, j->values[v].unit };
}

int view_of_metric(struct view *view, const struct hist_diff *d, const struct comparison *c,
		   const struct metric *metric, size_t max_rows)
{
	struct hist_diff_options options = d->options;

	if (max_rows && (!options.top || options.top > max_rows))
		options.top = max_rows;
	return view_init(view, c, metric, &options);
}

void view_release(struct view *view)
{
	free(view->rows);
}
