// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison as one table, in any format of rows: a line for each metric of each row, and with
 * more than two sides for each of them. "(all)" in the columns of the keys is the sum. The columns
 * ..._max are the upper ends of ranges, otherwise absent.
 */
#include "diff/diff.h"

typedef ARRAY(struct row_column) diff_columns;

/* The begin of a line: one of several sides, the keys. */
static void add_keys(struct row_writer *w, const struct hist_diff *d, const struct comparison *c,
		     const struct diff_row *row)
{
	const struct join *j = c->join;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (d->n_sides > 2)
		rows_str(w, d->labels[c->meter.after]);
	for (size_t i = 0; i < max_t(size_t, j->n_keys, 1); i++) {
		strbuf_reset(&text);
		if (row->keys && j->n_keys)
			key_print(&j->keys[i], &row->keys[i], false, &text);
		else
			strbuf_addstr(&text, "(all)");
		rows_text(w, strbuf_span(&text));
		w->out->failed |= text.failed;
	}
}

/* The side whose fields were guessed from a text; NULL: neither. */
static const char *inexact_side(const struct comparison *c)
{
	bool before = join_is_inexact(c->join, 0), after = join_is_inexact(c->join, c->meter.after);

	return before && after ? "both" : before ? "before" : after ? "after" : NULL;
}

/* Whether there is that column. */
static bool any_inexact(const struct hist_diff *d, const struct join *j)
{
	return any_of(i, d->all.n, d->all.v[i].join == j && inexact_side(&d->all.v[i]));
}

/* The end of a line: the spreads of several runs, their test, the exemplars of a row. */
static void add_extras(struct row_writer *w, const struct comparison *c, const struct measure *m,
		       const struct diff_row *row)
{
	const struct diff_exemplars *e = row_exemplars(row, c->meter.after);
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	for (int side = 0; side < 2; side++) {
		rows_double(w, m->spread[side].min);
		rows_double(w, m->spread[side].max);
	}
	rows_double(w, m->p);
	if (e)
		exemplars_print(c->join, c->meter.after, e, &text);
	rows_text(w, strbuf_span(&text));
	w->out->failed |= text.failed;
	rows_double(w, m->p_family);
	rows_str(w, inexact_side(c));
	rows_end_row(w);
}

static void add_measure(struct row_writer *w, const struct measure *m, bool is_signed,
			const char *verdict)
{
	const struct interval v[] = { m->side[0], m->side[1], m->delta, m->percent };

	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		rows_double(w, v[i].min);
	rows_number(w, is_signed ? CELL_SIGNED : CELL_UNSIGNED, m->count[0]);
	rows_number(w, is_signed ? CELL_SIGNED : CELL_UNSIGNED, m->count[1]);
	rows_text(w, span_of(verdict));
	for (size_t i = 0; i < ARRAY_SIZE(v); i++)
		rows_double(w, v[i].max != v[i].min ? v[i].max : (double)NAN);
}

static int choose_columns(const struct hist_diff *d, const struct comparison *c,
			  diff_columns *columns)
{
	static const struct {
		const char *name;
		enum cell_kind kind;
	} names[] = {
		{ "metric", CELL_TEXT },
		{ "before", CELL_DOUBLE },
		{ "after", CELL_DOUBLE },
		{ "delta", CELL_DOUBLE },
		{ "percent", CELL_DOUBLE },
		{ "count_before", CELL_SIGNED },
		{ "count_after", CELL_SIGNED },
		{ "verdict", CELL_TEXT },
		{ "before_max", CELL_DOUBLE },
		{ "after_max", CELL_DOUBLE },
		{ "delta_max", CELL_DOUBLE },
		{ "percent_max", CELL_DOUBLE },
		{ "before_spread_min", CELL_DOUBLE },
		{ "before_spread_max", CELL_DOUBLE },
		{ "after_spread_min", CELL_DOUBLE },
		{ "after_spread_max", CELL_DOUBLE },
		{ "p", CELL_DOUBLE },
		{ "exemplars", CELL_TEXT },
		{ "p_family", CELL_DOUBLE },
		{ "inexact", CELL_TEXT },
	};
	const struct join *j = c->join;
	struct row_column column = { .name = "side", .kind = CELL_TEXT };
	int err = d->n_sides > 2 ? array_push(columns, column) : 0;

	/* "(all)" is a key, too */
	for (size_t i = 0; i < max_t(size_t, j->n_keys, 1) && !err; i++) {
		column.name = j->n_keys ? j->keys[i].column.name : "key";
		err = array_push(columns, column);
	}
	for (size_t i = 0; i < ARRAY_SIZE(names) - !any_inexact(d, j) && !err; i++)
		err = array_push(columns, ((struct row_column){ .name = names[i].name,
								.kind = names[i].kind,
								.bare = true }));
	return err;
}

