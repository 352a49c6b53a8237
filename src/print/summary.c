// SPDX-License-Identifier: LGPL-2.1-only
/* Computes the statistics that are shown from sketches. */
#include "print/print_hist.h"

const struct stat_quantile stat_quantiles[STAT_QUANTILES] = {
	{ 500, "p50" },
	{ 900, "p90" },
	{ 990, "p99" },
	{ 999, "p99.9" },
};

/* What is computed from the values of a sketch. */
struct computed {
	struct sketch_moments moments;
	struct sketch_range quantiles[STAT_QUANTILES];
};

static int compute(const struct sketch *s, struct computed *c)
{
	/* as most rows of many have only one sample */
	struct sketch_count one = { s->min, s->n }, *values = &one;
	size_t n = s->n ? 1 : 0;
	int err = 0;

	if (s->min != s->max || s->rounded)
		err = sketch_values(s, &values, &n);
	if (!err)
		c->moments = sketch_moments(s, values, n);
	for (size_t i = 0; i < STAT_QUANTILES && !err; i++)
		c->quantiles[i] = sketch_quantile(s, values, n, stat_quantiles[i].permille);
	if (values != &one)
		free(values);
	return err;
}

int stat_summarise(const struct sketch *all, const struct sketch *all_max, struct stat_summary *s)
{
	struct computed c, upper;
	int err = compute(all, &c);

	if (err)
		return err;
	*s = (struct stat_summary){ .n = all->n,
				    .is_signed = all->is_signed,
				    .rounded = all->rounded,
				    .min = { all->min, all->min },
				    .max = { all->max, all->max },
				    .mean = c.moments.mean,
				    .mean_max = c.moments.mean,
				    .stddev = c.moments.stddev };
	memcpy(s->quantiles, c.quantiles, sizeof(s->quantiles));
	if (all_max) {
		/*
		 * The same ranks among the upper ends; ranges do not overlap, so these are the ends
		 * of the same ranges.
		 */
		err = compute(all_max, &upper);
		s->is_range = true;
		s->rounded |= all_max->rounded;
		s->stddev = (double)NAN;
		s->mean_max = upper.moments.mean;
		s->min.max = all_max->min;
		s->max.max = all_max->max;
		for (size_t i = 0; i < STAT_QUANTILES && !err; i++)
			s->quantiles[i].max = upper.quantiles[i].max;
		return err;
	}
	/* the true value is in the range that the number represents */
	for (size_t i = 0; i < STAT_QUANTILES; i++)
		s->quantiles[i].min = s->quantiles[i].max = sketch_middle(s->quantiles[i]);
	return 0;
}

const char *stat_number_name(size_t number)
{
	/* ORDER STAT_N */
	static const char *const names[] = { "n", "min", "max", "mean", "stddev" };

	return number < STAT_FIRST_QUANTILE ? names[number]
					    : stat_quantiles[number - STAT_FIRST_QUANTILE].name;
}

size_t stat_number_find(const char *name)
{
	size_t number = 0;

	while (number < STAT_NUMBERS && strcmp(name, stat_number_name(number)) != 0)
		number++;
	return number;
}

struct sketch_range stat_range(const struct stat_summary *s, size_t number)
{
	return number == STAT_MIN   ? s->min
	       : number == STAT_MAX ? s->max
				    : s->quantiles[number - STAT_FIRST_QUANTILE];
}

static u64 order_of_double(double v)
{
	union {
		double d;
		u64 u;
	} bits = { v };

	if (v != v)
		return 0;
	return bits.u >> 63 ? ~bits.u : bits.u ^ (1ull << 63);
}

u64 stat_order(const struct stat_summary *s, size_t number)
{
	struct sketch_range v;

	if (number == STAT_N)
		return s->n;
	if (number == STAT_MEAN || number == STAT_STDDEV)
		return order_of_double(number == STAT_MEAN ? s->mean : s->stddev);
	v = stat_range(s, number);
	return !s->n ? 0 : s->is_signed ? v.max ^ (1ull << 63) : v.max;
}

/* Whether statistic @b has the number of @a: worst=us as a variable of a trigger, or ns.cpu. */
static bool is_form_of(const struct result *r, size_t a, size_t b)
{
	const char *of = r->stats[a].name, *name = r->stats[b].name;
	const size_t n = strlen(name), m = strlen(of);

	for (const char *at = n ? strstr(r->trigger, name) : NULL; at; at = strstr(at + n, name))
		if (at > r->trigger && strchr(":,", at[-1]) && at[n] == '=' &&
		    !strncmp(at + n + 1, of, m) && strchr(":, ", at[n + 1 + m]))
			return true;
	return any_of(i, r->n_columns,
		      result_is_part(&r->columns[i]) && !strcmp(r->columns[i].name, name) &&
			      !strcmp(r->columns[i].label, of));
}

size_t stat_find_same(const struct result *r, size_t at)
{
	size_t i = 0;

	if (at >= r->n_row_stats)
		return at;
	while (i < at && (number_is_id(r->stats[i].name) || !is_form_of(r, i, at)))
		i++;
	return i;
}
