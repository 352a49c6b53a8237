/* SPDX-License-Identifier: LGPL-2.1-only */
/* What is known of the delays of a wait. */
#pragma once
#include "derive/sched_tasks.h"

/* Context: before any culprit */
void sched_add_budgets(struct sched *s);

/* A task that waits is on the run queue, and was only about to be before. */
void sched_queue(struct sched *s, struct sched_task *t);

/* It was preempted, with this stack; NULL: unknown. See derive_wants_causes(). */
void sched_hold_by_stack(struct sched *s, struct sched_task *t, const u64 *stack);

/*
 * A task that waits may have been moved to another cgroup before @ts. kernel: sched_move_task()
 * takes it off the run queue of the old one and enters it in that of the new one, so from then on
 * only this one can hold it back. Of several moves between two records, some may be missed.
 */
void sched_follow_moves(struct sched *s, struct sched_task *t, u64 ts);

/* Its wait ends at @ts: add up its delays. Context: it is in the list, see sched_unlist() */
void sched_charge_task(struct sched *s, u32 task, u64 ts);

/* What took most of the wait that ends; unknown if no trigger reads that. */
const struct derive_comm *sched_reason_word(struct sched *s, const struct sched_task *t, u64 ts);

/* An event for each delay of the wait that ends, which @preempted began or not. */
void sched_trace_delays(struct sched *s, const struct sched_task *t, bool preempted,
			const struct derive_record *r);

/* An event for each time in the wait that ends in which the task was held back. */
void sched_trace_holds(struct sched *s, const struct sched_task *t, const struct derive_record *r);

/* See struct deriver. */
void sched_account(const void *state, struct derive_account *sum);

/* See irq_watch(). */
void sched_interrupt(void *state, u32 cpu, u64 ts, const struct irq_frame *nmi);

/* See throttle_watch(). */
void sched_throttle(void *state, const struct throttled *g, bool begins,
		    const struct derive_record *r);
