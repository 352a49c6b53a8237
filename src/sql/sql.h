/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * sql: converts SQL statements to synthetic events and triggers, with libtracefs' tracefs_sql().
 *
 * No kernel is needed: the caller supplies the formats of the events.
 */
#ifndef HIST_SQL_H
#define HIST_SQL_H

#include "base/base.h"

struct sql_event {
	const char *system, *name;
	struct span format; /* its format file */
};

struct sql_request {
	const char *query;
	const char *name; /* of the synthetic event */
	const char *on;   /* act on "max:FIELD" or "change:FIELD" instead of each match; NULL */
	const char *what; /* "trace", "snapshot", "save:FIELD+FIELD", with commas; NULL: trace */
	const struct sql_event *events;
	size_t n_events;
};

/* One write to a file of the tracing directory. */
struct sql_write {
	const char *path, *text;
};

enum { SQL_MAX_WRITES = 3 };

struct sql_result {
	struct sql_write writes[SQL_MAX_WRITES];
	size_t n;
	const char *fields; /* of the synthetic event: "pid_t pid; u64 lat;"; NULL: a histogram */
	const char *path;   /* "events/SYSTEM/EVENT" with the result */
};

/**
 * sql_translate() - translate a statement to the language of triggers
 * @arena: memory of the result
 *
 * Return: 0; -HIST_EREJECTED with a diagnosis and its place in the query; -HIST_EIO, -HIST_ENOMEM
 */
int sql_translate(const struct sql_request *request, struct arena *arena, struct sql_result *result,
		  struct diags *diags);

#endif
