/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The surroundings of hits: spans of time around those whose value is beyond a limit.
 *
 * All that was recorded in a span is kept. Between spans the file says that records are missing,
 * for a latency must not reach from one span into another.
 */
#ifndef HIST_SLIM_SLIM_AROUND_H
#define HIST_SLIM_SLIM_AROUND_H

#include "program/exemplars.h"

struct slim;
struct hist_slim_options;

struct slim_span {
	u64 from, to;
};

struct slim_around {
	char name[256]; /* of the value, variable or key */
	struct moments moments;
	u64 context;
	ARRAY(struct slim_span) spans; /* in order, without overlaps */
};

/* What is asked for; -HIST_EINVAL with a diagnosis. */
int slim_around_init(struct slim_around *a, const struct hist_slim_options *o, bool clock_counts,
		     struct diags *diags);
void slim_around_release(struct slim_around *a);

/* When ->moments has them all: the spans. -HIST_ENOENT: there are none; -HIST_ENOMEM */
int slim_around_spans(struct slim_around *a, const char *text, struct diags *diags);

/* Which span a time is in, from 1; 0: none. */
size_t slim_around_find(const struct slim_around *a, u64 ts);

/* Keep the records of all spans. */
int slim_around_keep(struct slim *s, const struct slim_around *a);

#endif
