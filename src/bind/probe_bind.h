/* SPDX-License-Identifier: LGPL-2.1-only */
/* Binding the lines of dynamic_events, kprobe_events and uprobe_events: private to bind. */
#pragma once
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

/* --- its line in the files --- */

/* Whether it is $arg*, which stands for all arguments of the function. */
bool probe_all_args(const struct probe_arg *a);

/* The index of the field of the first argument. */
size_t probe_first_field(const struct probe_text *text, const struct event_format *format);

/* Set p->line; @format: as it was recorded, or NULL. 0, -HIST_ENOMEM */
int probe_make_line(struct probe *p, const struct event_format *format, u32 long_size, u32 nr_cpus);

/* Warn of what the line shows, and only the machine has. */
void probe_warn_unknown(const struct probe_text *text, bool recorded, struct cmd_log *log);

/* Set the place of a diagnosis (or NULL) to a part of the command. */
void probe_mark(struct diag *d, struct span text, const struct cmd_log *log);
