// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the runs at which the level of a metric changed.
 *
 * Uses a rank test, because such series have outliers, with random shuffles, because they are
 * short.
 */
#include <math.h>
#include <stdlib.h>

#include "diff/change.h"
#include "diff/order_stats.h"

struct search {
	const double *v;
	double alpha;
	double *ranks, *scratch;
	change_array *found;
};

/* --- one test --- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

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

static u64 next_random(u64 *state)
{
	u64 x = *state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static void shuffle(double *v, size_t n, u64 *state)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)(next_random(state) % i);
		double t = v[i - 1];

		v[i - 1] = v[k];
		v[k] = t;
	}
}

static double probability(double *ranks, size_t n, double k)
{
	size_t as_large = 1, before;
	u64 state = 1;

	for (int i = 0; i < CHANGE_SHUFFLES; i++) {
		shuffle(ranks, n, &state);
		as_large += largest_difference(ranks, n, &before) >= k;
	}
	return (double)as_large / (CHANGE_SHUFFLES + 1);
}

/* --- all change points --- */

static int search(const struct search *s, size_t from, size_t n)
{
	size_t before = 0;
	double k, p;
	int err;

	if (n < 2)
		return 0;
	/* ranks from 1; equal numbers share the mean of their ranks */
	memcpy(s->scratch, s->v + from, n * sizeof(*s->v));
	qsort(s->scratch, n, sizeof(*s->scratch), compare);
	for (size_t i = 0; i < n; i++) {
		size_t below = 0, same = 0;

		for (size_t m = 0; m < n && s->scratch[m] <= s->v[from + i]; m++) {
			below += s->scratch[m] < s->v[from + i];
			same += s->scratch[m] == s->v[from + i];
		}
		s->ranks[i] = (double)below + (double)(same + 1) / 2;
	}
	k = largest_difference(s->ranks, n, &before);
	if (!(k > 0))
		return 0; /* all values are equal */
	p = probability(s->ranks, n, k);
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

	s.ranks = calloc(n + 1, sizeof(*s.ranks));
	s.scratch = calloc(n + 1, sizeof(*s.scratch));
	if (s.ranks && s.scratch)
		err = search(&s, 0, n);
	for (size_t i = 0; i < changes->n && !err; i++) {
		struct change *c = &changes->v[i];
		size_t from = i ? changes->v[i - 1].at : 0,
		       to = i + 1 < changes->n ? changes->v[i + 1].at : n;

		c->before = median_of(&s, from, c->at);
		c->after = median_of(&s, c->at, to);
	}
	free(s.ranks);
	free(s.scratch);
	return err;
}
