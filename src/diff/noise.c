// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The noise of recordings of which there are too few for a permutation test.
 *
 * Events of a recording depend on each other, and what differs from run to run (other tasks, the
 * state of the machine) changes many rows at once. So the differences themselves are the measure:
 * a row changed if it differs far more than the others.
 */
#include <math.h>
#include <stdlib.h>

#include "diff/noise.h"

enum { LEAST_ROWS = 5 };

/* With fewer hits on both sides together than 50, the noise depends on their number. */
static const double MANY = 4.0 / 50, LEAST_LEVEL = 0.01, LEAST_FACTOR = 0.25,
		    /* of a kind with too few numbers of many hits */
	UNKNOWN_LEVEL = 0.2;

/* 80 % of the squares of normally distributed numbers with variance 1 are less than this. */
static const double NORMAL_80 = 1.6423744;

double noise_difference(const struct noise_pair *p)
{
	double sum = fabs(p->before) + fabs(p->after);

	return sum > 0 ? 2 * (p->after - p->before) / sum : 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* @v: the squares of differences; of numbers with few hits, relative to the variance by chance */
static bool fit(const struct noise_pair *pairs, size_t n, size_t kind, bool many, double *v,
		double *out)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		double d = noise_difference(&pairs[i]);

		/* 0 and 0 shows nothing: most calls never sleep */
		if (!(pairs[i].before || pairs[i].after))
			continue;
		if (pairs[i].kind == kind && (pairs[i].chance <= MANY) == many)
			v[used++] = many ? d * d : d * d / pairs[i].chance;
	}
	if (used < LEAST_ROWS)
		return false;
	qsort(v, used, sizeof(*v), compare);
	*out = v[(used * 4 - 1) / 5] / NORMAL_80;
	return true;
}

double noise_t3(double t)
{
	double x = fabs(t) / sqrt(3);

	if (x > 1e3) /* the next term would be lost: atan(1/x) - x/(1+x^2) = 2/3 x^-3 - ... */
		return 4 / (3 * M_PI) / (x * x * x);
	return fmax(0, 2 / M_PI * (M_PI / 2 - atan(x) - x / (1 + x * x)));
}

static int compare_pairs(const struct noise_pair *x, const struct noise_pair *y)
{

	if (x->before != y->before)
		return x->before < y->before ? -1 : 1;
	return (x->after > y->after) - (x->after < y->after);
}

static int compare_places(const void *a, const void *b)
{
	return compare_pairs(*(const struct noise_pair *const *)a,
			     *(const struct noise_pair *const *)b);
}

/*
 * The number of different pairs, first ones or others: histograms have the same totals, and rows
 * the same numbers.
 */
static int count_different(const struct noise_pair *pairs, size_t n, bool first, size_t *different)
{
	const struct noise_pair **order = calloc(n + 1, sizeof(struct noise_pair *));
	size_t used = 0;

	if (!order)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		if (pairs[i].first == first)
			order[used++] = &pairs[i];
	if (used > 1)
		qsort(order, used, sizeof(struct noise_pair *), compare_places);
	*different = used > 0;
	for (size_t i = 1; i < used; i++)
		*different += compare_pairs(order[i - 1], order[i]) != 0;
	free(order);
	return 0;
}

int noise_test(struct noise_pair *pairs, size_t n, struct noise *noise, size_t n_kinds,
	       size_t *tests)
{
	double *v = calloc(n + 1, sizeof(*v));
	size_t first = 0, others = 0;
	int err = v ? count_different(pairs, n, true, &first) : HIST_NOMEM;
	double parts;

	err = err ?: count_different(pairs, n, false, &others);
	parts = first && others ? 2 : 1;
	*tests = first + others;

	for (size_t k = 0; k < n_kinds && !err; k++) {
		double level = UNKNOWN_LEVEL * UNKNOWN_LEVEL, factor = 0;

		noise[k].fitted = fit(pairs, n, k, true, v, &level);
		if (fit(pairs, n, k, false, v, &factor))
			factor = fmax(factor, LEAST_FACTOR);
		noise[k].level = fmax(sqrt(level), LEAST_LEVEL);
		noise[k].factor = factor;
	}
	for (size_t i = 0; i < n && !err; i++) {
		const struct noise *of = &noise[pairs[i].kind];
		double factor = of->factor > 0 ? of->factor : pairs[i].factor;
		double variance = fmax(of->level * of->level, factor * pairs[i].chance);

		/* nothing shows how much it differs by chance */
		if (!of->fitted && !(of->factor > 0)) {
			pairs[i].p = 1;
			continue;
		}
		pairs[i].p = fmin(1, noise_t3(noise_difference(&pairs[i]) / sqrt(variance)) *
					     parts * (double)(pairs[i].first ? first : others));
	}
	free(v);
	return err;
}
