// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The writing side of the ring buffer.
 *
 * Each CPU has a ring of sub-buffers. Three of them advance along it, always in this order:
 *
 *	head    the oldest sub-buffer; only a writer that overwrites it moves it
 *	commit  everything up to here is complete and may be read
 *	tail    the next event is written here
 *
 * Events that are reserved while another one is form a stack. The lowest one commits for all: until
 * then its sub-buffer cannot be overwritten, and what the others wrote is not read. An event that
 * does not fit is preceded by padding to the end of the sub-buffer.
 *
 * An event stores the time since the previous one. Of an event that was discarded, or had no space,
 * only ->before_stamp has the time; it differs from ->write_stamp then, and the next event stores
 * its own time in an absolute stamp.
 *
 * A kernel has another sub-buffer, that of its reader, which is empty here.
 *
 * Corresponds to: ring_buffer.c ring_buffer_lock_reserve(), __rb_reserve_next(), rb_move_tail(),
 * rb_end_commit(), ring_buffer_discard_commit(), trace_recursive_lock(), ring_buffer_resize() @
 * v6.12.
 */
#include "ring_writer/ring_writer.h"
#include "ring_writer/event_words.h"

enum { PAGE_SIZE_MIN = 4096, SUBBUF_SIZE_MAX = 1 << 20, CPUS_MAX = 1 << 16 };

struct buffer_page {
	u64 time_stamp; /* of its first event */
	size_t write;   /* index of the next event */
	size_t commit;  /* index up to which events are complete */
	u64 entries;    /* number of events, without discarded ones */
};

struct ring_buffer_per_cpu {
	size_t nr_pages;
	struct buffer_page *pages; /* NULL: not allocated yet */
	u8 *data; /* memory of all sub-buffers; their headers are written by readers */
	size_t head, commit, tail; /* indices of pages */
	u32 current_context, nest; /* see rb_recursive_lock() */
	u32 committing;            /* number of reserved events */
	u64 write_stamp, before_stamp;
	u64 entries, entries_bytes, overrun, commit_overrun, dropped_events;
};

struct trace_buffer {
	struct ring_buffer_layout layout; /* of the current sub-buffer order */
	u32 page_size, order, nr_cpus;
	bool overwrite;
	size_t max_data_size;
	struct ring_buffer_per_cpu *buffers;
};

/* Bytes of events in a sub-buffer. */
static size_t rb_capacity(const struct trace_buffer *buffer)
{
	return buffer->layout.subbuf_size - ring_buffer_header_size(&buffer->layout);
}

/* The bytes at @index of a sub-buffer's events. */
static u8 *rb_place(const struct trace_buffer *buffer, const struct ring_buffer_per_cpu *cpu_buffer,
		    size_t page, size_t index)
{
	return cpu_buffer->data + page * buffer->layout.subbuf_size +
	       ring_buffer_header_size(&buffer->layout) + index;
}

/* --- one event on each level --- */

/* Bits of a level: one for its event, and a lower one for another event that interrupts it. */
enum { CTX_TRANSITION, CTX_NORMAL = 4, NESTED_BITS };

/* True: the event would be the third of its level. */
static bool rb_recursive_lock(struct ring_buffer_per_cpu *cpu_buffer)
{
	u32 nest = cpu_buffer->nest;
	u32 bit;

	if (unlikely(nest + NESTED_BITS > 32))
		return true;
	bit = 1u << (CTX_NORMAL + nest);
	if (unlikely(cpu_buffer->current_context & bit))
		bit = 1u << (CTX_TRANSITION + nest);
	if (unlikely(cpu_buffer->current_context & bit))
		return true;
	cpu_buffer->current_context |= bit;
	return false;
}

/* Clear the lowest set bit of the level: it is the innermost event, which ends first. */
static void rb_recursive_unlock(struct ring_buffer_per_cpu *cpu_buffer)
{
	cpu_buffer->current_context &= cpu_buffer->current_context - (1u << cpu_buffer->nest);
}

void ring_buffer_nest_start(struct trace_buffer *buffer, u32 cpu)
{
	if (cpu < buffer->nr_cpus)
		buffer->buffers[cpu].nest += NESTED_BITS;
}

void ring_buffer_nest_end(struct trace_buffer *buffer, u32 cpu)
{
	if (cpu < buffer->nr_cpus)
		buffer->buffers[cpu].nest -= NESTED_BITS;
}

/* --- commit --- */

/* Commit everything up to the tail, unless an event that was reserved before is still written. */
static void rb_commit_as_lowest(struct ring_buffer_per_cpu *cpu_buffer)
{
	if (cpu_buffer->committing > 1)
		return;
	for (;; cpu_buffer->commit = (cpu_buffer->commit + 1) % cpu_buffer->nr_pages) {
		struct buffer_page *page = &cpu_buffer->pages[cpu_buffer->commit];

		page->commit = page->write;
		if (cpu_buffer->commit == cpu_buffer->tail)
			return;
	}
}

