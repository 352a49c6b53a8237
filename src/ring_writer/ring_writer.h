/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * ring_writer: writes sub-buffers: from records with known times, for files; or as a kernel whose
 * buffer has the same writes.
 */
#pragma once
#include "ring_buffer/ring_buffer.h"

/*
 * --- compose.c ---
 *
 *	ring_buffer_composer_init(&c, &layout, sink, arg);
 *	for each record: ring_buffer_compose(&c, &record);
 *	ring_buffer_compose_end(&c);
 *	ring_buffer_composer_release(&c);
 */

/* Receives a complete sub-buffer; any result but 0 stops and is returned. */
typedef int (*ring_buffer_page_fn)(void *arg, const u8 *page);

struct ring_buffer_composer {
	struct ring_buffer_layout layout;
	ring_buffer_page_fn sink;
	void *arg;
	u32 header, room; /* sizes of the header and of the space for data */
	u8 *own;          /* memory allocated by the composer, or NULL */
	u8 *page;         /* the current sub-buffer */
	u32 used;         /* bytes of data in it */
	u64 ts;           /* time of the last record in it, or of a loss before its first record */
	u64 missed;       /* number of records lost before this sub-buffer */
	bool unknown;     /* an unknown number of further records was lost */
	bool empty;       /* the sub-buffer has no record */
	bool due;         /* write it even if it has no record */
};

/* Return: 0, -HIST_ENOMEM */
int ring_buffer_composer_init(struct ring_buffer_composer *c,
			      const struct ring_buffer_layout *layout, ring_buffer_page_fn sink,
			      void *arg);

/*
 * Compose into the caller's memory: ->page is set before the first record, and by the sink for the
 * next sub-buffer.
 */
void ring_buffer_composer_init_into(struct ring_buffer_composer *c,
				    const struct ring_buffer_layout *layout,
				    ring_buffer_page_fn sink, void *arg);
void ring_buffer_composer_release(struct ring_buffer_composer *c);

/**
 * ring_buffer_compose() - append a record
 * @rec: only ->ts, ->data, ->len are used; with ->type_len 0 its explicit length is preserved
 *
 * A record with a time before that of the previous one starts a new sub-buffer.
 *
 * Return: 0, -HIST_ELIMIT: longer than a sub-buffer; the result of the sink
 */
int ring_buffer_compose(struct ring_buffer_composer *c, const struct ring_buffer_record *rec);

/*
 * Note that @n records were lost before time @ts; negative: an unknown number; zero: write a
 * sub-buffer even if no record follows.
 */
int ring_buffer_compose_missed(struct ring_buffer_composer *c, u64 ts, s64 n);

/* Pass on the last sub-buffer. */
int ring_buffer_compose_end(struct ring_buffer_composer *c);

/*
 * --- buffer.c: what a kernel's buffer contains after the same writes ---
 *
 * A buffer has a ring of sub-buffers for each CPU. A writer reserves space on its CPU, fills it in
 * and commits or discards it. In between it may write further events, which are committed with it:
 * an event may generate events. A replay does all this in one thread, one step after the other;
 * tests/unit/kernel_ring has the kernel's algorithm for interrupts and readers at any instruction,
 * with which this one is compared.
 */

struct trace_buffer;
struct ring_buffer_event; /* in a sub-buffer: a word of type and delta, then its data */

struct ring_buffer_options {
	u32 nr_cpus;
	size_t size; /* bytes of events per CPU, as for ring_buffer_resize() */
	bool overwrite;
	struct ring_buffer_layout layout; /* subbuf_size: the page size of the kernel */
};

/**
 * ring_buffer_alloc() - allocate an empty buffer; rings are allocated by ring_buffer_ready()
 *
 * Return: 0, -HIST_ENOMEM, -HIST_EINVAL (no CPUs, a page size that is not a power of two from 4 KB
 *         to 1 MB, a word size other than 4 or 8 bytes)
 * Source: alloc_buffer() @ v6.12
 */
int ring_buffer_alloc(const struct ring_buffer_options *options, struct trace_buffer **buffer);
void ring_buffer_free(struct trace_buffer *buffer);

