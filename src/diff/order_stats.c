// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Order statistics: median, Mann-Whitney test, Holm's correction; the runs at which the level of a
 * metric changed.
 *
 * Ranks make no assumption about the distribution of values: run times have long tails, and series
 * have outliers. Series are short, so the test of a change uses random shuffles.
 */
#include <math.h>
#include <stdlib.h>

#include "diff/order_stats.h"

enum { EXACT_MAX = 60, COUNTED_MAX = 1000 };

static const double SPREAD_LEVEL = 0.95;

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

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

static int compare_ranked(const void *a, const void *b)
{
	return compare(&((const struct ranked *)a)->v, &((const struct ranked *)b)->v);
}

/* Sort and assign ranks from 1; returns the sum of t^3 - t over the ties. */
static double rank_all(struct ranked *all, size_t n)
{
	double ties = 0;

	qsort(all, n, sizeof(*all), compare_ranked);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && all[end].v == all[i].v; end++)
			;
		for (size_t k = i; k < end; k++)
			all[k].rank2 = (u32)(i + 1 + end);
		t = (double)(end - i);
		ties += t * t * t - t;
	}
	return ties;
}

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
	ties = rank_all(all, n);
	if (n <= EXACT_MAX)
		err = exact_p(all, n, n_a, p);
	else
		*p = normal_p(all, n, n_a, ties);
	free(all);
	return err;
}

double stats_least_p(size_t n_a, size_t n_b)
{
	double ways = 1;

	for (size_t i = 1; i <= n_a; i++)
		ways = ways * (double)(n_b + i) / (double)i;
	return fmin(1, 2 / ways);
}

/* --- several tests --- */

int stats_holm(double *p, size_t n)
{
	struct ranked *tests = calloc(n + 1, sizeof(*tests));
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
	free(tests);
	return 0;
}

/* --- change points --- */

struct search {
	const double *v;
	double alpha;
	struct ranked *all;
	double *ranks, *scratch;
	change_array *found;
};

/* Pettitt's K, and the number of values before the change. */
static double largest_difference(const double *ranks, size_t n, size_t *before)
{
	double sum = 0, largest = -1;

	for (size_t i = 1; i < n; i++) {
		double u;

		sum += ranks[i - 1];
		u = fabs(2 * sum - (double)i * (double)(n + 1));
		if (u <= largest)
			continue;
		largest = u;
		*before = i;
	}
	return largest;
}

static void shuffle(double *v, size_t n, u64 *state)
{
	for (size_t i = n; i > 1; i--) {
		u64 x = *state += 0x9e3779b97f4a7c15ull;
		double t = v[i - 1];

		x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
		x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
		x = (x ^ (x >> 31)) % i;
		v[i - 1] = v[x];
		v[x] = t;
	}
}

static int search(const struct search *s, size_t from, size_t n)
{
	size_t before = 0, as_large = 1, other;
	u64 state = 1;
	double k, p;
	int err;

	if (n < 2)
		return 0;
	for (size_t i = 0; i < n; i++)
		s->all[i] = (struct ranked){ .v = s->v[from + i], .at = i };
	rank_all(s->all, n);
	for (size_t i = 0; i < n; i++)
		s->ranks[s->all[i].at] = s->all[i].rank2 / 2.0;
	k = largest_difference(s->ranks, n, &before);
	if (!(k > 0))
		return 0; /* all values are equal */
	for (int i = 0; i < CHANGE_SHUFFLES; i++) {
		shuffle(s->ranks, n, &state);
		as_large += largest_difference(s->ranks, n, &other) >= k;
	}
	p = (double)as_large / (CHANGE_SHUFFLES + 1);
	if (p >= s->alpha)
		return 0;
	err = search(s, from, before);
	err = err ?: array_push(s->found, ((struct change){ .at = from + before, .p = p }));
	return err ? err : search(s, from + before, n - before);
}

static double median_of(const struct search *s, size_t from, size_t to)
{
	memcpy(s->scratch, s->v + from, (to - from) * sizeof(*s->v));
	return stats_median(s->scratch, to - from);
}

int changes_find(const double *v, size_t n, double alpha, change_array *changes)
{
	struct search s = { .v = v, .alpha = alpha, .found = changes };
	int err = HIST_NOMEM;

	s.all = calloc(n + 1, sizeof(*s.all));
	s.ranks = calloc(n + 1, sizeof(*s.ranks));
	s.scratch = calloc(n + 1, sizeof(*s.scratch));
	if (s.all && s.ranks && s.scratch)
		err = search(&s, 0, n);
	for (size_t i = 0; i < changes->n && !err; i++) {
		struct change *c = &changes->v[i];
		size_t from = i ? changes->v[i - 1].at : 0,
		       to = i + 1 < changes->n ? changes->v[i + 1].at : n;

		c->before = median_of(&s, from, c->at);
		c->after = median_of(&s, c->at, to);
	}
	free(s.all);
	free(s.ranks);
	free(s.scratch);
	return err;
}
