// SPDX-License-Identifier: LGPL-2.1-only
/* The statistics of hist diff, compared with values computed by hand, and known properties. */
#include "unit.h"

#include <math.h>

#include "diff/diff.h"
#include "diff/noise.h"
#include "diff/order_stats.h"

static void assert_near(double got, double wanted, double by)
{
	if (fabs(got - wanted) <= by)
		return;
	fail_msg("got %.17g, wanted %.17g", got, wanted);
}

/* --- median --- */

static void medians(void **state)
{
	double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };

	(void)state;
	assert_near(stats_median(odd, 3), 3, 0);
	assert_near(stats_median(even, 4), 2.5, 0);
	assert_near(stats_median(one, 1), 7, 0);
	assert_true(isnan(stats_median(one, 0)));
}

/* --- the spread of a median --- */

static void spreads(void **state)
{
	double v[] = { 9, 1, 5, 3, 7, 2, 8, 4, 6 }, two[] = { 4, 2 };
	struct interval spread = stats_median_spread(v, 9);

	(void)state;
	/* the second and the eighth of nine: 1 - 2 * (1 + 9) / 512 */
	assert_near(spread.min, 2, 0);
	assert_near(spread.max, 8, 0);
	assert_near(stats_spread_level(9), 100 * (1 - 20.0 / 512), 1e-9);
	/* fewer than six do not reach 95 % */
	assert_near(stats_spread_level(5), 93.75, 1e-9);
	assert_near(stats_spread_level(6), 96.875, 1e-9);
	spread = stats_median_spread(two, 2);
	assert_near(spread.min, 2, 0);
	assert_near(spread.max, 4, 0);
	assert_near(stats_spread_level(2), 50, 1e-9);
	assert_false(interval_known(stats_median_spread(two, 1)));
	assert_near(stats_spread_level(100000), 95, 0.5);
}

/* --- change points --- */

static size_t change_of(const double *v, size_t n, size_t *at)
{
	struct change_series series = { .v = v }, *all = &series;
	size_t found;

	assert_int_equal(changes_find(&all, 1, n, 0.05), 0);
	found = series.changes.n;
	for (size_t i = 0; i < found && i < 2; i++)
		at[i] = series.changes.v[i].at;
	array_release(&series.changes);
	return found;
}

static void change_points(void **state)
{
	const double one[] = { 5, 6, 5.5, 5.2, 9, 9.5, 8.9, 9.1 },
		     none[] = { 5, 6, 5, 6, 5, 6, 5, 6 }, same[10] = { 0 };
	double two[30];
	struct change_series series = { .v = two }, *all = &series;
	size_t at[2] = { 0, 0 };

	(void)state;
	assert_int_equal(change_of(one, 8, at), 1);
	assert_int_equal(at[0], 4);
	assert_int_equal(change_of(one + 1, 7, at), 0); /* too few numbers */
	assert_int_equal(change_of(none, 8, at), 0);
	assert_int_equal(change_of(same, 10, at), 0);
	assert_int_equal(change_of(same, 0, at), 0);
	for (size_t i = 0; i < 30; i++)
		two[i] = (i < 10 ? 10 : i < 20 ? 30 : 20) + (double)(i * 7 % 5);
	assert_int_equal(change_of(two, 30, at), 2);
	assert_int_equal(at[0], 10);
	assert_int_equal(at[1], 20);
	two[4] = two[15] = NAN; /* runs without a value */
	assert_int_equal(change_of(two, 30, at), 2);
	assert_int_equal(at[0], 10);
	assert_int_equal(at[1], 20);
	assert_int_equal(changes_find(&all, 1, 30, 0.05), 0);
	/* the level between two changes is the median of the runs between them */
	assert_true(series.changes.v[0].before == 12 && series.changes.v[0].after == 32);
	assert_true(series.changes.v[1].before == 32 && series.changes.v[1].after == 22);
	array_release(&series.changes);
}

