// SPDX-License-Identifier: LGPL-2.1-only
/* wide and sketch: exact sums, quantiles within their bounds, the same sum in any order. */
#include <math.h>

#include "unit.h"

#include "base/sketch.h"

/* --- wide --- */

static void check_decimal(const char *text, bool is_signed)
{
	struct strbuf sb = STRBUF_INIT;
	struct wide w;

	assert_true(wide_parse(span_of(text), is_signed, &w));
	wide_print(&w, is_signed, &sb);
	assert_string_equal(sb.s, text);
	strbuf_release(&sb);
}

static void wide_prints_decimal(void **state)
{
	static const char *const numbers[] = {
		"0",
		"9",
		"10",
		"18446744073709551615",
		"18446744073709551616",
		"340282366920938463463374607431768211456",
		"6277101735386680763835789423207666416102355444464034512895"
	};
	struct wide w;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
		check_decimal(numbers[i], false);
	check_decimal("-1", true);
	check_decimal("-340282366920938463463374607431768211455", true);
	assert_false(wide_parse(span_of(""), true, &w));
	assert_false(wide_parse(span_of("-"), true, &w));
	assert_false(wide_parse(span_of("-1"), false, &w));
	assert_false(wide_parse(span_of("1x"), false, &w));
	assert_false(wide_parse(
		span_of("11111111111111111111111111111111111111111111111111111111111111111111"
			"11111111111"),
		false, &w));
}

/* (2^64 - 1)^2 * (2^64 - 1), word by word and by the binomial theorem. */
static void wide_multiplies(void **state)
{
	struct wide max = wide_of(UINT64_MAX, false), square = wide_mul(&max, &max),
		    cube = wide_mul(&square, &max);
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	wide_print(&square, false, &sb);
	assert_string_equal(sb.s, "340282366920938463426481119284349108225");
	strbuf_reset(&sb);
	wide_print(&cube, false, &sb);
	assert_string_equal(sb.s, "6277101735386680762814942322444851025767571854389858533375");
	strbuf_release(&sb);
	wide_sub(&cube, &cube);
	assert_true(wide_to_double(&cube, false) == 0);
	assert_true(wide_to_double(&square, false) > 3.4e38L);
}

/* --- sketch --- */

static void check_quantile(const struct sketch *s, unsigned int permille, u64 min, u64 max)
{
	struct sketch_count *v;
	struct sketch_range r;
	size_t n;

	assert_int_equal(sketch_values(s, &v, &n), 0);
	r = sketch_quantile(s, v, n, permille);
	free(v);
	assert_int_equal(r.min, min);
	assert_int_equal(r.max, max);
}

static double stddev_of(const struct sketch *s)
{
	struct sketch_count *v;
	size_t n;
	double stddev;

	assert_int_equal(sketch_values(s, &v, &n), 0);
	stddev = sketch_moments(s, v, n).stddev;
	free(v);
	return stddev;
}

static void prints_nothing_without_samples(void **state)
{
	struct sketch s = SKETCH_INIT(false), other = SKETCH_INIT(false);

	(void)state;
	assert_int_equal(sketch_add(&s, 7, 0), 0);
	assert_int_equal(sketch_merge(&s, &other), 0);
	assert_int_equal(s.n, 0);
	assert_true(isnan(sketch_mean(&s)));
	assert_true(isnan(stddev_of(&s)));
	check_quantile(&s, 500, 0, 0);
	assert_int_equal(sketch_add(&s, 7, 1), 0);
	assert_true(sketch_mean(&s) == 7);
	assert_true(isnan(stddev_of(&s)));
	sketch_release(&s);
}

