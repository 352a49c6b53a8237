/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: the ring buffer of a recording itself, its sub-buffers, records and time stamps.
 */
#ifndef HIST_DUMP_H
#define HIST_DUMP_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hist_dump_options {
	const char *format; /* "text" or "json"; NULL: text */
	bool audit;         /* what is odd, instead of all entries */
	bool totals;        /* only the totals of each CPU */
	bool text;          /* the text of each event, too */
};

/**
 * hist_dump() - sub-buffers, entries, totals of the chosen buffer, CPUs and time
 *
 * CPU after CPU, as they lie in the recording.
 *
 * Return: 0; 1 if an audit found something; -HIST_EINVAL for an unknown format; < 0
 */
int hist_dump(struct hist *h, const struct hist_dump_options *options, hist_sink_fn sink, void *arg,
	      struct diags *diags);

/**
 * hist_nested_demo() - events that interrupt each other, in the old and in the new algorithm
 *
 * Records the same events twice with the time stamps of kernels before and since 5.9 and
 * shows what became of their times.
 *
 * Return: 0, -HIST_ENOMEM, what the sink returned
 */
int hist_nested_demo(hist_sink_fn sink, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
