/* SPDX-License-Identifier: LGPL-2.1-only */
/* Running the triggers of an event on a record. */
#ifndef HIST_RUN_RUN_H
#define HIST_RUN_RUN_H

#include "count/count.h"
#include "program/hist_data.h"
#include "program/hit.h"

struct trace_array;
struct tracing;
struct traced_event;
struct trigger;

/**
 * event_hit() - run the triggers of an event on a record
 *
 * Context: the hot path of ordered replay; allocates only for new entries
 * Return:  whether the record would be in the ring buffer (enabled, filter passed, tracing on)
 * Source:  event_trigger_unlock_commit(), event_triggers_call() @ v6.12
 */
bool event_hit(const struct event_count *e, const struct hit *hit);

/*
 * The same for callers that do not need the return value. Context: the innermost loop of merged
 * replays
 */
void event_hit_quick(const struct event_count *e, const struct hit *hit);

/**
 * trace_marker_hit() - run the triggers on a write to trace_marker
 * @file: ftrace:print, or NULL: it has no triggers
 * @hit:  the record
 * @seen: the record for triggers, without the newline that the kernel adds
 *
 * Context: the hot path of ordered replay
 * Source:  tracing_mark_write() @ v6.12
 */
void trace_marker_hit(struct trace_array *tr, struct event_file *file, const struct hit *hit,
		      const struct hit *seen);

/* Prepare a replay: empty maps and buffers; counts, pauses and enabling as they were written. */
void tracing_reset(struct tracing *t);

/* Data of the recording that the written state needs, besides the triggers' own records. */
struct run_needs {
	bool comm;  /* comms at the time of the hit */
	bool stack; /* kernel stacks */
	bool synth; /* recorded synthetic events, for the bytes after their strings */
};

/* Whether the trigger stores the stack of the current record, in a key or an entry. */
bool hist_needs_stack(const struct hist_data *hd);

/* Whether any trigger of the event needs that stack. */
bool event_file_needs_stack(const struct event_file *file);

/* Whether a key is a string of a synthetic event, with undefined bytes after its NUL. */
bool hist_keys_loose_bytes(const struct hist_data *hd);

void tracing_needs(const struct tracing *t, struct run_needs *needs);

/* Make the record of an eprobe from one of the event to which it is attached, and run it. */
void trace_eprobe(const struct trigger *trigger, const struct hit *hit);

/* Run an event that a program traced, at time @ts. */
void traced_event_hit(const struct traced_event *te, u64 ts, const struct run_source *source);

#endif
