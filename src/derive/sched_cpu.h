/* SPDX-License-Identifier: LGPL-2.1-only */
/* What is known of a CPU. Part of sched_tasks.h; do not include it directly. */
#ifndef HIST_DERIVE_SCHED_CPU_H
#define HIST_DERIVE_SCHED_CPU_H

#include "derive/culprit.h"

struct sched_cpu {
	bool known;         /* which task runs */
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

/* How many tasks a CPU had when an epoch (see derive_epoch()) began, known from their first
 * records. */
struct sched_start {
	u32 epoch, cpu;
	u32 runs, waits;
	bool known; /* ->runs */
};

#endif
