// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The buffers of an instance: sizes, snapshots, and writing records.
 *
 * A buffer has its initial size, two sub-buffers, until an event of the instance is enabled; then
 * it is expanded. Instances other than the top one are expanded from the start.
 *
 * Corresponds to trace_event_buffer_lock_reserve(), trace_event_buffer_commit(), update_max_tr(),
 * __tracing_resize_ring_buffer(), tracing_update_buffers() in trace.c.
 */
#include "program/filter.h"
#include "program/hist_data.h"
#include "ring_writer/ring_writer.h"
#include "tracing/array_buffer.h"
#include "tracing/trace_options.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

/* kernel: unexpanded buffers have one byte, that is, two sub-buffers; no kernel has more CPUs */
enum { FIRST_SIZE = 1, CPUS_MAX = 8192, STAGE_MAX = 4096 - 8 };

/* Allocated for all CPUs, whatever the script selects; unused pages cost a sixtieth. */
#define SIZE_MAX_ALL (16ull << 30)

static u32 nr_cpus(const struct trace_array *tr)
{
	return min_t(u32, tr->tracing->machine.nr_cpus, CPUS_MAX);
}

static u32 page_size(const struct trace_array *tr)
{
	return tr->tracing->machine.page_size ? tr->tracing->machine.page_size : 4096;
}

static void note_entries(struct trace_array *tr)
{
	struct array_buffer *ab = &tr->array_buffer;

	for (u32 cpu = 0; cpu < nr_cpus(tr); cpu++)
		ab->entries[cpu] = ring_buffer_size(ab->buffer, cpu);
}

bool array_buffer_is_expanded(const struct trace_array *tr)
{
	return tr->array_buffer.expanded || tr->name[0];
}

static bool fits(const struct trace_array *tr, u64 size)
{
	return size <= SIZE_MAX_ALL / (nr_cpus(tr) + 1);
}

static int make_buffer(struct trace_array *tr, struct trace_buffer **buffer)
{
	const struct machine *m = &tr->tracing->machine;
	struct ring_buffer_options options = {
		.nr_cpus = nr_cpus(tr),
		.size = array_buffer_is_expanded(tr) ? ARRAY_BUFFER_EXPANDED_SIZE : FIRST_SIZE,
		.overwrite = tr->trace_flags & TRACE_ITER_OVERWRITE,
		.layout = { .big_endian = m->big_endian,
			    .long_size = m->long_size,
			    .subbuf_size = page_size(tr) },
	};

	return fits(tr, options.size) ? ring_buffer_alloc(&options, buffer) : HIST_NOMEM;
}

/* Allocate the buffer; also for reading one that was never written. */
static int array_buffer_ensure(struct trace_array *tr)
{
	struct array_buffer *ab = &tr->array_buffer;
	int err;

	if (ab->buffer)
		return 0;
	ab->entries = calloc(nr_cpus(tr) + 1, sizeof(*ab->entries));
	err = ab->entries ? make_buffer(tr, &ab->buffer) : HIST_NOMEM;
	if (!err)
		note_entries(tr);
	else
		array_buffer_release(tr);
	return err;
}

void array_buffer_release(struct trace_array *tr)
{
	struct array_buffer *ab = &tr->array_buffer;

	ring_buffer_free(ab->buffer);
	ring_buffer_free(ab->max_buffer);
	free(ab->entries);
	ab->buffer = ab->max_buffer = NULL;
	ab->entries = NULL;
}

/* --- sizes --- */

/* The snapshot's buffer has the same size as the main one. */
static int copy_sizes(struct trace_array *tr)
{
	struct array_buffer *ab = &tr->array_buffer;
	int err = ring_buffer_subbuf_order_set(ab->max_buffer,
					       ring_buffer_subbuf_order_get(ab->buffer));

	for (u32 cpu = 0; cpu < nr_cpus(tr) && !err; cpu++)
		if (ring_buffer_size(ab->max_buffer, cpu) != ring_buffer_size(ab->buffer, cpu))
			err = ring_buffer_resize(ab->max_buffer, ring_buffer_size(ab->buffer, cpu),
						 cpu);
	return err;
}

int array_buffer_resize(struct trace_array *tr, u64 size, u32 cpu)
{
	struct array_buffer *ab = &tr->array_buffer;
	int err;

	if (!fits(tr, size))
		return HIST_NOMEM;
	ab->expanded = true;
	err = array_buffer_ensure(tr);
	err = err ?: ring_buffer_resize(ab->buffer, (size_t)size, cpu);
	if (err)
		return err;
	note_entries(tr);
	return ab->max_buffer ? copy_sizes(tr) : 0;
}

static bool is_empty(const struct trace_array *tr)
{
	struct ring_buffer_stats stats;

	for (u32 cpu = 0; cpu < nr_cpus(tr); cpu++) {
		ring_buffer_stats(tr->array_buffer.buffer, cpu, &stats);
		if (stats.entries)
			return false;
	}
	return true;
}

