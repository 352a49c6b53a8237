/* SPDX-License-Identifier: LGPL-2.1-only */
/* libhist: what is in a recording. */
#ifndef HIST_LIST_H
#define HIST_LIST_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum hist_list_flags {
	HIST_LIST_EVENTS = 1, /* every event with its count, and its fields */
	HIST_LIST_FULL = 2,   /* events that were not recorded too */
	HIST_LIST_JSON = 4,   /* as json, an object for each file */
	HIST_LIST_RATES = 8,  /* in text, a sparkline of each event over time */
};

/* The script that `hist record` stored; NUL-terminated, until hist_close(); NULL: none. */
const char *hist_stored_script(struct hist *h);

/* The @i-th file that `record --live` stored ("script": what it ran); NULL: no more. */
const char *hist_live_file(struct hist *h, size_t i, const char **path);

/* "system:event" of the @i-th event that has records, until hist_close(); NULL: no more. */
const char *hist_recorded_event(struct hist *h, size_t i);

int hist_list(struct hist *h, unsigned int flags, hist_sink_fn sink, void *arg,
	      struct diags *diags);

/*
 * Hold the native reader against libtracecmd's, record by record, of the file that messages call
 * @name. 0 equal, 1 different.
 */
int hist_check_reader(const char *path, const char *name, hist_sink_fn sink, void *arg,
		      struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
