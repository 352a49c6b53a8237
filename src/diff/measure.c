// SPDX-License-Identifier: LGPL-2.1-only
/* Computes a metric of rows of several runs, before and after, and its change. */
#include <fnmatch.h>

#include "diff/measure.h"
#include "diff/order_stats.h"

enum { BEYOND = 10 }; /* number of samples required beyond a quantile */

const char *const mode_names[] = { "rate", "rate", "share", "absolute" };
const char *const mode_suffixes[] = { "/s", "/s", " share", "" };

/* ORDER enum measure_what */
static const struct {
	const char *name;
	unsigned int permille;
} metrics[MEASURE_OF_STAT] = {
	{ "n", 0 },     { "min", 0 },   { "max", 0 },   { "mean", 0 },
	{ "p50", 500 }, { "p90", 900 }, { "p99", 990 }, { "p99.9", 999 },
};

const char *measure_name(enum measure_what what)
{
	return metrics[what].name;
}

unsigned int measure_permille(enum measure_what what)
{
	return what < MEASURE_OF_STAT ? metrics[what].permille : 0;
}

void metric_name_add(struct strbuf *out, const struct join *j, const struct metric *metric)
{
	if (metric->what < MEASURE_OF_STAT)
		strbuf_addf(out, "%s.%s", j->stats[metric->at].name, measure_name(metric->what));
	else
		strbuf_addf(out, "%s%s", j->values[metric->at].name,
			    metric->what == MEASURE_PER_HIT ? " per hit" : "");
}

int meter_init(struct meter *m, const struct join *j, enum hist_diff_mode mode, size_t after)
{
	*m = (struct meter){ .j = j, .mode = mode, .after = after };
	m->runs = calloc(j->n_runs + 1, sizeof(*m->runs));
	m->scratch = calloc(j->n_runs + 1, sizeof(*m->scratch));
	return m->runs && m->scratch ? 0 : HIST_NOMEM;
}

void meter_release(struct meter *m)
{
	free(m->runs);
	free(m->scratch);
}

size_t meter_runs(const struct meter *m, int side)
{
	return sum_of(i, m->j->n_runs, meter_side(m, i) == side);
}

double meter_least_p(const struct meter *m)
{
	size_t before = meter_runs(m, 0), after = meter_runs(m, 1);

	return before > 1 || after > 1 ? stats_least_p(before, after) : 0;
}

/* --- from runs to sides --- */

static double low_end(struct interval i)
{
	return i.min;
}

static double high_end(struct interval i)
{
	return i.max;
}

/* The runs of a side that have a value: an end of it, or for buckets the middle. */
static size_t side_numbers(const struct meter *m, int side, double (*of)(struct interval),
			   double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < m->j->n_runs; i++)
		if (meter_side(m, i) == side && interval_known(m->runs[i]))
			v[n++] = of(m->runs[i]);
	return n;
}

/* Whether a side has several runs, of which fewer than two have a value. */
static bool lacks_spread(const struct meter *m, const struct measure *r, int side)
{
	return meter_runs(m, side) > 1 && !interval_known(r->spread[side]);
}

static void compare_sides(const struct meter *m, struct measure *r)
{
	double *v = m->scratch;

	/* the median; its spread, which a single run does not have */
	for (int side = 0; side < 2; side++) {
		r->side[side].min = stats_median(v, side_numbers(m, side, low_end, v));
		r->side[side].max = stats_median(v, side_numbers(m, side, high_end, v));
		r->spread[side] = stats_median_spread(v, side_numbers(m, side, interval_middle, v));
	}
	r->overlap =
		(r->spread[0].min <= r->spread[1].max && r->spread[1].min <= r->spread[0].max) ||
		lacks_spread(m, r, 0) || lacks_spread(m, r, 1);
	r->delta = r->percent = INTERVAL_NONE;
	r->p = r->p_family = (double)NAN;
	if (!interval_known(r->side[0]) || !interval_known(r->side[1]))
		return;
	r->delta = interval_sub(r->side[1], r->side[0]);
	r->percent = interval_percent(r->side[1], r->side[0]);
}

/* --- tests --- */

bool meter_can_test(const struct meter *m)
{
	return meter_runs(m, 0) > 1 && meter_runs(m, 1) > 1;
}

int measure_test(const struct meter *m, struct measure *r)
{
	double *before = m->scratch, *after;
	size_t n_before = side_numbers(m, 0, interval_middle, before), n_after;

	after = before + n_before;
	n_after = side_numbers(m, 1, interval_middle, after);
	if (!meter_can_test(m) || n_before < meter_runs(m, 0) || n_after < meter_runs(m, 1))
		return 0;
	return stats_mann_whitney(before, n_before, after, n_after, &r->p);
}

