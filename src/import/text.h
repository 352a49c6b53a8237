/* SPDX-License-Identifier: LGPL-2.1-only */
/* Declarations shared by the two strategies for reading text. */
#pragma once
#include "import/sink.h"
#include "import/text_line.h"

/* A comma-separated list of a limited number of names. */
struct text_names {
	struct strbuf sb;
	u32 n;
};

struct text_cpu {
	u64 ts;
	s64 lost;          /* events lost before its next event; < 0: unknown number */
	u64 first, before; /* its first time, and how many events of others precede it */
};

/* Lines of a kind. */
struct text_lines {
	u64 n, first; /* the number of the first one in the text */
};

struct text_import {
	struct import_job *job;
	struct span text;
	ARRAY(struct text_cpu) cpus;
	u64 events, taken; /* lines with events; those that became a record */
	struct text_lines kinds[TEXT_KINDS];
	u64 no_period;             /* samples without one */
	u64 overwritten, backward; /* events in these states */
	u64 first, last, descents; /* times of lines; how often one is before that of the last */
	struct strbuf begins;      /* lines "begins CPU" of TRACE_DAT_HIST_LIMITS */
	u64 padded, unpadded;      /* lines with and without blanks after a short name */
	u32 n_cpus, digits, width;
	bool counts, short_comm, counted;
	bool has_stacks; /* of perf script */
	struct text_samples *samples;
	bool old_letters, new_letters; /* see text_note_letters() */
};

static inline bool text_same_system(struct span a, struct span b)
{
	return a.s && b.s ? span_same(a, b) : !a.s && !b.s;
}

/*
 * The text of the event, without the blanks with which trace-cmd report pads the names of events; a
 * field at the start of the text may begin with blanks of its own.
 */
struct span text_args(const struct text_import *ti, const struct text_line *line);

/* Fill in the common fields of a record of @fmt. */
void text_put_common(const struct text_line *line, const struct event_format *fmt, u8 *rec);

/* Pass the record of @line to the sink; returns as import_sink_record() */
int text_put(struct text_import *ti, const struct text_line *line, const void *rec, u32 len);

void text_names_add(struct text_names *names, struct span name);

/* --- text_forms.c --- */

/* The print fmts with which an event may be printed, the usual one first. */
struct text_forms {
	const char *v[8];
	size_t n;
};

/*
 * Forms for which there is not enough memory are missing. With @old_letters, the states of tasks
 * are rather those of older plugins.
 */
void text_forms_of(struct text_forms *forms, const struct event_format *fmt,
		   const struct text_line *line, bool old_letters, struct arena *arena);

/* Store the machine that the header of perf script names, if any. Return: 0, -HIST_ENOMEM */
int text_uname(struct text_import *ti);

/* Note letters of states that only older or only newer plugins print. */
void text_note_letters(struct text_import *ti, const struct text_line *line);

/* Whether those of the plugins are rather the letters of older ones. */
bool text_old_letters(const struct text_import *ti);

/* Whether letters on the line have two meanings, and no other line shows which one is right. */
bool text_letters_unclear(const struct text_import *ti, const struct text_line *line);

/* --- text_samples.c: samples of perf script, and its stacks --- */

struct text_samples;

struct text_samples *text_samples_new(struct text_import *ti);
void text_samples_free(struct text_samples *x);
bool text_is_sample(const struct text_line *line);
/* The first pass: each event, and each frame of its stack. Then the formats. */
int text_samples_learn(struct text_samples *x, const struct text_line *line);
void text_samples_learn_frame(struct text_samples *x);
int text_samples_formats(struct text_samples *x);
/* The second pass: each event of perf script, the frames of its stack, and after them. */
int text_samples_begin(struct text_samples *x, const struct text_line *line);
int text_samples_frame(struct text_samples *x, const struct text_frame *f);
int text_samples_end(struct text_samples *x);
/* Note that a task has the name of this line at @ts; the sink has its earlier one. */
void text_samples_task(struct text_samples *x, const struct text_line *line, u64 ts);
/* Note of which process a task is a thread: that of its first line which has one, "(TGID)". */
int text_samples_process(struct text_samples *x, const struct text_line *line);
/* Pass the names of addresses and of tasks to the sink. */
int text_samples_names(struct text_samples *x);

/* --- text_exact.c: with given formats --- */

struct text_exact;

struct text_exact *text_exact_new(struct text_import *ti, const struct format_list *formats);
void text_exact_free(struct text_exact *x);
/* @x is a struct text_exact. */
int text_exact_event(void *x, const struct text_line *line);
/* Pass the formats to the sink, and report. */
int text_exact_end(struct text_exact *x);

/* --- text_infer.c: by name=value --- */

struct text_infer;

struct text_infer *text_infer_new(struct text_import *ti);
void text_infer_free(struct text_infer *x);
/*
 * Call for each line, then make the formats, then call text_infer_event() for each line; @x is a
 * struct text_infer.
 */
int text_infer_learn(void *x, const struct text_line *line);
int text_infer_formats(struct text_infer *x);
int text_infer_event(void *x, const struct text_line *line);
int text_infer_end(struct text_infer *x);
