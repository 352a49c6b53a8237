// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The reader: consumes the oldest sub-buffer of a CPU, with its header and the number of lost
 * events; or iterates over copies without consuming.
 *
 * Invariant: the reader owns the reader page, except for its end after the commit index, which the
 * writer may still use.
 *
 * Corresponds to: ring_buffer.c kernel_ring_read_page(), rb_get_reader_page() and its iterator @
 * v6.12.
 */
#include <sched.h>

#include "ring_writer/event_words.h"
#include "kernel_ring/ring.h"

enum { SPINS_BEFORE_YIELD = 64, SPINS_MAX = 1 << 20 };

/* --- selecting the page --- */

/* Find the head from its last known position; NULL while a writer moves it. */
static struct buffer_page *rb_set_head_page(struct kernel_ring_per_cpu *cpu_buffer)
{
	struct buffer_page *page = cpu_buffer->head_page;

	/* the writer may move the head past this search, so search more than once */
	for (size_t i = 0; i < 3 * cpu_buffer->nr_pages; i++) {
		switch (rb_is_head_page(page, rb_prev_page(page))) {
		case RB_PAGE_HEAD:
			cpu_buffer->head_page = page;
			return page;
		case RB_PAGE_UPDATE: /* the next one may be marked already, but is not free yet */
			return NULL;
		default:
			page = rb_next_page(page);
		}
	}
	return NULL;
}

/* Replace the head in the ring by the empty reader page: 0, 1 if the head moved. */
static int rb_swap_reader_page(struct kernel_ring_per_cpu *cpu_buffer)
{
	struct buffer_page *reader = cpu_buffer->reader_page;
	struct buffer_page *head = rb_set_head_page(cpu_buffer), *next;
	u64 overrun;

	if (!head)
		return 1;
	next = rb_next_page(head);
	atomic_store_explicit(&reader->next, (uintptr_t)next | RB_PAGE_HEAD, memory_order_relaxed);
	rb_set_prev(reader, rb_prev_page(head));
	/* a writer that counts an overrun moves the head, so that the exchange fails */
	overrun = atomic_load_explicit(&cpu_buffer->overrun, memory_order_acquire);
	if (!rb_head_page_replace(head, reader))
		return 1;
	rb_set_prev(next, reader);
	cpu_buffer->head_page = next;
	cpu_buffer->reader_page = head;
	head->read = 0;
	cpu_buffer->lost_events += overrun - cpu_buffer->last_overrun;
	cpu_buffer->last_overrun = overrun;
	return 0;
}

/* End of the readable part of a page; excludes padding after the writer has left the page. */
static size_t rb_page_end(const struct kernel_ring_per_cpu *cpu_buffer,
			  const struct buffer_page *page)
{
	bool left = rb_commit_page(cpu_buffer) != page;

	return left && page->real_end ? page->real_end : rb_page_commit(page);
}

/* The reader page was read completely: clear it and swap it with the head: 0, 1 if it failed. */
static int rb_turn_page(struct kernel_ring_per_cpu *cpu_buffer)
{
	struct buffer_page *reader = cpu_buffer->reader_page;

	cpu_buffer->read_bytes += rb_page_commit(reader) - reader->read;
	local_set(&reader->write, 0);
	local_set(&reader->entries, 0);
	local_set(&reader->commit, 0);
	reader->real_end = reader->read = 0;
	for (u32 spins = 0; rb_swap_reader_page(cpu_buffer); spins++) {
		if (spins > SPINS_MAX)
			return 1;
		if (spins > SPINS_BEFORE_YIELD)
			sched_yield();
	}
	return 0;
}

/* The page to read from; NULL if there is none. */
static struct buffer_page *rb_get_reader_page(struct kernel_ring_per_cpu *cpu_buffer)
{
	struct buffer_page *reader = cpu_buffer->reader_page;

	while (reader->read >= rb_page_end(cpu_buffer, reader)) {
		if (rb_commit_page(cpu_buffer) == reader)
			return NULL;
		/* the writer may have committed more before it left the page */
		if (reader->read < rb_page_end(cpu_buffer, reader))
			break;
		if (local_read(&cpu_buffer->entries) - local_read(&cpu_buffer->overrun) ==
			    cpu_buffer->read ||
		    rb_turn_page(cpu_buffer))
			return NULL;
		reader = cpu_buffer->reader_page;
	}
	if (!reader->read)
		cpu_buffer->read_stamp = reader->time_stamp;
	return reader;
}

const struct buffer_page *rb_oldest_page(const struct kernel_ring_per_cpu *cpu_buffer)
{
	const struct buffer_page *page = cpu_buffer->head_page;

	if (rb_tail_page(cpu_buffer) == cpu_buffer->reader_page)
		return cpu_buffer->reader_page;
	for (size_t i = 0; i < cpu_buffer->nr_pages; i++, page = rb_next_page(page))
		if (rb_is_head_page(page, rb_prev_page(page)) == RB_PAGE_HEAD)
			break;
	return page;
}

/* --- copying out --- */

static const u8 *rb_data(const struct kernel_ring *buffer, const struct buffer_page *page)
{
	return page->page + ring_buffer_header_size(&buffer->layout);
}

