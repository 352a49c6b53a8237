// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sketches. The values are in a hash table with linear probing, at most half full; a count of 0 is
 * a free slot. Values next to each other share a cache line, because most samples of a row are
 * near others, and waiting for memory takes longer than everything else. For the same reason, small
 * values are indices of an array instead, if that takes no more memory than the table.
 */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/sketch.h"

enum {
	FIRST_SIZE = 8,
	CACHE_LINE = 64,
	LINE_BITS = 2, /* 1 << LINE_BITS slots in a cache line */
	RADIX = 256,
	FEW_VALUES = 64,
	DENSE = sizeof(struct sketch_count) / sizeof(u32), /* counts in the memory of a slot */
};

/* --- buckets --- */

/* Logarithm of the width of the bucket of an unsigned number. */
static inline unsigned int width_of(u64 v)
{
	return v < 2u << SKETCH_BITS ? 0 : 63 - (unsigned int)__builtin_clzll(v) - SKETCH_BITS;
}

/* As unsigned numbers. */
static struct sketch_range bucket(u64 v)
{
	unsigned int width = width_of(v);

	v = v >> width << width;
	return (struct sketch_range){ v, v | ((1ull << width) - 1) };
}

struct sketch_range sketch_bucket(u64 v, bool is_signed)
{
	struct sketch_range r;

	if (!is_signed || !(v >> 63))
		return bucket(v);
	r = bucket(0 - v);
	if (r.max > 1ull << 63)
		r.max = 1ull << 63;
	return (struct sketch_range){ 0 - r.max, 0 - r.min };
}

/* The representative of the bucket of @v in a rounded sketch: its end nearer to zero. */
static inline u64 round_value(const struct sketch *s, u64 v)
{
	bool negative = s->is_signed && v >> 63;
	u64 size = negative ? 0 - v : v;
	unsigned int width = width_of(size);

	size = size >> width << width;
	return negative ? 0 - size : size;
}

static bool is_less(const struct sketch *s, u64 a, u64 b)
{
	return s->is_signed ? (s64)a < (s64)b : a < b;
}

/* --- the table --- */

static inline u32 slot_of(const struct sketch *s, u64 v)
{
	u32 line = (u32)((v >> LINE_BITS) * 0x9e3779b97f4a7c15ull >> 32);

	return (line << LINE_BITS | (v & ((1u << LINE_BITS) - 1))) & s->mask;
}

/* Of the counts in ->dense; UINT64_MAX: negative numbers have none. */
static inline u64 index_of(const struct sketch *s, u64 v)
{
	unsigned int width = s->rounded ? width_of(v) : 0;

	if (s->is_signed && v >> 63)
		return UINT64_MAX;
	return ((u64)width << SKETCH_BITS) + (v >> width);
}

static inline u64 value_at(const struct sketch *s, u32 i)
{
	u32 width = s->rounded && i >= 2u << SKETCH_BITS ? (i >> SKETCH_BITS) - 1 : 0;

	return (u64)(i - (width << SKETCH_BITS)) << width;
}

void sketch_prefetch(const struct sketch *s, u64 v)
{
	if (s->dense)
		__builtin_prefetch(&s->dense[index_of(s, v) & s->mask], 1);
	else if (s->table)
		__builtin_prefetch(&s->table[slot_of(s, s->rounded ? round_value(s, v) : v)], 1);
}

static inline struct sketch_count *find(const struct sketch *s, u64 v)
{
	u32 i = slot_of(s, v);

	while (s->table[i].value != v && s->table[i].n)
		i = (i + 1) & s->mask;
	return &s->table[i];
}

static bool has_values(const struct sketch *s)
{
	return s->table || s->dense;
}

static inline u32 skip_free(const struct sketch *s, u32 i, u32 end)
{
	if (s->dense)
		while (i < end && !s->dense[i])
			i++;
	else
		while (i < end && !s->table[i].n)
			i++;
	return i;
}

/* The next value that occurs, from place @at on; false: there are no more. */
static inline bool next_count(const struct sketch *s, u32 *at, struct sketch_count *c)
{
	u32 end = s->mask + 1, i = s->table || s->dense ? skip_free(s, *at, end) : end;

	*at = i + 1;
	if (i >= end)
		return false;
	*c = s->dense ? (struct sketch_count){ value_at(s, i), s->dense[i] } : s->table[i];
	return true;
}

