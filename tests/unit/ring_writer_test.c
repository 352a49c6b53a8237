// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The buffer of a replay contains what the kernel's does after the same writes: random sizes,
 * layouts and modes, events of all lengths, events that generate events, discards, times that step
 * far ahead or back. The kernel's algorithm is in kernel_ring; that it does what kernels do is
 * tested there.
 *
 * HIST_TEST_OPS=N runs N operations (make check: 300000), HIST_TEST_SEED=N sets the seed.
 */
#include "unit.h"

#include "kernel_ring/whole.h"
#include "ring_writer/ring_writer.h"

enum { CPUS = 2, LEVELS = 8, PAGE = 4096 };

static struct {
	u64 now, seed;
	struct kernel_ring *theirs;
	struct trace_buffer *ours;
	u32 depth; /* number of open events, all of CPU ->cpu */
	u32 cpu;
	struct {
		struct kernel_ring_event *theirs;
		struct ring_buffer_event *ours;
		bool nested;
	} open[LEVELS];
} sim;

static u32 rnd(u32 n)
{
	sim.seed ^= sim.seed << 13;
	sim.seed ^= sim.seed >> 7;
	sim.seed ^= sim.seed << 17;
	return (u32)(sim.seed >> 32) % n;
}

static u64 clock_now(void *arg, u32 cpu)
{
	(void)arg;
	(void)cpu;
	return sim.now;
}

static void new_buffers(void)
{
	const struct ring_buffer_layout layout = { rnd(2), rnd(2) ? 8 : 4, PAGE << rnd(2) };
	const size_t size = rnd(3) ? rnd(4 * PAGE) : rnd(100 * PAGE);
	const bool overwrite = rnd(4);

	assert_int_equal(ring_buffer_alloc(&(struct ring_buffer_options){ .nr_cpus = CPUS,
									  .size = size,
									  .overwrite = overwrite,
									  .layout = layout },
					   &sim.ours),
			 0);
	assert_int_equal(
		kernel_ring_alloc(&(struct kernel_ring_options){ .nr_cpus = CPUS,
								 .size = size,
								 .overwrite = overwrite,
								 .layout = layout,
								 .host = { .clock = clock_now } },
				  &sim.theirs),
		0);
}

/* Theirs has its memory at once, and keeps old bytes in it where nothing is written. */
static void ready(void)
{
	for (u32 cpu = 0; cpu < CPUS; cpu++) {
		const struct kernel_ring_per_cpu *ring = sim.theirs->buffers[cpu];

		if (!local_read(&ring->entries_bytes))
			memset(ring->data, 0, ring->nr_pages * sim.theirs->layout.subbuf_size);
		assert_int_equal(ring_buffer_ready(sim.ours, cpu), 0);
	}
}

/* --- what they contain --- */

static void check_stats(u32 cpu)
{
	struct kernel_ring_stats theirs;
	struct ring_buffer_stats ours;

	kernel_ring_stats(sim.theirs, cpu, &theirs);
	ring_buffer_stats(sim.ours, cpu, &ours);
	assert_false(theirs.broken);
	assert_int_equal(ours.entries, theirs.entries);
	assert_int_equal(ours.overrun, theirs.overrun);
	assert_int_equal(ours.commit_overrun, theirs.commit_overrun);
	assert_int_equal(ours.dropped_events, theirs.dropped_events);
	assert_int_equal(ours.bytes, theirs.bytes);
	assert_int_equal(ours.oldest_event_ts, theirs.oldest_event_ts);
	assert_int_equal(ring_buffer_size(sim.ours, cpu), kernel_ring_size(sim.theirs, cpu));
}

