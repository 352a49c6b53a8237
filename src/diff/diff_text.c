// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison as text: a table for each value, with the sum first; the distributions of numbers,
 * with effect sizes first; each --fail-on; and the verdict.
 */
#include "diff/tables.h"

/* End the sentence that begins at @start, if it has any text. */
static void end_sentence(const struct hist_diff *d, struct strbuf *out, size_t start)
{
	if (!out->failed && out->len > start)
		text_wrap(out, start, 0, d->options.width, 0);
}

/* --- values --- */

static int print_metric(const struct hist_diff *d, const struct comparison *c,
			const struct metric *metric, struct printer *p)
{
	struct strbuf *out = &p->buf;
	scoped(table_release) struct table t = TABLE_INIT;
	scoped(view_release) struct view view;
	int err = view_of_metric(&view, d, c, metric, 0);
	size_t start;

	if (!err) {
		table_of_metric(&t, d, c, metric, &view);
		strbuf_addf(out, "%s:\n", t.title.s);
		table_fit(&t, d->options.width);
		table_text(&t, out);
		if (t.more)
			strbuf_addf(out, "(%zu more)\n", t.more);
		start = out->len;
		strbuf_addstr(out, t.verdict.s);
		end_sentence(d, out, start);
		start = out->len;
		strbuf_addstr(out, t.note.s);
		end_sentence(d, out, start);
	}
	return err;
}

static int print_value(const struct hist_diff *d, const struct comparison *c, size_t v,
		       struct printer *p)
{
	const struct metric metric = value_metric(c->join, v);
	struct strbuf *out = &p->buf;
	int err = print_metric(d, c, &metric, p);

	for (size_t key = 0; key < c->join->n_keys && !err; key++) {
		size_t start = out->len;

		if (balance_is_wanted(c->join, key, d->options.balance))
			err = balance_add(out, c, key, v, 2);
		end_sentence(d, out, start);
	}
	strbuf_addch(out, '\n');
	printer_flush(p);
	return err;
}

/* --- distributions --- */

static int print_stat(const struct hist_diff *diff, const struct comparison *c, size_t stat,
		      struct printer *p)
{
	scoped(table_release) struct table t = TABLE_INIT;
	size_t start = p->buf.len;
	struct dists d;
	int err = table_of_stat(&t, c, stat, &d);

	if (!err) {
		strbuf_addstr(&p->buf, t.verdict.s);
		end_sentence(diff, &p->buf, start);
		table_text(&t, &p->buf);
		strbuf_addch(&p->buf, '\n');
	}
	dists_release(&d);
	return err;
}

/* --- the end --- */

/* Checks of one expression are adjacent. */
static void print_checks(const struct hist_diff *d, struct strbuf *out)
{
	const check_array *checks = &d->verdict.checks;
	size_t hidden = 0;

	for (size_t i = 0; i < checks->n; i++) {
		const struct fail_on_check *c = &checks->v[i];

		if (check_is_shown(d, c)) {
			const size_t start = out->len;

			strbuf_addf(out, "fail-on %s: ", c->expr->text);
			check_add(out, d, c);
			end_sentence(d, out, start);
		} else {
			hidden++;
		}
		if (!hidden || (i + 1 < checks->n && checks->v[i + 1].expr == c->expr))
			continue;
		strbuf_addf(out, "fail-on %s: fails for %zu row%s\n", c->expr->text, hidden,
			    plural(hidden));
		hidden = 0;
	}
}

/* The tests, and what they found. */
static void print_evidence(const struct hist_diff *d, const struct comparison *c,
			   struct strbuf *out)
{
	size_t start = out->len;

	family_add(out, c->evidence.family, d->options.alpha);
	end_sentence(d, out, start);
	start = out->len;
	findings_add(out, c);
	end_sentence(d, out, start);
	strbuf_addch(out, '\n');
}

static void print_runs(const struct hist_diff *d, const struct comparison *c, struct strbuf *out)
{
	const struct join *j = c->join;
	const size_t start = out->len;

	strbuf_addstr(out, "# ");
	join_add_name(j, true, out);
	text_wrap(out, start, 0, d->options.width, 2);
	for (int side = 0; side < 2 && c->one_metric; side++) {
		size_t n = meter_runs(&c->meter, side);

		strbuf_addf(out, "%s%zu run%s %s%s", side ? ", " : "# ", n, plural(n),
			    d->labels[side ? c->meter.after : 0], side ? "\n" : "");
	}
	for (size_t i = 0; i < j->n_runs && !c->one_metric; i++) {
		if (meter_side(&c->meter, i) < 0)
			continue;
		strbuf_addstr(out, "# ");
		run_add(out, d, &j->runs[i]);
		strbuf_addch(out, '\n');
	}
	strbuf_addch(out, '\n');
}

