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
	struct span format; /* contents of its format file */
};

struct sql_request {
	const char *query;
	const char *name; /* name of the synthetic event */
	const char *on;   /* act on "max:FIELD" or "change:FIELD"; NULL: on each match */
	const char *what; /* "trace", "snapshot", "save:FIELD+FIELD", with commas; NULL: trace */
	const struct sql_event *events;
	size_t n_events;
};

/* A write to a file of the tracing directory. */
struct sql_write {
	const char *path, *text;
};

enum { SQL_MAX_WRITES = 3 };

struct sql_result {
	struct sql_write writes[SQL_MAX_WRITES];
	size_t n;
	const char *fields; /* of the synthetic event: "pid_t pid; u64 lat;"; NULL: histogram */
	const char *path;   /* "events/SYSTEM/EVENT" of the result */
};

/**
 * sql_translate() - translate a statement to triggers
 * @arena: the result is allocated from it
 *
 * Return: 0; -HIST_EREJECTED with a diagnosis that shows the position in the query; -HIST_EIO,
 *         -HIST_ENOMEM
 */
int sql_translate(const struct sql_request *request, struct arena *arena, struct sql_result *result,
		  struct diags *diags);

#endif
