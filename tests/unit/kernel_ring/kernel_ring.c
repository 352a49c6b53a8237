// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The buffer as a whole: allocation, size, clearing, swapping, counters. None of it is called for
 * each event. No event is being written meanwhile, except that kernel_ring_swap_cpu() checks it.
 *
 * Invariant: nr_pages pages are linked in a ring, exactly one pointer in it has the flag HEAD, and
 *            the reader page is the only page outside the ring.
 *
 * Corresponds to: ring_buffer.c alloc_buffer(), kernel_ring_resize(),
 * kernel_ring_subbuf_order_set(), rb_reset_cpu(), kernel_ring_swap_cpu() @ v6.12.
 */
#include "kernel_ring/ring.h"

enum { PAGE_SIZE_MIN = 4096, SUBBUF_SIZE_MAX = 1 << 20, CPUS_MAX = 1 << 16 };

#define SIZE_LIMIT (1ull << 38) /* larger than the memory of any machine for one CPU */

/* As in the kernel, so that turning recording off and on does not undo rb_warn_on(). */
#define RB_BUFFER_OFF (1u << 20)

bool rb_warn_on_slow(struct kernel_ring_per_cpu *cpu_buffer)
{
	atomic_fetch_add_explicit(&cpu_buffer->record_disabled, 1, memory_order_relaxed);
	return true;
}

/* --- rings --- */

/* The memory of a ring and its reader page; NULL: not allocated yet. */
struct rb_ring {
	struct buffer_page *pages;
	u8 *data;
	size_t nr_pages;
};

static void rb_free_ring(struct rb_ring *ring)
{
	free(ring->pages);
	free(ring->data);
}

/* Sub-buffers are zeroed and use no memory before the first write. */
static int rb_alloc_ring(struct rb_ring *ring, size_t nr_pages, size_t subbuf_size)
{
	*ring = (struct rb_ring){ .nr_pages = nr_pages };
	ring->data = calloc(nr_pages + 1, subbuf_size);
	ring->pages = ring->data ? calloc(nr_pages + 1, sizeof(*ring->pages)) : NULL;
	if (!ring->pages) {
		rb_free_ring(ring);
		return HIST_NOMEM;
	}
	for (size_t i = 0; i <= nr_pages; i++)
		ring->pages[i].page = ring->data + i * subbuf_size;
	return 0;
}

static void rb_link(struct buffer_page *page, struct buffer_page *next, enum rb_page_flag flag)
{
	atomic_store_explicit(&page->next, (uintptr_t)next | flag, memory_order_relaxed);
	rb_set_prev(next, page);
}

static void rb_reset_cpu(struct kernel_ring_per_cpu *cpu_buffer)
{
	struct buffer_page *pages = cpu_buffer->pages;
	size_t n = cpu_buffer->nr_pages;

	if (!pages)
		return;
	for (size_t i = 0; i <= n; i++) {
		local_set(&pages[i].write, 0);
		local_set(&pages[i].entries, 0);
		local_set(&pages[i].commit, 0);
		pages[i].time_stamp = 0;
		pages[i].real_end = pages[i].read = 0;
	}
	for (size_t i = 0; i < n; i++)
		rb_link(&pages[i], &pages[(i + 1) % n], i + 1 < n ? RB_PAGE_NORMAL : RB_PAGE_HEAD);
	rb_link(&pages[n], &pages[n], RB_PAGE_NORMAL);
	cpu_buffer->reader_page = &pages[n];
	cpu_buffer->head_page = &pages[0];
	atomic_store_explicit(&cpu_buffer->tail_page, &pages[0], memory_order_relaxed);
	atomic_store_explicit(&cpu_buffer->commit_page, &pages[0], memory_order_relaxed);
	local_set(&cpu_buffer->committing, 0);
	local_set(&cpu_buffer->commits, 0);
	local_set(&cpu_buffer->write_stamp, 0);
	local_set(&cpu_buffer->before_stamp, 0);
	local_set(&cpu_buffer->entries, 0);
	local_set(&cpu_buffer->entries_bytes, 0);
	local_set(&cpu_buffer->overrun, 0);
	local_set(&cpu_buffer->commit_overrun, 0);
	local_set(&cpu_buffer->dropped_events, 0);
	cpu_buffer->read_stamp = cpu_buffer->lost_events = cpu_buffer->last_overrun = 0;
	cpu_buffer->read = cpu_buffer->read_bytes = 0;
}