static int print_stats(const struct hist_diff *d, const struct comparison *c, size_t s,
		       struct printer *p)
{
	scoped(table_release) struct table t = TABLE_INIT;
	int err = print_stat(d, c, s, p);

	if (err || c->join->stats[s].of_key)
		return err;
	err = table_of_stat_rows(&t, d, c, s);
	if (!err && t.n_columns) {
		table_fit(&t, d->options.width);
		table_text(&t, &p->buf);
		if (t.more)
			strbuf_addf(&p->buf, "(%zu more)\n", t.more);
		strbuf_addch(&p->buf, '\n');
	}
	printer_flush(p);
	return err;
}

static int print_comparison(const struct hist_diff *d, const struct comparison *c,
			    struct printer *p)
{
	const struct join *j = c->join;
	struct strbuf *out = &p->buf;
	size_t start;
	int err = 0;

	if (c->one_metric && !c->has_metric)
		return 0;
	print_runs(d, c, out);
	if (!join_is_complete(j))
		return 0;
	if (c->one_metric) {
		err = print_metric(d, c, &c->metric, p);
		print_evidence(d, c, out);
		return err;
	}
	if (diff_is_brief(d, c)) {
		err = j->n_sketches ? print_stat(d, c, 0, p) : 0;
		err = err ?: print_value(d, c, main_value(j), p);
		start = out->len;
		marks_add(out, d, c);
		end_sentence(d, out, start);
		others_add(out, d, c);
		/* the verdict explains what one run against one lacks */
		if (c->evidence.found.n || c->evidence.family->exact)
			print_evidence(d, c, out);
		else
			strbuf_addch(out, '\n');
		return err;
	}
	/* how long it takes, then how often and in total; then the distributions of keys */
	for (size_t s = 0; s < j->n_sketches && !err; s++)
		err = j->stats[s].repeats ? 0 : print_stats(d, c, s, p);
	for (size_t v = 0; v < j->n_values && !err; v++)
		err = print_value(d, c, v, p);
	for (size_t s = j->n_sketches; s < j->n_stats && !err; s++)
		err = j->stats[s].repeats ? 0 : print_stats(d, c, s, p);
	start = out->len;
	marks_add(out, d, c);
	end_sentence(d, out, start);
	start = out->len;
	spread_add(out, c);
	end_sentence(d, out, start);
	print_evidence(d, c, out);
	return err;
}

/* Print all sides in one table, before the pairs. */
static int print_sides(const struct hist_diff *d, size_t join, struct printer *p)
{
	const struct join *j = d->joins.v[join];
	int err = 0;

	strbuf_addstr(&p->buf, "# ");
	join_add_name(j, true, &p->buf);
	strbuf_addstr(&p->buf, ": all sides\n\n");
	for (size_t v = 0; v < j->n_values && !err; v++) {
		scoped(table_release) struct table t = TABLE_INIT;

		err = table_of_sides(&t, d, join, v);
		table_fit(&t, d->options.width);
		strbuf_addf(&p->buf, "%s:\n", t.title.s);
		table_text(&t, &p->buf);
		strbuf_addch(&p->buf, '\n');
	}
	return err;
}

static int print_text(const struct hist_diff *d, struct printer *p)
{
	size_t start;
	int err = 0;

	for (size_t i = 0; i < d->joins.n && d->n_sides > 2 && !err; i++)
		if (join_is_complete(d->joins.v[i]))
			err = print_sides(d, i, p);
	for (size_t i = 0; i < d->all.n && !err; i++)
		if (!diff_only_names(d, i))
			err = print_comparison(d, &d->all.v[i], p);
	print_checks(d, &p->buf);
	if (d->verdict.least_p > 0 && d->verdict.checks.n)
		strbuf_addf(&p->buf, "smallest p possible with %zu runs against %zu: %.3g\n",
			    d->options.n_before, d->options.n_after, d->verdict.least_p);
	start = p->buf.len;
	strbuf_addf(&p->buf, "verdict: %s", verdict_name(d->verdict.is));
	if (first_doubt(d))
		strbuf_addf(&p->buf, ": %s", first_doubt(d));
	end_sentence(d, &p->buf, start);
	return err;
}

const struct diff_printer diff_print_text = { .name = "text", .print = print_text };
