/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * sql: converts SQL statements to tables, and to synthetic events with their triggers.
 *
 * The dialect is that of sqlhist(1), with AND, OR, NOT, LIKE, IN, BETWEEN, joins on several fields
 * and tasks as columns. A statement without a JOIN is a histogram of an event; with a JOIN, each
 * match of two events becomes a synthetic event with the selected columns. No kernel is needed: the
 * caller supplies the formats of the events.
 */
#pragma once
#include "base/base.h"

struct sql_event {
	const char *system, *name;
	struct span format; /* contents of its format file */
};

/**
 * sql_find_fn - look up the event "NAME" or "SYSTEM:NAME"
 *
 * Return: 0; -HIST_ENOENT with a diagnosis; -HIST_ENOMEM
 */
typedef int (*sql_find_fn)(void *arg, const char *name, struct sql_event *ev, struct diags *diags);

struct sql_request {
	const char *query;
	const char *name; /* name of the synthetic event */
	const char *on;   /* act on "max:FIELD" or "change:FIELD"; NULL: on each match */
	const char *what; /* "trace", "snapshot", "save:FIELD+FIELD", with commas; NULL: trace */
	sql_find_fn find;
	void *find_arg;
};

/* A write to a file of the tracing directory. */
struct sql_write {
	const char *path, *text;
};

/* A field of the synthetic event. */
struct sql_field {
	const char *name;
	const char *modifier; /* as a key, such as ".cgroup"; "" */
	bool measured;        /* a difference: a value rather than a key */
};

enum { SQL_MAX_WRITES = 3 };

struct sql_result {
	struct sql_write writes[SQL_MAX_WRITES];
	size_t n;
	struct sql_field *fields; /* of the synthetic event; NULL: a histogram, without writes */
	size_t n_fields;
	/* of a statement without a JOIN: a histogram */
	const char *keys, *values, *filter; /* "comm,prio.log2"; NULL: none */
	const char *path;                   /* "events/SYSTEM/EVENT" of the result */
};

/**
 * sql_translate() - translate a statement to triggers
 * @arena: the result is allocated from it
 *
 * Return: 0; -HIST_EREJECTED with a diagnosis that shows the position in the query; -HIST_ENOMEM
 */
int sql_translate(const struct sql_request *request, struct arena *arena, struct sql_result *result,
		  struct diags *diags);