/* 2 4 4 4 5 5 7 9: the mean is 5, the sum of squared deviations is 32. */
static void small_samples_are_exact(void **state)
{
	static const u64 samples[] = { 9, 4, 2, 5, 4, 7, 4, 5 };
	struct sketch s = SKETCH_INIT(false);

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++)
		assert_int_equal(sketch_add(&s, samples[i], 1), 0);
	assert_int_equal(s.n, 8);
	assert_int_equal(s.min, 2);
	assert_int_equal(s.max, 9);
	assert_true(sketch_mean(&s) == 5);
	assert_true(fabs(stddev_of(&s) - sqrt(32.0 / 7)) < 1e-15);
	check_quantile(&s, 500, 4, 4);
	check_quantile(&s, 501, 5, 5);
	check_quantile(&s, 900, 9, 9);
	check_quantile(&s, 0, 2, 2);
	check_quantile(&s, 1000, 9, 9);
	assert_false(s.rounded);
	sketch_release(&s);
}

static void accepts_signs(void **state)
{
	struct sketch s = SKETCH_INIT(true);

	(void)state;
	assert_int_equal(sketch_add(&s, (u64)-3, 2), 0);
	assert_int_equal(sketch_add(&s, 5, 1), 0);
	assert_int_equal(sketch_add(&s, (u64)INT64_MIN, 1), 0);
	assert_int_equal(sketch_add(&s, INT64_MAX, 1), 0);
	assert_int_equal((s64)s.min, INT64_MIN);
	assert_int_equal((s64)s.max, INT64_MAX);
	check_quantile(&s, 200, (u64)INT64_MIN, (u64)INT64_MIN);
	check_quantile(&s, 600, (u64)-3, (u64)-3);
	check_quantile(&s, 800, 5, 5);
	/* -3 -3 5 -1; the last one from both ends of the range */
	assert_true(fabs(sketch_mean(&s) + 2.0 / 5) < 1e-15);
	sketch_release(&s);
}

/* No cancellation: the deviation of two adjacent numbers far from zero. */
static void keeps_deviations_of_large_numbers(void **state)
{
	struct sketch s = SKETCH_INIT(false);

	(void)state;
	assert_int_equal(sketch_add(&s, UINT64_MAX, 1), 0);
	assert_int_equal(sketch_add(&s, UINT64_MAX - 1, 1), 0);
	assert_true(fabs(stddev_of(&s) - sqrt(0.5)) < 1e-15);
	sketch_release(&s);
}

static void buckets_contain_rounded_values(void **state)
{
	static const u64 values[] = { 0,   1,   255, 256,        257,        511,
				      512, 515, 516, 1000000007, 1ull << 62, (1ull << 63) - 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		for (int sign = 0; sign < 2; sign++) {
			u64 v = sign ? 0 - values[i] : values[i];
			struct sketch_range r = sketch_bucket(v, sign);
			u64 width = r.max - r.min, off = sketch_middle(r) - v;

			if (off >> 63)
				off = 0 - off;
			assert_true((s64)r.min <= (s64)v && (s64)v <= (s64)r.max);
			assert_int_equal(sketch_bucket(r.min, sign).min, r.min);
			assert_int_equal(sketch_bucket(r.max, sign).min, r.min);
			assert_true(width <= values[i] / 128);
			assert_true((double)off <= (double)values[i] * SKETCH_ERROR);
		}
	}
	assert_int_equal(sketch_bucket(UINT64_MAX, false).max, UINT64_MAX);
	assert_int_equal(sketch_bucket((u64)INT64_MIN, true).min, (u64)INT64_MIN);
}

static u64 next_random(u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static int cmp_u64(const void *a, const void *b)
{
	u64 va = *(const u64 *)a, vb = *(const u64 *)b;

	return va < vb ? -1 : va > vb;
}

static void keeps_quantiles_within_the_bound(void **state)
{
	enum { N = 20000 };
	static u64 samples[N];
	struct sketch s = SKETCH_INIT(false);
	u64 seed = 88172645463325252ull;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		samples[i] = next_random(&seed) >> (next_random(&seed) % 60);
		assert_int_equal(sketch_add(&s, samples[i], 1), 0);
	}
	qsort(samples, N, sizeof(*samples), cmp_u64);
	assert_true(s.rounded);
	for (unsigned int permille = 1; permille <= 1000; permille++) {
		u64 truth = samples[N / 1000 * permille - 1];
		struct sketch_count *v;
		struct sketch_range r;
		size_t n;

		assert_int_equal(sketch_values(&s, &v, &n), 0);
		r = sketch_quantile(&s, v, n, permille);
		free(v);
		assert_true(r.min <= truth && truth <= r.max);
		assert_true(fabs((double)sketch_middle(r) - (double)truth) <=
			    (double)truth * SKETCH_ERROR);
	}
	assert_int_equal(s.min, samples[0]);
	assert_int_equal(s.max, samples[N - 1]);
	sketch_release(&s);
}

