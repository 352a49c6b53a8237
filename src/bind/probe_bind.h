/* SPDX-License-Identifier: LGPL-2.1-only */
/* Binding the lines of dynamic_events, kprobe_events and uprobe_events: private to bind. */
#ifndef HIST_BIND_PROBE_BIND_H
#define HIST_BIND_PROBE_BIND_H

#include "bind/binding.h"

/* --- bind_probe.c --- */

/* Refuse a line of dynamic_events that is for no type of event; @hint: why, or NULL. */
int dynevent_refuse(const struct tracing *t, struct span line, const char *hint,
		    struct cmd_log *log);

/* Whether a line defines a probe (p..., r...) or removes an existing one. */
bool probe_takes_line(const struct tracing *t, struct span line);

/* One line without its comment; sets the command of @log, and its offset in the written text. */
int probe_write_line(struct tracing *t, enum probe_file file, struct span line,
		     struct cmd_log *log);

/* --- probe_format.c --- */

static inline bool is_string(const struct probe_arg *a)
{
	return a->type[0] == '_';
}

/* Size of the field of an argument. */
u32 probe_arg_size(const struct probe_arg *a);

/* Give an event without records a format; 0, -HIST_ENOMEM, -HIST_EFORMAT: it cannot be parsed */
int probe_make_format(struct tracing *t, struct probe *p);

#endif
