// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Distributions: quantiles and effect sizes of counted values or buckets, as ranges that contain
 * the true result for any distribution of values within a bucket.
 *
 * For keys in buckets, and for sketches that were rounded, only the range of a value is known.
 * Nothing is interpolated.
 */
#include "diff/dist.h"
#include "diff/order_stats.h"

enum { DECILES = 9 };

/* --- intervals --- */

struct interval interval_sub(struct interval a, struct interval b)
{
	return (struct interval){ a.min - b.max, a.max - b.min };
}

static double percent(double a, double b)
{
	if (a == b)
		return 0;
	return b != 0 ? (a - b) / fabs(b) * 100 : a > 0 ? HUGE_VAL : -HUGE_VAL;
}

struct interval interval_percent(struct interval a, struct interval b)
{
	double v[] = { percent(a.min, b.min), percent(a.min, b.max), percent(a.max, b.min),
		       percent(a.max, b.max) };
	struct interval r = { v[0], v[0] };

	if (!interval_known(a) || !interval_known(b))
		return INTERVAL_NONE;
	for (size_t i = 1; i < ARRAY_SIZE(v); i++) {
		r.min = fmin(r.min, v[i]);
		r.max = fmax(r.max, v[i]);
	}
	return b.min < 0 && b.max > 0 ? (struct interval){ -HUGE_VAL, HUGE_VAL } : r;
}

/* --- construction --- */

static u64 order_of(const struct dist *d, u64 v)
{
	return d->is_signed ? v ^ 1ull << 63 : v;
}

static double number_of(const struct dist *d, u64 v)
{
	return d->is_signed ? (double)(s64)v : (double)v;
}

static struct interval interval_at(const struct dist *d, const struct dist_part *p)
{
	return (struct interval){ number_of(d, p->min), number_of(d, p->max) };
}

/* Add a part. Until dist_finish(), parts are stored as unsigned numbers in the same order. */
int dist_add(struct dist *d, u64 min, u64 max, u64 n)
{
	struct dist_part part = { order_of(d, min), order_of(d, max), n };

	if (!n)
		return 0;
	d->n += n;
	return array_push(&d->parts, part);
}

int dist_add_sketch(struct dist *d, const struct sketch *s)
{
	scoped(free_scoped) struct sketch_count *values = NULL;
	size_t n;
	int err = sketch_values(s, &values, &n);

	for (size_t i = 0; i < n && !err; i++) {
		struct sketch_range r = { values[i].value, values[i].value };

		if (s->rounded)
			r = sketch_bucket(values[i].value, s->is_signed);
		if (!i)
			r.min = s->min;
		if (i + 1 == n)
			r.max = s->max;
		err = dist_add(d, r.min, r.max, values[i].n);
	}
	d->mean = interval_of(sketch_mean(s));
	d->ends = (struct interval){ number_of(d, s->min), number_of(d, s->max) };
	d->of_sketch = true;
	return err;
}

DEFINE_ORDER(compare_parts, struct dist_part, cmp_int(x->min, y->min) ?: cmp_int(x->max, y->max))

void dist_finish(struct dist *d)
{
	struct interval sum = { 0, 0 };
	size_t n = 0;

	if (d->parts.n)
		qsort(d->parts.v, d->parts.n, sizeof(*d->parts.v), compare_parts);
	for (size_t i = 0; i < d->parts.n; i++) {
		struct dist_part *last = n ? &d->parts.v[n - 1] : NULL, *p = &d->parts.v[i];

		if (last && last->min == p->min && last->max == p->max)
			last->n += p->n;
		else
			d->parts.v[n++] = *p;
	}
	d->parts.n = n;
	for (size_t i = 0; i < d->parts.n; i++) {
		d->parts.v[i].min = order_of(d, d->parts.v[i].min);
		d->parts.v[i].max = order_of(d, d->parts.v[i].max);
	}
	if (d->of_sketch)
		return;
	array_each(const struct dist_part, p, &d->parts) {
		sum.min += number_of(d, p->min) * (double)p->n;
		sum.max += number_of(d, p->max) * (double)p->n;
	}
	d->mean = d->n ? (struct interval){ sum.min / (double)d->n, sum.max / (double)d->n }
		       : INTERVAL_NONE;
}

void dist_release(struct dist *d)
{
	array_release(&d->parts);
}

/* --- quantiles --- */

struct interval dist_quantile(const struct dist *d, unsigned int permille)
{
	u64 rank = d->n / 1000 * permille + (d->n % 1000 * permille + 999) / 1000, seen = 0;

	for (size_t i = 0; i < d->parts.n; i++) {
		seen += d->parts.v[i].n;
		if (seen >= rank)
			return interval_at(d, &d->parts.v[i]);
	}
	return INTERVAL_NONE;
}

