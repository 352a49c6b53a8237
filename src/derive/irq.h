/* SPDX-License-Identifier: LGPL-2.1-only */
/* What other derivers ask the one of interrupts, if they use it. */
#pragma once
#include "derive/deriver.h"
#include "derive/irq_stack.h"

/* The state of derive_irq. In all functions NULL: it is not used, so nothing is known. */
struct irq;

/* A CPU switches tasks, so it is in no interrupt. */
void irq_task_runs(struct irq *q, u32 cpu);

/* The interrupt that the CPU is in; NULL: none. */
const struct irq_frame *irq_top(const struct irq *q, u32 cpu);

/* "irq", "softirq", "vector": whole words of 8 bytes. */
const char *irq_kind_word(enum irq_kind kind);

/*
 * @changes is called before a CPU enters or leaves an interrupt; for an NMI, at its begin, and then
 * at its end with @nmi.
 */
void irq_watch(struct irq *q,
	       void (*changes)(void *arg, u32 cpu, u64 ts, const struct irq_frame *nmi), void *arg);

/* For how long the CPU was in interrupts, until @now. */
u64 irq_ns(const struct irq *q, u32 cpu, u64 now);
