// SPDX-License-Identifier: LGPL-2.1-only
/* Statistics of a sketch, computed from its values or its exact sums. */
#include <math.h>

#include "base/sketch.h"

static __attribute__((noinline)) void add_large(struct sketch_sums *s, u64 size, bool negative,
						u64 n)
{
	struct wide w = wide_of(size, false), times = wide_of(n, false);
	struct wide product = wide_mul(&w, &times), square = wide_mul(&product, &w);

	if (negative)
		wide_sub(&s->sum, &product);
	else
		wide_add(&s->sum, &product);
	wide_add(&s->sum2, &square);
}

/* Most products fit in 64 bits. */
void sketch_sums_add(struct sketch_sums *s, u64 v, u64 n, bool is_signed)
{
	bool negative = is_signed && v >> 63;
	u64 size = negative ? 0 - v : v, product, square;

	if (unlikely(__builtin_mul_overflow(size, n, &product) ||
		     __builtin_mul_overflow(product, size, &square))) {
		add_large(s, size, negative, n);
		return;
	}
	if (negative)
		wide_sub_u64(&s->sum, product);
	else
		wide_add_u64(&s->sum, product);
	wide_add_u64(&s->sum2, square);
}

static double mean_of(const struct sketch *s, const struct sketch_sums *sums)
{
	return (double)(wide_to_double(&sums->sum, s->is_signed) / (long double)s->n);
}

double sketch_mean(const struct sketch *s)
{
	struct sketch_sums sums;

	if (!s->n)
		return (double)NAN;
	sums = sketch_sums(s);
	return mean_of(s, &sums);
}

static double stddev_of(const struct sketch *s, const struct sketch_sums *sums)
{
	struct wide n = wide_of(s->n, false), sum = sums->sum, zero = { { 0 } }, m2, square;

	if (s->is_signed && wide_is_negative(&sum)) {
		wide_sub(&zero, &sum);
		sum = zero;
	}
	/* n times the sum of the squared distances from the mean, exactly */
	m2 = wide_mul(&n, &sums->sum2);
	square = wide_mul(&sum, &sum);
	wide_sub(&m2, &square);
	return (double)sqrtl(wide_to_double(&m2, false) / (long double)s->n /
			     (long double)(s->n - 1));
}

struct sketch_moments sketch_moments(const struct sketch *s, const struct sketch_count *values,
				     size_t n)
{
	struct sketch_moments m = { (double)NAN, (double)NAN };
	struct sketch_sums sums = { .sum = { { 0 } } };

	if (s->n == 1)
		m.mean = s->is_signed ? (double)(s64)s->min : (double)s->min;
	if (s->n < 2)
		return m;
	if (s->sums)
		sums = *s->sums;
	for (size_t i = 0; i < n && !s->sums; i++)
		sketch_sums_add(&sums, values[i].value, values[i].n, s->is_signed);
	return (struct sketch_moments){ mean_of(s, &sums), stddev_of(s, &sums) };
}

struct sketch_range sketch_quantile(const struct sketch *s, const struct sketch_count *values,
				    size_t n, unsigned int permille)
{
	u64 rank = s->n / 1000 * permille + (s->n % 1000 * permille + 999) / 1000, seen = 0;
	struct sketch_range r = { 0, 0 };
	size_t i = 0;

	if (!n)
		return r;
	while (i + 1 < n && seen + values[i].n < max_t(u64, rank, 1))
		seen += values[i++].n;
	r = (struct sketch_range){ values[i].value, values[i].value };
	if (s->rounded)
		r = sketch_bucket(values[i].value, s->is_signed);
	if (sketch_is_less(s, r.min, s->min))
		r.min = s->min;
	if (sketch_is_less(s, s->max, r.max))
		r.max = s->max;
	return r;
}

u64 sketch_middle(struct sketch_range r)
{
	return r.min + (r.max - r.min) / 2;
}
