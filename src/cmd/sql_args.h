/* SPDX-License-Identifier: GPL-2.0-only */
/* --sql, --by, --on, --do: a statement as a part of a script. */
#ifndef HIST_CMD_SQL_ARGS_H
#define HIST_CMD_SQL_ARGS_H

#include "cmd/cmd.h"

/* One statement with its options. */
struct cmd_sql {
	struct hist *h;
	const struct hist_script *script; /* earlier definitions, which it may use */
	struct diags *diags;
	const char *text; /* "NAME=SELECT ..." or "SELECT ..." */
	const char *on, *what;
	const char *filter;    /* on the result; NULL: none */
	const char *const *by; /* each becomes a histogram on the result */
	size_t n_by;
	bool triggers; /* -R options follow, so no histogram is added */
	size_t number; /* number of the statement on the command line, from 1 */
	bool explain;
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
 * cmd_sql_build() - convert a statement to writes
 * @path: set to "events/SYSTEM/EVENT" of the result (to be freed)
 *
 * Return: 0, -HIST_EREJECTED, another code for trouble
 */
int cmd_sql_build(const struct cmd_sql *sql, cmd_sql_write_fn write, void *arg, char **path);

#endif