/* --- values --- */

double run_seconds(const struct diff_run *run)
{
	return run->clock_counts ? 0 : (double)run->covered / 1e9;
}

static double number_of(const struct diff_value *value, u64 v)
{
	return value->is_signed ? (double)(s64)v : (double)v;
}

static double normalised(const struct meter *m, size_t v, size_t run, double value)
{
	const struct join *j = m->j;
	double whole;

	switch (m->mode) {
	case HIST_DIFF_RATE:
		whole = run_seconds(&j->runs[run]);
		return whole > 0 ? value / whole : value;
	case HIST_DIFF_SHARE:
		whole = number_of(&j->values[v], row_values(j, &j->all, run)[v]);
		return whole != 0 ? value / whole * 100 : 0;
	default:
		return value;
	}
}

struct measure measure_value(const struct meter *m, size_t v, const struct diff_row *row)
{
	const struct join *j = m->j;
	struct measure r = { .unsure = NULL };

	for (size_t run = 0; run < j->n_runs; run++) {
		u64 value = row_values(j, row, run)[v];

		if (meter_side(m, run) >= 0)
			r.count[meter_side(m, run)] += value;
		m->runs[run] = interval_of(normalised(m, v, run, number_of(&j->values[v], value)));
	}
	compare_sides(m, &r);
	return r;
}

struct measure measure_per_hit(const struct meter *m, size_t v, const struct diff_row *row)
{
	const struct join *j = m->j;
	struct measure r = { .unsure = NULL };

	for (size_t run = 0; run < j->n_runs; run++) {
		const u64 *values = row_values(j, row, run);

		if (meter_side(m, run) >= 0)
			r.count[meter_side(m, run)] += values[0];
		m->runs[run] = values[0] ? interval_of(number_of(&j->values[v], values[v]) /
						       (double)values[0])
					 : INTERVAL_NONE;
	}
	compare_sides(m, &r);
	return r;
}

bool meter_numbers(const struct meter *m, double *v)
{
	size_t n = side_numbers(m, 0, interval_middle, v);

	n += side_numbers(m, 1, interval_middle, v + n);
	return n == meter_runs(m, 0) + meter_runs(m, 1);
}

/* --- distributions --- */

int row_matches(const struct join *j, const struct diff_row *row, const char *glob, bool *matches)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	int err;

	row_print_keys(j, row, ",", false, &text);
	err = text.failed ? HIST_NOMEM : 0;
	*matches = !fnmatch(glob, text.s, 0);
	return err;
}

static int is_subject(const struct join *j, const struct subject *subject,
		      const struct diff_row *row, bool *is)
{
	*is = subject->row ? row == subject->row : !row->left_out;
	return subject->row || !subject->glob || !*is ? 0 : row_matches(j, row, subject->glob, is);
}

static int add_all_keys(struct dists *d, const struct meter *m, size_t key,
			const struct subject *subject)
{
	const struct join *j = m->j;
	int err = 0;

	for (size_t i = 0; i < j->rows.n && !err; i++) {
		const struct diff_row *row = j->rows.v[i];
		const struct diff_cell *cell = &row->keys[key];
		bool is;

		err = is_subject(j, subject, row, &is);
		if (err || !is)
			continue;
		/* a row contributes its key as often as it has hits */
		for (size_t run = 0; run < m->j->n_runs && !err; run++) {
			u64 hits = row_values(m->j, row, run)[0];
			int side = meter_side(m, run);

			err = dist_add(&d->runs[run], cell->num, cell->max, hits);
			if (!err && side >= 0 && !d->is_run[side])
				err = dist_add(&d->side[side], cell->num, cell->max, hits);
		}
	}
	return err;
}

/* Add the sketches of a row, or of the row (all), for a statistic. */
static int add_sketches(struct dists *d, const struct meter *m, size_t at,
			const struct diff_row *row)
{
	const struct join *j = m->j;
	struct sketch side[2] = { SKETCH_INIT(d->side[0].is_signed),
				  SKETCH_INIT(d->side[0].is_signed) };
	int err = 0;

	for (size_t run = 0; run < j->n_runs && !err; run++) {
		const struct sketch *s = &row->sketches[run * j->n_sketches + at];
		const int of = meter_side(m, run);

		err = dist_add_sketch(&d->runs[run], s);
		if (!err && of >= 0 && !d->is_run[of])
			err = sketch_merge(&side[of], s);
	}
	for (int i = 0; i < 2; i++) {
		if (!err && !d->is_run[i])
			err = dist_add_sketch(&d->side[i], &side[i]);
		sketch_release(&side[i]);
	}
	return err;
}

