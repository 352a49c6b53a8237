// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Westfall and Young's permutation test of many numbers of two sides.
 *
 * Each number is centred and scaled once; its statistic under a division of the runs then is the
 * sum over one side. Blocks of numbers are processed for all divisions, those that can become
 * largest first; the rest is left out as soon as it can no longer be the maximum of any division.
 */
#include "diff/relabel.h"

enum { BLOCK = 32 };

/* Tolerance for rounding: sums of the same numbers in another order are equal. */
static const double rounding = 1e-9;

/* The divisions of runs into sides: for each, the runs of the smaller side. */
struct ways {
	u32 *runs;
	size_t n, n_runs, side; /* .side: size of the smaller side */
	bool first;             /* the smaller side is the one before */
};

double relabel_ways(size_t n_a, size_t n_b)
{
	double ways = 1;

	for (size_t i = 1; i <= n_a; i++)
		ways = ways * (double)(n_b + i) / (double)i;
	return ways;
}

double relabel_least_p(size_t n_a, size_t n_b)
{
	double ways = relabel_ways(n_a, n_b);

	if (!n_a || !n_b)
		return 1;
	if (ways > RELABEL_ALL)
		return 1.0 / (RELABEL_RANDOM + 1);
	/* with equal sizes, exchanged sides differ as much */
	return (n_a == n_b ? 2 : 1) / ways;
}

/* All subsets of the runs in lexicographic order; with equal sides, those that contain run 0. */
static void list_all(struct ways *w)
{
	u32 *now = w->runs;
	size_t k = w->side, at;

	for (size_t i = 0; i < k; i++)
		now[i] = (u32)i;
	for (size_t way = 1; way < w->n; way++) {
		memcpy(now + k, now, k * sizeof(*now));
		now += k;
		for (at = k; at > 0 && now[at - 1] == w->n_runs - k + at - 1; at--)
			;
		now[at - 1]++;
		for (; at < k; at++)
			now[at] = now[at - 1] + 1;
	}
}

/* The true division, then random ones, which are the same each time. */
static int list_random(struct ways *w)
{
	scoped(free_scoped) u32 *deck = calloc(w->n_runs, sizeof(*deck));
	u64 state = 1;

	if (!deck)
		return HIST_NOMEM;
	for (size_t i = 0; i < w->n_runs; i++)
		deck[i] = (u32)(w->first ? i : w->n_runs - 1 - i);
	memcpy(w->runs, deck, w->side * sizeof(*deck));
	for (size_t way = 1; way < w->n; way++) {
		for (size_t i = 0; i < w->side; i++) {
			u64 x = state += 0x9e3779b97f4a7c15ull;
			u32 t = deck[i];

			x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
			x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
			x = i + (x ^ (x >> 31)) % (w->n_runs - i);
			deck[i] = deck[x];
			deck[x] = t;
		}
		memcpy(w->runs + way * w->side, deck, w->side * sizeof(*deck));
	}
	return 0;
}

static int ways_init(struct ways *w, size_t n_a, size_t n_b)
{
	double all = relabel_ways(n_a, n_b);
	bool random = all > RELABEL_ALL;

	*w = (struct ways){ .n_runs = n_a + n_b,
			    .side = min_t(size_t, n_a, n_b),
			    .first = n_a <= n_b };
	w->n = random ? RELABEL_RANDOM + 1 : (size_t)(n_a == n_b ? all / 2 : all);
	w->runs = calloc(w->n * w->side, sizeof(*w->runs));
	if (!w->runs)
		return HIST_NOMEM;
	if (random)
		return list_random(w);
	list_all(w);
	return 0;
}

DEFINE_ORDER(compare, double, cmp_int(*x, *y))

