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
	/* "text"; "json"; one of rows, which is a table of what follows; NULL: text */
	const char *format;
	bool audit;  /* only anomalies, instead of all entries */
	bool totals; /* only the totals of each CPU */
	bool text;   /* also the text of each event */
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

/* Of libhist 0.2; it is a test now. Return: -HIST_EUNSUPPORTED */
int hist_nested_demo(hist_sink_fn sink, void *arg);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
