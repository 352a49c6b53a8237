/* SPDX-License-Identifier: LGPL-2.1-only */
/* Shared by the parts of the trace file's printer; private to print. */
#pragma once
#include "print/print.h"

/* How the kernel prints the records of one id. */
enum trace_style {
	TRACE_STYLE_EVENT,  /* by its print fmt */
	TRACE_STYLE_FIELDS, /* by its fields: user_events */
	TRACE_STYLE_SYSCALL_ENTER,
	TRACE_STYLE_SYSCALL_EXIT,
	TRACE_STYLE_SYNTH,
	TRACE_STYLE_PROBE, /* a kprobe or uprobe */
	TRACE_STYLE_EPROBE,
	TRACE_STYLE_PRINT, /* of the ftrace system: trace_marker */
	TRACE_STYLE_BPRINT,
	TRACE_STYLE_BPUTS,
	TRACE_STYLE_STACK,
	TRACE_STYLE_USER_STACK,
	TRACE_STYLE_RAW_DATA,
};

struct trace_type {
	bool looked_up;
	enum trace_style style;
	const struct event_format *format; /* NULL: no event has this id */
	const struct event_print *print;   /* NULL: needs more than a record contains */
	const struct probe *probe;         /* of an eprobe: the attached event; NULL: unknown */
};

/* A record being printed. */
struct trace_line {
	const u8 *rec;
	u32 len, cpu;
	u64 ts, next_ts; /* of the next record; at the end its own */
	u64 number;      /* number of the line, from 1 */
	s32 pid;
	u32 id; /* name of its event, set with ->type by print_trace_event() */
	const struct trace_type *type;
};

struct trace_printer {
	struct printer *p;
	struct trace_array *tr;
	struct trace_buffer *buffer;
	const struct machine *machine;
	u32 cpu;              /* the selected one, or ARRAY_BUFFER_ALL_CPUS */
	bool snapshot, in_ns; /* in_ns: the clock counts nanoseconds */
	u64 entries, written; /* records of all CPUs */
	u64 start;            /* time of the first record */

	struct arena arena;
	struct trace_type *types; /* by id */
	u32 n_types;
	struct {
		bool looked_up;
		const struct event_field *field; /* of kmem:kmalloc */
		const struct event_print *print;
	} gfp;                   /* names of the flags of gfp_t */
	u64 n_fields;            /* lines that could not be printed with their print fmt */
	const char *fields_name; /* an event of these lines */
	u64 n_nowhere;           /* lines of event probes without a known attached event */
	const char *nowhere_name;
	size_t line_start; /* in the text */
	size_t bytes_at;   /* where bytes of the current field begin; 0: none */
	u64 n_tgids;       /* thread groups that are not known */
	u64 n_pointers;    /* strings at pointers that are not shown as the kernel does */
};

static inline bool trace_has(const struct trace_printer *tp, u64 option)
{
	return tp->tr->trace_flags & option;
}

/* The number of @size bytes at @at, zero-extended; 0 if it is not in the record. */
u64 trace_number(const struct trace_printer *tp, const struct trace_line *line, u32 at, u32 size);

/* The number in the field @name; 0 if the event has no such field. */
u64 trace_field_number(const struct trace_printer *tp, const struct trace_line *line,
		       const char *name);

/* The bytes of the record from @at, at most @max of them; a string up to its NUL. */
struct span trace_bytes(const struct trace_line *line, u32 at, u32 max);
void trace_add_text(struct strbuf *out, struct span text);

/* The fields after the common ones. */
const struct event_field *trace_own_fields(const struct event_format *format, size_t *n);

/* The header of the file. */
void print_trace_header(struct trace_printer *tp);

/* Set the id and the type of a line. */
void trace_find_type(struct trace_printer *tp, struct trace_line *line);

/* The text of a record after its time, with a newline. */
void print_trace_event(struct trace_printer *tp, const struct trace_line *line);
void print_trace_fields(struct trace_printer *tp, const struct trace_line *line);
void print_trace_raw_data(struct trace_printer *tp, const struct trace_line *line);
void print_trace_syscall_enter(struct trace_printer *tp, const struct trace_line *line);
void print_trace_syscall_exit(struct trace_printer *tp, const struct trace_line *line);
void print_trace_synth(struct trace_printer *tp, const struct trace_line *line);

/* The text of a marker or of trace_printk(); false: the record is of another event. */
bool print_trace_message(struct trace_printer *tp, const struct trace_line *line);

/* The whole line in the form of options/raw, hex and bin; false: none of them is on. */
bool print_trace_raw(struct trace_printer *tp, const struct trace_line *line);
