/* SPDX-License-Identifier: LGPL-2.1-only */
/* Events as a timeline, a page of its own or a part of one. */
#pragma once
#include "events/events_print.h"
#include "picture/timeline.h"
#include "program/tasks.h"

/**
 * events_timeline_add() - append a timeline of a part of a recording
 * @h:     as for hist_events_open()
 * @asked: which events; those of tasks and CPUs are added
 * @tasks: only these have lanes; NULL: those that were selected
 * @n:     how many events were read
 */
int events_timeline_add(struct hist *h, const struct hist_events_options *asked,
			const struct task_set *tasks, struct strbuf *out, u64 *n,
			struct diags *diags);

/* The page. *@n: how many events. Return: as hist_events_print() */
int events_timeline_print(struct hist *h, const struct hist_events_options *options,
			  const struct hist_events_print *print, u64 *n, struct diags *diags);
