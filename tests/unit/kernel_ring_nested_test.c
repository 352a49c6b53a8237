// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writers that interrupt writers, at every point where this makes a difference, three levels deep.
 *
 * The sources are compiled here with rb_step() defined. At each of these points, time advances and
 * an interrupt may occur, which writes an event; at its points, others may occur. Each possible
 * interrupt is a choice. All sequences of choices are tried, one run each, on rings in every
 * relevant state. After each run, everything is read back and compared with what was written: the
 * order in which space was reserved, and the time known to each writer.
 *
 * The model derives what an event can know of its time from when it was interrupted, not from the
 * two stamps. HIST_TEST_LONG=1 tries many more runs.
 */
#include "unit.h"

enum where {
	RB_STEP_COMMITTING,
	RB_STEP_STARTED,
	RB_STEP_TAIL,
	RB_STEP_A,
	RB_STEP_BEFORE,
	RB_STEP_AFTER,
	RB_STEP_CLOCK,
	RB_STEP_B,
	RB_STEP_C,
	RB_STEP_D,
	RB_STEP_REREAD,
	RB_STEP_FORGET,
	RB_STEP_SLOW_BEFORE,
	RB_STEP_SLOW_CLOCK,
	RB_STEP_E,
	RB_STEP_SLOW_AFTER,
	RB_STEP_SLOW_CHECKED,
	RB_STEP_F,
	RB_STEP_RESERVED,
	RB_STEP_FULL,
	RB_STEP_HEAD_UPDATE,
	RB_STEP_HEAD_SET,
	RB_STEP_HEAD_CHECKED,
	RB_STEP_ROOM,
	RB_STEP_TAIL_COUNTED,
	RB_STEP_TAIL_WRITE,
	RB_STEP_TAIL_ENTRIES,
	RB_STEP_MOVED,
	RB_STEP_PADDING,
	RB_STEP_RESET,
	RB_STEP_COUNTED,
	RB_STEP_END,
	RB_STEP_COMMIT_PAGE,
	RB_STEP_COMMIT_INDEX,
	RB_STEP_COMMITTED,
	RB_STEP_END_SET,
	RB_STEP_ENDED,
	RB_STEP_PADDED,
	RB_STEP_UNCOUNTED,
	RB_STEP_DISCARD,
	RB_STEP_DISCARD_STAMP,
	RB_STEP_DISCARDED,
	STEPS,
};

static void step(enum where where);
#define rb_step(cpu_buffer, where) step(where)

#include "kernel_ring/whole.h"

#include "ring_buffer_raw.h"

enum { LEVELS = 3, CHOICES_MAX = 4096, EVENTS_MAX = 64 };

/* An event as its writer knows it. */
struct written {
	u64 ts;
	bool committed;
	bool may_be_zero; /* it cannot know the time of the previous event */
	bool between;     /* because there were others before and after it reserved its space */
};

/* A writer that has begun and not ended. */
struct frame {
	u32 level;
	u32 payload;
	u32 irqs; /* number of interrupts that may still occur */
	enum where where;
	bool reached_b;
	bool overtaken; /* an event was recorded between A and C */
	bool touched;   /* an event occurred between B and D */
	u32 id;
	struct frame *below;
};

/* Maximum number of interrupts of an event of level 0, of the first of these, of the second. */
struct irqs {
	u32 level0, first, second;
};

/* The state of the ring before the event that is interrupted, and that event. */
struct setting {
	const char *name;
	u32 prefix;          /* number of earlier events without interrupts */
	u32 payload;         /* size of each event */
	u32 fill;            /* then fill the sub-buffer except for this many bytes; 0: do not */
	bool discard_before; /* then discard one event */
	bool read_before;    /* all of it was read, so the writer is on the reader's page */
	u64 pause;           /* time before the event */
	struct irqs irqs, irqs_long;
};

