// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison for programs: an object on its own line for each histogram, then one with the
 * verdict. A range is {"min":,"max":}.
 */
#include "diff/diff.h"

enum { SCHEMA = 1 };

static void print_interval(struct json *j, const char *name, struct interval i)
{
	if (!interval_known(i))
		json_null(j, name);
	else if (i.min == i.max)
		json_double(j, name, i.min);
	else
		json_double_range(j, name, i.min, i.max);
}

static void print_measure(struct json *j, const struct measure *m)
{
	print_interval(j, "before", m->side[0]);
	print_interval(j, "after", m->side[1]);
	print_interval(j, "delta", m->delta);
	print_interval(j, "percent", m->percent);
}

/* With several runs per side. */
static void print_spread(struct json *j, const struct measure *m)
{
	if (interval_known(m->spread[0]))
		print_interval(j, "before_spread", m->spread[0]);
	if (interval_known(m->spread[1]))
		print_interval(j, "after_spread", m->spread[1]);
}

/* With a test. */
static void print_p(struct json *j, const struct measure *m)
{
	if (!isnan(m->p))
		json_double(j, "p", m->p);
	if (!isnan(m->p_family))
		json_double(j, "p_family", m->p_family);
}

/* --- keys --- */

static void print_cell(struct json *j, const struct diff_key *key, const struct diff_cell *cell)
{
	const struct result_column *column = &key->column;
	struct span frames = cell->text;

	if (column->type == RESULT_STACK) {
		json_array(j, column->name);
		while (frames.s && frames.n)
			json_text(j, NULL, span_sep(&frames, "\n"));
		json_close(j, ']');
	} else if (column->type == RESULT_TEXT || cell->text.n) {
		json_text(j, column->name, cell->text);
	} else if (column->type == RESULT_RANGE) {
		json_range(j, column->name, cell->num, cell->max, column->is_signed);
	} else {
		json_number(j, column->name, cell->num, column->is_signed);
	}
}

static void print_keys(struct json *j, const struct join *join, const struct diff_row *row)
{
	if (!row->keys)
		return;
	json_object(j, "key");
	for (size_t i = 0; i < join->n_keys; i++) {
		print_cell(j, &join->keys[i], &row->keys[i]);
	}
	json_close(j, '}');
}

/* --- values --- */

static void print_part(struct json *j, const char *name, double percent)
{
	if (isfinite(percent))
		json_double(j, name, percent);
}

/* Of the runs after: the saved hit, and the largest ones. */
static void print_exemplars(struct json *j, const struct comparison *c, const struct diff_row *row)
{
	const struct diff_exemplars *e = row_exemplars(row, c->meter.after);
	const struct join *join = c->join;
	size_t run = 0;

	if (e && e->saved)
		json_str(j, "exemplar", e->saved);
	if (!e || !exemplars_shown(join, e))
		return;
	while (join->runs[run].side != c->meter.after)
		run++;
	json_array(j, "exemplars");
	for (u32 i = 0; i < exemplars_shown(join, e); i++)
		json_exemplar(j, &e->largest->v[i], join->exemplars.is_signed,
			      join->runs[run].clock_counts, true);
	json_close(j, ']');
}

static void print_row(struct json *j, const char *name, const struct comparison *c,
		      const struct view_row *row, bool is_signed)
{
	json_object(j, name);
	print_keys(j, c->join, row->row);
	print_measure(j, &row->measure);
	print_spread(j, &row->measure);
	print_p(j, &row->measure);
	print_part(j, "part_of_change", row->part);
	print_part(j, "share_of_changes", row->share);
	print_part(j, "part_so_far", row->so_far);
	json_number(j, "count_before", row->measure.count[0], is_signed);
	json_number(j, "count_after", row->measure.count[1], is_signed);
	print_exemplars(j, c, row->row);
	json_str(j, "verdict", mark_name(row->mark));
	json_close(j, '}');
}

static void print_balance(struct json *j, const struct comparison *c, const struct balance *b)
{
	json_object(j, NULL);
	json_str(j, "key", c->join->keys[b->of_key].column.name);
	json_u64(j, "n", b->n);
	for (int side = 0; side < 2; side++) {
		json_object(j, side ? "after" : "before");
		json_double(j, "largest_share", b->largest[side]);
		json_text(j, "largest", b->key[side]);
		json_double(j, "coefficient_of_variation", b->variation[side]);
		json_close(j, '}');
	}
	json_close(j, '}');
}

