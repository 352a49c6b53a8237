/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Triggers: a line of a trigger file, of any kind.
 */
#pragma once
#include "base/base.h"

struct event_file;
struct filter;
struct hist_data;
struct probe;

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
	N_TRIGGER_KINDS,
	TRIGGER_EPROBE =
		N_TRIGGER_KINDS, /* no command: an eprobe on the event, see trace_eprobe() */
};

enum { COUNT_UNLIMITED = -1 };

struct trigger {
	enum trigger_kind kind;
	struct event_file *file; /* the event whose trigger file contains it */
	struct arena arena;
	s64 count;    /* remaining count */
	bool counted; /* a count was given, and decreases */
	bool paused;  /* a hist trigger */
	bool listed;  /* in its event's list */
	unsigned int
		order; /* number of the hist trigger, counting all that were ever created, from 1 */
	u32 id; /* in tracing->triggers, from 1; of hist triggers: in the order of their list */
	bool limited; /* ->filter is for some tasks, see bind_tasks.c */
	bool fires;   /* a post trigger whose filter passed the current record */
	struct filter *filter;
	const char *filter_text;   /* the text after "if ", or NULL */
	struct event_file *target; /* of enable_ and disable_; the event of an eprobe */
	const struct probe *probe; /* of an eprobe */
	struct hist_data *hist;    /* shared by the triggers of one name */
	struct trigger
		*named_data; /* the first trigger with that name; NULL: this one, or unnamed */
	const char *name;    /* "name=foo" while it is a named trigger */
	struct event_layout *layout; /* of the records that ->hist reads; NULL: as they are */
	struct trigger *alike_next, *alike_prev; /* see bind/trigger_index.c */
	int refs; /* of the first trigger with a name: number of triggers that share ->hist */
	struct {
		s64 count;
		bool paused;
	} initial; /* state before the replay */
};

const char *trigger_kind_name(enum trigger_kind kind);

/* The same number for kinds that exclude each other: on and off of one object. */
enum trigger_kind trigger_kind_group(enum trigger_kind kind);

/* The two post triggers run after the record was written (or discarded). */
static inline bool trigger_is_post(const struct trigger *t)
{
	return t->kind == TRIGGER_TRACEOFF || t->kind == TRIGGER_STACKTRACE;
}

void trigger_free(struct trigger *trigger);
/* Append to or prepend to the event's list, with the kernel's effects on both ends. */
int trigger_add(struct trigger *trigger, bool head);
void trigger_del(struct trigger *trigger);
bool is_named_trigger(const struct trigger *trigger);

void hist_data_free(struct hist_data *hd);

/* Enable or disable an event, by its enable file or (softly) by a trigger. */
void event_file_enable(struct event_file *file, bool on, bool soft);
