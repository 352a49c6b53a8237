/* SPDX-License-Identifier: LGPL-2.1-only */
/* Inside import: what the two ways of reading texts have in common. */
#ifndef HIST_IMPORT_TEXT_H
#define HIST_IMPORT_TEXT_H

#include "import/format_list.h"
#include "import/text_line.h"

/* Words with commas between them; no more than some. */
struct text_names {
	struct strbuf sb;
	u32 n;
};

struct text_cpu {
	u64 ts;
	s64 lost; /* before its next event; < 0: some */
};

struct text_import {
	struct import_job *job;
	struct span text;
	ARRAY(struct text_cpu) cpus;
	u64 events, taken;         /* lines with events; those that became one */
	u64 other, frames;         /* lines of no trace, of stacks */
	u64 overwritten, backward; /* events */
	u32 n_cpus, digits;
	bool counts, short_comm;
};

static inline bool text_same_system(struct span a, struct span b)
{
	return a.s && b.s ? span_same(a, b) : !a.s && !b.s;
}

/* The common fields of a record of @fmt. */
void text_put_common(const struct text_line *line, const struct event_format *fmt, u8 *rec);

/* The record of @line; 0, and what import_sink_record() returns */
int text_put(struct text_import *ti, const struct text_line *line, const void *rec, u32 len);

void text_names_add(struct text_names *names, struct span name);

/* --- by the formats that were given: text_exact.c --- */

struct text_exact;

struct text_exact *text_exact_new(struct text_import *ti, const struct format_list *formats);
void text_exact_free(struct text_exact *x);
int text_exact_event(struct text_exact *x, const struct text_line *line);
/* Gives the formats to the sink, and reports. */
int text_exact_end(struct text_exact *x);

/* --- by name=value: text_infer.c --- */

struct text_infer;

struct text_infer *text_infer_new(struct text_import *ti);
void text_infer_free(struct text_infer *x);
/* First for each line, then make the formats, then again for each line. */
int text_infer_learn(struct text_infer *x, const struct text_line *line);
int text_infer_formats(struct text_infer *x);
int text_infer_event(struct text_infer *x, const struct text_line *line);
int text_infer_end(struct text_infer *x);

#endif
