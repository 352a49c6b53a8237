/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * events: the events of a recording, as an iterator over a replay, and printed in formats.
 *
 * A step of the replay yields some events, which are borrowed until the next step.
 */
#pragma once
#include "hist-events.h"
#include "replay/replay.h"
#include "table/table.h"

/* The longest name of a number. */
enum { EVENTS_NAME_MAX = 256 };

/* A field, and where it is in a record. */
struct events_field {
	const struct event_field *of;
	bool is_dynamic, is_relative; /* a __data_loc or __rel_loc */
	bool is_rest;                 /* to the end of the record, whatever its size is */
};

struct events_names;
struct task_set;

struct events_type {
	struct hist_event_type public;
	const struct event_file *file;
	const struct event_format *format;
	const struct events_field *fields;
	const struct event_print *print; /* NULL: needs more than a record contains */
	bool print_parsed;
	const char *title;          /* "sched:sched_switch" */
	struct events_names *names; /* of each field, events_names.c; NULL: not looked up */
};

/* A question about code, of each type; ->what is N_CODE if it has no answer. */
struct events_code {
	const char *name;
	struct code_question *of;
};

/* An event that a step yielded. */
struct events_item {
	const struct events_type *type;
	const u8 *rec; /* NULL: at ->made of the bytes that the replay made */
	size_t made, answers;
	u32 len, cpu;
	u64 ts, at;
	s32 pid;
	bool nested; /* an event that the current record generated */
	const struct hit_context *context;
	u64 lost;
	bool lost_unknown;
};

/* Texts with a number each; see hist_events_word(). */
struct events_words {
	INDEXED(struct span) list;
	struct arena texts;
	struct strbuf cell; /* scratch */
};

struct hist_events {
	struct hist *h;
	struct diags *diags;
	struct arena arena;
	struct replay_observer observer;
	struct replay *replay; /* NULL: not open */
	u64 wall;              /* what is added to times for those of day */
	bool has_wall;
	ARRAY(struct events_type *) types;
	struct events_type **by_serial; /* NULL: not listed */
	ARRAY(struct events_item) items;
	size_t next;         /* of ->items */
	size_t first;        /* of ->items that the current record yielded */
	struct strbuf made;  /* bytes of records that the replay made, in this step */
	struct events_lost { /* what each stream had lost, as far as it was passed on */
		const struct stream *stream;
		u64 missed;
		u64 unknown;
	} * lost;
	size_t n_lost;
	bool at_end;
	int err;
	struct replay_span span;           /* of ->h, without that of the options */
	const struct hit_context *context; /* of the replay */
	char who[WHO_TEXT_MAX];
	char name[EVENTS_NAME_MAX + 1]; /* of a number */
	struct events_words words;
	ARRAY(struct events_code) code;
	ARRAY(u64) answers; /* to all these questions, of each item of this step */
};

static inline const struct events_type *events_type_of(const struct hist_event *e)
{
	return (const struct events_type *)(const void *)e->type;
}

/* --- events_code.c --- */

/* Find the answers for an event that is being replayed. Return: 0, -HIST_ENOMEM */
int events_code_take(struct hist_events *ev, const struct events_type *type, const struct hit *hit);

/* The answer to the @i-th question, of the last event. */
u64 events_code_answer(const struct hist_event *e, size_t i);

/* Its texts, see code_texts(). Context: any thread */
const char *const *events_code_texts(const struct hist_event *e, size_t i, u64 answer,
				     const char *room[static 1], size_t *n);

/* --- events_read.c --- */

/* The user of the process of its task; -1: unknown. */
s32 events_uid(const struct hist_event *e);
/* The answer of program/who.h about its task, and its text; NULL: unknown. */
u64 events_who_answer(const struct hist_event *e, enum hist_who what);
const char *events_who_text(const struct hist_events *ev, enum hist_who what, u64 answer,
			    char buf[static WHO_TEXT_MAX]);

/* --- events_types.c --- */

/* The type of an event. Return: 0, -HIST_ENOMEM */
int events_type_add(struct hist_events *ev, const struct event_file *file);

/*
 * Append the text of an event, as its print fmt describes it, without a newline at the end.
 * Context: any thread, if the print fmt was parsed
 */
void events_add_text(const struct hist_event *e, struct strbuf *out);

void events_parse_print(struct hist_events *ev, const struct events_type *type);

/* --- events_choose.c --- */

/* Enable the chosen events only, and add their types. */
int events_choose(struct hist_events *ev, const struct hist_events_options *options);

/* --- events_columns.c --- */

/* The name of a field as a column: those that are taken get a prefix. NULL: out of memory */
const char *events_column_name(struct arena *arena, const char *field);

/* --- events_cells.c --- */

/* A number, text, numbers separated by blanks, or hexadecimal bytes. */
void events_add_value(const struct hist_value *v, struct strbuf *out);

void events_words_release(struct events_words *w);

/* --- events_timeline.c --- */

/**
 * events_timeline_add() - append a timeline of a part of a recording
 * @h:     as for hist_events_open()
 * @asked: which events; those of tasks and CPUs are added
 * @tasks: only these have lanes; NULL: those that were selected
 * @n:     how many events were read
 */
int events_timeline_add(struct hist *h, const struct hist_events_options *asked,
			const struct task_set *tasks, struct strbuf *out, u64 *n,
			struct diags *diags);
