// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The end of a sub-buffer: an event does not fit. Writes padding, moves the tail to the next
 * sub-buffer, and the head if that has to be overwritten; or counts the reason if there is no next
 * sub-buffer.
 *
 * Corresponds to: ring_buffer.c rb_move_tail(), rb_handle_head_page(), rb_tail_page_update(),
 * rb_reset_tail() @ v6.12.
 */
#include "ring_writer/event_words.h"
#include "kernel_ring/ring.h"

/* Move the tail from @tail_page to @next_page, which is cleared. */
static void rb_tail_page_update(struct kernel_ring_per_cpu *cpu_buffer,
				struct buffer_page *tail_page, struct buffer_page *next_page)
{
	u64 write = local_add_return(RB_WRITE_INTCNT, &next_page->write);
	u64 entries = local_add_return(RB_WRITE_INTCNT, &next_page->entries);

	barrier();
	rb_step(cpu_buffer, RB_STEP_TAIL_COUNTED);
	if (tail_page != rb_tail_page(cpu_buffer))
		return; /* an interrupt has done all this */
	local_try_cmpxchg(&next_page->write, write, write & ~RB_WRITE_MASK);
	rb_step(cpu_buffer, RB_STEP_TAIL_WRITE);
	local_try_cmpxchg(&next_page->entries, entries, entries & ~RB_WRITE_MASK);
	rb_step(cpu_buffer, RB_STEP_TAIL_ENTRIES);
	/* only the lowest writer commits; it is this one or below it in the stack */
	local_set(&next_page->commit, 0);
	atomic_compare_exchange_strong_explicit(&cpu_buffer->tail_page, &tail_page, next_page,
						memory_order_acq_rel, memory_order_relaxed);
}

/* The flag HEAD has become UPDATE: mark the next page as head, then clear this flag. */
static int rb_advance_head(struct kernel_ring_per_cpu *cpu_buffer, struct buffer_page *tail_page,
			   struct buffer_page *old_head, bool ours)
{
	struct buffer_page *new_head = rb_next_page(old_head), *tail;
	enum rb_page_flag was;

	was = rb_head_page_set(new_head, old_head, RB_PAGE_NORMAL, RB_PAGE_HEAD);
	rb_step(cpu_buffer, RB_STEP_HEAD_SET);
	if (rb_warn_on(cpu_buffer, was == RB_PAGE_UPDATE))
		return -1;
	/*
	 * HEAD: an interrupt has moved the head; MOVED: and the reader has taken that page since.
	 * Interrupts may have moved head and tail past this page already; then its flag was NORMAL
	 * again, and the new flag has to be removed.
	 */
	tail = rb_tail_page(cpu_buffer);
	if (was == RB_PAGE_NORMAL && tail != tail_page && tail != old_head)
		rb_head_page_set(new_head, old_head, RB_PAGE_HEAD, RB_PAGE_NORMAL);
	rb_step(cpu_buffer, RB_STEP_HEAD_CHECKED);
	/* only the writer that started the move ends it */
	if (ours) {
		was = rb_head_page_set(old_head, tail_page, RB_PAGE_UPDATE, RB_PAGE_NORMAL);
		if (rb_warn_on(cpu_buffer, was != RB_PAGE_UPDATE))
			return -1;
	}
	return 0;
}

/* Overwrite the head: 0, 1 if another one moved or took it, -1 on error. */
static int rb_handle_head_page(struct kernel_ring_per_cpu *cpu_buffer,
			       struct buffer_page *tail_page, struct buffer_page *head)
{
	size_t entries = rb_page_entries(head);
	enum rb_page_flag was;

	was = rb_head_page_set(head, tail_page, RB_PAGE_HEAD, RB_PAGE_UPDATE);
	rb_step(cpu_buffer, RB_STEP_HEAD_UPDATE);
	switch (was) {
	case RB_PAGE_HEAD:
		local_add(entries, &cpu_buffer->overrun);
		local_sub(rb_page_commit(head), &cpu_buffer->entries_bytes);
		break;
	case RB_PAGE_UPDATE: /* interrupted a writer that was moving the head: do its work */
		break;
	default: /* an interrupt has moved the head, or the reader has taken it */
		return 1;
	}
	return rb_advance_head(cpu_buffer, tail_page, head, was == RB_PAGE_HEAD);
}