static void print_row(struct row_writer *w, const struct hist_diff *d, const struct comparison *c,
		      const struct view_row *row, size_t v)
{
	const struct diff_value *value = &c->join->values[v];

	add_keys(w, d, c, row->row);
	rows_str(w, value->name);
	add_measure(w, &row->measure, value->is_signed, mark_name(row->mark));
	add_extras(w, c, &row->measure, row->row);
}

/* The metrics of a distribution; @row: NULL for all rows. */
static int print_dists(struct row_writer *w, const struct hist_diff *d, const struct comparison *c,
		       size_t stat, const struct diff_row *row)
{
	const struct diff_row *shown = row ? row : &c->join->all;
	const struct subject subject = { .row = row };
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;
	struct dists of;
	int err = dists_init(&of, &c->meter, stat, &subject);

	for (enum measure_what what = MEASURE_N; what < MEASURE_OF_STAT && !err; what++) {
		const struct metric metric = { what, stat, NULL };
		struct measure m = measure_stat(&c->meter, &of, what);

		err = measure_test(&c->meter, &m);
		m.p_family = evidence_p(&c->evidence, c->join, &metric, shown);
		strbuf_reset(&name);
		strbuf_addf(&name, "%s.%s", c->join->stats[stat].name, measure_name(what));
		add_keys(w, d, c, shown);
		rows_text(w, strbuf_span(&name));
		w->out->failed |= name.failed;
		add_measure(w, &m, false,
			    m.unsure && measure_permille(what)
				    ? "inconclusive"
				    : mark_name(mark_of(c, shown, &m, &d->options)));
		add_extras(w, c, &m, shown);
	}
	dists_release(&of);
	return err;
}

static int print_stat(struct row_writer *w, const struct hist_diff *d, const struct comparison *c,
		      size_t stat, struct printer *p)
{
	const struct metric metric = { MEASURE_MEAN, stat, NULL };
	scoped(view_release) struct view view = { .n = 0 };
	int err = print_dists(w, d, c, stat, NULL);

	if (!err && !c->join->stats[stat].of_key)
		err = view_init(&view, c, &metric, &d->options);
	for (size_t i = 0; i < view.n && !err; i++) {
		err = print_dists(w, d, c, stat, view.rows[i].row);
		printer_flush(p);
	}
	return err;
}

static int print_comparison(struct row_writer *w, const struct hist_diff *d,
			    const struct comparison *c, struct printer *p)
{
	int err = 0;

	for (size_t v = 0; v < c->join->n_values && !err; v++) {
		const struct metric metric = value_metric(c->join, v);
		struct view view;

		err = view_of_metric(&view, d, c, &metric, 0);
		err = err ?: view_test(&view, c, &metric);
		if (!err)
			print_row(w, d, c, &view.all, v);
		for (size_t i = 0; i < view.n && !err; i++) {
			print_row(w, d, c, &view.rows[i], v);
			printer_flush(p);
		}
		view_release(&view);
	}
	for (size_t s = 0; s < c->join->n_stats && !err; s++)
		err = print_stat(w, d, c, s, p);
	return err;
}

/* Of the first histogram. */
static int print_rows_of(const struct hist_diff *d, struct printer *p)
{
	struct row_writer w = { .format = row_format_find(d->options.format),
				.out = &p->buf,
				.encoded = true };
	scoped(free_scoped) diff_columns columns = ARRAY_INIT;
	int err = choose_columns(d, &d->all.v[0], &columns), end;

	if (!err)
		rows_begin(&w, columns.v, columns.n);
	for (size_t i = 0; i < d->all.n && !err; i++)
		if (d->all.v[i].join == d->joins.v[0])
			err = print_comparison(&w, d, &d->all.v[i], p);
	end = rows_end(&w, !err);
	return err ?: end ?: p->err;
}

const struct diff_printer diff_print_rows = { .one_table = true, .print = print_rows_of };
