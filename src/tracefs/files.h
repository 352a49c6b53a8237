/* SPDX-License-Identifier: LGPL-2.1-only */
/* Private to tracefs: shared by the tables of files. */
#pragma once
#include "tracefs/tracefs.h"

/* The object that a path names. */
struct target {
	struct hist *h;
	struct tracing *t;
	struct trace_array *tr;
	const struct file_ops *ops;
	struct event_file *file; /* of events/SYSTEM/EVENT/... */
	const char *system;      /* of events/SYSTEM/...; NULL: all */
	u64 option;              /* of options/NAME */
	u32 cpu;                 /* of per_cpu/cpuN/...; ARRAY_BUFFER_ALL_CPUS: all */
	bool question;           /* see struct script_cmd */
	struct diags *diags;
	int err; /* error if the file does not exist */
};

struct file_ops {
	const char *name; /* the last part of the path; NULL ends a table */
	int (*write)(struct target *to, struct span text);
	int (*truncate)(struct target *to); /* effect of opening with '>' */
	/* one of the three; a file that has none cannot be read */
	void (*read)(const struct target *from, struct printer *p);
	void (*print)(struct printer *p, const struct event_file *file);
	const char *text;
	unsigned int which; /* of several files with the same functions */
	bool live;          /* events change its contents */
	bool recorded;      /* shows recorded events, so that the replay must record them */
	bool since_7_0;     /* see kernel_quirks.show_events */
};

extern const struct file_ops event_files[];    /* files of events/SYSTEM/EVENT/ */
extern const struct file_ops system_files[];   /* files of events/SYSTEM/ and events/ */
extern const struct file_ops instance_files[]; /* files of an instance */
extern const struct file_ops buffer_files[];   /* files of an instance's buffer */
extern const struct file_ops cpu_files[];      /* files of per_cpu/cpuN/ */
extern const struct file_ops option_files[];   /* options/NAME: one entry for all */

/* The table for an event depends on whether the event can be enabled. */
bool event_has_file(const struct event_file *file, const char *name);

/* Record a change that affects the replay: its results are no longer valid. */
static inline void target_note_changed(const struct target *to, bool changed)
{
	to->h->changed |= changed && to->h->replayed && to->t == to->h->tracing;
}

/* The same if it affects only the recorded events. */
static inline void target_note_recording(const struct target *to)
{
	target_note_changed(to, to->t->record);
}

/* A write without effect. kernel: of some files, only opening with '>' has one */
int target_ignore(struct target *to, struct span text);

/*
 * Parse a number up to @max as these files do: digits in base 10, an optional leading '+', an
 * optional final newline; false with a diagnosis that begins with @wants.
 */
bool target_number(const struct target *to, struct span text, u64 max, const char *wants, u64 *v);
