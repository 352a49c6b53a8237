/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The interrupts that each CPU is in: which one interrupted which, and the task.
 *
 * An interrupt whose end is missing is dropped when another record contradicts it: an event of
 * another task, or the end of an interrupt that it interrupted. Nothing is known of its length, but
 * those that it contained took their time.
 *
 * A task switch hides those that the CPU is in from others: their ends are missing, or they are
 * softirqs of PREEMPT_RT, which are preempted like tasks, and end when the task runs again.
 */
#pragma once
#include "base/base.h"

enum { IRQ_DEPTH_MAX = 16, IRQ_NAME_SIZE = 32, IRQ_CPUS_MAX = 1 << 16 };

/* From the one that a task runs in, to the one that nothing interrupts. */
enum irq_kind { IRQ_SOFT, IRQ_VECTOR, IRQ_HARD };

/* A text of whole words of 8 bytes. */
struct irq_name {
	_Alignas(8) char s[IRQ_NAME_SIZE];
};

struct irq_frame {
	enum irq_kind kind;
	u32 number; /* of the irq, the softirq; of a vector: any that its entry and exit share */
	s32 pid;    /* the interrupted task */
	u64 since;
	u64 nested_ns; /* in interrupts that interrupted it, without those in them */
	struct irq_name name;
};

struct irq_cpu {
	u32 n, hidden;
	struct irq_frame frames[IRQ_DEPTH_MAX]; /* the first one interrupts the task */
	u64 done_ns;                            /* in interrupts of tasks that have ended */
};

struct irq_stack {
	ARRAY(struct irq_cpu) cpus;
	u64 dropped; /* interrupts whose beginning or end is missing */
};

/* NULL if out of memory, or no CPU has such a number. */
struct irq_cpu *irq_stack_cpu(struct irq_stack *s, u32 cpu);

/* An interrupt begins; @number is of its @kind. NULL: it cannot be there */
struct irq_frame *irq_stack_enter(struct irq_stack *s, struct irq_cpu *c,
				  const struct irq_frame *from);

/**
 * irq_stack_leave() - an interrupt ends
 * @frame: the interrupt, filled in
 *
 * Return: whether its beginning is known
 */
bool irq_stack_leave(struct irq_stack *s, struct irq_cpu *c, const struct irq_frame *to,
		     struct irq_frame *frame);

/* An interrupt of @ns ended now, whose beginning has no record. */
void irq_stack_add(struct irq_cpu *c, u64 ns);

/* Another task runs. */
void irq_stack_hide(struct irq_cpu *c);

/* For how long the CPU was in interrupts, until @now. */
u64 irq_stack_ns(const struct irq_cpu *c, u64 now);

/* Nothing is known of the present of a CPU, as after lost events; the number of its interrupts. */
u64 irq_stack_forget(struct irq_cpu *c);
void irq_stack_release(struct irq_stack *s);
