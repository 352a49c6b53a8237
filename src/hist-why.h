/* SPDX-License-Identifier: LGPL-2.1-only */
/* libhist: why an interval took that long. */
#ifndef HIST_WHY_H
#define HIST_WHY_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hist_why_options {
	bool has_pid;
	int pid;            /* only intervals of this task */
	const char *at;     /* "T[,CPU]": the interval that contains this time; NULL: the longest */
	size_t exemplar;    /* 2: the second longest; 0: the longest */
	bool all;           /* add up all intervals; ->exemplar and ->depth are not used */
	const char *by;     /* "comm,reason": ->all has a row for each; NULL: what, by and in */
	const char *min;    /* "1ms": only intervals that are at least so long; NULL: all */
	unsigned int depth; /* tasks of the chain of wakers; 0: a few */
	size_t top;         /* text: parts of each part; 0: all */
	const char *format; /* "text", "json", "svg", "html", "perfetto"; NULL: text */
	const char *command; /* html: what repeats it in a shell; NULL: not shown */
	bool colour;         /* text: lines of the tree may use more than ASCII */
	unsigned int width;  /* text: of the terminal, for lines of fields; 0: unlimited */
};

/**
 * hist_why() - explain an interval
 * @script: it enables events, or shows histograms of events, that have a length: these are the
 *          intervals. NULL: the interval is that of hist_options, from ->from to ->to, of ->pid
 *
 * All tasks and CPUs of the recording are used, whatever hist_options selects.
 *
 * Return: 0; -HIST_ENOENT: there is no such interval; -HIST_EINVAL: an event without a length;
 *         -HIST_EREJECTED: a line of the script was rejected; -HIST_ELIMIT: too many events
 */
int hist_why(struct hist *h, const struct hist_script *script,
	     const struct hist_why_options *options, hist_sink_fn sink, void *arg,
	     struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
