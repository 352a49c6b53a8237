/* SPDX-License-Identifier: LGPL-2.1-only */
/* Makes lines of the journal of tasks (trace_dat/task_fact.h) from records of its instance. */
#pragma once
#include "trace_dat/trace_dat.h"

/* ORDER tasks_events */
enum tasks_event {
	TASKS_PRINT,
	TASKS_NEW,
	TASKS_RENAME,
	TASKS_EXEC,
	TASKS_EXIT,
	TASKS_ATTACH,
	N_TASKS_EVENTS
};

/* Names as in tracefs. */
extern const char *const tasks_events[N_TASKS_EVENTS];

/* Texts that are written to the trace_marker of the instance. */
#define TASKS_BEGIN   "hist: begin"
#define TASKS_SCANNED "hist: scanned"
#define TASKS_READ    "hist: read " /* and the number of an answer */
#define TASKS_END     "hist: end"

/* kernel: CLONE_INTO_CGROUP; a task is made in another cgroup without an event of that */
#define TASKS_INTO_CGROUP 0x200000000ull

enum { TASKS_FIELDS = 4 };

struct tasks_field {
	u32 at, size;
	bool dynamic;
};

struct tasks_format {
	u32 id; /* 0: unknown */
	enum tasks_event event;
	struct tasks_field fields[TASKS_FIELDS];
};

/* The event that the text describes; N_TASKS_EVENTS: none of them, or in another form. */
enum tasks_event tasks_format_parse(struct span text, struct tasks_format *format);

/* The event of a record; NULL: none of them. */
const struct tasks_format *tasks_format_of(const struct tasks_format *formats, size_t n,
					   const struct ring_buffer_record *rec, bool big);

u64 tasks_field_number(const struct ring_buffer_record *rec, const struct tasks_field *f, bool big);

/* Whether /proc must be asked of the task of a record. @args: also of executed programs */
bool tasks_is_question(const struct ring_buffer_record *rec, const struct tasks_format *f,
		       bool args, bool big);

/* A line that was made from a record; without a length: a place for an answer. */
struct tasks_line {
	u64 ts;
	size_t seq, at, len;
	enum task_fact_kind kind;
	s32 pid;
};

/* A question was answered before this time. */
struct tasks_mark {
	u32 number;
	u64 ts;
};

/* ->text has the lines; they are sorted by task_lines_sort(). */
struct task_lines {
	bool big_endian;
	const struct tasks_format *formats;
	size_t n_formats;
	ARRAY(struct tasks_line) v;
	ARRAY(struct tasks_mark) marks;
	struct strbuf text;
};

/* 0, -HIST_ENOMEM */
int task_lines_add(struct task_lines *t, const struct ring_buffer_record *rec);

void task_lines_sort(struct task_lines *t);

/*
 * Put the answers @lines, with this number, to their places, if they were true until the mark of
 * them. Context: sorted; @next is 0 at first, and numbers ascend
 */
void task_lines_answer(struct task_lines *t, u32 number, struct span lines, size_t *next);

void task_lines_release(struct task_lines *t);
