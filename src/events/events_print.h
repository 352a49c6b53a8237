/* SPDX-License-Identifier: LGPL-2.1-only */
/* Printing events: the columns, the rows that any thread can print, and the formats. */
#pragma once
#include "events/events.h"

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
	COLUMN_DATE,   /* the time of day */
	COLUMN_FIELDS, /* all fields together */
	COLUMN_FIELD,
	COLUMN_WORDS, /* the names of the numbers of a field */
	COLUMN_CODE,
	N_COLUMNS = COLUMN_FIELD,
};

/* The columns of all events. ORDER events_column_kind */
extern const struct row_column events_common_columns[N_COLUMNS];

struct events_column {
	enum events_column_kind kind;
	const char *name;
	const int *fields;                /* of a field: its index in each type; -1: not there */
	const struct number_names *words; /* of COLUMN_WORDS: of each type */
	size_t code;                      /* of COLUMN_CODE: its question */
	bool of_one_type; /* ->fields and ->words have one element, for events of one type */
};

/* How events are printed. */
struct events_printer {
	const struct hist_events_print *print;
	ARRAY(struct events_column) columns;
	struct row_column *row_columns; /* the same, for a writer */
	bool clock_counts;
	const struct row_format *format; /* NULL: text */
	struct arena arena;
	bool asks_comm, asks_text;
	unsigned int asks_who; /* bits: COLUMN_TGID to COLUMN_CGROUP */
	bool parquet;          /* ->format is that: a file for each type */
	bool perfetto;         /* a trace of Perfetto, not rows */
};

/* An event that is printed, maybe by another thread than the one that reads. */
struct events_row {
	struct hist_event e;
	u64 number;       /* from 0 */
	const char *comm; /* if the columns ask for it */
	s32 tgid;
	u64 who[3]; /* the answers, by enum hist_who */
	size_t at;  /* of its record, in the bytes of the rows; answers about code follow it */
	struct strbuf *cell; /* scratch */
};

/* Events that any thread can print. */
struct events_rows {
	ARRAY(struct events_row) v;
	struct strbuf bytes; /* the records */
};

/*
 * Add an event, with a copy of its record and what other threads cannot ask for. Return: 0,
 * -HIST_ENOMEM
 */
int events_rows_add(struct events_rows *rows, const struct events_printer *p,
		    struct events_row *row);

/* The @i-th row, with its record. */
struct events_row *events_rows_at(const struct events_rows *rows, size_t i);

void events_rows_release(struct events_rows *rows);

/* --- events_perfetto.c --- */

/* *@printed: how many events. Return: as hist_events_next() at the end, or of the sink */
int events_perfetto_print(const struct hist_events_print *print, struct hist_events *ev,
			  u64 *printed);

/* --- events_timeline.c --- */

/* The page. *@n: how many events. Return: as hist_events_print() */
int events_timeline_print(struct hist *h, const struct hist_events_options *options,
			  const struct hist_events_print *print, u64 *n, struct diags *diags);

/* The answer to the @i-th question about code. */
u64 events_row_code(const struct events_row *r, size_t i);

/* Of COLUMN_FIELD. */
void events_column_value(const struct hist_event *e, const struct events_column *c,
			 struct hist_value *v);

/* Of COLUMN_PROCESS, COLUMN_CMDLINE, COLUMN_CGROUP, maybe in @buf; NULL: unknown. */
const char *events_row_who(const struct events_row *r, enum events_column_kind kind,
			   char buf[static WHO_TEXT_MAX]);

/* --- events_text.c: context: any thread --- */

void events_text_begin(const struct hist_events *ev, struct strbuf *out);
void events_text_line(const struct events_printer *p, const struct events_row *r,
		      struct strbuf *out);

/* --- events_cells.c --- */

/* Memory of a cell. */
struct events_cell_room {
	struct hist_value value;
	const char *text[1];
	char who[WHO_TEXT_MAX], name[EVENTS_NAME_MAX];
};

/* A cell, valid until the next one of the row. Context: any thread */
struct row_cell events_cell(const struct events_printer *p, const struct events_row *r,
			    const struct events_column *c, struct events_cell_room *room);

void events_field_column(const struct hist_event_field *f, struct row_column *c);

/* --- events_columns.c --- */

/* Fill in the columns. Return: 0, -HIST_EINVAL, -HIST_ENOMEM */
int events_choose_columns(struct events_printer *p, struct hist_events *ev);

/* The names of the numbers of a field; maybe none. Return: 0, -HIST_ENOMEM */
int events_field_words(const struct hist_events *ev, const struct events_type *type, size_t field,
		       struct arena *arena, struct number_names *words);

/* The name of a number, in @buf; empty: it has none. */
struct span events_value_name(const struct hist_value *v, const struct number_names *words,
			      char buf[static EVENTS_NAME_MAX]);

/* Whether a field of the type has that name as a column. */
bool events_type_has_column(const struct events_type *type, const char *column);

/* Whether a list of columns names one; NULL: the columns are the usual ones. */
bool events_list_has(const char *list, enum events_column_kind kind);

/* --- events_parquet.c --- */

/* Print all as Parquet. @options: those of the caller */
int events_parquet_print(const struct events_printer *p, struct hist_events *ev,
			 const struct hist_events_options *options, unsigned int threads);
