// SPDX-License-Identifier: LGPL-2.1-only
/*
 * --fail-on: parses expressions, and evaluates them on compared histograms: true, false, or
 * undecided for each row that an expression applies to.
 *
 * An expression is parsed from its end: keys may contain any character, including < > and :, but
 * the limit and the name of a metric do not. With enough runs per side, it is true only if a test
 * also distinguishes the runs of both sides, at a level shared by all tests of two sides.
 */
#include "diff/order_stats.h"
#include "diff/relabel.h"
#include "diff/verdict.h"

/* --- parsing --- */

/* Parse a number without a sign and without trailing text, independent of the locale. */
static bool fail_on_number(struct span text, double *v)
{
	double scale = 1;
	bool point = false, digits = false;

	*v = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (text.s[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(text.s[i]))
			return false;
		digits = true;
		*v = *v * 10 + (text.s[i] - '0');
		scale *= point ? 10 : 1;
	}
	*v /= scale;
	return digits && *v < 1e300;
}

/* Parse a limit: "+10%" is a change, "200us" a value. */
static bool parse_limit(struct span text, struct fail_on *expr)
{
	bool has_sign = text.n && (text.s[0] == '+' || text.s[0] == '-');
	struct span number = span_skip(text, has_sign);
	u64 ns;

	expr->of_value = !has_sign;
	while (number.n && !is_digit(number.s[number.n - 1]) && number.s[number.n - 1] != '.')
		number.n--;
	if (!fail_on_number(number, &expr->limit))
		return false;
	expr->limit *= has_sign && text.s[0] == '-' ? -1 : 1;
	text = span_skip(text, number.n + has_sign);
	expr->unit = !text.n ? FAIL_ON_PLAIN : span_eq(text, "%") ? FAIL_ON_PERCENT : FAIL_ON_TIME;
	if (expr->unit != FAIL_ON_TIME)
		return true;
	ns = span_time_unit(text);
	expr->limit *= (double)ns;
	return ns > 0;
}

int fail_on_parse(const char *text, struct fail_on *expr, struct arena *arena, struct diags *diags)
{
	struct span all = span_trim(span_of(text)), metric, glob = { NULL, 0 };
	const char *less = span_rchr(all, '<'), *greater = span_rchr(all, '>'), *colon;
	/* the last one; NULL if there is none */
	const char *op = !less || (greater && greater > less) ? greater : less;

	*expr = (struct fail_on){ .text = arena_strdup(arena, text) };
	if (!op || !parse_limit(span_trim(span_between(op + 1, all.s + all.n)), expr))
		return diags_error(
			diags, -HIST_EINVAL,
			"--fail-on '%s': write [KEY:]METRIC>+N or METRIC<-N for a change, METRIC>N for "
			"the value after, with %%, ns, us, ms or s if needed: 'p99>+10%%', 'p99>200us'",
			text);
	if (expr->of_value && expr->unit == FAIL_ON_PERCENT)
		return diags_error(
			diags, -HIST_EINVAL,
			"--fail-on '%s': a percentage is a change, which needs a sign: '+10%%'",
			text);
	expr->greater = *op == '>';
	metric = span_between(all.s, op);
	colon = span_rchr(metric, ':');
	if (colon) {
		glob = span_between(all.s, colon);
		metric = span_between(colon + 1, op);
	}
	metric = span_trim(metric);
	if (!metric.n)
		return diags_error(diags, -HIST_EINVAL,
				   "--fail-on '%s' names no metric, such as hitcount or p99", text);
	expr->metric = arena_strndup(arena, metric.s, metric.n);
	if (colon)
		expr->glob = arena_strndup(arena, glob.s, glob.n);
	return expr->text && expr->metric && (expr->glob || !colon) ? 0 : HIST_NOMEM;
}

/* --- names of metrics --- */

static bool find_measure(const char *name, enum measure_what *what)
{
	for (enum measure_what w = MEASURE_N; w < MEASURE_OF_STAT; w++) {
		*what = w;
		if (!strcmp(measure_name(w), name))
			return true;
	}
	return false;
}

/*
 * Name of the quantile in "lat.p99", or in "p99" without a statistic; NULL if @name is about
 * another statistic.
 */
static const char *without_stat(const struct diff_stat *stat, const char *name)
{
	size_t n = strlen(stat->name);
	enum measure_what what;

	if (!strncmp(name, stat->name, n) && name[n] == '.')
		return name + n + 1;
	return find_measure(name, &what) ? name : NULL;
}

