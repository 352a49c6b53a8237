// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Order statistics: median, Mann-Whitney test, Holm's correction; the runs at which the level of a
 * metric changed.
 *
 * Ranks make no assumption about the distribution of values: run times have long tails, and series
 * have outliers. Series are short, so the test of a change uses random shuffles.
 */
#include "diff/order_stats.h"
#include "diff/relabel.h"

enum { EXACT_MAX = 60, COUNTED_MAX = 1000 };

static const double SPREAD_LEVEL = 0.95;

DEFINE_ORDER(compare, double, cmp_int(*x, *y))

double stats_median(double *v, size_t n)
{
	if (!n)
		return (double)NAN;
	if (n > 1)
		qsort(v, n, sizeof(*v), compare);
	if (n % 2 || v[n / 2 - 1] == v[n / 2])
		return v[n / 2];
	return v[n / 2 - 1] + (v[n / 2] - v[n / 2 - 1]) / 2;
}

/* --- the spread of a median --- */

/*
 * The probability that the @rank-th smallest and largest of @n values enclose the median; they do
 * not if fewer than @rank values are below it or above it.
 */
static double level_of(size_t n, size_t rank)
{
	double ways = 1, outside = 0;

	for (size_t i = 0; i < rank; i++) {
		outside += ways;
		ways = ways * (double)(n - i) / (double)(i + 1);
	}
	return 1 - 2 * ldexp(outside, -(int)n);
}

/* The rank of the narrowest sufficient pair; the outermost pair if there is none. */
static size_t spread_rank(size_t n)
{
	size_t rank = 1;

	if (n > COUNTED_MAX)
		return (size_t)(((double)n - 1.96 * sqrt((double)n)) / 2);
	while (2 * (rank + 1) <= n && level_of(n, rank + 1) >= SPREAD_LEVEL)
		rank++;
	return rank;
}

struct interval stats_median_spread(double *v, size_t n)
{
	size_t rank;

	if (n < 2)
		return INTERVAL_NONE;
	qsort(v, n, sizeof(*v), compare);
	rank = spread_rank(n);
	return (struct interval){ v[rank - 1], v[n - rank] };
}

double stats_spread_level(size_t n)
{
	if (n > COUNTED_MAX)
		return 100 * SPREAD_LEVEL;
	return n < 2 ? 0 : 100 * level_of(n, spread_rank(n));
}

/* --- ranks --- */

struct ranked {
	double v;
	size_t at;
	u32 rank2; /* twice the rank, which is an integer even with ties */
};

DEFINE_ORDER(compare_ranked, struct ranked, cmp_int(x->v, y->v))

/* --- the distribution of the rank sum --- */

static int exact_p(const struct ranked *all, size_t n, size_t n_a, double *p)
{
	size_t width = n * (n + 1) + 1, observed = 0;
	double *ways = calloc((n_a + 1) * width, sizeof(*ways));
	double below = 0, above = 0, total = 0;

	if (!ways)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		observed += all[i].at < n_a ? all[i].rank2 : 0;
	/*
	 * ways[k * width + s] is the number of sets of k ranks with the sum s. Ranks are added one
	 * at a time, so sets are processed from large to small.
	 */
	ways[0] = 1;
	for (size_t i = 0; i < n; i++)
		for (size_t k = n_a; k-- > 0;)
			for (size_t s = width - all[i].rank2; s-- > 0;)
				ways[(k + 1) * width + s + all[i].rank2] += ways[k * width + s];
	for (size_t s = 0; s < width; s++) {
		double w = ways[n_a * width + s];

		total += w;
		below += s <= observed ? w : 0;
		above += s >= observed ? w : 0;
	}
	free(ways);
	*p = fmin(1, 2 * fmin(below, above) / total);
	return 0;
}

static double normal_p(const struct ranked *all, size_t n, size_t n_a, double ties)
{
	double a = (double)n_a, b = (double)(n - n_a), total = (double)n, sum = 0, variance, z;

	for (size_t i = 0; i < n; i++)
		sum += all[i].at < n_a ? all[i].rank2 / 2.0 : 0;
	variance = a * b / 12 * (total + 1 - ties / (total * (total - 1)));
	if (variance <= 0)
		return 1;
	z = fmax(0, fabs(sum - a * (total + 1) / 2) - 0.5) / sqrt(variance);
	return erfc(z / sqrt(2));
}