/* One step among 40 series of noise: the p of the step is that of all of them together. */
static void changes_of_many_series(void **state)
{
	enum { N = 40, RUNS = 15 };
	struct change_series series[N] = { 0 }, *all[N];
	static double v[N][RUNS];
	u64 x = 1;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		for (size_t run = 0; run < RUNS; run++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			v[i][run] = 100 + (double)(x >> 60) + (!i && run >= 10 ? 20 : 0);
		}
		series[i].v = v[i];
		all[i] = &series[i];
	}
	assert_int_equal(changes_find(all, N, RUNS, 0.03), 0);
	assert_int_equal(series[0].changes.n, 1);
	assert_int_equal(series[0].changes.v[0].at, 10);
	for (size_t i = 1; i < N; i++)
		assert_int_equal(series[i].changes.n, 0);
	array_release(&series[0].changes);
	/* of the noise alone, some series has a p below 0.05 when it is tested alone */
	assert_int_equal(changes_find(all + 1, N - 1, RUNS, 0.03), 0);
	for (size_t i = 1; i < N; i++)
		assert_int_equal(series[i].changes.n, 0);
	for (size_t i = 1; i < N; i++) {
		assert_int_equal(changes_find(all + i, 1, RUNS, 0.05), 0);
		x = i == 1 ? series[i].changes.n : x + series[i].changes.n;
		array_release(&series[i].changes);
	}
	assert_true(x > 0);
}

/* --- noise --- */

/* p of one of 60 numbers that differs by @relative, while the others differ by a thousandth or
 * less. */
static double p_of_difference(double relative, double chance)
{
	struct noise_pair pairs[60];
	struct noise noise;
	size_t tests;

	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		pairs[i] = (struct noise_pair){ .before = 1000 + (double)i,
						.after = 1000 + (double)i + (double)(i % 3) * 0.5,
						.chance = chance,
						.factor = 1,
						.first = true };
	pairs[0].after = pairs[0].before * (1 + relative);
	assert_int_equal(noise_test(pairs, ARRAY_SIZE(pairs), &noise, 1, &tests), 0);
	assert_int_equal(tests, ARRAY_SIZE(pairs));
	return pairs[0].p;
}

/*
 * The noise is 1 % at least, however alike the others are. With 3 degrees of freedom, 60 times p is
 * 0.26 at 8 times the noise, and 0.016 at 20 times.
 */
static void noise_floor(void **state)
{
	(void)state;
	assert_true(p_of_difference(0.08, 1e-9) > 0.05);
	assert_true(p_of_difference(0.22, 1e-9) < 0.05);
	assert_true(p_of_difference(-0.2, 1e-9) < 0.05);
}

/* --- Mann-Whitney test --- */

static double p_of(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double p, mirrored;

	assert_int_equal(stats_mann_whitney(a, n_a, b, n_b, &p), 0);
	assert_int_equal(stats_mann_whitney(b, n_b, a, n_a, &mirrored), 0);
	assert_near(p, mirrored, 1e-12);
	return p;
}

static void mann_whitney_apart(void **state)
{
	const double a[] = { 1, 2, 3, 4, 5 }, b[] = { 11, 12, 13, 14, 15 };

	(void)state;
	/*
	 * one assignment of C(6,3) = 20 is as extreme on each side; of C(8,4) = 70; of C(10,5) =
	 * 252
	 */
	assert_near(p_of(a, 3, b, 3), 2.0 / 20, 1e-12);
	assert_near(p_of(a, 4, b, 4), 2.0 / 70, 1e-12);
	assert_near(p_of(a, 5, b, 5), 2.0 / 252, 1e-12);
	assert_near(p_of(a, 2, b, 5), 2.0 / 21, 1e-12);
}

