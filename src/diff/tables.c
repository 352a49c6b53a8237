// SPDX-License-Identifier: LGPL-2.1-only
/* Fills tables with cells, from a compared histogram and a view of it. */
#include "diff/tables.h"

/* ORDER enum mark */
static const char *const signs[MARKS] = { "", "~", "!", "-", "+", "?" };

/* --- one table first --- */

bool diff_is_brief(const struct hist_diff *d, const struct comparison *c)
{
	return c->join->question && !c->one_metric && !d->all_tables && d->n_sides == 2;
}

size_t main_value(const struct join *j)
{
	for (size_t v = 1; v < j->n_values && j->n_sketches && j->question; v++)
		if (!strcmp(j->values[v].name, j->stats[0].name))
			return v;
	return 0;
}

bool diff_only_names(const struct hist_diff *d, size_t i)
{
	return i && diff_is_brief(d, &d->all.v[i]);
}

void others_add(struct strbuf *out, const struct hist_diff *d, const struct comparison *c)
{
	const struct join *j = c->join;
	size_t start = out->len;

	for (size_t v = 0; v < j->n_values; v++)
		if (v != main_value(j))
			strbuf_addf(out, "%s%s", out->len > start ? ", " : "", j->values[v].name);
	for (size_t s = 0; s < j->n_sketches; s++)
		if (!j->stats[s].repeats)
			strbuf_addf(out, "%s%s.mean", out->len > start ? ", " : "",
				    j->stats[s].name);
	if (out->len > start) {
		strbuf_addstr(out, " of these rows: --metric NAME");
		text_wrap(out, start, 0, d->options.width, 0);
	}
	for (size_t i = 0; i < d->all.n; i++) {
		const struct comparison *other = &d->all.v[i];

		if (!diff_only_names(d, i))
			continue;
		start = out->len;
		strbuf_addf(out, "%zu. ", i + 1);
		join_add_name(other->join, false, out);
		strbuf_addf(out, ": %zu row%s, %zu changed: --show %zu", other->join->rows.n,
			    plural(other->join->rows.n), other->marks[MARK_CHANGED], i + 1);
		text_wrap(out, start, 0, d->options.width, 3);
	}
}

/* --- cells --- */

static void add_interval(struct table *t, struct interval i, bool with_sign, const char *unit)
{
	interval_add(table_cell(t), i, with_sign, people_unit(unit) ? unit : NULL);
	table_end_cell(t);
}

static void add_percent(struct table *t, struct interval i)
{
	percent_add(table_cell(t), i);
	table_end_cell(t);
}

static void add_part(struct table *t, double percent)
{
	if (isfinite(percent))
		table_addf(t, "%.1f%%", percent + 0.0);
	else
		table_add(t, "");
}

static void add_count(struct table *t, u64 v, bool is_signed, const char *unit)
{
	if (people_unit(unit))
		people_text(table_cell(t), is_signed ? (double)(s64)v : (double)v, unit);
	else
		text_add_grouped(table_cell(t), v, is_signed);
	table_end_cell(t);
}

static void add_keys(struct table *t, const struct join *j, const struct diff_row *row)
{
	row_print_keys(j, row, ", ", true, table_cell(t));
	table_end_cell(t);
}

/* Add "120 ±3%", with the larger distance from the median to an end of the spread. */
static void add_side(struct table *t, const struct measure *m, int side, const char *unit)
{
	double middle = interval_middle(m->side[side]);

	interval_add(table_cell(t), m->side[side], false, people_unit(unit) ? unit : NULL);
	if (interval_known(m->spread[side]) && middle != 0) {
		double far = fmax(middle - m->spread[side].min, m->spread[side].max - middle);

		strbuf_addf(table_cell(t), " \u00b1%.0f%%", fabs(far / middle) * 100);
	}
	table_end_cell(t);
}

static void add_measure(struct table *t, const struct measure *m, const char *unit)
{
	add_side(t, m, 0, unit);
	add_side(t, m, 1, unit);
	add_interval(t, m->delta, true, unit);
	add_percent(t, m->percent);
	if (isnan(m->p_family))
		table_add(t, "");
	else
		table_addf(t, "%.2g", m->p_family);
}

/* --- titles of columns --- */

