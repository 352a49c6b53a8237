/* SPDX-License-Identifier: LGPL-2.1-only */
/* Enabled events: set_event, and the enable and filter files of systems. */
#pragma once
#include "base/base.h"

struct trace_array;
struct tracing;

/* An event of the directory, whether its format was parsed or not. */
struct event_entry {
	const char *system;
	struct span name;
};

typedef ARRAY(struct event_entry) event_entry_array;

/* All events that can be enabled; in the order of available_events if @listed, which takes time. */
int event_entries(struct tracing *t, bool listed, event_entry_array *out);

/* Whether it is enabled in the instance, even softly. */
bool event_entry_enabled(const struct trace_array *tr, const struct event_entry *entry);

/**
 * set_event_write() - one write to set_event: words such as "name", "!system:*", ":mod:xfs"
 *
 * Return: 0, -HIST_EREJECTED (the words before the bad one take effect), -HIST_ENOMEM
 * Source: ftrace_event_write(), ftrace_set_clr_event() @ v6.12, the module part @ v6.14
 */
int set_event_write(struct trace_array *tr, struct span text, struct diags *diags);

/* Opening it with '>': disable all events. */
void set_event_clear(struct trace_array *tr);

/* events/SYSTEM/enable and, with @system NULL, events/enable. */
int system_enable(struct trace_array *tr, const char *system, bool on, struct diags *diags);

/* Their contents: '0' '1' 'X' '?'; 0 if out of memory. */
char system_enabled(struct trace_array *tr, const char *system);

/* Whether events/SYSTEM exists; it has files of its own unless it is ftrace. */
bool system_exists(struct tracing *t, struct span system);