static struct {
	struct kernel_ring *buffer;
	enum kernel_ring_stamps stamps;
	u32 discard_levels; /* bit mask: events of these levels are discarded */
	u64 now;
	struct frame *frame;
	struct written written[EVENTS_MAX];
	u32 n;
	u32 placed[EVENTS_MAX]; /* ids in the order of reservation, without those withdrawn */
	u32 n_placed;
	bool clean; /* write_stamp is known to be the time of the last event */
	struct irqs irqs;
	bool choice[CHOICES_MAX];
	u32 chosen, n_choices; /* number of given choices, number of choices made */
	u64 runs, events, zero, zero_between, late;
	u64 reached[STEPS];
} sim;

/* --- the machine --- */

static u64 clock_now(void *arg, u32 cpu)
{
	(void)arg;
	(void)cpu;
	return sim.now += 2; /* padding of delta 1 means a delta of 0 */
}

static enum kernel_ring_context context_now(void *arg, u32 cpu)
{
	(void)arg;
	(void)cpu;
	return sim.frame ? (enum kernel_ring_context)sim.frame->level : KERNEL_RING_NORMAL;
}

static void take_place(u32 id)
{
	if (sim.n_placed && sim.placed[sim.n_placed - 1] == id)
		return;
	assert_true(sim.n_placed < EVENTS_MAX);
	sim.placed[sim.n_placed++] = id;
}

/* The space was not reserved after all: the next sub-buffer is tried. */
static void lose_place(u32 id)
{
	for (u32 i = 0; i < sim.n_placed; i++) {
		if (sim.placed[i] != id)
			continue;
		memmove(&sim.placed[i], &sim.placed[i + 1],
			(sim.n_placed - i - 1) * sizeof(*sim.placed));
		sim.n_placed--;
		return;
	}
}

static void write_event(u32 payload, u32 level, u32 irqs);

static void interrupt(struct frame *f)
{
	u32 last = sim.n_placed ? sim.placed[sim.n_placed - 1] : EVENTS_MAX, n = sim.n_placed;
	struct written *w = &sim.written[f->id];
	bool match = sim.stamps == KERNEL_RING_STAMPS_MATCH, stayed;
	u32 irqs;

	irqs = f->level ? 0 : f->irqs == sim.irqs.level0 ? sim.irqs.first : sim.irqs.second;
	f->irqs--;
	write_event(f->payload, f->level + 1, irqs);
	stayed = sim.n_placed != n || (n && sim.placed[n - 1] != last);
	switch (f->where) {
	case RB_STEP_A:
	case RB_STEP_BEFORE:
	case RB_STEP_AFTER:
	case RB_STEP_CLOCK:
		f->overtaken |= stayed;
		/* then before_stamp, at E, will be its own */
		w->may_be_zero |= stayed && match;
		break;
	case RB_STEP_B:
		f->overtaken |= stayed;
		f->touched = true;
		break;
	case RB_STEP_C:
	case RB_STEP_SLOW_BEFORE:
	case RB_STEP_SLOW_CLOCK:
	case RB_STEP_E:
	case RB_STEP_SLOW_AFTER:
	case RB_STEP_SLOW_CHECKED:
		f->touched = true;
		w->between |= f->overtaken && stayed;
		w->may_be_zero |= f->overtaken && match;
		break;
	default:
		break;
	}
}

/* Update the model when the event has reached this point. */
static void note_progress(struct frame *f)
{
	struct written *w = &sim.written[f->id];
	enum kernel_ring_stamps stamps = sim.stamps;

	switch (f->where) {
	case RB_STEP_TAIL:
		lose_place(f->id);
		f->overtaken = f->touched = false;
		w->between = w->may_be_zero = false;
		break;
	case RB_STEP_B:
		f->reached_b = true;
		f->touched = false;
		break;
	case RB_STEP_C:
		take_place(f->id);
		break;
	case RB_STEP_D:
		assert_false(f->overtaken && stamps != KERNEL_RING_STAMPS_ZERO);
		sim.clean = !f->touched || (sim.clean && stamps == KERNEL_RING_STAMPS_REPAIR);
		break;
	case RB_STEP_SLOW_BEFORE:
		w->may_be_zero |= !sim.clean;
		break;
	case RB_STEP_F:
		assert_true(f->overtaken);
		w->may_be_zero |= !sim.clean;
		sim.clean = stamps == KERNEL_RING_STAMPS_REPAIR;
		break;
	default:
		break;
	}
}