static void mann_whitney_mixed(void **state)
{
	const double a[] = { 1, 2, 4 }, b[] = { 3, 5, 6 }, c[] = { 1, 4, 5 }, d[] = { 2, 3, 6 };

	(void)state;
	/* rank sum 7; only {1,2,3} and {1,2,4} have at most this sum */
	assert_near(p_of(a, 3, b, 3), 4.0 / 20, 1e-12);
	/* rank sums 10 and 11: in the middle */
	assert_near(p_of(c, 3, d, 3), 1, 1e-12);
}

static void mann_whitney_ties(void **state)
{
	const double a[] = { 1, 1, 2 }, b[] = { 2, 3, 3 }, same[] = { 5, 5, 5, 5 };

	(void)state;
	/* ranks 1.5 1.5 3.5 | 3.5 5.5 5.5: two of 20 assignments have a sum of 6.5 or less */
	assert_near(p_of(a, 3, b, 3), 4.0 / 20, 1e-12);
	assert_near(p_of(same, 4, same, 4), 1, 0);
	assert_near(p_of(a, 0, b, 3), 1, 0);
}

static void mann_whitney_many(void **state)
{
	double a[40], b[40], shifted[40];

	(void)state;
	for (size_t i = 0; i < 40; i++) {
		a[i] = (double)(2 * i);
		b[i] = (double)(2 * i + 1);
		shifted[i] = (double)(2 * i + 1 + 1000);
	}
	/* U = 780 of 1600, mean 800, variance 40 * 40 * 81 / 12: z = 19.5 / 103.92 */
	assert_near(p_of(a, 40, b, 40), 0.8512, 0.0005);
	assert_true(p_of(a, 40, shifted, 40) < 1e-10);
	/* counted; the normal distribution gives 0.8302: z = 14.5 / 67.64 */
	assert_near(p_of(a, 30, b, 30), 0.8302, 0.005);
}

static void least_p(void **state)
{
	(void)state;
	assert_near(stats_least_p(1, 1), 1, 1e-12);
	assert_near(stats_least_p(3, 3), 0.1, 1e-12);
	assert_near(stats_least_p(4, 4), 2.0 / 70, 1e-12);
	assert_near(stats_least_p(5, 4), 2.0 / 126, 1e-12);
}

static void holm(void **state)
{
	double p[] = { 0.01, 0.04, 0.03, 0.005 }, large[] = { 0.6, 0.7 };

	(void)state;
	assert_int_equal(stats_holm(p, 4), 0);
	/* 4 * 0.005, 3 * 0.01, 2 * 0.03, then not less than the previous one */
	assert_near(p[3], 0.02, 1e-12);
	assert_near(p[0], 0.03, 1e-12);
	assert_near(p[2], 0.06, 1e-12);
	assert_near(p[1], 0.06, 1e-12);
	assert_int_equal(stats_holm(large, 2), 0);
	assert_near(large[0], 1, 0);
	assert_int_equal(stats_holm(p, 0), 0);
}

/* --- distributions --- */

static struct dist dist_of(const u64 *v, size_t n)
{
	struct dist d = DIST_INIT(false);

	for (size_t i = 0; i < n; i++)
		assert_int_equal(dist_add(&d, v[i], v[i], 1), 0);
	dist_finish(&d);
	return d;
}

static void assert_interval(struct interval got, double min, double max)
{
	assert_near(got.min, min, 1e-12);
	assert_near(got.max, max, 1e-12);
}

static void quantiles(void **state)
{
	struct dist d = DIST_INIT(false), none = DIST_INIT(false);

	(void)state;
	for (u64 i = 100; i > 0; i--)
		assert_int_equal(dist_add(&d, i, i, 1), 0);
	dist_finish(&d);
	dist_finish(&none);
	assert_interval(dist_quantile(&d, 500), 50, 50);
	assert_interval(dist_quantile(&d, 990), 99, 99);
	assert_interval(dist_quantile(&d, 999), 100, 100);
	assert_interval(dist_min(&d), 1, 1);
	assert_interval(dist_max(&d), 100, 100);
	assert_interval(d.mean, 50.5, 50.5);
	assert_false(interval_known(dist_quantile(&none, 500)));
	assert_false(interval_known(dist_ks(&d, &none)));
	assert_false(interval_known(dist_cliff(&none, &d)));
	dist_release(&d);
}

