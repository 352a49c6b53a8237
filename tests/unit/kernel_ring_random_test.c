// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Random operations: writes of all lengths, discards, events that generate events, interrupts three
 * levels deep at any step, a reader at any time, snapshots, mode changes. A model predicts what
 * each ring must return: every committed event once, in the order of reservation, unless it was
 * counted as lost; nothing else; with the bytes that were written, and times that never decrease.
 *
 * HIST_TEST_OPS=N runs N operations (make check: 300000), HIST_TEST_SEED=N sets the seed.
 */
#include "unit.h"

static void step(const char *where);
#define rb_step(cpu_buffer, where) step(#where)

#include "kernel_ring/whole.h"

#include "ring_buffer_raw.h"

enum { LEVELS = 4, QUEUE = 1 << 17, PAGE = 4096 };

/* The events that have space in a ring and were not read. */
struct queue {
	const struct kernel_ring_per_cpu *ring;
	u32 *ids; /* QUEUE elements */
	u64 head, tail;
	u64 last_ts;
	u64 overrun; /* number of committed events that were skipped */
	s64 missed;  /* losses reported by pages since the last record; -1: unknown number */
};

/* The state of an event, by id, as long as it may be in a ring. */
enum fate { RESERVED, COMMITTED, DISCARDED };

struct writer {
	u32 id;
	struct kernel_ring *buffer;
	const struct buffer_page *tail_page; /* tail page of the attempt */
	bool moves_head;
	struct writer *below;
};

static struct {
	struct kernel_ring *buffers[2];
	struct queue queues[2];
	u8 *fates; /* QUEUE elements, by id */
	u32 next_id;
	u64 now, seed;
	enum kernel_ring_stamps stamps;
	u32 level;
	u32 head_movers; /* writers moving a head: a reader waits, or learns later of losses */
	bool quiet;      /* no interrupts for now */
	struct writer *writer;
	struct ring_buffer_layout layout;
	u64 ops, committed, discarded, refused, read, lost, interrupts, reads_between, swaps;
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
	if (!rnd(5000))
		sim.now += 1ull << (27 + rnd(8));
	/* kernel: equal stamps may be misinterpreted by 6.12 */
	if (rnd(4) || sim.stamps == KERNEL_RING_STAMPS_MATCH)
		sim.now += 2 + 2 * rnd(500);
	return sim.now;
}

static enum kernel_ring_context context_now(void *arg, u32 cpu)
{
	(void)arg;
	(void)cpu;
	return (enum kernel_ring_context)sim.level;
}

/* --- the model --- */

static struct queue *queue_of(const struct kernel_ring *buffer)
{
	return &sim.queues[sim.queues[1].ring == buffer->buffers[0]];
}

static u32 *queue_at(const struct queue *q, u64 i)
{
	return &q->ids[i % QUEUE];
}

static void queue_push(struct queue *q, u32 id)
{
	assert_true(q->tail - q->head < QUEUE);
	*queue_at(q, q->tail++) = id;
}

static u8 *fate_of(u32 id)
{
	return &sim.fates[id % QUEUE];
}

static u32 length_of(u32 id)
{
	u32 h = id * 2654435761u;

	return h % 50 ? 8 + (h >> 8) % 150 : 8 + (h >> 8) % 4064;
}

static void fill(u8 *data, u32 id)
{
	u32 length = length_of(id);

	store_u32(data, id, false);
	for (u32 i = 4; i < length; i++)
		data[i] = (u8)(id + i);
}

/* Skip discarded events, and overwritten ones up to @id. */
static void queue_skip_to(struct queue *q, u32 id)
{
	for (; q->head < q->tail && *queue_at(q, q->head) != id; q->head++) {
		u8 fate = *fate_of(*queue_at(q, q->head));

		assert_int_not_equal(fate, RESERVED);
		q->overrun += fate == COMMITTED;
	}
	assert_true(q->head < q->tail);
}