/* Replace the ring, which may be absent. */
static void rb_set_ring(struct kernel_ring_per_cpu *cpu_buffer, const struct rb_ring *ring)
{
	rb_free_ring(&(struct rb_ring){ cpu_buffer->pages, cpu_buffer->data, 0 });
	cpu_buffer->pages = ring->pages;
	cpu_buffer->data = ring->data;
	cpu_buffer->nr_pages = ring->nr_pages;
	cpu_buffer->reader_page = NULL;
	atomic_store_explicit(&cpu_buffer->tail_page, NULL, memory_order_relaxed);
	rb_reset_cpu(cpu_buffer);
}

int kernel_ring_ready(struct kernel_ring *buffer, u32 cpu)
{
	struct kernel_ring_per_cpu *cpu_buffer = cpu < buffer->nr_cpus ? buffer->buffers[cpu]
								       : NULL;
	struct rb_ring ring;

	if (!cpu_buffer || cpu_buffer->pages)
		return 0;
	if (rb_alloc_ring(&ring, cpu_buffer->nr_pages, buffer->layout.subbuf_size))
		return HIST_NOMEM;
	rb_set_ring(cpu_buffer, &ring);
	return 1;
}

/*
 * Make new rings for @cpu or for all CPUs, with sub-buffers of @subbuf_size; all or none.
 * @size: bytes of events; NULL: as many as now
 */
static int rb_new_rings(struct kernel_ring *buffer, const size_t *size, u32 cpu, u32 subbuf_size)
{
	u32 first = cpu == KERNEL_RING_ALL_CPUS ? 0 : cpu;
	u32 n = cpu == KERNEL_RING_ALL_CPUS ? buffer->nr_cpus : 1, done = 0;
	size_t capacity = subbuf_size - ring_buffer_header_size(&buffer->layout);
	struct rb_ring *rings = calloc(n, sizeof(*rings));
	int err = rings ? 0 : HIST_NOMEM;

	while (!err && done < n) {
		size_t bytes = size ? *size : kernel_ring_size(buffer, first + done);
		size_t pages = max_t(size_t, bytes / capacity + !!(bytes % capacity), 2);

		if (buffer->late)
			rings[done].nr_pages = pages;
		else
			err = rb_alloc_ring(&rings[done], pages, subbuf_size);
		done += !err;
	}
	if (!err)
		buffer->layout.subbuf_size = subbuf_size;
	for (u32 i = 0; i < done; i++) {
		struct kernel_ring_per_cpu *cpu_buffer = buffer->buffers[first + i];

		if (err) {
			rb_free_ring(&rings[i]);
			continue;
		}
		cpu_buffer->capacity = capacity;
		rb_set_ring(cpu_buffer, &rings[i]);
	}
	free(rings);
	return err;
}

/* --- size --- */

int kernel_ring_resize(struct kernel_ring *buffer, size_t size, u32 cpu)
{
	u64 wanted = size; /* a size of 32 bits cannot exceed the limit */

	if (cpu != KERNEL_RING_ALL_CPUS && cpu >= buffer->nr_cpus)
		return -HIST_EINVAL;
	if (wanted > SIZE_LIMIT)
		return HIST_NOMEM;
	return rb_new_rings(buffer, &size, cpu, buffer->layout.subbuf_size);
}

int kernel_ring_subbuf_order_set(struct kernel_ring *buffer, u32 order)
{
	int err;

	if (order > 20 || (u64)buffer->page_size << order > SUBBUF_SIZE_MAX)
		return -HIST_EINVAL;
	if (order == buffer->order)
		return 0;
	err = rb_new_rings(buffer, NULL, KERNEL_RING_ALL_CPUS, buffer->page_size << order);
	if (!err)
		buffer->order = order;
	return err;
}

