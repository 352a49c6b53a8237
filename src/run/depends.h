/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Dependencies: everything that the result of a histogram depends on, besides the records of its
 * event. A replay uses a faster way than in order only if that way supports all dependencies (see
 * replay/plan.h). A new feature of triggers that uses other data gets a bit here; DEPENDS_ORDER
 * stands for everything unknown to this file.
 */
#ifndef HIST_RUN_DEPENDS_H
#define HIST_RUN_DEPENDS_H

#include "program/hist_data.h"
#include "tracing/trigger.h"

enum depends_bit {
	DEPENDS_KEY_ORDER, /* the order of the records that share its key */
	DEPENDS_TRACE,     /* the same, for the synthetic events that it generates */
	DEPENDS_ORDER,     /* the order of all records */
	DEPENDS_COMM,      /* names of tasks at the time of the record, to count it */
	DEPENDS_FIRST,     /* the name of the task of its first record, in the result only */
	DEPENDS_STACK,     /* kernel stacks, which are separate records */
	DEPENDS_SYNTH,     /* recorded synthetic events, for the bytes after their strings */
	DEPENDS_SAMPLES,   /* statistics of values: samples, in any order */
	DEPENDS_EXEMPLARS, /* the largest values: with their tasks, equal ones in record order */
	DEPENDS_SWITCH,    /* triggers that pause it, or otherwise use the record */
	DEPENDS_PIDS,      /* set_event_pid: the selected tasks change at task switches */
	DEPENDS_BUFFER,    /* the ring buffer, to which its records are written */
	/* data that only a replay has */
	DEPENDS_MARKER,   /* text of trace_marker, which triggers receive without its newline */
	DEPENDS_OBSERVER, /* an observer of each record */
	DEPENDS_SLICES,   /* slices of time, of all events together */
	DEPENDS_PROGRAM,  /* events traced by a program, among those of the recording */
	N_DEPENDS,
};

/* In a set of dependencies. */
#define DEPENDS_ON(name) (1u << DEPENDS_##name)

struct depends {
	u32 bits;                  /* 1 << enum depends_bit */
	const char *of[N_DEPENDS]; /* the first object with the bit; NULL: the event itself */
};

static inline void depends_add(struct depends *d, enum depends_bit bit, const char *of)
{
	if (!(d->bits >> bit & 1))
		d->of[bit] = of;
	d->bits |= 1u << bit;
}

/* Dependencies of one trigger; strings are borrowed from it. */
void trigger_depends(const struct trigger *t, struct depends *d);

/* Dependencies of the event's state, for all its triggers. */
void event_file_depends(const struct event_file *file, struct depends *d);

#endif
