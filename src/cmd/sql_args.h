/* SPDX-License-Identifier: GPL-2.0-only */
/* --sql, --by, --on, --do: a statement as a part of a script. */
#pragma once
#include "cmd/cmd.h"
#include "hist-ask.h"

struct sql_field;

/* One statement with its options. */
struct cmd_sql {
	struct hist *h;
	const struct hist_script *script; /* earlier definitions, which it may use */
	struct arena *arena;              /* of the answer */
	struct diags *diags;
	const char *text; /* "NAME=SELECT ..." or "SELECT ..." */
	const char *on, *what;
	size_t number; /* number of the statement on the command line, from 1 */
	bool explain;
};

/* What a statement asks, and what a --by that follows groups. */
struct cmd_sql_answer {
	struct hist_table table;
	const char *path;         /* "events/SYSTEM/EVENT" */
	struct sql_field *fields; /* columns of a JOIN; NULL: there is none */
	size_t n_fields;
};

/*
 * The name of the synthetic event of "NAME=SELECT ..."; without NAME it is sql, and sql_NUMBER from
 * 2 on.
 * @query: set to the statement. NULL if out of memory
 */
const char *cmd_sql_name(const char *text, size_t number, struct arena *arena, const char **query);

/* Receives one write of the statement: 0, or an error. */
typedef int (*cmd_sql_write_fn)(void *arg, const char *origin, const char *path, const char *text);

/**
 * cmd_sql_build() - convert a statement to a table, and the writes that it needs
 *
 * Return: 0, -HIST_EREJECTED, another code for trouble
 */
int cmd_sql_build(const struct cmd_sql *sql, cmd_sql_write_fn write, void *arg,
		  struct cmd_sql_answer *answer);

/* A filter that is both; NULL: neither is given, or out of memory. */
const char *cmd_both_filters(const char *a, const char *b, struct arena *arena);

/* The keys of --by, those that are columns with their modifiers; NULL if out of memory. */
const char *cmd_sql_keys(const struct cmd_sql_answer *answer, const char *by, struct arena *arena);

/* SYSTEM and EVENT of "events/SYSTEM/EVENT", which a file may follow. */
void cmd_split_event(const char *path, struct span *system, struct span *event);
