// SPDX-License-Identifier: LGPL-2.1-only
/* Sentences of a comparison, for all text formats. */
#include "diff/order_stats.h"
#include "diff/tables.h"

enum { MAX_EXEMPLARS = 3, MAX_FINDINGS = 5 };

void number_add(struct strbuf *out, double v, bool with_sign, const char *unit)
{
	const char *sign = with_sign && v > 0 ? "+" : "";

	if (isinf(v)) {
		strbuf_addf(out, "%sinf", v < 0 ? "-" : sign);
	} else if (people_unit(unit)) {
		strbuf_addstr(out, sign);
		people_text(out, v, unit);
	} else if (fabs(v) >= 1000 && fabs(v) < 1e15) {
		strbuf_addstr(out, sign);
		text_add_grouped(out, (u64)(s64)round(v), true);
	} else if (v == floor(v) && fabs(v) < 1e15) {
		strbuf_addf(out, "%s%.0f", sign, v + 0.0);
	} else {
		strbuf_addf(out, fabs(v) >= 1 ? "%s%.2f" : "%s%.3g", sign, v);
	}
}

const char *metric_unit(const struct comparison *c, const struct metric *metric)
{
	const bool is_part = metric->what == MEASURE_VALUE && c->meter.mode == HIST_DIFF_SHARE;

	return is_part || metric->what == MEASURE_N ? NULL : metric->unit;
}

void interval_add(struct strbuf *out, struct interval i, bool with_sign, const char *unit)
{
	const size_t start = out->len;
	struct strbuf max = STRBUF_INIT;

	if (!interval_known(i)) {
		strbuf_addch(out, '.');
		return;
	}
	number_add(out, i.min, with_sign, unit);
	number_add(&max, i.max, with_sign, unit);
	if (!out->failed && !max.failed && strcmp(out->s + start, max.s) != 0)
		strbuf_addf(out, "%s%s", people_unit(unit) ? " to " : "..", max.s);
	out->failed |= max.failed;
	strbuf_release(&max);
	if (unit && !people_unit(unit))
		strbuf_addf(out, " %s", unit);
}

void percent_add(struct strbuf *out, struct interval i)
{
	if (!interval_known(i)) {
		strbuf_addch(out, '.');
		return;
	}
	if (isinf(i.min) && i.max == i.min) {
		strbuf_addstr(out, i.min > 0 ? "new" : "-new");
		return;
	}
	if (i.min == -100 && i.max == -100) {
		strbuf_addstr(out, "gone");
		return;
	}
	strbuf_addf(out, "%+.1f%%", i.min + 0.0);
	if (fabs(i.max - i.min) >= .05)
		strbuf_addf(out, "..%+.1f%%", i.max + 0.0);
}

void name_add(struct strbuf *out, const char *name, const char *unit)
{
	strbuf_addstr(out, name);
	/* times have their unit in each cell */
	if (unit && !people_unit(unit))
		strbuf_addf(out, " (%s)", unit);
}

void run_add(struct strbuf *out, const struct hist_diff *d, const struct diff_run *run)
{
	strbuf_addf(out, "%-6s %s", d->labels[run->side], run->name);
	if (!run->added) {
		strbuf_addstr(out, ": no such histogram");
		return;
	}
	strbuf_addf(out, ": %llu hits", run->hits);
	if (run_seconds(run) > 0)
		strbuf_addf(out, " in %.6g s", run_seconds(run));
	if (run->lost || run->drops)
		strbuf_addf(out, ", %llu events lost, %llu hits dropped", run->lost, run->drops);
	if (run->feeding_drops)
		strbuf_addf(out, ", %llu hits dropped by histograms that feed this one",
			    run->feeding_drops);
	if (run->inexact)
		strbuf_addstr(out, ", inexact: fields were guessed from a text");
}

void marks_add(struct strbuf *out, const struct hist_diff *d, const struct comparison *c)
{
	size_t rows = 0;

	for (enum mark mark = MARK_SAME; mark < MARKS; mark++)
		rows += c->marks[mark];
	strbuf_addf(out, "%zu row%s: %zu changed, %zu only %s, %zu only %s", rows, plural(rows),
		    c->marks[MARK_CHANGED], c->marks[MARK_GONE], d->labels[0], c->marks[MARK_NEW],
		    d->labels[c->meter.after]);
	if (c->marks[MARK_WITHIN])
		strbuf_addf(out, ", %zu within the noise", c->marks[MARK_WITHIN]);
	if (c->marks[MARK_FEW])
		strbuf_addf(out, ", %zu with too few hits", c->marks[MARK_FEW]);
}

