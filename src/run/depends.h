/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What the result of a histogram depends on, beside the records of its event. A replay counts
 * faster than in order only what depends on nothing that the faster way cannot bear (see
 * replay/plan.h); so whatever else a trigger learns to look at gets a bit here, and what this file
 * does not know is DEPENDS_ORDER.
 */
#ifndef HIST_RUN_DEPENDS_H
#define HIST_RUN_DEPENDS_H

#include "program/hist_data.h"
#include "tracing/trigger.h"

enum depends_bit {
	DEPENDS_KEY_ORDER, /* the order of the records that share its key */
	DEPENDS_TRACE,     /* the same, for the synthetic events that it makes */
	DEPENDS_ORDER,     /* the order of all records */
	DEPENDS_COMM,      /* names of tasks at the time of the record */
	DEPENDS_STACK,     /* kernel stacks, which are records of their own */
	DEPENDS_SYNTH,     /* recorded synthetic events, for the bytes that follow their texts */
	DEPENDS_SAMPLES,   /* statistics of values: samples in the order in which they came */
	DEPENDS_EXEMPLARS, /* the largest values: tasks at that time, equal ones in order */
	DEPENDS_SWITCH,    /* triggers that pause it, or do something else with the record */
	DEPENDS_PIDS,      /* set_event_pid: which tasks count changes as tasks are switched */
	DEPENDS_BUFFER,    /* the ring buffer, into which its records go */
	/* what only a replay knows */
	DEPENDS_MARKER,   /* text of trace_marker, which triggers see changed */
	DEPENDS_OBSERVER, /* an observer of each record, or of time */
	DEPENDS_PROGRAM,  /* events that a program traced among those of the recording */
	N_DEPENDS,
};

struct depends {
	u32 bits;                  /* 1 << enum depends_bit */
	const char *of[N_DEPENDS]; /* the first thing that has the bit; NULL: the event itself */
};

static inline void depends_add(struct depends *d, enum depends_bit bit, const char *of)
{
	if (!(d->bits >> bit & 1))
		d->of[bit] = of;
	d->bits |= 1u << bit;
}

/* Of one trigger; texts are borrowed from it. */
void trigger_depends(const struct trigger *t, struct depends *d);

/* Of the event's state, for all its triggers. */
void event_file_depends(const struct event_file *file, struct depends *d);

#endif
