/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a task did in an interval: how long it ran, waited for a CPU, slept; and for how long it was
 * interrupted while it ran. By subtraction of what is known at the beginning from what is known at
 * the end; the deriver of sched.c knows both, so an event with such parts uses it.
 */
#pragma once
#include "derive/deriver.h"

/* All ns so far. */
struct task_time {
	u64 running; /* including interrupts */
	u64 waiting, sleeping;
	u64 interrupted;
};

/* The parts of an interval, which add up to it. */
struct task_parts {
	u64 running_ns; /* without irq_ns */
	u64 waiting_ns, sleeping_ns, irq_ns, unknown_ns;
};

/* Their definition in a derived event; the values of a struct task_parts in this order. */
#define TASK_PARTS "u64 running_ns; u64 waiting_ns; u64 sleeping_ns; u64 irq_ns; u64 unknown_ns; "

struct sched;

/* @pid runs on @r->cpu now. NULL: sched is not used. */
void task_time_running(struct sched *s, s32 pid, const struct derive_record *r,
		       struct task_time *now);

/* @pid does anything. */
void task_time_now(struct sched *s, s32 pid, u64 ts, struct task_time *now);

/*
 * Whether all that a task recorded since then is there: all CPUs have their records, or it ran on
 * its CPU all the time, which has. The idle task has no other one.
 */
bool task_time_whole(struct sched *s, u64 since, const struct derive_record *r);

/* At an edge, see ->end(): whether it surely goes on to record where it did; sets *@since to now.
 */
bool task_time_keep(struct sched *s, s32 pid, u64 *since, const struct derive_record *last);

/* An interval of @ns, from a record of the task while it ran to a later time. */
struct task_parts task_time_parts(const struct sched *s, const struct task_time *from,
				  const struct task_time *to, u64 ns);
