// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What an interval consists of, from spans of time, without a recording. All tasks are called
 * "t"; an expected tree is written in the words of the text, without its lines.
 */
#include "unit.h"

#include "random.h"
#include "why/why.h"

/* A span, with texts in place of words and a pid in place of a task. */
struct line {
	enum why_track track;
	u32 owner;
	u64 from, to;
	const char *word;
	u32 cpu;
	s32 pid;
	bool in_irq, continues, chosen;
	u32 ends; /* 1 + ->end_cpu; 0: unknown */
};

#define SPAN(track_, owner_, from_, to_, ...)                                                   \
	{                                                                                       \
		.track = (track_), .owner = (owner_), .from = (from_), .to = (to_), __VA_ARGS__ \
	}
#define RUNS(task, on, from, to)   SPAN(WHY_STATES, task, from, to, .word = "running", .cpu = (on))
#define WAITS(task, on, from, to)  SPAN(WHY_STATES, task, from, to, .word = "woken", .cpu = (on))
#define SLEEPS(task, from, to, by) SPAN(WHY_STATES, task, from, to, .word = "sleeping", .pid = (by))
#define PLACE(task, on, from, to)  SPAN(WHY_STAYS, task, from, to, .cpu = (on))
#define CALL(task, from, to, name) SPAN(WHY_CALLS, task, from, to, .word = (name))
#define LANE(on, from, to, by)     SPAN(WHY_LANES, on, from, to, .pid = (by))
#define IRQ(on, from, to, name)    SPAN(WHY_IRQS, on, from, to, .word = (name))
#define FREQ(on, from, to, khz)    SPAN(WHY_FREQS, on, from, to, .word = (khz))
#define LOST(from, to)             SPAN(WHY_LOSSES, 0, from, to, .word = NULL)

static bool is_task_track(enum why_track track)
{
	return track == WHY_STATES || track == WHY_STAYS || track == WHY_CALLS;
}

static u32 task(struct why_store *s, s32 pid)
{
	u32 i = why_store_task(s, pid);

	s->tasks.v[i].comm = why_store_word(s, span_of("t"));
	return i;
}

static void add_line(struct why_store *s, const struct line *l)
{
	struct why_span span = { .from = l->from,
				 .to = l->to,
				 .cpu = l->cpu,
				 .end_cpu = l->track == WHY_STATES && l->ends ? l->ends - 1
									      : WHY_NO_CPU,
				 .chosen = l->chosen,
				 .pid = l->pid,
				 .in_irq = l->in_irq,
				 .continues = l->continues };

	span.owner = is_task_track(l->track) ? task(s, (s32)l->owner) : l->owner;
	if (l->pid)
		task(s, l->pid);
	if (l->track == WHY_FREQS)
		span.word = (u32)strtoul(l->word, NULL, 10);
	else if (l->word)
		span.word = why_store_word(s, span_of(l->word));
	span.state = !l->word                      ? WHY_STATE_RUNS
		     : !strcmp(l->word, "running") ? WHY_STATE_RUNS
		     : !strcmp(l->word, "woken")   ? WHY_STATE_WAITS
						   : WHY_STATE_BLOCKED;
	assert_int_equal(why_store_add(s, l->track, &span), 0);
}

static void store_init(struct why_store *s, const struct line *lines, size_t n)
{
	assert_int_equal(why_store_init(s, 1 << 20), 0);
	for (size_t i = 0; i < n; i++)
		add_line(s, &lines[i]);
	assert_int_equal(why_store_finish(s), 0);
}

/* "NS WORDS", indented by one space for each level. */
static void add_tree(const struct why_answer *a, u32 of, int level, struct strbuf *out)
{
	strbuf_fill(out, ' ', (size_t)level);
	strbuf_addf(out, "%llu ", (unsigned long long)a->tree->parts.v[of].ns);
	why_part_text(a, of, out);
	strbuf_addch(out, '\n');
	why_for_each_part(i, a->tree, of) add_tree(a, i, level + 1, out);
}

/* Parts add up to what they are parts of, and their pieces to them, in order. */
static void check_sums(const struct why_tree *tree)
{
	for (u32 i = 0; i < tree->parts.n; i++) {
		const struct why_part *p = &tree->parts.v[i];
		u64 sum = 0, pieces = 0, at = tree->from;

		why_for_each_part(k, tree, i) sum += tree->parts.v[k].ns;
		assert_true(!p->n_parts || sum == p->ns);
		for (size_t k = 0; k < p->pieces.n; k++) {
			assert_true(p->pieces.v[k].from >= at);
			at = p->pieces.v[k].to;
			pieces += at - p->pieces.v[k].from;
		}
		assert_true(at <= tree->to);
		assert_int_equal(pieces, p->ns);
	}
}

