/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Metadata of a recording made by hist_slim() about its original, so that results do not change:
 * option TRACE_DAT_HIST_SLIM, a text of lines
 *
 *	span FROM TO BUFFER		time of the first sub-buffer and of the last record
 *	part FROM TO			only this time was selected
 *	event COUNT SYSTEM:EVENT	records of an event with triggers, including removed ones
 *	syscalls 1			those without a format are unknown
 *	names 0				records that name tasks were left out
 *	name PID FROM TO COMM		of a task from one time to another; -1 - CPU for an idle
 *task guess PID FROM TO COMM		the same, if that is a guess
 *	task SET PID			selected tasks of each set: those with this pid
 *	tasks SET GLOB			and those with these names; sets are counted from 0
 *	selected NAME TEXT		the selection, for people; see struct result_info
 *
 * A reader skips unknown lines.
 */
#ifndef HIST_RECORDING_SLIMMED_H
#define HIST_RECORDING_SLIMMED_H

#include "names/names.h"
#include "recording/recording.h"

/* A line; @rest is the text after the numbers. */
struct slimmed_line {
	s64 a, b, c;
	struct span rest;
};

/* The next line of that kind (such as "span ") with @n numbers; false after the last one. */
bool slimmed_next(struct span *text, const char *kind, int n, struct slimmed_line *line);

/* The whole text; absent if hist_slim() did not make the file. */
struct span slimmed_text(const struct recording *rec);

/* The span of a buffer of the original; false if unknown. */
bool slimmed_span(const struct recording *rec, const char *buffer, u64 *from, u64 *to);

/* Whether the same times and tasks were selected, so that both can be counted together. */
bool slimmed_alike(const struct recording *a, const struct recording *b);

/* Append "pid 79, comm sh", or "everything". */
void slimmed_print_selection(const struct recording *rec, struct strbuf *out);

/* Append the lines "selected NAME TEXT" for a selection as in struct result_info. */
void slimmed_add_selection(const char *selection, struct strbuf *out);

/* Number of records of that event in the original. */
u64 slimmed_count(const struct recording *rec, const char *system, const char *event);

/* Whether the formats determine which system calls are known. */
bool slimmed_syscalls(const struct recording *rec);

/* Whether names of tasks can be others than in the original. */
bool slimmed_lacks_names(const struct recording *rec);

/* Who tasks were, as far as results need it. 0, -HIST_ENOMEM */
int slimmed_names(const struct recording *rec, struct names *names);

#endif
