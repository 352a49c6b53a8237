/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Spans of time around hits whose value exceeds a limit.
 *
 * All records in a span are kept. Between spans, the file marks lost records, so that no latency
 * extends from one span to another.
 */
#pragma once
#include "program/exemplars.h"

struct slim;
struct hist_slim_options;

struct slim_span {
	u64 from, to;
};

struct slim_around {
	char name[256]; /* name of the value, variable or key */
	struct moments moments;
	u64 context;
	ARRAY(struct slim_span) spans; /* in order, without overlaps */
};

/* Parse the condition; -HIST_EINVAL with a diagnosis. */
int slim_around_init(struct slim_around *a, const struct hist_slim_options *o, bool clock_counts,
		     struct diags *diags);
void slim_around_release(struct slim_around *a);

/* Compute the spans when ->moments is complete. -HIST_ENOENT: there are none; -HIST_ENOMEM */
int slim_around_spans(struct slim_around *a, const char *text, struct diags *diags);

/* Whether a part of a span is in this time. */
bool slim_around_touches(const struct slim_around *a, u64 from, u64 to);

/* Keep the records of all spans. */
int slim_around_keep(struct slim *s, const struct slim_around *a);
