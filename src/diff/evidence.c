// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tests all numbers of two sides together: with enough runs by relabelling them, otherwise by
 * comparing each difference with the others.
 */
#include "diff/order_stats.h"
#include "diff/predict.h"
#include "diff/relabel.h"
#include "diff/tables.h"

/* The metrics of a distribution that are tested. */
static const enum measure_what tested[] = { MEASURE_MEAN, MEASURE_P50, MEASURE_P90, MEASURE_P99 };

/*
 * The variance of a number of a row with few hits, relative to that of independent hits. A floor:
 * rows that are equal by chance would otherwise have the largest differences of all.
 */
static const double COUNT_FLOOR = 0.25, MEAN_FLOOR = 0.05, LEAST_FLOOR = 0.005;

/* What is too much to call it the same, although few runs do not decide it. */
static const double LEAST_DIFFERENCE = 50;
enum { LEAST_HITS = 50, LARGE_PART = 10 };

/* Where a number comes from; there may be millions. */
struct origin {
	struct comparison *of;
	const struct diff_row *row;
	u32 metric; /* its place among those of a row */
};

struct collector {
	const struct hist_diff *d;
	struct family *family;
	struct arena arena; /* numbers of runs */
	ARRAY(struct origin) origins;
	/* one of them for each origin: */
	ARRAY(struct trial) trials;     /* if runs are relabelled */
	ARRAY(struct noise_pair) pairs; /* otherwise */
	ARRAY(const char *) kinds;
	double *v;       /* of the runs, if they are not relabelled */
	u32 *kind_of;    /* each metric of the comparison that is added; UINT32_MAX: unknown */
	double parts[2]; /* of the hits that a side has if nothing changed */
	double most[2];  /* deviations of the runs before, if they predict */
	size_t n_runs;
};

/* --- metrics --- */

/* Number of tested metrics of a row; of (all), which is the last row, also those of keys. */
static size_t row_metrics(const struct join *j)
{
	return 2 * j->n_values - 1 + ARRAY_SIZE(tested) * j->n_sketches;
}

static size_t all_metrics(const struct join *j)
{
	return 2 * j->n_values - 1 + ARRAY_SIZE(tested) * j->n_stats;
}

/* The place of a metric among those of a row; SIZE_MAX: it is not tested. */
static size_t index_of(const struct join *j, const struct metric *metric)
{
	if (metric->what == MEASURE_VALUE)
		return metric->at;
	/* hits per hit are not tested */
	if (metric->what == MEASURE_PER_HIT)
		return metric->at ? j->n_values - 1 + metric->at : SIZE_MAX;
	for (size_t i = 0; i < ARRAY_SIZE(tested); i++)
		if (tested[i] == metric->what)
			return 2 * j->n_values - 1 + metric->at * ARRAY_SIZE(tested) + i;
	return SIZE_MAX;
}

static struct metric metric_of(const struct origin *o)
{
	const struct join *j = o->of->join;
	size_t at = o->metric;
	const size_t of_values = 2 * j->n_values - 1;

	if (at < j->n_values)
		return (struct metric){ MEASURE_VALUE, at, j->values[at].unit };
	if (at < of_values)
		return (struct metric){ MEASURE_PER_HIT, at - j->n_values + 1,
					j->values[at - j->n_values + 1].unit };
	at -= of_values;
	return (struct metric){ tested[at % ARRAY_SIZE(tested)], at / ARRAY_SIZE(tested),
				j->stats[at / ARRAY_SIZE(tested)].unit };
}

static double *p_of(const struct evidence *e, const struct join *j, size_t metric,
		    const struct diff_row *row)
{
	if (!e->p || metric >= (row->keys ? row_metrics(j) : all_metrics(j)))
		return NULL;
	return &e->p[row->index * row_metrics(j) + metric];
}

bool measure_is_tested(enum measure_what what)
{
	return any_of(i, ARRAY_SIZE(tested), tested[i] == what);
}

double evidence_p(const struct evidence *e, const struct join *j, const struct metric *metric,
		  const struct diff_row *row)
{
	const double *p = p_of(e, j, index_of(j, metric), row);

	return p ? *p : (double)NAN;
}

/* --- collecting numbers --- */

