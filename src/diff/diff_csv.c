// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison as one table (RFC 4180): a line for each metric of each row. "(all)" in the
 * columns of the keys is the sum. The last columns are the upper ends of ranges, otherwise empty.
 */
#include <math.h>

#include "diff/diff.h"

static const struct csv_dialect plain = { ',', true, false, false };
static const struct csv_dialect safe = { ',', true, false, true };

static void add_keys(struct csv *t, const struct join *j, const struct diff_row *row)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < max_t(size_t, j->n_keys, 1); i++) {
		strbuf_reset(&text);
		if (row->keys && j->n_keys)
			key_print(&j->keys[i], &row->keys[i], &text);
		else
			strbuf_addstr(&text, "(all)");
		csv_text(t, (struct span){ text.s, text.len });
		t->out->failed |= text.failed;
	}
	strbuf_release(&text);
}

/* The side whose fields were guessed from a text; NULL: neither. */
static const char *inexact_side(const struct comparison *c)
{
	bool before = join_is_inexact(c->join, 0), after = join_is_inexact(c->join, c->meter.after);

	return before && after ? "both" : before ? "before" : after ? "after" : NULL;
}

/* The end of a line: the spreads of several runs, their test, the exemplars of a row. */
static void add_extras(struct csv *t, const struct comparison *c, const struct measure *m,
		       const struct diff_row *row)
{
	const struct diff_exemplars *e = row_exemplars(row, c->meter.after);
	struct strbuf text = STRBUF_INIT;

	for (int side = 0; side < 2; side++) {
		csv_double(t, m->spread[side].min);
		csv_double(t, m->spread[side].max);
	}
	csv_double(t, m->p);
	if (e)
		exemplars_print(c->join, c->meter.after, e, &text);
	csv_text(t, (struct span){ text.s, text.len });
	t->out->failed |= text.failed;
	strbuf_release(&text);
	csv_double(t, m->p_family);
	if (inexact_side(c))
		csv_text(t, span_of(inexact_side(c)));
	csv_end_line(t);
}

static void add_measure(struct csv *t, const struct measure *m, bool is_signed, const char *verdict)
{
	const struct interval v[] = { m->side[0], m->side[1], m->delta, m->percent };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		csv_double(t, v[i].min);
	csv_number(t, m->count[0], is_signed);
	csv_number(t, m->count[1], is_signed);
	csv_text(t, span_of(verdict));
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		csv_double(t, v[i].max != v[i].min ? v[i].max : (double)NAN);
}

static void print_names(struct csv *t, const struct comparison *c)
{
	static const char *const names[] = {
		"metric",
		"before",
		"after",
		"delta",
		"percent",
		"count_before",
		"count_after",
		"verdict",
		"before_max",
		"after_max",
		"delta_max",
		"percent_max",
		"before_spread_min",
		"before_spread_max",
		"after_spread_min",
		"after_spread_max",
		"p",
		"exemplars",
		"p_family",
	};
	const struct join *j = c->join;

	for (size_t i = 0; i < j->n_keys; i++)
		csv_text(t, span_of(j->keys[i].column.name));
	if (!j->n_keys)
		csv_text(t, span_of("key"));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		csv_name(t, names[i]);
	if (inexact_side(c))
		csv_name(t, "inexact");
	csv_end_line(t);
}

static void print_row(struct csv *t, const struct comparison *c, const struct view_row *row,
		      size_t v)
{
	const struct diff_value *value = &c->join->values[v];

	add_keys(t, c->join, row->row);
	csv_text(t, span_of(value->name));
	add_measure(t, &row->measure, value->is_signed, mark_name(row->mark));
	add_extras(t, c, &row->measure, row->row);
}

/* The metrics of a distribution; @row: NULL for all rows. */
static int print_dists(struct csv *t, const struct hist_diff *d, size_t stat,
		       const struct diff_row *row)
{
	const struct comparison *c = &d->all.v[0];
	const struct diff_row *shown = row ? row : &c->join->all;
	const struct subject subject = { .row = row };
	struct strbuf name = STRBUF_INIT;
	struct dists of;
	int err = dists_init(&of, &c->meter, stat, &subject);

	for (enum measure_what what = MEASURE_N; what < MEASURE_OF_STAT && !err; what++) {
		const struct metric metric = { what, stat, NULL };
		struct measure m = measure_stat(&c->meter, &of, what);

		err = measure_test(&c->meter, &m);
		m.p_family = evidence_p(&c->evidence, c->join, &metric, shown);
		strbuf_reset(&name);
		strbuf_addf(&name, "%s.%s", c->join->stats[stat].name, measure_name(what));
		add_keys(t, c->join, shown);
		csv_text(t, span_of(name.s));
		t->out->failed |= name.failed;
		add_measure(t, &m, false,
			    m.unsure && measure_permille(what)
				    ? "inconclusive"
				    : mark_name(mark_of(c, shown, &m, &d->options)));
		add_extras(t, c, &m, shown);
	}
	strbuf_release(&name);
	dists_release(&of);
	return err;
}

static int print_stat(struct csv *t, const struct hist_diff *d, size_t stat, struct printer *p)
{
	const struct comparison *c = &d->all.v[0];
	const struct metric metric = { MEASURE_MEAN, stat, NULL };
	struct view view = { .n = 0 };
	int err = print_dists(t, d, stat, NULL);

	if (!err && !c->join->stats[stat].of_key)
		err = view_init(&view, c, &metric, &d->options);
	for (size_t i = 0; i < view.n && !err; i++) {
		err = print_dists(t, d, stat, view.rows[i].row);
		printer_flush(p);
	}
	view_release(&view);
	return err;
}

static int print_csv(const struct hist_diff *d, struct printer *p)
{
	const bool for_spreadsheet = !strcmp(d->options.format, diff_print_csv_safe.name);
	struct csv t = { .dialect = for_spreadsheet ? &safe : &plain, .out = &p->buf };
	const struct comparison *c = &d->all.v[0];
	int err = 0;

	print_names(&t, c);
	for (size_t v = 0; v < c->join->n_values && !err; v++) {
		const struct metric metric = value_metric(c->join, v);
		struct view view;

		err = view_of_metric(&view, d, c, &metric, 0);
		err = err ?: view_test(&view, c, &metric);
		if (!err)
			print_row(&t, c, &view.all, v);
		for (size_t i = 0; i < view.n && !err; i++) {
			print_row(&t, c, &view.rows[i], v);
			printer_flush(p);
		}
		view_release(&view);
	}
	for (size_t s = 0; s < c->join->n_stats && !err; s++)
		err = print_stat(&t, d, s, p);
	return err ? err : p->err;
}

const struct diff_printer diff_print_csv = { .name = "csv", .one_pair = true, .print = print_csv };
const struct diff_printer diff_print_csv_safe = { .name = "csv-safe",
						  .one_pair = true,
						  .print = print_csv };
