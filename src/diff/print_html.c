// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison as a page: the verdict and each --fail-on, then for each histogram its values with
 * bars before and after, the distributions, the differential flame graph.
 */
#include "diff/tables.h"

enum {
	MAX_ROWS = 500,
	MAX_CHECKS = 200,
	MAX_FRAMES = 1500,
	MAX_BARS = SCALE_MAX,
	MAX_ROW_BARS = 20
};

/* Append text of a recording, if there is any, and forget it. */
static void add_sentence(struct strbuf *out, const char *before, struct strbuf *text,
			 const char *after)
{
	if (text->len) {
		strbuf_addstr(out, before);
		markup_add(out, (struct span){ text->s, text->len });
		strbuf_addstr(out, after);
	}
	out->failed |= text->failed;
	strbuf_reset(text);
}

/* --- values --- */

/* Which colour is which side. */
static void add_sides(struct strbuf *out, const struct hist_diff *d, const struct comparison *c)
{
	strbuf_addstr(out, "<p class=\"note\"><span class=\"side-a\">\u25a0</span> ");
	markup_str(out, d->labels[0]);
	strbuf_addstr(out, " <span class=\"side-b\">\u25a0</span> ");
	markup_str(out, d->labels[c->meter.after]);
	strbuf_addstr(out, "</p>\n");
}

/* Append the displayed rows, before and after side by side. */
static int add_bars(struct strbuf *out, const struct comparison *c, const struct view *view)
{
	size_t n = min_t(size_t, view->n, MAX_ROW_BARS);
	struct chart_bar *bars = calloc(n + 1, sizeof(*bars));
	scoped(arena_release) struct arena texts = ARENA_INIT;
	int err;

	if (!bars)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct measure *m = &view->rows[i].measure;
		struct strbuf sb = STRBUF_INIT;
		const char *label;

		row_print_keys(c->join, view->rows[i].row, ", ", true, &sb);
		label = arena_take(&texts, &sb);
		bars[i] = (struct chart_bar){ .label = span_of(label ? label : ""),
					      .n = { fmax(m->side[0].min, 0),
						     fmax(m->side[1].min, 0) } };
	}
	if (n)
		chart_draw_rows(out, &(struct chart){ .bars = bars, .n = n, .both = true });
	err = texts.failed ? HIST_NOMEM : 0;
	free(bars);
	return err;
}

static int print_value(const struct hist_diff *d, const struct comparison *c, size_t v,
		       struct strbuf *out)
{
	scoped(table_release) struct table t = TABLE_INIT;
	scoped(view_release) struct view view;
	const struct metric metric = value_metric(c->join, v);
	int err = view_of_metric(&view, d, c, &metric, MAX_ROWS);

	if (!err) {
		table_of_metric(&t, d, c, &metric, &view);
		add_sentence(out, "<h3>", &t.title, "</h3>\n");
		add_sentence(out, "<p>", &t.verdict, "</p>\n");
		add_sentence(out, "<p>", &t.note, "</p>\n");
		if (!join_has_stack(c->join)) {
			add_sides(out, d, c);
			err = add_bars(out, c, &view);
		}
		table_html(&t, "rows", "rows", out);
		if (t.more)
			strbuf_addf(out, "<p class=\"note left-out\">%zu more rows</p>\n", t.more);
	}
	for (size_t key = 0; key < c->join->n_keys && !err; key++) {
		if (balance_is_wanted(c->join, key, d->options.balance))
			err = balance_add(&t.note, c, key, v, 0);
		add_sentence(out, "<p>", &t.note, "</p>\n");
	}
	return err;
}

/* --- distributions --- */

static double number_of(const struct dists *d, u64 v)
{
	return d->side[0].is_signed ? (double)(s64)v : (double)v;
}

/* Whether there are ranges that are wider than the error of a quantile. */
static bool has_ranges(const struct dists *d)
{
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < d->side[side].parts.n; i++) {
			const struct dist_part *part = &d->side[side].parts.v[i];

			if (number_of(d, part->max) - number_of(d, part->min) >
			    1 + fabs(number_of(d, part->max)) / 16)
				return true;
		}
	return false;
}

/* A bar for each range of both sides, as many as fit. 0, -HIST_ENOMEM */
static int make_range_bars(const struct dists *d, struct chart_bar *bars, size_t *n_bars)
{
	struct dist all = DIST_INIT(d->side[0].is_signed);
	int err = 0;
	size_t n;

	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < d->side[side].parts.n && !err; i++)
			err = dist_add(&all, d->side[side].parts.v[i].min,
				       d->side[side].parts.v[i].max, 1);
	dist_finish(&all);
	n = min_t(size_t, all.parts.n, MAX_BARS);
	for (size_t i = 0; i < all.parts.n; i++) {
		struct chart_bar *bar = &bars[i * n / all.parts.n];

		if (!bar->tick)
			bar->min = number_of(d, all.parts.v[i].min);
		bar->max = number_of(d, all.parts.v[i].max);
		bar->tick = true;
	}
	dist_release(&all);
	*n_bars = n;
	return err;
}

