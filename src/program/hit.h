/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A record being processed by programs, and the source of the data that the record does not
 * contain.
 */
#pragma once
#include "program/who.h"

struct event_file;
struct synth_event;
struct trace_array;

/* A record, as passed to triggers. */
struct hit {
	const struct event_file *file;
	const u8 *rec;
	u32 len;
	u32 cpu;
	s32 pid;
	u64 ts;    /* in units of the clock */
	u64 at;    /* its place among records of the same time, even; 0 where that is not needed */
	u16 depth; /* depth of nested histograms that generated this record */
	u16 part;  /* index of the maps, from 1; 0: the histograms' own. See count/count.h */
	const struct hit_context *context;
};

enum { HIT_FRAMES_MAX = 512 };

/* The stacks recorded after a record. */
struct hit_stacks {
	u64 kernel[HIT_FRAMES_MAX], user[HIT_FRAMES_MAX];
	size_t n_kernel, n_user;
	s32 tgid; /* of the process; 0: unknown */
};

/* How a replay gets data that is not in the record itself. */
struct hit_context {
	void *arg;
	/* comm of the record's task at that time; never NULL */
	const char *(*comm)(void *arg, const struct hit *hit);
	/* the answer about a task at that time, whose texts are ->texts; see program/who.h */
	u64 (*who)(void *arg, const struct hit *hit, s32 pid, enum who_what what);
	/* the same, of a task in the cgroup with this id */
	u64 (*cgroup)(void *arg, u64 id);
	/* whether the CPU quota of a cgroup may hold the task back, as far as is known */
	bool (*limits)(void *arg, s32 pid);
	const struct who_texts *texts;
	struct who_cache *answers; /* where who() stores the last ones; NULL: nowhere */
	/*
	 * kernel stack of the current record, without the tracer's frames; returns the number of
	 * entries
	 */
	size_t (*stack)(void *arg, u64 *entries, size_t max);
	/* both stacks of the current record; NULL: there are none */
	void (*stacks)(void *arg, struct hit_stacks *stacks);
	/*
	 * sets the bytes after the strings in a synthetic record, if it was recorded; NULL if
	 * none were recorded
	 */
	void (*loose_bytes)(void *arg, const struct synth_event *se, u8 *rec, u32 len);
	/* called for a new synthetic event, after its triggers ran */
	int (*synthetic)(void *arg, struct event_file *file, const struct hit *hit);
	/* take a snapshot of the instance's buffer */
	void (*snapshot)(void *arg, struct trace_array *tr);
	/* record the kernel's stack of the current record of the event, or that of the user */
	void (*record_stack)(void *arg, const struct event_file *file, bool user);
	/* called for a record that was committed to the instance's buffer */
	void (*recorded)(void *arg, struct trace_array *tr, const struct hit *hit);
};
