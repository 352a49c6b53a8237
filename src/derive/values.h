/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The values of a derived event, one for each field: where the interval is in a span of time, and
 * the record of the event.
 */
#pragma once
#include "derive/deriver.h"
#include "program/synth_event.h"

/* Of @n events, one after the other. */
struct derive_values {
	const u64 *v;
	size_t n;
};

/* derive_trace() for all of them. */
void derive_trace_all(struct derive *d, const struct derived_event *event,
		      struct derive_values values, const struct derive_record *r, s32 task);

/* When an interval began that ended at @ts. */
u64 derive_values_begin(const struct synth_event *event, const u64 *values, u64 ts);

/*
 * Cut an interval to the span of time; false: it is not in it. The numbers that it has besides its
 * length are of all of it, so what the task did in a part is unknown.
 */
bool derive_cut(const struct synth_event *event, u64 from, u64 to, u64 *values, u64 *ts);

/* Pass a record of the event to its triggers; hit->rec are its values. */
void derive_make_record(struct event_file *file, struct hit *hit);