/* The event at @tail does not fit: pad the rest of the sub-buffer. */
static void rb_reset_tail(struct kernel_ring_per_cpu *cpu_buffer, size_t tail,
			  const struct rb_event_info *info)
{
	const struct ring_buffer_layout *layout = &cpu_buffer->buffer->layout;
	struct buffer_page *tail_page = info->tail_page;
	size_t end = cpu_buffer->capacity, beyond = tail + info->length;
	u8 *event = tail_page->page + ring_buffer_header_size(layout) + tail;
	/*
	 * If the index is moved back, count this write. Then an interrupted writer that is
	 * discarding the previous event, which it considers the last one, fails. kernel: it
	 * succeeds, and the delta of the following event is relative to an event that is not the
	 * previous one.
	 */
	u64 back = info->length - RB_WRITE_INTCNT;

	/* only one event crosses the end; later ones just release their space */
	if (tail >= end) {
		if (tail == end)
			tail_page->real_end = 0;
		local_sub(back, &tail_page->write);
		return;
	}
	tail_page->real_end = tail;
	if (tail > end - RB_EVNT_MIN_SIZE) {
		/* too small for any event: a single word that marks the rest as unused */
		rb_event_store(event, RINGBUF_TYPE_PADDING, 0, layout->big_endian);
		rb_step(cpu_buffer, RB_STEP_PADDING);
		atomic_fetch_sub_explicit(&tail_page->write, back, memory_order_release);
		return;
	}
	/* the index stays at the end; otherwise a shorter event of an interrupt would fit here */
	rb_store_padding(event, end - tail, 1, layout->big_endian);
	local_add(end - tail, &cpu_buffer->entries_bytes);
	rb_step(cpu_buffer, RB_STEP_PADDING);
	atomic_fetch_sub_explicit(&tail_page->write, beyond - end, memory_order_release);
}

enum { ROOM_NONE = -1, ROOM_NEXT, ROOM_MOVED };

/* Whether the tail may move to @next_page; overwrites it if it is the head. */
static int rb_make_room(struct kernel_ring_per_cpu *cpu_buffer, struct buffer_page *tail_page,
			struct buffer_page *next_page)
{
	struct buffer_page *commit_page = rb_commit_page(cpu_buffer);
	int err;

	if (unlikely(next_page == commit_page)) {
		local_add(1, &cpu_buffer->commit_overrun);
		return ROOM_NONE;
	}
	if (rb_is_head_page(next_page, tail_page) == RB_PAGE_NORMAL)
		return ROOM_NEXT;
	rb_step(cpu_buffer, RB_STEP_FULL);
	if (rb_is_reader_page(commit_page)) {
		/* the tail may leave the reader page, but not overtake uncommitted data there */
		if (commit_page == rb_tail_page(cpu_buffer))
			return ROOM_NEXT;
		local_add(1, &cpu_buffer->commit_overrun);
		return ROOM_NONE;
	}
	if (!atomic_load_explicit(&cpu_buffer->buffer->overwrite, memory_order_relaxed)) {
		local_add(1, &cpu_buffer->dropped_events);
		return ROOM_NONE;
	}
	err = rb_handle_head_page(cpu_buffer, tail_page, next_page);
	return err < 0 ? ROOM_NONE : err ? ROOM_MOVED : ROOM_NEXT;
}

int rb_move_tail(struct kernel_ring_per_cpu *cpu_buffer, size_t tail, struct rb_event_info *info)
{
	struct buffer_page *tail_page = info->tail_page;
	struct buffer_page *next_page = rb_next_page(tail_page);
	int room = rb_make_room(cpu_buffer, tail_page, next_page);

	rb_step(cpu_buffer, RB_STEP_ROOM);
	if (room == ROOM_NEXT)
		rb_tail_page_update(cpu_buffer, tail_page, next_page);
	rb_step(cpu_buffer, RB_STEP_MOVED);
	rb_reset_tail(cpu_buffer, tail, info);
	rb_step(cpu_buffer, RB_STEP_RESET);
	if (room == ROOM_NONE)
		return -1;
	/* commit everything, so that uncommitted data does not fill a small ring */
	rb_end_commit(cpu_buffer);
	local_add(1, &cpu_buffer->committing);
	return 1;
}