int stats_mann_whitney(const double *a, size_t n_a, const double *b, size_t n_b, double *p)
{
	size_t n = n_a + n_b;
	struct ranked *all;
	double ties;
	int err = 0;

	*p = 1;
	if (!n_a || !n_b)
		return 0;
	all = calloc(n, sizeof(*all));
	if (!all)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		all[i] = (struct ranked){ .v = i < n_a ? a[i] : b[i - n_a], .at = i };
	/* Sort and assign ranks from 1; returns the sum of t^3 - t over the ties. */
	ties = 0;
	qsort(all, n, sizeof(*all), compare_ranked);
	for (size_t j = 0, end; j < n; j = end) {
		double t;

		for (end = j + 1; end < n && all[end].v == all[j].v; end++)
			;
		for (size_t k = j; k < end; k++)
			all[k].rank2 = (u32)(j + 1 + end);
		t = (double)(end - j);
		ties += t * t * t - t;
	}
	if (n <= EXACT_MAX)
		err = exact_p(all, n, n_a, p);
	else
		*p = normal_p(all, n, n_a, ties);
	free(all);
	return err;
}

double stats_least_p(size_t n_a, size_t n_b)
{
	return fmin(1, 2 / relabel_ways(n_a, n_b));
}

/* --- several tests --- */

int stats_holm(double *p, size_t n)
{
	scoped(free_scoped) struct ranked *tests = calloc(n + 1, sizeof(*tests));
	double least = 0;

	if (!tests)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		tests[i] = (struct ranked){ .v = p[i], .at = i };
	qsort(tests, n, sizeof(*tests), compare_ranked);
	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(1, tests[i].v * (double)(n - i)));
		p[tests[i].at] = least;
	}
	return 0;
}

/* --- change points --- */

/* The fewest runs of a level, and a relative deviation that each series has at least. */
enum { LEVEL_RUNS = 3 };
static const double LEAST_DEVIATION = 0.005;

/* A part of a series that is tested for one change. */
struct stretch {
	struct change_series *of;
	size_t from, to, n; /* .n: runs with a value */
	double *z;          /* of all runs: deviation from the mean, scaled; NAN: not part of it */
	double most;
	size_t at;
	u32 as_large;
};

struct search {
	size_t n_runs;
	double alpha;
	u32 *order;
	double *scratch;
	ARRAY(struct stretch) now, next;
};

/*
 * The largest log likelihood ratio of a change of the mean between two runs; @at: the first run
 * after it. Values of stretches of different lengths are comparable.
 */
static double largest_change(const struct stretch *s, const u32 *order, size_t n_runs, size_t *at)
{
	double sum = 0, largest = 0, n = (double)s->n;
	size_t before = 0;

	for (size_t i = 0; i < n_runs && before + LEVEL_RUNS <= s->n; i++) {
		double z = s->z[order[i]], explained;

		if (isnan(z))
			continue;
		explained = sum * sum * n / ((double)before * (n - (double)before));
		if (before >= LEVEL_RUNS && explained > largest) {
			largest = explained;
			*at = order[i];
		}
		sum += z;
		before++;
	}
	return -(n - 2) * log1p(-fmin(largest, 1 - 1e-12));
}

/* Add a part of a series to the next test, unless it is too short or all values are equal. */
static int add_stretch(struct search *s, struct change_series *of, size_t from, size_t to)
{
	struct stretch part = { .of = of, .from = from, .to = to };
	double mean = 0, squares = 0, n;
	int err;

	for (size_t i = from; i < to; i++) {
		part.n += !isnan(of->v[i]);
		mean += isnan(of->v[i]) ? 0 : of->v[i];
	}
	n = (double)part.n;
	if (part.n < (size_t)2 * LEVEL_RUNS ||
	    stats_least_p(part.n / 2, part.n - part.n / 2) > s->alpha)
		return 0;
	mean /= n;
	part.z = calloc(s->n_runs, sizeof(*part.z));
	if (!part.z)
		return HIST_NOMEM;
	for (size_t i = 0; i < s->n_runs; i++) {
		part.z[i] = i < from || i >= to ? (double)NAN : of->v[i] - mean;
		squares += isnan(part.z[i]) ? 0 : part.z[i] * part.z[i];
	}
	squares = sqrt(squares + n * mean * mean * LEAST_DEVIATION * LEAST_DEVIATION);
	for (size_t i = 0; i < s->n_runs; i++)
		part.z[i] /= squares;
	for (size_t i = 0; i < s->n_runs; i++)
		s->order[i] = (u32)i;
	part.most = largest_change(&part, s->order, s->n_runs, &part.at);
	err = isfinite(part.most) && part.most > 0 ? array_push(&s->next, part) : 1;
	if (err)
		free(part.z);
	return err < 0 ? err : 0;
}