static void add_key_names(struct table *t, const struct join *j)
{
	for (size_t i = 0; i < j->n_keys; i++) {
		strbuf_addstr(table_cell(t), i ? ", " : "");
		column_title_add(table_cell(t), &j->keys[i].column);
	}
	table_add(t, j->n_keys ? "" : "key");
}

static void add_title(struct table *t, const char *name, const char *suffix)
{
	strbuf_addstr(table_cell(t), name);
	table_add(t, suffix);
}

/* The columns of add_measure(); columns that can be computed from others are hidden first. */
static void add_measure_titles(struct table *t, const char *before, const char *after,
			       const char *suffix)
{
	add_title(t, before, suffix);
	add_title(t, after, suffix);
	t->columns[t->at].hide = 3;
	table_add(t, "delta");
	table_add(t, "delta%");
	table_add(t, "p");
}

/* --- values --- */

/* Whether there are several rows and a change; otherwise there is nothing to sum. */
static bool has_parts(const struct view *view, const struct metric *metric)
{
	return metric->what == MEASURE_VALUE && view->n + view->hidden > 1 &&
	       fabs(view->all.measure.delta.min) > 0;
}

static void metric_row(struct table *t, const struct comparison *c, const struct metric *metric,
		       const struct view *view, const struct view_row *row)
{
	bool is_value = metric->what == MEASURE_VALUE;
	bool is_signed = is_value && c->join->values[metric->at].is_signed;

	add_keys(t, c->join, row->row);
	add_measure(t, &row->measure, metric_unit(c, metric));
	if (has_parts(view, metric)) {
		add_part(t, row->share);
		add_part(t, row->so_far);
	}
	if (c->meter.mode != HIST_DIFF_ABSOLUTE || !is_value) {
		const char *unit = is_value ? metric->unit : NULL;

		add_count(t, row->measure.count[0], is_signed, unit);
		add_count(t, row->measure.count[1], is_signed, unit);
	}
	table_add(t, signs[row->mark]);
	table_end_row(t);
}

void table_of_metric(struct table *t, const struct hist_diff *d, const struct comparison *c,
		     const struct metric *metric, const struct view *view)
{
	const char *before = d->labels[0], *after = d->labels[c->meter.after];
	bool is_value = metric->what == MEASURE_VALUE;
	struct measure all;

	if (c->join->question && is_value && metric->at == main_value(c->join))
		strbuf_addstr(&t->title, metric->at ? "total " : "hits ");
	metric_name_add(&t->title, c->join, metric);
	name_add(&t->title, "", metric->unit);
	add_key_names(t, c->join);
	add_measure_titles(t, before, after, is_value ? mode_suffixes[c->meter.mode] : "");
	if (has_parts(view, metric)) {
		t->columns[t->at].hide = 4;
		table_add(t, "of changes");
		t->columns[t->at].hide = 1;
		table_add(t, "so far");
	}
	if (!is_value) {
		table_add(t, "n");
		table_add(t, "n after");
	} else if (c->meter.mode != HIST_DIFF_ABSOLUTE) {
		t->columns[t->at].hide = 2;
		table_add(t, before);
		t->columns[t->at].hide = 2;
		table_add(t, after);
	}
	table_end_row(t);
	metric_row(t, c, metric, view, &view->all);
	for (size_t i = 0; i < view->n; i++)
		metric_row(t, c, metric, view, &view->rows[i]);
	t->more = view->hidden;
	summary_add(&t->verdict, d, &view->summary);
	if (measure_metric(&c->meter, metric, view->all.row, &all) == 0)
		history_add(&t->verdict, &c->meter, "(all)", metric_unit(c, metric));
	else
		t->failed = true;
	t->failed |= t->verdict.failed;
	exemplars_add(&t->note, d, c, view);
}

/* --- distributions --- */

