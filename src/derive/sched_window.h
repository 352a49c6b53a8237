/* SPDX-License-Identifier: LGPL-2.1-only */
/* What is known of tasks and CPUs where only a part of the recording is read; see derive_window.c.
 */
#pragma once
#include "derive/sched_tasks.h"

enum sched_input { SWITCH, WAKING, WAKEUP, WAKEUP_NEW, MIGRATE, FORK, YIELD };

/* Indices of their fields. */
enum { PREV_PID, PREV_COMM, PREV_PRIO, PREV_STATE, NEXT_PID, NEXT_COMM, NEXT_PRIO, PREV_STACK };
enum { WOKEN_PID, WOKEN_COMM, WOKEN_PRIO, WOKEN_CPU, WAKER_STACK };
enum { MOVED_PID, MOVED_CPU, MOVED_FROM };
enum { FORKED_PID };

/* Whether it is the same whatever was before the window. */
static inline bool sched_is_sure(const struct sched *s, const struct sched_task *t)
{
	return t->sure && t->since >= s->known;
}

/* An interval of it may have ended at @ts. */
static inline void sched_doubt(const struct sched *s, const struct sched_task *t, u64 ts)
{
	if (!t->sure && s->asked)
		derive_unsure(s->d, ts);
}

/*
 * In a window: what is known of all CPUs from now on is all that there is. ->wakeups makes a
 * difference only for a task of which there is one.
 */
void sched_learn_cpu(struct sched *s, u32 cpu, u64 ts);
/* The first sched_waking; or sched_wakeup, the @end of one. */
void sched_learn_waking(struct sched *s, bool end, u64 ts);

/* See struct deriver. */
void sched_touches(const struct derive_record *r, struct derive_touches *t);
bool sched_begin(void *state, const struct derive_past *past);