static void rb_end_commit(struct ring_buffer_per_cpu *cpu_buffer)
{
	rb_commit_as_lowest(cpu_buffer);
	cpu_buffer->committing--;
	rb_recursive_unlock(cpu_buffer);
}

void ring_buffer_unlock_commit(struct trace_buffer *buffer, u32 cpu)
{
	buffer->buffers[cpu].entries++;
	rb_end_commit(&buffer->buffers[cpu]);
}

void ring_buffer_discard_commit(struct trace_buffer *buffer, u32 cpu,
				struct ring_buffer_event *event)
{
	const bool big = buffer->layout.big_endian;
	struct ring_buffer_per_cpu *cpu_buffer = &buffer->buffers[cpu];
	size_t at = (size_t)((u8 *)event - cpu_buffer->data) / buffer->layout.subbuf_size;
	struct buffer_page *page = &cpu_buffer->pages[at];
	u8 *data = rb_skip_stamp(event, big);
	const size_t length = rb_event_length(data, big);
	const bool stamped = data != (u8 *)event;

	rb_store_padding(data, length, rb_event_delta(data, big), big);
	page->entries--;
	/* the space is released if nothing was written after it */
	if (at == cpu_buffer->tail &&
	    data + length == rb_place(buffer, cpu_buffer, at, page->write)) {
		cpu_buffer->before_stamp = 0;
		page->write -= (size_t)(data + length - (u8 *)event);
		/* kernel: of an event with a time stamp, only the length of the stamp */
		cpu_buffer->entries_bytes -= stamped ? RB_LEN_TIME_EXTEND : length;
	}
	rb_end_commit(cpu_buffer);
}

/* --- reserve --- */

/* An event does not fit at @tail of the last sub-buffer: pad that to its end. */
static void rb_reset_tail(struct trace_buffer *buffer, struct ring_buffer_per_cpu *cpu_buffer,
			  size_t tail)
{
	const bool big = buffer->layout.big_endian;
	const size_t left = rb_capacity(buffer) - tail;
	u8 *event = rb_place(buffer, cpu_buffer, cpu_buffer->tail, tail);

	if (left >= RB_EVNT_MIN_SIZE) {
		rb_store_padding(event, left, 1, big);
		cpu_buffer->entries_bytes += left;
		cpu_buffer->pages[cpu_buffer->tail].write = tail + left;
	} else if (left) {
		/* too small for any event: a single word that marks the rest as unused */
		rb_event_store(event, RINGBUF_TYPE_PADDING, 0, big);
	}
}

/* An event does not fit at @tail: go on to the next sub-buffer; false: there is no space. */
static bool rb_move_tail(struct trace_buffer *buffer, struct ring_buffer_per_cpu *cpu_buffer,
			 size_t tail)
{
	const size_t next = (cpu_buffer->tail + 1) % cpu_buffer->nr_pages;
	const bool full = next == cpu_buffer->head;
	bool moves = true;

	if (unlikely(next == cpu_buffer->commit)) {
		cpu_buffer->commit_overrun++;
		moves = false;
	} else if (full && !buffer->overwrite) {
		cpu_buffer->dropped_events++;
		moves = false;
	} else if (full) {
		cpu_buffer->overrun += cpu_buffer->pages[next].entries;
		cpu_buffer->entries_bytes -= cpu_buffer->pages[next].commit;
		cpu_buffer->head = (next + 1) % cpu_buffer->nr_pages;
	}
	rb_reset_tail(buffer, cpu_buffer, tail);
	if (moves) {
		cpu_buffer->pages[next] = (struct buffer_page){ .write = 0 };
		cpu_buffer->tail = next;
		/* so that uncommitted data does not fill a small ring */
		rb_commit_as_lowest(cpu_buffer);
	}
	return moves;
}

/* Which time stamp is stored before an event at the end of @page; 0: none, the delta suffices. */
static u32 rb_stamp_of(const struct ring_buffer_per_cpu *cpu_buffer, const struct buffer_page *page,
		       u64 ts)
{
	if (!page->write)
		return 0; /* the header of the sub-buffer has the time */
	if (unlikely(cpu_buffer->before_stamp != cpu_buffer->write_stamp))
		return RINGBUF_TYPE_TIME_STAMP;
	return unlikely(ts - cpu_buffer->write_stamp > TS_MASK) ? RINGBUF_TYPE_TIME_EXTEND : 0;
}

