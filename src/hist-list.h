/* SPDX-License-Identifier: LGPL-2.1-only */
/* libhist: listing the contents of a recording. */
#ifndef HIST_LIST_H
#define HIST_LIST_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum hist_list_flags {
	HIST_LIST_EVENTS = 1, /* every event with its count, and its fields */
	HIST_LIST_FULL = 2,   /* also events that were not recorded */
	HIST_LIST_JSON = 4,   /* json, one object per file */
	HIST_LIST_RATES = 8,  /* in text, a sparkline of each event over time */
};

/* The script stored by `hist record`; NUL-terminated, valid until hist_close(); NULL: none. */
const char *hist_stored_script(struct hist *h);

/* The @i-th file stored by `record --live` ("script": the script that it ran), or NULL. */
const char *hist_live_file(struct hist *h, size_t i, const char **path);

/* "system:event" of the @i-th event with records, valid until hist_close(), or NULL. */
const char *hist_recorded_event(struct hist *h, size_t i);

/* "derived:wait", ...: the @i-th event that hist can derive from others, or NULL. */
const char *hist_derived_event(size_t i);

/*
 * "sched:sched_switch", ...: the @i-th event that @derived is derived from, or NULL. @needed:
 * nothing can be derived without it
 */
const char *hist_derived_input(const char *derived, size_t i, bool *needed);

/* Its fields, as a synthetic event defines them: "u64 ns; pid_t pid; ..."; NULL: unknown name */
const char *hist_derived_fields(const char *derived);

/* Whether all events that @derived needs were recorded. */
bool hist_can_derive(struct hist *h, const char *derived);

/* An event for which hist record --until wrote the recording. Valid until hist_close() */
struct hist_mark {
	uint64_t ts;
	uint32_t cpu;
	int32_t pid;
	const char *event, *text; /* "derived:wait", and its fields */
};

/* The @i-th mark of the first recording, from 0. Return: 1; 0: there is none; -HIST_ENOMEM */
int hist_mark(struct hist *h, size_t i, struct hist_mark *mark);

int hist_list(struct hist *h, unsigned int flags, hist_sink_fn sink, void *arg,
	      struct diags *diags);

/* The tables that a list has as rows. */
enum hist_list_table {
	HIST_LIST_OF_EVENTS, /* with their counts */
	HIST_LIST_OF_CPUS,   /* events, and what was lost */
	HIST_LIST_OF_HOLES,  /* when records of a CPU are missing */
	HIST_LIST_OF_FIELDS, /* of the events */
};

struct hist_list_options {
	const char *format; /* "csv", "ndjson", ... */
	unsigned int flags; /* HIST_LIST_FULL, or 0 */
	enum hist_list_table table;
};

/*
 * Print one table of what is in @n recordings. Return: 0; -HIST_EINVAL for an unknown format; or as
 * hist_list()
 */
int hist_list_rows(struct hist *const *h, size_t n, const struct hist_list_options *options,
		   hist_sink_fn sink, void *arg, struct diags *diags);

/* Of libhist 0.2; it is a test now. Return: -HIST_EUNSUPPORTED */
int hist_check_reader(const char *path, const char *name, hist_sink_fn sink, void *arg,
		      struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
