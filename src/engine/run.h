/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What happens when a record comes: its triggers run, in order.
 */
#ifndef HIST_ENGINE_RUN_H
#define HIST_ENGINE_RUN_H

#include "engine/tracing.h"

/* A record as triggers see it. */
struct hit {
	const struct event_file *file;
	const u8 *rec;
	u32 len;
	u32 cpu;
	s32 pid;
	u64 ts;    /* in units of the clock */
	u16 depth; /* histograms at work on the records that this one comes of */
	u16 shard; /* which part of the keys, from 1; 0: all. See shard.h */
	const struct run_source *source;
};

/* Where a replay finds what is not in the record itself. */
struct run_source {
	void *arg;
	/* comm of the task that the record is from, at its time; never NULL */
	const char *(*comm)(void *arg, const struct hit *hit);
	/* kernel stack of the current record, without the tracer's frames; how many entries */
	size_t (*stack)(void *arg, u64 *entries, size_t max);
	/* a synthetic event was made; after its triggers ran */
	int (*synthetic)(void *arg, struct event_file *file, const struct hit *hit);
	/* snapshot of the instance's buffer */
	void (*snapshot)(void *arg, struct trace_array *tr);
	/* record the stacks of the current record in the instance */
	void (*record_stack)(void *arg, struct trace_array *tr);
	/* a record went into the instance's buffer for good */
	void (*recorded)(void *arg, struct trace_array *tr, const struct hit *hit);
};

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
};

struct hist_data;

/* Whether it keeps the stack of the current record, as a key or in an entry. */
bool hist_needs_stack(const struct hist_data *hd);

void tracing_needs(const struct tracing *t, struct run_needs *needs);

#endif
