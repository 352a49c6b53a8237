// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The tests of many numbers together, compared with values that tests/unit/diff_family.py computed
 * without them, and with properties that such tests have.
 */
#include "unit.h"

#include <math.h>

#include "diff/noise.h"
#include "diff/predict.h"
#include "diff/relabel.h"
#include "diff_family.h"

static void assert_near(double got, double wanted, double by)
{
	if (fabs(got - wanted) > by)
		fail_msg("got %.17g, wanted %.17g", got, wanted);
}

static void test_one(const double *v, size_t n_a, size_t n_b, double wanted)
{
	struct trial t = { .v = v };

	assert_int_equal(relabel_test(&t, 1, n_a, n_b), 0);
	assert_near(t.p, wanted, 1e-12);
}

/* Counted by hand. */
static void one_number(void **state)
{
	const double apart[] = { 1, 2, 3, 4, 11, 12, 13, 14 }, same[8] = { 5, 5, 5, 5, 5, 5, 5, 5 },
		     last[] = { 1, 2, 3, 4, 99 };

	(void)state;
	test_one(apart, 4, 4, 2.0 / 70);
	test_one(apart, 3, 3, 2.0 / 20); /* 1 2 3 | 4 11 12 */
	test_one(same, 4, 4, 1);
	test_one(last, 4, 1, 1.0 / 5);
	test_one(same, 1, 1, 1);
}

/* Each table is p of rows of MADE_RUNS numbers, in diff_family.h. */
static void as_computed_elsewhere(void **state)
{
	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(made); k++) {
		const struct made *m = &made[k];
		struct trial t[MADE_ROWS] = { { .v = NULL } };

		for (size_t i = 0; i < m->rows; i++)
			t[i] = (struct trial){ .v = m->v[i], .floor = m->floor };
		assert_int_equal(relabel_test(t, m->rows, m->n_a, m->n_b), 0);
		for (size_t i = 0; i < m->rows; i++)
			assert_near(t[i].p, m->p[i], 1e-9);
	}
}

/* Numbers that are given several times, or cannot be the largest, change nothing. */
static void repeated_numbers(void **state)
{
	const struct made *m = &made[0];
	struct trial once[MADE_ROWS] = { { .v = NULL } }, more[1000] = { { .v = NULL } };
	const double constant[32] = { 0 };

	(void)state;
	for (size_t i = 0; i < m->rows; i++)
		once[i] = (struct trial){ .v = m->v[i], .floor = m->floor };
	for (size_t i = 0; i < 1000; i++)
		more[i] = i % 5 ? once[i % m->rows] : (struct trial){ .v = constant };
	assert_int_equal(relabel_test(once, m->rows, m->n_a, m->n_b), 0);
	assert_int_equal(relabel_test(more, 1000, m->n_a, m->n_b), 0);
	for (size_t i = 0; i < 1000; i++)
		assert_near(more[i].p, i % 5 ? once[i % m->rows].p : 1, 1e-12);
}

static double next(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/*
 * Runs that are alike: of 400 comparisons of 60 numbers with heavy tails, some rare, all dependent,
 * about 5 % are significant at 0.05. 10 against 10 uses random divisions.
 */
static void false_alarms(void **state)
{
	static const size_t sizes[] = { 4, 6, 10 };
	u64 seed = 7;

	(void)state;
	for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
		const size_t n = sizes[s];
		size_t alarms = 0;

		for (int draw = 0; draw < 400; draw++) {
			static double v[60][20];
			struct trial t[60];
			double least = 1, machine[20];

			for (size_t run = 0; run < 2 * n; run++)
				machine[run] = 1 / (0.1 + next(&seed));
			for (size_t i = 0; i < 60; i++) {
				for (size_t run = 0; run < 2 * n; run++)
					v[i][run] = i < 20 && next(&seed) < 0.8
							    ? 0
							    : machine[run] / (0.05 + next(&seed));
				t[i] = (struct trial){ .v = v[i], .floor = 0.01 };
			}
			assert_int_equal(relabel_test(t, 60, n, n), 0);
			for (size_t i = 0; i < 60; i++)
				least = fmin(least, t[i].p);
			alarms += least <= 0.05;
		}
		/* the mean is at most 20, the standard deviation 4.4 */
		if (alarms > 33)
			fail_msg("%zu alarms of 400 with %zu runs a side", alarms, n);
	}
}

