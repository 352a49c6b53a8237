/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * print: the contents of each file of the tracing directory.
 *
 * A printer is named after its file. It appends to a strbuf and passes it to a sink whenever it has
 * grown large, so that a big histogram needs no big buffer.
 */
#pragma once
#include "print/formats.h"
#include "program/filter.h"
#include "program/synth_event.h"
#include "tracing/dynamic_event.h"
#include "tracing/trace_options.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"
#include "result/store.h"

/*
 * Receives the text and returns 0 to continue; any other value stops printing and is returned to
 * the caller.
 */
struct printer {
	struct strbuf buf;
	int (*sink)(void *arg, const void *data, size_t len);
	void *arg;
	int err;   /* error of the sink, or HIST_NOMEM */
	bool held; /* nothing is passed on; what is held at the end is dropped */
};

/* Pass on the buffer, if it is large. */
void printer_send(struct printer *p);
void printer_flush(struct printer *p);
/* Pass on the rest and release; 0, the result of the sink, or -HIST_ENOMEM. */
int printer_end(struct printer *p);

/* The answer to a question: a result that was counted by exact rules. */
void print_answer(struct printer *p, const struct result *r, const struct format_options *options);

/* Instead of it, a line that names it and how it is shown; @format: NULL for text. */
void print_answer_name(struct printer *p, const struct result *r, const struct format *format,
		       const struct format_options *options);

/* Its parts: "sched:sched_switch by comm", without a newline; the table, the header first. */
void print_answer_title(const struct result *r, const struct format_options *options,
			struct strbuf *out);
void print_answer_table(struct printer *p, const struct result *r,
			const struct format_options *options);

/*
 * What shares and means are parts of, for the text of their cells; NULL: out of memory. A column
 * that is neither has no text.
 */
struct answer;
struct answer *answer_parts_new(const struct result *r);
void answer_parts_free(struct answer *parts);
void answer_parts_add(struct answer *parts, size_t column, const struct result_row *row,
		      struct strbuf *out);

/* The name of a column for people: "hits", "total", "duration". */
void column_title_add(struct strbuf *out, const struct result_column *c);

/* One histogram of the file hist, followed by its statistics, if any. */
void print_hist(struct printer *p, const struct result *r, const struct format_options *options);

/* The quantiles that all formats show. */
enum { STAT_QUANTILES = 4 };

/* ORDER struct stat_summary.quantiles */
struct stat_quantile {
	unsigned int permille;
	const char *name;
};

extern const struct stat_quantile stat_quantiles[STAT_QUANTILES];

/* Ends of ranges; they are equal if samples are numbers. */
struct stat_summary {
	u64 n;
	bool is_signed, is_range;
	bool rounded; /* the quantiles are */
	struct sketch_range min, max, quantiles[STAT_QUANTILES];
	double mean, mean_max; /* NAN without samples */
	double stddev;         /* NAN with fewer than two samples, and for ranges */
};

/* @all_max: see struct result_stat; NULL for a row. 0, -HIST_ENOMEM */
int stat_summarise(const struct sketch *all, const struct sketch *all_max, struct stat_summary *s);

/* The numbers of a summary, in the order of their columns; the last ones are quantiles. */
enum {
	STAT_N,
	STAT_MIN,
	STAT_MAX,
	STAT_MEAN,
	STAT_STDDEV,
	STAT_FIRST_QUANTILE,
	STAT_NUMBERS = STAT_FIRST_QUANTILE + STAT_QUANTILES
};

/* Its name; and the number with that name, or STAT_NUMBERS. */
const char *stat_number_name(size_t number);
size_t stat_number_find(const char *name);
/* Of STAT_MIN, STAT_MAX and quantiles. */
struct sketch_range stat_range(const struct stat_summary *s, size_t number);
/* A number of a summary as one that compares in the same order; 0: there is none. */
u64 stat_order(const struct stat_summary *s, size_t number);

/* --- choose.c: the rows that are printed --- */

struct row_choice {
	size_t top;       /* only the largest rows; 0: all */
	const char *sort; /* a column, or a number of a statistic; NULL: as the histogram */
};

/**
 * result_choose() - the largest rows of a result, or all in another order
 * @out: set to a result that refers to @r; NULL: @r is it
 *
 * A histogram that is sorted by a key keeps that order, unless @choice has another one.
 *
 * Owns:   free @out with chosen_free()
 * Return: 0, -HIST_ENOMEM
 */
int result_choose(const struct result *r, const struct row_choice *choice, struct result **out);
void chosen_free(struct result *result);
/* An earlier value of the same number, such as us of worst=us; otherwise @at. */
size_t stat_find_same(const struct result *r, size_t at);

/* Whether rows can be sorted by that name; the error that they cannot, @names: "A, B". */
bool result_has_order(const struct result *r, const char *name);
int result_no_order(const char *name, const char *names, struct diags *diags);

/* An exemplar as an object, @file: with its recording; and what exemplars are, left open. */
void json_exemplar(struct json *j, const struct exemplar *e, bool is_signed, bool clock_counts,
		   bool file);
void json_exemplars_described(struct json *j, const char *name,
			      const struct result_exemplars *exemplars);

/* The names of the frames of a stack. */
void cell_add_frames(struct strbuf *out, const struct result_cell *cell, const char *between);

/* A cell as short text for display; nothing for a stack. */
void cell_add_text(struct strbuf *out, const struct result_column *column,
		   const struct result_cell *cell);

void print_hist_debug(struct printer *p, const struct event_file *file);
void print_trigger(struct printer *p, const struct event_file *file);
void print_filter(struct printer *p, const struct event_file *file);
/* Its lines of show_event_filters and show_event_triggers. */
void print_event_filter(struct printer *p, const struct event_file *file);
void print_event_triggers(struct printer *p, const struct event_file *file);
/* The lines of set_event for modules that are not loaded. */
void print_mod_events(struct printer *p, const struct trace_array *tr);
void print_enable(struct printer *p, const struct event_file *file);
void print_format(struct printer *p, const struct event_file *file);
void print_error_log(struct printer *p, const struct trace_array *tr);
void print_synthetic_events(struct printer *p, const struct tracing *t);
void print_dynamic_events(struct printer *p, const struct tracing *t);
/* kprobe_events, uprobe_events */
void print_probe_events(struct printer *p, const struct tracing *t, enum probe_file file);

/* What print_trace() prints, and how much it has printed. */
struct trace_print {
	struct trace_array *tr;
	bool snapshot;
	u32 cpu; /* only this one, or ARRAY_BUFFER_ALL_CPUS */
	u64 entries,
		written; /* records of all CPUs in the buffer, and before some were overwritten */
};

/**
 * print_trace() - the files trace and snapshot
 *
 * Return: 0, -HIST_ENOMEM
 * Source: s_show() @ v6.12, trace.c
 */
int print_trace(struct printer *p, struct trace_print *print, struct diags *diags);

enum { CONTEXT_SIZE = 6, TRACE_FLAG_RESCHED_LAZY = 0x02 };

/*
 * The kernel's latency columns: irqs off, need resched, context, depth of preemption and of
 * disabled migration. @lazy: the kernel has lazy rescheduling.
 */
void trace_context(char text[CONTEXT_SIZE], u8 flags, u8 preempt, bool lazy);
