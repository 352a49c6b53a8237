/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The argument of --fail-on: [KEYGLOB:]METRIC(<|>)[±]N[%|ns|us|ms|s]. Private to diff.
 *
 * A limit with a sign applies to the change, a limit without a sign to the value after.
 */
#ifndef HIST_DIFF_FAIL_ON_H
#define HIST_DIFF_FAIL_ON_H

#include "base/base.h"

enum fail_on_unit {
	FAIL_ON_PLAIN,   /* in the unit of the compared values */
	FAIL_ON_PERCENT, /* in per cent of the value before */
	FAIL_ON_TIME,    /* .limit is in nanoseconds */
};

struct fail_on {
	const char *text;   /* as on the command line */
	const char *glob;   /* pattern for the key, for fnmatch(3); NULL: all rows together */
	const char *metric; /* "hitcount", "p99", "lat.p99" */
	bool greater;       /* > rather than < */
	bool of_value;      /* no sign: limits the value after, not the change */
	double limit;       /* including its sign */
	enum fail_on_unit unit;
};

struct fail_ons {
	struct fail_on *v;
	size_t n;
};

/*
 * Parse an expression; texts are stored in @arena. 0, -HIST_EINVAL with a diagnosis that explains
 * the syntax, -HIST_ENOMEM
 */
int fail_on_parse(const char *text, struct fail_on *expr, struct arena *arena, struct diags *diags);

/* Parse a number without a sign and without trailing text, independent of the locale. */
bool fail_on_number(struct span text, double *v);

#endif
