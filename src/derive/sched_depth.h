/* SPDX-License-Identifier: LGPL-2.1-only */
/* Depths of run queues, and what is done for each switch; for sched.c. */
#pragma once
#include "derive/sched_tasks.h"

/* Of the CPU, by +1 or -1; see sched_trace_depths(). */
void sched_change_depth(struct sched *s, u32 cpu, int by);

/* In a rehearsal, the epoch ends with a hole: any task may have waited all the time. */
void sched_forget_starts(struct sched *s);

/* Before a record: a new epoch may begin. */
void sched_start_depths(struct sched *s, const struct derive_record *r);

/* After a record, because it may change a depth and change it back. */
void sched_trace_depths(struct sched *s, const struct derive_record *r);

/* The CPU switched to ->running. */
void sched_note_next(struct sched *s, u32 cpu);

/* At the end of what is known: depths that go on. */
void sched_end_depths(struct sched *s, struct derive_record *r);

/* See struct deriver. */
bool sched_rehearse(void *state, bool ends);

/* It waited on @cpu when the epoch began, and no longer does. */
void sched_leave_start(struct sched *s, struct sched_task *t, u32 cpu);

/*
 * It waited since the beginning, because one that sleeps is not moved before it is woken; from now
 * on for @cpu.
 */
void sched_move_early(struct sched *s, struct sched_task *t, u32 from, u32 cpu);

/* In a rehearsal: @n tasks ran or waited there when the epoch began. */
void sched_started(struct sched *s, u32 cpu, bool runs, u32 n);

/* The task of this pid is mostly the one that runs. */
static inline u32 sched_running_task(struct sched *s, const struct sched_cpu *c, s32 pid)
{
	if (unlikely(!c || c->running >= UNKNOWN_TASK || s->tasks.v[c->running].pid != pid))
		return sched_task(s, pid);
	sched_meet(s, c->running);
	return c->running;
}

/* The time in which it was interrupted on the CPU that it leaves. */
static inline void sched_count_interrupted(const struct sched *s, struct sched_task *t,
					   const struct derive_record *r)
{
	if (s->irq)
		t->interrupted += irq_ns(s->irq, t->cpu, r->ts) - t->interrupted_before;
	t->seen = false;
}