/* Store the header of an event, of @length bytes, and its time stamp; @delta: since the last one */
static void rb_store_event(u8 *event, size_t length, u32 stamp, u64 ts, u64 delta, bool big)
{
	if (likely(!stamp)) {
		rb_store_data(event, length, (u32)delta, big);
		return;
	}
	/* more than 59 bits: the clock went backwards */
	rb_store_stamp(event, stamp,
		       stamp == RINGBUF_TYPE_TIME_STAMP ? ts
		       : delta > 1ull << 59             ? 0
							: delta,
		       big);
	rb_store_data(event + RB_LEN_TIME_EXTEND, length, 0, big);
}

struct ring_buffer_event *ring_buffer_lock_reserve(struct trace_buffer *buffer, u32 cpu,
						   size_t length, u64 ts)
{
	struct ring_buffer_per_cpu *cpu_buffer = cpu < buffer->nr_cpus ? &buffer->buffers[cpu]
								       : NULL;
	struct buffer_page *page;
	size_t size;
	u32 stamp;
	u8 *event;

	if (unlikely(!cpu_buffer || !cpu_buffer->pages || length > buffer->max_data_size ||
		     rb_recursive_lock(cpu_buffer)))
		return NULL;
	cpu_buffer->committing++;
	length = rb_calculate_event_length(length);
	for (;;) {
		page = &cpu_buffer->pages[cpu_buffer->tail];
		stamp = rb_stamp_of(cpu_buffer, page, ts);
		size = length + (stamp ? RB_LEN_TIME_EXTEND : 0);
		cpu_buffer->before_stamp = ts;
		if (likely(page->write + size <= rb_capacity(buffer)))
			break;
		if (!rb_move_tail(buffer, cpu_buffer, page->write)) {
			rb_end_commit(cpu_buffer);
			return NULL;
		}
	}
	event = rb_place(buffer, cpu_buffer, cpu_buffer->tail, page->write);
	rb_store_event(event, length, stamp, ts, page->write ? ts - cpu_buffer->write_stamp : 0,
		       buffer->layout.big_endian);
	if (!page->write)
		page->time_stamp = ts;
	page->write += size;
	page->entries++;
	cpu_buffer->entries_bytes += size;
	cpu_buffer->write_stamp = ts;
	return (struct ring_buffer_event *)event;
}

void *ring_buffer_event_data(const struct trace_buffer *buffer, struct ring_buffer_event *event)
{
	return rb_event_data(event, buffer->layout.big_endian);
}

/* --- the buffer as a whole --- */

/* Free its ring, which has @nr_pages from now on. */
static void rb_set_pages(struct ring_buffer_per_cpu *cpu_buffer, size_t nr_pages)
{
	free(cpu_buffer->pages);
	free(cpu_buffer->data);
	*cpu_buffer = (struct ring_buffer_per_cpu){ .nr_pages = nr_pages };
}

int ring_buffer_ready(struct trace_buffer *buffer, u32 cpu)
{
	struct ring_buffer_per_cpu *cpu_buffer = cpu < buffer->nr_cpus ? &buffer->buffers[cpu]
								       : NULL;

	if (!cpu_buffer || likely(cpu_buffer->pages))
		return 0;
	/* sub-buffers use no memory before the first write */
	cpu_buffer->data = calloc(cpu_buffer->nr_pages, buffer->layout.subbuf_size);
	if (cpu_buffer->data)
		cpu_buffer->pages = calloc(cpu_buffer->nr_pages, sizeof(*cpu_buffer->pages));
	if (cpu_buffer->pages)
		return 0;
	rb_set_pages(cpu_buffer, cpu_buffer->nr_pages);
	return HIST_NOMEM;
}

int ring_buffer_resize(struct trace_buffer *buffer, size_t size, u32 cpu)
{
	const size_t capacity = rb_capacity(buffer);
	const size_t pages = max_t(size_t, size / capacity + !!(size % capacity), 2);

	if (cpu != RING_BUFFER_ALL_CPUS && cpu >= buffer->nr_cpus)
		return -HIST_EINVAL;
	for (u32 i = 0; i < buffer->nr_cpus; i++)
		if (cpu == RING_BUFFER_ALL_CPUS || cpu == i)
			rb_set_pages(&buffer->buffers[i], pages);
	return 0;
}

int ring_buffer_subbuf_order_set(struct trace_buffer *buffer, u32 order)
{
	if (order > 20 || (u64)buffer->page_size << order > SUBBUF_SIZE_MAX)
		return -HIST_EINVAL;
	for (u32 cpu = 0; cpu < buffer->nr_cpus && order != buffer->order; cpu++) {
		const size_t size = ring_buffer_size(buffer, cpu);

		buffer->layout.subbuf_size = buffer->page_size << order;
		ring_buffer_resize(buffer, size, cpu);
		buffer->layout.subbuf_size = buffer->page_size << buffer->order;
	}
	buffer->layout.subbuf_size = buffer->page_size << order;
	buffer->order = order;
	return 0;
}

