// SPDX-License-Identifier: LGPL-2.1-only
/*
 * One new run against several of a history, too few to be relabelled: whether it lies where the
 * history predicts one more run.
 *
 * A number has Student's t of its deviation from the other runs. Tails of real numbers are heavier,
 * and rare rows are in one run only, so the runs of the history are judged in the same way, each as
 * if it were the new one: a number counts only if it deviates more than any number of any other
 * run.
 */
#include "diff/predict.h"

/* Of other numbers: tails of rows are so heavy that the largest of a few runs shows little. */
static const double OTHERS = 2;

/*
 * The deviation of run @at from the others, divided by its standard error. 0: not all others have
 * what it counts, so how many there are is chance.
 */
static double deviation(const double *v, size_t n_runs, size_t at, double floor)
{
	double n = (double)n_runs - 1, mean = 0, squares = 0;

	for (size_t i = 0; i < n_runs; i++) {
		if (i != at && v[i] == 0)
			return 0;
		mean += i == at ? 0 : v[i] / n;
	}
	for (size_t i = 0; i < n_runs; i++)
		squares += i == at ? 0 : (v[i] - mean) * (v[i] - mean);
	return fabs(v[at] - mean) / sqrt(fmax(squares / (n - 1), floor) * (1 + 1 / n));
}

double predict_deviation(double *v, size_t n_runs, double floor, double *most)
{
	double least = HUGE_VAL, most_before = 0, mean = 0, t;

	for (size_t i = 0; i < n_runs; i++) {
		least = fmin(least, v[i]);
		most_before = i + 1 < n_runs ? fmax(most_before, v[i]) : most_before;
		mean += v[i] / (double)n_runs;
	}
	/* numbers differ by factors; 1 at the least, as 0 is nothing */
	for (size_t i = 0; i < n_runs && least > 0; i++)
		v[i] = 1 + log(v[i] / least);
	floor *= least > 0 ? 1 : mean * mean;
	if (!(floor > 0))
		return 0;
	for (size_t i = 0; i + 1 < n_runs; i++)
		*most = fmax(*most, deviation(v, n_runs, i, floor));
	t = deviation(v, n_runs, n_runs - 1, floor);
	return t > 0 || v[n_runs - 1] <= most_before ? t : (double)NAN;
}

int predict_test(struct noise_pair *pairs, size_t n, size_t n_runs, const double most[2],
		 size_t *tests)
{
	int err;

	for (size_t i = 0; i < n; i++)
		pairs[i].p = noise_student(pairs[i].t, n_runs - 2);
	err = noise_correct(pairs, n, tests);
	for (size_t i = 0; i < n && !err; i++)
		if (!(pairs[i].t > (pairs[i].first ? 1 : OTHERS) * most[pairs[i].first]))
			pairs[i].p = isnan(pairs[i].t) ? predict_limit(n_runs)
						       : fmax(pairs[i].p, predict_limit(n_runs));
	return err;
}
