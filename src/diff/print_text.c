// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison for people: a table for each value, the row of all first; then what the
 * distributions of numbers say, effect sizes before anything else; then each --fail-on; last
 * the verdict.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "diff/diff.h"

enum { COLUMNS = 8, WIDEST_KEY = 72 };

/* ORDER enum mark */
static const char *const signs[MARKS] = { "", "~", "!", "-", "+", "?" };

/* Rows of cells, of which the columns are as wide as the widest. */
struct text_table {
	ARRAY(char *) cells; /* COLUMNS for each row; NULL: empty */
	size_t width[COLUMNS], n_columns, at;
	bool failed;
};

static void table_add(struct text_table *t, const char *text)
{
	char *copy = strdup(text);
	size_t width = 0;

	for (const char *p = text; *p; p++)
		width += (*p & 0xc0) != 0x80;
	t->width[t->at] = max_t(size_t, t->width[t->at], width);
	t->at++;
	t->n_columns = max_t(size_t, t->n_columns, t->at);
	if (copy && !array_push(&t->cells, copy))
		return;
	free(copy);
	t->failed = true;
}

/* The text of @sb, which is released. */
static void table_take(struct text_table *t, struct strbuf *sb)
{
	t->failed |= sb->failed;
	table_add(t, sb->s);
	strbuf_release(sb);
}

static void table_end_row(struct text_table *t)
{
	for (; t->at < COLUMNS; t->at++)
		t->failed |= array_push(&t->cells, NULL) != 0;
	t->at = 0;
}

static void add_spaces(struct strbuf *out, size_t width, const char *text)
{
	for (const char *p = text; *p; p++)
		width -= width && (*p & 0xc0) != 0x80;
	strbuf_fill(out, ' ', width);
}

/* The first column to the left, the others to the right, no spaces at the end. */
static void print_row(const struct text_table *t, char *const *cells, struct strbuf *out)
{
	size_t last = 0;

	for (size_t i = 0; i < t->n_columns; i++)
		if (cells[i] && *cells[i])
			last = i;
	for (size_t i = 0; i <= last; i++) {
		const char *text = cells[i] ? cells[i] : "";

		if (i)
			strbuf_addstr(out, "  ");
		if (i)
			add_spaces(out, t->width[i], text);
		strbuf_addstr(out, text);
		if (!i && last)
			add_spaces(out, t->width[i], text);
	}
	strbuf_addch(out, '\n');
}

static int table_print(struct text_table *t, struct printer *p)
{
	for (size_t i = 0; !t->failed && i + COLUMNS <= t->cells.n; i += COLUMNS) {
		print_row(t, t->cells.v + i, &p->buf);
		printer_flush(p);
	}
	for (size_t i = 0; i < t->cells.n; i++)
		free(t->cells.v[i]);
	array_release(&t->cells);
	return t->failed ? HIST_NOMEM : p->err;
}

/* --- numbers --- */

/* As many digits as say something. */
static void add_number(struct strbuf *out, double v, bool with_sign)
{
	const char *sign = with_sign && v > 0 ? "+" : "";

	if (isinf(v))
		strbuf_addf(out, "%sinf", v < 0 ? "-" : sign);
	else if (v == floor(v) && fabs(v) < 1e15)
		strbuf_addf(out, "%s%.0f", sign, v + 0.0);
	else if (fabs(v) >= 1000)
		strbuf_addf(out, "%s%.0f", sign, v);
	else
		strbuf_addf(out, fabs(v) >= 1 ? "%s%.2f" : "%s%.3g", sign, v);
}

static void add_interval(struct strbuf *out, struct interval i, bool with_sign, const char *unit)
{
	if (!interval_known(i)) {
		strbuf_addch(out, '.');
		return;
	}
	add_number(out, i.min, with_sign);
	if (i.max != i.min) {
		strbuf_addstr(out, "..");
		add_number(out, i.max, with_sign);
	}
	if (unit)
		strbuf_addf(out, " %s", unit);
}