/* Bars with round edges. */
static void make_bars(const struct dists *d, struct chart_bar *bars, size_t *n_bars)
{
	double min = INFINITY, max = -INFINITY;
	struct scale scale;

	for (int side = 0; side < 2; side++) {
		const struct dist *of = &d->side[side];

		min = fmin(min, number_of(d, of->parts.v[0].min));
		max = fmax(max, number_of(d, of->parts.v[of->parts.n - 1].max));
	}
	scale_init(&scale, min, max);
	for (size_t i = 0; i < scale.n; i++)
		bars[i] = (struct chart_bar){ .min = scale.edges[i],
					      .max = scale.edges[i + 1] - 1,
					      .tick = scale.round[i] };
	*n_bars = scale.n;
}

static int label_bars(struct chart_bar *bars, size_t n, const char *unit, struct arena *texts)
{
	for (size_t i = 0; i < n; i++) {
		struct strbuf sb = STRBUF_INIT;
		const char *label;

		people_add(&sb, bars[i].min, unit);
		if (bars[i].max > bars[i].min) {
			strbuf_addstr(&sb, " to ");
			people_add(&sb, bars[i].max, unit);
		}
		label = arena_take(texts, &sb);
		if (!label)
			return HIST_NOMEM;
		bars[i].label = span_of(label);
	}
	return 0;
}

static int add_distribution(struct strbuf *out, const struct diff_stat *of, const struct dists *d)
{
	static const enum measure_what marked[] = { MEASURE_P50, MEASURE_P90, MEASURE_P99 };
	scoped(free_scoped) struct chart_bar *bars = calloc(MAX_BARS, sizeof(*bars));
	struct chart_mark marks[ARRAY_SIZE(marked)];
	scoped(arena_release) struct arena texts = ARENA_INIT;
	size_t n = 0;
	int err = bars ? 0 : HIST_NOMEM;

	if (!err && has_ranges(d))
		err = make_range_bars(d, bars, &n);
	else if (!err)
		make_bars(d, bars, &n);
	err = err ?: label_bars(bars, n, of->unit, &texts);
	for (int side = 0; side < 2 && !err; side++)
		for (size_t i = 0, at = 0; i < d->side[side].parts.n; i++) {
			const struct dist_part *part = &d->side[side].parts.v[i];

			while (at + 1 < n && number_of(d, part->min) > bars[at].max)
				at++;
			/* relative to its side, because the longer run would be higher otherwise */
			bars[at].n[side] += (double)part->n / (double)d->side[side].n * 100;
		}
	for (size_t i = 0; i < ARRAY_SIZE(marked); i++) {
		marks[i].name = measure_name(marked[i]);
		for (int side = 0; side < 2; side++)
			marks[i].at[side] = number_of(
				d, dist_quantile(&d->side[side], measure_permille(marked[i])).max);
	}
	if (n > 1 && !err) {
		chart_draw(out, &(struct chart){ .bars = bars,
						 .n = n,
						 .marks = marks,
						 .n_marks = ARRAY_SIZE(marks),
						 .both = true,
						 .unit = of->unit,
						 .y = "per cent of the samples",
						 .what = of->name });
		strbuf_addstr(out, "<p class=\"note\">Lines are quantiles: solid before, dashed "
				   "after.</p>\n");
	}
	return err;
}

static int print_stat(const struct hist_diff *d, const struct comparison *c, size_t stat,
		      struct strbuf *out)
{
	scoped(table_release) struct table t = TABLE_INIT;
	struct dists dists;
	int err = table_of_stat(&t, c, stat, &dists);

	if (!err) {
		add_sentence(out, "<h3>", &t.title, "</h3>\n");
		add_sentence(out, "<p>", &t.verdict, "</p>\n");
		if (dists.side[0].n && dists.side[1].n) {
			add_sides(out, d, c);
			err = add_distribution(out, &c->join->stats[stat], &dists);
		}
		table_html(&t, "stats", "stats", out);
	}
	dists_release(&dists);
	return err;
}

/* --- a histogram --- */

static int print_flame(const struct comparison *c, struct strbuf *out)
{
	size_t hidden;
	int err;

	if (!join_has_stack(c->join))
		return 0;
	strbuf_addstr(out,
		      "<h3>Differential flame graph</h3>\n<p class=\"note\">Red grew, blue "
		      "shrank; the width of a frame is the mean of before and after.</p>\n<div>");
	err = diff_flame_draw(c, MAX_FRAMES, false, &hidden, out);
	strbuf_addstr(out, "</div>\n");
	if (hidden)
		strbuf_addf(out, "<p class=\"note\">%zu frames are too narrow to be drawn.</p>\n",
			    hidden);
	return err;
}

