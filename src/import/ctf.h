/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Traces in the Common Trace Format: directories with a file `metadata` and files of streams, read
 * by libbabeltrace2 (babeltrace.h). Events of LTTng's kernel tracer become those of ftrace; events
 * of programs (lttng-ust) and of perf's conversion have their own names.
 */
#pragma once
#include "import/babeltrace.h"
#include "import/made.h"

/* The structures that have the fields of an event. */
enum ctf_part { CTF_PAYLOAD, CTF_SPECIFIC, CTF_COMMON, CTF_PARTS };

/* Where the value of a field is. */
struct ctf_source {
	enum ctf_part part;
	u32 member;
	s16 add;   /* to a number: LTTng's priorities are the kernel's minus 100 */
	bool rwbs; /* a set of flags of a request, which becomes the kernel's letters */
};

/* What events mean for others. */
enum ctf_role {
	CTF_OTHER,
	CTF_SWITCH,
	CTF_FORK,
	CTF_CALL,      /* the system call ->nr begins */
	CTF_CALL_ENDS, /* that of the task; its number is not in the event */
	CTF_LISTED,    /* a task, which is there when the recording begins */
};

/* Facts about each event that may be in its fields, or in its context. */
enum ctf_fact { CTF_PID, CTF_COMM, CTF_CPU, CTF_FLAGS, CTF_PREEMPT, CTF_FACTS };

/* Fields with a meaning, as indices of ->fields. */
enum ctf_known {
	CTF_PREV_PID,
	CTF_NEXT_PID,
	CTF_CHILD_PID,
	CTF_CHILD_TGID,
	CTF_TASK_PID,
	CTF_TGID,
	CTF_PPID,
	CTF_NAME,
	CTF_ID, /* the number of a system call, which hist adds */
	CTF_KNOWN
};

/* An event class of a trace. */
struct ctf_type {
	const void *class;
	const struct ctf_trace *trace;
	struct made_event event;
	struct ctf_source *sources; /* of ->event.fields */
	enum ctf_role role;
	bool clock;
	s64 nr;                             /* of a system call; -1: unknown */
	struct ctf_source facts[CTF_FACTS]; /* ->part CTF_PARTS: there is none */
	s32 known[CTF_KNOWN];               /* -1: there is none */
};

/* What a trace is, as its environment tells. */
struct ctf_trace {
	const void *trace;
	const char *machine; /* as uname -m; NULL: unknown */
	const char *states;  /* arguments that print prev_state */
	bool kernel;         /* of LTTng's kernel tracer */
	bool switches;       /* it has an event for each switch */
	bool old_rwbs;       /* of LTTng 2.0 and 2.1, which had one flag less */
};

struct ctf_cpu {
	bool known; /* which task runs */
	s32 pid;
	s64 nr;                /* the last system call before it was known; -1: none */
	u64 ts;                /* of the last record */
	struct strbuf pending; /* records before the first switch */
};

struct ctf_stream {
	const void *stream;
	struct ctf_trace *trace;
	u32 cpu;
	s64 lost; /* before its next event; < 0: an unknown number */
};

struct ctf_task {
	s32 pid;
	s64 nr; /* its system call; -1: none */
	bool listed, born;
};

struct ctf {
	struct import_job *job;
	struct babeltrace bt;
	ARRAY(const char *) dirs; /* NULL: it cannot be opened */
	ARRAY(struct ctf_trace *) traces;
	INDEXED(struct ctf_type *) types;
	INDEXED(struct ctf_stream) streams;
	ARRAY(struct ctf_cpu) cpus;
	INDEXED(struct ctf_task) tasks;
	struct strbuf facts; /* of the journal of tasks */
	struct strbuf text;
	u32 next_id;
	bool has_uname, has_machine;
	u64 n_events, n_unknown_task, n_lost;
	struct made_record rec;
};

/* --- ctf_types.c --- */

/* The environment of a trace, whose machine becomes that of the recording. NULL: no memory */
struct ctf_trace *ctf_trace_of(struct ctf *c, const void *stream);

/* The type of an event of @stream; its format is added. NULL: no memory, or too many */
struct ctf_type *ctf_type_of(struct ctf *c, const struct ctf_stream *stream, const void *class);

/* --- ctf_fields.c --- */

/* The structure of an event; NULL: it has none */
const void *ctf_part(const struct babeltrace *bt, const void *event, enum ctf_part part);

/* Store the values of an event in c->rec, which was begun. */
void ctf_put_fields(struct ctf *c, const struct ctf_type *type, const void *event);

/* The number in a field; false: it has none */
bool ctf_number(const struct babeltrace *bt, const void *field, u64 *v);
/* The text of a field of texts. */
struct span ctf_text(const struct babeltrace *bt, const void *field);

/* --- ctf_find.c --- */

bool ctf_recognises(const char *path);
/* Find the traces, ->dirs; an error with a diagnosis: they are not of one session. */
int ctf_find(struct ctf *c);