bool metric_find(const struct join *j, const char *name, struct metric *metric, bool *several)
{
	size_t found = 0;
	bool found_key = false;

	*several = false;
	for (size_t i = 0; i < j->n_values; i++) {
		if (strcmp(j->values[i].name, name))
			continue;
		*metric = (struct metric){ MEASURE_VALUE, i, j->values[i].unit };
		return true;
	}
	for (size_t i = 0; i < j->n_stats; i++) {
		const char *rest = without_stat(&j->stats[i], name);
		enum measure_what what;

		if (!rest || !find_measure(rest, &what) || (rest == name && j->stats[i].repeats))
			continue;
		/* without a name, that of a key is meant only if there are no others: these are
		 * first */
		if (rest == name && found && !found_key && j->stats[i].of_key)
			continue;
		*metric = (struct metric){ what, i, what == MEASURE_N ? NULL : j->stats[i].unit };
		found++;
		if (rest != name)
			return true;
		found_key |= j->stats[i].of_key;
	}
	*several = found > 1;
	return found == 1;
}

/* --- creating checks --- */

struct row_maker {
	check_array *checks;
	const comparison_array *all;
	struct arena *arena;
	struct diags *diags;
};

static int add_check(struct row_maker *m, const struct fail_on *expr, const struct comparison *of,
		     const struct diff_row *row, const struct metric *metric)
{
	struct fail_on_check c = { .expr = expr, .of = of, .row = row };

	if (of) {
		c.metric = *metric;
		c.name = metric->what == MEASURE_VALUE
				 ? of->join->values[metric->at].name
				 : arena_printf(m->arena, "%s.%s", of->join->stats[metric->at].name,
						measure_name(metric->what));
		if (!c.name)
			return HIST_NOMEM;
	}
	return array_push(m->checks, c);
}

static int check_unit(const struct row_maker *m, const struct fail_on *expr,
		      const struct metric *metric, const struct join *j, enum hist_diff_mode mode)
{
	if (expr->unit != FAIL_ON_TIME)
		return 0;
	if (metric->what == MEASURE_VALUE && mode == HIST_DIFF_SHARE)
		return diags_error(m->diags, -HIST_EINVAL,
				   "--fail-on '%s': with --share values have no unit of time",
				   expr->text);
	if (metric->unit && span_time_unit(span_of(metric->unit)))
		return 0;
	return diags_error(
		m->diags, -HIST_EINVAL,
		"--fail-on '%s': the unit of %s is not known; give --unit %s=us, or ns, ms, s",
		expr->text, expr->metric,
		metric->what == MEASURE_VALUE ? j->values[metric->at].name
					      : j->stats[metric->at].name);
}

/* Add a check for each matching row, or for a numeric key one check for all matching rows. */
static int add_rows(struct row_maker *m, const struct fail_on *expr, const struct comparison *of,
		    const struct metric *metric, bool *matched)
{
	const struct join *j = of->join;
	bool together = metric->what != MEASURE_VALUE && j->stats[metric->at].of_key, any = false;
	int err = 0;

	for (size_t i = 0; i < j->rows.n && !err; i++) {
		const struct diff_row *row = j->rows.v[i];
		bool matches = false;

		if (!row->left_out)
			err = row_matches(j, row, expr->glob, &matches);
		if (err || !matches)
			continue;
		*matched = true;
		if (row->few && !together)
			continue;
		if (!together || !any)
			err = add_check(m, expr, of, together ? NULL : row, metric);
		any = true;
	}
	return err;
}

/* Append @name to a list, unless it is in it. */
static void add_name(struct strbuf *names, const char *name)
{
	struct span rest = { names->s, names->len };

	while (rest.n)
		if (span_eq(span_ltrim(span_sep(&rest, ",")), name))
			return;
	strbuf_addf(names, "%s%s", names->len ? ", " : "", name);
}

void metrics_add(const comparison_array *all, struct strbuf *names)
{
	bool any = false;

	for (size_t c = 0; c < all->n; c++) {
		const struct join *j = all->v[c].join;

		for (size_t i = 0; i < j->n_values; i++)
			add_name(names, j->values[i].name);
		for (size_t i = 0; i < j->n_stats; i++) {
			scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

			strbuf_addf(&name, "%s.WHAT", j->stats[i].name);
			add_name(names, name.s);
			names->failed |= name.failed;
			any = true;
		}
	}
	for (enum measure_what w = MEASURE_N; any && w < MEASURE_OF_STAT; w++)
		strbuf_addf(names, "%s%s", w == MEASURE_N ? " (WHAT: " : ", ", measure_name(w));
	strbuf_addstr(names, any ? ")" : "");
}

static bool has_ranges(const struct join *j, const struct diff_stat *stat)
{
	return stat->of_key && j->keys[stat->at].column.type == RESULT_RANGE;
}