struct interval dist_min(const struct dist *d)
{
	if (!d->parts.n)
		return INTERVAL_NONE;
	return d->of_sketch ? interval_of(d->ends.min) : interval_at(d, &d->parts.v[0]);
}

struct interval dist_max(const struct dist *d)
{
	if (!d->parts.n)
		return INTERVAL_NONE;
	return d->of_sketch ? interval_of(d->ends.max)
			    : interval_at(d, &d->parts.v[d->parts.n - 1]);
}

/* --- effect sizes --- */

struct interval dist_shift(const struct dist *a, const struct dist *b)
{
	double min[DECILES], max[DECILES];

	if (!a->n || !b->n)
		return INTERVAL_NONE;
	for (unsigned int i = 0; i < DECILES; i++) {
		struct interval moved = interval_sub(dist_quantile(b, (i + 1) * 100),
						     dist_quantile(a, (i + 1) * 100));

		min[i] = moved.min;
		max[i] = moved.max;
	}
	return (struct interval){ stats_median(min, DECILES), stats_median(max, DECILES) };
}

/*
 * Bounds of the number of values of a distribution that are less than or equal to the current one.
 * Both bounds increase with it, so each part is visited once.
 */
struct dist_walk {
	const struct dist *d;
	size_t at_max, at_min; /* number of parts that have ended, that have started */
	u64 sure, perhaps;
};

static void walk_to(struct dist_walk *w, u64 order)
{
	const struct dist *d = w->d;

	while (w->at_max < d->parts.n && order_of(d, d->parts.v[w->at_max].max) <= order)
		w->sure += d->parts.v[w->at_max++].n;
	while (w->at_min < d->parts.n && order_of(d, d->parts.v[w->at_min].min) <= order)
		w->perhaps += d->parts.v[w->at_min++].n;
}

/* Find the next end of a part after @order in either distribution; false if there is none. */
static bool next_end(const struct dist_walk *w, u64 *next)
{
	const struct dist *d = w->d;
	bool any = false;

	if (w->at_max < d->parts.n) {
		*next = min_t(u64, *next, order_of(d, d->parts.v[w->at_max].max));
		any = true;
	}
	if (w->at_min < d->parts.n) {
		*next = min_t(u64, *next, order_of(d, d->parts.v[w->at_min].min));
		any = true;
	}
	return any;
}

struct interval dist_ks(const struct dist *a, const struct dist *b)
{
	struct dist_walk wa = { .d = a }, wb = { .d = b };
	struct interval ks = { 0, 0 };
	u64 next = UINT64_MAX;
	bool any;

	if (!a->n || !b->n)
		return INTERVAL_NONE;
	do {
		next = UINT64_MAX;
		any = next_end(&wa, &next);
		any |= next_end(&wb, &next);
		if (any) {
			double n_a = (double)wa.d->n, n_b = (double)wb.d->n;

			walk_to(&wa, next);
			walk_to(&wb, next);
			ks.min = fmax(ks.min,
				      fmax((double)wa.sure / n_a - (double)wb.perhaps / n_b,
					   (double)wb.sure / n_b - (double)wa.perhaps / n_a));
			ks.max = fmax(ks.max,
				      fmax((double)wa.perhaps / n_a - (double)wb.sure / n_b,
					   (double)wb.perhaps / n_b - (double)wa.sure / n_a));
		}
	} while (any);
	return ks;
}

struct interval dist_cliff(const struct dist *a, const struct dist *b)
{
	struct dist_walk below = { .d = a }, upto = { .d = a };
	double greater = 0, smaller = 0, ties = 0, pairs = (double)a->n * (double)b->n;
	double middle, unknown;

	if (!a->n || !b->n)
		return INTERVAL_NONE;
	array_each(const struct dist_part, p, &b->parts) {
		u64 min = order_of(b, p->min), max = order_of(b, p->max);
		double n = (double)p->n;

		if (min)
			walk_to(&below, min - 1);
		walk_to(&upto, max);
		greater += n * (double)below.sure;
		smaller += n * (double)(a->n - upto.perhaps);
		/* exactly known equal values are neither greater nor smaller */
		if (min == max && upto.at_max && a->parts.v[upto.at_max - 1].min == p->min &&
		    a->parts.v[upto.at_max - 1].max == p->max)
			ties += n * (double)a->parts.v[upto.at_max - 1].n;
	}
	middle = (greater - smaller) / pairs;
	unknown = fmax(0, pairs - greater - smaller - ties) / pairs;
	return (struct interval){ middle - unknown, middle + unknown };
}