int dists_init(struct dists *d, const struct meter *m, size_t stat, const struct subject *subject)
{
	const struct join *j = m->j;
	const struct diff_stat *s = &j->stats[stat];
	int err;

	*d = (struct dists){ .n_runs = j->n_runs,
			     .side = { DIST_INIT(s->is_signed), DIST_INIT(s->is_signed) } };
	d->runs = calloc(j->n_runs + 1, sizeof(*d->runs));
	if (!d->runs)
		return HIST_NOMEM;
	for (size_t i = 0; i < j->n_runs; i++)
		d->runs[i].is_signed = s->is_signed;
	for (int side = 0; side < 2; side++)
		d->is_run[side] = meter_runs(m, side) == 1;
	err = s->of_key ? add_all_keys(d, m, s->at, subject)
			: add_sketches(d, m, s->at, subject->row ? subject->row : &j->all);
	for (size_t i = 0; i < j->n_runs; i++)
		dist_finish(&d->runs[i]);
	for (int side = 0; side < 2; side++)
		if (!d->is_run[side])
			dist_finish(&d->side[side]);
	for (size_t i = 0; i < j->n_runs; i++) {
		const int side = meter_side(m, i);

		if (side >= 0 && d->is_run[side])
			d->side[side] = d->runs[i];
	}
	return err;
}

void dists_release(struct dists *d)
{
	for (size_t i = 0; d->runs && i < d->n_runs; i++)
		dist_release(&d->runs[i]);
	free(d->runs);
	for (int side = 0; side < 2; side++)
		if (!d->is_run[side])
			dist_release(&d->side[side]);
}

static struct interval stat_of(const struct dist *d, enum measure_what what)
{
	switch (what) {
	case MEASURE_N:
		return interval_of((double)d->n);
	case MEASURE_MIN:
		return dist_min(d);
	case MEASURE_MAX:
		return dist_max(d);
	case MEASURE_MEAN:
		return d->mean;
	default:
		return dist_quantile(d, measure_permille(what));
	}
}

bool samples_suffice(u64 n, unsigned int permille)
{
	return !permille ||
	       n / 1000 * (1000 - permille) + n % 1000 * (1000 - permille) / 1000 >= BEYOND;
}

/* Whether enough samples of each run, or of each run after, are beyond a quantile. */
static bool has_enough_samples(const struct meter *m, const struct dists *d, unsigned int permille,
			       bool before_too)
{
	return !any_of(i, d->n_runs,
		       meter_side(m, i) >= !before_too && !samples_suffice(d->runs[i].n, permille));
}

/* As many as leave BEYOND after the quantile. */
static const char *too_few(enum measure_what what)
{
	switch (measure_permille(what)) {
	case 500:
		return "fewer than 10 samples beyond the quantile: p50 needs 20 in each run";
	case 900:
		return "fewer than 10 samples beyond the quantile: p90 needs 100 in each run";
	case 990:
		return "fewer than 10 samples beyond the quantile: p99 needs 1000 in each run, "
		       "p90 100";
	default:
		return "fewer than 10 samples beyond the quantile: p99.9 needs 10000 in each run, "
		       "p99 1000, p90 100";
	}
}

struct measure measure_stat(const struct meter *m, const struct dists *d, enum measure_what what)
{
	struct measure r = { .unsure = NULL };

	for (size_t run = 0; run < d->n_runs; run++)
		m->runs[run] = stat_of(&d->runs[run], what);
	r.count[0] = d->side[0].n;
	r.count[1] = d->side[1].n;
	compare_sides(m, &r);
	if (!r.count[0] || !r.count[1])
		r.unsure = "one side has no samples";
	else if (!has_enough_samples(m, d, measure_permille(what), true))
		r.unsure = too_few(what);
	if (!r.count[1])
		r.unsure_after = "there are no samples after the change";
	else if (!has_enough_samples(m, d, measure_permille(what), false))
		r.unsure_after = too_few(what);
	return r;
}

int measure_metric(const struct meter *m, const struct metric *metric, const struct diff_row *row,
		   struct measure *r)
{
	const struct subject subject = { .row = row->keys ? row : NULL };
	struct dists d;
	int err;

	if (metric->what >= MEASURE_OF_STAT) {
		*r = metric->what == MEASURE_VALUE ? measure_value(m, metric->at, row)
						   : measure_per_hit(m, metric->at, row);
		return 0;
	}
	err = dists_init(&d, m, metric->at, &subject);
	if (!err)
		*r = measure_stat(m, &d, metric->what);
	dists_release(&d);
	return err;
}
