/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The buffers of an instance: a ring buffer, and a second one that a snapshot exchanges with it.
 *
 * Nothing is allocated before something is recorded or a size is written. During a replay events
 * are written as in the kernel: reserved before their triggers run, so that records of the triggers
 * follow them, then committed or discarded; or, where the kernel does so, staged outside the buffer
 * and copied if they pass.
 */
#pragma once
#include "base/base.h"

struct trace_array;
struct trace_buffer;
struct ring_buffer_event;
struct event_file;
struct hit;

#define ARRAY_BUFFER_ALL_CPUS UINT32_MAX

struct array_buffer {
	struct trace_buffer *buffer, *max_buffer; /* NULL: not needed yet */
	u64 *entries;            /* bytes of events per CPU, as buffer_size_kb shows them */
	bool expanded;           /* expanded, as in a kernel that traces */
	bool snapshot_allocated; /* ->max_buffer exists, or will */
	bool snapshot_taken;

	/* during a replay */
	bool recording;      /* its contents will be read, and events can be written */
	bool marking;        /* its contents will be read */
	bool staging;        /* events that may be discarded are staged outside the buffer */
	unsigned int staged; /* number of staged events */
};

/* --- for the files of the directory --- */

/* tracing_update_buffers(): expand, if no size was written. */
int array_buffer_expand(struct trace_array *tr);

bool array_buffer_is_expanded(const struct trace_array *tr);

/* kernel: TRACE_BUF_SIZE_DEFAULT, bytes per CPU */
enum { ARRAY_BUFFER_EXPANDED_SIZE = 1441792 };

/* buffer_size_kb, in bytes. -HIST_EINVAL: no such CPU, or too large. */
int array_buffer_resize(struct trace_array *tr, u64 size, u32 cpu);

/* buffer_subbuf_size_kb: 1 << @order pages of the kernel. */
int array_buffer_set_order(struct trace_array *tr, u32 order);
u32 array_buffer_order(const struct trace_array *tr);

/* Bytes for events on @cpu. */
u64 array_buffer_entries(const struct trace_array *tr, u32 cpu);

/* options/overwrite */
void array_buffer_overwrite(struct trace_array *tr, bool overwrite);

/* Opening trace with '>'. */
void array_buffer_clear(struct trace_array *tr, u32 cpu);

/* snapshot: allocate it, take one, clear it, free it. */
int array_buffer_arm_snapshot(struct trace_array *tr);
void array_buffer_snapshot(struct trace_array *tr);
void array_buffer_clear_snapshot(struct trace_array *tr, u32 cpu);
void array_buffer_free_snapshot(struct trace_array *tr);

void array_buffer_release(struct trace_array *tr);

/* --- during a replay --- */

/* Start with an empty buffer; returns whether anything will be recorded. */
int array_buffer_start(struct trace_array *tr, bool recording);

/* Whether records of the event change the buffer, even if none remains in it. */
bool array_buffer_sees(const struct event_file *file);

/*
 * Whether a record of @len bytes of the event is reserved before it is known whether it will be
 * committed.
 */
bool array_buffer_reserves(const struct event_file *file, u32 len);

/* A record being written. */
struct array_entry {
	struct trace_buffer *buffer;
	struct ring_buffer_event *event; /* its position; NULL: staged, or not recorded */
	bool staged;
};

/* Before and after the triggers of an event. */
void array_buffer_reserve(struct array_entry *e, const struct event_file *file,
			  const struct hit *hit);
void array_buffer_commit(struct array_entry *e, const struct event_file *file,
			 const struct hit *hit, bool keep);

/* The same for a write to trace_marker, which is never discarded. */
void array_buffer_reserve_mark(struct array_entry *e, struct trace_array *tr,
			       const struct hit *hit);
void array_buffer_commit_mark(struct array_entry *e, struct trace_array *tr, const struct hit *hit);

/* A record that is never discarded, such as a stack. */
void array_buffer_write(struct trace_array *tr, const struct hit *hit);
