/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The names of tasks while they are recorded: the last ones of each task, from the journal of
 * tasks. One thread writes, another one asks.
 */
#ifndef HIST_RECORD_TASK_LOG_H
#define HIST_RECORD_TASK_LOG_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/base.h"

enum { TASK_LOG_NAME = 16, TASK_LOG_PAGES = 4096 };

struct task_log {
	struct task_log_page *pages[TASK_LOG_PAGES]; /* by the upper bits of the pid */
	pthread_mutex_t mutex;
	_Atomic u64 read; /* CLOCK_MONOTONIC: what happened before is known */
};

/* NULL: out of memory */
struct task_log *task_log_new(void);
void task_log_free(struct task_log *log);

/* From @ts of the trace clock on, @pid has this name. Without memory it is forgotten. */
void task_log_name(struct task_log *log, s32 pid, u64 ts, struct span name);

/* The task has ended. */
void task_log_exit(struct task_log *log, s32 pid);

/* The name of @pid at @ts; false if it is unknown. */
bool task_log_find(struct task_log *log, s32 pid, u64 ts, char name[static TASK_LOG_NAME]);

#endif
