// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Real concurrency: two CPUs that write at the same time with a reader for both; and writers
 * interrupted by signals, at any instruction, by other writers. Increasing numbers must be read as
 * increasing numbers, with gaps only where lost events were reported.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "unit.h"

#include "kernel_ring/whole.h"

enum { CPUS = 2, CONTEXTS = 3, EVENTS = 60000, SIGNALS = 30000, PAGE = 4096 };

static const struct ring_buffer_layout layout = { HOST_IS_BIG, 8, PAGE };

/* The writer of an event, and its number within its context. */
struct mark {
	u32 context, number, check;
};

static struct kernel_ring *buffer;
static _Atomic bool done;
static _Thread_local volatile sig_atomic_t context;
static _Thread_local volatile u32 numbers[CONTEXTS];

static u64 clock_now(void *arg, u32 cpu)
{
	struct timespec ts;

	(void)arg;
	(void)cpu;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (u64)ts.tv_sec * 1000000000 + (u64)ts.tv_nsec;
}

static enum kernel_ring_context context_now(void *arg, u32 cpu)
{
	(void)arg;
	(void)cpu;
	return (enum kernel_ring_context)context;
}

static void start(size_t size, bool overwrite)
{
	const struct kernel_ring_options options = {
		.nr_cpus = CPUS,
		.size = size,
		.overwrite = overwrite,
		.layout = layout,
		.host = { .clock = clock_now, .context = context_now },
	};

	atomic_store(&done, false);
	assert_int_equal(kernel_ring_alloc(&options, &buffer), 0);
}

/* Write an event with the next number of its context; some are discarded, some come in pairs. */
static void write_mark(u32 cpu)
{
	u32 who = (u32)context, number = numbers[who];
	struct mark mark = { who, number, number ^ 0x5a5a5a5a };
	struct kernel_ring_event *event;
	u8 *data;

	event = kernel_ring_lock_reserve(buffer, cpu, sizeof(mark) + number % 100);
	if (!event)
		return;
	data = kernel_ring_event_data(buffer, event);
	memset(data + sizeof(mark), (int)number, number % 100);
	memcpy(data, &mark, sizeof(mark));
	if (number % 7 == 3)
		kernel_ring_discard_commit(buffer, cpu, event);
	else
		kernel_ring_unlock_commit(buffer, cpu);
	numbers[who] = number + 1;
}

/* --- reading --- */

struct reading {
	u32 next[CONTEXTS]; /* the next number if none is lost */
	u64 ts, read, missed;
	bool unknown; /* an unknown number of further events was lost */
};

static void check_record(struct reading *r, const struct ring_buffer_record *rec)
{
	struct mark mark;

	assert_true(rec->len >= sizeof(mark));
	memcpy(&mark, rec->data, sizeof(mark));
	assert_true(mark.context < CONTEXTS);
	assert_int_equal(mark.check, mark.number ^ 0x5a5a5a5a);
	for (u32 i = 0; i < mark.number % 100; i++)
		assert_int_equal(rec->data[sizeof(mark) + i], (u8)mark.number);
	assert_int_not_equal(mark.number % 7, 3);
	assert_true(mark.number >= r->next[mark.context]);
	r->next[mark.context] = mark.number + 1;
	assert_true(rec->ts + 1 >= r->ts); /* padding of delta 1 may mean 0 */
	r->ts = rec->ts;
	r->read++;
}

/* Read a page; whether there was one. */
static bool read_page(struct reading *r, u32 cpu)
{
	_Alignas(8) u8 bytes[PAGE];
	struct ring_buffer_page pg;
	struct ring_buffer_record rec;

	if (kernel_ring_read_page(buffer, cpu, bytes, false))
		return false;
	assert_int_equal(ring_buffer_page_open(&pg, &layout, bytes, PAGE), 0);
	r->unknown |= pg.missed < 0;
	r->missed += pg.missed > 0 ? (u64)pg.missed : 0;
	while (!ring_buffer_page_next(&pg, &rec))
		check_record(r, &rec);
	assert_false(pg.damaged);
	return true;
}