static void check_same(const struct sketch *a, const struct sketch *b)
{
	const struct sketch_sums sa = sketch_sums(a), sb = sketch_sums(b);
	struct sketch_count *va, *vb;
	size_t na, nb;

	assert_int_equal(a->n, b->n);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->rounded, b->rounded);
	assert_memory_equal(&sa, &sb, sizeof(sa));
	assert_int_equal(sketch_values(a, &va, &na), 0);
	assert_int_equal(sketch_values(b, &vb, &nb), 0);
	assert_int_equal(na, nb);
	assert_memory_equal(va, vb, na * sizeof(*va));
	free(va);
	free(vb);
	assert_true(sketch_equal(a, b));
}

static int cmp_counts(const void *a, const void *b)
{
	const struct sketch_count *x = a, *y = b;

	return (s64)x->value < (s64)y->value ? -1 : (s64)x->value > (s64)y->value;
}

/* Sort the values, and add up equal ones; returns how many remain. */
static size_t count_equal(struct sketch_count *v, size_t n)
{
	size_t to = 0;

	qsort(v, n, sizeof(*v), cmp_counts);
	for (size_t i = 1; i < n; i++) {
		if (v[to].value == v[i].value)
			v[to].n += v[i].n;
		else
			v[++to] = v[i];
	}
	return to + 1;
}

static void check_counts(const struct sketch *s, struct sketch_count *want, size_t n)
{
	struct sketch_count *got;
	size_t n_got;

	n = count_equal(want, n);
	assert_true(s->rounded == (n > SKETCH_EXACT));
	for (size_t i = 0; i < n && s->rounded; i++) {
		struct sketch_range r = sketch_bucket(want[i].value, true);

		want[i].value = (s64)r.min < 0 ? r.max : r.min;
	}
	n = count_equal(want, n);
	assert_int_equal(sketch_values(s, &got, &n_got), 0);
	assert_int_equal(n_got, n);
	assert_memory_equal(got, want, n * sizeof(*got));
	free(got);
}

/* Ranges of many sizes, some with values far away, negative ones, and large counts. */
static void counts_each_value(void **state)
{
	enum { N = 4000 };
	static struct sketch_count samples[N];
	u64 seed = 88172645463325252ull;

	(void)state;
	for (u32 round = 0; round < 300; round++) {
		struct sketch s = SKETCH_INIT(true);
		u32 n = 2 + (u32)(next_random(&seed) % (round % 3 ? 100 : N - 2));
		u32 far = round % 5 ? 0 : 50, many = round % 7 ? 0 : 60;

		for (u32 i = 0; i < n; i++) {
			u64 v = next_random(&seed) >> (51 + round % 13);
			bool is_far = far && !(next_random(&seed) % far);
			bool is_many = many && !(next_random(&seed) % many);

			samples[i].value = is_far ? (round % 2 ? v << 20 : 0 - v) : v;
			samples[i].n = is_many ? UINT32_MAX - v % 3 : 1;
			assert_int_equal(sketch_add(&s, samples[i].value, samples[i].n), 0);
		}
		check_counts(&s, samples, n);
		sketch_release(&s);
	}
}

