/* SPDX-License-Identifier: LGPL-2.1-only */
/* A line of a trace that was printed: by the kernel, trace-cmd report or perf script. */
#ifndef HIST_IMPORT_TEXT_LINE_H
#define HIST_IMPORT_TEXT_LINE_H

#include "base/base.h"

enum text_kind {
	TEXT_OTHER, /* not of a trace */
	TEXT_EVENT,
	TEXT_LOST,  /* events of a CPU were lost before what comes next of it */
	TEXT_FRAME, /* of a stack trace */
	TEXT_HEAD,  /* what is around events: comments, empty lines */
};

enum text_call { TEXT_NO_CALL, TEXT_SYS_ENTER, TEXT_SYS_EXIT };

struct text_line {
	/* of an event */
	struct span comm, system, name; /* @system is absent where the text has none */
	struct span args;               /* what follows the name and its colon */
	enum text_call call;            /* a system call: sys_NAME(ARGS) or sys_NAME -> ARGS */
	s32 pid;
	u32 cpu; /* of lost events, too */
	u64 ts;
	u32 digits;        /* of the fraction of its time; 0: a clock that counts */
	u8 flags, preempt; /* as in the record's header */
	bool short_comm;   /* the name of the task is cut to 8 characters */

	s64 lost;        /* < 0: some */
	u64 overwritten; /* of a TEXT_HEAD: how many events the buffer no longer had */
	u32 cpus;        /* of a TEXT_HEAD: of the machine; 0: it does not say */
};

enum text_kind text_line_cut(struct span line, struct text_line *out);

#endif