u32 kernel_ring_subbuf_order_get(const struct kernel_ring *buffer)
{
	return buffer->order;
}

u32 kernel_ring_subbuf_size_get(const struct kernel_ring *buffer)
{
	return buffer->layout.subbuf_size;
}

size_t kernel_ring_size(const struct kernel_ring *buffer, u32 cpu)
{
	if (cpu >= buffer->nr_cpus)
		return 0;
	return buffer->buffers[cpu]->capacity * buffer->buffers[cpu]->nr_pages;
}

size_t kernel_ring_max_event_size(const struct kernel_ring *buffer)
{
	bool absolute =
		atomic_load_explicit((_Atomic bool *)&buffer->absolute, memory_order_relaxed);

	return buffer->max_data_size - (absolute ? 8 : 0);
}

/* --- allocation --- */

static int rb_alloc_cpu_buffers(struct kernel_ring *buffer)
{
	size_t size = ALIGN_UP(sizeof(struct kernel_ring_per_cpu), 64);

	buffer->buffers = calloc(buffer->nr_cpus, sizeof(*buffer->buffers));
	if (!buffer->buffers)
		return HIST_NOMEM;
	for (u32 cpu = 0; cpu < buffer->nr_cpus; cpu++) {
		/* separate cache lines: CPUs write at the same time */
		struct kernel_ring_per_cpu *cpu_buffer = aligned_alloc(64, size);

		if (!cpu_buffer)
			return HIST_NOMEM;
		memset(cpu_buffer, 0, size);
		cpu_buffer->buffer = buffer;
		cpu_buffer->cpu = cpu;
		buffer->buffers[cpu] = cpu_buffer;
	}
	return 0;
}

int kernel_ring_alloc(const struct kernel_ring_options *options, struct kernel_ring **out)
{
	u32 page = options->layout.subbuf_size, word = options->layout.long_size;
	struct kernel_ring *buffer;
	int err;

	if (!options->nr_cpus || options->nr_cpus > CPUS_MAX || page < PAGE_SIZE_MIN ||
	    page > SUBBUF_SIZE_MAX || page & (page - 1) || (word != 4 && word != 8) ||
	    !options->host.clock)
		return -HIST_EINVAL;
	buffer = calloc(1, sizeof(*buffer));
	if (!buffer)
		return HIST_NOMEM;
	buffer->layout = options->layout;
	buffer->host = options->host;
	buffer->nr_cpus = options->nr_cpus;
	buffer->page_size = options->layout.subbuf_size;
	buffer->stamps = options->stamps;
	buffer->late = options->late;
	kernel_ring_change_overwrite(buffer, options->overwrite);
	/*
	 * kernel: always the capacity of a sub-buffer of order 0 minus a length word and a header
	 */
	buffer->max_data_size = buffer->page_size - ring_buffer_header_size(&buffer->layout) - 8;
	err = rb_alloc_cpu_buffers(buffer);
	if (!err)
		err = kernel_ring_resize(buffer, options->size, KERNEL_RING_ALL_CPUS);
	if (err) {
		kernel_ring_free(buffer);
		return err;
	}
	*out = buffer;
	return 0;
}

void kernel_ring_free(struct kernel_ring *buffer)
{
	if (!buffer)
		return;
	for (u32 cpu = 0; buffer->buffers && cpu < buffer->nr_cpus; cpu++) {
		struct kernel_ring_per_cpu *cpu_buffer = buffer->buffers[cpu];

		if (!cpu_buffer)
			continue;
		free(cpu_buffer->pages);
		free(cpu_buffer->data);
		free(cpu_buffer);
	}
	free(buffer->buffers);
	free(buffer);
}

/* --- turning recording on and off --- */

void kernel_ring_record_off(struct kernel_ring *buffer)
{
	atomic_fetch_or_explicit(&buffer->record_disabled, RB_BUFFER_OFF, memory_order_relaxed);
}

