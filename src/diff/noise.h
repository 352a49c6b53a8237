/* SPDX-License-Identifier: LGPL-2.1-only */
/* How much numbers of few runs differ by chance: private to diff. */
#pragma once
#include "base/base.h"

/* A number before and after. */
struct noise_pair {
	double before, after;
	double chance;  /* relative variance of the difference if hits were independent; 1 / hits */
	double p;       /* set by noise_test() or predict_test() */
	double t;       /* of predict_deviation() */
	float factor;   /* of .chance, for a kind with too few numbers to fit it */
	u32 kind : 31;  /* numbers of one kind have the same noise */
	bool first : 1; /* the first ones share half of the level, all others the other half */
};

/*
 * The noise of a kind: the standard deviation of a relative difference is .level, or if that is
 * more, that of independent hits, whose variance is multiplied by .factor.
 */
struct noise {
	double level, factor;
	bool fitted; /* .level is that of its numbers; otherwise there are too few */
};

/**
 * noise_test() - whether numbers differ more than the others do
 * @n_kinds: the number of kinds; their noise is stored in @noise
 * @tests:   as for noise_correct()
 *
 * The noise is robustly fitted to the differences of all numbers of a kind, in the assumption that
 * four fifths of them did not change; the ratio of a difference to it has Student's t distribution
 * with 3 degrees of freedom, whose tails are as heavy as those of real recordings.
 *
 * Return: 0, -HIST_ENOMEM
 */
int noise_test(struct noise_pair *pairs, size_t n, struct noise *noise, size_t n_kinds,
	       size_t *tests);

/**
 * noise_correct() - correct each ->p for the number of pairs
 * @tests: set to the number of different pairs, for which ->p is corrected (Bonferroni; if there
 *         are first ones and others, each for its number and for two parts)
 *
 * Return: 0, -HIST_ENOMEM
 */
int noise_correct(struct noise_pair *pairs, size_t n, size_t *tests);

/* The two-sided probability of Student's t with @df degrees of freedom; at least 1e-15. */
double noise_student(double t, size_t df);