static void print_head(const struct hist_diff *d, const struct comparison *c, struct strbuf *out)
{
	const struct join *j = c->join;
	struct strbuf sb = STRBUF_INIT;

	if (j->question)
		join_add_name(j, false, &sb);
	else
		strbuf_addf(&sb, "%s%s%s", j->instance, *j->instance ? ": " : "", j->event);
	if (d->n_sides > 2)
		strbuf_addf(&sb, ", %s and %s", d->labels[0], d->labels[c->meter.after]);
	add_sentence(out, "<section>\n<h2>", &sb, "</h2>\n");
	if (!j->question) {
		strbuf_addstr(out, "<pre class=\"trigger\">");
		markup_str(out, j->trigger);
		strbuf_addstr(out, "</pre>\n");
	}
	strbuf_addstr(out, "<ul>\n");
	for (size_t i = 0; i < c->join->n_runs; i++) {
		if (meter_side(&c->meter, i) < 0)
			continue;
		run_add(&sb, d, &c->join->runs[i]);
		if (c->join->runs[i].added && *c->join->runs[i].uname)
			strbuf_addf(&sb, ", %s, clock %s", c->join->runs[i].uname,
				    c->join->runs[i].clock);
		add_sentence(out, "<li>", &sb, "</li>\n");
	}
	strbuf_addstr(out, "</ul>\n");
	strbuf_release(&sb);
	marks_add(&sb, d, c);
	add_sentence(out, "<p>", &sb, "</p>\n");
	findings_add(&sb, c);
	add_sentence(out, "<p>", &sb, "</p>\n");
	spread_add(&sb, c);
	add_sentence(out, "<p class=\"note\">", &sb, "</p>\n");
	family_add(&sb, c->evidence.family, d->options.alpha);
	add_sentence(out, "<p class=\"note\">", &sb, "</p>\n");
	strbuf_release(&sb);
}

/* --- the page --- */

static void print_checks(const struct hist_diff *d, struct strbuf *out)
{
	/* ORDER enum outcome */
	static const char *const classes[] = { "less", "more", "same" };
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t shown = 0, hidden = 0;

	strbuf_addstr(out, "<ul class=\"checks\">\n");
	array_each(const struct fail_on_check, c, &d->verdict.checks) {
		if (!check_is_shown(d, c) || shown == MAX_CHECKS) {
			hidden++;
			continue;
		}
		shown++;
		strbuf_addf(&sb, "%s: ", c->expr->text);
		check_add(&sb, d, c);
		strbuf_addf(out, "<li class=\"%s\">", classes[c->outcome]);
		add_sentence(out, "", &sb, "</li>\n");
	}
	if (hidden)
		strbuf_addf(out, "<li class=\"same\">%zu more</li>\n", hidden);
	strbuf_addstr(out, "</ul>\n");
}

static int print_html(const struct hist_diff *d, struct printer *p)
{
	scoped(strbuf_release) struct strbuf title = STRBUF_INIT;
	struct page_head head;
	int err = 0;

	if (d->all.v[0].join->question)
		strbuf_addf(&title, "%s ", d->all.v[0].join->question);
	strbuf_addf(&title, "%s: %s", title.len ? "Compared" : "hist diff",
		    verdict_name(d->verdict.is));
	head = (struct page_head){ .title = title.s,
				   .command = d->options.command,
				   .messages = d->messages };
	page_begin(&p->buf, &head);
	if (d->verdict.checks.n)
		print_checks(d, &p->buf);
	array_each_while(const struct comparison, c, &d->all, !err) {
		print_head(d, c, &p->buf);
		if (join_is_complete(c->join)) {
			err = print_flame(c, &p->buf);
			for (size_t s = 0; s < c->join->n_sketches && !err; s++)
				err = c->join->stats[s].repeats ? 0 : print_stat(d, c, s, &p->buf);
			err = err ?: print_value(d, c, main_value(c->join), &p->buf);
			for (size_t j = 0; j < c->join->n_values && !err; j++)
				if (j != main_value(c->join))
					err = print_value(d, c, j, &p->buf);
			for (size_t s = c->join->n_sketches; s < c->join->n_stats && !err; s++)
				err = c->join->stats[s].repeats ? 0 : print_stat(d, c, s, &p->buf);
		}
		strbuf_addstr(&p->buf, "</section>\n");
		printer_flush(p);
		err = err ? err : p->err;
	}
	page_end(&head, &p->buf);
	p->buf.failed |= title.failed;
	return err;
}

const struct diff_printer diff_print_html = { .name = "html", .print = print_html };
