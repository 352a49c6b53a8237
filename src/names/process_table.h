/* SPDX-License-Identifier: LGPL-2.1-only */
/* Facts about tasks become changes of processes, one after the other. */
#pragma once
#include "names/name_run.h"

/* A task now; indices are + 1. */
struct task_now {
	s32 pid;
	u32 last; /* its last change */
	u32 last_of_threads;
	u32 name; /* while events are recorded: the last change of its name */
	/* threads of process ->of besides the leader: the first one is stored in the leader */
	s32 of;
	u32 first, next, before;
	u32 life;
	bool ended;
	bool stated; /* its process, at no time; nothing else is known of it */
	u64 end;     /* when */
	u64 start;   /* STATE_IS */
};

struct process_table {
	struct processes *p;
	INDEXED(struct task_now) tasks;
	bool exits; /* of tasks are among the facts */
	bool live;  /* a change of a process is one of each thread, so that it can be forgotten */
	size_t seq; /* of the last change */
	int err;
};

struct task_now *process_table_find(const struct process_table *t, s32 pid);

/* The same, or a new one. NULL if out of memory */
struct task_now *process_table_get(struct process_table *t, s32 pid);

/* The next fact; facts come in the order of time. Errors: ->err */
void process_table_apply(struct process_table *t, const struct task_state *f);

/* The task is not a thread of its process any more. */
void process_table_leave(struct process_table *t, struct task_now *task);

/* From where on a thread, whose change is @c, has what changed for all threads. */
static inline struct name_place threads_change_place(const struct process_change *c,
						     const struct threads_change *t)
{
	const bool since = t->place.ts == c->place.ts && (!t->moved || t->place_seq < c->seq);

	return since ? c->place : t->place;
}

/*
 * The change of a thread with what changed afterwards, up to @t, for all threads of its process;
 * its place is that of the last one.
 */
struct process_change process_change_with(const struct process_change *c,
					  const struct threads_change *t);

void process_table_release(struct process_table *t);
