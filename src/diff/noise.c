// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The noise of recordings of which there are too few for a permutation test.
 *
 * Events of a recording depend on each other, and what differs from run to run (other tasks, the
 * state of the machine) changes many rows at once. So the differences themselves are the measure:
 * a row changed if it differs far more than the others.
 */
#include "diff/noise.h"

enum { LEAST_ROWS = 5 };

/* With fewer hits on both sides together than 50, the noise depends on their number. */
static const double MANY = 4.0 / 50, LEAST_LEVEL = 0.01, LEAST_FACTOR = 0.25,
		    /* of a kind with too few numbers of many hits */
	UNKNOWN_LEVEL = 0.2;

/* 80 % of the squares of normally distributed numbers with variance 1 are less than this. */
static const double NORMAL_80 = 1.6423744;

/* The relative difference, from -2 (gone) to 2 (new); 0.4 is half more. */
static double noise_difference(const struct noise_pair *p)
{
	double sum = fabs(p->before) + fabs(p->after);

	return sum > 0 ? 2 * (p->after - p->before) / sum : 0;
}

/* The @at-th smallest, from 0, of numbers that are not negative: their bits have the same order. */
static double smallest_at(const double *v, size_t n, size_t at)
{
	union {
		double d;
		u64 u;
	} bits = { .u = 0 };
	u64 found = 0;

	for (int shift = 56; shift >= 0; shift -= 8) {
		size_t counts[256] = { 0 }, byte = 0;

		for (size_t i = 0; i < n; i++) {
			bits.d = v[i];
			if (shift == 56 || bits.u >> (shift + 8) == found)
				counts[bits.u >> shift & 255]++;
		}
		while (byte < 255 && at >= counts[byte])
			at -= counts[byte++];
		found = found << 8 | byte;
	}
	bits.u = found;
	return bits.d;
}

/* @v: the squares of differences; of numbers with few hits, relative to the variance by chance */
/* NOLINTNEXTLINE(readability-function-size): some of the pairs, room for them, the result */
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
	*out = smallest_at(v, used, (used * 4 - 1) / 5) / NORMAL_80;
	return true;
}

double noise_student(double t, size_t df)
{
	const double angle = atan(fabs(t) / sqrt((double)df)), c = cos(angle) * cos(angle);
	double term = df % 2 ? cos(angle) : 1, sum = df == 1 ? 0 : term;

	for (size_t k = df % 2 ? 3 : 2; k < df; k += 2) {
		term *= c * (double)(k - 1) / (double)k;
		sum += term;
	}
	sum *= sin(angle);
	return fmax(1e-15, 1 - (df % 2 ? 2 / M_PI * (angle + sum) : sum));
}

/*
 * The number of different pairs, first ones or others: histograms have the same totals, and rows
 * the same numbers.
 */
static int count_different(const struct noise_pair *pairs, size_t n, bool first, size_t *different)
{
	scoped(hash_release) struct hash_table seen = HASH_TABLE_INIT;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		/* -0 equals 0 */
		const double of[] = { pairs[i].before + 0.0, pairs[i].after + 0.0 };
		const u32 hash = hash_bytes(0, of, sizeof(of));
		struct hash_walk walk = hash_walk(hash);
		bool known = pairs[i].first != first;
		size_t at;

		while (!known && hash_next(&seen, &walk, &at))
			known = pairs[at].before == of[0] && pairs[at].after == of[1];
		if (!known)
			err = hash_add(&seen, hash, i);
	}
	*different = seen.n;
	return err;
}

int noise_correct(struct noise_pair *pairs, size_t n, size_t *tests)
{
	size_t first = 0, others = 0;
	int err = count_different(pairs, n, true, &first);
	double parts;

	err = err ?: count_different(pairs, n, false, &others);
	parts = first && others ? 2 : 1;
	*tests = first + others;
	for (size_t i = 0; i < n; i++)
		pairs[i].p =
			fmin(1, pairs[i].p * parts * (double)(pairs[i].first ? first : others));
	return err;
}

int noise_test(struct noise_pair *pairs, size_t n, struct noise *noise, size_t n_kinds,
	       size_t *tests)
{
	scoped(free_scoped) double *v = calloc(n + 1, sizeof(*v));

	if (!v)
		return HIST_NOMEM;
	for (size_t k = 0; k < n_kinds; k++) {
		double level = UNKNOWN_LEVEL * UNKNOWN_LEVEL, factor = 0;

		noise[k].fitted = fit(pairs, n, k, true, v, &level);
		if (fit(pairs, n, k, false, v, &factor))
			factor = fmax(factor, LEAST_FACTOR);
		noise[k].level = fmax(sqrt(level), LEAST_LEVEL);
		noise[k].factor = factor;
	}
	for (size_t i = 0; i < n; i++) {
		const struct noise *of = &noise[pairs[i].kind];
		double factor = of->factor > 0 ? of->factor : (double)pairs[i].factor;
		double variance = fmax(of->level * of->level, factor * pairs[i].chance);

		/* otherwise nothing shows how much it differs by chance */
		pairs[i].p =
			of->fitted || of->factor > 0
				? noise_student(noise_difference(&pairs[i]) / sqrt(variance), 3)
				: 1;
	}
	return noise_correct(pairs, n, tests);
}