/* Sub-buffer by sub-buffer; theirs begin with that of the reader, which is empty. */
static void check_pages(u32 cpu)
{
	struct ring_buffer_walk walk = { .buffer = sim.ours, .cpu = cpu };
	struct kernel_ring_walk theirs;
	const u8 *bytes, *wanted;
	size_t len, wanted_len;

	assert_int_equal(kernel_ring_read_start(&theirs, sim.theirs, cpu), 0);
	assert_int_equal(kernel_ring_walk_page(&theirs, &wanted, &wanted_len), 0);
	while (!kernel_ring_walk_page(&theirs, &wanted, &wanted_len)) {
		struct ring_buffer_page pg;

		assert_int_equal(ring_buffer_walk_page(&walk, &bytes, &len), 0);
		assert_int_equal(len, wanted_len);
		assert_int_equal(ring_buffer_page_open(&pg, &sim.theirs->layout, bytes, len), 0);
		/* what was written before is not read */
		assert_memory_equal(bytes, wanted, (size_t)(pg.end - bytes));
	}
	assert_int_equal(ring_buffer_walk_page(&walk, &bytes, &len), 1);
	kernel_ring_read_finish(&theirs);
}

static void check_all(void)
{
	for (u32 cpu = 0; cpu < CPUS; cpu++) {
		check_stats(cpu);
		check_pages(cpu);
	}
	assert_int_equal(ring_buffer_subbuf_order_get(sim.ours),
			 kernel_ring_subbuf_order_get(sim.theirs));
	assert_int_equal(ring_buffer_subbuf_size_get(sim.ours),
			 kernel_ring_subbuf_size_get(sim.theirs));
}

/* --- what is done to them --- */

static void step_clock(void)
{
	switch (rnd(40)) {
	case 0:
		sim.now += 1ull << (24 + rnd(38));
		break;
	case 1:
		sim.now -= rnd(100000);
		break;
	default:
		sim.now += rnd(3) * rnd(1000);
	}
}

static void open_event(void)
{
	static const u32 lengths[] = { 12, 130, 600, PAGE + 100 };
	const size_t length = rnd(lengths[rnd(ARRAY_SIZE(lengths))]);
	const bool nested = rnd(4);
	struct kernel_ring_event *theirs;
	struct ring_buffer_event *ours;

	if (nested) {
		kernel_ring_nest_start(sim.theirs, sim.cpu);
		ring_buffer_nest_start(sim.ours, sim.cpu);
	}
	theirs = kernel_ring_lock_reserve(sim.theirs, sim.cpu, length);
	ours = ring_buffer_lock_reserve(sim.ours, sim.cpu, length, sim.now);
	assert_int_equal(!ours, !theirs);
	if (!ours && nested) {
		kernel_ring_nest_end(sim.theirs, sim.cpu);
		ring_buffer_nest_end(sim.ours, sim.cpu);
	}
	if (!ours)
		return;
	memset(kernel_ring_event_data(sim.theirs, theirs), (int)sim.now, length);
	memset(ring_buffer_event_data(sim.ours, ours), (int)sim.now, length);
	sim.open[sim.depth].theirs = theirs;
	sim.open[sim.depth].ours = ours;
	sim.open[sim.depth++].nested = nested;
}

static void close_event(void)
{
	sim.depth--;
	if (rnd(5)) {
		kernel_ring_unlock_commit(sim.theirs, sim.cpu);
		ring_buffer_unlock_commit(sim.ours, sim.cpu);
	} else {
		kernel_ring_discard_commit(sim.theirs, sim.cpu, sim.open[sim.depth].theirs);
		ring_buffer_discard_commit(sim.ours, sim.cpu, sim.open[sim.depth].ours);
	}
	if (sim.open[sim.depth].nested) {
		kernel_ring_nest_end(sim.theirs, sim.cpu);
		ring_buffer_nest_end(sim.ours, sim.cpu);
	}
}

/* What a script does between events. */
static void change_buffers(void)
{
	const u32 cpu = rnd(CPUS + 1), what = rnd(8);

	switch (what) {
	case 0:
		kernel_ring_change_overwrite(sim.theirs, cpu);
		ring_buffer_change_overwrite(sim.ours, cpu);
		return;
	case 1:
		assert_int_equal(ring_buffer_resize(sim.ours, 1000 * cpu, cpu),
				 kernel_ring_resize(sim.theirs, 1000 * cpu, cpu));
		break;
	case 2:
		assert_int_equal(ring_buffer_subbuf_order_set(sim.ours, cpu),
				 kernel_ring_subbuf_order_set(sim.theirs, cpu));
		break;
	case 3:
		kernel_ring_reset(sim.theirs);
		ring_buffer_reset(sim.ours, RING_BUFFER_ALL_CPUS);
		break;
	case 4:
		kernel_ring_reset_cpu(sim.theirs, cpu);
		ring_buffer_reset(sim.ours, cpu);
		break;
	default:
		kernel_ring_free(sim.theirs);
		ring_buffer_free(sim.ours);
		new_buffers();
	}
	ready();
}

