/* SPDX-License-Identifier: LGPL-2.1-only */
/* set_event_pid and set_event_notrace_pid: the selected tasks. */
#pragma once
#include "program/hit.h"
#include "tracing/trace_options.h"
#include "tracing/tracing.h"

enum event_pid_type { EVENT_PIDS, EVENT_NO_PIDS };

/* Opening the file with '>', one write to it. */
void event_pid_clear(struct trace_array *tr, enum event_pid_type type);
int event_pid_write(struct trace_array *tr, enum event_pid_type type, struct span text,
		    struct diags *diags);

/* Offset of the pid field @name of an event; 0 if there is none. */
u32 event_pid_offset(const struct event_format *format, const char *name);

/* Before a replay: find the fields of the event with relevant pids. */
void event_pid_prepare(struct event_file *file);

static inline bool event_pid_filters(const struct trace_array *tr)
{
	return unlikely(tr->pids[EVENT_PIDS].is_set || tr->pids[EVENT_NO_PIDS].is_set);
}

/* options/event-fork: whether children of the selected tasks are added, and freed tasks removed. */
static inline bool event_pid_follows(const struct trace_array *tr)
{
	return event_pid_filters(tr) && tr->trace_flags & TRACE_ITER_EVENT_FORK;
}

/* At the start of a replay: copy the lists if they follow tasks. Return: 0, -HIST_ENOMEM */
int event_pid_start(struct trace_array *tr);

/* Release these copies. */
void event_pid_end(struct trace_array *tr);

/* Task @parent forked @child. Return: 0, -HIST_ENOMEM */
int event_pid_forked(struct trace_array *tr, u32 parent, u32 child);

/* Task @pid was freed. */
void event_pid_freed(struct trace_array *tr, u32 pid);

/* Whether the kernel ignores the event because of the running task. */
bool event_pid_ignores(struct event_file *file, const struct hit *hit);