/* Numbers of the same name have the same noise. */
static int find_kind(struct collector *k, const struct join *j, const struct metric *metric,
		     u32 *kind)
{
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;
	char *copy;

	metric_name_add(&name, j, metric);
	for (*kind = 0; *kind < k->kinds.n; ++*kind)
		if (!name.failed && !strcmp(k->kinds.v[*kind], name.s)) {
			return 0;
		}
	copy = arena_take((struct arena *)&k->d->arena, &name);
	return copy ? array_push(&k->kinds, copy) : HIST_NOMEM;
}

/* The relative variance of a number that is only known by its bounds, so half of their distance. */
static double interval_variance(struct interval i)
{
	double width = i.max > i.min ? (i.max - i.min) / (fabs(i.max) + fabs(i.min)) : 0;

	return width * width;
}

/* Add the last measured values of the runs as a number, if every run has one. */
static int add_number(struct collector *k, struct comparison *c, const struct diff_row *row,
		      const struct metric *metric)
{
	const struct join *j = c->join;
	const struct family *f = k->family;
	const bool is_count = metric->what == MEASURE_VALUE;
	const double hits = (double)row_hits(j, row, 0) + (double)row_hits(j, row, c->meter.after);
	const size_t at = index_of(j, metric);
	double *v = f->exact ? arena_alloc(&k->arena, k->n_runs * sizeof(*v)) : k->v, floor;
	struct noise_pair pair;
	int err = v ? 0 : HIST_NOMEM;

	if (!err && k->kind_of[at] == UINT32_MAX)
		err = find_kind(k, j, metric, &k->kind_of[at]);
	/* --metric */
	if (!err && c->one_metric && (!c->has_metric || at != index_of(j, &c->metric)))
		return 0;
	if (err || !(hits > 0) || !meter_numbers(&c->meter, v))
		return err;
	err = array_push(&k->origins, ((struct origin){ c, row, (u32)at }));
	if (err)
		return err;
	floor = (is_count ? COUNT_FLOOR : MEAN_FLOOR) * (double)k->n_runs / hits +
		LEAST_FLOOR * LEAST_FLOOR;
	if (f->exact)
		return array_push(&k->trials, ((struct trial){ .v = v, .floor = floor }));
	pair = (struct noise_pair){
		.before = stats_median(v, f->n_before),
		.after = stats_median(v + f->n_before, f->n_after),
		.chance = 1 / (hits * k->parts[0] * k->parts[1]),
		.factor = is_count ? 1 : (float)COUNT_FLOOR,
		.kind = k->kind_of[at],
		/* the noise of all rows together is not that of rows; predictions are of each
		   number */
		.first = f->predicted ? !row->keys
				      : (!row->keys && metric->what < MEASURE_OF_STAT &&
					 !j->stats[metric->at].of_key),
	};
	for (size_t run = 0; run < j->n_runs && f->predicted; run++)
		if (meter_side(&c->meter, run) >= 0)
			floor = fmax(floor, interval_variance(c->meter.runs[run]));
	if (f->predicted)
		pair.t = predict_deviation(v, k->n_runs, floor, &k->most[pair.first]);
	return array_push(&k->pairs, pair);
}

static bool has_stat(const struct join *j, const char *name)
{
	return any_of(s, j->n_sketches, !strcmp(j->stats[s].name, name));
}

static int add_values(struct collector *k, struct comparison *c, const struct diff_row *row)
{
	const struct join *j = c->join;
	int err = 0;

	for (size_t v = 0; v < j->n_values && !err; v++) {
		const struct metric value = { MEASURE_VALUE, v, j->values[v].unit },
				    mean = { MEASURE_PER_HIT, v, j->values[v].unit };

		measure_value(&c->meter, v, row);
		err = add_number(k, c, row, &value);
		if (err || v == 0 || has_stat(j, j->values[v].name))
			continue;
		measure_per_hit(&c->meter, v, row);
		err = add_number(k, c, row, &mean);
	}
	return err;
}