u32 ring_buffer_subbuf_order_get(const struct trace_buffer *buffer)
{
	return buffer->order;
}

u32 ring_buffer_subbuf_size_get(const struct trace_buffer *buffer)
{
	return buffer->layout.subbuf_size;
}

size_t ring_buffer_size(const struct trace_buffer *buffer, u32 cpu)
{
	return cpu < buffer->nr_cpus ? rb_capacity(buffer) * buffer->buffers[cpu].nr_pages : 0;
}

int ring_buffer_alloc(const struct ring_buffer_options *options, struct trace_buffer **out)
{
	const u32 page = options->layout.subbuf_size, word = options->layout.long_size;
	struct trace_buffer *buffer;

	if (!options->nr_cpus || options->nr_cpus > CPUS_MAX || page < PAGE_SIZE_MIN ||
	    page > SUBBUF_SIZE_MAX || page & (page - 1) || (word != 4 && word != 8))
		return -HIST_EINVAL;
	buffer = calloc(1, sizeof(*buffer));
	if (buffer)
		buffer->buffers = calloc(options->nr_cpus, sizeof(*buffer->buffers));
	if (!buffer || !buffer->buffers) {
		free(buffer);
		return HIST_NOMEM;
	}
	buffer->layout = options->layout;
	buffer->nr_cpus = options->nr_cpus;
	buffer->page_size = page;
	buffer->overwrite = options->overwrite;
	/* kernel: always the capacity of a sub-buffer of order 0 minus a length word and a header
	 */
	buffer->max_data_size = rb_capacity(buffer) - 8;
	*out = buffer;
	return ring_buffer_resize(buffer, options->size, RING_BUFFER_ALL_CPUS);
}

void ring_buffer_free(struct trace_buffer *buffer)
{
	if (!buffer)
		return;
	for (u32 cpu = 0; cpu < buffer->nr_cpus; cpu++)
		rb_set_pages(&buffer->buffers[cpu], 0);
	free(buffer->buffers);
	free(buffer);
}

void ring_buffer_change_overwrite(struct trace_buffer *buffer, bool overwrite)
{
	buffer->overwrite = overwrite;
}

void ring_buffer_reset(struct trace_buffer *buffer, u32 cpu)
{
	for (u32 i = 0; i < buffer->nr_cpus; i++)
		if (cpu == RING_BUFFER_ALL_CPUS || cpu == i)
			rb_set_pages(&buffer->buffers[i], buffer->buffers[i].nr_pages);
}

/* --- reading --- */

void ring_buffer_stats(const struct trace_buffer *buffer, u32 cpu, struct ring_buffer_stats *stats)
{
	const struct ring_buffer_per_cpu *cpu_buffer;

	*stats = (struct ring_buffer_stats){ .entries = 0 };
	if (cpu >= buffer->nr_cpus || !buffer->buffers[cpu].pages)
		return;
	cpu_buffer = &buffer->buffers[cpu];
	stats->overrun = cpu_buffer->overrun;
	stats->entries = cpu_buffer->entries - stats->overrun;
	stats->commit_overrun = cpu_buffer->commit_overrun;
	stats->dropped_events = cpu_buffer->dropped_events;
	stats->bytes = cpu_buffer->entries_bytes;
	stats->oldest_event_ts = cpu_buffer->pages[cpu_buffer->head].time_stamp;
}

int ring_buffer_walk_page(void *source, const u8 **page, size_t *len)
{
	struct ring_buffer_walk *walk = source;
	const struct trace_buffer *buffer = walk->buffer;
	const struct ring_buffer_layout *l = &buffer->layout;
	const struct ring_buffer_per_cpu *cpu_buffer = &buffer->buffers[walk->cpu];
	const size_t n = cpu_buffer->pages
				 ? (cpu_buffer->commit + cpu_buffer->nr_pages - cpu_buffer->head) %
						   cpu_buffer->nr_pages +
					   1
				 : 0;
	size_t at;
	u8 *bytes;

	if (walk->n >= n)
		return 1;
	at = (cpu_buffer->head + walk->n++) % cpu_buffer->nr_pages;
	bytes = cpu_buffer->data + at * l->subbuf_size;
	store_u64(bytes, cpu_buffer->pages[at].time_stamp, l->big_endian);
	rb_store_long(l, bytes + 8, cpu_buffer->pages[at].commit);
	*page = bytes;
	*len = l->subbuf_size;
	return 0;
}