static void check_record(struct queue *q, const struct ring_buffer_record *rec)
{
	u64 overrun = q->overrun;
	u32 id = load_u32(rec->data, false), length = length_of(id);

	queue_skip_to(q, id);
	if (q->missed < 0)
		assert_true(q->overrun > overrun);
	else
		assert_int_equal(q->overrun - overrun, q->missed);
	q->missed = 0;
	assert_int_equal(*fate_of(id), COMMITTED);
	assert_true(rec->len >= length && rec->len <= length + 8);
	for (u32 i = 4; i < length; i++)
		assert_int_equal(rec->data[i], (u8)(id + i));
	assert_true(rec->ts >= q->last_ts);
	q->last_ts = rec->ts;
	q->head++;
	sim.read++;
}

/* --- operations --- */

/* Read a page; whether there was one. */
static bool read_page(struct kernel_ring *buffer, bool full)
{
	static _Alignas(8) u8 bytes[PAGE];
	struct queue *q = queue_of(buffer);
	struct ring_buffer_page pg;
	struct ring_buffer_record rec;
	bool quiet = sim.quiet;

	sim.quiet = true;
	if (kernel_ring_read_page(buffer, 0, bytes, full)) {
		sim.quiet = quiet;
		return false;
	}
	assert_int_equal(ring_buffer_page_open(&pg, &sim.layout, bytes, PAGE), 0);
	if (q->missed >= 0)
		q->missed = pg.missed < 0 ? -1 : q->missed + pg.missed;
	while (next_record(&pg, &rec))
		check_record(q, &rec);
	sim.quiet = quiet;
	return true;
}

static void discard(struct writer *w, struct kernel_ring_event *event)
{
	*fate_of(w->id) = DISCARDED;
	sim.discarded++;
	kernel_ring_discard_commit(w->buffer, 0, event);
}

static void write_one(struct kernel_ring *buffer);

static void write_into(struct writer *w)
{
	struct kernel_ring_event *event = kernel_ring_lock_reserve(w->buffer, 0, length_of(w->id));

	if (!event) {
		sim.refused++;
		return;
	}
	if (!rnd(20)) {
		kernel_ring_nest_start(w->buffer, 0);
		write_one(w->buffer);
		kernel_ring_nest_end(w->buffer, 0);
	}
	fill(kernel_ring_event_data(w->buffer, event), w->id);
	if (!rnd(6)) {
		discard(w, event);
	} else {
		*fate_of(w->id) = COMMITTED;
		sim.committed++;
		kernel_ring_unlock_commit(w->buffer, 0);
	}
}

static void write_one(struct kernel_ring *buffer)
{
	struct writer w = { .id = sim.next_id++, .buffer = buffer, .below = sim.writer };

	*fate_of(w.id) = RESERVED;
	sim.writer = &w;
	write_into(&w);
	sim.writer = w.below;
}

static void interrupt(void)
{
	u32 level = sim.level;

	sim.interrupts++;
	sim.level += 1 + rnd(LEVELS - 1 - level);
	write_one(sim.buffers[!rnd(8)]);
	sim.level = level;
}

static void move_head(struct writer *w, bool moves)
{
	sim.head_movers += moves;
	sim.head_movers -= w->moves_head;
	w->moves_head = moves;
}

static void step(const char *where)
{
	struct writer *w = sim.writer;

	if (!w)
		return;
	if (!strcmp(where, "RB_STEP_TAIL"))
		w->tail_page = rb_tail_page(w->buffer->buffers[0]);
	else if (!strcmp(where, "RB_STEP_C") &&
		 rb_page_write(w->tail_page) <= w->buffer->buffers[0]->capacity)
		queue_push(queue_of(w->buffer), w->id);
	else if (!strcmp(where, "RB_STEP_HEAD_UPDATE"))
		move_head(w, true);
	else if (!strcmp(where, "RB_STEP_ROOM"))
		move_head(w, false);
	if (!sim.quiet && sim.level < LEVELS - 1 && !rnd(60))
		interrupt();
	if (!sim.quiet && !sim.head_movers && !rnd(3000)) {
		sim.reads_between++;
		read_page(w->buffer, !rnd(4));
	}
}

