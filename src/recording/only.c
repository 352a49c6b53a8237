// SPDX-License-Identifier: LGPL-2.1-only
/* Which tasks a recording of some tasks has. A pid that another task reused later is one of them.
 */
#include "program/tasks.h"
#include "recording/recording.h"

enum { MAX_PID = 1 << 22 }; /* kernel: PID_MAX_LIMIT */

static bool is_pid(s64 pid)
{
	return pid >= 0 && pid < MAX_PID;
}

static void add(struct task_set *set, s64 pid)
{
	if (is_pid(pid))
		bits_add(set->pids, (size_t)pid);
}

static int find_only(struct recordings *r, struct recording *rec)
{
	const char *text = recording_option(rec, TRACE_DAT_HIST_LIMITS);
	struct span lines = span_of(text ?: ""), rest = lines, pids = limits_next(&rest, "pids");
	const bool children = limits_next(&lines, "children").s;
	struct task_facts facts;
	struct task_fact fact;
	struct task_set *set;
	s64 pid;

	/* not all children are known */
	if (!pids.s || (children && !recording_has_all_tasks(rec)))
		return 0;
	set = arena_alloc(&r->arena, sizeof(*set));
	if (!set)
		return HIST_NOMEM;
	set->n_pids = MAX_PID;
	set->pids = arena_alloc(&r->arena, MAX_PID / 8);
	if (!set->pids)
		return HIST_NOMEM;
	while (pids.s)
		if (span_s64(span_sep(&pids, " "), &pid))
			add(set, pid);
	task_facts_init(&facts, rec->td);
	/* in time order: parents are known before their children */
	while (children && task_facts_next(&facts, &fact)) {
		const s64 parent = (s32)fact.n[0];

		if (fact.kind == TASK_NEW && is_pid(parent) && task_set_has(set, (u32)parent))
			add(set, fact.pid);
	}
	rec->only = set;
	return 0;
}

int recordings_find_only(struct recordings *r)
{
	int err = 0;

	array_each_while(struct recording, rec, &r->files, !err) {
		if (!rec->only_found)
			err = find_only(r, rec);
		rec->only_found = !err;
	}
	return err;
}
