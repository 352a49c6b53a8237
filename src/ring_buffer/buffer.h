/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The writing side of the ring buffer, as in the kernel.
 *
 * A buffer has a ring of sub-buffers for each CPU. A writer reserves space on its CPU, fills it in
 * and commits or discards it; another writer of the same CPU may interrupt it at any instruction (a
 * softirq, an interrupt, an NMI; here: a clock that writes, a signal), and finishes before the
 * first one continues. Writers of different CPUs are independent. One reader per CPU takes whole
 * sub-buffers, even while a writer is active. There are no locks.
 *
 * buffer_internal.h describes the algorithm, stamp.h the time stamps of events.
 */
#ifndef HIST_RING_BUFFER_BUFFER_H
#define HIST_RING_BUFFER_BUFFER_H

#include "ring_buffer/ring_buffer.h"

struct trace_buffer;
struct ring_buffer_event; /* in a sub-buffer: a word of type and delta, then its data */

/* Context of a writer: each one interrupts those before it. */
enum ring_buffer_context {
	RING_BUFFER_NORMAL,
	RING_BUFFER_SOFTIRQ,
	RING_BUFFER_IRQ,
	RING_BUFFER_NMI,
};

/* Services of the machine that the buffer needs. */
struct ring_buffer_host {
	u64 (*clock)(void *arg, u32 cpu); /* may itself write to the buffer, like an interrupt */
	enum ring_buffer_context (*context)(void *arg, u32 cpu); /* NULL: always normal */
	void *arg;
};

/* The algorithm that gives nested events their time: see stamp.h and stamp_other.h. */
enum ring_buffer_stamps {
	RING_BUFFER_STAMPS_MATCH, /* as in current kernels; the default */
	RING_BUFFER_STAMPS_REPAIR,
	RING_BUFFER_STAMPS_ZERO,
};

struct ring_buffer_options {
	u32 nr_cpus;
	size_t size; /* bytes of events per CPU, as for ring_buffer_resize() */
	bool overwrite;
	bool late; /* rings are allocated by ring_buffer_ready() */
	enum ring_buffer_stamps stamps;
	struct ring_buffer_layout layout; /* subbuf_size: the page size of the kernel */
	struct ring_buffer_host host;
};

/**
 * ring_buffer_alloc() - allocate an empty buffer with recording on
 *
 * Return: 0, -HIST_ENOMEM, -HIST_EINVAL (no CPUs, a page size that is not a power of two from 4 KB
 *         to 1 MB, a word size other than 4 or 8 bytes, an invalid size)
 * Source: alloc_buffer() @ v6.12
 */
int ring_buffer_alloc(const struct ring_buffer_options *options, struct trace_buffer **buffer);
void ring_buffer_free(struct trace_buffer *buffer);

/* Allocate the ring of @cpu: 1, 0 (it has one), -HIST_ENOMEM. Until then nothing is recorded. */
int ring_buffer_ready(struct trace_buffer *buffer, u32 cpu);

/* --- size --- */

#define RING_BUFFER_ALL_CPUS UINT32_MAX

/**
 * ring_buffer_resize() - make room for at least @size bytes of events on @cpu, or on all
 *
 * Rounded up to whole sub-buffers, at least two, so that 8 KB become three of 4080 bytes (and
 * buffer_size_kb shows 11). The contents of the buffer are lost.
 *
 * Return:  0, -HIST_ENOMEM (nothing has changed), -HIST_EINVAL
 * Context: no writer, no reader
 * Source:  ring_buffer_resize() @ v6.12, which keeps the events
 */
int ring_buffer_resize(struct trace_buffer *buffer, size_t size, u32 cpu);

/**
 * ring_buffer_subbuf_order_set() - use sub-buffers of page size << @order bytes
 *
 * The sizes of the buffer (except for rounding) and of the largest event do not change.
 *
 * Return: as ring_buffer_resize(); -HIST_EINVAL for sub-buffers above 1 MB
 * Source: ring_buffer_subbuf_order_set() @ v6.12
 */
int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, u32 order);
u32 ring_buffer_subbuf_order_get(const struct trace_buffer *buffer);
u32 ring_buffer_subbuf_size_get(const struct trace_buffer *buffer);

/* Capacity of the ring of @cpu in bytes of events (buffer_size_kb: >> 10); 0: unknown CPU. */
size_t ring_buffer_size(const struct trace_buffer *buffer, u32 cpu);
size_t ring_buffer_max_event_size(const struct trace_buffer *buffer);

/* --- writing --- */

/**
 * ring_buffer_lock_reserve() - reserve space for an event of @length bytes
 *
 * Return: NULL if it is not recorded: recording is off, @length is too large, the same context is
 *         already writing (see ring_buffer_nest_start()), the ring is full
 * Owns:    the caller fills in ring_buffer_event_data(), then commits or discards it; events
 *          written in between are committed with it
 * Context: the CPU's own thread; hot path
 * Source:  ring_buffer_lock_reserve() @ v6.12
 */
struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer, u32 cpu,
						   size_t length);
void *ring_buffer_event_data(const struct trace_buffer *buffer, struct ring_buffer_event *event);
void ring_buffer_unlock_commit(struct trace_buffer *buffer, u32 cpu);
void ring_buffer_discard_commit(struct trace_buffer *buffer, u32 cpu,
				struct ring_buffer_event *event);

/* Reserve, copy, commit: 0, or 1 if the event was not recorded. */
int ring_buffer_write(struct trace_buffer *buffer, u32 cpu, size_t length, const void *data);

/* Between these calls, the same context may write again: an event may generate an event. */
void ring_buffer_nest_start(struct trace_buffer *buffer, u32 cpu);
void ring_buffer_nest_end(struct trace_buffer *buffer, u32 cpu);

/* The time of the reserved event, as triggers see it. */
u64 ring_buffer_event_time_stamp(const struct trace_buffer *buffer, u32 cpu);

/* Set tracing_on. Events being written when recording is turned off are still recorded. */
void ring_buffer_record_off(struct trace_buffer *buffer);
void ring_buffer_record_on(struct trace_buffer *buffer);
bool ring_buffer_record_is_set_on(const struct trace_buffer *buffer);

/* Set options/overwrite; set timestamp_mode: an absolute time stamp for every event. */
void ring_buffer_change_overwrite(struct trace_buffer *buffer, bool overwrite);
void ring_buffer_set_time_stamp_abs(struct trace_buffer *buffer, bool absolute);

/* --- reading --- */

/**
 * ring_buffer_read_page() - consume the oldest sub-buffer
 * @page: set to its contents, in the buffer's layout, ring_buffer_subbuf_size_get() bytes; if the
 *    writer still uses it, the committed part, and the next call continues after that
 * @full: skip a sub-buffer that the writer still uses
 *
 * Shape:   the commit word has a flag for events lost before it, and, if there is room, their
 *          number follows
 * Return:  0; 1 if the buffer is empty (or a writer on another CPU does not finish)
 * Context: one reader per CPU at a time, on any thread
 * Source:  ring_buffer_read_page() @ v6.12
 */
int ring_buffer_read_page(struct trace_buffer *buffer, u32 cpu, u8 *page, bool full);

/* Iterates over the contents without consuming them, like `cat trace`. */
struct ring_buffer_walk {
	const struct ring_buffer_per_cpu *cpu_buffer;
	const struct buffer_page *at; /* the next sub-buffer; NULL: the end */
	u8 *copy;
};

/**
 * ring_buffer_read_start() - start an iteration over @cpu; ends with ring_buffer_read_finish()
 *
 * Return:  0, -HIST_ENOMEM, -HIST_EINVAL
 * Context: no writer and no reader until ring_buffer_read_finish()
 */
int ring_buffer_read_start(struct ring_buffer_walk *walk, const struct trace_buffer *buffer,
			   u32 cpu);
/* A ring_buffer_read_page_fn for iterators and the merge; the source is @walk. */
int ring_buffer_walk_page(void *walk, const u8 **page, size_t *len);
void ring_buffer_read_finish(struct ring_buffer_walk *walk);

/* --- statistics, reset, snapshots --- */

/* per_cpu/cpuN/stats */
struct ring_buffer_stats {
	u64 entries;        /* readable events */
	u64 overrun;        /* overwritten */
	u64 commit_overrun; /* not recorded: the ring is full of uncommitted events */
	u64 dropped_events; /* not recorded: the ring is full and not in overwrite mode */
	u64 bytes;          /* bytes of entries, including stamps and padding */
	u64 read_events;
	u64 oldest_event_ts; /* time of the oldest sub-buffer, 0 without events */
	bool broken;         /* an invariant was violated; recording on this CPU has stopped */
};

void ring_buffer_stats(const struct trace_buffer *buffer, u32 cpu, struct ring_buffer_stats *stats);

/* Clear the ring, as after ring_buffer_alloc(). There must be no writer or reader. */
void ring_buffer_reset_cpu(struct trace_buffer *buffer, u32 cpu);
void ring_buffer_reset(struct trace_buffer *buffer);

/**
 * ring_buffer_swap_cpu() - exchange the rings of @cpu of two buffers: a snapshot
 *
 * Return:  0; 1 if one is being written to or does not record; -HIST_EINVAL: sizes differ
 * Context: the CPU's own thread
 * Source:  ring_buffer_swap_cpu() @ v6.12
 */
int ring_buffer_swap_cpu(struct trace_buffer *a, struct trace_buffer *b, u32 cpu);

#endif
