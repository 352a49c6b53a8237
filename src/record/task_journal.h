/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Records the journal of tasks (trace_dat/task_fact.h), in an instance of its own.
 *
 * The instance records before /proc is read, so that each task is known from one or the other. Its
 * sub-buffers, and what /proc knew at first and of programs that are executed later, are stored in
 * the file "tasks" of the work directory, the following in blocks of the manifest:
 *
 *	"tasks instance"	its name, for recovery
 *	"tasks subbuf"		size of its sub-buffers
 *	"tasks format"		of each of its events
 *	"tasks both"		of a file that is written meanwhile: "tasks.old" precedes "tasks"
 *	"tasks lost"		number of lost events, written after the recording
 *
 * Without the journal, names are found in the recording: no failure here ends a recording.
 */
#pragma once
#include <poll.h>
#include <pthread.h>

#include "record/session.h"
#include "record/task_news.h"
#include "record/workdir.h"

/* Of the instance; an id of the recording follows. */
#define TASKS_PREFIX "hist-tasks."

/* ->cpu of an answer: this bit, and its number; of what /proc knew when the journal began */
#define TASKS_ANSWER (1u << 31)
#define TASKS_PROC   (1u << 30)

/*
 * In the file: a sub-buffer follows, without the zeros at its end; or an answer, which are lines of
 * the journal that were read from /proc before the mark with its number was written.
 */
struct tasks_page {
	u32 cpu, len;
};

/* Take the next sub-buffer from @rest; false at the end, or if it is not complete. */
bool tasks_page_next(struct span *rest, struct tasks_page *head, struct span *bytes);

/* --- a recording --- */

/* A task of which /proc is asked: it executed a program, or was made in another cgroup. */
struct tasks_question {
	u64 ts;
	s32 pid;
	enum tasks_event event;
};

struct tasks {
	struct tracefs_instance *instance; /* NULL: there is no journal */
	struct ring_buffer_layout layout;
	bool args;                                   /* of executed programs are read */
	struct tasks_format formats[N_TASKS_EVENTS]; /* ->id 0: unknown */
	struct task_news *news;                      /* NULL: not needed */
	struct kept *kept;                           /* NULL: everything is */
	struct workdir *work;
	u64 begun;    /* CLOCK_MONOTONIC: of the journal in the file */
	bool anew;    /* there is one before it */
	bool writing; /* a file that needs both, or it ends: it must not begin anew */
	ARRAY(struct tasks_question) questions;
	u32 answers;
	int out;
	int error; /* errno of the first failure */
	ARRAY(u32) cpus;
	ARRAY(struct pollfd)
	raw;                  /* trace_pipe_raw of ->cpus, then an eventfd that ends the thread */
	char *page;           /* struct tasks_page, then a sub-buffer */
	u64 size;             /* of the file */
	struct strbuf quotas; /* of a file that goes on after another one: when that ended */
	int wait_ms;          /* of the thread: it looks at least as often */
	bool running;
	pthread_t thread;
	pthread_mutex_t mutex; /* of the thread that reads */
};

#define TASKS_INIT                                                                    \
	{                                                                             \
		.out = -1, .mutex = PTHREAD_MUTEX_INITIALIZER, .quotas = STRBUF_INIT, \
	}

/* Start the journal for the session @s; what fails is a warning. */
void tasks_start(struct tasks *t, const struct record_plan *plan, const struct session *s,
		 struct workdir *w, struct diags *diags);

/* Only what @kept keeps is needed of it; it must last until tasks_close(). */
void tasks_follow(struct tasks *t, struct kept *kept);

/*
 * So far, it is complete: for a file that is written while the recording goes on; @followed: the
 * next one begins where it ends. Appends its blocks. It does not begin anew until tasks_written().
 */
void tasks_complete(struct tasks *t, bool followed, struct strbuf *blocks);
void tasks_written(struct tasks *t);

/* After the recording: read the rest, and store what was lost. */
void tasks_finish(struct tasks *t, struct workdir *w, struct diags *diags);

/* Undoing the changes removes the instance. */
void tasks_close(struct tasks *t);

/* Save the rest of a journal whose recording was killed; call after its events were saved. */
void tasks_recover(struct workdir *w, struct span manifest, struct diags *diags);

/*
 * Remove the instance @name if it is that of a dead recording without a journal of changes, and of
 * whose events nothing is left.
 */
void tasks_sweep(const char *name);

/* Append to @out what /proc knows of all tasks, as lines of the journal. */
void tasks_scan(struct strbuf *out, bool args);

/* Append what cgroups with quotas and the hypervisor took so far; @end: of the recording. */
void tasks_quotas(struct strbuf *out, bool end);

/*
 * Add the block of a file: @begin, what was counted when it began, absent in the first one, and, if
 * the recording goes on what is counted now. That is @begin of the next file if one is @followed.
 */
void tasks_add_quotas(struct strbuf *begin, bool goes_on, bool followed, struct strbuf *blocks);

/* Append what /proc knows now of a task that did what the question names. */
void tasks_answer(const struct tasks_question *question, struct strbuf *out);

/* Add the journal of @w, if it has one, to its trace.dat. 0, -HIST_ENOMEM, or an error of @out */
int tasks_write(const struct workdir *w, struct span manifest, struct trace_dat_writer *out);