/* The next choice; at first it is "no". */
static bool choose(void)
{
	assert_true(sim.n_choices < CHOICES_MAX);
	if (sim.n_choices >= sim.chosen)
		sim.choice[sim.n_choices] = false;
	return sim.choice[sim.n_choices++];
}

static void step(enum where where)
{
	struct frame *f = sim.frame;

	sim.now += 2;
	sim.reached[where]++;
	if (!f)
		return;
	f->where = where;
	note_progress(f);
	while (f->irqs && choose())
		interrupt(f);
}

static void discard(struct kernel_ring_event *event, u32 id)
{
	if (sim.n_placed && sim.placed[sim.n_placed - 1] == id) {
		kernel_ring_discard_commit(sim.buffer, 0, event);
		sim.clean = false;
	} else {
		kernel_ring_discard_commit(sim.buffer, 0, event);
	}
	lose_place(id);
}

static void write_event(u32 payload, u32 level, u32 irqs)
{
	struct frame f = {
		.level = level, .payload = payload, .irqs = irqs, .id = sim.n++, .below = sim.frame
	};
	struct written *w = &sim.written[f.id];
	struct kernel_ring_event *event;

	assert_true(f.id < EVENTS_MAX);
	*w = (struct written){ .ts = 0 };
	sim.frame = &f;
	event = kernel_ring_lock_reserve(sim.buffer, 0, payload);
	if (!event) {
		lose_place(f.id);
		sim.clean &= !f.reached_b;
	} else {
		w->ts = kernel_ring_event_time_stamp(sim.buffer, 0);
		w->may_be_zero |= w->between;
		memcpy(kernel_ring_event_data(sim.buffer, event), &f.id, sizeof(f.id));
		if (sim.discard_levels >> level & 1) {
			discard(event, f.id);
		} else {
			w->committed = true;
			kernel_ring_unlock_commit(sim.buffer, 0);
		}
	}
	sim.frame = f.below;
}

/* --- reading back --- */

static void check_record(const struct ring_buffer_record *rec, u32 id, u64 before)
{
	const struct written *w = &sim.written[id];

	assert_true(id < sim.n && w->committed);
	assert_true(rec->ts >= before);
	sim.events++;
	sim.late += rec->ts != w->ts;
	if (rec->ts == w->ts || sim.stamps == KERNEL_RING_STAMPS_ZERO)
		return;
	assert_true(w->may_be_zero);
	assert_int_equal(rec->ts, before);
	sim.zero++;
	sim.zero_between += w->between;
}

/* The number of reserved events that were overwritten: the first ones. */
static u32 overwritten(u64 overrun)
{
	u32 skip = 0;

	for (; overrun; skip++)
		overrun -= sim.written[sim.placed[skip]].committed;
	return skip;
}

/* Check all events in order, from @read_page. */
static void check_pages(ring_buffer_read_page_fn read_page, void *source, u64 overrun)
{
	const struct ring_buffer_layout layout = { HOST_IS_BIG, 8, 4096 };
	struct ring_buffer_page pg;
	struct ring_buffer_record rec;
	const u8 *bytes;
	size_t len;
	u32 at = overwritten(overrun);
	u64 ts = 0;

	while (!read_page(source, &bytes, &len)) {
		assert_int_equal(ring_buffer_page_open(&pg, &layout, bytes, len), 0);
		for (; next_record(&pg, &rec); at++) {
			u32 id = load_u32(rec.data, HOST_IS_BIG);

			assert_true(at < sim.n_placed);
			assert_int_equal(id, sim.placed[at]);
			check_record(&rec, id, ts);
			ts = rec.ts;
		}
	}
	assert_int_equal(at, sim.n_placed);
}

