/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What happens when a record comes: its triggers run, in order.
 */
#ifndef HIST_RUN_RUN_H
#define HIST_RUN_RUN_H

#include "program/hist_data.h"
#include "program/hit.h"

struct trace_array;
struct tracing;
struct traced_event;

/**
 * event_file_hit() - a record of the event came
 *
 * Context: the hot path of ordered replay; allocates only for new entries
 * Return:  whether the record would be in the ring buffer (enabled, filter passed, tracing
 *          on); the caller decides what to do with that
 * Source:  event_trigger_unlock_commit(), event_triggers_call() @ v6.12
 */
bool event_file_hit(struct event_file *file, const struct hit *hit);

/**
 * trace_marker_hit() - something was written to trace_marker
 * @file: ftrace:print, or NULL: it has no triggers
 * @hit:  the record
 * @seen: as triggers see it, without the newline that the kernel adds
 *
 * Context: the hot path of ordered replay
 * Source:  tracing_mark_write() @ v6.12
 */
void trace_marker_hit(struct trace_array *tr, struct event_file *file, const struct hit *hit,
		      const struct hit *seen);

/* Before a replay: empty maps and buffers, and counts, pauses and enabling as they were written. */
void tracing_reset(struct tracing *t);

/* What the written state needs from the recording beyond the triggers' own records. */
struct run_needs {
	bool comm;  /* comms at the time of the hit */
	bool stack; /* kernel stacks */
	bool synth; /* recorded synthetic events, for the bytes that follow their texts */
};

/* Whether it keeps the stack of the current record, as a key or in an entry. */
bool hist_needs_stack(const struct hist_data *hd);

/* Whether a key is a text of a synthetic event with what follows its NUL, memory of the kernel. */
bool hist_keys_loose_bytes(const struct hist_data *hd);

void tracing_needs(const struct tracing *t, struct run_needs *needs);

/*
 * Begin a slice of time: hits, sums, samples and what onmax and onchange kept are forgotten,
 * what variables hold for other histograms is not.
 */
void hist_data_slice(struct hist_data *hd);

/* What a program traced, at time @ts. */
void traced_event_hit(const struct traced_event *te, u64 ts, const struct run_source *source);

#endif
