// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison as Markdown (GitHub's), for a comment on a pull request: the verdict, each
 * --fail-on, a short table for each value; details are folded.
 *
 * Invariant: text of a recording is never markup. In cells, every special character is written as a
 * character reference.
 */
#include "diff/tables.h"
#include "picture/picture.h"

enum { MAX_ROWS = 20 };

/* Escape text of a recording: keys, file names, triggers. */
static void add_escaped(struct strbuf *out, const char *text)
{
	markup_escape(out, span_of(text), "&<>|*_`~[]\\#!@:\n\t");
}

static void escape(struct strbuf *sb, struct strbuf *out)
{
	add_escaped(out, sb->s);
	out->failed |= sb->failed;
	strbuf_release(sb);
}

/* --- tables --- */

static void print_cells(const struct text_table *t, char *const *cells, struct strbuf *out)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		strbuf_addstr(out, i ? " | " : "| ");
		add_escaped(out, cells[i] ? cells[i] : "");
	}
	strbuf_addstr(out, " |\n");
}

/* Print a table, the first column left-aligned, the others right-aligned. */
static int print_table(struct text_table *t, struct printer *p)
{
	for (size_t i = 0; !t->failed && i + TABLE_COLUMNS <= t->cells.n; i += TABLE_COLUMNS) {
		print_cells(t, t->cells.v + i, &p->buf);
		for (size_t column = 0; !i && column < t->n_columns; column++)
			strbuf_addstr(&p->buf, column ? " --: |" : "| :-- |");
		if (!i)
			strbuf_addch(&p->buf, '\n');
		printer_flush(p);
	}
	strbuf_addch(&p->buf, '\n');
	return t->failed ? HIST_NOMEM : p->err;
}

/* --- values --- */

static int print_value(const struct hist_diff *d, const struct comparison *c, size_t v,
		       struct printer *p)
{
	struct text_table t = { .failed = false };
	struct strbuf sb = STRBUF_INIT;
	struct view view;
	size_t len;
	int err = view_of_value(&view, d, c, v, MAX_ROWS);

	if (!err) {
		strbuf_addstr(&p->buf, "**");
		name_add(&sb, c->join->values[v].name, c->join->values[v].unit);
		escape(&sb, &p->buf);
		strbuf_addstr(&p->buf, "**: ");
		summary_add(&p->buf, d, &view.summary);
		strbuf_addstr(&p->buf, "\n\n");
		table_of_value(&t, d, c, v, &view);
		err = print_table(&t, p);
		if (view.hidden)
			strbuf_addf(&p->buf, "%zu more rows\n\n", view.hidden);
		sb = (struct strbuf)STRBUF_INIT;
		exemplars_add(&sb, d, c, &view);
		strbuf_addstr(&p->buf, sb.len ? "_" : "");
		len = sb.len;
		escape(&sb, &p->buf);
		strbuf_addstr(&p->buf, len ? "_\n\n" : "");
	}
	table_release(&t);
	view_release(&view);
	return err;
}

/* --- folded details --- */

static int print_stat(const struct comparison *c, size_t stat, struct printer *p)
{
	const struct subject all = { .row = NULL };
	struct text_table t = { .failed = false };
	struct strbuf sb = STRBUF_INIT;
	struct dists d;
	int err = dists_init(&d, &c->meter, stat, &all);

	if (!err) {
		effects_add(&sb, &c->join->stats[stat], &d);
		escape(&sb, &p->buf);
		strbuf_addstr(&p->buf, "\n\n");
		err = table_of_stat(&t, c, stat, &d);
		if (!err)
			err = print_table(&t, p);
	}
	table_release(&t);
	dists_release(&d);
	return err;
}