static int take_page(void *source, const u8 **page, size_t *len)
{
	static _Alignas(8) u8 bytes[4096];

	(void)source;
	*page = bytes;
	*len = sizeof(bytes);
	return kernel_ring_read_page(sim.buffer, 0, bytes, false);
}

static void check_all(void)
{
	struct kernel_ring_per_cpu *cpu_buffer = sim.buffer->buffers[0];
	struct kernel_ring_stats stats;
	struct kernel_ring_walk walk;

	kernel_ring_stats(sim.buffer, 0, &stats);
	assert_false(stats.broken);
	assert_int_equal(local_read(&cpu_buffer->committing), 0);
	assert_int_equal(atomic_load(&cpu_buffer->current_context), 0);
	assert_int_equal(rb_page_commit(rb_commit_page(cpu_buffer)),
			 rb_page_write(rb_tail_page(cpu_buffer)));

	assert_int_equal(kernel_ring_read_start(&walk, sim.buffer, 0), 0);
	check_pages(kernel_ring_walk_page, &walk, stats.overrun);
	kernel_ring_read_finish(&walk);
	if (stats.entries)
		check_pages(take_page, NULL, stats.overrun);
	kernel_ring_stats(sim.buffer, 0, &stats);
	assert_int_equal(stats.entries, 0);
}

/* --- runs --- */

/* Write an event without interrupts. */
static void write_alone(u32 payload, bool discarded)
{
	u32 levels = sim.discard_levels;

	sim.discard_levels = discarded;
	write_event(payload, 0, 0);
	sim.discard_levels = levels;
}

static void prepare(const struct setting *s)
{
	struct kernel_ring_per_cpu *cpu_buffer = sim.buffer->buffers[0];
	const u8 *page;
	size_t len;

	for (u32 i = 0; i < s->prefix; i++)
		write_alone(s->payload, false);
	if (s->fill)
		write_alone((u32)(cpu_buffer->capacity - s->fill - 8 -
				  rb_page_write(rb_tail_page(cpu_buffer))),
			    false);
	if (s->discard_before)
		write_alone(s->payload, true);
	if (s->read_before) {
		while (!take_page(NULL, &page, &len))
			;
		sim.n_placed = 0;
	}
	sim.now += s->pause;
}

static void run(const struct setting *s)
{
	sim.n = sim.n_placed = sim.n_choices = 0;
	sim.now = 1000;
	sim.clean = true;
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): try_all() has made another buffer */
	kernel_ring_reset_cpu(sim.buffer, 0);
	prepare(s);
	write_event(s->payload, 0, sim.irqs.level0);
	write_alone(s->payload, false);
	check_all();
	sim.runs++;
}

/* Advance to the next sequence of choices: the last "no" becomes "yes". */
static bool next_choices(void)
{
	while (sim.n_choices && sim.choice[sim.n_choices - 1])
		sim.n_choices--;
	if (!sim.n_choices)
		return false;
	sim.choice[sim.n_choices - 1] = true;
	sim.chosen = sim.n_choices;
	return true;
}

static void try_all(const struct setting *s)
{
	const struct kernel_ring_options options = {
		.nr_cpus = 1,
		.size = 8160,
		.overwrite = true,
		.stamps = sim.stamps,
		.layout = { HOST_IS_BIG, 8, 4096 },
		.host = { .clock = clock_now, .context = context_now },
	};

	assert_int_equal(kernel_ring_alloc(&options, &sim.buffer), 0);
	sim.irqs = getenv("HIST_TEST_LONG") ? s->irqs_long : s->irqs;
	sim.chosen = 0;
	do {
		run(s);
	} while (next_choices());
	kernel_ring_free(sim.buffer);
}

