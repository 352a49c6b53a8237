/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A sketch: what is kept of many samples (64-bit numbers) to say n, min, max, mean, standard
 * deviation and quantiles of them.
 *
 * n, min, max, the sum and the sum of squares are exact. How often each value came is kept
 * exactly while there are at most SKETCH_EXACT different ones; with one more, all values are
 * rounded towards zero to the start of their bucket, of which there are 2^SKETCH_BITS in
 * each power of two. A quantile then lies at most 1/256 of its value from the truth.
 *
 * Invariant: what a sketch holds depends only on the samples, not on their order, and not
 * on whether they came one by one or in sketches that were added up.
 */
#ifndef HIST_BASE_SKETCH_H
#define HIST_BASE_SKETCH_H

#include "base/types.h"
#include "base/wide.h"

enum { SKETCH_EXACT = 1024, SKETCH_BITS = 7 };

/* The relative error of a quantile of a sketch that is rounded. */
#define SKETCH_ERROR (1.0 / (2 << SKETCH_BITS))

struct sketch_count {
	u64 value, n;
};

struct sketch {
	bool is_signed; /* samples are s64; set before the first one */
	bool rounded;
	u32 n_values, mask;         /* of ->table */
	struct sketch_count *table; /* NULL: all samples are ->min */
	u64 n, min, max;
	struct wide sum, sum2; /* of the samples, of their squares */
};

#define SKETCH_INIT(sign)           \
	{                           \
		.is_signed = (sign) \
	}

/* @count times the sample @v. 0, -HIST_ENOMEM */
int sketch_add(struct sketch *s, u64 v, u64 count);

/* All samples of @from, which has the same sign. 0, -HIST_ENOMEM */
int sketch_merge(struct sketch *to, const struct sketch *from);

/* Back to no samples; also gives the memory back. */
void sketch_release(struct sketch *s);

/**
 * sketch_values() - the values and how often they came, in ascending order
 * @values: to be freed
 *
 * Return: 0, -HIST_ENOMEM
 */
int sketch_values(const struct sketch *s, struct sketch_count **values, size_t *n);

/**
 * sketch_restore() - a sketch from what was saved of it
 * @s:      with is_signed, rounded, n, min, max, sum and sum2
 * @values: as sketch_values() gave them
 *
 * Return: 0, -HIST_EFORMAT if the parts contradict each other, -HIST_ENOMEM
 */
int sketch_restore(struct sketch *s, const struct sketch_count *values, size_t n);

/* NAN without samples; the deviation (of a sample: n - 1) also with one. */
double sketch_mean(const struct sketch *s);
double sketch_stddev(const struct sketch *s);

struct sketch_range {
	u64 min, max; /* inclusive; the same if the value is known exactly */
};

/**
 * sketch_quantile() - where the @permille-th of a thousand parts of the samples ends
 * @values: of sketch_values()
 *
 * Shape: the range that holds the sample of rank ceil(n * permille / 1000) (nearest rank)
 */
struct sketch_range sketch_quantile(const struct sketch *s, const struct sketch_count *values,
				    size_t n, unsigned int permille);

/* The number that stands for a range: its middle. */
u64 sketch_middle(struct sketch_range range);

/* The bucket that @v is in: all values that are rounded to the same one. */
struct sketch_range sketch_bucket(u64 v, bool is_signed);

#endif