static void shuffle(u32 *v, size_t n, u64 *state)
{
	for (size_t i = n; i > 1; i--) {
		u64 x = *state += 0x9e3779b97f4a7c15ull;
		u32 t = v[i - 1];

		x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
		x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
		x = (x ^ (x >> 31)) % i;
		v[i - 1] = v[x];
		v[x] = t;
	}
}

/* Test all stretches together; the parts of those that change are tested next. */
static int search_once(struct search *s)
{
	int err = 0;
	u64 state = 1;
	size_t at;

	s->now.n = 0;
	for (size_t i = 0; i < s->next.n && !err; i++)
		err = array_push(&s->now, s->next.v[i]);
	s->next.n = err ? s->next.n : 0;
	if (err)
		return err;
	/* Count the shuffles in which any stretch has a change that is as large as that of each. */
	for (int k = 0; k < CHANGE_SHUFFLES; k++) {
		double most = 0;

		shuffle(s->order, s->n_runs, &state);
		for (size_t j = 0; j < s->now.n; j++)
			most = fmax(most, largest_change(&s->now.v[j], s->order, s->n_runs, &at));
		for (size_t j = 0; j < s->now.n; j++)
			s->now.v[j].as_large += most >= s->now.v[j].most * (1 - 1e-9);
	}
	array_each(const struct stretch, part, &s->now) {
		const struct change c = { .at = part->at,
					  .p = (part->as_large + 1.0) / (CHANGE_SHUFFLES + 1) };

		if (!err && c.p <= s->alpha) {
			err = array_push(&part->of->changes, c);
			err = err ?: add_stretch(s, part->of, part->from, part->at);
			err = err ?: add_stretch(s, part->of, part->at, part->to);
		}
		free(part->z);
	}
	return err;
}

DEFINE_ORDER(compare_changes, struct change, cmp_int(x->at, y->at))

static double median_of(const struct search *s, const double *v, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		if (!isnan(v[i]))
			s->scratch[n++] = v[i];
	return stats_median(s->scratch, n);
}

static void set_levels(const struct search *s, struct change_series *of)
{
	const size_t n = of->changes.n;

	if (n > 1)
		qsort(of->changes.v, n, sizeof(*of->changes.v), compare_changes);
	for (size_t i = 0; i < n; i++) {
		struct change *c = &of->changes.v[i];
		size_t from = i ? c[-1].at : 0, to = i + 1 < n ? c[1].at : s->n_runs;

		c->before = median_of(s, of->v, from, c->at);
		c->after = median_of(s, of->v, c->at, to);
	}
}

int changes_find(struct change_series *const *series, size_t n, size_t n_runs, double alpha)
{
	struct search s = { .n_runs = n_runs, .alpha = alpha };
	int err = 0;

	s.order = calloc(n_runs + 1, sizeof(*s.order));
	s.scratch = calloc(n_runs + 1, sizeof(*s.scratch));
	if (!s.order || !s.scratch)
		err = HIST_NOMEM;
	for (size_t i = 0; i < n && !err; i++)
		err = add_stretch(&s, series[i], 0, n_runs);
	while (s.next.n && !err)
		err = search_once(&s);
	for (size_t i = 0; i < s.next.n; i++)
		free(s.next.v[i].z);
	for (size_t i = 0; i < n && !err; i++)
		set_levels(&s, series[i]);
	array_release(&s.now);
	array_release(&s.next);
	free(s.order);
	free(s.scratch);
	return err;
}
