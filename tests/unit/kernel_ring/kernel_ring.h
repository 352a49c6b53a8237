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
 * internals.h describes the algorithm, stamp.h the time stamps of events.
 */
#ifndef KERNEL_RING_BUFFER_H
#define KERNEL_RING_BUFFER_H

#include "ring_buffer/ring_buffer.h"

struct kernel_ring;
struct kernel_ring_event; /* in a sub-buffer: a word of type and delta, then its data */

/* Context of a writer: each one interrupts those before it. */
enum kernel_ring_context {
	KERNEL_RING_NORMAL,
	KERNEL_RING_SOFTIRQ,
	KERNEL_RING_IRQ,
	KERNEL_RING_NMI,
};

/* Services of the machine that the buffer needs. */
struct kernel_ring_host {
	u64 (*clock)(void *arg, u32 cpu); /* may itself write to the buffer, like an interrupt */
	enum kernel_ring_context (*context)(void *arg, u32 cpu); /* NULL: always normal */
	void *arg;
};

/* The algorithm that gives nested events their time: see stamp.h and stamp_other.h. */
enum kernel_ring_stamps {
	KERNEL_RING_STAMPS_MATCH, /* as in current kernels; the default */
	KERNEL_RING_STAMPS_REPAIR,
	KERNEL_RING_STAMPS_ZERO,
};

struct kernel_ring_options {
	u32 nr_cpus;
	size_t size; /* bytes of events per CPU, as for kernel_ring_resize() */
	bool overwrite;
	bool late; /* rings are allocated by kernel_ring_ready() */
	enum kernel_ring_stamps stamps;
	struct ring_buffer_layout layout; /* subbuf_size: the page size of the kernel */
	struct kernel_ring_host host;
};

/**
 * kernel_ring_alloc() - allocate an empty buffer with recording on
 *
 * Return: 0, -HIST_ENOMEM, -HIST_EINVAL (no CPUs, a page size that is not a power of two from 4 KB
 *         to 1 MB, a word size other than 4 or 8 bytes, an invalid size)
 * Source: alloc_buffer() @ v6.12
 */
int kernel_ring_alloc(const struct kernel_ring_options *options, struct kernel_ring **buffer);
void kernel_ring_free(struct kernel_ring *buffer);

/* Allocate the ring of @cpu: 1, 0 (it has one), -HIST_ENOMEM. Until then nothing is recorded. */
int kernel_ring_ready(struct kernel_ring *buffer, u32 cpu);

/* --- size --- */

#define KERNEL_RING_ALL_CPUS UINT32_MAX

/**
 * kernel_ring_resize() - make room for at least @size bytes of events on @cpu, or on all
 *
 * Rounded up to whole sub-buffers, at least two, so that 8 KB become three of 4080 bytes (and
 * buffer_size_kb shows 11). The contents of the buffer are lost.
 *
 * Return:  0, -HIST_ENOMEM (nothing has changed), -HIST_EINVAL
 * Context: no writer, no reader
 * Source:  kernel_ring_resize() @ v6.12, which keeps the events
 */
int kernel_ring_resize(struct kernel_ring *buffer, size_t size, u32 cpu);

/**
 * kernel_ring_subbuf_order_set() - use sub-buffers of page size << @order bytes
 *
 * The sizes of the buffer (except for rounding) and of the largest event do not change.
 *
 * Return: as kernel_ring_resize(); -HIST_EINVAL for sub-buffers above 1 MB
 * Source: kernel_ring_subbuf_order_set() @ v6.12
 */
int kernel_ring_subbuf_order_set(struct kernel_ring *buffer, u32 order);
u32 kernel_ring_subbuf_order_get(const struct kernel_ring *buffer);
u32 kernel_ring_subbuf_size_get(const struct kernel_ring *buffer);

/* Capacity of the ring of @cpu in bytes of events (buffer_size_kb: >> 10); 0: unknown CPU. */
size_t kernel_ring_size(const struct kernel_ring *buffer, u32 cpu);
size_t kernel_ring_max_event_size(const struct kernel_ring *buffer);

/* --- writing --- */

/**
 * kernel_ring_lock_reserve() - reserve space for an event of @length bytes
 *
 * Return: NULL if it is not recorded: recording is off, @length is too large, the same context is
 *         already writing (see kernel_ring_nest_start()), the ring is full
 * Owns:    the caller fills in kernel_ring_event_data(), then commits or discards it; events
 *          written in between are committed with it
 * Context: the CPU's own thread; hot path
 * Source:  kernel_ring_lock_reserve() @ v6.12
 */
