// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison as Markdown (GitHub's), for a comment on a pull request: the verdict, each
 * --fail-on, a short table for each value; details are folded.
 *
 * Invariant: text of a recording is never markup. In cells, every special character is written as a
 * character reference.
 */
#include "diff/tables.h"

enum { MAX_ROWS = 20 };

/* Append text of a recording, if there is any: keys, file names, triggers; and forget it. */
static void add(struct strbuf *out, const char *before, struct strbuf *text, const char *after)
{
	if (text->len) {
		strbuf_addstr(out, before);
		markdown_add(out, text->s);
		strbuf_addstr(out, after);
	}
	out->failed |= text->failed;
	strbuf_reset(text);
}

/* With --metric all tables together have few rows: histograms have the same numbers. */
static size_t n_tables(const struct hist_diff *d)
{
	size_t n = sum_of(i, d->all.n, d->all.v[i].one_metric && d->all.v[i].has_metric);

	/* a question has one table, on one screen */
	return n ? min_t(size_t, n, MAX_ROWS) : diff_is_brief(d, &d->all.v[0]) ? 2 : 1;
}

static int print_metric(const struct hist_diff *d, const struct comparison *c,
			const struct metric *metric, struct printer *p)
{
	scoped(table_release) struct table t = TABLE_INIT;
	scoped(view_release) struct view view;
	int err = view_of_metric(&view, d, c, metric, MAX_ROWS / n_tables(d));

	if (!err) {
		table_of_metric(&t, d, c, metric, &view);
		add(&p->buf, "**", &t.title, "**: ");
		strbuf_addf(&p->buf, "%s\n\n", t.verdict.s);
		table_markdown(&t, &p->buf);
		if (t.more)
			strbuf_addf(&p->buf, "%zu more rows\n\n", t.more);
		add(&p->buf, "_", &t.note, "_\n\n");
		printer_flush(p);
	}
	return err;
}

static int print_stat(const struct comparison *c, size_t stat, struct printer *p)
{
	scoped(table_release) struct table t = TABLE_INIT;
	struct dists d;
	int err = table_of_stat(&t, c, stat, &d);

	if (!err) {
		add(&p->buf, "", &t.verdict, "");
		strbuf_addstr(&p->buf, "\n\n");
		table_markdown(&t, &p->buf);
		printer_flush(p);
	}
	dists_release(&d);
	return err;
}

/* The tables that are only named. */
static void print_others(const struct hist_diff *d, const struct comparison *c, struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT, one = STRBUF_INIT;
	struct span rest;

	others_add(&sb, d, c);
	rest = strbuf_span(&sb);
	while (rest.n) {
		const struct span line = span_sep(&rest, "\n");

		strbuf_add(&one, line.s, line.n);
		add(out, "- ", &one, "\n");
	}
	strbuf_addch(out, '\n');
	out->failed |= sb.failed;
}

static int print_details(const struct hist_diff *d, const struct comparison *c, struct printer *p)
{
	const struct join *j = c->join;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	int err = 0;

	strbuf_addstr(&p->buf, "<details><summary>");
	marks_add(&p->buf, d, c);
	strbuf_addstr(&p->buf, "</summary>\n\n");
	for (size_t i = 0; i < j->n_runs; i++)
		if (meter_side(&c->meter, i) >= 0) {
			run_add(&sb, d, &j->runs[i]);
			add(&p->buf, "- ", &sb, "\n");
		}
	spread_add(&sb, c);
	add(&p->buf, "- ", &sb, "\n");
	family_add(&sb, c->evidence.family, d->options.alpha);
	add(&p->buf, "- ", &sb, "\n");
	for (size_t key = 0; key < j->n_keys; key++)
		for (size_t v = 0;
		     balance_is_wanted(j, key, d->options.balance) && v < j->n_values && !err;
		     v++) {
			err = balance_add(&sb, c, key, v, 0);
			add(&p->buf, "- ", &sb, "\n");
		}
	strbuf_addch(&p->buf, '\n');
	if (diff_is_brief(d, c))
		print_others(d, c, &p->buf);
	for (size_t s = diff_is_brief(d, c) ? 0 : j->n_sketches; s < j->n_stats && !err; s++)
		err = j->stats[s].repeats ? 0 : print_stat(c, s, p);
	strbuf_addstr(&p->buf, "</details>\n\n");
	return err;
}

static int print_comparison(const struct hist_diff *d, const struct comparison *c,
			    struct printer *p)
{
	const struct join *j = c->join;
	struct strbuf sb = STRBUF_INIT;
	int err = 0;

	if (c->one_metric && !c->has_metric)
		return 0;
	join_add_name(j, true, &sb);
	if (d->n_sides > 2)
		strbuf_addf(&sb, ": %s and %s", d->labels[0], d->labels[c->meter.after]);
	add(&p->buf, "#### ", &sb, "\n\n");
	strbuf_release(&sb);
	if (!join_is_complete(j))
		return 0;
	findings_add(&sb, c);
	add(&p->buf, "", &sb, "\n\n");
	strbuf_release(&sb);
	if (c->one_metric)
		return print_metric(d, c, &c->metric, p);
	if (diff_is_brief(d, c)) {
		const struct metric metric = value_metric(j, main_value(j));

		return print_metric(d, c, &metric, p) ?: print_details(d, c, p);
	}
	for (size_t s = 0; s < j->n_sketches && !err; s++)
		err = j->stats[s].repeats ? 0 : print_stat(c, s, p);
	for (size_t v = 0; v < j->n_values && !err; v++) {
		const struct metric metric = value_metric(j, v);

		err = print_metric(d, c, &metric, p);
	}
	return err ? err : print_details(d, c, p);
}

/* ORDER enum outcome */
static const char *const outcome_signs[] = { "\u2705", "\u274c", "\u2753" };
/* ORDER enum hist_diff_verdict */
static const char *const verdict_signs[] = { "\u2705", "\u274c", "\u2753" };

static void print_checks(const struct hist_diff *d, struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t shown = 0, hidden = 0;

	array_each(const struct fail_on_check, c, &d->verdict.checks) {
		if (!check_is_shown(d, c) || shown == MAX_ROWS) {
			hidden++;
			continue;
		}
		shown++;
		strbuf_addf(out, "- %s ", outcome_signs[c->outcome]);
		strbuf_addf(&sb, "%s: ", c->expr->text);
		check_add(&sb, d, c);
		add(out, "", &sb, "\n");
	}
	if (hidden)
		strbuf_addf(out, "- %zu more\n", hidden);
	if (d->verdict.checks.n)
		strbuf_addch(out, '\n');
}

static int print_markdown(const struct hist_diff *d, struct printer *p)
{
	int err = 0;

	strbuf_addf(&p->buf, "### %s hist diff: %s", verdict_signs[d->verdict.is],
		    verdict_name(d->verdict.is));
	if (first_doubt(d)) {
		strbuf_addstr(&p->buf, ": ");
		markdown_add(&p->buf, first_doubt(d));
	}
	strbuf_addstr(&p->buf, "\n\n");
	print_checks(d, &p->buf);
	for (size_t i = 0; i < d->all.n && !err; i++)
		if (!diff_only_names(d, i))
			err = print_comparison(d, &d->all.v[i], p);
	if (d->metric && !err) {
		scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

		family_add(&sb, d->all.v[0].evidence.family, d->options.alpha);
		add(&p->buf, "", &sb, "\n");
	}
	return err ? err : p->err;
}

const struct diff_printer diff_print_markdown = { .name = "markdown", .print = print_markdown };
