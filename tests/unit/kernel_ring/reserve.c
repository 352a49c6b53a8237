// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reserves space for an event: space in the tail sub-buffer with the event's header, or NULL after
 * the reason was counted.
 *
 * Invariant: every writer in this file, or with a reserved event, is counted in ->committing, so
 * that no writer lower in the stack commits data that is not filled in yet.
 *
 * Corresponds to: ring_buffer.c kernel_ring_lock_reserve(), rb_reserve_next_event(),
 * __rb_reserve_next(), trace_recursive_lock() @ v6.12.
 */
#include <string.h>

#include "kernel_ring/stamp.h"

enum { LOOPS_MAX = 1000 };

/* --- one writer per context --- */

enum { CTX_TRANSITION, CTX_NMI, CTX_IRQ, CTX_SOFTIRQ, CTX_NORMAL, NESTED_BITS };

/*
 * Set the bit of the current context; each level of kernel_ring_nest_start() has its own bits. The
 * lowest bit allows one more writer: an interrupt that has started but is not marked as one yet.
 */
bool rb_recursive_lock(struct kernel_ring_per_cpu *cpu_buffer)
{
	const struct kernel_ring_host *host = &cpu_buffer->buffer->host;
	u32 context = host->context ? host->context(host->arg, cpu_buffer->cpu)
				    : KERNEL_RING_NORMAL;
	u32 nest = atomic_load_explicit(&cpu_buffer->nest, memory_order_relaxed);
	u32 busy = atomic_load_explicit(&cpu_buffer->current_context, memory_order_relaxed);
	u32 bit;

	if (unlikely(nest + NESTED_BITS > 32))
		return true;
	bit = 1u << (CTX_NORMAL - context + nest);
	if (unlikely(busy & bit)) {
		bit = 1u << (CTX_TRANSITION + nest);
		if (busy & bit)
			return true;
	}
	atomic_store_explicit(&cpu_buffer->current_context, busy | bit, memory_order_relaxed);
	return false;
}

/* Clear the lowest set bit of the level: it is the innermost context, which ends first. */
void rb_recursive_unlock(struct kernel_ring_per_cpu *cpu_buffer)
{
	u32 nest = atomic_load_explicit(&cpu_buffer->nest, memory_order_relaxed);
	u32 busy = atomic_load_explicit(&cpu_buffer->current_context, memory_order_relaxed);

	atomic_store_explicit(&cpu_buffer->current_context, busy & (busy - (1u << nest)),
			      memory_order_relaxed);
}

void kernel_ring_nest_start(struct kernel_ring *buffer, u32 cpu)
{
	if (cpu < buffer->nr_cpus)
		atomic_fetch_add_explicit(&buffer->buffers[cpu]->nest, NESTED_BITS,
					  memory_order_relaxed);
}

void kernel_ring_nest_end(struct kernel_ring *buffer, u32 cpu)
{
	if (cpu < buffer->nr_cpus)
		atomic_fetch_sub_explicit(&buffer->buffers[cpu]->nest, NESTED_BITS,
					  memory_order_relaxed);
}

/* --- space for an event --- */

/* Write the header, and the time stamp before it; @event is the start of the space. */
static void rb_update_event(struct kernel_ring_per_cpu *cpu_buffer, u8 *event,
			    const struct rb_event_info *info, bool first)
{
	bool absolute = info->add_timestamp & (RB_ADD_STAMP_FORCE | RB_ADD_STAMP_ABSOLUTE);
	bool big = cpu_buffer->buffer->layout.big_endian;
	u64 nest = local_read(&cpu_buffer->committing) - 1;

	if (likely(nest < RB_MAX_NEST))
		cpu_buffer->event_stamp[nest] = info->ts;
	if (likely(!info->add_timestamp)) {
		rb_store_data(event, info->length, (u32)info->delta, big);
		return;
	}
	if (absolute)
		rb_store_stamp(event, RINGBUF_TYPE_TIME_STAMP, info->delta, big);
	else /* more than 59 bits: the clock went backwards */
		rb_store_stamp(event, RINGBUF_TYPE_TIME_EXTEND,
			       first || info->delta > 1ull << 59 ? 0 : info->delta, big);
	rb_store_data(event + RB_LEN_TIME_EXTEND, info->length - RB_LEN_TIME_EXTEND, 0, big);
}

/* Reserve space in the tail page: 0, 1 to try again, -1 if there is none. */
static int rb_reserve_next(struct kernel_ring_per_cpu *cpu_buffer, struct rb_event_info *info,
			   struct kernel_ring_event **event)
{
	const struct kernel_ring *buffer = cpu_buffer->buffer;
	struct buffer_page *tail_page = rb_tail_page(cpu_buffer);
	size_t w, tail;
	u64 write;
	int again;
	u8 *place;