int table_of_stat(struct table *t, const struct comparison *c, size_t stat, struct dists *dists)
{
	const struct subject all = { .row = NULL };
	const struct diff_stat *of = &c->join->stats[stat];
	int err = dists_init(dists, &c->meter, stat, &all);

	if (err)
		return err;
	strbuf_addf(&t->title, "Distribution of %s", of->name);
	effects_add(&t->verdict, of, dists);
	name_add(table_cell(t), of->name, of->unit);
	table_end_cell(t);
	add_measure_titles(t, "before", "after", "");
	table_end_row(t);
	for (enum measure_what what = MEASURE_N; what < MEASURE_OF_STAT && !err; what++) {
		const struct metric metric = { what, stat, NULL };
		struct measure m = measure_stat(&c->meter, dists, what);

		m.p_family = evidence_p(&c->evidence, c->join, &metric, &c->join->all);
		if (what == MEASURE_P99)
			history_add(&t->verdict, &c->meter, measure_name(what), of->unit);
		table_add(t, measure_name(what));
		add_measure(t, &m, what == MEASURE_N ? NULL : of->unit);
		table_add(t, m.unsure && measure_permille(what) ? "?" : "");
		table_end_row(t);
	}
	return err;
}

static int stat_row(struct table *t, const struct comparison *c, size_t stat,
		    const struct view_row *row)
{
	const struct subject subject = { .row = row->row };
	struct dists d;
	int err = dists_init(&d, &c->meter, stat, &subject);

	if (!err) {
		add_keys(t, c->join, row->row);
		add_measure(t, &row->measure, c->join->stats[stat].unit);
		add_interval(t, dist_shift(&d.side[0], &d.side[1]), true,
			     c->join->stats[stat].unit);
		add_interval(t, dist_ks(&d.side[0], &d.side[1]), false, NULL);
		table_add(t, signs[row->mark]);
		table_end_row(t);
	}
	dists_release(&d);
	return err;
}

int table_of_stat_rows(struct table *t, const struct hist_diff *d, const struct comparison *c,
		       size_t stat)
{
	const struct metric metric = { MEASURE_MEAN, stat, NULL };
	scoped(view_release) struct view view;
	int err = view_init(&view, c, &metric, &d->options);

	t->more = err ? 0 : view.hidden;
	if (!err && view.n) {
		add_key_names(t, c->join);
		strbuf_addstr(table_cell(t), c->join->stats[stat].name);
		add_measure_titles(t, ".mean before", "after", "");
		table_add(t, "shift");
		table_add(t, "D");
		table_end_row(t);
	}
	for (size_t i = 0; i < view.n && !err; i++)
		err = stat_row(t, c, stat, &view.rows[i]);
	return err;
}

/* --- several sides --- */

static const struct comparison *comparison_of(const struct hist_diff *d, size_t join, size_t after)
{
	return &d->all.v[(after - 1) * d->joins.n + join];
}

static void sides_row(struct table *t, const struct hist_diff *d, size_t join, size_t v,
		      const struct diff_row *row)
{
	add_keys(t, d->joins.v[join], row);
	for (size_t side = 1; side < d->n_sides && t->at + 2 < TABLE_COLUMNS; side++) {
		const struct comparison *c = comparison_of(d, join, side);
		const struct metric metric = value_metric(c->join, v);
		struct measure m = measure_value(&c->meter, v, row);

		if (side == 1)
			add_side(t, &m, 0, metric_unit(c, &metric));
		add_side(t, &m, 1, metric_unit(c, &metric));
		add_percent(t, m.percent);
	}
	table_end_row(t);
}

/* A row is included if it changed on any side; the order is that of the last side. */
int table_of_sides(struct table *t, const struct hist_diff *d, size_t join, size_t v)
{
	const struct comparison *last = comparison_of(d, join, d->n_sides - 1);
	struct hist_diff_options options = d->options;
	const struct metric metric = { MEASURE_VALUE, v, NULL };
	scoped(view_release) struct view view;
	int err;

	options.all = true;
	err = view_init(&view, last, &metric, &options);
	if (!err) {
		name_add(&t->title, last->join->values[v].name, last->join->values[v].unit);
		add_key_names(t, last->join);
		for (size_t side = 0; side < d->n_sides && t->at + 2 < TABLE_COLUMNS; side++) {
			add_title(t, d->labels[side], mode_suffixes[last->meter.mode]);
			if (side)
				table_add(t, "delta%");
		}
		table_end_row(t);
		sides_row(t, d, join, v, view.all.row);
	}
	for (size_t i = 0; i < view.n && !err; i++)
		sides_row(t, d, join, v, view.rows[i].row);
	return err;
}
