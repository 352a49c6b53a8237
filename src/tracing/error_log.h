/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * error_log, and what goes there: messages about commands that are refused.
 */
#ifndef HIST_TRACING_ERROR_LOG_H
#define HIST_TRACING_ERROR_LOG_H

#include "base/base.h"
#include "lang/lang.h"

struct event_file;
struct trace_array;

enum { TRACING_LOG_ERRS_MAX = 8 };

/* One entry of error_log. */
struct tracing_error {
	const char *loc, *text, *cmd; /* allocated together */
	unsigned int pos;
};

struct error_log {
	struct tracing_error entries[TRACING_LOG_ERRS_MAX];
	size_t n;
};

/* Add an entry; the oldest of more than 8 is dropped. */
int error_log_add(struct error_log *log, const char *loc, const char *cmd, const char *text,
		  unsigned int pos);
void error_log_clear(struct error_log *log);

/* Where a message about a command goes: shared by everything that binds. */
struct cmd_log {
	struct trace_array *tr;
	struct diags *diags;
	struct span written;  /* what the user wrote */
	struct span prepared; /* the copy of it (from the parameter on) that is cut */
	size_t prepared_at;   /* where that begins in ->written */
	const char *loc;      /* such as hist:sched:sched_switch */
	const char *cmd;      /* the kernel's last_cmd */
	size_t cmd_at;        /* where ->cmd's text begins in ->written, less its prefix */
	bool unlogged;        /* this kernel does not log it: a diagnosis only */
};

/* Log an error as the kernel does, and add the diagnosis; always -HIST_EREJECTED. */
int log_hist_err(struct cmd_log *log, enum hist_err err, struct span text);
int log_complaint(struct cmd_log *log, const struct complaint *c);

/* The same with the message and the kernel's column already known. */
int log_kernel_err(struct cmd_log *log, const char *message, struct span text, unsigned int pos);

/* Beside an error about a field that is not there: which ones @file has, for people only. */
void note_fields(const struct cmd_log *log, const struct event_file *file);

/* A refusal that the kernel does not explain. */
int log_silent(struct cmd_log *log, struct span text, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