static int print_balances(struct json *j, const struct hist_diff *d, const struct comparison *c,
			  size_t v)
{
	bool any = false;
	int err = 0;

	for (size_t key = 0; key < c->join->n_keys && !err; key++) {
		struct balance b;

		if (!balance_is_wanted(c->join, key, d->options.balance))
			continue;
		if (!any)
			json_array(j, "balance");
		any = true;
		err = balance_init(&b, c, key, v);
		if (!err)
			print_balance(j, c, &b);
		balance_release(&b);
	}
	if (any)
		json_close(j, ']');
	return err;
}

static int print_value(struct json *j, const struct hist_diff *d, const struct comparison *c,
		       size_t v, struct printer *p)
{
	const struct diff_value *value = &c->join->values[v];
	scoped(view_release) struct view view;
	const struct metric metric = value_metric(c->join, v);
	int err = view_of_metric(&view, d, c, &metric, 0) ?: view_test(&view, c, &metric);
	const struct summary *s = &view.summary;

	if (!err) {
		json_object(j, NULL);
		json_str(j, "name", value->name);
		json_str_if(j, "unit", value->unit);
		print_row(j, "all", c, &view.all, value->is_signed);
		json_object(j, "summary");
		json_u64(j, "better", s->better);
		json_u64(j, "worse", s->worse);
		json_u64(j, "same", s->same);
		json_u64(j, "gone", s->gone);
		json_u64(j, "new", s->new);
		json_double(j, "geometric_mean_percent",
			    s->n_ratios ? s->geomean_percent : (double)NAN);
		json_close(j, '}');
		err = print_balances(j, d, c, v);
		json_u64(j, "rows_not_shown", view.hidden);
		json_array(j, "rows");
		for (size_t i = 0; i < view.n; i++) {
			print_row(j, NULL, c, &view.rows[i], value->is_signed);
			printer_flush(p);
		}
		json_close(j, ']');
		json_close(j, '}');
	}
	return err;
}

/* --- distributions --- */

static int print_subject(struct json *j, const char *name, const struct comparison *c, size_t stat,
			 const struct diff_row *row)
{
	const struct subject subject = { .row = row };
	struct dists d;
	int err = dists_init(&d, &c->meter, stat, &subject);

	json_object(j, name);
	for (enum measure_what what = MEASURE_N; what < MEASURE_OF_STAT && !err; what++) {
		const struct metric metric = { what, stat, NULL };
		struct measure m = measure_stat(&c->meter, &d, what);

		err = measure_test(&c->meter, &m);
		m.p_family = evidence_p(&c->evidence, c->join, &metric, row ? row : &c->join->all);
		json_object(j, measure_name(what));
		print_measure(j, &m);
		print_spread(j, &m);
		print_p(j, &m);
		if (m.unsure && measure_permille(what))
			json_str(j, "unsure", m.unsure);
		json_close(j, '}');
	}
	if (!err) {
		print_interval(j, "quantile_shift", dist_shift(&d.side[0], &d.side[1]));
		print_interval(j, "ks_d", dist_ks(&d.side[0], &d.side[1]));
		print_interval(j, "cliffs_delta", dist_cliff(&d.side[0], &d.side[1]));
	}
	json_close(j, '}');
	dists_release(&d);
	return err;
}

/* Print the same rows as in text, ordered by the mean. */
static int print_stat_rows(struct json *j, const struct hist_diff *d, const struct comparison *c,
			   size_t stat, struct printer *p)
{
	const struct metric metric = { MEASURE_MEAN, stat, NULL };
	scoped(view_release) struct view view;
	int err = view_init(&view, c, &metric, &d->options);

	json_array(j, "rows");
	for (size_t i = 0; i < view.n && !err; i++) {
		json_object(j, NULL);
		print_keys(j, c->join, view.rows[i].row);
		err = print_subject(j, "of", c, stat, view.rows[i].row);
		json_close(j, '}');
		printer_flush(p);
	}
	json_close(j, ']');
	return err;
}

/* --- the document --- */