static void negative_numbers(void **state)
{
	struct dist d = DIST_INIT(true);

	(void)state;
	assert_int_equal(dist_add(&d, 3, 3, 1), 0);
	assert_int_equal(dist_add(&d, (u64)-5, (u64)-5, 2), 0);
	dist_finish(&d);
	assert_interval(dist_min(&d), -5, -5);
	assert_interval(dist_quantile(&d, 500), -5, -5);
	assert_interval(d.mean, -7.0 / 3, -7.0 / 3);
	dist_release(&d);
}

static void effects_by_hand(void **state)
{
	const u64 va[] = { 1, 2, 3, 4 }, vb[] = { 3, 4, 5, 6, 7 };
	struct dist a = dist_of(va, 4), b = dist_of(vb, 5);

	(void)state;
	/* at 2: 2/4 and 0/5; at 4: 4/4 and 2/5 */
	assert_interval(dist_ks(&a, &b), 0.6, 0.6);
	/* in 17 of 20 pairs b is greater (2+3+4+4+4), in 1 smaller, in 2 equal */
	assert_interval(dist_cliff(&a, &b), (17 - 1) / 20.0, (17 - 1) / 20.0);
	assert_interval(dist_cliff(&b, &a), -16 / 20.0, -16 / 20.0);
	dist_release(&a);
	dist_release(&b);
}

static void same_and_shifted(void **state)
{
	struct dist a = DIST_INIT(false), shifted = DIST_INIT(false), scaled = DIST_INIT(false);

	(void)state;
	for (u64 i = 0; i < 1000; i++) {
		u64 v = i * i % 997;

		assert_int_equal(dist_add(&a, v, v, 1), 0);
		assert_int_equal(dist_add(&shifted, v + 2000, v + 2000, 1), 0);
		assert_int_equal(dist_add(&scaled, v, v, 3), 0);
	}
	dist_finish(&a);
	dist_finish(&shifted);
	dist_finish(&scaled);
	assert_interval(dist_shift(&a, &a), 0, 0);
	assert_interval(dist_ks(&a, &a), 0, 0);
	assert_interval(dist_cliff(&a, &a), 0, 0);
	assert_interval(dist_shift(&a, &shifted), 2000, 2000);
	assert_interval(dist_ks(&a, &shifted), 1, 1);
	assert_interval(dist_cliff(&a, &shifted), 1, 1);
	/* three times as many of each: the same distribution */
	assert_interval(dist_shift(&a, &scaled), 0, 0);
	assert_interval(dist_ks(&a, &scaled), 0, 0);
	assert_interval(dist_cliff(&a, &scaled), 0, 0);
	dist_release(&a);
	dist_release(&shifted);
	dist_release(&scaled);
}