struct kernel_ring_event *kernel_ring_lock_reserve(struct kernel_ring *buffer, u32 cpu,
						   size_t length);
void *kernel_ring_event_data(const struct kernel_ring *buffer, struct kernel_ring_event *event);
void kernel_ring_unlock_commit(struct kernel_ring *buffer, u32 cpu);
void kernel_ring_discard_commit(struct kernel_ring *buffer, u32 cpu,
				struct kernel_ring_event *event);

/* Reserve, copy, commit: 0, or 1 if the event was not recorded. */
int kernel_ring_write(struct kernel_ring *buffer, u32 cpu, size_t length, const void *data);

/* Between these calls, the same context may write again: an event may generate an event. */
void kernel_ring_nest_start(struct kernel_ring *buffer, u32 cpu);
void kernel_ring_nest_end(struct kernel_ring *buffer, u32 cpu);

/* The time of the reserved event, as triggers see it. */
u64 kernel_ring_event_time_stamp(const struct kernel_ring *buffer, u32 cpu);

/* Set tracing_on. Events being written when recording is turned off are still recorded. */
void kernel_ring_record_off(struct kernel_ring *buffer);
void kernel_ring_record_on(struct kernel_ring *buffer);
bool kernel_ring_record_is_set_on(const struct kernel_ring *buffer);

/* Set options/overwrite; set timestamp_mode: an absolute time stamp for every event. */
void kernel_ring_change_overwrite(struct kernel_ring *buffer, bool overwrite);
void kernel_ring_set_time_stamp_abs(struct kernel_ring *buffer, bool absolute);

/* --- reading --- */

/**
 * kernel_ring_read_page() - consume the oldest sub-buffer
 * @page: set to its contents, in the buffer's layout, kernel_ring_subbuf_size_get() bytes; if the
 *    writer still uses it, the committed part, and the next call continues after that
 * @full: skip a sub-buffer that the writer still uses
 *
 * Shape:   the commit word has a flag for events lost before it, and, if there is room, their
 *          number follows
 * Return:  0; 1 if the buffer is empty (or a writer on another CPU does not finish)
 * Context: one reader per CPU at a time, on any thread
 * Source:  kernel_ring_read_page() @ v6.12
 */
int kernel_ring_read_page(struct kernel_ring *buffer, u32 cpu, u8 *page, bool full);

/* Iterates over the contents without consuming them, like `cat trace`. */
struct kernel_ring_walk {
	const struct kernel_ring_per_cpu *cpu_buffer;
	const struct buffer_page *at; /* the next sub-buffer; NULL: the end */
	u8 *copy;
};

/**
 * kernel_ring_read_start() - start an iteration over @cpu; ends with kernel_ring_read_finish()
 *
 * Return:  0, -HIST_ENOMEM, -HIST_EINVAL
 * Context: no writer and no reader until kernel_ring_read_finish()
 */
int kernel_ring_read_start(struct kernel_ring_walk *walk, const struct kernel_ring *buffer,
			   u32 cpu);
/* A ring_buffer_read_page_fn for iterators and the merge; the source is @walk. */
int kernel_ring_walk_page(void *walk, const u8 **page, size_t *len);
void kernel_ring_read_finish(struct kernel_ring_walk *walk);

/* --- statistics, reset, snapshots --- */

/* per_cpu/cpuN/stats */
struct kernel_ring_stats {
	u64 entries;        /* readable events */
	u64 overrun;        /* overwritten */
	u64 commit_overrun; /* not recorded: the ring is full of uncommitted events */
	u64 dropped_events; /* not recorded: the ring is full and not in overwrite mode */
	u64 bytes;          /* bytes of entries, including stamps and padding */
	u64 read_events;
	u64 oldest_event_ts; /* time of the oldest sub-buffer, 0 without events */
	bool broken;         /* an invariant was violated; recording on this CPU has stopped */
};

void kernel_ring_stats(const struct kernel_ring *buffer, u32 cpu, struct kernel_ring_stats *stats);

/* Clear the ring, as after kernel_ring_alloc(). There must be no writer or reader. */
void kernel_ring_reset_cpu(struct kernel_ring *buffer, u32 cpu);
void kernel_ring_reset(struct kernel_ring *buffer);

/**
 * kernel_ring_swap_cpu() - exchange the rings of @cpu of two buffers: a snapshot
 *
 * Return:  0; 1 if one is being written to or does not record; -HIST_EINVAL: sizes differ
 * Context: the CPU's own thread
 * Source:  kernel_ring_swap_cpu() @ v6.12
 */
int kernel_ring_swap_cpu(struct kernel_ring *a, struct kernel_ring *b, u32 cpu);

#endif
