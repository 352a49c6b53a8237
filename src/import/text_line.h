/* SPDX-License-Identifier: LGPL-2.1-only */
/* Parses a line of a trace in text form, printed by the kernel, trace-cmd report or perf script. */
#pragma once
#include "base/base.h"

enum text_kind {
	TEXT_EVENT,
	TEXT_NO_CPU,  /* an event of perf script, without a CPU */
	TEXT_NO_TIME, /* the same, without a time */
	TEXT_LOST,    /* the CPU lost events before its next event */
	TEXT_RECORD,  /* another record of perf, of --show-task-events and the like */
	TEXT_HEAD,    /* between events: comments, empty lines */
	/* what is left out */
	TEXT_FRAME,   /* a frame of a stack trace */
	TEXT_TRACER,  /* has a task and a time, but no event: printed by a tracer */
	TEXT_NO_TASK, /* an event without a pid */
	TEXT_COLUMNS, /* has a task and a CPU, but after them what is not known */
	TEXT_OTHER,   /* not part of a trace */
	TEXT_KINDS,
};

/*
 * Lines that are not NAME: ARGS: sys_NAME(ARGS), sys_NAME -> ARGS, and IP: ARGS, the text of
 * trace_marker or trace_printk()
 */
enum text_call { TEXT_NO_CALL, TEXT_SYS_ENTER, TEXT_SYS_EXIT, TEXT_PRINT };

/* What the name of the event begins with that a line of that kind leaves out. */
extern const char *const text_call_prefixes[];

struct text_line {
	/* set for an event */
	struct span comm, system, name; /* @system is absent where the text has none */
	struct span args;               /* text after the name and its colon */
	enum text_call call;
	struct span ip; /* TEXT_PRINT: the address before ->args; may be absent */
	s32 pid;
	u32 cpu; /* also of lost events */
	u64 ts;
	s32 tgid;          /* 0: not in the text */
	u32 digits;        /* digits in the fraction of the time; 0: a clock that counts */
	u8 flags, preempt; /* as in the header of the record */
	bool short_comm;   /* the task name is cut to 8 characters */
	bool has_cpu, bracket, padded; /* the CPU is in brackets; as [%03d] */
	bool perf;                     /* of perf script: a blank is before the pid */
	struct span event;             /* its name with modifiers */
	u64 period;                    /* of a sample; 0: not in the text */

	s64 lost;        /* < 0: unknown number */
	u64 overwritten; /* TEXT_HEAD: number of events that were overwritten */
	u32 cpus;        /* TEXT_HEAD: CPUs of the machine; 0: not in the text */
	bool counted;    /* TEXT_HEAD: that number is known */
	bool begins;     /* TEXT_HEAD: earlier events of ->cpu were overwritten */
};

/*
 * Cut the next line off @rest. A line without a time is only an event if a frame follows, on the
 * line or on the next one. @width: characters of the context on earlier lines, 0: unknown
 */
enum text_kind text_line_next(struct span *rest, u32 *width, struct text_line *out);

/* --- text_stamp.c: what loggers write before a line --- */

struct span text_without_stamps(struct span line);
/* Take a day and a time of day. */
bool text_take_date(struct span *rest);

/* --- text_head.c --- */

/* Parse a line between events, and what a CPU lost. */
bool text_head_cut(struct span line, u32 *width, struct text_line *l);
bool text_lost_cut(struct span line, struct text_line *l);

/* --- text_frame.c: what perf script prints of an address --- */

struct text_frame {
	u64 addr, offset;   /* the address; from the start of the symbol, 0: may be unknown */
	struct span symbol; /* empty: not in the text */
	struct span file;   /* absent: not in the text */
	bool inlined;       /* the function is inlined into that of the next frame */
};

/* Cut a blank and ADDRESS SYMBOL (FILE) off the end of the text of an event. */
void text_frame_off(struct span *args);
/* Parse a line of a stack. */
bool text_frame_cut(struct span line, struct text_frame *f);
/* Parse what follows the name of an event; @addr: the address before that of the code, or 0 */
bool text_frame_in(struct span args, struct text_frame *f, u64 *addr);
