/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which numbers of a comparison changed, tested together: private to diff.
 *
 * All numbers of two sides are one family, those of all histograms, rows and metrics: the values,
 * their means, and the medians and other quantiles whose distributions are known. A p of the family
 * is corrected for all of them.
 */
#pragma once
#include "diff/measure.h"
#include "diff/noise.h"

/* A number that changed, or that differs. */
struct finding {
	const struct diff_row *row;
	struct metric metric;
	struct measure measure;
};

/* How the numbers of two sides were tested. */
struct family {
	size_t n_before, n_after, n_numbers;
	bool exact;     /* by relabelling runs; otherwise there are too few: by the noise, */
	bool predicted; /* or one run after by what those before predict */
	double least_p; /* of relabelling */
	const char **kinds;
	struct noise *noise; /* of each kind, unless .exact or .predicted */
	size_t n_kinds;
	/* differs most of all that the noise does not decide; without ->measure */
	struct finding undecided;
	const struct comparison *undecided_of; /* NULL: there is none */
};

struct evidence {
	const struct family *family;
	bool *changed;               /* by row: one of its numbers is in .found */
	double *p;                   /* of each row, that of (all) last, each with its metrics */
	ARRAY(struct finding) found; /* the smallest p first */
};

/* Whether this property of a distribution is tested. */
bool measure_is_tested(enum measure_what what);

/* p of the family; NAN: not tested */
double evidence_p(const struct evidence *e, const struct join *j, const struct metric *metric,
		  const struct diff_row *row);

/* "p: ..." or "noise: ...": how the numbers were tested, and how many runs are needed. */
void family_add(struct strbuf *out, const struct family *family, double alpha);
