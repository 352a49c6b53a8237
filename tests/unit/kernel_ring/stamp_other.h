/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The code shared by all ways to stamp an event, and the two ways that stamp.h does not describe.
 *
 * KERNEL_RING_STAMPS_ZERO, before the article: only the first event after a commit has a delta, all
 * other nested ones have 0.
 *
 * KERNEL_RING_STAMPS_MATCH, in current kernels (6.12, and later versions of 6.1): no exchanges. D
 * repairs nothing; E sets before_stamp; F takes write_stamp only if before_stamp at E was the same.
 * So more events have 0: those interrupted between A and B, which sets before_stamp to their own
 * time, and those after an event that was itself interrupted. If the clock has not advanced between
 * two reads, both words may be equal by chance, and the time is wrong.
 */
#ifndef KERNEL_RING_STAMP_OTHER_H
#define KERNEL_RING_STAMP_OTHER_H

#include "ring_writer/event_words.h"
#include "kernel_ring/ring.h"

enum {
	RB_ADD_STAMP_NONE = 0,
	RB_ADD_STAMP_EXTEND = 1,   /* space for a stamp was added for this event */
	RB_ADD_STAMP_ABSOLUTE = 2, /* the buffer uses absolute stamps */
	RB_ADD_STAMP_FORCE = 4,    /* this event needs an absolute stamp */
};

/* Read the clock of the host, which may write events, like an interrupt. */
static inline u64 rb_time_stamp(const struct kernel_ring_per_cpu *cpu_buffer)
{
	const struct kernel_ring_host *host = &cpu_buffer->buffer->host;

	return host->clock(host->arg, cpu_buffer->cpu);
}

static inline void rb_want_stamp(struct rb_event_info *info, u32 flags)
{
	info->add_timestamp |= flags | RB_ADD_STAMP_EXTEND;
	info->length += RB_LEN_TIME_EXTEND;
}

/* --- KERNEL_RING_STAMPS_MATCH --- */

/* E to F; whether the delta (->ts minus ->after) is known. */
static inline bool rb_stamp_match(struct kernel_ring_per_cpu *cpu_buffer,
				  struct rb_event_info *info, u64 write)
{
	info->before = local_read(&cpu_buffer->before_stamp);
	rb_step(cpu_buffer, RB_STEP_SLOW_BEFORE);
	info->ts = rb_time_stamp(cpu_buffer);
	rb_step(cpu_buffer, RB_STEP_SLOW_CLOCK);
	/* later events store an absolute stamp */
	local_set(&cpu_buffer->before_stamp, info->ts);
	barrier();
	rb_step(cpu_buffer, RB_STEP_E);
	info->after = local_read(&cpu_buffer->write_stamp);
	barrier();
	rb_step(cpu_buffer, RB_STEP_SLOW_AFTER);
	return write == local_read(&info->tail_page->write) && info->after == info->before &&
	       info->after < info->ts;
}

/* --- KERNEL_RING_STAMPS_ZERO --- */

static inline void rb_zero_stamp_plan(struct kernel_ring_per_cpu *cpu_buffer,
				      struct rb_event_info *info)
{
	info->ts = rb_time_stamp(cpu_buffer);
	rb_step(cpu_buffer, RB_STEP_CLOCK);
	info->before = info->after = local_read(&cpu_buffer->write_stamp);
	info->delta = info->ts < info->after ? 0 : info->ts - info->after;
	if (info->add_timestamp & RB_ADD_STAMP_ABSOLUTE)
		info->delta = info->ts;
	else if (info->delta > TS_MASK)
		rb_want_stamp(info, 0);
	rb_step(cpu_buffer, RB_STEP_B);
}

static inline void rb_zero_stamp_settle(struct kernel_ring_per_cpu *cpu_buffer,
					struct rb_event_info *info, size_t tail)
{
	bool first = rb_commit_page(cpu_buffer) == info->tail_page &&
		     rb_page_commit(info->tail_page) == tail;

	/* kernel: at the commit of that event; until then all others store 0 anyway */
	if (first || !tail)
		local_set(&cpu_buffer->write_stamp, info->ts);
	if ((!first || !tail) && !(info->add_timestamp & RB_ADD_STAMP_ABSOLUTE))
		info->delta = 0;
	rb_step(cpu_buffer, RB_STEP_D);
}

#endif
