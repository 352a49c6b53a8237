/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The events that a script defined: synthetic events and probes.
 *
 * Records of a probe can only come from the recording. A definition is checked, compared with
 * the recorded event and stored, so that the same script serves a recording and its report.
 */
#pragma once
#include "event/event.h"
#include "lang/lang.h"

struct event_file;
struct filter;
struct synth_event;
struct tracing;

/* --- synthetic events --- */

void synth_event_free(struct synth_event *event);
struct synth_event *synth_event_find(const struct tracing *t, struct span name);

/* Add a new event to the directory, or remove one; 0, or -HIST_ENOMEM if it was not added. */
int synth_event_add(struct tracing *t, struct synth_event *event);
void synth_event_remove(struct tracing *t, struct synth_event *event);

/* --- derived events: see derive/derive.h --- */

int derived_event_add(struct tracing *t, struct synth_event *event);

/* It is defined at the first lookup; NULL: unknown name, or out of memory (t->failed). */
struct synth_event *derived_event_find(struct tracing *t, struct span name);

/* --- probes --- */

enum probe_file { PROBE_FILE_KPROBES, PROBE_FILE_UPROBES, PROBE_FILE_ALL };

struct probe {
	struct arena arena;
	struct probe_text text;
	const char *line; /* as the files show it */
	const struct event_format
		*format;       /* if the event was not recorded: the format that it would have */
	bool alike;            /* the recorded format, if any, has the fields of the definition */
	bool made;             /* an eprobe without records: the replay makes its events */
	struct filter *filter; /* of an eprobe; NULL: none */
	const struct event_field **fields; /* of its event: one for each argument, or NULL */
	int refs;  /* of triggers that enable or disable it, and of a program that holds it */
	u32 order; /* among all dynamic events */
	struct probe *next, *prev; /* a ring of the probes of one event, the oldest first */
};

bool probe_belongs(const struct probe *p, enum probe_file file);

/* An unused id: recorded events keep theirs. */
u32 dynamic_event_id(struct tracing *t);

/* Start of a walk over the events with a name that probes define. */
static inline struct hash_walk probe_walk(struct span name)
{
	return hash_walk(hash_bytes(0, name.s, name.n));
}

/*
 * The oldest probe of the next of these events, in arbitrary order, or NULL; an absent @group
 * matches any.
 */
struct probe *probe_next_event(const struct tracing *t, struct span group, struct span name,
			       struct hash_walk *walk);

/* The probe of that event with the same location and arguments, or NULL. */
struct probe *probe_find_same(const struct tracing *t, const struct probe_text *text);

/* The oldest probe with that name, or NULL; an absent @group matches any. */
struct probe *probe_find(const struct tracing *t, struct span group, struct span name);

/* The next probe of that file from index *i on, or NULL. */
struct probe *probe_next(const struct tracing *t, enum probe_file file, size_t *i);

/* kernel: SYSTEM.EVENT, also where an eprobe was written with SYSTEM/EVENT */
void probe_add_event(struct strbuf *sb, const struct probe_text *text);

void probe_free(struct probe *probe);

/* As for synthetic events, but the memory of a removed probe is freed. */
int probe_add(struct tracing *t, struct probe *probe);
void probe_remove(struct tracing *t, struct probe *probe);

/*
 * Prevent the removal of the event of @file, if the script or a program defined it, and permit it
 * again.
 */
void event_file_hold(struct event_file *file);
void event_file_release(struct event_file *file);