/* n, min, max, the sum and the sum of squares are equal, but the values differ. */
static void distinguishes_equal_sums(void **state)
{
	static const u64 one[] = { 0, 1, 5, 6, 9 }, other[] = { 0, 2, 3, 7, 9 };
	struct sketch a = SKETCH_INIT(false), b = SKETCH_INIT(false);
	struct sketch_sums sums[2];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(one); i++) {
		assert_int_equal(sketch_add(&a, one[i], 1), 0);
		assert_int_equal(sketch_add(&b, other[i], 1), 0);
	}
	sums[0] = sketch_sums(&a);
	sums[1] = sketch_sums(&b);
	assert_memory_equal(&sums[0], &sums[1], sizeof(sums[0]));
	assert_false(sketch_equal(&a, &b));
	assert_false(sketch_equal(&b, &a));
	sketch_release(&a);
	sketch_release(&b);
}

/* The same samples one by one, and in random groups that are merged in random order. */
static void adds_up_in_any_order(void **state)
{
	enum { GROUPS = 7 };
	u64 seed = 4101842887655102017ull;

	(void)state;
	for (unsigned int round = 0; round < 200; round++) {
		bool is_signed = round & 1;
		struct sketch one = SKETCH_INIT(is_signed), groups[GROUPS];
		size_t n = next_random(&seed) % 3000, left = GROUPS;

		for (size_t g = 0; g < GROUPS; g++)
			groups[g] = (struct sketch)SKETCH_INIT(is_signed);
		for (size_t i = 0; i < n; i++) {
			u64 v = next_random(&seed) >> (round % 64), count = next_random(&seed) % 4;

			assert_int_equal(sketch_add(&one, v, count), 0);
			assert_int_equal(sketch_add(&groups[next_random(&seed) % GROUPS], v, count),
					 0);
		}
		while (left > 1) {
			size_t to = next_random(&seed) % left, from = next_random(&seed) % left;

			if (to == from)
				continue;
			assert_int_equal(sketch_merge(&groups[to], &groups[from]), 0);
			sketch_release(&groups[from]);
			groups[from] = groups[--left];
		}
		check_same(&one, &groups[0]);
		sketch_release(&one);
		sketch_release(&groups[0]);
	}
}

static void is_read_back_from_saved_results(void **state)
{
	(void)state;
	for (u64 n = 0; n < 3000; n += 137) {
		struct sketch s = SKETCH_INIT(true), copy;
		struct sketch_sums sums;
		struct sketch_count *v;
		size_t n_values;

		for (u64 i = 0; i < n; i++)
			assert_int_equal(sketch_add(&s, (i - 700) * 977, 1), 0);
		assert_int_equal(sketch_values(&s, &v, &n_values), 0);
		sums = sketch_sums(&s);
		copy = s;
		assert_int_equal(sketch_restore(&copy, &sums, v, n_values), 0);
		check_same(&s, &copy);
		sketch_release(&copy);
		sketch_release(&s);
		free(v);
	}
}

static void refuses_contradictions(void **state)
{
	struct sketch_count v[] = { { 3, 1 }, { 9, 2 } };
	struct sketch good = { .n = 3, .min = 3, .max = 9 };
	const struct sketch_sums good_sums = { .sum = { { 21 } }, .sum2 = { { 171 } } };
	struct sketch_sums sums = good_sums;
	struct sketch s;

	(void)state;
	s = good;
	assert_int_equal(sketch_restore(&s, &sums, v, 2), 0);
	sketch_release(&s);
	s = good;
	s.n = 4;
	assert_int_equal(sketch_restore(&s, &sums, v, 2), -HIST_EFORMAT);
	s = good;
	s.min = 2;
	assert_int_equal(sketch_restore(&s, &sums, v, 2), -HIST_EFORMAT);
	s = good;
	sums.sum.w[0]++;
	assert_int_equal(sketch_restore(&s, &sums, v, 2), -HIST_EFORMAT);
	s = good;
	sums = good_sums;
	sums.sum2.w[3] = 1;
	assert_int_equal(sketch_restore(&s, &sums, v, 2), -HIST_EFORMAT);
	sums = good_sums;
	v[0].value = 9;
	s = good;
	assert_int_equal(sketch_restore(&s, &sums, v, 2), -HIST_EFORMAT);
	v[0] = (struct sketch_count){ 3, UINT64_MAX };
	s = good;
	assert_int_equal(sketch_restore(&s, &sums, v, 2), -HIST_EFORMAT);
	s = (struct sketch){ .rounded = true, .n = 3, .min = 300, .max = 309 };
	v[0] = (struct sketch_count){ 301, 1 };
	v[1] = (struct sketch_count){ 308, 2 };
	assert_int_equal(sketch_restore(&s, &sums, v, 2), -HIST_EFORMAT);
	s.rounded = true;
	v[0].value = 300;
	assert_int_equal(sketch_restore(&s, &sums, v, 2), 0);
	sketch_release(&s);
}