/* The values of a metric of sketches of all runs. @values: of each run */
static int add_sketch_metric(struct collector *k, struct comparison *c, const struct diff_row *row,
			     const struct metric *metric, const struct dist *dists)
{
	const struct join *j = c->join;

	for (size_t run = 0; run < j->n_runs; run++) {
		if (meter_side(&c->meter, run) >= 0 &&
		    !samples_suffice(dists[run].n, measure_permille(metric->what)))
			return 0;
		c->meter.runs[run] =
			metric->what == MEASURE_MEAN
				? dists[run].mean
				: dist_quantile(&dists[run], measure_permille(metric->what));
	}
	return add_number(k, c, row, metric);
}

static int add_stat(struct collector *k, struct comparison *c, const struct diff_row *row,
		    size_t stat)
{
	const struct join *j = c->join;
	const struct subject subject = { .row = row->keys ? row : NULL };
	struct dists d;
	int err;

	/* most rows of few runs: every run needs samples */
	for (size_t run = 0; run < j->n_runs && row->sketches && stat < j->n_sketches; run++)
		if (meter_side(&c->meter, run) >= 0 && !row->sketches[run * j->n_sketches + stat].n)
			return 0;
	err = dists_init(&d, &c->meter, stat, &subject);
	for (size_t i = 0; i < ARRAY_SIZE(tested) && !err; i++) {
		const struct metric metric = { tested[i], stat, j->stats[stat].unit };

		err = add_sketch_metric(k, c, row, &metric, d.runs);
	}
	dists_release(&d);
	return err;
}

static int add_row(struct collector *k, struct comparison *c, const struct diff_row *row)
{
	const struct join *j = c->join;
	int err = 0;

	if (row->left_out || row->few)
		return 0;
	err = add_values(k, c, row);
	/* the distribution of a key is that of all rows */
	for (size_t s = 0; s < j->n_stats && !err; s++)
		if (!j->stats[s].repeats && (!row->keys || !j->stats[s].of_key))
			err = add_stat(k, c, row, s);
	return err;
}

static int add_comparison(struct collector *k, struct comparison *c)
{
	const struct join *j = c->join;
	size_t n = j->rows.n * row_metrics(j) + all_metrics(j);
	int err = 0;

	c->evidence.family = k->family;
	k->kind_of = arena_alloc(&k->arena, all_metrics(j) * sizeof(*k->kind_of));
	if (!k->kind_of)
		return HIST_NOMEM;
	memset(k->kind_of, 0xff, all_metrics(j) * sizeof(*k->kind_of));
	for (int side = 0; side < 2; side++) {
		double of[2] = { 0, 0 };

		/* What part of the hits a side has if nothing changed. */
		for (size_t i = 0; i < c->join->n_runs; i++) {
			int at = meter_side(&c->meter, i);

			if (at < 0)
				continue;
			of[at] += c->meter.mode == HIST_DIFF_RATE ? run_seconds(&c->join->runs[i])
				  : c->meter.mode == HIST_DIFF_SHARE ? (double)c->join->runs[i].hits
								     : 1;
		}
		k->parts[side] = of[0] > 0 && of[1] > 0 ? of[side] / (of[0] + of[1]) : 0.5;
	}
	c->evidence.p = calloc(n + 1, sizeof(*c->evidence.p));
	c->evidence.changed = calloc(j->rows.n + 1, sizeof(*c->evidence.changed));
	if (!c->evidence.p || !c->evidence.changed)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		c->evidence.p[i] = (double)NAN;
	k->n_runs = meter_runs(&c->meter, 0) + meter_runs(&c->meter, 1);
	for (size_t i = 0; i < j->rows.n && !err && join_is_complete(j); i++)
		err = add_row(k, c, j->rows.v[i]);
	if (!err && join_is_complete(j))
		err = add_row(k, c, &j->all);
	return err;
}

/* --- testing --- */

/* Whether it is of all rows, or of a row with many hits, a tenth of those of a side. */
static bool is_large(const struct origin *o)
{
	const struct comparison *c = o->of;
	bool large = !o->row->keys;

	for (int side = 0; side < 2; side++) {
		const size_t of = side ? c->meter.after : 0;
		const u64 hits = row_hits(c->join, o->row, of);

		large |= hits >= LEAST_HITS &&
			 hits * LARGE_PART >= row_hits(c->join, &c->join->all, of);
	}
	return large;
}

