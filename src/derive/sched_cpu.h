/* SPDX-License-Identifier: LGPL-2.1-only */
/* What is known of a CPU, and of a task. Part of sched_tasks.h; do not include it directly. */
#pragma once
#include "derive/culprit.h"
#include "derive/cgroup_freeze.h"
#include "derive/throttle.h"

/* UNSEEN: in no record since derive_begin(); UNKNOWN: records contradict each other, or it exited
 */
enum sched_mode { UNSEEN, UNKNOWN, RUNNING, WAITING, BLOCKED };

struct sched_cpu {
	bool known;         /* which task runs */
	bool counts;        /* the last switch is one of those that follow each other */
	bool idle;          /* in ->n_idle of all */
	bool begins;        /* of what it does, nothing is in ->log: it begins with a switch */
	u32 running;        /* index of the task; NO_TASK: idle; UNKNOWN_TASK */
	u64 alone_ns;       /* time for which only this CPU was idle */
	ARRAY(u32) waiting; /* with ->lists: indices of tasks */
	/* who delayed them, until when; empty if no task waits */
	ARRAY(struct sched_delay) log;
	bool depth_known;
	bool idles;         /* this record switches to idle */
	bool was_idle;      /* in this epoch: no task waits there since its begin */
	bool depth_begun;   /* ->depth_since is the begin of the epoch */
	bool depth_doubted; /* since ->depth_since, a record contradicts it */
	bool stops;         /* its stopper thread runs, after which it may be offline */
	size_t start;       /* index in ->starts, plus 1; 0: none in this epoch */
	u32 depth;          /* tasks that run or wait */
	u32 old_depth;      /* from ->depth_since on */
	u64 depth_since;
};

/* What is known of a task. */
struct sched_task {
	s32 pid;
	enum sched_mode mode;
	const struct derive_comm *state; /* the word for it */
	const u64 *sleep_stack;          /* where it left the CPU */
	struct derive_comm comm;
	s32 prio;
	u32 cpu;       /* where it runs or waits */
	u32 first_cpu; /* WAITING: where that began */
	bool idle_cpu; /* WAITING: the CPU that was chosen for it was idle then */
	u64 since;     /* begin of ->mode */
	bool begun;    /* before that: ->since is derive_begin() */
	bool woken;    /* sched_waking came before the switch to sleep */
	/* what was before the first record does not matter; unless it was ->woken or ->yields */
	bool sure, left;
	bool yields;    /* RUNNING: in sched_yield() */
	bool throttles; /* RUNNING: its quota holds it back when it leaves the CPU */
	bool frozen;    /* WAITING: on no run queue, since its cgroup is frozen */
	bool listed;    /* it waits for ->cpu: in its ->waiting, at ->at */
	u32 at;
	struct {
		s32 pid;
		bool in_irq; /* in an interrupt on its CPU */
		struct derive_moment when;
		const u64 *stack;
	} waker;  /* who ended the last sleep */
	u32 life; /* number of tasks that had this pid before */
	/* see task_time.h */
	u64 ns[BLOCKED + 1];    /* in each mode, until ->counted */
	u64 counted;            /* from then on it was in ->mode */
	bool doubted;           /* or in another one: a record contradicts it */
	u64 interrupted;        /* in interrupts while it ran, until it was switched away from */
	u64 interrupted_before; /* irq_ns() of its CPU when it began to run, or was seen */
	bool seen;              /* on ->cpu, although the switch to it is not known */
	bool early;             /* UNSEEN: it was moved to ->first_cpu, where it waits */
	s32 taker_pid;          /* who ran after it, when it was preempted */
	u32 culprit;            /* index */
	/* WAITING */
	u64 charged;              /* delays are in ->delayed until then */
	size_t logged;            /* those after it are in the log of ->cpu from here on */
	u64 idle_sum, idle_since; /* see other_idle() */
	enum sched_class class;   /* see note_pick() for it and the following */
	bool picked;              /* what its CPU picks shows whether it may run */
	size_t picks_from; /* from here on in the log, it is on the run queue; SIZE_MAX: not yet */
	u64 cgroup;        /* with ->throttles of all: the answer about it at ->charged */
	u32 held_by;       /* index of a culprit that takes all; UINT32_MAX: none */
	ARRAY(struct sched_delayed) delayed; /* until it was moved; see ->delayed_by */
	ARRAY(struct sched_hold) holds;      /* with ->holds of all; one after the other */
};

/* How many tasks a CPU had when an epoch (see derive_epoch()) began, known from their first
 * records. */
struct sched_start {
	u32 epoch, cpu;
	u32 runs, waits;
	bool known; /* ->runs */
};