/* Whatever the values in the buckets are, the range contains the true result. */
static void buckets_contain_the_result(void **state)
{
	struct dist a = DIST_INIT(false), b = DIST_INIT(false), wide_a = DIST_INIT(false),
		    wide_b = DIST_INIT(false);
	struct interval exact, wide;

	(void)state;
	for (u64 i = 0; i < 500; i++) {
		u64 va = i * 7 % 301, vb = i * 11 % 353 + 20;

		assert_int_equal(dist_add(&a, va, va, 1), 0);
		assert_int_equal(dist_add(&b, vb, vb, 1), 0);
		assert_int_equal(dist_add(&wide_a, va / 16 * 16, va / 16 * 16 + 15, 1), 0);
		assert_int_equal(dist_add(&wide_b, vb / 16 * 16, vb / 16 * 16 + 15, 1), 0);
	}
	dist_finish(&a);
	dist_finish(&b);
	dist_finish(&wide_a);
	dist_finish(&wide_b);
	for (unsigned int q = 100; q < 1000; q += 100) {
		exact = dist_quantile(&a, q);
		wide = dist_quantile(&wide_a, q);
		assert_true(wide.min <= exact.min && exact.max <= wide.max);
	}
	exact = dist_ks(&a, &b);
	wide = dist_ks(&wide_a, &wide_b);
	assert_true(exact.min == exact.max && wide.min <= exact.min && exact.max <= wide.max);
	assert_true(wide.max - wide.min < 0.2);
	exact = dist_cliff(&a, &b);
	wide = dist_cliff(&wide_a, &wide_b);
	assert_true(exact.min == exact.max && wide.min <= exact.min && exact.max <= wide.max);
	exact = dist_shift(&a, &b);
	wide = dist_shift(&wide_a, &wide_b);
	assert_true(wide.min <= exact.min && exact.max <= wide.max);
	assert_true(wide_a.mean.min <= a.mean.min && a.mean.max <= wide_a.mean.max);
	dist_release(&a);
	dist_release(&b);
	dist_release(&wide_a);
	dist_release(&wide_b);
}

static void of_a_sketch(void **state)
{
	struct sketch s = SKETCH_INIT(false);
	struct dist d = DIST_INIT(false);
	struct interval p50;

	(void)state;
	for (u64 i = 1; i <= 5000; i++)
		assert_int_equal(sketch_add(&s, i * 1000, 1), 0);
	assert_true(s.rounded);
	assert_int_equal(dist_add_sketch(&d, &s), 0);
	dist_finish(&d);
	p50 = dist_quantile(&d, 500);
	assert_true(p50.min <= 2500000 && 2500000 <= p50.max && p50.max - p50.min < 2500000 / 64.0);
	assert_interval(d.mean, 2500500, 2500500);
	assert_interval(dist_max(&d), 5000000, 5000000);
	assert_interval(dist_min(&d), 1000, 1000);
	assert_int_equal(d.n, 5000);
	dist_release(&d);
	sketch_release(&s);
}

/* --- intervals --- */

static void percents(void **state)
{
	const struct interval zero = interval_of(0), ten = interval_of(10), r = { 8, 12 },
			      around = { -1, 1 };

	(void)state;
	assert_interval(interval_percent(interval_of(15), ten), 50, 50);
	assert_interval(interval_percent(interval_of(-5), interval_of(-10)), 50, 50);
	assert_interval(interval_percent(zero, zero), 0, 0);
	assert_true(interval_percent(ten, zero).min == HUGE_VAL);
	assert_interval(interval_percent(r, ten), -20, 20);
	assert_interval(interval_percent(ten, r), -100.0 / 6, 25);
	assert_true(interval_percent(ten, around).max == HUGE_VAL);
	assert_interval(interval_sub(r, ten), -2, 2);
	assert_false(interval_known(interval_percent(INTERVAL_NONE, ten)));
}

/* --- --fail-on --- */

static struct arena arena;

static struct fail_on parsed(const char *text)
{
	struct diags diags = DIAGS_INIT;
	struct fail_on e;

	assert_int_equal(fail_on_parse(text, &e, &arena, &diags), 0);
	assert_int_equal(diags.list.n, 0);
	diags_release(&diags);
	return e;
}

static void fail_on_accepted(void **state)
{
	struct fail_on e = parsed("p99>+10%");

	(void)state;
	assert_null(e.glob);
	assert_string_equal(e.metric, "p99");
	assert_true(e.greater);
	assert_near(e.limit, 10, 0);
	assert_int_equal(e.unit, FAIL_ON_PERCENT);
	e = parsed("kworker/0:1*:hitcount < -2.5");
	assert_string_equal(e.glob, "kworker/0:1*");
	assert_string_equal(e.metric, "hitcount");
	assert_false(e.greater);
	assert_near(e.limit, -2.5, 1e-12);
	assert_int_equal(e.unit, FAIL_ON_PLAIN);
	e = parsed("<idle>,3:lat.max>+50us");
	assert_string_equal(e.glob, "<idle>,3");
	assert_string_equal(e.metric, "lat.max");
	assert_near(e.limit, 50000, 0);
	assert_int_equal(e.unit, FAIL_ON_TIME);
	assert_near(parsed("max>+1s").limit, 1e9, 0);
	assert_near(parsed("max>-1ms").limit, -1e6, 0);
	assert_near(parsed("max>+1ns").limit, 1, 0);
	arena_release(&arena);
}

