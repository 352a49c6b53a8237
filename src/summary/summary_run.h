/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * summary: a recording in forty lines.
 *
 * One replay answers a fixed list of tables (summary_tables.c), as far as their events were
 * recorded. Rules look for what is wrong in them (summary_trouble.c), every topic becomes a line
 * (summary_topics.c), and lines are printed as text, rows or a page (summary_print.c).
 */
#pragma once
#include "hist-summary.h"
#include "inspect/inspect.h"
#include "tracefs/tracefs.h"

/* ORDER tables in summary_tables.c */
enum summary_table {
	SUMMARY_RUNNING,
	SUMMARY_DISK,
	SUMMARY_RT_SLEEP,
	SUMMARY_WAIT,
	SUMMARY_WAIT_SIZE,
	SUMMARY_RT_WAIT,
	SUMMARY_REASON,
	SUMMARY_DEPTH,
	SUMMARY_CALL,
	SUMMARY_ERROR,
	SUMMARY_IRQ,
	SUMMARY_SOFTIRQ,
	SUMMARY_LOCK,
	SUMMARY_BLOCK,
	SUMMARY_BLOCK_ERROR,
	SUMMARY_THROTTLE,
	SUMMARY_DELAY, /* of one wait: see summary_culprit() */
	N_SUMMARY_TABLES
};

/* ORDER kinds in summary_print.c. Lines are printed in this order. */
enum summary_kind {
	SUMMARY_ABOUT,
	SUMMARY_TROUBLE,
	SUMMARY_FINE, /* nothing is wrong */
	SUMMARY_UNUSUAL,
	SUMMARY_ANSWER,
	SUMMARY_MORE,
	N_SUMMARY_KINDS
};

/*
 * What a line is made of. In texts, {COLUMN} is a value of the row that the line is about, {at} the
 * time of its worst, {name} and {row} its first key and its first two, {most} and {shares} the
 * largest rows of its table, {busy} the part of all CPUs that these are, {all} the sum of their
 * times, and {hits:NOUN} the number of hits.
 */
struct summary_form {
	enum summary_kind kind;
	const char *topic, *text;
	const char *verb, *rest; /* "hist VERB -i FILE REST" goes on; NULL: nothing does */
};

struct summary_line {
	enum summary_kind kind;
	const char *topic;
	const char *text;
	const char *command;   /* what goes on; NULL: none */
	const char *name;      /* of the row that the numbers are of; NULL: none */
	u64 hits, total, max;  /* of this row, or of all; the times in ns */
	bool numbers, at_time; /* whether they, and ->at, ->cpu, ->pid are known */
	u64 at;
	s64 cpu, pid; /* -1: unknown */
};

struct summary_run {
	struct hist *h;
	const struct hist_summary_options *o;
	struct taken_result
		tables[N_SUMMARY_TABLES]; /* .named NULL: its events were not recorded */
	size_t taken[N_SUMMARY_TABLES];   /* in the order in which they come */
	struct buffer_count count;        /* of the first file */
	u64 first, last;
	char victim[24]; /* the task that SUMMARY_DELAY is about */
	struct arena arena;
	struct strbuf text; /* of the line that is being composed */
	ARRAY(struct summary_line) lines;
	const char *most; /* the most frequent event; NULL: none */
	bool of_some;     /* only events of some tasks were recorded */
	bool failed;      /* out of memory */
	struct diags *diags;
};

/* --- summary_tables.c --- */

/* Replay, and set ->tables. */
int summary_ask(struct summary_run *s);

/* What the recording does not show, "disks, locks", and the events for hist record. */
void summary_lacking(struct summary_run *s, struct strbuf *what, struct strbuf *events);

static inline const struct result *summary_result(const struct summary_run *s, enum summary_table i)
{
	return s->tables[i].named;
}

enum { SUMMARY_CELLS = 12 };

/* A row, whose cells have names: the columns of the table, and "max" of what was the worst. */
struct summary_row {
	enum summary_table table;
	const struct result *r;
	bool saved;   /* the worst is known */
	u64 saved_at; /* its time */
	struct result_cell cells[SUMMARY_CELLS];
};

/* The row @i, or that with the largest number in the column @by; false: there is none. */
bool summary_row(const struct summary_run *s, enum summary_table table, size_t i,
		 struct summary_row *row);
bool summary_worst(const struct summary_run *s, enum summary_table table, const char *by,
		   struct summary_row *row);

bool summary_has(const struct summary_row *row, const char *column);
u64 summary_number(const struct summary_row *row, const char *column);
void summary_add_text(const struct summary_row *row, const char *column, struct strbuf *out);
bool summary_is(const struct summary_row *row, const char *column, const char *text);

/* Whether the system call of the row is one of these, which are without "sys_". */
bool summary_is_call(const struct summary_row *row, const char *const *names, size_t n);

/* What delayed the longest wait of a row most; false: it is not known. */
bool summary_culprit(struct summary_run *s, const struct summary_row *wait,
		     struct summary_row *culprit);

/* The times of a row in percent of the time of all CPUs. */
double summary_share(const struct summary_run *s, const struct summary_row *row);

u64 summary_sum(const struct summary_run *s, enum summary_table table, const char *column);

/* --- summary_lines.c --- */

static inline double summary_length(const struct summary_run *s)
{
	return s->last > s->first ? (double)(s->last - s->first) : 1;
}

/* The name of a row: its first two keys. */
void summary_add_name(const struct summary_row *row, struct strbuf *out);

/* Append a form to ->text. */
void summary_put(struct summary_run *s, const struct summary_row *row, const char *form);

/* A line of ->text, which is empty then, and of the text of the form. @row: NULL: it is about none
 */
void summary_say(struct summary_run *s, const struct summary_form *form,
		 const struct summary_row *row);

/* The first lines. */
void summary_about(struct summary_run *s);

/* --- summary_events.c --- */

/* The line of the most frequent events, and what their numbers and rates tell. */
void summary_events(struct summary_run *s);

/* --- summary_baseline.c --- */

/* Lines about what takes much more time than in another recording. */
void summary_compare(struct summary_run *s, const struct summary_run *base);

/* --- summary_topics.c --- */
void summary_topics(struct summary_run *s);

/* --- summary_trouble.c --- */
void summary_trouble(struct summary_run *s);

/* --- summary_print.c --- */
int summary_print(struct summary_run *s, struct strbuf *out);
