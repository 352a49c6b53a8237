/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * bind: writes to the files of the tracing directory, and their effects.
 *
 * A write is cut into pieces (lang); the pieces are bound to fields, variables and events, and
 * become a trigger, a filter or an event of the directory.
 */
#pragma once
#include "tracing/dynamic_event.h"
#include "tracing/tracing.h"

/* --- events/SYSTEM/EVENT/trigger, filter --- */

/**
 * event_trigger_write() - one write to a trigger file
 * @question: it may use what kernels refuse, as for the other files
 *
 * Return: 0, -HIST_EREJECTED with a diagnosis (and entries in error_log where the kernel
 *         makes them), -HIST_ENOMEM
 * Source: event_trigger_regex_write(), trigger_process_regex() @ v6.12
 */
int event_trigger_write(struct event_file *file, struct span text, bool question,
			struct diags *diags);

/*
 * A table of a question: a trigger whose pieces are known. @written: its text "hist:..."; @cut: the
 * pieces, which lie in that text; @in_file: not typed as options. Return: as event_trigger_write()
 */
int event_table_bind(struct event_file *file, struct span written, const struct hist_text *cut,
		     bool in_file, struct diags *diags);

/*
 * Of a histogram that exists: let it count only what @filter accepts, too; remove it. Columns of
 * diagnoses are those of @filter. Return: as event_trigger_write()
 */
int event_trigger_narrow(struct trigger *trigger, struct span filter, struct diags *diags);
void event_trigger_remove(struct trigger *trigger);

/* Opening the trigger file with '>': removes the triggers that the kernel removes then. */
int event_trigger_truncate(struct event_file *file);

/* Limit the events that were used since the last call to options.tasks; 0, -HIST_ENOMEM */
int tracing_limit_to_tasks(struct tracing *t);

/* A write to the filter file of an event, and to that of a system. */
int event_filter_write(struct event_file *file, struct span text, bool question,
		       struct diags *diags);

/* events/SYSTEM/filter */
int system_filter_write(struct trace_array *tr, const char *system, struct span text,
			struct diags *diags);

/*
 * The filter of a question as kernels take it, with numbers for names and units, is appended to
 * @out. Return: 0, -HIST_EREJECTED with a diagnosis (a field has no such name), -HIST_ENOMEM
 */
int event_filter_for_kernel(struct event_file *file, struct span text, struct strbuf *out,
			    struct diags *diags);

/* The text of a system's filter file without an error; the file never shows the filter itself. */
extern const char system_filter_text[];

/* A write of "SYSTEM:EVENT[ if FILTER]" to events/derived/slice/begin, or end. */
int slice_edge_write(struct trace_array *tr, bool ends, struct span written, bool question,
		     struct diags *diags);

/* --- synthetic_events, dynamic_events --- */

/* A write to synthetic_events or dynamic_events, of any number of lines. */
int synth_events_write(struct tracing *t, struct span text, bool dynamic, struct diags *diags);

/* Add a derived event; @definition: as of a synthetic event. NULL if out of memory (t->failed) */
struct synth_event *derived_event_define(struct tracing *t, const char *definition);

/* One definition or removal that does not come from a file: '#' and newlines have no meaning. */
int synth_event_run_command(struct tracing *t, const char *command, struct diags *diags);

/*
 * The number at @pos, which no action passes yet, becomes a text: the name of an address.
 * Return: 0, -HIST_ENOMEM
 */
int synth_event_take_name(struct synth_event *se, size_t pos, const struct kernel_quirks *q);

/* Opening synthetic_events with '>': removes all, or none if one is busy. */
int synth_events_truncate(struct tracing *t, struct diags *diags);

/* --- kprobe_events, uprobe_events --- */

/**
 * probe_events_write() - a write of any number of lines
 *
 * Lines before the failing one stay in effect. From dynamic_events, pass only lines that define or
 * remove probes.
 * Return: 0, -HIST_EREJECTED, -HIST_ENOMEM
 */
int probe_events_write(struct tracing *t, enum probe_file file, struct span text,
		       struct diags *diags);

/* Opening the file with '>': removes its probes, or none if one is busy. */
int probe_events_truncate(struct tracing *t, enum probe_file file, struct diags *diags);

/* One definition or removal of a kprobe that does not come from a file. */
int probe_event_run_command(struct tracing *t, const char *command, struct diags *diags);
