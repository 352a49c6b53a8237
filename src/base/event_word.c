// SPDX-License-Identifier: LGPL-2.1-only
/* Terms of perf and bpftrace, for messages about unknown events. */
#include <string.h>

#include "base/event_word.h"
#include "base/types.h"

const char *event_word(const char *name)
{
	static const char counter[] =
		"hist has events of the kernel; counters of the CPU are for perf record -e; who "
		"uses the CPUs: hist record -S on-cpu";
	static const struct {
		const char *word, *here;
	} words[] = {
		{ "context-switches", "the event for that is sched:sched_switch" },
		{ "cs", "the event for that is sched:sched_switch" },
		{ "cpu-migrations", "the event for that is sched:sched_migrate_task" },
		{ "migrations", "the event for that is sched:sched_migrate_task" },
		{ "page-faults", "the event for that is exceptions:page_fault_user" },
		{ "faults", "the event for that is exceptions:page_fault_user" },
		{ "minor-faults", "the event for that is exceptions:page_fault_user" },
		{ "oom_kill", "the event for that is oom:mark_victim" },
		{ "syscalls", "the event for that is raw_syscalls:sys_enter" },
		{ "trace_marker", "the event for that is ftrace:print" },
		{ "marker", "the event for that is ftrace:print" },
		{ "cycles", counter },
		{ "cpu-cycles", counter },
		{ "instructions", counter },
		{ "cache-misses", counter },
		{ "cache-references", counter },
		{ "branches", counter },
		{ "branch-misses", counter },
		{ "cpu-clock", counter },
		{ "task-clock", counter },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, name))
			return words[i].here;
	return strpbrk(name, "{}@ ")
		       ? "a program such as { @[comm] = count(); } is here: -e EVENT --by comm"
		       : NULL;
}