static int test_noise(struct collector *k)
{
	struct family *f = k->family;
	int err;

	f->noise = arena_alloc((struct arena *)&k->d->arena, (k->kinds.n + 1) * sizeof(*f->noise));
	if (!f->noise)
		return HIST_NOMEM;
	err = f->predicted
		      ? predict_test(k->pairs.v, k->pairs.n, k->n_runs, k->most, &f->n_numbers)
		      : noise_test(k->pairs.v, k->pairs.n, f->noise, k->kinds.n, &f->n_numbers);
	if (!err) {
		const double limit = log1p(fmax(LEAST_DIFFERENCE, k->d->options.noise) / 100);
		double most = 0;
		bool first = false;

		/*
		 * Keep the large number that differs most without being found, if it is at least
		 * half more (or a third less); rather one of the first.
		 */
		for (size_t i = 0; i < k->pairs.n; i++) {
			const struct origin *o = &k->origins.v[i];
			const struct noise_pair *pair = &k->pairs.v[i];
			const double by = fabs(log(pair->after / pair->before));

			if (!(by >= limit) || (first && !pair->first) || !is_large(o) ||
			    pair->p <= k->d->options.alpha || (by <= most && first == pair->first))
				continue;
			/* one more run like those before may differ as much, and rows often do */
			if (k->family->predicted && (pair->p > predict_limit(k->n_runs) ||
						     (pair->before > 0 && !pair->first)))
				continue;
			most = by;
			first = pair->first;
			k->family->undecided =
				(struct finding){ .row = o->row, .metric = metric_of(o) };
			k->family->undecided_of = o->of;
		}
	}
	return err;
}

DEFINE_ORDER(compare_findings, struct finding,
	     cmp_int(x->measure.p_family, y->measure.p_family)
		     ?: cmp_int(fabs(y->measure.percent.min), fabs(x->measure.percent.min)))

static int add_findings(struct collector *k)
{
	const struct hist_diff_options *options = &k->d->options;
	int err = 0;

	for (size_t i = 0; i < k->origins.n && !err; i++) {
		const struct origin *o = &k->origins.v[i];
		struct finding f = { .row = o->row };
		double p = k->family->exact ? k->trials.v[i].p : k->pairs.v[i].p;
		enum mark mark;

		p = fmin(1, p * (double)(k->d->n_sides - 1));
		*p_of(&o->of->evidence, o->of->join, o->metric, o->row) = p;
		if (p > options->alpha)
			continue;
		f.metric = metric_of(o);
		err = measure_metric(&o->of->meter, &f.metric, o->row, &f.measure);
		f.measure.p_family = p;
		mark = mark_of(o->of, o->row, &f.measure, options);
		if (err || (mark != MARK_CHANGED && mark != MARK_GONE && mark != MARK_NEW))
			continue;
		o->of->evidence.changed[o->row->index] = true;
		err = array_push(&o->of->evidence.found, f);
	}
	return err;
}

static int test(struct collector *k)
{
	struct family *f = k->family;
	int err;

	f->n_kinds = k->kinds.n;
	f->kinds = arena_alloc((struct arena *)&k->d->arena, (k->kinds.n + 1) * sizeof(*f->kinds));
	if (!f->kinds)
		return HIST_NOMEM;
	if (k->kinds.n)
		memcpy(f->kinds, k->kinds.v, k->kinds.n * sizeof(*f->kinds));
	f->n_numbers = k->origins.n;
	if (f->exact)
		err = relabel_test(k->trials.v, k->trials.n, f->n_before, f->n_after);
	else
		err = test_noise(k);
	return err ?: add_findings(k);
}