int array_buffer_expand(struct trace_array *tr)
{
	struct array_buffer *ab = &tr->array_buffer;

	if (array_buffer_is_expanded(tr))
		return 0;
	/* the recorded events remain after a replay */
	if (ab->buffer && !is_empty(tr))
		return 0;
	ab->expanded = true;
	return ab->buffer
		       ? array_buffer_resize(tr, ARRAY_BUFFER_EXPANDED_SIZE, ARRAY_BUFFER_ALL_CPUS)
		       : 0;
}

int array_buffer_set_order(struct trace_array *tr, u32 order)
{
	struct array_buffer *ab = &tr->array_buffer;
	int err = array_buffer_ensure(tr);

	err = err ?: ring_buffer_subbuf_order_set(ab->buffer, order);
	/* kernel: the sizes that it shows do not change */
	return !err && ab->max_buffer ? copy_sizes(tr) : err;
}

u32 array_buffer_order(const struct trace_array *tr)
{
	return tr->array_buffer.buffer ? ring_buffer_subbuf_order_get(tr->array_buffer.buffer) : 0;
}

u64 array_buffer_entries(const struct trace_array *tr, u32 cpu)
{
	const struct machine *m = &tr->tracing->machine;
	u64 capacity = page_size(tr) - 8 - m->long_size,
	    size = array_buffer_is_expanded(tr) ? ARRAY_BUFFER_EXPANDED_SIZE : FIRST_SIZE;

	if (tr->array_buffer.entries)
		return cpu < nr_cpus(tr) ? tr->array_buffer.entries[cpu] : 0;
	return max_t(u64, 2, (size + capacity - 1) / capacity) * capacity;
}

void array_buffer_overwrite(struct trace_array *tr, bool overwrite)
{
	if (tr->array_buffer.buffer)
		ring_buffer_change_overwrite(tr->array_buffer.buffer, overwrite);
	if (tr->array_buffer.max_buffer)
		ring_buffer_change_overwrite(tr->array_buffer.max_buffer, overwrite);
}

void array_buffer_clear(struct trace_array *tr, u32 cpu)
{
	if (tr->array_buffer.buffer)
		ring_buffer_reset(tr->array_buffer.buffer, cpu);
}

/* --- snapshots --- */

int array_buffer_arm_snapshot(struct trace_array *tr)
{
	struct array_buffer *ab = &tr->array_buffer;
	int err = array_buffer_ensure(tr);

	if (!err && !ab->max_buffer)
		err = make_buffer(tr, &ab->max_buffer);
	err = err ?: copy_sizes(tr);
	ab->snapshot_allocated = !err;
	return err;
}

void array_buffer_snapshot(struct trace_array *tr)
{
	struct array_buffer *ab = &tr->array_buffer;
	struct trace_buffer *buffer = ab->buffer;

	if (!ab->max_buffer)
		return;
	ab->snapshot_taken = true;
	ab->buffer = ab->max_buffer;
	ab->max_buffer = buffer;
}

void array_buffer_clear_snapshot(struct trace_array *tr, u32 cpu)
{
	if (tr->array_buffer.max_buffer)
		ring_buffer_reset(tr->array_buffer.max_buffer, cpu);
}

void array_buffer_free_snapshot(struct trace_array *tr)
{
	struct array_buffer *ab = &tr->array_buffer;

	ring_buffer_free(ab->max_buffer);
	ab->max_buffer = NULL;
	ab->snapshot_allocated = ab->snapshot_taken = false;
}

/* --- records --- */

/* Whether it is enabled, or a trigger can enable it. */
static bool may_be_recorded(const struct event_file *file)
{
	int own = file->triggers.n ? 1 : 0;

	return file->state.enabled && (!file->state.soft_disabled || file->state.soft_refs > own);
}

bool array_buffer_sees(const struct event_file *file)
{
	const struct array_buffer *ab = &file->tr->array_buffer;

	/* an event that is reserved and discarded takes space at the end of a sub-buffer */
	return ab->recording && (may_be_recorded(file) || (file->triggers.n && !ab->staging));
}

int array_buffer_start(struct trace_array *tr, bool recording)
{
	struct array_buffer *ab = &tr->array_buffer;
	int err = recording ? array_buffer_ensure(tr) : 0;

	ab->marking = recording && !err;
	ab->recording = ab->snapshot_taken = false;
	ab->staged = 0;
	ab->staging = true;
	for (const struct event_file *file = tr->files; file; file = file->next) {
		/* whether anything except markers can be written */
		ab->recording |= ab->marking && may_be_recorded(file);
		array_each_ptr(const struct trigger, t, &file->triggers) {
			ab->recording |= ab->marking && t->kind == TRIGGER_STACKTRACE;
			/* kernel: a histogram of times needs the event's time in the buffer */
			ab->staging &= !t->hist || !t->hist->enable_timestamps;
		}
	}
	array_buffer_clear(tr, ARRAY_BUFFER_ALL_CPUS);
	array_buffer_clear_snapshot(tr, ARRAY_BUFFER_ALL_CPUS);
	return err;
}