void kernel_ring_record_on(struct kernel_ring *buffer)
{
	atomic_fetch_and_explicit(&buffer->record_disabled, ~RB_BUFFER_OFF, memory_order_relaxed);
}

bool kernel_ring_record_is_set_on(const struct kernel_ring *buffer)
{
	return !(atomic_load_explicit((_Atomic u32 *)&buffer->record_disabled,
				      memory_order_relaxed) &
		 RB_BUFFER_OFF);
}

void kernel_ring_change_overwrite(struct kernel_ring *buffer, bool overwrite)
{
	atomic_store_explicit(&buffer->overwrite, overwrite, memory_order_relaxed);
}

void kernel_ring_set_time_stamp_abs(struct kernel_ring *buffer, bool absolute)
{
	atomic_store_explicit(&buffer->absolute, absolute, memory_order_relaxed);
}

/* --- all contents --- */

void kernel_ring_reset_cpu(struct kernel_ring *buffer, u32 cpu)
{
	if (cpu < buffer->nr_cpus)
		rb_reset_cpu(buffer->buffers[cpu]);
}

void kernel_ring_reset(struct kernel_ring *buffer)
{
	for (u32 cpu = 0; cpu < buffer->nr_cpus; cpu++)
		rb_reset_cpu(buffer->buffers[cpu]);
}

/* Whether there is a writer, or recording is off. */
static bool rb_is_busy(struct kernel_ring *buffer, u32 cpu)
{
	struct kernel_ring_per_cpu *cpu_buffer = buffer->buffers[cpu];

	return atomic_load_explicit(&buffer->record_disabled, memory_order_relaxed) ||
	       atomic_load_explicit(&cpu_buffer->record_disabled, memory_order_relaxed) ||
	       atomic_load_explicit(&cpu_buffer->current_context, memory_order_relaxed);
}

int kernel_ring_swap_cpu(struct kernel_ring *a, struct kernel_ring *b, u32 cpu)
{
	struct kernel_ring_per_cpu *of_a, *of_b;

	if (cpu >= a->nr_cpus || cpu >= b->nr_cpus ||
	    a->layout.subbuf_size != b->layout.subbuf_size ||
	    a->layout.big_endian != b->layout.big_endian ||
	    a->layout.long_size != b->layout.long_size ||
	    a->buffers[cpu]->nr_pages != b->buffers[cpu]->nr_pages)
		return -HIST_EINVAL;
	if (rb_is_busy(a, cpu) || rb_is_busy(b, cpu))
		return 1;
	of_a = a->buffers[cpu];
	of_b = b->buffers[cpu];
	a->buffers[cpu] = of_b;
	b->buffers[cpu] = of_a;
	of_b->buffer = a;
	of_a->buffer = b;
	return 0;
}

void kernel_ring_stats(const struct kernel_ring *buffer, u32 cpu, struct kernel_ring_stats *stats)
{
	const struct kernel_ring_per_cpu *cpu_buffer;
	const struct buffer_page *oldest;

	*stats = (struct kernel_ring_stats){ .entries = 0 };
	if (cpu >= buffer->nr_cpus || !buffer->buffers[cpu]->pages)
		return;
	cpu_buffer = buffer->buffers[cpu];
	oldest = rb_oldest_page(cpu_buffer);
	stats->overrun = local_read(&cpu_buffer->overrun);
	stats->read_events = cpu_buffer->read;
	stats->entries = local_read(&cpu_buffer->entries) - stats->overrun - stats->read_events;
	stats->commit_overrun = local_read(&cpu_buffer->commit_overrun);
	stats->dropped_events = local_read(&cpu_buffer->dropped_events);
	stats->bytes = local_read(&cpu_buffer->entries_bytes) - cpu_buffer->read_bytes;
	stats->oldest_event_ts = oldest->time_stamp;
	stats->broken = atomic_load_explicit((_Atomic u32 *)&cpu_buffer->record_disabled,
					     memory_order_relaxed);
}
