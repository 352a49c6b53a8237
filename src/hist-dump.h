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
	bool audit;         /* only anomalies, instead of all entries */
	bool totals;        /* only the totals of each CPU */
	bool text;          /* also the text of each event */
};

/**
 * hist_dump() - print sub-buffers, entries, totals of the selected buffer, CPUs and time
 *
 * CPU by CPU, in the order of the recording.
 *
 * Return: 0; 1 if an audit found something; -HIST_EINVAL for an unknown format; < 0
 */
int hist_dump(struct hist *h, const struct hist_dump_options *options, hist_sink_fn sink, void *arg,
	      struct diags *diags);

/**
 * hist_nested_demo() - show the time stamps of nested events in the old and the new algorithm
 *
 * Records the same events twice, with the time stamps of kernels before and since 5.9, and shows
 * the resulting times.
 *
 * Return: 0, -HIST_ENOMEM, what the sink returned
 */
int hist_nested_demo(hist_sink_fn sink, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
