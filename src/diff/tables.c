// SPDX-License-Identifier: LGPL-2.1-only
/* Fills tables for text formats with cells, from a compared histogram and a view of it. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "diff/tables.h"

/* ORDER enum mark */
static const char *const signs[MARKS] = { "", "~", "!", "-", "+", "?" };

/* --- cells --- */

static void cell_interval(struct text_table *t, struct interval i, bool with_sign)
{
	struct strbuf sb = STRBUF_INIT;

	interval_add(&sb, i, with_sign, NULL);
	table_take(t, &sb);
}

static void cell_percent(struct text_table *t, struct interval i)
{
	struct strbuf sb = STRBUF_INIT;

	percent_add(&sb, i);
	table_take(t, &sb);
}

static void cell_part(struct text_table *t, double percent)
{
	struct strbuf sb = STRBUF_INIT;

	if (isfinite(percent))
		strbuf_addf(&sb, "%.1f%%", percent + 0.0);
	table_take(t, &sb);
}

static void cell_count(struct text_table *t, u64 v, bool is_signed)
{
	struct strbuf sb = STRBUF_INIT;

	if (is_signed)
		strbuf_addf(&sb, "%" PRId64, (s64)v);
	else
		strbuf_addf(&sb, "%" PRIu64, v);
	table_take(t, &sb);
}

static void cell_key(struct text_table *t, const struct join *j, const struct diff_row *row)
{
	struct strbuf sb = STRBUF_INIT;

	row_print_keys(j, row, ", ", &sb);
	table_take(t, &sb);
}

/* Append "120 ±3%", with the larger distance from the median to an end of the spread. */
static void cell_side(struct text_table *t, const struct measure *m, int side)
{
	double middle = interval_middle(m->side[side]);
	struct strbuf sb = STRBUF_INIT;

	interval_add(&sb, m->side[side], false, NULL);
	if (interval_known(m->spread[side]) && middle != 0) {
		double far = fmax(middle - m->spread[side].min, m->spread[side].max - middle);

		strbuf_addf(&sb, " \u00b1%.0f%%", fabs(far / middle) * 100);
	}
	table_take(t, &sb);
}

static void cell_p(struct text_table *t, double p)
{
	struct strbuf sb = STRBUF_INIT;

	if (isnan(p))
		strbuf_addch(&sb, '.');
	else
		strbuf_addf(&sb, "%.3g", p);
	table_take(t, &sb);
}

static void cell_measure(struct text_table *t, const struct meter *meter, const struct measure *m)
{
	cell_side(t, m, 0);
	cell_side(t, m, 1);
	cell_interval(t, m->delta, true);
	cell_percent(t, m->percent);
	if (meter_can_test(meter))
		cell_p(t, m->p);
}

/* --- values --- */

static void add_key_names(struct strbuf *out, const struct join *j)
{
	for (size_t i = 0; i < j->n_keys; i++)
		strbuf_addf(out, "%s%s", i ? ", " : "", j->keys[i].column.name);
	if (!j->n_keys)
		strbuf_addstr(out, "key");
}

/* ORDER enum hist_diff_mode */
static const char *const mode_suffix[] = { "/s", "/s", " share", "" };

static void add_column(struct text_table *t, const char *name, const char *suffix)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "%s%s", name, suffix);
	table_take(t, &sb);
}

static void add_p_column(struct text_table *t, const struct meter *m)
{
	if (meter_can_test(m))
		table_add(t, "p");
}

/* Whether there are several rows and a change; otherwise there is nothing to sum. */
static bool has_parts(const struct view *view)
{
	return view->n + view->hidden > 1 && fabs(view->all.measure.delta.min) > 0;
}

static void value_title(const struct hist_diff *d, const struct comparison *c,
			const struct view *view, struct text_table *t)
{
	const char *before = d->labels[0], *after = d->labels[c->meter.after];
	const char *suffix = mode_suffix[c->meter.mode];
	struct strbuf sb = STRBUF_INIT;

	add_key_names(&sb, c->join);
	table_take(t, &sb);
	add_column(t, before, suffix);
	add_column(t, after, suffix);
	add_column(t, "delta", "");
	add_column(t, "delta%", "");
	add_p_column(t, &c->meter);
	if (has_parts(view)) {
		add_column(t, "of (all)", "");
		add_column(t, "so far", "");
	}
	if (c->meter.mode != HIST_DIFF_ABSOLUTE) {
		add_column(t, before, "");
		add_column(t, after, "");
	}
	table_end_row(t);
}

static void value_row(const struct comparison *c, size_t v, const struct view *view,
		      const struct view_row *row, struct text_table *t)
{
	bool is_signed = c->join->values[v].is_signed;

	cell_key(t, c->join, row->row);
	cell_measure(t, &c->meter, &row->measure);
	if (has_parts(view)) {
		cell_part(t, row->part);
		cell_part(t, row->so_far);
	}
	if (c->meter.mode != HIST_DIFF_ABSOLUTE) {
		cell_count(t, row->measure.count[0], is_signed);
		cell_count(t, row->measure.count[1], is_signed);
	}
	table_add(t, signs[row->mark]);
	table_end_row(t);
}

