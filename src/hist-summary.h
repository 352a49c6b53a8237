/* SPDX-License-Identifier: LGPL-2.1-only */
/* libhist: what a stranger should know about a recording. */
#ifndef HIST_SUMMARY_H
#define HIST_SUMMARY_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hist_summary_options {
	const char *format;    /* text, html, or one of rows, such as json; NULL: text */
	const char *input;     /* what names the recording in a shell: "-i trace.dat"; NULL: "" */
	const char *recipes;   /* those of the last line; NULL: that it answers; "": none */
	const char *command;   /* html: what repeats it in a shell; NULL: not shown */
	struct hist *baseline; /* another recording, with which it is compared; NULL: none */
};

/**
 * hist_summary() - sum a recording up in at most forty lines
 *
 * What is wrong comes first. Each line has the command that goes on.
 *
 * Return: as hist_run(); -HIST_EINVAL: unknown format
 */
int hist_summary(struct hist *h, const struct hist_summary_options *options, hist_sink_fn sink,
		 void *arg, struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