	info->tail_page = tail_page;
	rb_step(cpu_buffer, RB_STEP_TAIL);
	w = rb_page_write(tail_page);
	barrier();
	rb_step(cpu_buffer, RB_STEP_A);
	if (unlikely(buffer->stamps == KERNEL_RING_STAMPS_ZERO))
		rb_zero_stamp_plan(cpu_buffer, info);
	else
		rb_stamp_plan(cpu_buffer, info, w);

	write = local_add_return(info->length, &tail_page->write);
	rb_step(cpu_buffer, RB_STEP_C);
	tail = (write & RB_WRITE_MASK) - info->length;
	if (unlikely(tail + info->length > cpu_buffer->capacity)) {
		again = rb_move_tail(cpu_buffer, tail, info);
		if (again < 0)
			rb_stamp_invalidate(cpu_buffer, false);
		return again;
	}

	if (unlikely(buffer->stamps == KERNEL_RING_STAMPS_ZERO))
		rb_zero_stamp_settle(cpu_buffer, info, tail);
	else
		rb_stamp_settle(cpu_buffer, info, w, write);
	place = tail_page->page + ring_buffer_header_size(&buffer->layout) + tail;
	rb_update_event(cpu_buffer, place, info, !tail);
	local_add(1, &tail_page->entries);
	if (unlikely(!tail))
		tail_page->time_stamp = info->ts;
	local_add(info->length, &cpu_buffer->entries_bytes);
	rb_step(cpu_buffer, RB_STEP_RESERVED);
	*event = (struct kernel_ring_event *)place;
	return 0;
}

static struct kernel_ring_event *rb_reserve_next_event(struct kernel_ring *buffer,
						       struct kernel_ring_per_cpu *cpu_buffer,
						       size_t length)
{
	bool absolute = atomic_load_explicit(&buffer->absolute, memory_order_relaxed);
	struct kernel_ring_event *event = NULL;
	struct rb_event_info info;
	int loops = 0, again = 1;

	rb_start_commit(cpu_buffer);
	rb_step(cpu_buffer, RB_STEP_STARTED);
	length = rb_calculate_event_length(length);
	if (absolute)
		length += RB_LEN_TIME_EXTEND;
	/* kernel: the ring was swapped to another buffer before this writer reserved */
	if (unlikely(cpu_buffer->buffer != buffer) ||
	    (unlikely(absolute) && length > buffer->max_data_size))
		again = -1;
	while (again > 0) {
		if (rb_warn_on(cpu_buffer, ++loops > LOOPS_MAX))
			break;
		info = (struct rb_event_info){
			.length = length,
			.add_timestamp = absolute ? RB_ADD_STAMP_ABSOLUTE : RB_ADD_STAMP_NONE,
		};
		again = rb_reserve_next(cpu_buffer, &info, &event);
	}
	if (unlikely(!event))
		rb_end_commit(cpu_buffer);
	return event;
}

static bool rb_is_off(const _Atomic u32 *record_disabled)
{
	return atomic_load_explicit((_Atomic u32 *)record_disabled, memory_order_relaxed);
}

struct kernel_ring_event *kernel_ring_lock_reserve(struct kernel_ring *buffer, u32 cpu,
						   size_t length)
{
	struct kernel_ring_per_cpu *cpu_buffer;
	struct kernel_ring_event *event;

	if (unlikely(rb_is_off(&buffer->record_disabled) || cpu >= buffer->nr_cpus))
		return NULL;
	cpu_buffer = buffer->buffers[cpu];
	if (unlikely(!rb_tail_page(cpu_buffer) || rb_is_off(&cpu_buffer->record_disabled) ||
		     length > buffer->max_data_size || rb_recursive_lock(cpu_buffer)))
		return NULL;
	event = rb_reserve_next_event(buffer, cpu_buffer, length);
	if (unlikely(!event))
		rb_recursive_unlock(cpu_buffer);
	return event;
}

void *kernel_ring_event_data(const struct kernel_ring *buffer, struct kernel_ring_event *event)
{
	return rb_event_data(event, buffer->layout.big_endian);
}

u64 kernel_ring_event_time_stamp(const struct kernel_ring *buffer, u32 cpu)
{
	const struct kernel_ring_per_cpu *cpu_buffer = buffer->buffers[cpu];
	u64 nest = local_read(&cpu_buffer->committing) - 1;

	return nest < RB_MAX_NEST ? cpu_buffer->event_stamp[nest]
				  : local_read(&cpu_buffer->write_stamp);
}
