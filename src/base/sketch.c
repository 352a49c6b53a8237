// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sketches. The values are in a hash table with linear probing, at most half full; a count of 0 is
 * a free slot. Values next to each other share a cache line, because most samples of a row are
 * near others, and waiting for memory takes longer than everything else. For the same reason, small
 * values are indices of an array instead, if that takes no more memory than the table. One or two
 * values need neither.
 */
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

	return s->is_signed && v >> 63 ? UINT64_MAX : ((u64)width << SKETCH_BITS) + (v >> width);
}

static inline u64 value_at(const struct sketch *s, u32 i)
{
	u32 width = s->rounded && i >= 2u << SKETCH_BITS ? (i >> SKETCH_BITS) - 1 : 0;

	return (u64)(i - (width << SKETCH_BITS)) << width;
}

void sketch_prefetch(const struct sketch *s, u64 v)
{
	if (s->is_dense)
		__builtin_prefetch(&s->dense[(s->rounded ? index_of(s, v) : v) & s->mask], 1);
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

static bool has_table(const struct sketch *s)
{
	return s->table;
}

/* At most as many values occur. */
static u32 most_values(const struct sketch *s)
{
	return has_table(s) ? s->n_values : 2;
}

static inline u32 skip_free(const struct sketch *s, u32 i, u32 end)
{
	if (s->is_dense)
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
	u32 end = s->mask + 1, i;

	if (!has_table(s)) {
		*c = *at ? (struct sketch_count){ s->max, s->n_max }
			 : (struct sketch_count){ s->min, s->n - s->n_max };
		return (*at)++ < 2 && c->n;
	}
	i = skip_free(s, *at, end);
	*at = i + 1;
	if (i >= end)
		return false;
	*c = s->is_dense ? (struct sketch_count){ value_at(s, i), s->dense[i] } : s->table[i];
	return true;
}

static void put(struct sketch *s, u64 v, u64 count)
{
	struct sketch_count *c;
	u32 *n;

	if (s->is_dense) {
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

/* --- sums --- */

struct sketch_sums sketch_sums(const struct sketch *s)
{
	struct sketch_sums sums = { .sum = { { 0 } } };
	struct sketch_count c;

	if (s->sums)
		return *s->sums;
	for (u32 i = 0; next_count(s, &i, &c);)
		sketch_sums_add(&sums, c.value, c.n, s->is_signed);
	return sums;
}

/* Before the values do not determine the sums any more. */
static int keep_sums(struct sketch *s)
{
	struct sketch_sums *sums = s->sums ?: malloc(sizeof(*sums));

	if (sums && !s->sums)
		*sums = sketch_sums(s);
	s->sums = sums;
	return sums ? 0 : HIST_NOMEM;
}

/* --- the size of the table --- */

/* The same counts, rounded if ->rounded of @to is set, in @to, which is empty. */
static int rebuild(struct sketch *s, const struct sketch *to)
{
	const struct sketch old = *s;
	struct sketch_count c;

	if (!has_table(to))
		return HIST_NOMEM;
	s->table = to->table;
	s->is_dense = to->is_dense;
	s->mask = to->mask;
	s->rounded = to->rounded;
	s->n_values = 0;
	for (u32 i = 0; next_count(&old, &i, &c);)
		put(s, c.value, c.n);
	free(old.table);
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

/* Room for @n_values and @more, and all values rounded if @rounded. */
static int resize(struct sketch *s, size_t n_values, struct sketch_count more, bool rounded)
{
	struct sketch to = { .is_signed = s->is_signed, .rounded = rounded };
	u32 size = FIRST_SIZE, dense;
	int err = rounded ? keep_sums(s) : 0;

	if (err)
		return err;
	while (n_values >= (size - 1) / 2)
		size *= 2;
	dense = dense_size(s, &to, more, DENSE * size);
	to.mask = (dense ? dense : size) - 1;
	to.is_dense = dense;
	if (dense)
		to.dense = calloc(dense, sizeof(*to.dense));
	else
		to.table = aligned_alloc(CACHE_LINE, size * sizeof(*to.table));
	if (to.table && !dense)
		memset(to.table, 0, size * sizeof(*to.table));
	return rebuild(s, &to);
}

static bool has_room(const struct sketch *s, u64 v, u64 n)
{
	u64 i = index_of(s, v);

	if (s->is_dense)
		return i <= s->mask && n <= UINT32_MAX - s->dense[i];
	return has_table(s) && s->n_values < s->mask / 2;
}

/* Values are rounded when there are too many. */
static int limit_values(struct sketch *s)
{
	const struct sketch_count none = { 0, 0 };

	return has_table(s) && !s->rounded && s->n_values > SKETCH_EXACT
		       ? resize(s, s->n_values, none, true)
		       : 0;
}

/* Without a table, if @v is one of two values; false: a table is needed. */
static bool count_in_place(struct sketch *s, u64 v, u64 n)
{
	if (has_table(s) || s->rounded || n > UINT64_MAX - s->n)
		return false;
	if (!s->n || v == s->min)
		return true;
	if (s->min == s->max)
		s->n_max = sketch_is_less(s, v, s->min) ? s->n : n;
	else if (v == s->max)
		s->n_max += n;
	else
		return false;
	return true;
}

/* Before ->n, ->min and ->max change. */
static int count(struct sketch *s, u64 v, u64 n)
{
	const struct sketch_count more = { v, n };
	int err = 0;

	if (count_in_place(s, v, n))
		return 0;
	if (!has_room(s, v, n))
		err = resize(s, most_values(s), more, s->rounded);
	if (!err)
		put(s, v, n);
	return err;
}

/* --- adding --- */

static void extend(struct sketch *s, u64 min, u64 max)
{
	s->min = !s->n || sketch_is_less(s, min, s->min) ? min : s->min;
	s->max = !s->n || sketch_is_less(s, s->max, max) ? max : s->max;
}

static __attribute__((noinline)) int add_slowly(struct sketch *s, u64 v, u64 n)
{
	int err = 0;

	if (!n)
		return 0;
	if (n > UINT64_MAX - s->n)
		err = keep_sums(s);
	err = err ?: count(s, v, n);
	if (err)
		return err;
	if (s->sums)
		sketch_sums_add(s->sums, v, n, s->is_signed);
	extend(s, v, v);
	s->n += n;
	return limit_values(s);
}

/* One more of a value that occurred already. */
static inline bool add_known(struct sketch *s, u64 v, u64 n)
{
	struct sketch_count *c;

	if (s->is_dense) {
		u64 i = index_of(s, v);

		if (unlikely(i > s->mask || !s->dense[i] || n > UINT32_MAX - s->dense[i]))
			return false;
		s->dense[i] += (u32)n;
		return true;
	}
	c = has_table(s) ? find(s, unlikely(s->rounded) ? round_value(s, v) : v) : NULL;
	if (unlikely(!c || !c->n))
		return false;
	c->n += n;
	return true;
}

int sketch_add(struct sketch *s, u64 v, u64 n)
{
	if (likely(s->is_dense && !s->sums)) {
		/* exact: a value is its index */
		if (unlikely(v > s->mask || !s->dense[v] || n > UINT32_MAX - s->dense[v]))
			return add_slowly(s, v, n);
		s->dense[v] += (u32)n;
		s->n += n;
		return 0;
	}
	if (unlikely(!n || n > UINT64_MAX - s->n || !add_known(s, v, n)))
		return add_slowly(s, v, n);
	if (unlikely(s->sums)) {
		sketch_sums_add(s->sums, v, n, s->is_signed);
		extend(s, v, v);
	}
	s->n += n;
	return 0;
}

/* The counts of @from, for an empty sketch. */
static int copy_counts(struct sketch *to, const struct sketch *from)
{
	const size_t size = (from->mask + (size_t)1) *
			    (from->is_dense ? sizeof(*to->dense) : sizeof(*to->table));

	to->rounded = from->rounded;
	to->is_dense = from->is_dense;
	to->n_values = from->n_values;
	to->mask = from->mask;
	to->table = from->is_dense ? malloc(size) : aligned_alloc(CACHE_LINE, size);
	if (to->table)
		memcpy(to->table, from->table, size);
	return to->table ? 0 : HIST_NOMEM;
}

static int merge_counts(struct sketch *to, const struct sketch *from)
{
	struct sketch_count c = { 0, 0 };
	bool fits;
	int err = 0;

	if (!to->n && has_table(from) && !has_table(to) && !to->rounded)
		return copy_counts(to, from);
	if (from->rounded && !to->rounded)
		err = resize(to, most_values(to), c, true);
	fits = !err && to->is_dense && index_of(to, from->min) <= to->mask &&
	       index_of(to, from->max) <= to->mask && to->n <= UINT32_MAX / 2 &&
	       from->n <= UINT32_MAX / 2;
	for (u32 i = 0; fits && next_count(from, &i, &c);)
		put(to, c.value, c.n);
	for (u32 i = 0; !fits && !err && next_count(from, &i, &c);) {
		err = count(to, c.value, c.n);
		/* a table does not depend on them */
		if (!has_table(to)) {
			extend(to, c.value, c.value);
			to->n += c.n;
		}
	}
	return err;
}

static int merge_sums(struct sketch *to, const struct sketch *from)
{
	struct sketch_sums more = sketch_sums(from);
	int err = keep_sums(to);

	if (err)
		return err;
	wide_add(&to->sums->sum, &more.sum);
	wide_add(&to->sums->sum2, &more.sum2);
	return 0;
}

int sketch_merge(struct sketch *to, const struct sketch *from)
{
	const u64 n = to->n;
	int err = 0;

	if (!from->n)
		return 0;
	if (to->sums || from->sums || from->n > UINT64_MAX - n)
		err = merge_sums(to, from);
	err = err ?: merge_counts(to, from);
	if (err)
		return err;
	to->n = n;
	extend(to, from->min, from->max);
	to->n = add_saturated(n, from->n);
	return limit_values(to);
}

void sketch_release(struct sketch *s)
{
	free(s->table);
	free(s->sums);
	*s = (struct sketch)SKETCH_INIT(s->is_signed);
}

static bool same_sums(const struct sketch_sums *a, const struct sketch_sums *b)
{
	return !memcmp(&a->sum, &b->sum, sizeof(a->sum)) &&
	       !memcmp(&a->sum2, &b->sum2, sizeof(a->sum2));
}

static u64 count_of(const struct sketch *s, u64 v)
{
	u64 at = s->is_dense ? index_of(s, v) : 0;

	if (!has_table(s))
		return v == s->min ? s->n - s->n_max : v == s->max ? s->n_max : 0;
	return !s->is_dense ? find(s, v)->n : at <= s->mask ? s->dense[at] : 0;
}

bool sketch_equal(const struct sketch *a, const struct sketch *b)
{
	struct sketch_count c;

	if (a->is_signed != b->is_signed || a->rounded != b->rounded || a->n != b->n ||
	    a->min != b->min || a->max != b->max || !a->sums != !b->sums)
		return false;
	for (u32 i = 0; next_count(a, &i, &c);)
		if (count_of(b, c.value) != c.n)
			return false;
	return !a->sums || same_sums(a->sums, b->sums);
}

/* --- values --- */

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
	struct sketch_count *v = malloc((2 * (size_t)most_values(s) + 1) * sizeof(*v));
	u64 sign = s->is_signed ? 1ull << 63 : 0;

	*values = v;
	*n = 0;
	if (!v)
		return HIST_NOMEM;
	for (u32 i = 0; next_count(s, &i, &v[*n]);)
		++*n;
	if (s->is_dense)
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
		if (i && !sketch_is_less(s, values[i - 1].value, values[i].value))
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

int sketch_restore(struct sketch *s, const struct sketch_sums *sums,
		   const struct sketch_count *values, size_t n)
{
	const u64 total = s->n;
	struct sketch_sums own = { .sum = { { 0 } } };
	int err = 0;

	/* values that are not rounded determine the sums */
	for (size_t i = 0; i < n && !s->rounded; i++)
		sketch_sums_add(&own, values[i].value, values[i].n, s->is_signed);
	s->table = NULL;
	s->sums = NULL;
	s->is_dense = false;
	s->n_max = n == 2 ? values[1].n : 0;
	if (!values_fit(s, values, n) || (!s->rounded && !same_sums(&own, sums)))
		return -HIST_EFORMAT;
	if (!s->rounded && n <= 2)
		return 0;
	s->n = s->n_max = 0;
	/* room for all of them */
	err = resize(s, n, (struct sketch_count){ s->max, total }, s->rounded);
	for (size_t i = 0; i < n && !err; i++)
		err = count(s, values[i].value, values[i].n);
	s->n = total;
	if (s->sums)
		*s->sums = *sums;
	return err;
}