/* Allocate the ring of @cpu, if it has none: 0, -HIST_ENOMEM. Until then nothing is recorded. */
int ring_buffer_ready(struct trace_buffer *buffer, u32 cpu);

/* --- size --- */

#define RING_BUFFER_ALL_CPUS UINT32_MAX

/**
 * ring_buffer_resize() - make room for at least @size bytes of events on @cpu, or on all
 *
 * Rounded up to whole sub-buffers, at least two, so that 8 KB become three of 4080 bytes (and
 * buffer_size_kb shows 11). The contents of the buffer are lost.
 *
 * Return:  0, -HIST_EINVAL (unknown CPU)
 * Source:  ring_buffer_resize() @ v6.12, which keeps the events
 */
int ring_buffer_resize(struct trace_buffer *buffer, size_t size, u32 cpu);

/**
 * ring_buffer_subbuf_order_set() - use sub-buffers of page size << @order bytes
 *
 * The sizes of the buffer (except for rounding) and of the largest event do not change.
 *
 * Return: 0, -HIST_EINVAL for sub-buffers above 1 MB
 * Source: ring_buffer_subbuf_order_set() @ v6.12
 */
int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, u32 order);
u32 ring_buffer_subbuf_order_get(const struct trace_buffer *buffer);
u32 ring_buffer_subbuf_size_get(const struct trace_buffer *buffer);

/* Capacity of the ring of @cpu in bytes of events (buffer_size_kb: >> 10); 0: unknown CPU. */
size_t ring_buffer_size(const struct trace_buffer *buffer, u32 cpu);

/* --- writing --- */

/**
 * ring_buffer_lock_reserve() - reserve space for an event of @length bytes, whose time is @ts
 *
 * Return: NULL if it is not recorded: @length is too large, an event of this level is already being
 *         written (see ring_buffer_nest_start()), the ring is full
 * Owns:    the caller fills in ring_buffer_event_data(), then commits or discards it; events
 *          written in between are committed with it
 * Context: hot path
 * Source:  ring_buffer_lock_reserve() @ v6.12
 */
struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer, u32 cpu,
						   size_t length, u64 ts);
void *ring_buffer_event_data(const struct trace_buffer *buffer, struct ring_buffer_event *event);
void ring_buffer_unlock_commit(struct trace_buffer *buffer, u32 cpu);
void ring_buffer_discard_commit(struct trace_buffer *buffer, u32 cpu,
				struct ring_buffer_event *event);

/* Between these calls, events are on the next level: an event may generate an event. */
void ring_buffer_nest_start(struct trace_buffer *buffer, u32 cpu);
void ring_buffer_nest_end(struct trace_buffer *buffer, u32 cpu);

/* Set options/overwrite. */
void ring_buffer_change_overwrite(struct trace_buffer *buffer, bool overwrite);

/* --- reading --- */

/* Iterates over the contents without consuming them, like `cat trace`. */
struct ring_buffer_walk {
	const struct trace_buffer *buffer;
	u32 cpu;
	size_t n; /* number of sub-buffers before the next one */
};

/*
 * A ring_buffer_read_page_fn for iterators and the merge; the source is a struct ring_buffer_walk,
 * which has ->buffer and ->cpu. The buffer does not change meanwhile.
 */
int ring_buffer_walk_page(void *walk, const u8 **page, size_t *len);

/* --- statistics, reset --- */

/* per_cpu/cpuN/stats */
struct ring_buffer_stats {
	u64 entries;         /* readable events */
	u64 overrun;         /* overwritten */
	u64 commit_overrun;  /* not recorded: the ring is full of uncommitted events */
	u64 dropped_events;  /* not recorded: the ring is full and not in overwrite mode */
	u64 bytes;           /* bytes of entries, including stamps and padding */
	u64 oldest_event_ts; /* time of the oldest sub-buffer, 0 without events */
};

void ring_buffer_stats(const struct trace_buffer *buffer, u32 cpu, struct ring_buffer_stats *stats);

/* Clear the ring of @cpu, or all, as after ring_buffer_alloc(). */
void ring_buffer_reset(struct trace_buffer *buffer, u32 cpu);
