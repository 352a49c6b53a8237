/* SPDX-License-Identifier: LGPL-2.1-only */
/* What hist_slim() writes about the original into a recording that it makes smaller. */
#pragma once
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

/* The selected time; false if nothing was selected. */
bool slimmed_part(const struct recording *rec, u64 *from, u64 *to);
