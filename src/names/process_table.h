/* SPDX-License-Identifier: LGPL-2.1-only */
/* Facts about tasks become changes of processes, one after the other. */
#ifndef HIST_NAMES_PROCESS_TABLE_H
#define HIST_NAMES_PROCESS_TABLE_H

#include "names/name_run.h"

/* A task now; indices are + 1. */
struct task_now {
	s32 pid;
	u32 last; /* its last change */
	u32 name; /* while events are recorded: the last change of its name */
	/* threads of process ->of besides the leader: the first one is stored in the leader */
	s32 of;
	u32 first, next, before;
	u32 life;
	bool ended;
	u64 end;   /* when */
	u64 start; /* STATE_IS */
};

struct process_table {
	struct processes *p;
	ARRAY(struct task_now) tasks;
	struct hash_table by_pid;
	bool exits; /* of tasks are among the facts */
	int err;
};

struct task_now *process_table_find(const struct process_table *t, s32 pid);

/* The same, or a new one. NULL if out of memory */
struct task_now *process_table_get(struct process_table *t, s32 pid);

/* The next fact; facts come in the order of time. Errors: ->err */
void process_table_apply(struct process_table *t, const struct task_state *f);

/* The task is not a thread of its process any more. */
void process_table_leave(struct process_table *t, struct task_now *task);

void process_table_release(struct process_table *t);

#endif