static void fail_on_refused(void **state)
{
	static const char *const wrong[] = {
		"",           "p99",        "p99>10%",  "p99>+",    "p99>+%",
		">+10%",      "a:>+1",      "p99>+10x", "p99>+1e3", "p99=+10",
		"p99>+1.2.3", "p99>+10 %%", "p99+10%",  "p99>+inf",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct diags diags = DIAGS_INIT;
		struct fail_on e;

		if (fail_on_parse(wrong[i], &e, &arena, &diags) != -HIST_EINVAL)
			fail_msg("'%s' was accepted", wrong[i]);
		assert_int_equal(diags.list.n, 1);
		diags_release(&diags);
	}
	arena_release(&arena);
}

/* --- equivalent triggers --- */

static bool same_meaning(const char *a, const char *b)
{
	struct strbuf ma = STRBUF_INIT, mb = STRBUF_INIT;
	bool same;

	assert_int_equal(trigger_meaning(a, &ma), 0);
	assert_int_equal(trigger_meaning(b, &mb), 0);
	same = !strcmp(ma.s, mb.s);
	strbuf_release(&ma);
	strbuf_release(&mb);
	return same;
}

static void meanings(void **state)
{
	(void)state;
	assert_true(same_meaning("hist:keys=pid:vals=hitcount:sort=hitcount:size=2048",
				 "hist:keys=pid:vals=hitcount:sort=pid.descending:size=4096"));
	assert_true(same_meaning("hist:name=a:keys=pid:clock=global",
				 "hist:name=b:keys=pid:clock=local"));
	assert_true(same_meaning("hist:keys=pid:ts0=common_timestamp.usecs",
				 "hist:keys=pid:t=common_timestamp.usecs"));
	assert_true(same_meaning("hist:keys=a:l=common_timestamp-$ts0:onmatch(s.e).lat($l,a)",
				 "hist:keys=a:d=common_timestamp-$x:onmatch(s.e).lat($d,a)"));
	assert_false(same_meaning("hist:keys=a:l=common_timestamp-$ts0:onmatch(s.e).lat($l,a)",
				  "hist:keys=a:l=common_timestamp-$ts0:onmatch(s.e).lat($ts0,a)"));
	assert_false(same_meaning("hist:keys=pid", "hist:keys=comm"));
	assert_false(same_meaning("hist:keys=pid", "hist:keys=pid if prio > 3"));
	assert_false(same_meaning("hist:keys=pid if comm == \"a:size=1\"",
				  "hist:keys=pid if comm == \"a:size=2\""));
	assert_true(same_meaning("", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(medians),
		TEST(spreads),
		TEST(change_points),
		TEST(changes_of_many_series),
		TEST(noise_floor),
		TEST(mann_whitney_apart),
		TEST(mann_whitney_mixed),
		TEST(mann_whitney_ties),
		TEST(mann_whitney_many),
		TEST(least_p),
		TEST(holm),
		TEST(quantiles),
		TEST(negative_numbers),
		TEST(effects_by_hand),
		TEST(same_and_shifted),
		TEST(buckets_contain_the_result),
		TEST(of_a_sketch),
		TEST(percents),
		TEST(fail_on_accepted),
		TEST(fail_on_refused),
		TEST(meanings),
	};

	return cmocka_run_group_tests_name("diff_stats", tests, NULL, NULL);
}