static void tree_is(const struct line *lines, size_t n, struct why_question q, const char *want)
{
	struct strbuf out = STRBUF_INIT;
	struct why_store store;
	struct why_tree tree;
	const struct why_answer a = { .store = &store, .tree = &tree };

	q.depth = q.depth ? q.depth : 9;
	q.last = q.last ? q.last : 1000000;
	store_init(&store, lines, n);
	assert_int_equal(why_tree_build(&store, &q, &tree), 0);
	add_tree(&a, 0, 0, &out);
	assert_string_equal(out.s, want);
	check_sums(&tree);
	strbuf_release(&out);
	why_tree_release(&tree);
	why_store_release(&store);
}

#define tree(lines, want, ...) \
	tree_is(lines, ARRAY_SIZE(lines), (struct why_question){ __VA_ARGS__ }, want)

static void test_running(void **state)
{
	static const struct line lines[] = {
		RUNS(7, 1, 100, 900),          IRQ(1, 200, 300, "irq eth0"),
		IRQ(1, 250, 260, "irq timer"), /* it interrupted the other one */
		IRQ(0, 400, 500, "irq eth0"),  /* another CPU */
		FREQ(1, 500, 2000, "2400000"), CALL(7, 600, 800, "read"),
	};

	(void)state;
	tree(lines,
	     "800 t-7\n"
	     " 300 running on CPU 1\n"
	     " 200 running on CPU 1 at 2.40 GHz\n"
	     " 200 running on CPU 1 at 2.40 GHz in read()\n"
	     " 90 interrupted by irq eth0 on CPU 1\n"
	     " 10 interrupted by irq timer on CPU 1\n",
	     .pid = 7, .from = 100, .to = 900);
}

/* What ran on the CPU for which a task waited, which changes. */
static void test_waiting(void **state)
{
	static const struct line lines[] = {
		WAITS(7, 1, 100, 600),
		PLACE(7, 3, 50, 90), /* before it waited */
		PLACE(7, 0, 100, 400),
		PLACE(7, 1, 400, 900),
		LANE(0, 0, 150, 8),
		LANE(0, 150, 300, 9),
		LANE(0, 300, 350, 0),
		/* until 400 nothing is known */
		LANE(1, 0, 590, 8),
		LANE(1, 590, 600, 0),
		IRQ(1, 500, 520, "softirq NET_RX"),
	};

	(void)state;
	tree(lines,
	     "500 t-7\n"
	     " 500 waiting for a CPU (woken)\n"
	     "  170 while t-8 ran on CPU 1\n"
	     "  150 while t-9 ran on CPU 0\n"
	     "  50 while t-8 ran on CPU 0\n"
	     "  50 while CPU 0 was idle\n"
	     "  50 unknown: no event states what it was\n"
	     "  20 while softirq NET_RX ran on CPU 1\n"
	     "  10 while CPU 1 was idle\n",
	     .pid = 7, .from = 100, .to = 600);
}

/* It moved, and that was not recorded. */
static void test_moved(void **state)
{
	static const struct line lines[] = {
		SPAN(WHY_STATES, 7, 100, 200, .word = "woken", .cpu = 0, .ends = 2, .chosen = true),
		PLACE(7, 0, 100, 300),
		SPAN(WHY_STATES, 7, 300, 400, .word = "woken", .cpu = 0, .ends = 2),
		PLACE(7, 0, 300, 500),
		LANE(0, 0, 500, 8),
		LANE(1, 0, 500, 9),
	};

	(void)state;
	tree(lines,
	     "300 t-7\n"
	     " 200 waiting for a CPU (woken)\n"
	     "  100 while t-9 ran on CPU 1\n"
	     "  100 unknown: the task went to another CPU, and when was not recorded\n"
	     " 100 unknown: no event states what it was\n",
	     .pid = 7, .from = 100, .to = 400);
}

static const struct line chain[] = {
	SLEEPS(7, 0, 500, 8),  CALL(7, 0, 600, "read"), RUNS(7, 0, 500, 600),
	RUNS(8, 1, 100, 200),  SLEEPS(8, 200, 300, 9),  CALL(8, 150, 350, "futex"),
	WAITS(8, 1, 300, 400), LANE(1, 300, 400, 5),    RUNS(8, 1, 400, 700),
	RUNS(9, 2, 0, 1000),
};

