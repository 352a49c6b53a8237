/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Probes: definitions in kprobe_events, uprobe_events and dynamic_events.
 *
 * What a probe records is in the recording or nowhere. A definition is checked, compared with
 * the recorded event and remembered, so that one script serves a recording and its report.
 */
#ifndef HIST_ENGINE_PROBE_H
#define HIST_ENGINE_PROBE_H

#include "engine/tracing.h"

enum probe_file { PROBE_FILE_KPROBES, PROBE_FILE_UPROBES, PROBE_FILE_ALL };

struct probe {
	struct arena arena;
	struct probe_text text;
	const char *line;                  /* as the files show it */
	const struct event_format *format; /* if the event was not recorded: what it would be */
	int refs;  /* of triggers that switch it, and of a program that holds it */
	u32 order; /* among all dynamic events */
};

/**
 * probe_events_write() - a write of any number of lines
 *
 * Lines before the one that fails stay. Of dynamic_events only lines of probes may come.
 * Return: 0, -HIST_EREJECTED, -HIST_ENOMEM
 */
int probe_events_write(struct tracing *t, enum probe_file file, struct span text,
		       struct diags *diags);

/* Opening the file with '>': removes its probes, or none if one is busy. */
int probe_events_truncate(struct tracing *t, enum probe_file file, struct diags *diags);

/* One definition or removal of a kprobe that is not a line of a file. */
int probe_event_run_command(struct tracing *t, const char *command, struct diags *diags);

/* Whether a line is one for probes: p..., r..., or the removal of a probe that is there. */
bool probe_takes_line(const struct tracing *t, struct span line);

/* One that no event has: what is recorded keeps its own. */
u32 dynamic_event_id(const struct tracing *t);

/* The oldest of that name, or NULL; absent @group: any. */
struct probe *probe_find(const struct tracing *t, struct span group, struct span name);

/* The next probe of that file from index *i on, or NULL. */
struct probe *probe_next(const struct tracing *t, enum probe_file file, size_t *i);

/* kernel: SYSTEM.EVENT, also where an eprobe was written with SYSTEM/EVENT */
void probe_add_event(struct strbuf *sb, const struct probe_text *text);

void probe_free(struct probe *probe);

/* Keep the event of @file, if the script or a program defined it, from being removed; let go. */
void event_file_hold(struct event_file *file);
void event_file_release(struct event_file *file);

#endif