int evidence_test(struct hist_diff *d, size_t after)
{
	struct collector k = { .d = d, .family = arena_alloc(&d->arena, sizeof(*k.family)) };
	struct family *f = k.family;
	int err = f ? 0 : HIST_NOMEM;

	if (!err) {
		f->n_before = d->sides[0];
		f->n_after = d->sides[after];
		f->least_p = fmin(1, relabel_least_p(f->n_before, f->n_after) *
					     (double)(d->n_sides - 1));
		/* every difference counts with --alpha 1 */
		f->exact = f->least_p <= d->options.alpha && d->options.alpha < 1;
		f->predicted = !f->exact && d->options.alpha < 1 && f->n_after == 1 &&
			       f->n_before >= PREDICT_RUNS;
		k.v = arena_alloc(&k.arena, (f->n_before + f->n_after + 1) * sizeof(*k.v));
		err = k.v ? 0 : HIST_NOMEM;
	}
	for (size_t i = 0; i < d->all.n && !err; i++)
		if (d->all.v[i].meter.after == after)
			err = add_comparison(&k, &d->all.v[i]);
	err = err ?: test(&k);
	for (size_t i = 0; i < d->all.n && !err; i++) {
		struct evidence *e = &d->all.v[i].evidence;

		if (d->all.v[i].meter.after == after && e->found.n > 1)
			qsort(e->found.v, e->found.n, sizeof(*e->found.v), compare_findings);
	}
	array_release(&k.trials);
	array_release(&k.pairs);
	array_release(&k.origins);
	array_release(&k.kinds);
	arena_release(&k.arena);
	return err;
}

/* --- words --- */

static size_t runs_needed(const struct family *f, double alpha)
{
	/* .least_p is corrected for the number of sides */
	double sides = f->least_p / relabel_least_p(f->n_before, f->n_after);
	size_t n = 1;

	while (n < 100 && relabel_least_p(n, n) * sides > alpha)
		n++;
	return n;
}

int evidence_doubt(struct hist_diff *d)
{
	const struct family *f = d->all.v[0].evidence.family;
	const struct finding *u = &f->undecided;
	struct strbuf text = STRBUF_INIT;
	struct measure m;
	const char *doubt;
	int err = 0;

	if (f->exact || d->options.alpha >= 1 || (f->n_numbers && !f->undecided_of))
		return 0;
	if (f->undecided_of) {
		err = measure_metric(&f->undecided_of->meter, &u->metric, u->row, &m);
		metric_name_add(&text, f->undecided_of->join, &u->metric);
		strbuf_addstr(&text, " of ");
		row_print_keys(f->undecided_of->join, u->row, ", ", true, &text);
		strbuf_addstr(&text, " differs (");
		percent_add(&text, m.percent);
		strbuf_addch(&text, ')');
	} else {
		strbuf_addstr(&text, "no number has enough hits in every run");
	}
	strbuf_addf(
		&text,
		", which %zu run%s against %zu cannot decide: compare %zu runs on each side, or "
		"allow more with --noise",
		f->n_before, plural(f->n_before), f->n_after, runs_needed(f, d->options.alpha));
	doubt = arena_take(&d->arena, &text);
	if (!doubt)
		return HIST_NOMEM;
	return err ?: array_push(&d->all.v[0].doubts, doubt);
}

void family_add(struct strbuf *out, const struct family *f, double alpha)
{
	bool first = true;

	if (f->exact) {
		double ways = relabel_ways(f->n_before, f->n_after);

		if (ways > RELABEL_ALL)
			strbuf_addf(out, "p: of %d random ways", RELABEL_RANDOM + 1);
		else
			strbuf_addf(out, "p: of the %.0f ways", ways);
		strbuf_addf(out,
			    " to divide the %zu runs into two sides, the share in which any of the "
			    "%zu numbers differs as much; at least %.3g; ! is at most %g",
			    f->n_before + f->n_after, f->n_numbers, f->least_p, alpha);
		return;
	}
	if (alpha >= 1) {
		strbuf_addstr(out, "--alpha 1: every difference counts");
		return;
	}
	if (f->predicted) {
		strbuf_addf(
			out,
			"p: that one more run like the %zu before differs as much (Student's t), "
			"corrected for %zu numbers; ! is at most %g and differs more than any of "
			"them does from the others",
			f->n_before, f->n_numbers, alpha);
		return;
	}
	strbuf_addstr(out, "noise: a number counts as changed if it differs by far more than "
			   "others usually do");
	for (size_t i = 0; i < f->n_kinds; i++) {
		if (!f->noise[i].fitted)
			continue;
		strbuf_addf(out, "%s%s %.*f%%", first ? " (" : ", ", f->kinds[i],
			    f->noise[i].level < .1, f->noise[i].level * 100);
		first = false;
	}
	strbuf_addf(out,
		    "%s, corrected for %zu numbers; with %zu runs on each side runs are compared",
		    first ? "" : ")", f->n_numbers, runs_needed(f, alpha));
}