static void put(struct sketch *s, u64 v, u64 count)
{
	struct sketch_count *c;
	u32 *n;

	if (s->dense) {
		n = &s->dense[index_of(s, v)];
		s->n_values += !*n;
		*n += (u32)count;
		return;
	}
	v = s->rounded ? round_value(s, v) : v;
	c = find(s, v);
	s->n_values += !c->n;
	c->value = v;
	c->n += count;
}

/* The same counts, rounded if ->rounded of @to is set, in @to, which is empty. */
static int rebuild(struct sketch *s, const struct sketch *to)
{
	const struct sketch old = *s;
	struct sketch_count c;

	if (!has_values(to))
		return HIST_NOMEM;
	s->table = to->table;
	s->dense = to->dense;
	s->mask = to->mask;
	s->rounded = to->rounded;
	s->n_values = 0;
	for (u32 i = 0; next_count(&old, &i, &c);)
		put(s, c.value, c.n);
	free(old.table);
	free(old.dense);
	return 0;
}

/*
 * The size of @to->dense with room for the values of @s and @more, at most @max; 0: it would
 * be larger, or 32 bits are too few.
 */
static u32 dense_size(const struct sketch *s, const struct sketch *to, struct sketch_count more,
		      u32 max)
{
	u64 last = index_of(to, more.value), total = more.n;
	u32 size = FIRST_SIZE;
	struct sketch_count c;

	for (u32 i = 0; next_count(s, &i, &c);) {
		if (total > UINT32_MAX || c.n > UINT32_MAX)
			return 0;
		total += c.n;
		last = max_t(u64, last, index_of(to, c.value));
	}
	while (size <= last && size <= max)
		size *= 2;
	return size <= max && total <= UINT32_MAX ? size : 0;
}

/* Room for @n more of @v, and all values rounded if @rounded. */
static int resize(struct sketch *s, u64 v, u64 n, bool rounded)
{
	struct sketch to = { .is_signed = s->is_signed, .rounded = rounded };
	u32 size = FIRST_SIZE, dense;

	while (s->n_values >= (size - 1) / 2)
		size *= 2;
	dense = dense_size(s, &to, (struct sketch_count){ v, n }, DENSE * size);
	to.mask = (dense ? dense : size) - 1;
	if (dense)
		to.dense = calloc(dense, sizeof(*to.dense));
	else
		to.table = aligned_alloc(CACHE_LINE, size * sizeof(*to.table));
	if (to.table)
		memset(to.table, 0, size * sizeof(*to.table));
	return rebuild(s, &to);
}

static bool has_room(const struct sketch *s, u64 v, u64 n)
{
	u64 i = index_of(s, v);

	if (s->dense)
		return i <= s->mask && n <= UINT32_MAX - s->dense[i];
	return s->table && s->n_values < s->mask / 2;
}

/* Values are rounded when there are too many. */
static int limit_values(struct sketch *s)
{
	return !s->rounded && s->n_values > SKETCH_EXACT ? resize(s, 0, 0, true) : 0;
}

static int count(struct sketch *s, u64 v, u64 n)
{
	int err = has_room(s, v, n) ? 0 : resize(s, v, n, s->rounded);

	if (err)
		return err;
	put(s, v, n);
	return limit_values(s);
}

/* --- adding --- */

