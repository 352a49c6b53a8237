/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The time of an event.
 *
 * An event stores its time since the previous event in the buffer. But a writer cannot read the
 * clock, reserve its place in the buffer and store its time for the next event atomically, and an
 * interrupt that writes in between inserts another event before it. Two words per CPU detect that:
 *
 *	before_stamp   set by a writer before it reserves its place
 *	write_stamp    set by a writer after it has reserved its place: the time of the last event
 *
 * Outside of all writers both are equal. A writer that finds them different has interrupted another
 * one between the two, so it cannot know the time of the previous event: it stores its own time in
 * an absolute stamp.
 *
 *	A   w = write index; read both words; ts = clock
 *	B   before_stamp = ts
 *	C   reserve the place: add the length to the write index
 *	    if the place is at w, there was no write since A:
 *	D       write_stamp = ts; delta = ts - the write_stamp of A
 *	        if before_stamp is not ts any more, an interrupt came between C and D, and D has
 *	        hidden its time: write_stamp = before_stamp, if it is still what D set
 *	    else interrupts have come and gone, and ts is older than what they wrote:
 *	E       read write_stamp, it is the time of the last event; ts = clock; before_stamp = ts
 *	F       if there was no write since C, and write_stamp is as at E,
 *	        write_stamp = ts; delta = ts - the write_stamp of E
 *	        else the time is unknown: delta = 0, the time of the previous event
 *
 * The delta is zero only for an event between two interrupts, one before C and one between C and F.
 * A writer that stores no time (zero, no space, a discarded event) clears before_stamp, so that the
 * next event stores an absolute stamp; discarding the last event sets write_stamp to UINT64_MAX, so
 * that F does not use it. Time never goes back.
 *
 * This is KERNEL_RING_STAMPS_REPAIR: the article "Accurate timestamps for the ftrace ring buffer",
 * without its errors at three levels of nesting (E did not set before_stamp, so D took an older
 * time from it; F used a value that D had not repaired). stamp_other.h has the algorithms of
 * earlier and of current kernels.
 *
 * Corresponds to: __rb_reserve_next() @ v6.12 and before.
 */
#ifndef KERNEL_RING_STAMP_H
#define KERNEL_RING_STAMP_H

#include "kernel_ring/stamp_other.h"

/* A to B: determine the size of the event. @w: the write index. */
static inline void rb_stamp_plan(struct kernel_ring_per_cpu *cpu_buffer, struct rb_event_info *info,
				 size_t w)
{
	info->before = local_read(&cpu_buffer->before_stamp);
	rb_step(cpu_buffer, RB_STEP_BEFORE);
	info->after = local_read(&cpu_buffer->write_stamp);
	barrier();
	rb_step(cpu_buffer, RB_STEP_AFTER);
	info->ts = rb_time_stamp(cpu_buffer);
	rb_step(cpu_buffer, RB_STEP_CLOCK);

	if (info->add_timestamp & RB_ADD_STAMP_ABSOLUTE)
		info->delta = info->ts;
	else if (!w)
		info->delta = 0; /* the sub-buffer header stores the time */
	else if (unlikely(info->before != info->after))
		rb_want_stamp(info, RB_ADD_STAMP_FORCE);
	else if (unlikely(info->ts - info->after > TS_MASK))
		rb_want_stamp(info, 0);

	barrier();
	local_set(&cpu_buffer->before_stamp, info->ts);
	rb_step(cpu_buffer, RB_STEP_B);
}

/* After D: an interrupt's write_stamp may have been overwritten. */
static inline void rb_stamp_repair(struct kernel_ring_per_cpu *cpu_buffer,
				   const struct rb_event_info *info)
{
	u64 last = local_read(&cpu_buffer->before_stamp);

	rb_step(cpu_buffer, RB_STEP_REREAD);
	if (unlikely(last != info->ts))
		local_try_cmpxchg(&cpu_buffer->write_stamp, info->ts, last ? last : UINT64_MAX);
}

/* E to F; whether the delta (->ts minus ->after) is known. */
static inline bool rb_stamp_exchange(struct kernel_ring_per_cpu *cpu_buffer,
				     struct rb_event_info *info, u64 write)
{
	bool known = false;

	info->after = local_read(&cpu_buffer->write_stamp);
	barrier();
	rb_step(cpu_buffer, RB_STEP_SLOW_AFTER);
	info->ts = rb_time_stamp(cpu_buffer);
	rb_step(cpu_buffer, RB_STEP_SLOW_CLOCK);
	local_set(&cpu_buffer->before_stamp, info->ts);
	barrier();
	rb_step(cpu_buffer, RB_STEP_E);
	if (write == local_read(&info->tail_page->write) && info->after < info->ts) {
		rb_step(cpu_buffer, RB_STEP_SLOW_CHECKED);
		known = local_try_cmpxchg(&cpu_buffer->write_stamp, info->after, info->ts);
	}
	if (!known)
		local_set(&cpu_buffer->before_stamp, 0);
	return known;
}

/* The event was not written: there was no space, or (@withdrawn) the last event was discarded. */
static inline void rb_stamp_invalidate(struct kernel_ring_per_cpu *cpu_buffer, bool withdrawn)
{
	bool repair = cpu_buffer->buffer->stamps == KERNEL_RING_STAMPS_REPAIR;

	if (repair || withdrawn)
		local_set(&cpu_buffer->before_stamp, 0);
	rb_step(cpu_buffer, RB_STEP_FORGET);
	if (repair && withdrawn)
		local_set(&cpu_buffer->write_stamp, UINT64_MAX);
}

/* C to F: the event has its space, at @tail; @write: the page's ->write at C. */
static inline void rb_stamp_settle(struct kernel_ring_per_cpu *cpu_buffer,
				   struct rb_event_info *info, size_t w, u64 write)
{
	static const u32 in_full = RB_ADD_STAMP_FORCE | RB_ADD_STAMP_ABSOLUTE;
	bool repair = cpu_buffer->buffer->stamps == KERNEL_RING_STAMPS_REPAIR;
	size_t tail = (write & RB_WRITE_MASK) - info->length;
	bool known;

	if (likely(tail == w)) {
		local_set(&cpu_buffer->write_stamp, info->ts);
		barrier();
		rb_step(cpu_buffer, RB_STEP_D);
		info->delta = info->add_timestamp & in_full ? info->ts : info->ts - info->after;
		if (unlikely(repair))
			rb_stamp_repair(cpu_buffer, info);
	} else {
		known = repair ? rb_stamp_exchange(cpu_buffer, info, write)
			       : rb_stamp_match(cpu_buffer, info, write);
		rb_step(cpu_buffer, RB_STEP_F);
		info->delta = known ? info->ts - info->after : 0;
		/* kernel: the delta is stored as the time if all stamps have to be absolute */
		if (known && info->add_timestamp & RB_ADD_STAMP_ABSOLUTE)
			info->delta = info->ts;
		else if (info->add_timestamp)
			info->add_timestamp = RB_ADD_STAMP_EXTEND;
		/* kernel: the upper bits are truncated; no space is reserved for them */
		if (!info->add_timestamp && info->delta > TS_MASK)
			info->delta = TS_MASK;
	}
	if (unlikely(!tail) && !(info->add_timestamp & in_full))
		info->delta = 0;
}

#endif
