// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The same few nested events, recorded twice in a ring buffer, with the time stamps of
 * kernels before 5.9 and with those of the article "Accurate timestamps for the ftrace ring
 * buffer".
 *
 * The buffer calls its host to get the time; the host then runs interrupts between reading the
 * clock and reserving space for an event. Other interrupts run after the reservation, while the
 * event is filled in. The names are those of the article.
 *
 * kill_fasync reads the clock first, but is interrupted before it reserves space: it follows the
 * interrupt. Old kernels know the delta only of the event that reserved space first; the nested
 * events after it, and finally kill_fasync itself, have delta 0. New kernels read the clock again
 * after an interruption, and store an absolute time stamp where the previous time is not known.
 * __x64_sys_splice is interrupted both before and after it reserves space; its time cannot be
 * determined then, and its delta is 0.
 */
#include "unit.h"

#include <stdio.h>

#include "kernel_ring/whole.h"

enum { SUBBUF = 4096, EVENTS = 16, START_NS = 1000000, CLOCK_NS = 20 };

/* An event and the events that interrupt it. */
struct demo_event {
	const char *name;
	enum kernel_ring_context context;
	u32 pause;           /* ns before the event */
	u8 before, n_before; /* range of events[] that interrupt it before it has reserved space */
	u8 after, n_after;   /* range of events[] that interrupt it after that */
};

static const struct demo_event events[EVENTS] = {
	{ "kfree", KERNEL_RING_NORMAL, 84, 0, 0, 0, 0 },
	{ "wakeup_pipe_writers", KERNEL_RING_NORMAL, 88, 0, 0, 0, 0 },
	{ "kill_fasync", KERNEL_RING_NORMAL, 95, 3, 5, 0, 0 },
	{ "__sysvec_apic_timer_interrupt", KERNEL_RING_IRQ, 516, 0, 0, 0, 0 },
	{ "hrtimer_interrupt", KERNEL_RING_IRQ, 132, 0, 0, 0, 0 },
	{ "ktime_get_update_offsets_now", KERNEL_RING_IRQ, 95, 8, 2, 0, 0 },
	{ "__hrtimer_run_queues", KERNEL_RING_IRQ, 110, 0, 0, 0, 0 },
	{ "tick_sched_timer", KERNEL_RING_IRQ, 210, 0, 0, 0, 0 },
	{ "default_do_nmi", KERNEL_RING_NMI, 300, 0, 0, 0, 0 },
	{ "perf_event_nmi_handler", KERNEL_RING_NMI, 140, 0, 0, 0, 0 },
	{ "pipe_unlock", KERNEL_RING_NORMAL, 14558, 0, 0, 11, 1 },
	{ "__sysvec_irq_work", KERNEL_RING_IRQ, 230, 0, 0, 0, 0 },
	{ "__x64_sys_splice", KERNEL_RING_NORMAL, 700, 13, 1, 14, 1 },
	{ "__common_interrupt", KERNEL_RING_IRQ, 400, 0, 0, 0, 0 },
	{ "__sysvec_call_function", KERNEL_RING_IRQ, 350, 0, 0, 0, 0 },
	{ "syscall_exit_work", KERNEL_RING_NORMAL, 820, 0, 0, 0, 0 },
};

/* An event as a reader of the buffer sees it. */
struct seen {
	u8 id;
	const char *stored; /* description of how the time is stored */
	u64 delta, ts;
};

struct run {
	struct kernel_ring *buffer;
	u64 now;
	const struct demo_event *writer;
	u32 readings; /* number of clock readings by the current writer */
	bool after_done;
	u64 noted[EVENTS]; /* true time of each event */
	struct seen seen[EVENTS];
	size_t n;
};

static void write_one(struct run *run, u32 id);

static void write_some(struct run *run, u32 first, u32 n)
{
	for (u32 i = first; i < first + n; i++)
		write_one(run, i);
}

/* Run interrupts of the current writer; each ends before the writer continues. */
static void interrupt(struct run *run, u32 first, u32 n)
{
	const struct demo_event *writer = run->writer;
	u32 readings = run->readings;
	bool after_done = run->after_done;

	write_some(run, first, n);
	run->writer = writer;
	run->readings = readings;
	run->after_done = after_done;
}

static u64 demo_clock(void *arg, u32 cpu)
{
	struct run *run = arg;
	const struct demo_event *writer = run->writer;
	u64 now = run->now += CLOCK_NS;

	(void)cpu;
	/* a writer reads the clock again only if it was interrupted before it reserved space */
	if (!run->readings++) {
		interrupt(run, writer->before, writer->n_before);
	} else if (!run->after_done) {
		run->after_done = true;
		interrupt(run, writer->after, writer->n_after);
	}
	return now;
}

static enum kernel_ring_context demo_context(void *arg, u32 cpu)
{
	const struct run *run = arg;

