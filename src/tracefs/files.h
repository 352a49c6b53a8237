/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Inside replay: what the tables of files lend each other.
 */
#ifndef HIST_TRACEFS_FILES_H
#define HIST_TRACEFS_FILES_H

#include "tracefs/tracefs.h"

/* What a path names. */
struct target {
	struct hist *h;
	struct tracing *t;
	struct trace_array *tr;
	struct event_file *file; /* of events/SYSTEM/EVENT/... */
	const char *system;      /* of events/SYSTEM/...; NULL: all */
	u64 option;              /* of options/NAME */
	u32 cpu;                 /* of per_cpu/cpuN/...; ARRAY_BUFFER_ALL_CPUS: all */
	struct diags *diags;
	int err; /* why there is no such file */
};

struct file_ops {
	const char *name; /* the last part of the path; NULL ends a table */
	int (*write)(struct target *to, struct span text);
	int (*truncate)(struct target *to); /* what opening with '>' does */
	void (*read)(const struct target *from, struct printer *p);
	bool live;     /* events change what it shows */
	bool recorded; /* it shows what was recorded, so that something must be */
};

extern const struct file_ops event_files[];    /* events/SYSTEM/EVENT/... */
extern const struct file_ops system_files[];   /* events/SYSTEM/... and events/... */
extern const struct file_ops instance_files[]; /* those of an instance */
extern const struct file_ops buffer_files[];   /* of an instance: its buffer */
extern const struct file_ops cpu_files[];      /* per_cpu/cpuN/... */
extern const struct file_ops option_files[];   /* options/NAME: one for all */

/* Which of them an event has depends on whether it can be switched on. */
bool event_has_file(const struct event_file *file, const char *name);

/* What was changed would have changed the replay: it no longer holds. */
static inline void target_note_changed(const struct target *to, bool changed)
{
	to->h->changed |= changed && to->h->replayed && to->t == to->h->tracing;
}

/* The same if it only changed what is recorded. */
static inline void target_note_recording(const struct target *to)
{
	target_note_changed(to, to->t->record);
}

/* 0 or 1 as the kernel takes them; false with a diagnosis. */
bool target_bool(const struct target *to, struct span text, const char *file, bool *on);

#endif
