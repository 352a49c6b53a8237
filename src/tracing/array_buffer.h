/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What an instance records into: a ring buffer, and a second one that a snapshot takes its
 * place with.
 *
 * Nothing is allocated before something is recorded or a size is written. During a replay
 * events go in as the kernel puts them in: reserved before their triggers run, so that what
 * these record comes behind, then committed or discarded; or, where the kernel does so,
 * staged beside the buffer and copied if they pass.
 */
#ifndef HIST_TRACING_ARRAY_BUFFER_H
#define HIST_TRACING_ARRAY_BUFFER_H

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
	bool expanded;           /* has the size of a kernel that traces */
	bool snapshot_allocated; /* there is a ->max_buffer, or there will be */
	bool snapshot_taken;

	/* during a replay */
	bool recording;      /* somebody will look at it, and events can get in */
	bool marking;        /* somebody will look at it */
	bool staging;        /* events that may be dropped do not go into the buffer first */
	unsigned int staged; /* how many are beside it now */
	u64 now;             /* what its clock says */
};

/* --- as the files of the directory have it --- */

/* tracing_update_buffers(): the size of a kernel that traces, if none was written. */
int array_buffer_expand(struct trace_array *tr);

bool array_buffer_is_expanded(const struct trace_array *tr);

/* kernel: TRACE_BUF_SIZE_DEFAULT, bytes per CPU */
enum { ARRAY_BUFFER_EXPANDED_SIZE = 1441792 };

/* buffer_size_kb, in bytes. -HIST_EINVAL: no such CPU; too much. */
int array_buffer_resize(struct trace_array *tr, u64 size, u32 cpu);

/* buffer_subbuf_size_kb: pages of the kernel, 1 << @order of them. */
int array_buffer_set_order(struct trace_array *tr, u32 order);
u32 array_buffer_order(const struct trace_array *tr);

/* Bytes for events on @cpu. */
u64 array_buffer_entries(const struct trace_array *tr, u32 cpu);

/* options/overwrite */
void array_buffer_overwrite(struct trace_array *tr, bool overwrite);

/* The buffer is there; also for reading what was never recorded. */
int array_buffer_ensure(struct trace_array *tr);

/* Opening trace with '>'. */
void array_buffer_clear(struct trace_array *tr, u32 cpu);

/* snapshot: make room for one, take one, empty it, give the room back. */
int array_buffer_arm_snapshot(struct trace_array *tr);
void array_buffer_snapshot(struct trace_array *tr);
void array_buffer_clear_snapshot(struct trace_array *tr, u32 cpu);
void array_buffer_free_snapshot(struct trace_array *tr);

void array_buffer_release(struct trace_array *tr);

/* --- during a replay --- */

/* Empty, and whether anything will be recorded. */
int array_buffer_start(struct trace_array *tr, bool recording);

/* Whether records of the event change what is in the buffer, also if none stays there. */
bool array_buffer_sees(const struct event_file *file);

/* Whether a record of the event, of @len bytes, takes a place before it is known if it stays. */
bool array_buffer_reserves(const struct event_file *file, u32 len);

/* A record on its way in. */
struct array_entry {
	struct trace_buffer *buffer;
	struct ring_buffer_event *event; /* its place; NULL: it is staged, or nowhere */
	bool staged;
};

/* Around the triggers of an event. */
void array_buffer_reserve(struct array_entry *e, const struct event_file *file,
			  const struct hit *hit);
void array_buffer_commit(struct array_entry *e, const struct event_file *file,
			 const struct hit *hit, bool keep);

/* The same for what was written to trace_marker, which nothing drops. */
void array_buffer_reserve_mark(struct array_entry *e, struct trace_array *tr,
			       const struct hit *hit);
void array_buffer_commit_mark(struct array_entry *e, struct trace_array *tr, const struct hit *hit);

/* A record that nothing can drop any more, such as a stack. */
void array_buffer_write(struct trace_array *tr, const struct hit *hit);

#endif