static bool may_stage(const struct event_file *file)
{
	return file->tr->array_buffer.staging &&
	       (file->state.soft_disabled || (file->filter && !file->filter->failed));
}

bool array_buffer_reserves(const struct event_file *file, u32 len)
{
	return array_buffer_sees(file) && file->tr->tracing_on &&
	       !(may_stage(file) && len <= STAGE_MAX);
}

static struct ring_buffer_event *reserve(struct trace_array *tr, struct trace_buffer *buffer,
					 const struct hit *hit)
{
	struct ring_buffer_event *event;

	/* memory for a CPU is allocated before its first record */
	tr->tracing->failed |= ring_buffer_ready(buffer, hit->cpu) < 0;
	event = ring_buffer_lock_reserve(buffer, hit->cpu, hit->len, hit->ts);
	if (event)
		memcpy(ring_buffer_event_data(buffer, event), hit->rec, hit->len);
	return event;
}

static void write_whole(struct trace_array *tr, struct trace_buffer *buffer, const struct hit *hit)
{
	if (reserve(tr, buffer, hit))
		ring_buffer_unlock_commit(buffer, hit->cpu);
}

void array_buffer_reserve(struct array_entry *e, const struct event_file *file,
			  const struct hit *hit)
{
	struct array_buffer *ab = &file->tr->array_buffer;

	*e = (struct array_entry){ .buffer = ab->buffer };
	if (!ab->recording)
		return;
	if (may_stage(file) && !ab->staged && hit->len <= STAGE_MAX) {
		e->staged = true;
		ab->staged++;
		return;
	}
	if (!file->tr->tracing_on)
		return;
	/* it is written in the middle of the event that generated it */
	if (file->synth)
		ring_buffer_nest_start(e->buffer, hit->cpu);
	e->event = reserve(file->tr, e->buffer, hit);
	if (!e->event && file->synth)
		ring_buffer_nest_end(e->buffer, hit->cpu);
}

/* The steps after an event that is committed: its stack, and the observer that saves events. */
static void after_commit(const struct event_file *file, const struct hit *hit)
{
	const struct hit_context *source = hit->context;
	struct trace_array *tr = file->tr;

	if (source->recorded)
		source->recorded(source->arg, tr, hit);
	if (!source->record_stack)
		return;
	if (tr->trace_flags & TRACE_ITER_STACKTRACE)
		source->record_stack(source->arg, file, false);
	if (tr->trace_flags & TRACE_ITER_USERSTACKTRACE)
		source->record_stack(source->arg, file, true);
}

static void commit(struct array_entry *e, const struct event_file *file, const struct hit *hit,
		   bool keep)
{
	struct array_buffer *ab = &file->tr->array_buffer;

	if (e->staged) {
		ab->staged--;
		/* kernel: copied to the buffer that was in use when it arrived */
		if (keep && file->tr->tracing_on)
			write_whole(file->tr, e->buffer, hit);
	}
	if (!e->event)
		return;
	if (keep)
		ring_buffer_unlock_commit(e->buffer, hit->cpu);
	else
		ring_buffer_discard_commit(e->buffer, hit->cpu, e->event);
	if (file->synth)
		ring_buffer_nest_end(e->buffer, hit->cpu);
}

void array_buffer_commit(struct array_entry *e, const struct event_file *file,
			 const struct hit *hit, bool keep)
{
	if (!file->tr->array_buffer.recording)
		return;
	commit(e, file, hit, keep);
	if (keep)
		after_commit(file, hit);
}

void array_buffer_reserve_mark(struct array_entry *e, struct trace_array *tr, const struct hit *hit)
{
	struct array_buffer *ab = &tr->array_buffer;

	*e = (struct array_entry){ .buffer = ab->buffer };
	if (!ab->marking)
		return;
	e->event = reserve(tr, e->buffer, hit);
}

void array_buffer_commit_mark(struct array_entry *e, struct trace_array *tr, const struct hit *hit)
{
	if (!e->event)
		return;
	ring_buffer_unlock_commit(e->buffer, hit->cpu);
	if (hit->context->recorded)
		hit->context->recorded(hit->context->arg, tr, hit);
}

void array_buffer_write(struct trace_array *tr, const struct hit *hit)
{
	struct array_buffer *ab = &tr->array_buffer;

	if (!ab->marking || !tr->tracing_on)
		return;
	write_whole(tr, ab->buffer, hit);
	if (hit->context->recorded)
		hit->context->recorded(hit->context->arg, tr, hit);
}
