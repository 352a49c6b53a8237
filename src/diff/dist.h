/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Distributions: values with their numbers of occurrences, each known exactly or as a range;
 * private to diff.
 */
#pragma once
#include "base/base.h"

/* A number known by its inclusive bounds. NAN: unknown. */
struct interval {
	double min, max;
};

#define INTERVAL_NONE ((struct interval){ (double)NAN, (double)NAN })

static inline struct interval interval_of(double v)
{
	return (struct interval){ v, v };
}

static inline bool interval_known(struct interval i)
{
	return i.min <= i.max;
}

static inline double interval_middle(struct interval i)
{
	return i.min + (i.max - i.min) / 2;
}

/* The difference @a minus @b; and this difference in per cent of @b. */
struct interval interval_sub(struct interval a, struct interval b);
struct interval interval_percent(struct interval a, struct interval b);

struct dist_part {
	u64 min, max; /* cast to s64 if the distribution is of signed numbers */
	u64 n;
};

struct dist {
	bool is_signed;
	ARRAY(struct dist_part) parts;
	u64 n;
	struct interval mean;
	struct interval ends; /* the smallest and the largest value, if ->of_sketch */
	bool of_sketch;       /* whose mean and ends are known more exactly than from its parts */
};

#define DIST_INIT(sign)                                  \
	{                                                \
		.is_signed = (sign), .parts = ARRAY_INIT \
	}

/* @n values from @min to @max. 0, -HIST_ENOMEM */
int dist_add(struct dist *d, u64 min, u64 max, u64 n);

/* Add everything of @s, which must be the only addition. 0, -HIST_ENOMEM */
int dist_add_sketch(struct dist *d, const struct sketch *s);

/* To be called after the last addition. */
void dist_finish(struct dist *d);
void dist_release(struct dist *d);

/*
 * The quantile by nearest rank: the value of rank ceil(n * permille / 1000). INTERVAL_NONE if
 * empty.
 */
struct interval dist_quantile(const struct dist *d, unsigned int permille);
struct interval dist_min(const struct dist *d);
struct interval dist_max(const struct dist *d);

/* --- effect sizes; ranges if only ranges of the values are known --- */

/* The median shift of the deciles (10 % to 90 %) from @a to @b. */
struct interval dist_shift(const struct dist *a, const struct dist *b);

/* The largest distance between the cumulative distributions (Kolmogorov-Smirnov), 0 to 1. */
struct interval dist_ks(const struct dist *a, const struct dist *b);

/* Cliff's delta: probability that a value of @b is greater, minus that it is smaller; -1 to 1. */
struct interval dist_cliff(const struct dist *a, const struct dist *b);
