/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * How the ring buffer works.
 *
 * The ring. Each CPU has nr_pages sub-buffers linked in a ring, and another one, the reader page,
 * outside it. Three pointers advance along the ring, always in this order:
 *
 *	head    the oldest sub-buffer that was not read; only the reader and a writer that
 *	        overwrites move it
 *	commit  everything up to here is complete and may be read
 *	tail    the next event is written here
 *
 * Initially all three point to one sub-buffer, and the reader page is empty. nr_pages counts the
 * ring only: a buffer of "8 KB" holds up to three full sub-buffers, of which the writer clears the
 * oldest when it needs a new one.
 *
 * Writing has four steps. Reserve: add the length to the tail's write index with one atomic
 * instruction; an interrupt does the same and gets the space after that. Stamp: see stamp.h. Fill
 * in: the caller. Commit: writers of one CPU form a stack; the lowest one (for which `committing`
 * is 1) moves commit to tail for all writers above it; the others only increment `commits`. If
 * another one writes between the move and the decrement, `commits` has changed, and the lowest
 * writer repeats the move.
 *
 * The end of a sub-buffer. When an index exceeds it, the writer whose event starts before the end
 * and would extend past it writes padding, moves the tail (unless an interrupt did so already) and
 * tries again. If the next sub-buffer is the head, the ring is full: in overwrite mode the head
 * moves on and its events are counted as overrun; otherwise the event is dropped. If it is the
 * sub-buffer of commit, an interrupted writer lower in the stack would be overwritten: commit
 * overrun, the event is not recorded.
 *
 * Clearing a sub-buffer for reuse races with interrupts that already write to it. So the upper
 * halves of `write` and `entries` count the writers that are about to clear it: a
 * compare-and-exchange of the whole word clears the lower half only if there was no later writer.
 *
 * Reading is a swap. The reader puts its empty page into the ring in place of the head; it then
 * owns the head page. Reader and writer synchronise on one word: the `next` pointer to the head has
 * the flag HEAD in its low bits. The reader exchanges "head, HEAD" for "reader page"; a writer that
 * is about to overwrite the head first exchanges "head, HEAD" for "head, UPDATE". One of the two
 * fails and retries: the reader spins until the next page is marked HEAD, the writer finds a
 * pointer that MOVED. An interrupt that finds UPDATE finishes the work of the writer that it
 * interrupted.
 *
 * The writer may still use the page that the reader took (its `next` leads back into the ring).
 * Then the page is read up to its commit, event by event, and remains the reader page.
 *
 * The number of events overwritten since the last swap is the number of events lost before this
 * page.
 *
 * A snapshot exchanges a CPU's whole ring between two buffers. A writer that reserves space after
 * that detects that its ring belongs to another buffer, and does not record.
 *
 * Layout. A sub-buffer has the layout of the recording's kernel (byte order, word size). Its header
 * is written when it is read; until then its time and commit index are in struct buffer_page.
 *
 * Corresponds to: kernel/trace/ring_buffer.c @ v6.12; names are the kernel's.
 */
#ifndef KERNEL_RING_BUFFER_INTERNAL_H
#define KERNEL_RING_BUFFER_INTERNAL_H

#include <stdlib.h>

#include "kernel_ring/kernel_ring.h"
#include "kernel_ring/local.h"

/*
 * The points at which an interrupt makes a difference. A test that includes the sources defines
 * this macro to write there; otherwise it is empty.
 */
#ifndef rb_step
#define rb_step(cpu_buffer, where) ((void)0)
#endif

/* --- structures --- */

#define RB_WRITE_MASK   0xffffffffull /* index or count; upper half: writers about to clear it */
#define RB_WRITE_INTCNT (1ull << 32)