static void test_chain(void **state)
{
	(void)state;
	tree(chain,
	     "600 t-7\n"
	     " 500 sleeping in read() until t-8 woke it, which meanwhile was\n"
	     "  150 running on CPU 1\n"
	     "  100 unknown: no event states what it was\n"
	     "  100 sleeping in futex() until t-9 woke it, which meanwhile was\n"
	     "   100 running on CPU 2\n"
	     "  100 waiting for a CPU (woken)\n"
	     "   100 while t-5 ran on CPU 1\n"
	     "  50 running on CPU 1 in futex()\n"
	     " 100 running on CPU 0 in read()\n",
	     .pid = 7, .from = 0, .to = 600);
}

/* No deeper than requested, and never in a circle. */
static void test_ends(void **state)
{
	static const struct line lines[] = {
		SLEEPS(7, 0, 100, 8),
		SLEEPS(8, 0, 200, 7), /* contradictory: it slept, and woke 7 */
		SPAN(WHY_STATES, 7, 100, 200, .word = "disk", .cpu = 1, .in_irq = true, .pid = 9),
		IRQ(1, 150, 201, "irq nvme0q1"),
		SPAN(WHY_STATES, 7, 200, 300, .word = "sleeping", .in_irq = true),
		SLEEPS(7, 300, 400, 0),
		SLEEPS(7, 400, 500, 7),
		SPAN(WHY_STATES, 7, 500, 600, .word = "stopped", .continues = true),
	};

	(void)state;
	tree(lines,
	     "600 t-7\n"
	     " 100 sleeping until t-8 woke it, which meanwhile was\n"
	     "  100 sleeping until t-7 woke it, which waited for it (a cycle)\n"
	     " 100 in uninterruptible sleep until irq nvme0q1 woke it (while t-9 ran)\n"
	     " 100 sleeping until an interrupt woke it\n"
	     " 100 sleeping until an idle CPU woke it\n"
	     " 100 sleeping until t-7 woke it, which waited for it (a cycle)\n"
	     " 100 stopped; its end is not in the recording\n",
	     .pid = 7, .from = 0, .to = 600);
	tree(chain,
	     "200 t-7\n"
	     " 200 sleeping in read() until t-8 woke it, which meanwhile was\n"
	     "  100 sleeping in futex() until t-9 woke it; see --depth\n"
	     "  50 running on CPU 1\n"
	     "  50 running on CPU 1 in futex()\n",
	     .pid = 7, .from = 100, .to = 300, .depth = 2);
	tree(chain, "200 t-7\n 200 sleeping in read() until t-8 woke it; see --depth\n", .pid = 7,
	     .from = 100, .to = 300, .depth = 1);
}

/* What is not known is not invented. */
static void test_unknown(void **state)
{
	static const struct line lines[] = {
		RUNS(7, 0, 200, 300),
		LOST(400, 500),
		RUNS(7, 0, 600, 700),
	};

	(void)state;
	tree(lines,
	     "1000 t-7\n"
	     " 300 unknown: it is outside the recording\n"
	     " 300 unknown: events were lost\n"
	     " 200 unknown: no event states what it was\n"
	     " 200 running on CPU 0\n",
	     .pid = 7, .from = 0, .to = 1000, .first = 100, .last = 800);
	tree(lines, "100 task 9\n 100 unknown: no event states what it was\n", .pid = 9, .from = 0,
	     .to = 100);
	tree(lines, "0 t-7\n", .pid = 7, .from = 250, .to = 250);
}

/* --- random stores, and what they state about each ns --- */

enum { LENGTH = 300, OWNERS = 3, OWN_PID = 1 };

static const struct why_span *at(const struct why_store *s, enum why_track track, u32 owner, u64 ts)
{
	const struct why_span *found = NULL;

	for (size_t i = 0; i < s->tracks[track].n; i++) {
		const struct why_span *span = &s->tracks[track].v[i];

		if (span->owner == owner && span->from <= ts && ts < span->to)
			found = span;
	}
	return found;
}

/* The kinds of the part that a ns belongs to, and of the part of that. */
static void kinds_at(const struct why_store *s, u32 task, u64 ts, enum why_kind *kind,
		     enum why_kind *inner)
{
	const struct why_span *state = at(s, WHY_STATES, task, ts), *stay, *lane;
	u32 cpu;