void summary_add(struct strbuf *out, const struct hist_diff *d, const struct summary *s)
{
	const bool more = d->options.more_is_better;

	strbuf_addf(out,
		    s->neutral ? "%zu more, %zu less, %zu the same"
			       : "%zu better, %zu worse, %zu the same",
		    s->neutral && !more ? s->worse : s->better,
		    s->neutral && !more ? s->better : s->worse, s->same);
	if (s->gone || s->new)
		strbuf_addf(out, ", %zu gone, %zu new", s->gone, s->new);
	if (!s->neutral)
		strbuf_addf(out, " (%s is better)", more ? "more" : "less");
	if (s->n_ratios)
		strbuf_addf(out, "; geometric mean of %zu row%s %+.1f%%", s->n_ratios,
			    plural(s->n_ratios), s->geomean_percent + 0.0);
}

static void add_share(struct strbuf *out, const struct balance *b, int side)
{
	strbuf_addf(out, "%.1f%%", b->largest[side] * 100);
	if (b->key[side].s)
		strbuf_addf(out, " (%.*s)", (int)b->key[side].n, b->key[side].s);
}

int balance_add(struct strbuf *out, const struct comparison *c, size_t key, size_t v, size_t least)
{
	scoped(balance_release) struct balance b;
	int err = balance_init(&b, c, key, v);

	if (!err && b.n >= least) {
		strbuf_addf(out, "%s over %zu of %s: largest share ", c->join->values[v].name, b.n,
			    c->join->keys[key].column.name);
		add_share(out, &b, 0);
		strbuf_addstr(out, " -> ");
		add_share(out, &b, 1);
		strbuf_addf(out, ", coefficient of variation %.3g -> %.3g", b.variation[0],
			    b.variation[1]);
	}
	return err;
}

void effects_add(struct strbuf *out, const struct diff_stat *stat, const struct dists *d)
{
	const struct dist *a = &d->side[0], *b = &d->side[1];

	if (!a->n || !b->n)
		return;
	name_add(out, stat->name, stat->unit);
	strbuf_addstr(out, ": quantile shift ");
	interval_add(out, dist_shift(a, b), true, stat->unit);
	strbuf_addstr(out, ", Kolmogorov-Smirnov D ");
	interval_add(out, dist_ks(a, b), false, NULL);
	strbuf_addstr(out, ", Cliff's delta ");
	interval_add(out, dist_cliff(a, b), true, NULL);
}

/* Rows that became better need no explanation. */
static bool became_better(const struct hist_diff *d, const struct view_row *row)
{
	return row->mark == MARK_CHANGED &&
	       (row->measure.delta.max > 0) == d->options.more_is_better;
}

void exemplars_add(struct strbuf *out, const struct hist_diff *d, const struct comparison *c,
		   const struct view *view)
{
	size_t n = 0;

	for (size_t i = 0; i < view->n && n < MAX_EXEMPLARS; i++) {
		const struct diff_row *row = view->rows[i].row;
		const struct diff_exemplars *e = row_exemplars(row, c->meter.after);

		if (!e || became_better(d, &view->rows[i]))
			continue;
		strbuf_addstr(out, n++ ? "; " : "worst hits: ");
		row_print_keys(c->join, row, ", ", true, out);
		strbuf_addstr(out, ": ");
		exemplars_print(c->join, c->meter.after, e, out);
	}
}

void spread_add(struct strbuf *out, const struct comparison *c)
{
	size_t before = meter_runs(&c->meter, 0), after = meter_runs(&c->meter, 1);

	if (before > 1)
		strbuf_addf(out, "\u00b1: the %.4g%% confidence interval of the median of %zu runs",
			    stats_spread_level(before), before);
	if (after > 1 && after != before)
		strbuf_addf(out, "%s the %.4g%% %s of %zu runs",
			    before > 1 ? "," : "\u00b1:", stats_spread_level(after),
			    before > 1 ? "one" : "confidence interval of the median", after);
	if (before > 1 && after > 1)
		strbuf_addstr(out, "; ~: these intervals overlap");
}

