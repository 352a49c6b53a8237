/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A sketch: a summary of many samples (64-bit numbers), from which n, min, max, mean, standard
 * deviation and quantiles are computed.
 *
 * n, min, max, the sum and the sum of squares are exact. The number of occurrences of each value is
 * exact for at most SKETCH_EXACT different values; with one more, all values are rounded towards
 * zero to the start of their bucket, of which there are 2^SKETCH_BITS in each power of two. A
 * quantile then has a relative error of at most 1/256.
 *
 * There may be millions of sketches with few samples: two different values need no memory besides
 * the struct, and the sums are computed from the values as long as these are exact.
 *
 * Invariant: a sketch depends only on the samples, not on their order, nor on whether they were
 * added one by one or as sketches.
 */
#pragma once
#include "base/types.h"
#include "base/wide.h"

enum { SKETCH_EXACT = 1024, SKETCH_BITS = 7 };

/* The relative error of a quantile of a rounded sketch. */
#define SKETCH_ERROR (1.0 / (2 << SKETCH_BITS))

struct sketch_count {
	u64 value, n;
};

/* Sums of the samples and of their squares. */
struct sketch_sums {
	struct wide sum, sum2;
};

struct sketch {
	bool is_signed; /* samples are s64; set before the first one */
	bool rounded;
	bool is_dense;
	u32 refs; /* for its owners: see samples.h */
	union {
		struct {
			u32 n_values, mask; /* of the table */
		};
		u64 n_max; /* without a table: that many samples are ->max, the others ->min */
	};
	union {
		struct sketch_count *table;
		u32 *dense; /* how often each value, or rounded value, of those from 0 occurs */
	};
	u64 n, min, max;
	struct sketch_sums *sums; /* NULL: the values determine them */
};

#define SKETCH_INIT(sign)           \
	{                           \
		.is_signed = (sign) \
	}

static inline bool sketch_is_less(const struct sketch *s, u64 a, u64 b)
{
	return s->is_signed ? (s64)a < (s64)b : a < b;
}

/* Add @count times the sample @v. 0, -HIST_ENOMEM */
int sketch_add(struct sketch *s, u64 v, u64 count);

/* Fetch the memory that sketch_add() of @v needs into the cache. */
void sketch_prefetch(const struct sketch *s, u64 v);

/* Add all samples of @from, which has the same sign. 0, -HIST_ENOMEM */
int sketch_merge(struct sketch *to, const struct sketch *from);

/* Whether both have the same samples, as far as they are known; rarely false although they have. */
bool sketch_equal(const struct sketch *a, const struct sketch *b);

/* Reset to no samples; also frees the memory. */
void sketch_release(struct sketch *s);

/**
 * sketch_values() - the values and their numbers of occurrences, in ascending order
 * @values: to be freed
 *
 * Return: 0, -HIST_ENOMEM
 */
int sketch_values(const struct sketch *s, struct sketch_count **values, size_t *n);

void sketch_sums_add(struct sketch_sums *s, u64 v, u64 n, bool is_signed);

/* Takes as long as there are values, unless they were rounded. */
struct sketch_sums sketch_sums(const struct sketch *s);

/**
 * sketch_restore() - restore a sketch from saved data
 * @s:      with is_signed, rounded, n, min and max
 * @sums:   from sketch_sums()
 * @values: from sketch_values()
 *
 * Return: 0, -HIST_EFORMAT if the parts contradict each other, -HIST_ENOMEM
 */
int sketch_restore(struct sketch *s, const struct sketch_sums *sums,
		   const struct sketch_count *values, size_t n);

/* NAN if there are no samples; the standard deviation (with n - 1) also if there is only one. */
struct sketch_moments {
	double mean, stddev;
};

/* @values: of sketch_values() */
struct sketch_moments sketch_moments(const struct sketch *s, const struct sketch_count *values,
				     size_t n);
double sketch_mean(const struct sketch *s);

struct sketch_range {
	u64 min, max; /* inclusive; the same if the value is known exactly */
};

/**
 * sketch_quantile() - the @permille-th quantile, in thousandths, of the samples
 * @values: of sketch_values()
 *
 * Shape: the range that contains the sample of rank ceil(n * permille / 1000) (nearest rank)
 */
struct sketch_range sketch_quantile(const struct sketch *s, const struct sketch_count *values,
				    size_t n, unsigned int permille);

/* The number that represents a range: its middle. */
u64 sketch_middle(struct sketch_range range);

/* The bucket of @v: all values that are rounded to the same one. */
struct sketch_range sketch_bucket(u64 v, bool is_signed);