	*kind = *inner = WHY_UNKNOWN;
	if (!state)
		return;
	cpu = state->cpu;
	stay = at(s, WHY_STAYS, task, ts);
	if (state->state == WHY_STATE_WAITS && stay && stay->from >= state->from)
		cpu = stay->cpu;
	lane = at(s, WHY_LANES, cpu, ts);
	if (state->state == WHY_STATE_BLOCKED)
		*kind = WHY_BLOCKED;
	else if (state->state == WHY_STATE_WAITS)
		*kind = WHY_WAITING;
	else
		*kind = at(s, WHY_IRQS, cpu, ts) ? WHY_IRQ : WHY_RUNNING;
	if (*kind == WHY_WAITING)
		*inner = at(s, WHY_HOLDS, task, ts) ? WHY_HELD
			 : at(s, WHY_IRQS, cpu, ts) ? WHY_IRQ
			 : !lane                    ? WHY_UNKNOWN
			 : lane->pid                ? WHY_CULPRIT
						    : WHY_IDLE;
}

static void add_random(struct why_store *s, enum why_track track, u32 owner)
{
	static const char *const words[] = { "running", "woken", "sleeping" };

	for (u32 ts = random_below(40); ts < LENGTH; ts += random_below(3) ? 0 : random_below(30)) {
		u32 to = ts + 1 + random_below(60);

		add_line(s, &(struct line){ .track = track,
					    .owner = owner,
					    .from = ts,
					    .to = to,
					    .word = ONE_OF(words),
					    .cpu = random_below(OWNERS),
					    .pid = (s32)random_below(OWNERS + 1) });
		ts = to;
	}
}

static void test_random(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		u64 want[N_WHY_KINDS][N_WHY_KINDS] = { { 0 } };
		struct why_question q = { .pid = OWN_PID, .last = LENGTH, .depth = 5 };
		struct why_store s;
		struct why_tree tree;

		q.from = random_below(LENGTH / 2);
		q.to = q.from + random_below(LENGTH);
		store_init(&s, NULL, 0);
		for (u32 owner = 0; owner <= OWNERS; owner++)
			for (u32 track = 0; track < WHY_LOSSES; track++)
				if (track != WHY_FREQS)
					add_random(&s, track, owner);
		assert_int_equal(why_store_finish(&s), 0);
		assert_int_equal(why_tree_build(&s, &q, &tree), 0);
		check_sums(&tree);
		for (u64 ts = q.from; ts < q.to; ts++) {
			enum why_kind kind, inner;

			kinds_at(&s, why_store_find_task(&s, OWN_PID), ts, &kind, &inner);
			want[kind][kind == WHY_WAITING ? inner : 0]++;
		}
		why_for_each_part(i, &tree, 0)
		{
			enum why_kind kind = tree.parts.v[i].key.kind;

			if (kind != WHY_WAITING)
				want[kind][0] -= tree.parts.v[i].ns;
			else
				why_for_each_part(k, &tree, i)
					want[kind][tree.parts.v[k].key.kind] -= tree.parts.v[k].ns;
		}
		for (u32 k = 0; k < N_WHY_KINDS; k++)
			for (u32 i = 0; i < N_WHY_KINDS; i++)
				assert_int_equal(want[k][i], 0);
		why_tree_release(&tree);
		why_store_release(&s);
	}
}

/* Interrupts that overlap without being in each other, of two CPUs, and equal ones. */
static void test_irqs(void **state)
{
	static const struct line lines[] = {
		RUNS(7, 0, 0, 1000),   IRQ(0, 100, 500, "a"), IRQ(0, 200, 300, "b"),
		IRQ(0, 220, 240, "c"), IRQ(0, 450, 600, "d"), IRQ(1, 100, 900, "e"),
		IRQ(0, 700, 700, "f"), IRQ(0, 700, 800, "g"), IRQ(0, 700, 750, "h"),
	};

	(void)state;
	tree(lines,
	     "1000 t-7\n"
	     " 400 running on CPU 0\n"
	     " 250 interrupted by a on CPU 0\n"
	     " 150 interrupted by d on CPU 0\n"
	     " 80 interrupted by b on CPU 0\n"
	     " 50 interrupted by h on CPU 0\n"
	     " 50 interrupted by g on CPU 0\n"
	     " 20 interrupted by c on CPU 0\n",
	     .pid = 7, .from = 0, .to = 1000);
}

static void test_limit(void **state)
{
	struct why_store s;

	(void)state;
	assert_int_equal(why_store_init(&s, 2), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(why_store_add(&s, WHY_LANES, &(struct why_span){ .to = 1 }),
				 i < 2 ? 0 : -HIST_ELIMIT);
	why_store_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_running), TEST(test_waiting), TEST(test_chain),
		TEST(test_ends),    TEST(test_unknown), TEST(test_irqs),
		TEST(test_random),  TEST(test_limit),   TEST(test_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