void history_add(struct strbuf *out, const struct meter *m, const char *name, const char *unit)
{
	enum { PLACES = 20, FEW = 3 };
	const size_t n = meter_runs(m, 0);
	const bool few = n >= FEW && meter_runs(m, 1) == 1;
	scoped(free_scoped) double *v = few ? calloc(n + 1, sizeof(*v)) : NULL;
	double min = HUGE_VAL, max = -HUGE_VAL;
	size_t runs[PLACES] = { 0 };
	const bool known = v && meter_numbers(m, v);
	size_t less = 0;

	for (size_t i = 0; known && i <= n; i++) {
		min = fmin(min, v[i]);
		max = fmax(max, v[i]);
		less += v[i] < v[n];
	}
	if (max > min) {
		const double width = (max - min) / (PLACES - 1);

		strbuf_addf(out, "; %s is more than that of %zu of %zu before: ", name, less, n);
		number_add(out, min, false, unit);
		strbuf_addstr(out, " [");
		for (size_t i = 0; i < n; i++)
			runs[(size_t)((v[i] - min) / width)]++;
		for (size_t i = 0; i < PLACES; i++) {
			strbuf_addch(out, runs[i] ? (char)('0' + min_t(size_t, runs[i], 9)) : '.');
			if (i == (size_t)((v[n] - min) / width))
				strbuf_addch(out, '^');
		}
		strbuf_addstr(out, "] ");
		number_add(out, max, false, unit);
	}
	out->failed |= few && !v;
}

void findings_add(struct strbuf *out, const struct comparison *c)
{
	const struct join *j = c->join;
	size_t n = c->evidence.found.n;

	for (size_t i = 0; i < n && i < MAX_FINDINGS; i++) {
		const struct finding *f = &c->evidence.found.v[i];
		const char *unit = metric_unit(c, &f->metric);

		strbuf_addstr(out, i ? "; " : "changed: ");
		metric_name_add(out, j, &f->metric);
		strbuf_addstr(out, " of ");
		row_print_keys(j, f->row, ", ", true, out);
		strbuf_addch(out, ' ');
		interval_add(out, f->measure.side[0], false, unit);
		strbuf_addstr(out, " -> ");
		interval_add(out, f->measure.side[1], false, unit);
		strbuf_addstr(out, " (");
		percent_add(out, f->measure.percent);
		strbuf_addf(out, ", p=%.2g)", f->measure.p_family);
	}
	if (n > MAX_FINDINGS)
		strbuf_addf(out, "; and %zu more number%s", n - MAX_FINDINGS,
			    plural(n - MAX_FINDINGS));
}

/* --- --fail-on --- */

bool check_is_shown(const struct hist_diff *d, const struct fail_on_check *c)
{
	return d->options.all || !c->expr->glob || !c->row || c->outcome != OUTCOME_NO;
}

void check_add(struct strbuf *out, const struct hist_diff *d, const struct fail_on_check *c)
{
	strbuf_addstr(out, outcome_name(c->outcome));
	if (c->of) {
		strbuf_addf(out, ": %s of ", c->name);
		if (c->row)
			row_print_keys(c->of->join, c->row, ", ", true, out);
		else
			strbuf_addstr(out, c->expr->glob);
		strbuf_addch(out, ' ');
		interval_add(out, c->measure.side[0], false, metric_unit(c->of, &c->metric));
		strbuf_addstr(out, " -> ");
		interval_add(out, c->measure.side[1], false, metric_unit(c->of, &c->metric));
		strbuf_addstr(out, " (");
		percent_add(out, c->measure.percent);
		strbuf_addch(out, ')');
		if (d->n_sides > 2)
			strbuf_addf(out, " in %s", d->labels[c->of->meter.after]);
	}
	if (c->tested)
		strbuf_addf(out, ", p=%.3g, with the other tests %.3g", c->p, c->p_family);
	if (c->outcome == OUTCOME_UNSURE)
		strbuf_addf(out, ": %s", c->why);
	if (c->outcome == OUTCOME_HOLDS) {
		/* of a row that fails */
		const size_t after = c->of ? c->of->meter.after : 0;
		const struct diff_exemplars *e = c->of && c->row ? row_exemplars(c->row, after)
								 : NULL;

		if (!e)
			return;
		strbuf_addstr(out, "; worst hits: ");
		exemplars_print(c->of->join, after, e, out);
	}
}

const char *first_doubt(const struct hist_diff *d)
{
	for (size_t i = 0; i < d->all.n; i++)
		if (d->all.v[i].doubts.n)
			return d->all.v[i].doubts.v[0];
	return NULL;
}
