// SPDX-License-Identifier: LGPL-2.1-only
/* Stacks of interrupts: random nesting against a tree, missing entries and exits. */
#include "unit.h"

#include "derive/irq_stack.h"
#include "random.h"

static struct irq_frame frame(enum irq_kind kind, u32 number, s32 pid, u64 ts)
{
	return (struct irq_frame){ .kind = kind, .number = number, .pid = pid, .since = ts };
}

struct model {
	struct irq_stack stack;
	u64 now;
	u32 numbers; /* used up, so that each interrupt of a task has its own */
	u32 depth;
	u32 loses;      /* one of so many entries and exits is missing; 0: none */
	u64 n, missing; /* interrupts, records that are missing */
	u64 traced;
};

static bool is_missing(struct model *m)
{
	bool missing = m->loses && random_below(m->loses) == 0;

	m->missing += missing;
	return missing;
}

/* An interrupt and those in it; returns how long it took. */
static u64 interrupt(struct model *m, struct irq_cpu *c, enum irq_kind kind, s32 pid)
{
	const struct irq_frame from = frame(kind, ++m->numbers, pid, m->now);
	u64 nested = 0, ns;
	struct irq_frame to, got;

	m->n++;
	m->depth++;
	if (!is_missing(m))
		assert_non_null(irq_stack_enter(&m->stack, c, &from));
	for (u64 k = random_below(m->depth < 6 ? 4 : 1); k; k--) {
		m->now += random_below(10);
		nested += interrupt(m, c, random_below(2) ? IRQ_HARD : IRQ_VECTOR, pid);
	}
	m->now += random_below(100);
	ns = m->now - from.since;
	m->depth--;
	to = frame(kind, from.number, pid, m->now);
	if (!is_missing(m) && irq_stack_leave(&m->stack, c, &to, &got)) {
		m->traced++;
		assert_int_equal(got.since, from.since);
		if (!m->loses)
			assert_int_equal(got.nested_ns, nested);
		else
			assert_true(got.nested_ns <= nested);
	}
	return ns;
}

static void check_random(u32 loses)
{
	struct model m = { .loses = loses };
	struct irq_cpu *c = irq_stack_cpu(&m.stack, 3);
	u64 sum = 0;

	assert_non_null(c);
	for (s32 pid = 1; pid < 200; pid++) {
		m.numbers = 0;
		sum += interrupt(&m, c, random_below(2) ? IRQ_SOFT : IRQ_HARD, pid);
		m.now += random_below(1000);
		if (!loses)
			assert_int_equal(irq_stack_ns(c, m.now), sum);
	}
	irq_stack_hide(c);
	assert_int_equal(c->hidden, c->n);
	for (size_t i = 0; i < m.stack.cpus.n; i++)
		irq_stack_forget(&m.stack.cpus.v[i]);
	if (!loses) {
		assert_int_equal(m.traced, m.n);
		assert_int_equal(m.stack.dropped, 0);
	} else {
		assert_true(c->done_ns <= sum);
		assert_true(m.traced < m.n && m.traced > m.n / 2);
		assert_true(m.stack.dropped && m.stack.dropped <= m.missing);
	}
	irq_stack_release(&m.stack);
}

static void test_random(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		check_random(0);
		check_random(10);
	}
}

/* What cannot be below an interrupt lost its exit; a part of an interrupt counts until now. */
static void test_contradictions(void **state)
{
	struct irq_stack s = { .dropped = 0 };
	struct irq_frame f = frame(IRQ_HARD, 5, 7, 100), got;
	struct irq_cpu *c = irq_stack_cpu(&s, 0);

	(void)state;
	irq_stack_enter(&s, c, &f);
	assert_int_equal(irq_stack_ns(c, 130), 30);
	irq_stack_add(c, 10);           /* an NMI */
	f = frame(IRQ_SOFT, 1, 7, 200); /* a softirq is in no other interrupt */
	irq_stack_enter(&s, c, &f);
	assert_int_equal(c->n, 1);
	assert_int_equal(s.dropped, 1);
	assert_int_equal(irq_stack_ns(c, 200), 10);
	f = frame(IRQ_HARD, 5, 8, 300); /* another task */
	irq_stack_enter(&s, c, &f);
	assert_int_equal(c->n, 1);
	f.number = 6;
	assert_false(irq_stack_leave(&s, c, &f, &got));
	f.number = 5;
	assert_true(irq_stack_leave(&s, c, &f, &got));
	assert_int_equal(s.dropped, 3);
	irq_stack_enter(&s, c, &f);
	assert_int_equal(irq_stack_forget(c), 1);
	assert_false(irq_stack_leave(&s, c, &f, &got));
	assert_null(irq_stack_cpu(&s, IRQ_CPUS_MAX));
	irq_stack_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_contradictions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
