// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The end of a sub-buffer. Enters: an event that would run past it. Leaves: padding there,
 * the tail on the next sub-buffer, the head moved on if that had to be overwritten; or the
 * reason why there is no next one, counted.
 *
 * Answers to: ring_buffer.c rb_move_tail(), rb_handle_head_page(), rb_tail_page_update(),
 * rb_reset_tail() @ v6.12.
 */
#include "ring_buffer/event_words.h"
#include "ring_buffer/ring.h"

/* The tail goes from @tail_page to @next_page, which is emptied for it. */
static void rb_tail_page_update(struct ring_buffer_per_cpu *cpu_buffer,
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
	/* only the lowest writer commits, and that is below or is this one */
	local_set(&next_page->commit, 0);
	atomic_compare_exchange_strong_explicit(&cpu_buffer->tail_page, &tail_page, next_page,
						memory_order_acq_rel, memory_order_relaxed);
}

/* Where the head was marked HEAD it is UPDATE now: mark the next one, then unmark this. */
static int rb_advance_head(struct ring_buffer_per_cpu *cpu_buffer, struct buffer_page *tail_page,
			   struct buffer_page *old_head, bool ours)
{
	struct buffer_page *new_head = rb_next_page(old_head), *tail;
	enum rb_page_flag was;

	was = rb_head_page_set(new_head, old_head, RB_PAGE_NORMAL, RB_PAGE_HEAD);
	rb_step(cpu_buffer, RB_STEP_HEAD_SET);
	if (rb_warn_on(cpu_buffer, was == RB_PAGE_UPDATE))
		return -1;
	/*
	 * HEAD: an interrupt has done it; MOVED: and the reader has taken that page since.
	 * Interrupts may have moved head and tail beyond this already; then it was NORMAL
	 * again, and the mark just made is one too many.
	 */
	tail = rb_tail_page(cpu_buffer);
	if (was == RB_PAGE_NORMAL && tail != tail_page && tail != old_head)
		rb_head_page_set(new_head, old_head, RB_PAGE_HEAD, RB_PAGE_NORMAL);
	rb_step(cpu_buffer, RB_STEP_HEAD_CHECKED);
	/* only who began it ends it */
	if (ours) {
		was = rb_head_page_set(old_head, tail_page, RB_PAGE_UPDATE, RB_PAGE_NORMAL);
		if (rb_warn_on(cpu_buffer, was != RB_PAGE_UPDATE))
			return -1;
	}
	return 0;
}

/* Overwrite the head: 0, 1 if somebody else did or took it, -1. */
static int rb_handle_head_page(struct ring_buffer_per_cpu *cpu_buffer,
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
	case RB_PAGE_UPDATE: /* this interrupts one that was about to: do its work */
		break;
	default: /* an interrupt has done it, or the reader has taken it */
		return 1;
	}
	return rb_advance_head(cpu_buffer, tail_page, head, was == RB_PAGE_HEAD);
}

/* The event at @tail does not fit: the rest of the sub-buffer is padding. */
static void rb_reset_tail(struct ring_buffer_per_cpu *cpu_buffer, size_t tail,
			  const struct rb_event_info *info)
{
	const struct ring_buffer_layout *layout = &cpu_buffer->buffer->layout;
	struct buffer_page *tail_page = info->tail_page;
	size_t end = cpu_buffer->capacity, beyond = tail + info->length;
	u8 *event = tail_page->page + ring_buffer_header_size(layout) + tail;
	/*
	 * Where the index goes back, count that somebody was here: one who is about to take
	 * back the event before, of which he believes that it is the last one, then fails.
	 * kernel: he succeeds, and what follows has the time of an event that is not the last.
	 */
	u64 back = info->length - RB_WRITE_INTCNT;

	/* only one is at the border; those behind it just take their length back */
	if (tail >= end) {
		if (tail == end)
			tail_page->real_end = 0;
		local_sub(back, &tail_page->write);
		return;
	}
	tail_page->real_end = tail;
	if (tail > end - RB_EVNT_MIN_SIZE) {
		/* too little for anybody: a lone word that says that nothing follows */
		rb_event_store(event, RINGBUF_TYPE_PADDING, 0, layout->big_endian);
		rb_step(cpu_buffer, RB_STEP_PADDING);
		atomic_fetch_sub_explicit(&tail_page->write, back, memory_order_release);
		return;
	}
	/* the index stays at the end, or a shorter event of an interrupt would fit here */
	rb_store_padding(event, end - tail, 1, layout->big_endian);
	local_add(end - tail, &cpu_buffer->entries_bytes);
	rb_step(cpu_buffer, RB_STEP_PADDING);
	atomic_fetch_sub_explicit(&tail_page->write, beyond - end, memory_order_release);
}

enum { ROOM_NONE = -1, ROOM_NEXT, ROOM_MOVED };

/* Whether the tail may go to @next_page; overwrites what is there if that is the head. */
static int rb_make_room(struct ring_buffer_per_cpu *cpu_buffer, struct buffer_page *tail_page,
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
		/* the tail may leave the reader page, but not lap what is uncommitted there */
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

int rb_move_tail(struct ring_buffer_per_cpu *cpu_buffer, size_t tail, struct rb_event_info *info)
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
	/* commit what there is, so that a small ring does not fill up with it */
	rb_end_commit(cpu_buffer);
	local_add(1, &cpu_buffer->committing);
	return 1;
}