	(void)cpu;
	return run->writer->context;
}

static void write_one(struct run *run, u32 id)
{
	struct kernel_ring_event *event;

	run->writer = &events[id];
	run->readings = 0;
	run->after_done = false;
	run->now += events[id].pause;
	run->noted[id] = run->now;
	event = kernel_ring_lock_reserve(run->buffer, 0, sizeof(u32));
	if (!event)
		return;
	store_u32(kernel_ring_event_data(run->buffer, event), id, HOST_IS_BIG);
	if (!run->after_done)
		interrupt(run, events[id].after, events[id].n_after);
	kernel_ring_unlock_commit(run->buffer, 0);
}

static void read_back(struct run *run, const struct ring_buffer_layout *layout)
{
	_Alignas(8) u8 bytes[SUBBUF];
	const char *stored = "+";
	struct ring_buffer_page pg;
	struct ring_buffer_record rec;
	u64 delta = 0;

	if (kernel_ring_read_page(run->buffer, 0, bytes, false) ||
	    ring_buffer_page_open(&pg, layout, bytes, sizeof(bytes)))
		return;
	while (!ring_buffer_page_raw(&pg, &rec) && run->n < EVENTS) {
		if (rec.type_len > RINGBUF_TYPE_DATA_TYPE_LEN_MAX) {
			stored = rec.type_len == RINGBUF_TYPE_TIME_STAMP ? "=" : "+";
			delta = rec.len >= 4 ? rec.delta + ((u64)load_u32(rec.data, HOST_IS_BIG)
							    << RINGBUF_TS_SHIFT)
					     : 0;
			continue;
		}
		run->seen[run->n++] = (struct seen){ (u8)load_u32(rec.data, HOST_IS_BIG), stored,
						     delta + rec.delta, rec.ts };
		stored = "+";
		delta = 0;
	}
}

static int record(struct run *run, enum kernel_ring_stamps stamps)
{
	const struct kernel_ring_options options = {
		.nr_cpus = 1,
		.size = (size_t)2 * SUBBUF,
		.stamps = stamps,
		.layout = { HOST_IS_BIG, 8, SUBBUF },
		.host = { .clock = demo_clock, .context = demo_context, .arg = run },
	};
	int err;

	*run = (struct run){ .now = START_NS };
	err = kernel_ring_alloc(&options, &run->buffer);
	if (err)
		return err;
	for (u32 i = 0; i < EVENTS; i++)
		if (events[i].context == KERNEL_RING_NORMAL)
			write_one(run, i);
	read_back(run, &options.layout);
	kernel_ring_free(run->buffer);
	return 0;
}

/* --- the table --- */

static void add_seen(struct strbuf *out, const struct run *run, const struct seen *s)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%llu", s->stored, (unsigned long long)s->delta);
	strbuf_addf(out, " %10s %8llu %7lld", text, (unsigned long long)(s->ts - START_NS),
		    (long long)(s->ts - run->noted[s->id]));
}

static void add_table(struct strbuf *out, const struct run *old, const struct run *new)
{
	static const char *const contexts[] = { "task", "softirq", "irq", "nmi" };

	for (size_t i = 0; i < old->n && i < new->n; i++) {
		u32 id = old->seen[i].id;

		strbuf_addf(out, "%-7s %-31s %8llu ", contexts[events[id].context], events[id].name,
			    (unsigned long long)(old->noted[id] - START_NS));
		add_seen(out, old, &old->seen[i]);
		add_seen(out, new, &new->seen[i]);
		strbuf_addch(out, '\n');
	}
}

static void test_article(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct run old, new;

	(void)state;
	assert_int_equal(record(&old, KERNEL_RING_STAMPS_ZERO), 0);
	assert_int_equal(record(&new, KERNEL_RING_STAMPS_REPAIR), 0);
	assert_int_equal(old.n, EVENTS);
	assert_int_equal(new.n, EVENTS);
	/* context, event, when it happened; stored, time and error before 5.9; the same since 5.9
	 */
	add_table(&out, &old, &new);
	/* nested: no time of its own with the old algorithm, its own with the new one */
	assert_non_null(strstr(
		out.s, "irq     hrtimer_interrupt                    995          +0      863"
		       "    -132       +152     1015      20\n"));
	/* so has an event that interrupts filling in another one */
	assert_non_null(strstr(
		out.s, "irq     __sysvec_irq_work                  16778          +0    16548"
		       "    -230       +250    16838      20\n"));
	/* between two interrupts: the delta is still zero */
	assert_non_null(strstr(
		out.s, "task    __x64_sys_splice                   17498          +0    17938"
		       "     440         +0"));
	/* an event that was interrupted there does not know its time */
	assert_non_null(strstr(
		out.s, "irq     __sysvec_call_function             18288          +0    17938"
		       "    -350   =1018368    18368      20\n"));
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_article) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