/* Whether another histogram of the event has the values whose ranges @of has. */
static bool known_better(const struct row_maker *m, const struct fail_on *expr,
			 const struct comparison *of, const struct metric *metric)
{
	const struct join *j = of->join;
	struct metric other;
	bool several;

	if (metric->what == MEASURE_VALUE || expr->glob || !has_ranges(j, &j->stats[metric->at]))
		return false;
	for (size_t c = 0; c < m->all->n; c++) {
		const struct join *k = m->all->v[c].join;

		if (!strcmp(k->event, j->event) && !strcmp(k->instance, j->instance) &&
		    metric_find(k, expr->metric, &other, &several) && other.what == metric->what &&
		    !strcmp(k->stats[other.at].name, j->stats[metric->at].name) &&
		    !has_ranges(k, &k->stats[other.at]))
			return true;
	}
	return false;
}

static int make_checks(struct row_maker *m, const struct fail_on *expr)
{
	bool bound = false, matched = !expr->glob, any_several = false;
	int err = 0;

	array_each_while(const struct comparison, of, m->all, !err) {
		const struct join *j = of->join;
		struct metric metric;
		bool several;

		if (!metric_find(j, expr->metric, &metric, &several)) {
			any_several |= several;
			continue;
		}
		bound = true;
		if (known_better(m, expr, of, &metric))
			continue;
		err = check_unit(m, expr, &metric, j, of->meter.mode);
		if (err)
			return err;
		err = expr->glob ? add_rows(m, expr, of, &metric, &matched)
				 : add_check(m, expr, of, &j->all, &metric);
	}
	if (err)
		return err;
	if (!bound) {
		scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

		metrics_add(m->all, &names);
		diags_error(
			m->diags, 0,
			any_several
				? "--fail-on '%s': %s needs the name of a value: %s"
				: "--fail-on '%s': there is no %s to compare, only %s; --stats adds quantiles of "
				  "values and variables",
			expr->text, expr->metric, names.s);
		return -HIST_EINVAL;
	}
	return matched ? 0 : add_check(m, expr, NULL, NULL, NULL);
}

int checks_make(check_array *checks, const comparison_array *all, const struct fail_ons *exprs,
		struct arena *arena, struct diags *diags)
{
	struct row_maker m = { .checks = checks, .all = all, .arena = arena, .diags = diags };
	int err = 0;

	for (size_t i = 0; i < exprs->n && !err; i++)
		err = make_checks(&m, &exprs->v[i]);
	return err;
}

/* --- evaluating checks --- */

static void judge_threshold(struct fail_on_check *c)
{
	const bool of_value = c->expr->of_value;
	const char *unsure = of_value ? c->measure.unsure_after : c->measure.unsure;
	struct interval x = c->expr->of_value                  ? c->measure.side[1]
			    : c->expr->unit == FAIL_ON_PERCENT ? c->measure.percent
							       : c->measure.delta;
	double limit = c->expr->limit;

	if (c->expr->unit == FAIL_ON_TIME)
		limit /= (double)span_time_unit(span_of(c->metric.unit));
	if (unsure || !interval_known(x)) {
		c->outcome = OUTCOME_UNSURE;
		c->why = unsure ? unsure : of_value ? "nothing after" : "nothing on one side";
		return;
	}
	if (!c->expr->greater) {
		x = (struct interval){ -x.max, -x.min };
		limit = -limit;
	}
	c->outcome = x.min > limit ? OUTCOME_HOLDS : x.max > limit ? OUTCOME_UNSURE : OUTCOME_NO;
	if (c->outcome == OUTCOME_UNSURE)
		c->why =
			"only the buckets of the values are known; count the values themselves, or with "
			"--stats";
}

/* Test whether the runs of both sides can be distinguished, and keep their numbers. */
static int test(struct fail_on_check *c, const struct meter *m, struct arena *arena)
{
	int err = measure_test(m, &c->measure);

	c->tested = !err && !isnan(c->measure.p);
	c->p = c->measure.p;
	if (!c->tested)
		return err;
	c->numbers = arena_alloc(arena, (m->j->n_runs + 1) * sizeof(*c->numbers));
	if (!c->numbers)
		return HIST_NOMEM;
	meter_numbers(m, c->numbers);
	return 0;
}

static int measure(struct fail_on_check *c, bool with_test, struct arena *arena)
{
	const struct meter *m = &c->of->meter;
	struct subject subject = { .row = c->row == &m->j->all ? NULL : c->row,
				   .glob = c->expr->glob };
	struct dists d;
	int err;

	if (c->metric.what == MEASURE_VALUE) {
		c->measure = measure_value(m, c->metric.at, c->row);
		return with_test ? test(c, m, arena) : 0;
	}
	err = dists_init(&d, m, c->metric.at, &subject);
	if (!err) {
		c->measure = measure_stat(m, &d, c->metric.what);
		err = with_test ? test(c, m, arena) : 0;
	}
	dists_release(&d);
	return err;
}