struct buffer_page {
	_Atomic uintptr_t next; /* with a flag in the low bits, see ring.h */
	_Atomic(struct buffer_page *) prev;
	local_t write;   /* index of the next event; may exceed the capacity */
	local_t entries; /* number of events, without discarded ones */
	local_t commit;  /* index up to which events are complete */
	u64 time_stamp;
	size_t real_end; /* start of the padding at the end; 0: none */
	size_t read;     /* index up to which the page has been read */
	u8 *page;
};

enum { RB_MAX_NEST = 5 };

struct kernel_ring_per_cpu {
	struct kernel_ring *buffer;
	u32 cpu;
	_Atomic u32 record_disabled;
	_Atomic u32 current_context; /* see rb_recursive_lock() */
	_Atomic u32 nest;
	size_t nr_pages;
	size_t capacity; /* bytes of events in a sub-buffer */

	_Atomic(struct buffer_page *) tail_page, commit_page;
	local_t committing, commits;
	local_t write_stamp, before_stamp; /* see stamp.h */
	u64 event_stamp[RB_MAX_NEST];
	local_t entries, entries_bytes, overrun, commit_overrun, dropped_events;

	/* owned by the reader */
	_Alignas(64) struct buffer_page *reader_page;
	struct buffer_page *head_page; /* position of the head when the reader last looked */
	struct buffer_page *pages;     /* all pages, nr_pages + 1; NULL: not allocated yet */
	u8 *data;                      /* memory of all pages */
	u64 read_stamp;
	u64 lost_events, last_overrun, read, read_bytes;
};

struct kernel_ring {
	struct ring_buffer_layout layout; /* of the current sub-buffer order */
	struct kernel_ring_host host;
	_Atomic u32 record_disabled;
	_Atomic bool overwrite, absolute;
	bool late;
	enum kernel_ring_stamps stamps;
	u32 nr_cpus;
	u32 page_size, order;
	size_t max_data_size;
	struct kernel_ring_per_cpu **buffers;
};

/* An event being reserved. */
struct rb_event_info {
	u64 ts;
	u64 delta;         /* or the absolute time */
	u64 before, after; /* values of before_stamp and write_stamp when they were read */
	size_t length;     /* of the event, including header and time stamp */
	struct buffer_page *tail_page;
	u32 add_timestamp;
};

static inline size_t rb_page_write(const struct buffer_page *page)
{
	return local_read(&page->write) & RB_WRITE_MASK;
}

static inline size_t rb_page_entries(const struct buffer_page *page)
{
	return local_read(&page->entries) & RB_WRITE_MASK;
}

/* Counters that can be read on any CPU. */
static inline size_t rb_page_commit(const struct buffer_page *page)
{
	return atomic_load_explicit((local_t *)&page->commit, memory_order_acquire);
}

static inline void rb_page_set_commit(struct buffer_page *page, size_t commit)
{
	atomic_store_explicit(&page->commit, commit, memory_order_release);
}

/* Report a violated invariant: stop recording on this CPU, and leave its contents unchanged. */
bool rb_warn_on_slow(struct kernel_ring_per_cpu *cpu_buffer);

static inline bool rb_warn_on(struct kernel_ring_per_cpu *cpu_buffer, bool cond)
{
	return unlikely(cond) && rb_warn_on_slow(cpu_buffer);
}

/* --- reserve.c: recursion protection; true if this context is already writing --- */

bool rb_recursive_lock(struct kernel_ring_per_cpu *cpu_buffer);
void rb_recursive_unlock(struct kernel_ring_per_cpu *cpu_buffer);

/* --- commit.c --- */

void rb_start_commit(struct kernel_ring_per_cpu *cpu_buffer);
void rb_end_commit(struct kernel_ring_per_cpu *cpu_buffer);

/* --- reader.c: the page of the oldest event --- */

const struct buffer_page *rb_oldest_page(const struct kernel_ring_per_cpu *cpu_buffer);

/* --- tail.c: 1 to try again, -1 if there is no space --- */

int rb_move_tail(struct kernel_ring_per_cpu *cpu_buffer, size_t tail, struct rb_event_info *info);

#endif
