/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * top: the answer of a question while its events are recorded.
 *
 * A recording (record/record.h) keeps little more than what was not counted yet. A thread counts
 * (live/counting.h), and passes on the tables after each interval; another one shows them, on a
 * terminal or as text. Neither delays the recording.
 */
#pragma once
#include "live/live.h"

/* Everything is borrowed until top_close(). */
struct top_options {
	struct hist_run_options run; /* what is counted; ->format, ->show N, ->top, ->sort_stats */
	const char *question;        /* as of hist_script_title() */
	u64 interval;                /* ns */
	u64 memory;                  /* bytes that histograms may use */
	enum live_way way;           /* who counts */
	bool explain;                /* note who counts, and why */
	const char
		*output; /* of text and ndjson; the file that openmetrics replaces; NULL: stdout */
	bool colour;     /* colours, and more than ASCII */
};

struct top;

/* Owns: *@top is closed with top_close() */
int top_new(const struct top_options *options, struct top **top, struct diags *diags);

/* As live_prepare() */
int top_prepare(struct top *top, const char *machine, struct span script, struct diags *diags);

/* After top_prepare(): what the kernel would have to do to count; NULL: it cannot, or must not */
const struct record_until *top_until(struct top *top);

/* What a recording needs. */
struct record_keep top_keep(struct top *top);

/* Of a record_plan; @top: a struct top */
void top_progress(void *top, const struct record_progress *progress);

/*
 * After the recording. Return: 0, < 0 if not everything could be counted or shown; 1: the kernel
 * had no room for all rows, so count anew without it
 */
int top_finish(struct top *top, struct diags *diags);

/* Also after an error, and for NULL. */
void top_close(struct top *top);
