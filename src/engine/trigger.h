/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Triggers: a line of a trigger file, of any kind.
 */
#ifndef HIST_ENGINE_TRIGGER_H
#define HIST_ENGINE_TRIGGER_H

#include "engine/hist_data.h"
#include "engine/tracing.h"

/* ORDER trigger_kinds[] in trigger.c */
enum trigger_kind {
	TRIGGER_TRACEON,
	TRIGGER_TRACEOFF,
	TRIGGER_SNAPSHOT,
	TRIGGER_STACKTRACE,
	TRIGGER_ENABLE_EVENT,
	TRIGGER_DISABLE_EVENT,
	TRIGGER_ENABLE_HIST,
	TRIGGER_DISABLE_HIST,
	TRIGGER_HIST,
};

enum { COUNT_UNLIMITED = -1 };

struct trigger {
	enum trigger_kind kind;
	struct event_file *file; /* whose trigger file holds it */
	struct arena arena;
	s64 count;          /* how often it still fires */
	bool counted;       /* a count was given: it is counted down */
	bool paused;        /* a hist trigger */
	bool listed;        /* in its event's list */
	unsigned int order; /* of all hist triggers ever made, from 1 */
	bool fires;         /* a post trigger whose filter passed the current record */
	struct filter *filter;
	const char *filter_text;   /* what follows "if ", or NULL */
	struct event_file *target; /* of enable_ and disable_ */
	struct hist_data *hist;    /* shared by the triggers of one name */
	struct trigger
		*named_data; /* the first trigger of that name; NULL: this is it or unnamed */
	const char *name;    /* "name=foo" while it is a named trigger */
	int refs;            /* of a first named trigger: how many share ->hist */
	struct {
		s64 count;
		bool paused;
	} initial; /* before the replay */
};

const char *trigger_kind_name(enum trigger_kind kind);

/* The two post triggers run after the record was written (or discarded). */
static inline bool trigger_is_post(const struct trigger *t)
{
	return t->kind == TRIGGER_TRACEOFF || t->kind == TRIGGER_STACKTRACE;
}

/**
 * event_trigger_write() - one write to a trigger file
 *
 * Return: 0, -HIST_EREJECTED with a diagnosis (and entries in error_log where the kernel
 *         makes them), -HIST_ENOMEM
 * Source: event_trigger_regex_write(), trigger_process_regex() @ v6.12
 */
int event_trigger_write(struct event_file *file, struct span text, struct diags *diags);

/* Opening the trigger file with '>': removes what the kernel removes then. */
int event_trigger_truncate(struct event_file *file);

/* A write to the filter file, and to the one of a whole system. */
int event_filter_write(struct event_file *file, struct span text, struct diags *diags);

/* Enable or disable an event, as its enable file or a trigger (soft) does. */
void event_file_enable(struct event_file *file, bool on, bool soft);

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
