/* SPDX-License-Identifier: LGPL-2.1-only */
/* What delays tasks that wait for a CPU. */
#pragma once
#include "derive/irq.h"

/* Why a task that waits does not run. */
enum sched_reason {
	REASON_TASK,
	REASON_IRQ,
	REASON_SOFTIRQ,
	REASON_IDLE,
	REASON_THROTTLED, /* the budget of its class is used up, or the quota of its cgroup */
	REASON_FROZEN,    /* its cgroup is frozen */
	REASON_UNKNOWN,
	N_SCHED_REASONS
};

/*
 * Classes of tasks by their prio: a CPU runs none while one of a lower number is on its run queue
 * and may run. prio 0 is one of SCHED_FIFO or a stopper thread, which comes before all.
 */
enum sched_class { CLASS_STOP, CLASS_DEADLINE, CLASS_REALTIME, CLASS_FAIR, CLASS_IDLE };

static inline enum sched_class sched_class_of(s32 prio)
{
	return !prio        ? CLASS_STOP
	       : prio < 0   ? CLASS_DEADLINE
	       : prio < 100 ? CLASS_REALTIME
			    : CLASS_FAIR;
}

/* Who ran while a task waited, or which interrupt did. */
struct sched_culprit {
	enum sched_reason reason;
	s32 pid;              /* 0: not a task */
	u32 life;             /* which of the tasks that had this pid */
	struct irq_name name; /* of others; that of a task is looked up */
	const char *kind;     /* "task", "irq", ...: whole words of 8 bytes */
};

static inline bool sched_same_culprit(const struct sched_culprit *a, const struct sched_culprit *b)
{
	return a->pid == b->pid && a->life == b->life && a->kind == b->kind &&
	       (a->pid || !memcmp(&a->name, &b->name, sizeof(a->name)));
}

/* For how long it delayed a task, the last time until when. */
struct sched_delayed {
	u32 culprit; /* index */
	s32 prio;    /* of a task, then */
	u64 ns, until;
};

/* A part of a wait in which the task was not to run, however idle its CPU was. */
struct sched_hold {
	u32 culprit; /* index */
	u64 from, to;
};

/* From the end of the previous one until then, a CPU did something else than what waits for it. */
struct sched_delay {
	u32 culprit; /* index */
	s16 prio;
	u8 rank;     /* enum sched_class of a task or of idleness, otherwise CLASS_STOP */
	bool begins; /* the CPU switched to it */
	u64 until;
};
