/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A record on its way through programs, and where what is not in it comes from.
 */
#ifndef HIST_PROGRAM_HIT_H
#define HIST_PROGRAM_HIT_H

#include "base/base.h"

struct event_file;
struct synth_event;
struct trace_array;

/* A record as triggers see it. */
struct hit {
	const struct event_file *file;
	const u8 *rec;
	u32 len;
	u32 cpu;
	s32 pid;
	u64 ts;    /* in units of the clock */
	u16 depth; /* histograms at work on the records that this one comes of */
	u16 part;  /* which maps, from 1; 0: the histograms' own. See run/part.h */
	u16 n_parts;
	const struct run_source *source;
};

/* Where a replay finds what is not in the record itself. */
struct run_source {
	void *arg;
	/* comm of the task that the record is from, at its time; never NULL */
	const char *(*comm)(void *arg, const struct hit *hit);
	/* kernel stack of the current record, without the tracer's frames; how many entries */
	size_t (*stack)(void *arg, u64 *entries, size_t max);
	/* what follows the texts in a synthetic record, if that was recorded; NULL: nothing does */
	void (*loose_bytes)(void *arg, const struct synth_event *se, u8 *rec, u32 len);
	/* a synthetic event was made; after its triggers ran */
	int (*synthetic)(void *arg, struct event_file *file, const struct hit *hit);
	/* snapshot of the instance's buffer */
	void (*snapshot)(void *arg, struct trace_array *tr);
	/* record the stacks of the current record in the instance */
	void (*record_stack)(void *arg, struct trace_array *tr);
	/* a record went into the instance's buffer for good */
	void (*recorded)(void *arg, struct trace_array *tr, const struct hit *hit);
};

#endif