static const struct setting settings[] = {
	{ "an empty ring", .payload = 8, .irqs = { 2, 1, 0 }, .irqs_long = { 2, 2, 1 } },
	{ "in a sub-buffer", 1, 8, .irqs = { 2, 1, 1 }, .irqs_long = { 3, 2, 1 } },
	{ "after a pause", 1, 8, .pause = 1 << 28, .irqs = { 2, 1, 0 }, .irqs_long = { 2, 2, 1 } },
	{ "after a discarded event", 1, 8, .discard_before = true, .irqs = { 2, 1, 0 },
	  .irqs_long = { 2, 2, 1 } },
	{ "no room", 1, 8, .fill = 4, .irqs = { 1, 1, 0 }, .irqs_long = { 2, 1, 0 } },
	{ "not enough room", 1, 8, .fill = 12, .irqs = { 1, 1, 0 }, .irqs_long = { 2, 1, 0 } },
	{ "room for one", 1, 8, .fill = 16, .irqs = { 1, 1, 0 }, .irqs_long = { 2, 1, 1 } },
	{ "room for one and a stamp", 1, 8, .fill = 24, .irqs = { 1, 1, 0 },
	  .irqs_long = { 2, 1, 1 } },
	{ "room for two", 1, 8, .fill = 32, .irqs = { 1, 1, 0 }, .irqs_long = { 2, 1, 1 } },
	{ "large events", 3, 1300, .irqs = { 1, 1, 0 }, .irqs_long = { 2, 1, 0 } },
	{ "large events, full ring", 6, 1300, .irqs = { 1, 1, 0 }, .irqs_long = { 2, 1, 0 } },
	{ "largest events, full ring", 2, 4000, .irqs = { 1, 1, 0 }, .irqs_long = { 2, 1, 0 } },
	{ "on the reader's page", 1, 8, .read_before = true, .irqs = { 1, 1, 0 },
	  .irqs_long = { 2, 1, 1 } },
	{ "leaving the reader's page", 3, 1300, .read_before = true, .irqs = { 1, 1, 0 },
	  .irqs_long = { 2, 1, 0 } },
	{ "leaving the reader's page, largest events", 1, 4000, .read_before = true,
	  .irqs = { 1, 1, 0 }, .irqs_long = { 2, 1, 0 } },
};

static void try_settings(enum kernel_ring_stamps stamps, u32 discard_levels)
{
	sim.stamps = stamps;
	sim.discard_levels = discard_levels;
	sim.runs = sim.events = sim.late = sim.zero = sim.zero_between = 0;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		try_all(&settings[i]);
	print_message("# %llu runs, %llu events; not at their own time: %llu, between two: %llu\n",
		      (unsigned long long)sim.runs, (unsigned long long)sim.events,
		      (unsigned long long)sim.late, (unsigned long long)sim.zero_between);
}

/* Only events between two interrupts have a zero delta; all others have their own time. */
static void test_repair(void **state)
{
	(void)state;
	try_settings(KERNEL_RING_STAMPS_REPAIR, 0);
	assert_int_equal(sim.late, sim.zero_between);
	assert_true(sim.zero_between > 0);
}

/* If events are withdrawn, the next one may not know its time either. */
static void test_repair_discard(void **state)
{
	(void)state;
	for (u32 levels = 1; levels < 1 << LEVELS; levels++)
		try_settings(KERNEL_RING_STAMPS_REPAIR, levels);
}

static void test_match(void **state)
{
	(void)state;
	for (u32 levels = 0; levels < 1 << LEVELS; levels++)
		try_settings(KERNEL_RING_STAMPS_MATCH, levels);
}

/* The old algorithm loses more times, which is why the others exist. */
static void test_zero(void **state)
{
	u64 late;

	(void)state;
	try_settings(KERNEL_RING_STAMPS_REPAIR, 0);
	late = sim.late;
	for (u32 levels = 0; levels < 1 << LEVELS; levels++)
		try_settings(KERNEL_RING_STAMPS_ZERO, levels);
	assert_true(sim.late > late);
}

/* Every point must be reached by some run; otherwise it is not tested. */
static void test_every_point_was_reached(void **state)
{
	(void)state;
	for (size_t i = 0; i < STEPS; i++)
		assert_true(sim.reached[i] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_repair), TEST(test_repair_discard),          TEST(test_match),
		TEST(test_zero),   TEST(test_every_point_was_reached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
