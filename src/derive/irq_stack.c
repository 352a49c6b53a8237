// SPDX-License-Identifier: LGPL-2.1-only
/* The interrupts that each CPU is in; see irq_stack.h. */
#include "derive/irq_stack.h"

struct irq_cpu *irq_stack_cpu(struct irq_stack *s, u32 cpu)
{
	static const struct irq_cpu none;

	while (s->cpus.n <= cpu && cpu < IRQ_CPUS_MAX)
		if (array_push(&s->cpus, none))
			return NULL;
	return cpu < s->cpus.n ? &s->cpus.v[cpu] : NULL;
}

/* Time in a complete interrupt, which the one below it, or the task, did not get. */
void irq_stack_add(struct irq_cpu *c, u64 ns)
{
	if (c->n)
		c->frames[c->n - 1].nested_ns += ns;
	if (c->n <= c->hidden)
		c->done_ns += ns;
}

/* Remove the topmost one, which took @ns, or those in it did. */
static void pop(struct irq_cpu *c, u64 ns)
{
	if (--c->n >= c->hidden) {
		irq_stack_add(c, ns);
		return;
	}
	c->hidden = c->n;
	if (c->n)
		c->frames[c->n - 1].nested_ns += ns;
}

/* Those above @n cannot be there. */
static void drop(struct irq_stack *s, struct irq_cpu *c, u32 n)
{
	while (c->n > n) {
		s->dropped++;
		pop(c, c->frames[c->n - 1].nested_ns);
	}
}

void irq_stack_hide(struct irq_cpu *c)
{
	for (; unlikely(c->hidden < c->n); c->hidden++)
		c->done_ns += c->frames[c->hidden].nested_ns;
}

/* A softirq interrupts only the task, and an interrupt not itself. */
static bool can_be_below(const struct irq_frame *below, const struct irq_frame *f)
{
	return f->kind != IRQ_SOFT && below->pid == f->pid &&
	       (below->kind != f->kind || below->number != f->number);
}

struct irq_frame *irq_stack_enter(struct irq_stack *s, struct irq_cpu *c,
				  const struct irq_frame *from)
{
	for (u32 i = 0; i < c->n; i++)
		if (!can_be_below(&c->frames[i], from))
			drop(s, c, i);
	if (c->n == IRQ_DEPTH_MAX)
		drop(s, c, 0);
	c->frames[c->n] = *from;
	return &c->frames[c->n++];
}

bool irq_stack_leave(struct irq_stack *s, struct irq_cpu *c, const struct irq_frame *to,
		     struct irq_frame *frame)
{
	u32 i = c->n;

	while (i && (c->frames[i - 1].kind != to->kind || c->frames[i - 1].number != to->number))
		i--;
	if (!i || c->frames[i - 1].pid != to->pid) {
		s->dropped++;
		return false;
	}
	drop(s, c, i);
	*frame = c->frames[c->n - 1];
	pop(c, to->since > frame->since ? to->since - frame->since : 0);
	return true;
}

u64 irq_stack_ns(const struct irq_cpu *c, u64 now)
{
	const u64 since = c->n > c->hidden ? c->frames[c->hidden].since : now;

	return c->done_ns + (now > since ? now - since : 0);
}

u64 irq_stack_forget(struct irq_cpu *c)
{
	const u64 n = c->n;

	c->n = c->hidden = 0;
	return n;
}

void irq_stack_release(struct irq_stack *s)
{
	array_release(&s->cpus);
}