static __attribute__((noinline)) void add_large(struct sketch *s, u64 size, bool negative, u64 n)
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
static inline __attribute__((always_inline)) void add_sums(struct sketch *s, u64 v, u64 n)
{
	bool negative = s->is_signed && v >> 63;
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

static inline __attribute__((always_inline)) void add_moments(struct sketch *s, u64 v, u64 n)
{
	add_sums(s, v, n);
	s->min = !s->n || is_less(s, v, s->min) ? v : s->min;
	s->max = !s->n || is_less(s, s->max, v) ? v : s->max;
	s->n += n;
}

static __attribute__((noinline)) int add_slowly(struct sketch *s, u64 v, u64 n)
{
	int err = 0;

	if (!n)
		return 0;
	if (has_values(s) || (s->n && v != s->min)) {
		if (!has_values(s))
			err = count(s, s->min, s->n);
		err = err ?: count(s, v, n);
	}
	if (!err)
		add_moments(s, v, n);
	return err;
}

/* One more of a value that occurred already. */
static inline bool add_known(struct sketch *s, u64 v, u64 n)
{
	struct sketch_count *c;

	if (s->dense) {
		u64 i = index_of(s, v);

		if (unlikely(i > s->mask || !s->dense[i] || n > UINT32_MAX - s->dense[i]))
			return false;
		s->dense[i] += (u32)n;
		return true;
	}
	c = s->table ? find(s, unlikely(s->rounded) ? round_value(s, v) : v) : NULL;
	if (unlikely(!c || !c->n))
		return false;
	c->n += n;
	return true;
}

int sketch_add(struct sketch *s, u64 v, u64 n)
{
	if (unlikely(!n || !add_known(s, v, n)))
		return add_slowly(s, v, n);
	add_moments(s, v, n);
	return 0;
}

/* The counts only. */
static int merge_values(struct sketch *to, const struct sketch *from)
{
	struct sketch_count c;
	bool fits;
	int err = 0;

	if (!has_values(to) && to->n)
		err = count(to, to->min, to->n);
	if (!err && from->rounded && !to->rounded)
		err = resize(to, 0, 0, true);
	if (!has_values(from))
		return err ? err : count(to, from->min, from->n);
	fits = !err && to->dense && index_of(to, from->min) <= to->mask &&
	       index_of(to, from->max) <= to->mask && to->n <= UINT32_MAX / 2 &&
	       from->n <= UINT32_MAX / 2;
	for (u32 i = 0; fits && next_count(from, &i, &c);)
		put(to, c.value, c.n);
	for (u32 i = 0; !fits && !err && next_count(from, &i, &c);)
		err = count(to, c.value, c.n);
	return fits ? limit_values(to) : err;
}

/* The counts of @from, for an empty sketch. */
static int copy_values(struct sketch *to, const struct sketch *from)
{
	const size_t n = from->mask + 1;

	to->rounded = from->rounded;
	to->n_values = from->n_values;
	to->mask = from->mask;
	if (from->dense) {
		to->dense = malloc(n * sizeof(*to->dense));
		if (to->dense)
			memcpy(to->dense, from->dense, n * sizeof(*to->dense));
	} else {
		to->table = aligned_alloc(CACHE_LINE, n * sizeof(*to->table));
		if (to->table)
			memcpy(to->table, from->table, n * sizeof(*to->table));
	}
	return has_values(to) ? 0 : HIST_NOMEM;
}

int sketch_merge(struct sketch *to, const struct sketch *from)
{
	bool one_value = !has_values(from) && !has_values(to) && (!to->n || to->min == from->min);
	int err = 0;

	if (!from->n)
		return 0;
	if (!to->n && has_values(from) && !has_values(to) && !to->rounded)
		err = copy_values(to, from);
	else if (!one_value)
		err = merge_values(to, from);
	if (err)
		return err;
	wide_add(&to->sum, &from->sum);
	wide_add(&to->sum2, &from->sum2);
	to->min = !to->n || is_less(to, from->min, to->min) ? from->min : to->min;
	to->max = !to->n || is_less(to, to->max, from->max) ? from->max : to->max;
	to->n = add_saturated(to->n, from->n);
	return 0;
}

void sketch_release(struct sketch *s)
{
	free(s->table);
	free(s->dense);
	*s = (struct sketch)SKETCH_INIT(s->is_signed);
}

static bool same_sums(const struct sketch *a, const struct sketch *b)
{
	return !memcmp(&a->sum, &b->sum, sizeof(a->sum)) &&
	       !memcmp(&a->sum2, &b->sum2, sizeof(a->sum2));
}

bool sketch_equal(const struct sketch *a, const struct sketch *b)
{
	struct sketch_count c;

	if (a->is_signed != b->is_signed || a->rounded != b->rounded || a->n != b->n ||
	    a->min != b->min || a->max != b->max || has_values(a) != has_values(b) ||
	    !same_sums(a, b))
		return false;
	for (u32 i = 0; next_count(a, &i, &c);) {
		u64 at = b->dense ? index_of(b, c.value) : 0;

		if ((b->table ? find(b, c.value)->n : at <= b->mask ? b->dense[at] : 0) != c.n)
			return false;
	}
	return true;
}

/* --- statistics --- */

/* Insert each value before the larger ones; for few values, which are read at one place. */
static void sort_few(struct sketch_count *v, size_t n, u64 sign)
{
	for (size_t i = 1; i < n; i++) {
		struct sketch_count c = v[i];
		size_t k = i;

		for (; k && (v[k - 1].value ^ sign) > (c.value ^ sign); k--)
			v[k] = v[k - 1];
		v[k] = c;
	}
}

/* Move the values from @from to @to, ordered by the byte at @shift. */
static void sort_by_byte(struct sketch_count *to, const struct sketch_count *from, size_t n,
			 unsigned int shift, u64 sign)
{
	u32 at[RADIX] = { 0 }, sum = 0;

	for (size_t i = 0; i < n; i++)
		at[(from[i].value ^ sign) >> shift & (RADIX - 1)]++;
	for (size_t b = 0; b < RADIX; b++) {
		u32 count = at[b];

		at[b] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[at[(from[i].value ^ sign) >> shift & (RADIX - 1)]++] = from[i];
}

/* Ascending, byte by byte where values differ. The result is in @v; @spare has as much room. */
static void sort_values(struct sketch_count *v, struct sketch_count *spare, size_t n, u64 sign)
{
	struct sketch_count *from = v, *to = spare;
	u64 differs = 0;

	for (size_t i = 0; i < n; i++)
		differs |= v[i].value ^ v[0].value;
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		if (!(differs >> shift & (RADIX - 1)))
			continue;
		sort_by_byte(to, from, n, shift, sign);
		from = to;
		to = from == v ? spare : v;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
}

int sketch_values(const struct sketch *s, struct sketch_count **values, size_t *n)
{
	/* with room to sort them */
	struct sketch_count *v = malloc((2 * (size_t)s->n_values + 1) * sizeof(*v));
	u64 sign = s->is_signed ? 1ull << 63 : 0;

	*values = v;
	*n = 0;
	if (!v)
		return HIST_NOMEM;
	if (!has_values(s) && s->n)
		v[(*n)++] = (struct sketch_count){ s->min, s->n };
	for (u32 i = 0; next_count(s, &i, &v[*n]);)
		++*n;
	if (s->dense)
		return 0;
	if (*n < FEW_VALUES)
		sort_few(v, *n, sign);
	else
		sort_values(v, v + *n, *n, sign);
	return 0;
}

static bool values_fit(const struct sketch *s, const struct sketch_count *values, size_t n)
{
	struct sketch_range r = { 0, 0 };
	u64 total = 0;

	for (size_t i = 0; i < n; i++) {
		if (!values[i].n || __builtin_add_overflow(total, values[i].n, &total))
			return false;
		if (i && !is_less(s, values[i - 1].value, values[i].value))
			return false;
		if (s->rounded && values[i].value != round_value(s, values[i].value))
			return false;
	}
	if (total != s->n || (!s->rounded && n > SKETCH_EXACT))
		return false;
	if (!n)
		return !s->rounded;
	r.min = s->rounded ? round_value(s, s->min) : s->min;
	r.max = s->rounded ? round_value(s, s->max) : s->max;
	return r.min == values[0].value && r.max == values[n - 1].value;
}

int sketch_restore(struct sketch *s, const struct sketch_count *values, size_t n)
{
	struct sketch sums = SKETCH_INIT(s->is_signed);
	int err = 0;

	/* values that are not rounded determine the sums */
	for (size_t i = 0; i < n && !s->rounded; i++)
		add_sums(&sums, values[i].value, values[i].n);
	s->table = NULL;
	s->dense = NULL;
	s->n_values = s->mask = 0;
	if (!values_fit(s, values, n) || (!s->rounded && !same_sums(&sums, s)))
		return -HIST_EFORMAT;
	/* room for all of them */
	s->n_values = (u32)n;
	if (n > 1)
		err = resize(s, s->max, s->n, s->rounded);
	s->n_values = 0;
	for (size_t i = 0; i < n && (s->rounded || n > 1) && !err; i++)
		err = count(s, values[i].value, values[i].n);
	return err;
}

double sketch_mean(const struct sketch *s)
{
	return s->n ? (double)(wide_to_double(&s->sum, s->is_signed) / (long double)s->n)
		    : (double)NAN;
}

double sketch_stddev(const struct sketch *s)
{
	struct wide n = wide_of(s->n, false), sum = s->sum, zero = { { 0 } }, m2, square;

	if (s->n < 2)
		return (double)NAN;
	if (s->is_signed && wide_is_negative(&sum)) {
		wide_sub(&zero, &sum);
		sum = zero;
	}
	/* n times the sum of the squared distances from the mean, exactly */
	m2 = wide_mul(&n, &s->sum2);
	square = wide_mul(&sum, &sum);
	wide_sub(&m2, &square);
	return (double)sqrtl(wide_to_double(&m2, false) / (long double)s->n /
			     (long double)(s->n - 1));
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
	if (is_less(s, r.min, s->min))
		r.min = s->min;
	if (is_less(s, s->max, r.max))
		r.max = s->max;
	return r;
}

u64 sketch_middle(struct sketch_range r)
{
	return r.min + (r.max - r.min) / 2;
}
