/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The argument of --fail-on: [KEYGLOB:]METRIC(<|>)[±]N[%|ns|us|ms|s]. Private to diff.
 *
 * A limit with a sign applies to the change, one without to the value after.
 */
#ifndef HIST_DIFF_FAIL_ON_H
#define HIST_DIFF_FAIL_ON_H

#include "base/base.h"

enum fail_on_unit {
	FAIL_ON_PLAIN,   /* in the unit of the compared values */
	FAIL_ON_PERCENT, /* of the value before */
	FAIL_ON_TIME,    /* .limit is in nanoseconds */
};

struct fail_on {
	const char *text;   /* as typed */
	const char *glob;   /* of the key, for fnmatch(3); NULL: all rows together */
	const char *metric; /* "hitcount", "p99", "lat.p99" */
	bool greater;       /* > and not < */
	bool of_value;      /* no sign: the value after, not the change */
	double limit;       /* with its sign */
	enum fail_on_unit unit;
};

struct fail_ons {
	struct fail_on *v;
	size_t n;
};

/*
 * Texts are stored in @arena. 0, -HIST_EINVAL with a diagnosis that explains the syntax,
 * -HIST_ENOMEM
 */
int fail_on_parse(const char *text, struct fail_on *expr, struct arena *arena, struct diags *diags);

/* Nanoseconds in a unit of time, "us"; 0: unknown unit. */
double fail_on_unit_ns(struct span unit);

/* A number without a sign and without anything after it, independent of the locale. */
bool fail_on_number(struct span text, double *v);

#endif