static void add_percent(struct strbuf *out, struct interval i)
{
	if (!interval_known(i)) {
		strbuf_addch(out, '.');
		return;
	}
	strbuf_addf(out, "%+.1f%%", i.min + 0.0);
	if (i.max != i.min)
		strbuf_addf(out, "..%+.1f%%", i.max + 0.0);
}

static void cell_interval(struct text_table *t, struct interval i, bool with_sign)
{
	struct strbuf sb = STRBUF_INIT;

	add_interval(&sb, i, with_sign, NULL);
	table_take(t, &sb);
}

static void cell_percent(struct text_table *t, struct interval i)
{
	struct strbuf sb = STRBUF_INIT;

	add_percent(&sb, i);
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

static void cell_measure(struct text_table *t, const struct measure *m)
{
	cell_interval(t, m->side[0], false);
	cell_interval(t, m->side[1], false);
	cell_interval(t, m->delta, true);
	cell_percent(t, m->percent);
}

/* --- the head --- */

static void print_run(const struct diff_run *run, const char *side, struct strbuf *out)
{
	strbuf_addf(out, "# %s %s", side, run->name);
	if (!run->added) {
		strbuf_addstr(out, ": no such histogram\n");
		return;
	}
	strbuf_addf(out, ": %" PRIu64 " hits", run->hits);
	if (run_seconds(run) > 0)
		strbuf_addf(out, " in %.6g s", run_seconds(run));
	if (run->lost || run->drops)
		strbuf_addf(out, ", %" PRIu64 " events lost, %" PRIu64 " hits dropped", run->lost,
			    run->drops);
	strbuf_addch(out, '\n');
}

static void print_head(const struct join *j, struct strbuf *out)
{
	strbuf_addf(out, "# %s%s%s %s\n", j->instance, *j->instance ? ":" : "", j->event,
		    j->trigger);
	for (size_t i = 0; i < j->n_runs; i++)
		print_run(&j->runs[i], run_is_before(j, i) ? "before" : "after ", out);
	strbuf_addch(out, '\n');
}

/* --- values --- */

static void add_name(struct strbuf *out, const char *name, const char *unit)
{
	strbuf_addstr(out, name);
	if (unit)
		strbuf_addf(out, " (%s)", unit);
}

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

static void value_title(const struct comparison *c, struct text_table *t)
{
	const char *suffix = mode_suffix[c->meter.mode];
	struct strbuf sb = STRBUF_INIT;

	add_key_names(&sb, c->join);
	table_take(t, &sb);
	add_column(t, "before", suffix);
	add_column(t, "after", suffix);
	add_column(t, "delta", "");
	add_column(t, "delta%", "");
	if (c->meter.mode != HIST_DIFF_ABSOLUTE) {
		add_column(t, "before", "");
		add_column(t, "after", "");
	}
	table_end_row(t);
}

static void value_row(const struct comparison *c, size_t v, const struct view_row *row,
		      struct text_table *t)
{
	bool is_signed = c->join->values[v].is_signed;

	cell_key(t, c->join, row->row);
	cell_measure(t, &row->measure);
	if (c->meter.mode != HIST_DIFF_ABSOLUTE) {
		cell_count(t, row->measure.count[0], is_signed);
		cell_count(t, row->measure.count[1], is_signed);
	}
	table_add(t, signs[row->mark]);
	table_end_row(t);
}

static int print_value(const struct hist_diff *d, const struct comparison *c, size_t v,
		       struct printer *p)
{
	const struct metric metric = { MEASURE_VALUE, v, NULL };
	struct text_table t = { .failed = false };
	struct view view;
	int err = view_init(&view, c, &metric, &d->options);

	if (!err) {
		add_name(&p->buf, c->join->values[v].name, c->join->values[v].unit);
		strbuf_addstr(&p->buf, ":\n");
		value_title(c, &t);
		value_row(c, v, &view.all, &t);
		for (size_t i = 0; i < view.n; i++)
			value_row(c, v, &view.rows[i], &t);
		err = table_print(&t, p);
		if (view.hidden)
			strbuf_addf(&p->buf, "(%zu more)\n", view.hidden);
		strbuf_addch(&p->buf, '\n');
	}
	view_release(&view);
	return err;
}

/* --- distributions --- */

static void stat_title(const struct diff_stat *stat, struct text_table *t)
{
	struct strbuf sb = STRBUF_INIT;

	add_name(&sb, stat->name, stat->unit);
	table_take(t, &sb);
	table_add(t, "before");
	table_add(t, "after");
	table_add(t, "delta");
	table_add(t, "delta%");
	table_end_row(t);
}

static void print_effects(const struct diff_stat *stat, const struct dists *d, struct strbuf *out)
{
	const struct dist *a = &d->side[0], *b = &d->side[1];

	if (!a->n || !b->n)
		return;
	add_name(out, stat->name, stat->unit);
	strbuf_addstr(out, ": quantile shift ");
	add_interval(out, dist_shift(a, b), true, stat->unit);
	strbuf_addstr(out, ", Kolmogorov-Smirnov D ");
	add_interval(out, dist_ks(a, b), false, NULL);
	strbuf_addstr(out, ", Cliff's delta ");
	add_interval(out, dist_cliff(a, b), true, NULL);
	strbuf_addch(out, '\n');
}

static void stat_row(struct text_table *t, const struct meter *m, const struct dists *d,
		     enum measure_what what)
{
	struct measure r = measure_stat(m, d, what);

	table_add(t, measure_name(what));
	cell_measure(t, &r);
	table_add(t, r.unsure && measure_permille(what) ? "?" : "");
	table_end_row(t);
}

static int print_stat(const struct comparison *c, size_t stat, struct printer *p)
{
	const struct subject all = { .row = NULL };
	struct text_table t = { .failed = false };
	struct dists d;
	int err = dists_init(&d, c->join, stat, &all);

	if (!err) {
		stat_title(&c->join->stats[stat], &t);
		for (enum measure_what what = MEASURE_N; what < MEASURE_OF_STAT; what++)
			stat_row(&t, &c->meter, &d, what);
		print_effects(&c->join->stats[stat], &d, &p->buf);
		err = table_print(&t, p);
		strbuf_addch(&p->buf, '\n');
	}
	dists_release(&d);
	return err;
}

/* One line for each row: its samples, its mean, how far the distribution moved. */
static int stat_key_row(const struct comparison *c, size_t stat, const struct view_row *row,
			struct text_table *t)
{
	const struct subject subject = { .row = row->row };
	struct dists d;
	int err = dists_init(&d, c->join, stat, &subject);

	if (!err) {
		cell_key(t, c->join, row->row);
		cell_measure(t, &row->measure);
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
	title = (struct strbuf)STRBUF_INIT;
	strbuf_addf(&title, "%s.mean before", c->join->stats[stat].name);
	table_take(t, &title);
	table_add(t, "after");
	table_add(t, "delta");
	table_add(t, "delta%");
	table_add(t, "shift");
	table_add(t, "D");
	table_end_row(t);
}

static int print_stat_rows(const struct hist_diff *d, const struct comparison *c, size_t stat,
			   struct printer *p)
{
	const struct metric metric = { MEASURE_MEAN, stat, NULL };
	struct text_table t = { .failed = false };
	struct view view;
	int err = view_init(&view, c, &metric, &d->options), printed = 0;

	if (!err && view.n) {
		stat_rows_title(c, stat, &t);
		for (size_t i = 0; i < view.n && !err; i++)
			err = stat_key_row(c, stat, &view.rows[i], &t);
		printed = table_print(&t, p);
		strbuf_addch(&p->buf, '\n');
	}
	view_release(&view);
	return err ? err : printed;
}

/* --- the end --- */

/* A pattern may match thousands of rows, and then most of them are well. */
static bool is_worth_a_line(const struct hist_diff *d, const struct check *c)
{
	return d->options.all || !c->expr->glob || !c->row || c->outcome != OUTCOME_NO;
}

static void print_check(const struct check *c, struct strbuf *out)
{
	strbuf_addf(out, "fail-on %s: %s", c->expr->text, outcome_name(c->outcome));
	if (c->join) {
		strbuf_addf(out, ": %s of ", c->name);
		if (c->row)
			row_print_keys(c->join, c->row, ", ", out);
		else
			strbuf_addstr(out, c->expr->glob);
		strbuf_addch(out, ' ');
		add_interval(out, c->measure.side[0], false, NULL);
		strbuf_addstr(out, " -> ");
		add_interval(out, c->measure.side[1], false, NULL);
		strbuf_addstr(out, " (");
		add_percent(out, c->measure.percent);
		strbuf_addch(out, ')');
	}
	if (c->tested)
		strbuf_addf(out, ", p=%.3g, with the other tests %.3g", c->p, c->p_holm);
	if (c->outcome == OUTCOME_UNSURE)
		strbuf_addf(out, ": %s", c->why);
	strbuf_addch(out, '\n');
}

/* Those of one expression follow each other. */
static void print_checks(const struct hist_diff *d, struct strbuf *out)
{
	const check_array *checks = &d->verdict.checks;
	size_t hidden = 0;

	for (size_t i = 0; i < checks->n; i++) {
		const struct check *c = &checks->v[i];

		if (is_worth_a_line(d, c))
			print_check(c, out);
		else
			hidden++;
		if (!hidden || (i + 1 < checks->n && checks->v[i + 1].expr == c->expr))
			continue;
		strbuf_addf(out, "fail-on %s: does not hold for %zu row%s\n", c->expr->text, hidden,
			    hidden == 1 ? "" : "s");
		hidden = 0;
	}
}

static void print_marks(const struct comparison *c, struct strbuf *out)
{
	size_t rows = 0;

	for (enum mark mark = MARK_SAME; mark < MARKS; mark++)
		rows += c->marks[mark];
	strbuf_addf(out, "%zu row%s: %zu changed, %zu only before, %zu only after", rows,
		    rows == 1 ? "" : "s", c->marks[MARK_CHANGED], c->marks[MARK_GONE],
		    c->marks[MARK_NEW]);
	if (c->marks[MARK_WITHIN])
		strbuf_addf(out, ", %zu within the noise", c->marks[MARK_WITHIN]);
	if (c->marks[MARK_FEW])
		strbuf_addf(out, ", %zu with too few hits", c->marks[MARK_FEW]);
	strbuf_addstr(out, "\n\n");
}

static int print_comparison(const struct hist_diff *d, const struct comparison *c,
			    struct printer *p)
{
	const struct join *j = c->join;
	int err = 0;

	print_head(j, &p->buf);
	if (!join_is_complete(j))
		return 0;
	for (size_t v = 0; v < j->n_values && !err; v++)
		err = print_value(d, c, v, p);
	for (size_t s = 0; s < j->n_stats && !err; s++) {
		err = print_stat(c, s, p);
		if (!err && !j->stats[s].of_key)
			err = print_stat_rows(d, c, s, p);
	}
	print_marks(c, &p->buf);
	return err;
}

static const char *first_doubt(const struct hist_diff *d)
{
	for (size_t i = 0; i < d->all.n; i++)
		if (d->all.v[i].doubts.n)
			return d->all.v[i].doubts.v[0];
	return NULL;
}

static int print_text(const struct hist_diff *d, struct printer *p)
{
	int err = 0;

	for (size_t i = 0; i < d->all.n && !err; i++)
		err = print_comparison(d, &d->all.v[i], p);
	print_checks(d, &p->buf);
	if (d->verdict.least_p > 0 && d->verdict.checks.n)
		strbuf_addf(&p->buf, "smallest p possible with %zu runs against %zu: %.3g\n",
			    d->options.n_before, d->options.n_after, d->verdict.least_p);
	strbuf_addf(&p->buf, "verdict: %s", verdict_name(d->verdict.is));
	if (first_doubt(d))
		strbuf_addf(&p->buf, ": %s", first_doubt(d));
	strbuf_addch(&p->buf, '\n');
	return err;
}

const struct diff_printer diff_print_text = { .name = "text", .print = print_text };