static int print_balances(const struct hist_diff *d, const struct comparison *c, struct strbuf *out)
{
	int err = 0;

	for (size_t key = 0; key < c->join->n_keys && !err; key++)
		for (size_t v = 0; v < c->join->n_values && !err; v++) {
			struct strbuf sb = STRBUF_INIT;
			struct balance b;

			if (!balance_is_wanted(c->join, key, d->options.balance))
				continue;
			err = balance_init(&b, c, key, v);
			if (!err)
				balance_add(&sb, c, &b);
			strbuf_addstr(out, "- ");
			escape(&sb, out);
			strbuf_addch(out, '\n');
			balance_release(&b);
		}
	return err;
}

static void add_line(struct strbuf *sb, struct strbuf *out)
{
	if (sb->len) {
		strbuf_addstr(out, "- ");
		add_escaped(out, sb->s);
		strbuf_addch(out, '\n');
	}
	out->failed |= sb->failed;
	strbuf_release(sb);
}

static int print_details(const struct hist_diff *d, const struct comparison *c, struct printer *p)
{
	const struct join *j = c->join;
	struct strbuf sb = STRBUF_INIT;
	int err = 0;

	strbuf_addstr(&p->buf, "<details><summary>");
	marks_add(&p->buf, d, c);
	strbuf_addstr(&p->buf, "</summary>\n\n");
	for (size_t i = 0; i < j->n_runs; i++)
		if (meter_side(&c->meter, i) >= 0) {
			run_add(&sb, d, &j->runs[i]);
			add_line(&sb, &p->buf);
			sb = (struct strbuf)STRBUF_INIT;
		}
	spread_add(&sb, c);
	add_line(&sb, &p->buf);
	sb = (struct strbuf)STRBUF_INIT;
	test_add(&sb, c);
	add_line(&sb, &p->buf);
	err = print_balances(d, c, &p->buf);
	strbuf_addch(&p->buf, '\n');
	for (size_t s = 0; s < j->n_stats && !err; s++)
		err = print_stat(c, s, p);
	strbuf_addstr(&p->buf, "</details>\n\n");
	return err;
}

static int print_comparison(const struct hist_diff *d, const struct comparison *c,
			    struct printer *p)
{
	const struct join *j = c->join;
	struct strbuf sb = STRBUF_INIT;
	int err = 0;

	strbuf_addstr(&p->buf, "#### ");
	strbuf_addf(&sb, "%s%s%s %s", j->instance, *j->instance ? ":" : "", j->event, j->trigger);
	if (d->n_sides > 2)
		strbuf_addf(&sb, ": %s and %s", d->labels[0], d->labels[c->meter.after]);
	escape(&sb, &p->buf);
	strbuf_addstr(&p->buf, "\n\n");
	if (!join_is_complete(j))
		return 0;
	for (size_t v = 0; v < j->n_values && !err; v++)
		err = print_value(d, c, v, p);
	return err ? err : print_details(d, c, p);
}

/* --- the start --- */

/* ORDER enum outcome */
static const char *const outcome_signs[] = { "\u2705", "\u274c", "\u2753" };
/* ORDER enum hist_diff_verdict */
static const char *const verdict_signs[] = { "\u2705", "\u274c", "\u2753" };

static void print_checks(const struct hist_diff *d, struct strbuf *out)
{
	size_t shown = 0, hidden = 0;

	for (size_t i = 0; i < d->verdict.checks.n; i++) {
		const struct fail_on_check *c = &d->verdict.checks.v[i];
		struct strbuf sb = STRBUF_INIT;

		if (!check_is_shown(d, c) || shown == MAX_ROWS) {
			hidden++;
			continue;
		}
		shown++;
		strbuf_addf(out, "- %s ", outcome_signs[c->outcome]);
		strbuf_addf(&sb, "%s: ", c->expr->text);
		check_add(&sb, d, c);
		escape(&sb, out);
		strbuf_addch(out, '\n');
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
		add_escaped(&p->buf, first_doubt(d));
	}
	strbuf_addstr(&p->buf, "\n\n");
	print_checks(d, &p->buf);
	for (size_t i = 0; i < d->all.n && !err; i++)
		err = print_comparison(d, &d->all.v[i], p);
	return err ? err : p->err;
}

const struct diff_printer diff_print_markdown = { .name = "markdown", .print = print_markdown };