void table_of_value(struct text_table *t, const struct hist_diff *d, const struct comparison *c,
		    size_t v, const struct view *view)
{
	value_title(d, c, view, t);
	value_row(c, v, view, &view->all, t);
	for (size_t i = 0; i < view->n; i++)
		value_row(c, v, view, &view->rows[i], t);
}

/* --- distributions --- */

static int stat_row(struct text_table *t, const struct meter *m, const struct dists *d,
		    enum measure_what what)
{
	struct measure r = measure_stat(m, d, what);
	int err = measure_test(m, &r);

	table_add(t, measure_name(what));
	cell_measure(t, m, &r);
	table_add(t, r.unsure && measure_permille(what) ? "?" : "");
	table_end_row(t);
	return err;
}

int table_of_stat(struct text_table *t, const struct comparison *c, size_t stat,
		  const struct dists *dists)
{
	struct strbuf sb = STRBUF_INIT;
	int err = 0;

	name_add(&sb, c->join->stats[stat].name, c->join->stats[stat].unit);
	table_take(t, &sb);
	table_add(t, "before");
	table_add(t, "after");
	table_add(t, "delta");
	table_add(t, "delta%");
	add_p_column(t, &c->meter);
	table_end_row(t);
	for (enum measure_what what = MEASURE_N; what < MEASURE_OF_STAT && !err; what++)
		err = stat_row(t, &c->meter, dists, what);
	return err;
}

static int stat_key_row(const struct comparison *c, size_t stat, const struct view_row *row,
			struct text_table *t)
{
	const struct subject subject = { .row = row->row };
	struct dists d;
	int err = dists_init(&d, &c->meter, stat, &subject);

	if (!err) {
		cell_key(t, c->join, row->row);
		cell_measure(t, &c->meter, &row->measure);
		cell_interval(t, dist_shift(&d.side[0], &d.side[1]), true);
		cell_interval(t, dist_ks(&d.side[0], &d.side[1]), false);
		table_add(t, signs[row->mark]);
		table_end_row(t);
	}
	dists_release(&d);
	return err;
}

static void stat_rows_title(const struct comparison *c, size_t stat, struct text_table *t)
{
	struct strbuf title = STRBUF_INIT;

	add_key_names(&title, c->join);
	table_take(t, &title);
	add_column(t, c->join->stats[stat].name, ".mean before");
	table_add(t, "after");
	table_add(t, "delta");
	table_add(t, "delta%");
	add_p_column(t, &c->meter);
	table_add(t, "shift");
	table_add(t, "D");
	table_end_row(t);
}

int table_of_stat_rows(struct text_table *t, const struct comparison *c, size_t stat,
		       const struct view *view)
{
	int err = 0;

	stat_rows_title(c, stat, t);
	for (size_t i = 0; i < view->n && !err; i++)
		err = stat_key_row(c, stat, &view->rows[i], t);
	return err;
}

/* --- several sides --- */

static const struct comparison *comparison_of(const struct hist_diff *d, size_t join, size_t after)
{
	return &d->all.v[(after - 1) * d->joins.n + join];
}

static void sides_title(const struct hist_diff *d, const struct comparison *c, struct text_table *t)
{
	const char *suffix = mode_suffix[c->meter.mode];
	struct strbuf sb = STRBUF_INIT;

	add_key_names(&sb, c->join);
	table_take(t, &sb);
	for (size_t side = 0; side < d->n_sides && t->at + 2 < TABLE_COLUMNS; side++) {
		add_column(t, d->labels[side], suffix);
		if (side)
			add_column(t, "delta%", "");
	}
	table_end_row(t);
}

static void sides_row(const struct hist_diff *d, size_t join, size_t v, const struct diff_row *row,
		      struct text_table *t)
{
	cell_key(t, d->joins.v[join], row);
	for (size_t side = 1; side < d->n_sides && t->at + 2 < TABLE_COLUMNS; side++) {
		const struct comparison *c = comparison_of(d, join, side);
		struct measure m = measure_value(&c->meter, v, row);

		if (side == 1)
			cell_side(t, &m, 0);
		cell_side(t, &m, 1);
		cell_percent(t, m.percent);
	}
	table_end_row(t);
}

/* A row is included if it changed on any side; the order is that of the last side. */
int table_of_sides(struct text_table *t, const struct hist_diff *d, size_t join, size_t v)
{
	const struct comparison *last = comparison_of(d, join, d->n_sides - 1);
	struct hist_diff_options options = d->options;
	const struct metric metric = { MEASURE_VALUE, v, NULL };
	struct view view;
	int err;

	options.all = true;
	err = view_init(&view, last, &metric, &options);
	if (!err) {
		sides_title(d, last, t);
		sides_row(d, join, v, view.all.row, t);
		for (size_t i = 0; i < view.n; i++)
			sides_row(d, join, v, view.rows[i].row, t);
	}
	view_release(&view);
	return err;
}