static void *reader(void *arg)
{
	struct reading *readings = arg;
	bool last, more = true;

	while (more) {
		last = atomic_load(&done);
		more = !last;
		for (u32 cpu = 0; cpu < CPUS; cpu++)
			more |= read_page(&readings[cpu], cpu);
		if (!last)
			sched_yield();
	}
	return NULL;
}

static void check_end(const struct reading *r, u32 cpu, u64 written)
{
	struct kernel_ring_stats stats;

	kernel_ring_stats(buffer, cpu, &stats);
	assert_false(stats.broken);
	assert_int_equal(stats.entries, 0);
	assert_int_equal(stats.read_events, r->read);
	if (!r->unknown)
		assert_int_equal(stats.overrun, r->missed);
	assert_int_equal(stats.read_events + stats.overrun, written);
}

/* The number of events that are not discarded, of N. */
static u64 kept(u32 n)
{
	return n - (n + 3) / 7;
}

/* --- two CPUs and a reader --- */

static void *writer(void *arg)
{
	u32 cpu = *(u32 *)arg;

	while (numbers[0] < EVENTS)
		write_mark(cpu);
	return NULL;
}

static void run_threads(size_t size, bool overwrite)
{
	struct reading readings[CPUS] = { { .ts = 0 } };
	pthread_t writers[CPUS], thread;
	u32 cpus[CPUS];

	start(size, overwrite);
	assert_int_equal(pthread_create(&thread, NULL, reader, readings), 0);
	for (u32 i = 0; i < CPUS; i++) {
		cpus[i] = i;
		assert_int_equal(pthread_create(&writers[i], NULL, writer, &cpus[i]), 0);
	}
	for (u32 i = 0; i < CPUS; i++)
		pthread_join(writers[i], NULL);
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	for (u32 i = 0; i < CPUS; i++)
		check_end(&readings[i], i, kept(EVENTS));
	kernel_ring_free(buffer);
}

static void test_threads(void **state)
{
	(void)state;
	run_threads(8 << 10, true);
	run_threads(64 << 10, true);
	run_threads(16 << 10, false);
}

/* --- signals --- */

/* SIGUSR1 is an interrupt, SIGUSR2 interrupts it. */
static void on_signal(int sig)
{
	sig_atomic_t below = context;

	context = sig == SIGUSR1 ? 1 : 2;
	write_mark(0);
	write_mark(0);
	context = below;
}

/*
 * Signals that are still pending when the writer ends. They are not ignored, because qemu-user
 * calls SIG_IGN (address 1) if the action changes while a signal is being delivered.
 */
static void on_late_signal(int sig)
{
	(void)sig;
}

static void *interrupted_writer(void *arg)
{
	u32 *written = arg;

	while (!atomic_load(&done))
		write_mark(0);
	for (u32 i = 0; i < CONTEXTS; i++)
		written[i] = numbers[i];
	return NULL;
}

static void set_handlers(void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigaction(SIGUSR1, &action, NULL);
	sigaddset(&action.sa_mask, SIGUSR1);
	sigaction(SIGUSR2, &action, NULL);
}

static void run_signals(size_t size)
{
	struct reading readings[CPUS] = { { .ts = 0 } };
	u32 written[CONTEXTS];
	pthread_t thread;

	start(size, true);
	set_handlers(on_signal);
	assert_int_equal(pthread_create(&thread, NULL, interrupted_writer, written), 0);
	for (u32 i = 0; i < SIGNALS; i++) {
		pthread_kill(thread, i % 3 ? SIGUSR1 : SIGUSR2);
		if (i % 8 == 0)
			read_page(&readings[0], 0);
	}
	set_handlers(on_late_signal);
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	while (read_page(&readings[0], 0))
		;
	check_end(&readings[0], 0, kept(written[0]) + kept(written[1]) + kept(written[2]));
	assert_true(written[1] > 0 && written[2] > 0);
	print_message("# %u events, %u and %u in signals\n", written[0], written[1], written[2]);
	kernel_ring_free(buffer);
}

static void test_signals(void **state)
{
	(void)state;
	run_signals(8 << 10);
	run_signals(256 << 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_threads),
		TEST(test_signals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
