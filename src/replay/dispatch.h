/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What records of each id mean to the replay of an instance.
 */
#ifndef HIST_REPLAY_DISPATCH_H
#define HIST_REPLAY_DISPATCH_H

#include "recording/comm.h"
#include "recording/recording.h"

struct synth_event;

struct hist;
struct run_needs;

enum { EVENT_HEADER_SIZE = 8 }; /* type, flags, preempt count, pid */

/* How the histograms of an event are counted. */
enum plan_way {
	WAY_ORDER, /* one thread, all records in order of time */
	WAY_RANGE, /* each thread takes ranges of sub-buffers; maps are added up */
	WAY_KEY,   /* each thread takes a part of the keys, in order of time; maps are joined */
	N_WAYS,
};

struct packed_text;

/* What records of one id mean to the replay. */
struct dispatch {
	struct event_file *file;       /* whose triggers run; NULL: none */
	const struct comm_event *comm; /* the names of tasks that it has; NULL: none */
	u32 min_size;                  /* what is shorter is skipped */
	u32 marker_at; /* ftrace:print: offset of its text; else 0; ->file may be NULL */
	const struct synth_event *synth; /* that event, with the layout of the script's */
	struct packed_text *packed; /* text of trace_printk(), for triggers; NULL: it is none */
	bool is_stack;              /* ftrace:kernel_stack */
	bool is_synthetic;          /* made by a trigger of the recording kernel */
	bool copied;                /* it goes into the buffer as it is */
	bool renumbered;            /* its id is another in the directory */
	bool special; /* triggers are not all, or not what was recorded is what they see */
	bool hits;    /* the pass that is going on runs its triggers */
	enum plan_way way;
	u32 slot;  /* by range: which batch of its table */
	u64 count; /* so far, in the span that is replayed */
};

/* By id, for one file and one instance. */
struct dispatch_table {
	struct dispatch *by_id;
	u8 *keep; /* which ids the pass that is going on wants to see */
	u32 n;
	u32 *slots; /* by range: ids of the events */
	u32 n_slots;
	u32 stack_at; /* offset of the entries of a kernel stack */
};

/* Owns: lives in @arena. NULL without memory. */
struct dispatch_table *dispatch_table_new(struct hist *h, const struct recording *rec,
					  const struct trace_array *tr,
					  const struct run_needs *needs, struct arena *arena);

#endif
