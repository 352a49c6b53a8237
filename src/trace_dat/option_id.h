/* SPDX-License-Identifier: LGPL-2.1-only */
/* The options of a trace.dat. */
#pragma once

/* Option and section numbers of the file format (trace-cmd.dat.v7(5)). */
enum trace_dat_option_id {
	TRACE_DAT_DONE = 0,
	TRACE_DAT_DATE = 1,
	TRACE_DAT_CPUSTAT = 2,
	TRACE_DAT_BUFFER = 3,
	TRACE_DAT_TRACECLOCK = 4,
	TRACE_DAT_UNAME = 5,
	TRACE_DAT_HOOK = 6,
	TRACE_DAT_OFFSET = 7,
	TRACE_DAT_CPUCOUNT = 8,
	TRACE_DAT_VERSION = 9,
	TRACE_DAT_PROCMAPS = 10,
	TRACE_DAT_TRACEID = 11,
	TRACE_DAT_TIME_SHIFT = 12,
	TRACE_DAT_GUEST = 13,
	TRACE_DAT_TSC2NSEC = 14,
	TRACE_DAT_STRINGS = 15,
	TRACE_DAT_HEADER_INFO = 16,
	TRACE_DAT_FTRACE_EVENTS = 17,
	TRACE_DAT_EVENT_FORMATS = 18,
	TRACE_DAT_KALLSYMS = 19,
	TRACE_DAT_PRINTK = 20,
	TRACE_DAT_CMDLINES = 21,
	TRACE_DAT_BUFFER_TEXT = 22,
	TRACE_DAT_BTF = 23,
	TRACE_DAT_LAST_BOOT = 24, /* "INSTANCE:" and its last_boot_info */
	TRACE_DAT_MODULES = 25,   /* /proc/modules; the following are of hist, others skip them */
	TRACE_DAT_HIST_ASCEND = 0x4841, /* CPUs whose times ascend, see struct trace_dat_cpu */
	TRACE_DAT_HIST_STREAM =
		0x4842, /* a stream, see stream_out.h; _NAMES, _TIME are of its parts */
	TRACE_DAT_HIST_CAVEATS = 0x4843, /* what is missing or a guess, see base/caveat.h */
	TRACE_DAT_HIST_MARKS = 0x484b,   /* events for which the file was written, see record.h */
	TRACE_DAT_HIST_CHUNKS = 0x4844,  /* where chunks are, see pages.c */
	TRACE_DAT_HIST_SLIM = 0x4845,   /* origin of a smaller recording, see recording/slimmed.c */
	TRACE_DAT_HIST_LIVE = 0x484c,   /* PATH NUL, the kernel's text of that file, NUL */
	TRACE_DAT_HIST_LIMITS = 0x484d, /* filters and pids that limited the recording */
	TRACE_DAT_HIST_NAMES = 0x484e,
	TRACE_DAT_HIST_TIME = 0x484f,
	TRACE_DAT_HIST_SCRIPT = 0x4853, /* text of the script of the recording */
	TRACE_DAT_HIST_TASKS = 0x4854,  /* who tasks were, see trace_dat/task_fact.h */
	TRACE_DAT_HIST_WALL = 0x4857,   /* "TS UNIX DOUBT", ns: the time of day at a time */
};