static void swap(void)
{
	sim.swaps++;
	assert_int_equal(kernel_ring_swap_cpu(sim.buffers[0], sim.buffers[1], 0), 0);
}

static void operate(void)
{
	u32 what = rnd(1000);

	sim.ops++;
	if (what < 900)
		write_one(sim.buffers[0]);
	else if (what < 980)
		read_page(sim.buffers[rnd(2)], !rnd(4));
	else if (what < 990)
		swap();
	else if (what < 995)
		kernel_ring_change_overwrite(sim.buffers[rnd(2)], rnd(3));
	else
		kernel_ring_set_time_stamp_abs(sim.buffers[0], !rnd(3));
}

/* --- complete runs --- */

static void start(const struct ring_buffer_layout *layout, enum kernel_ring_stamps stamps,
		  size_t size)
{
	const struct kernel_ring_options options = {
		.nr_cpus = 1,
		.size = size,
		.overwrite = true,
		.stamps = stamps,
		.layout = *layout,
		.host = { .clock = clock_now, .context = context_now },
	};

	sim.layout = *layout;
	sim.stamps = stamps;
	sim.now = 1000;
	sim.fates = calloc(QUEUE, 1);
	assert_non_null(sim.fates);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(kernel_ring_alloc(&options, &sim.buffers[i]), 0);
		sim.queues[i] = (struct queue){ .ring = sim.buffers[i]->buffers[0],
						.ids = calloc(QUEUE, sizeof(u32)) };
		assert_non_null(sim.queues[i].ids);
	}
}

static void finish(void)
{
	for (size_t i = 0; i < 2; i++) {
		struct kernel_ring *buffer = sim.buffers[i];
		struct queue *q = queue_of(buffer);
		struct kernel_ring_stats stats;

		while (read_page(buffer, false))
			;
		kernel_ring_stats(buffer, 0, &stats);
		assert_false(stats.broken);
		assert_int_equal(stats.entries, 0);
		assert_int_equal(stats.overrun, q->overrun);
		for (; q->head < q->tail; q->head++)
			assert_int_equal(*fate_of(*queue_at(q, q->head)), DISCARDED);
		sim.lost += stats.overrun;
	}
	for (size_t i = 0; i < 2; i++) {
		kernel_ring_free(sim.buffers[i]);
		free(sim.queues[i].ids);
	}
	free(sim.fates);
}

static u64 number_from(const char *name, u64 or_else)
{
	const char *text = getenv(name);

	return text ? strtoull(text, NULL, 10) : or_else;
}

static void test_random(void **state)
{
	static const struct ring_buffer_layout layouts[] = {
		{ false, 8, PAGE },
		{ true, 4, PAGE },
	};
	static const size_t sizes[] = { 8160, 16320, 100000 };
	u64 ops = number_from("HIST_TEST_OPS", 300000);

	(void)state;
	sim.seed = number_from("HIST_TEST_SEED", 88172645463325252ull);
	for (u32 round = 0; round < 12; round++) {
		start(&layouts[round % 2], (enum kernel_ring_stamps)(round / 2 % 2),
		      sizes[round / 4]);
		for (u64 i = 0; i < ops / 12; i++)
			operate();
		finish();
	}
	print_message(
		"# %llu operations, %llu interrupts: %llu committed, %llu discarded, %llu refused, "
		"%llu read, %llu lost; %llu snapshots, %llu reads between\n",
		(unsigned long long)sim.ops, (unsigned long long)sim.interrupts,
		(unsigned long long)sim.committed, (unsigned long long)sim.discarded,
		(unsigned long long)sim.refused, (unsigned long long)sim.read,
		(unsigned long long)sim.lost, (unsigned long long)sim.swaps,
		(unsigned long long)sim.reads_between);
	assert_int_equal(sim.read + sim.lost, sim.committed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