static int judge_check(struct fail_on_check *c, struct arena *arena)
{
	bool with_test;
	int err;

	if (!c->of) {
		c->outcome = OUTCOME_UNSURE;
		c->why = "no row has this key";
		return 0;
	}
	/* a test needs enough runs on both sides, and a change, which a limit on a value has not */
	with_test = !c->expr->of_value && meter_runs(&c->of->meter, 0) >= DIFF_RUNS_TESTED &&
		    meter_runs(&c->of->meter, 1) >= DIFF_RUNS_TESTED;
	err = measure(c, with_test, arena);
	if (with_test && !c->tested && !c->measure.unsure)
		c->measure.unsure = "no samples in one of the runs";
	judge_threshold(c);
	return err;
}

/* Whether a check has the numbers of an earlier one: histograms have the same totals. */
static bool is_repeated(const check_array *checks, size_t i)
{
	const struct fail_on_check *c = &checks->v[i];
	size_t n = meter_runs(&c->of->meter, 0) + meter_runs(&c->of->meter, 1);

	array_each_of(const struct fail_on_check, other, checks->v, i) {
		if (other->tested && other->of->meter.after == c->of->meter.after &&
		    !memcmp(other->numbers, c->numbers, n * sizeof(*c->numbers)))
			return true;
	}
	return false;
}

/* Holm's correction: a number counts once. */
static int correct_holm(const check_array *checks)
{
	scoped(free_scoped) double *p = calloc(checks->n + 1, sizeof(*p));
	size_t n = 0;
	int err = p ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < checks->n && !err; i++)
		if (checks->v[i].tested && !is_repeated(checks, i))
			p[n++] = checks->v[i].p;
	err = err ?: stats_holm(p, n);
	n = 0;
	for (size_t i = 0; i < checks->n && !err; i++) {
		struct fail_on_check *c = &checks->v[i];

		if (!c->tested)
			continue;
		if (!is_repeated(checks, i)) {
			c->p_holm = p[n++];
			continue;
		}
		for (size_t k = 0; k < i; k++)
			if (checks->v[k].tested && checks->v[k].p == c->p)
				c->p_holm = checks->v[k].p_holm;
	}
	return err;
}

/* A large change must also be significant, if there are enough runs. */
static void require_significance(struct fail_on_check *c, double alpha)
{
	const struct meter *m = &c->of->meter;

	if (c->outcome != OUTCOME_HOLDS || !c->tested || c->p_family <= alpha)
		return;
	c->outcome = OUTCOME_NO;
	if (relabel_least_p(meter_runs(m, 0), meter_runs(m, 1)) * (double)(m->j->n_sides - 1) <=
	    alpha)
		return;
	c->outcome = OUTCOME_UNSURE;
	c->why = "there are too few runs for this --alpha: add runs";
}

int checks_judge(struct verdict *v, const comparison_array *all, double alpha, struct arena *arena)
{
	size_t n_sides = all->n ? all->v[0].join->n_sides : 0;
	int err = 0;

	v->least_p = all->n ? meter_least_p(&all->v[0].meter) : 0;
	for (size_t i = 0; i < v->checks.n && !err; i++)
		err = judge_check(&v->checks.v[i], arena);
	err = err ?: correct_holm(&v->checks);
	for (size_t after = 1; after < n_sides && !err; after++) {
		struct trial *trials = calloc(v->checks.n + 1, sizeof(*trials));
		const struct meter *m = NULL;
		size_t n = 0;

		/* The checks of a side are a family; the sides share the level. */
		err = trials ? 0 : HIST_NOMEM;
		array_each_while(const struct fail_on_check, c, &v->checks, !err) {
			if (!c->tested || c->of->meter.after != after)
				continue;
			m = &c->of->meter;
			trials[n++].v = c->numbers;
		}
		if (!err && m)
			err = relabel_test(trials, n, meter_runs(m, 0), meter_runs(m, 1));
		n = 0;
		array_each_while(struct fail_on_check, c, &v->checks, !err)
			if (c->tested && c->of->meter.after == after)
				c->p_family = fmin(1, trials[n++].p * (double)(n_sides - 1));
		free(trials);
	}
	for (size_t i = 0; i < v->checks.n && !err; i++)
		if (v->checks.v[i].of)
			require_significance(&v->checks.v[i], alpha);
	return err;
}
