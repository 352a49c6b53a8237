/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The machine that was recorded.
 */
#ifndef HIST_PROGRAM_MACHINE_H
#define HIST_PROGRAM_MACHINE_H

#include "base/base.h"
#include "event/event.h"
#include "program/version.h"

struct task_set;

/* What must be known about the machine that was recorded. */
struct machine {
	struct event_db *db;
	const struct kernel_quirks *quirks;
	const char *release; /* as uname -r says */
	const char *arch;    /* as uname -m says */
	const char *clock;   /* the recording's */
	const char *clocks;  /* text of its trace_clock, or NULL */
	bool big_endian;
	u32 long_size;
	u32 nr_cpus;
	u32 page_size;      /* of the kernel's memory */
	u64 first_ts;       /* time of error_log entries, ns */
	bool unlimited;     /* without the kernel's limits */
	bool strict_kernel; /* refuse what only hist does, such as triggers of ftrace:function */
	const struct task_set *tasks; /* whose events triggers see; NULL: all */
	bool stats;                   /* hist triggers keep samples (samples.h) */
	struct {
		u32 max;                 /* of an entry; 0: none */
		const char *of;          /* a value, variable or key; NULL: the first quantity */
		struct moments *moments; /* NULL: not asked for */
	} exemplars;
};

/* Whether a clock counts something else than nanoseconds. */
bool machine_clock_counts(const char *clock);

/* Whether trace_clock would take that name. */
bool machine_has_clock(const struct machine *machine, const char *clock);

#endif