static void prepare(struct trial *t, const struct ways *w, double *z)
{
	double n = (double)w->n_runs, sum = 0, squares = 0;
	double low = 0, high = 0;

	for (size_t i = 0; i < w->n_runs; i++)
		sum += t->v[i] / n;
	for (size_t i = 0; i < w->n_runs; i++)
		squares += (t->v[i] - sum) * (t->v[i] - sum);
	squares += n * sum * sum * t->floor;
	t->mean = sum;
	t->scale = squares > 0 && isfinite(squares) ? 1 / sqrt(squares) : 0;
	for (size_t i = 0; i < w->n_runs; i++)
		z[i] = t->scale > 0 ? (t->v[i] - t->mean) * t->scale : 0;
	/* The largest sum of any side. */
	qsort(z, w->n_runs, sizeof(*z), compare);
	for (size_t j = 0; j < w->side; j++) {
		low += z[j];
		high += z[w->n_runs - 1 - j];
	}
	t->most = fmax(fabs(low), fabs(high));
}

static double true_sum(const struct trial *t, const struct ways *w)
{
	double sum = 0;

	for (size_t i = 0; i < w->side && t->scale > 0; i++)
		sum += (t->v[w->first ? i : w->n_runs - 1 - i] - t->mean) * t->scale;
	return fabs(sum);
}

DEFINE_ORDER(compare_most, struct trial *const, cmp_int((*y)->most, (*x)->most))

/* Raise the maxima of all ways to the sums of a block. @z: [run][BLOCK] */
static void raise(double *maxima, const struct ways *w, const double *z)
{
	for (size_t way = 0; way < w->n; way++) {
		const u32 *runs = w->runs + way * w->side;
		double sums[BLOCK] = { 0 }, most = maxima[way];

		for (size_t i = 0; i < w->side; i++)
			for (size_t t = 0; t < BLOCK; t++)
				sums[t] += z[(size_t)runs[i] * BLOCK + t];
		for (size_t t = 0; t < BLOCK; t++)
			most = fabs(sums[t]) > most ? fabs(sums[t]) : most;
		maxima[way] = most;
	}
}

static double least_of(const double *v, size_t n)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < n; i++)
		least = fmin(least, v[i]);
	return least;
}

int relabel_test(struct trial *trials, size_t n, size_t n_a, size_t n_b)
{
	scoped(free_scoped) const struct trial **order = calloc(n + 1, sizeof(struct trial *));
	double *z = calloc((n_a + n_b) * BLOCK + 1, sizeof(*z)), *maxima = NULL;
	struct ways w;
	int err = ways_init(&w, n_a, n_b);

	maxima = calloc(w.n + 1, sizeof(*maxima));
	if (!order || !z || !maxima)
		err = HIST_NOMEM;
	for (size_t i = 0; i < n && !err; i++) {
		prepare(&trials[i], &w, z);
		order[i] = &trials[i];
	}
	if (!err && n > 1)
		qsort(order, n, sizeof(struct trial *), compare_most);
	for (size_t i = 0; i < n && !err; i += BLOCK) {
		if (order[i]->most < least_of(maxima, w.n))
			break;
		for (size_t t = 0; t < BLOCK; t++)
			for (size_t run = 0; run < w.n_runs; run++) {
				const struct trial *of = i + t < n ? order[i + t] : NULL;

				z[run * BLOCK + t] = of && of->scale > 0
							     ? (of->v[run] - of->mean) * of->scale
							     : 0;
			}
		raise(maxima, &w, z);
	}
	if (!err)
		qsort(maxima, w.n, sizeof(*maxima), compare);
	for (size_t i = 0; i < n && !err; i++) {
		double sum = true_sum(&trials[i], &w);
		size_t low = 0, high = w.n;

		/* The share of @n sorted maxima that are at least @sum. */
		sum -= sum * rounding;
		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (maxima[middle] < sum)
				low = middle + 1;
			else
				high = middle;
		}
		trials[i].p = (double)(w.n - low) / (double)w.n;
	}
	free(w.runs);
	free(maxima);
	free(z);
	return err;
}