static void word_contains_one_sample(void **state)
{
	static const u64 values[] = { 0, 7, UINT64_MAX, 1ull << 59, 0 - (1ull << 60) },
			 large[] = { 1ull << 60, 1ull << 63, INT64_MAX, 0 - (1ull << 60) - 1 };
	struct sketch space;
	u64 word = 0;

	(void)state;
	assert_int_equal(samples_view(word, true, &space)->n, 0);
	for (size_t i = 0; i < 2 * ARRAY_SIZE(values); i++) {
		assert_int_equal(samples_add(&word, values[i / 2], i & 1), 0);
		assert_null(samples_sketch(word));
		assert_ptr_equal(samples_view(word, i & 1, &space), &space);
		assert_int_equal(space.n, 1);
		assert_int_equal(space.min, values[i / 2]);
		assert_int_equal(space.max, values[i / 2]);
		assert_true(space.is_signed == (i & 1));
		samples_release(&word);
	}
	for (size_t i = 0; i < ARRAY_SIZE(large); i++) {
		assert_int_equal(samples_add(&word, large[i], false), 0);
		assert_non_null(samples_sketch(word));
		assert_int_equal(samples_view(word, false, &space)->max, large[i]);
		samples_release(&word);
	}
}

/* The samples of a group in a word and in a sketch; words are moved and shared. */
static void words_have_the_samples_of_sketches(void **state)
{
	enum { WORDS = 5 };
	u64 seed = 2685821657736338717ull;

	(void)state;
	for (unsigned int round = 0; round < 300; round++) {
		const bool is_signed = round & 1;
		struct sketch one = SKETCH_INIT(is_signed), space;
		u64 words[WORDS] = { 0 }, shared, all = 0;
		size_t n = next_random(&seed) % (round % 4 ? 8 : 3000);

		for (size_t i = 0; i < n; i++) {
			u64 v = next_random(&seed) >> (round % 64);

			assert_int_equal(sketch_add(&one, v, 1), 0);
			assert_int_equal(
				samples_add(&words[next_random(&seed) % WORDS], v, is_signed), 0);
		}
		for (size_t i = 0; i < WORDS; i++) {
			shared = samples_share(words[i]);
			assert_int_equal(
				samples_add_sketch(&all, samples_view(shared, is_signed, &space)),
				0);
			/* the other owner keeps what it had */
			assert_int_equal(samples_add(&shared, 1, is_signed), 0);
			samples_release(&shared);
			if (i)
				assert_int_equal(samples_move(&words[0], &words[i]), 0);
			assert_true(!i || !words[i]);
		}
		check_same(&one, samples_view(all, is_signed, &space));
		check_same(&one, samples_view(words[0], is_signed, &space));
		samples_release(&all);
		samples_release(&words[0]);
		sketch_release(&one);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(wide_prints_decimal),
		TEST(wide_multiplies),
		TEST(prints_nothing_without_samples),
		TEST(small_samples_are_exact),
		TEST(accepts_signs),
		TEST(keeps_deviations_of_large_numbers),
		TEST(buckets_contain_rounded_values),
		TEST(keeps_quantiles_within_the_bound),
		TEST(adds_up_in_any_order),
		TEST(counts_each_value),
		TEST(distinguishes_equal_sums),
		TEST(is_read_back_from_saved_results),
		TEST(refuses_contradictions),
		TEST(word_contains_one_sample),
		TEST(words_have_the_samples_of_sketches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