static void test_as_the_kernel(void **state)
{
	const char *ops = getenv("HIST_TEST_OPS"), *seed = getenv("HIST_TEST_SEED");

	(void)state;
	sim.seed = seed ? strtoull(seed, NULL, 10) * 0x9e3779b97f4a7c15ull | 1
			: 88172645463325252ull;
	sim.now = 1000;
	new_buffers();
	ready();
	for (u64 n = ops ? strtoull(ops, NULL, 10) : 300000; n; n--) {
		step_clock();
		if (!sim.depth) {
			sim.cpu = rnd(CPUS);
			if (!rnd(2000))
				change_buffers();
		}
		if (!sim.depth || (sim.depth < LEVELS && rnd(5) < 2))
			open_event();
		else
			close_event();
		if (!rnd(100))
			check_all();
	}
	kernel_ring_free(sim.theirs);
	ring_buffer_free(sim.ours);
}

static void test_what_cannot_be(void **state)
{
	struct ring_buffer_options o = { .nr_cpus = 1, .layout = { false, 8, 4095 } };
	struct ring_buffer_event *event;
	struct trace_buffer *buffer;
	struct ring_buffer_stats stats;

	(void)state;
	assert_int_equal(ring_buffer_alloc(&o, &buffer), -HIST_EINVAL);
	o.layout.subbuf_size = 2 << 20;
	assert_int_equal(ring_buffer_alloc(&o, &buffer), -HIST_EINVAL);
	o.layout = (struct ring_buffer_layout){ false, 5, PAGE };
	assert_int_equal(ring_buffer_alloc(&o, &buffer), -HIST_EINVAL);
	o.layout.long_size = 8;
	o.nr_cpus = 0;
	assert_int_equal(ring_buffer_alloc(&o, &buffer), -HIST_EINVAL);

	/* as for a file that claims many CPUs: 23 GB, were it not for the first record of each */
	o.nr_cpus = 1 << 14;
	o.size = 1441792;
	assert_int_equal(ring_buffer_alloc(&o, &buffer), 0);
	assert_int_equal(ring_buffer_size(buffer, 0), 354 * 4080);
	assert_int_equal(ring_buffer_size(buffer, o.nr_cpus), 0);
	assert_null(ring_buffer_lock_reserve(buffer, 0, 4, 1));
	assert_int_equal(ring_buffer_ready(buffer, 0), 0);
	assert_int_equal(ring_buffer_ready(buffer, o.nr_cpus), 0);
	event = ring_buffer_lock_reserve(buffer, 0, 4, 1);
	assert_non_null(event);
	ring_buffer_unlock_commit(buffer, 0);
	ring_buffer_stats(buffer, 0, &stats);
	assert_int_equal(stats.entries, 1);
	ring_buffer_stats(buffer, 1, &stats);
	assert_int_equal(stats.entries, 0);
	ring_buffer_stats(buffer, o.nr_cpus, &stats);
	assert_int_equal(stats.entries, 0);
	assert_int_equal(ring_buffer_resize(buffer, 8192, o.nr_cpus), -HIST_EINVAL);
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, 9), -HIST_EINVAL);
	assert_int_equal(ring_buffer_subbuf_order_set(buffer, 32), -HIST_EINVAL);
	ring_buffer_nest_start(buffer, o.nr_cpus);
	ring_buffer_nest_end(buffer, o.nr_cpus);

	/* another size: empty again, and without memory */
	assert_int_equal(ring_buffer_resize(buffer, 8 << 10, RING_BUFFER_ALL_CPUS), 0);
	assert_int_equal(ring_buffer_size(buffer, 0), 3 * 4080);
	assert_null(ring_buffer_lock_reserve(buffer, 0, 4, 1));
	ring_buffer_free(buffer);
	ring_buffer_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_as_the_kernel),
		TEST(test_what_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
