/* SPDX-License-Identifier: LGPL-2.1-only */
/* error_log: messages about refused commands. */
#pragma once
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

/* The target of messages about a command: shared by all functions that bind. */
struct cmd_log {
	struct trace_array *tr;
	struct diags *diags;
	struct span written;  /* text written by the user */
	struct span prepared; /* its copy (from the parameter on), which is cut */
	size_t prepared_at;   /* offset of the copy in ->written */
	const char *loc;      /* such as hist:sched:sched_switch */
	const char *cmd;      /* the kernel's last_cmd */
	size_t cmd_at;        /* offset of ->cmd's text in ->written, minus its prefix */
	bool unlogged;        /* this kernel does not log the error: a diagnosis only */
	bool question;        /* it may use what kernels refuse, see struct script_cmd */
	bool in_file;         /* its author knows what a number is, such as -D min of a recipe */
};

/* Log an error as the kernel does, and add the diagnosis; always -HIST_EREJECTED. */
int log_hist_err(struct cmd_log *log, enum hist_err err, struct span text);
int log_complaint(struct cmd_log *log, const struct complaint *c);

/* The same with the message and the kernel's column already known. */
int log_kernel_err(struct cmd_log *log, const char *message, struct span text, unsigned int pos);

/* After an error about the @unknown field: a hint with the fields of @file. */
void note_fields(const struct cmd_log *log, const struct event_file *file, struct span unknown);

/* An error for which the kernel logs nothing. */
int log_silent(struct cmd_log *log, struct span text, const char *fmt, ...) PRINTF_LIKE(3, 4);