/* Student's t of 4 against 4 runs, transformed as relabel.h says: r, times a constant. */
static double plain_sum(const double *v, unsigned int side, double floor)
{
	double mean = 0, squares = 0, sum = 0;

	for (size_t i = 0; i < 8; i++)
		mean += v[i] / 8;
	for (size_t i = 0; i < 8; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	squares += 8 * mean * mean * floor;
	for (size_t i = 0; i < 8; i++)
		sum += side >> i & 1 ? v[i] - mean : 0;
	return squares > 0 ? fabs(sum) / sqrt(squares) : 0;
}

/* Of many numbers, most of them of rows that few runs have, none is left out that could be largest.
 */
static void many_rare_numbers(void **state)
{
	enum { ROWS = 300 };
	static double v[ROWS][8];
	struct trial t[ROWS];
	u64 seed = 3;

	(void)state;
	for (int draw = 0; draw < 20; draw++) {
		double largest[70];
		size_t n = 0;

		for (size_t i = 0; i < ROWS; i++) {
			for (size_t run = 0; run < 8; run++)
				v[i][run] = next(&seed) * 8 < (double)(i % 8)
						    ? 0
						    : 1 + next(&seed) * (double)(i % 3);
			t[i] = (struct trial){ .v = v[i], .floor = 2 + (double)(i % 5) / 4 };
		}
		t[5].floor = 0.01;
		assert_int_equal(relabel_test(t, ROWS, 4, 4), 0);
		for (unsigned int side = 0; side < 256; side++) {
			if (__builtin_popcount(side) != 4)
				continue;
			largest[n] = 0;
			for (size_t i = 0; i < ROWS; i++)
				largest[n] = fmax(largest[n], plain_sum(v[i], side, t[i].floor));
			n++;
		}
		assert_int_equal(n, 70);
		for (size_t i = 0; i < ROWS; i++) {
			double true_sum = plain_sum(v[i], 0x0f, t[i].floor), as_large = 0;

			for (size_t k = 0; k < n; k++)
				as_large += largest[k] >= true_sum * (1 - 1e-9);
			assert_near(t[i].p, as_large / 70, 1e-12);
		}
	}
}

static void smallest_p(void **state)
{
	(void)state;
	assert_near(relabel_least_p(4, 4), 2.0 / 70, 1e-12);
	assert_near(relabel_least_p(3, 3), 2.0 / 20, 1e-12);
	assert_near(relabel_least_p(6, 6), 2.0 / 924, 1e-12);
	assert_near(relabel_least_p(1, 19), 1.0 / 20, 1e-12);
	assert_near(relabel_least_p(10, 10), 1.0 / 2000, 1e-12);
	assert_near(relabel_least_p(0, 3), 1, 0);
}

/* --- single runs --- */

/* Quantiles of a printed table of Student's t, two-sided. */
static void student(void **state)
{
	(void)state;
	assert_near(noise_student(0, 3), 1, 1e-12);
	assert_near(noise_student(2.353, 3), 0.10, 5e-5);
	assert_near(noise_student(-3.182, 3), 0.05, 5e-5);
	assert_near(noise_student(5.841, 3), 0.01, 5e-6);
	assert_near(noise_student(12.924, 3), 0.001, 5e-7);
	assert_near(noise_student(1000, 3) / noise_student(2000, 3), 8, 0.01);
	/* both forms where they meet */
	assert_near(noise_student(1732.0, 3) / noise_student(1732.1, 3), 1, 1e-3);
}

/* The same table for other degrees of freedom. */
static void student_of_any_degree(void **state)
{
	(void)state;
	assert_near(noise_student(0, 5), 1, 1e-12);
	assert_near(noise_student(12.706, 1), 0.05, 5e-5);
	assert_near(noise_student(4.303, 2), 0.05, 5e-5);
	assert_near(noise_student(2.776, 4), 0.05, 5e-5);
	assert_near(noise_student(4.032, 5), 0.01, 5e-6);
	assert_near(noise_student(-2.262, 9), 0.05, 5e-5);
	assert_near(noise_student(4.781, 9), 0.001, 5e-7);
	assert_near(noise_student(1.960, 100000), 0.05, 5e-5);
	assert_true(noise_student(1e9, 9) > 0);
}

/* Ten runs and a new one. */
static void predicted(void **state)
{
	const double before[10] = { 100, 104, 97, 101, 95, 103, 99, 105, 98, 102 };
	double v[11], most = 0, t;
	struct noise_pair p[2] = { { .before = 1, .after = 2 }, { .before = 3, .after = 4 } };
	const double all_most[2] = { 5, 5 };
	size_t tests;

	(void)state;
	memcpy(v, before, sizeof(before));
	v[10] = 101;
	t = predict_deviation(v, 11, 0.000025, &most);
	assert_true(t > 0 && t < 1 && most > 1 && most < 3);
	memcpy(v, before, sizeof(before));
	v[10] = 200;
	most = 0;
	/* of logarithms, as Python computes it with these numbers */
	assert_near(predict_deviation(v, 11, 0.000025, &most), 20.5355, 0.001);
	assert_true(most < 1);
	/* gone */
	memcpy(v, before, sizeof(before));
	v[10] = 0;
	assert_near(predict_deviation(v, 11, 0.000025, &most), 29.876, 0.001);
	/* rare: larger than all, or not */
	memcpy(v, before, sizeof(before));
	v[0] = 0;
	v[10] = 1000;
	assert_true(isnan(predict_deviation(v, 11, 0.000025, &most)));
	v[10] = 105;
	assert_near(predict_deviation(v, 11, 0.000025, &most), 0, 0);

	/* of others, twice the largest of any run before is not enough */
	p[0].t = 9.9;
	p[1].t = 10.1;
	assert_int_equal(predict_test(p, 2, 11, all_most, &tests), 0);
	assert_int_equal(tests, 2);
	assert_near(p[0].p, 2.0 / 11, 1e-12);
	assert_near(p[1].p, 2 * noise_student(10.1, 9), 1e-9);
	p[0].t = NAN;
	assert_int_equal(predict_test(p, 2, 11, all_most, &tests), 0);
	assert_near(p[0].p, 2.0 / 11, 1e-12);
}

static void noise_of_rows(void **state)
{
	struct noise_pair p[40];
	struct noise noise[2];
	size_t tests;

	(void)state;
	/* rows differ by 1 to 20 %, in both directions; one doubles, one is there twice */
	for (size_t i = 0; i < 40; i++)
		p[i] = (struct noise_pair){ .before = 1000,
					    .after = 1000 * (1 + (i % 2 ? 0.005 : -0.005) *
									 (double)(i + 1)),
					    .chance = 0.002,
					    .factor = 1 };
	p[39] = p[38];
	p[7].after = 30000;
	assert_int_equal(noise_test(p, 40, noise, 1, &tests), 0);
	assert_int_equal(tests, 39);
	assert_true(noise[0].fitted);
	/* the 32nd of 40 differences, +18 %: 2 * 0.18 / 2.18, divided by 1.28155 */
	assert_near(noise[0].level, 0.128858, 1e-5);
	for (size_t i = 0; i < 40; i++)
		assert_true(i == 7 ? p[i].p < 0.4 : p[i].p > 0.99);
	/* too few rows: nothing shows their noise, so nothing is decided */
	for (size_t i = 0; i < 3; i++)
		p[i] = (struct noise_pair){
			.before = 0, .after = 1000, .chance = 0.004, .factor = 1
		};
	p[1].before = 500;
	p[2].before = 1000;
	assert_int_equal(noise_test(p, 3, noise, 1, &tests), 0);
	assert_false(noise[0].fitted);
	assert_true(p[0].p >= 1 && p[1].p >= 1 && p[2].p >= 1);
	/* identical: the least noise */
	for (size_t i = 0; i < 40; i++)
		p[i] = (struct noise_pair){
			.before = 7, .after = 7, .chance = 0.002, .factor = 1, .kind = 1
		};
	p[3].after = 21;
	assert_int_equal(noise_test(p, 40, noise, 2, &tests), 0);
	assert_near(noise[1].level, 0.01, 1e-12);
	assert_true(p[3].p < 0.01 && p[4].p >= 1);
	assert_int_equal(tests, 2);
	/* a row with few hits among them: 2 against 6 are nothing */
	p[5] = (struct noise_pair){
		.before = 2, .after = 6, .chance = 0.5, .factor = 1, .kind = 1
	};
	assert_int_equal(noise_test(p, 40, noise, 2, &tests), 0);
	assert_near(noise[1].level, 0.01, 1e-12);
	assert_true(p[3].p < 0.01 && p[5].p > 0.5);
	assert_int_equal(noise_test(p, 0, noise, 0, &tests), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_number),        cmocka_unit_test(as_computed_elsewhere),
		cmocka_unit_test(repeated_numbers),  cmocka_unit_test(false_alarms),
		cmocka_unit_test(many_rare_numbers), cmocka_unit_test(smallest_p),
		cmocka_unit_test(student),           cmocka_unit_test(student_of_any_degree),
		cmocka_unit_test(predicted),         cmocka_unit_test(noise_of_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
