/* SPDX-License-Identifier: LGPL-2.1-only */
/* Running the triggers of an event on a record. */
#pragma once
#include "program/filter.h"
#include "run/hist_run.h"
#include "tracing/trigger.h"

/**
 * event_hit() - run the triggers of an event on a record
 *
 * Context: the hot path of ordered replay; allocates only for new entries
 * Return:  whether the record would be in the ring buffer (enabled, filter passed, tracing on)
 * Source:  event_trigger_unlock_commit(), event_triggers_call() @ v6.12
 */
bool event_hit(const struct event_count *e, const struct hit *hit);

/* The same without a return value. Context: the innermost loop of replays in order */
void event_hit_quick(const struct event_count *e, const struct hit *hit);

/**
 * trace_marker_hit() - run the triggers on a write to trace_marker; returns as event_hit()
 * @file: ftrace:print, or NULL: it has no triggers
 * @hit:  the record
 * @seen: the record for triggers, without the newline that the kernel adds
 *
 * Context: the hot path of ordered replay
 * Source:  tracing_mark_write() @ v6.12
 */
bool trace_marker_hit(struct trace_array *tr, struct event_file *file, const struct hit *hit,
		      const struct hit *seen);

/* Prepare a replay: empty maps and buffers; counts, pauses and enabling as they were written. */
void tracing_reset(struct tracing *t);

/* Data of the recording that the written state needs, besides the triggers' own records. */
struct run_needs {
	bool comm, who; /* comms at the time of the hit; and processes, command lines, cgroups */
	bool stack;     /* kernel stacks */
	bool synth;     /* recorded synthetic events, for the bytes after their strings */
};

bool event_file_needs_stack(const struct event_file *file);

void tracing_needs(const struct tracing *t, struct run_needs *needs);
/* The same without what derivers need for their events. */
void tracing_needs_itself(const struct tracing *t, struct run_needs *needs);

/* Make the record of an eprobe from one of the event to which it is attached, and run it. */
void trace_eprobe(const struct trigger *trigger, const struct hit *hit);

/* Run an event that a program traced, at time @ts. */
void traced_event_hit(const struct traced_event *te, u64 ts, const struct hit_context *context);

/*
 * --- dependencies ---
 *
 * Everything that the result of a histogram depends on, besides the records of its event. A replay
 * uses a faster way than in order only if that way supports all dependencies (replay/plan.h). A new
 * feature of triggers that uses other data gets a bit; DEPENDS_ORDER is for all that is unknown.
 */
enum depends_bit {
	DEPENDS_ORDER,     /* the order of the records */
	DEPENDS_TRACE,     /* the same, for the synthetic events that it generates */
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

/* A bit in a set of dependencies; the bits that need names of tasks, at any time. */
#define DEPENDS_ON(name) (1u << DEPENDS_##name)
#define DEPENDS_NAMES    (DEPENDS_ON(COMM) | DEPENDS_ON(FIRST) | DEPENDS_ON(EXEMPLARS))

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

/* Whether a key includes the bytes after the NUL of a synthetic string; and they were recorded. */
bool hist_keys_loose_bytes(const struct hist_data *hd);
bool hist_reads_loose_bytes(const struct hist_data *hd);
/* What it reads besides the records of its event: bits of COMM, FIRST, EXEMPLARS, STACK, SYNTH. */
u32 hist_reads(const struct hist_data *hd);

/* What the fields of a derived event need that are read: bits. Context: before a replay */
u8 event_asks(const struct event_file *file);
/* Dependencies of one trigger, whose strings are borrowed; of an event's state, for all of them. */
void trigger_depends(const struct trigger *t, struct depends *d);
void event_file_depends(const struct event_file *file, struct depends *d);

/*
 * --- many records at once ---
 *
 * hist_hit() runs one record through one histogram: that is the specification. A batch of a few
 * hundred records runs step by step: filter, then each part of the key as a column, then the
 * entries, then each value as a column. Only for histograms that depend on no order.
 */
enum { BATCH_MAX = TRACING_MAP_BATCH };

/* Records of one event on one CPU, none shorter than its format. */
struct batch {
	u32 n, cpu;
	const struct hit_context
		*context; /* names of tasks; NULL: neither they nor ->at are needed */
	const u8 *rec[BATCH_MAX];
	u32 len[BATCH_MAX];
	u64 ts[BATCH_MAX];
	u64 at[BATCH_MAX]; /* see struct hit */
};

struct columns; /* working memory for one thread */

/* @key_size: the largest key of the histograms. Return: NULL if out of memory */
struct columns *columns_new(u32 key_size);
void columns_free(struct columns *c);

/**
 * event_hit_batch() - update all histograms of the event with a batch of records
 * @part: index of the histograms' maps, from 1
 *
 * Return:  false if a map is full (or out of memory): then only a replay in order gives the
 *          kernel's result
 * Context: hot path; one thread at a time on @c and @part, any number on the event
 */
bool event_hit_batch(const struct event_file *file, const struct batch *batch, u32 part,
		     struct columns *c);

/* --- one record, and all histograms --- */

/* Update the part hit->part of the event's histograms with one record; false if a map is full. */
bool event_hit_single(const struct event_file *file, const struct hit *hit);

/*
 * The histograms that depend on records of the event: its own, those to which they refer, and those
 * of the synthetic events that they generate.
 */
int event_reached_hists(const struct event_file *file, hist_count_array *hists);
