/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * events: the events of a recording, as an iterator over a replay, and printed in formats.
 *
 * A step of the replay yields some events, which are borrowed until the next step.
 */
#ifndef HIST_EVENTS_EVENTS_H
#define HIST_EVENTS_EVENTS_H

#include "events/events_words.h"
#include "hist-events.h"
#include "replay/replay.h"
#include "table/table.h"
#include "tracing/tracing.h"

/* A field, and where it is in a record. */
struct events_field {
	const struct event_field *of;
	bool is_dynamic, is_relative; /* a __data_loc or __rel_loc */
	bool is_rest;                 /* to the end of the record, whatever its size is */
};

struct events_type {
	struct hist_event_type public;
	const struct event_file *file;
	const struct event_format *format;
	const struct events_field *fields;
	const struct event_print *print; /* NULL: needs more than a record contains */
	bool print_parsed;
	const char *title; /* "sched:sched_switch" */
};

/* An event that a step yielded. */
struct events_item {
	const struct events_type *type;
	const u8 *rec; /* NULL: at ->made of the bytes that the replay made */
	size_t made;
	u32 len, cpu;
	u64 ts, at;
	s32 pid;
	bool nested; /* an event that the current record generated */
	const struct hit_context *context;
	u64 lost;
	bool lost_unknown;
};

struct hist_events {
	struct hist *h;
	struct diags *diags;
	struct arena arena;
	struct replay_observer observer;
	struct replay *replay; /* NULL: not open */
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
	struct events_words words;
};

static inline const struct events_type *events_type_of(const struct hist_event *e)
{
	return (const struct events_type *)(const void *)e->type;
}

/* --- events_read.c --- */

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

/* Parse the print fmt of a type, unless it was parsed. */
void events_parse_print(struct hist_events *ev, const struct events_type *type);

/* --- events_choose.c --- */

/* Enable the chosen events only, and add their types. */
int events_choose(struct hist_events *ev, const struct hist_events_options *options);

/* --- events_columns.c --- */

enum events_column_kind {
	COLUMN_TIME,
	COLUMN_TS,
	COLUMN_CPU,
	COLUMN_PID,
	COLUMN_COMM,
	COLUMN_EVENT,
	COLUMN_TGID,
	COLUMN_PROCESS,
	COLUMN_CMDLINE,
	COLUMN_CGROUP,
	COLUMN_TEXT,
	COLUMN_FIELDS, /* all fields together */
	COLUMN_FIELD,
	COLUMN_WORDS, /* the names of the numbers of a field */
	N_COLUMNS = COLUMN_FIELD,
};

struct events_column {
	enum events_column_kind kind;
	const char *name;
	const int *fields;                /* of a field: its index in each type; -1: not there */
	const struct number_names *words; /* of COLUMN_WORDS: of each type */
};

/* How events are printed. */
struct events_printer {
	const struct hist_events_print *print;
	ARRAY(struct events_column) columns;
	bool clock_counts;
	const struct csv_dialect *dialect;
	const struct events_format *format;
	struct arena arena;
	bool asks_comm, asks_who, asks_text;
	bool parquet; /* has no ->format */
};

/* An event that is printed, maybe by another thread than the one that reads. */
struct events_row {
	struct hist_event e;
	u64 number;       /* from 0 */
	const char *comm; /* if the columns ask for it */
	s32 tgid;
	u64 who[3];          /* the answers, by enum hist_who */
	size_t at;           /* of its record, in the bytes of the batch */
	struct strbuf *cell; /* scratch */
};

/* Of COLUMN_FIELD. */
void events_column_value(const struct hist_event *e, const struct events_column *c,
			 struct hist_value *v);

/* Of COLUMN_PROCESS, COLUMN_CMDLINE, COLUMN_CGROUP, maybe in @buf; NULL: unknown. */
const char *events_row_who(const struct events_row *r, enum events_column_kind kind,
			   char buf[static WHO_TEXT_MAX]);

/* A format: appends to @out. Context: event() is called by any thread */
struct events_format {
	void (*begin)(const struct events_printer *p, const struct hist_events *ev,
		      struct strbuf *out);
	void (*event)(const struct events_printer *p, const struct events_row *r,
		      struct strbuf *out);
	void (*end)(const struct events_printer *p, struct strbuf *out); /* NULL: nothing */
};

extern const struct events_format events_text, events_csv, events_json, events_ndjson;

/* The name of a field as a column: those that are taken get a prefix. NULL: out of memory */
const char *events_column_name(struct arena *arena, const char *field);

/* Fill in the columns. Return: 0, -HIST_EINVAL, -HIST_ENOMEM */
int events_choose_columns(struct events_printer *p, const struct hist_events *ev);

/* Whether a list of columns names one; NULL: the columns are the usual ones. */
bool events_list_has(const char *list, enum events_column_kind kind);

/* --- events_parquet.c --- */

/* Print all as Parquet. @options: those of the caller */
int events_parquet_print(const struct events_printer *p, struct hist_events *ev,
			 const struct hist_events_options *options, unsigned int threads);

/* --- events_text.c, events_json.c --- */

/* A number, text, numbers separated by blanks, or hexadecimal bytes. */
void events_add_value(const struct hist_value *v, struct strbuf *out);

/* The fields of an event as members of an open object. */
void events_json_fields(const struct hist_event *e, struct json *j);

#endif
