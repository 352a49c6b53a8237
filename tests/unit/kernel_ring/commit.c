// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes reserved events readable: when the lowest writer of the CPU finishes, the commit index
 * moves to the write index; a discarded event is removed if nothing was written after it, otherwise
 * it becomes padding.
 *
 * Corresponds to: ring_buffer.c rb_end_commit(), rb_set_commit_to_write(),
 * kernel_ring_discard_commit(), rb_try_to_discard(), kernel_ring_write() @ v6.12.
 */
#include <string.h>

#include "kernel_ring/stamp.h"

/* Limit of steps of a commit, far more than possible; if it is reached, the ring is broken. */
enum { STEPS_PER_PAGE = 100 };

void rb_start_commit(struct kernel_ring_per_cpu *cpu_buffer)
{
	local_add(1, &cpu_buffer->committing);
	rb_step(cpu_buffer, RB_STEP_COMMITTING);
	local_add(1, &cpu_buffer->commits);
}

/* Move the commit index of the commit page to its write index, even if that moves meanwhile. */
static void rb_commit_all_of_page(struct kernel_ring_per_cpu *cpu_buffer)
{
	struct buffer_page *page = rb_commit_page(cpu_buffer);

	rb_step(cpu_buffer, RB_STEP_COMMIT_INDEX);
	for (size_t write; (write = rb_page_write(page)) != local_read(&page->commit);) {
		rb_page_set_commit(page, write);
		barrier();
	}
	rb_step(cpu_buffer, RB_STEP_COMMITTED);
}

/*
 * Commit everything up to the tail, including events that interrupts left to this writer. It is the
 * lowest writer of the CPU, so no other one moves the commit. A page before the tail does not grow
 * any more. The reader's page is outside the ring: only the first step leaves it.
 */
static void rb_set_commit_to_write(struct kernel_ring_per_cpu *cpu_buffer)
{
	struct buffer_page *page = rb_commit_page(cpu_buffer), *tail;

	for (size_t steps = 0;; steps++) {
		tail = rb_tail_page(cpu_buffer);
		barrier();
		rb_commit_all_of_page(cpu_buffer);
		if (page == tail && likely(tail == rb_tail_page(cpu_buffer)))
			return;
		if (page == tail)
			continue; /* the page has just advanced: commit the previous one */
		if (rb_warn_on(cpu_buffer, steps > STEPS_PER_PAGE * cpu_buffer->nr_pages ||
						   rb_is_reader_page(tail)))
			return;
		page = rb_next_page(page);
		rb_step(cpu_buffer, RB_STEP_COMMIT_PAGE);
		atomic_store_explicit(&cpu_buffer->commit_page, page, memory_order_release);
		barrier();
	}
}

/* Whether an event that started at the end of the commit left its own commit to this writer. */
static bool rb_commit_was_left(struct kernel_ring_per_cpu *cpu_buffer, u64 seen)
{
	if (likely(local_read(&cpu_buffer->commits) == seen) || local_read(&cpu_buffer->committing))
		return false;
	local_add(1, &cpu_buffer->committing);
	return true;
}

void rb_end_commit(struct kernel_ring_per_cpu *cpu_buffer)
{
	u64 writers = local_read(&cpu_buffer->committing), seen;

	if (rb_warn_on(cpu_buffer, !writers))
		return;
	do {
		seen = local_read(&cpu_buffer->commits);
		barrier();
		rb_step(cpu_buffer, RB_STEP_END);
		if (writers == 1)
			rb_set_commit_to_write(cpu_buffer);
		rb_step(cpu_buffer, RB_STEP_END_SET);
		local_sub(1, &cpu_buffer->committing);
		barrier();
		rb_step(cpu_buffer, RB_STEP_ENDED);
	} while (rb_commit_was_left(cpu_buffer, seen));
}

void kernel_ring_unlock_commit(struct kernel_ring *buffer, u32 cpu)
{
	struct kernel_ring_per_cpu *cpu_buffer = buffer->buffers[cpu];

	local_add(1, &cpu_buffer->entries);
	rb_step(cpu_buffer, RB_STEP_COUNTED);
	rb_end_commit(cpu_buffer);
	rb_recursive_unlock(cpu_buffer);
}

int kernel_ring_write(struct kernel_ring *buffer, u32 cpu, size_t length, const void *data)
{
	struct kernel_ring_event *event = kernel_ring_lock_reserve(buffer, cpu, length);

	if (!event)
		return 1;
	memcpy(kernel_ring_event_data(buffer, event), data, length);
	kernel_ring_unlock_commit(buffer, cpu);
	return 0;
}

/* --- discard --- */

/* The page of an uncommitted event. */
static struct buffer_page *rb_page_of_event(struct kernel_ring_per_cpu *cpu_buffer, const u8 *event)
{
	size_t size = cpu_buffer->buffer->layout.subbuf_size;
	struct buffer_page *page = rb_commit_page(cpu_buffer);

	/* the commit page may be the reader's, so the ring does not lead back to it */
	for (size_t i = 0; i <= cpu_buffer->nr_pages; i++, page = rb_next_page(page))
		if (event >= page->page && event < page->page + size)
			return page;
	return NULL;
}

/* Release the space if nothing was written after it. */
static void rb_try_to_discard(struct kernel_ring_per_cpu *cpu_buffer, u8 *event,
			      struct buffer_page *page)
{
	const struct ring_buffer_layout *layout = &cpu_buffer->buffer->layout;
	bool stamped = rb_is_stamp(event, layout->big_endian);
	u8 *data = rb_skip_stamp(event, layout->big_endian);
	size_t index = (size_t)(event - page->page) - ring_buffer_header_size(layout);
	size_t length = rb_event_length(data, layout->big_endian);
	size_t end = index + (size_t)(data - event) + length;
	u64 count = local_read(&page->write) & ~RB_WRITE_MASK;

	if (page != rb_tail_page(cpu_buffer) || rb_page_write(page) != end)
		return;
	rb_step(cpu_buffer, RB_STEP_DISCARD);
	rb_stamp_invalidate(cpu_buffer, true);
	rb_step(cpu_buffer, RB_STEP_DISCARD_STAMP);
	/* kernel: for an event with a time stamp, only the length of the stamp is subtracted */
	if (local_try_cmpxchg(&page->write, count | end, count | index))
		local_sub(stamped ? RB_LEN_TIME_EXTEND : length, &cpu_buffer->entries_bytes);
	rb_step(cpu_buffer, RB_STEP_DISCARDED);
}

void kernel_ring_discard_commit(struct kernel_ring *buffer, u32 cpu,
				struct kernel_ring_event *event)
{
	struct kernel_ring_per_cpu *cpu_buffer = buffer->buffers[cpu];
	bool big = buffer->layout.big_endian;
	struct buffer_page *page = rb_page_of_event(cpu_buffer, (u8 *)event);
	u8 *data = rb_skip_stamp(event, big);

	rb_store_padding(data, rb_event_length(data, big), rb_event_delta(data, big), big);
	rb_step(cpu_buffer, RB_STEP_PADDED);
	if (!rb_warn_on(cpu_buffer, !page)) {
		local_sub(1, &page->entries);
		rb_step(cpu_buffer, RB_STEP_UNCOUNTED);
		rb_try_to_discard(cpu_buffer, (u8 *)event, page);
	}
	rb_end_commit(cpu_buffer);
	rb_recursive_unlock(cpu_buffer);
}