static void print_runs(struct json *j, const struct comparison *c, int side)
{
	const struct join *join = c->join;

	json_array(j, side ? "after" : "before");
	for (size_t i = 0; i < join->n_runs; i++) {
		const struct diff_run *run = &join->runs[i];

		if (meter_side(&c->meter, i) != side)
			continue;
		json_object(j, NULL);
		json_str(j, "file", run->name);
		json_str(j, "uname", run->uname);
		json_str(j, "clock", run->clock);
		json_double(j, "seconds", run_seconds(run));
		json_u64(j, "hits", run->hits);
		json_u64(j, "dropped", run->drops);
		json_u64_if(j, "feeding_dropped", run->feeding_drops);
		json_u64(j, "lost_events", run->lost);
		json_flag(j, "inexact", run->inexact);
		json_caveats(j, run->caveats);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void print_head(struct json *j, const struct hist_diff *d, const struct comparison *c)
{
	json_str(j, "type", "hist_diff");
	json_u64(j, "schema", SCHEMA);
	json_str(j, "version", HIST_VERSION);
	json_str(j, "event", c->join->event);
	if (*c->join->instance)
		json_str(j, "instance", c->join->instance);
	json_str(j, "trigger", c->join->trigger);
	if (c->join->question)
		json_str(j, "question", c->join->question);
	json_str(j, "mode", mode_names[c->meter.mode]);
	if (meter_can_test(&c->meter))
		json_str(j, "test", "Mann-Whitney");
	json_double(j, "noise", d->options.noise);
	if (d->options.labels || d->n_sides > 2) {
		json_str(j, "label_before", d->labels[0]);
		json_str(j, "label_after", d->labels[c->meter.after]);
	}
	print_runs(j, c, 0);
	print_runs(j, c, 1);
	if (c->join->exemplars.name) {
		json_exemplars_described(j, "exemplars", &c->join->exemplars);
		json_close(j, '}');
	}
	json_object(j, "marks");
	for (enum mark mark = MARK_SAME; mark < MARKS; mark++)
		json_u64(j, mark_name(mark), c->marks[mark]);
	json_close(j, '}');
	json_strings(j, "doubts", c->doubts.v, c->doubts.n);
}

static int print_comparison(struct json *j, const struct hist_diff *d, const struct comparison *c,
			    struct printer *p)
{
	bool complete = join_is_complete(c->join);
	int err = 0;

	json_object(j, NULL);
	print_head(j, d, c);
	json_array(j, "values");
	for (size_t v = 0; v < c->join->n_values && complete && !err; v++)
		err = print_value(j, d, c, v, p);
	json_close(j, ']');
	json_array(j, "stats");
	for (size_t s = 0; s < c->join->n_stats && complete && !err; s++) {
		const struct diff_stat *stat = &c->join->stats[s];

		json_object(j, NULL);
		json_str(j, "name", stat->name);
		json_str(j, "of", stat->of_key ? "key" : "val");
		json_str_if(j, "unit", stat->unit);
		err = print_subject(j, "all", c, s, NULL);
		if (!err && !stat->of_key)
			err = print_stat_rows(j, d, c, s, p);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
	return err;
}

static void print_check(struct json *j, const struct hist_diff *d, const struct fail_on_check *c)
{
	json_object(j, NULL);
	json_str(j, "expr", c->expr->text);
	json_str(j, "outcome", outcome_name(c->outcome));
	json_str_if(j, "why", c->why);
	if (c->of) {
		json_str(j, "event", c->of->join->event);
		json_str(j, "metric", c->name);
		if (d->options.labels || d->n_sides > 2)
			json_str(j, "label_after", d->labels[c->of->meter.after]);
		if (c->row)
			print_keys(j, c->of->join, c->row);
		print_measure(j, &c->measure);
		if (c->row)
			print_exemplars(j, c->of, c->row);
	}
	if (c->tested) {
		json_double(j, "p", c->p);
		json_double(j, "p_holm", c->p_holm);
		json_double(j, "p_family", c->p_family);
	}
	json_close(j, '}');
}

static void print_verdict(struct json *j, const struct hist_diff *d)
{
	const struct verdict *v = &d->verdict;

	json_object(j, NULL);
	json_str(j, "type", "hist_diff_verdict");
	json_str(j, "verdict", verdict_name(v->is));
	if (v->least_p > 0)
		json_double(j, "least_p", v->least_p);
	json_array(j, "fail_on");
	for (size_t i = 0; i < v->checks.n; i++)
		print_check(j, d, &v->checks.v[i]);
	json_close(j, ']');
	json_close(j, '}');
	json_end_line(j);
}

static int print_json(const struct hist_diff *d, struct printer *p)
{
	struct json j = { .out = &p->buf };
	int err = 0;

	for (size_t i = 0; i < d->all.n && !err; i++)
		err = print_comparison(&j, d, &d->all.v[i], p);
	print_verdict(&j, d);
	return err ? err : p->err;
}

const struct diff_printer diff_print_json = { .name = "json", .print = print_json };