/* Copy a sub-buffer: header and @len bytes from @from; the first event has time @ts. */
static void rb_copy_page(const struct kernel_ring *buffer, u8 *out, u64 ts, const u8 *from,
			 size_t len)
{
	const struct ring_buffer_layout *l = &buffer->layout;
	size_t header = ring_buffer_header_size(l);

	store_u64(out, ts, l->big_endian);
	memcpy(out + header, from, len);
	memset(out + header + len, 0, l->subbuf_size - header - len);
}

/* Store the commit word, and the number of lost events after the data if there is room. */
static void rb_store_commit(const struct kernel_ring *buffer, u8 *out, size_t len, u64 lost)
{
	const struct ring_buffer_layout *l = &buffer->layout;
	size_t header = ring_buffer_header_size(l);
	u64 commit = len;

	if (lost)
		commit |= RB_MISSED_EVENTS;
	if (lost && l->subbuf_size - header - len >= l->long_size) {
		commit |= RB_MISSED_STORED;
		rb_store_long(l, out + header + len, lost);
	}
	rb_store_long(l, out + 8, commit);
}

/* Skip the events from ->read to @end: returns their number and the time after them. */
static u64 rb_advance_reader(struct kernel_ring_per_cpu *cpu_buffer, struct buffer_page *reader,
			     size_t end)
{
	const struct ring_buffer_layout *l = &cpu_buffer->buffer->layout;
	const u8 *data = rb_data(cpu_buffer->buffer, reader);
	struct ring_buffer_page pg = { .base = reader->page,
				       .p = data + reader->read,
				       .end = data + end,
				       .ts = cpu_buffer->read_stamp,
				       .big = l->big_endian };
	struct ring_buffer_record rec;
	u64 entries = 0;
	u32 late;

	while (late = pg.late, !ring_buffer_page_raw(&pg, &rec)) {
		entries += rec.type_len <= RINGBUF_TYPE_DATA_TYPE_LEN_MAX;
		/* padding with a delta of 1 may replace an event with 0, see rb_store_padding() */
		pg.ts -= rec.type_len == RINGBUF_TYPE_PADDING && rec.delta == 1 && pg.late == late;
	}
	cpu_buffer->read_stamp = pg.ts;
	return entries;
}

int kernel_ring_read_page(struct kernel_ring *buffer, u32 cpu, u8 *page, bool full)
{
	struct kernel_ring_per_cpu *cpu_buffer;
	struct buffer_page *reader;
	size_t end, read;
	u64 ts;

	if (cpu >= buffer->nr_cpus || !buffer->buffers[cpu]->pages)
		return 1;
	cpu_buffer = buffer->buffers[cpu];
	reader = rb_get_reader_page(cpu_buffer);
	if (!reader || (full && rb_commit_page(cpu_buffer) == reader))
		return 1;
	end = rb_page_end(cpu_buffer, reader);
	read = reader->read;
	ts = cpu_buffer->read_stamp;
	rb_copy_page(buffer, page, ts, rb_data(buffer, reader) + read, end - read);
	rb_store_commit(buffer, page, end - read, cpu_buffer->lost_events);
	cpu_buffer->lost_events = 0;
	cpu_buffer->read += rb_advance_reader(cpu_buffer, reader, end);
	cpu_buffer->read_bytes += end - read;
	reader->read = end;
	return 0;
}

/* --- iteration --- */

int kernel_ring_read_start(struct kernel_ring_walk *walk, const struct kernel_ring *buffer, u32 cpu)
{
	*walk = (struct kernel_ring_walk){ .copy = NULL };
	if (cpu >= buffer->nr_cpus)
		return -HIST_EINVAL;
	walk->copy = malloc(buffer->layout.subbuf_size);
	if (!walk->copy)
		return HIST_NOMEM;
	walk->cpu_buffer = buffer->buffers[cpu];
	walk->at = walk->cpu_buffer->reader_page;
	return 0;
}

void kernel_ring_read_finish(struct kernel_ring_walk *walk)
{
	free(walk->copy);
	walk->copy = NULL;
}

int kernel_ring_walk_page(void *source, const u8 **page, size_t *len)
{
	struct kernel_ring_walk *walk = source;
	const struct kernel_ring_per_cpu *cpu_buffer = walk->cpu_buffer;
	const struct kernel_ring *buffer = cpu_buffer->buffer;
	const struct buffer_page *at = walk->at;
	size_t commit;

	if (!at)
		return 1;
	commit = rb_page_commit(at);
	rb_copy_page(buffer, walk->copy, at->read ? cpu_buffer->read_stamp : at->time_stamp,
		     rb_data(buffer, at) + at->read, commit - at->read);
	rb_store_commit(buffer, walk->copy, commit - at->read, 0);
	/* the writer's page is the last one */
	walk->at = at == rb_commit_page(cpu_buffer) ? NULL
		   : at == cpu_buffer->reader_page  ? rb_oldest_page(cpu_buffer)
						    : rb_next_page(at);
	*page = walk->copy;
	*len = buffer->layout.subbuf_size;
	return 0;
}
