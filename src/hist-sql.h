/* SPDX-License-Identifier: LGPL-2.1-only */
/* libhist: SQL on the events of a recording, and on the answers of recipes. */
#ifndef HIST_SQL_H
#define HIST_SQL_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hist_sql_options {
	const struct hist_options *recording; /* opened again for each table that is read */
	const char *process, *cgroup;         /* see hist_select(); NULL: all */
	const struct hist_script *script;     /* its synthetic events are tables, too; NULL: none */
	const char *format;                   /* "json" (NULL), "csv" ...; see hist-formats(5) */
	uint64_t timeout;                     /* ns; 0: none */
	struct hist_session *session;         /* see hist-session.h; NULL: none */
};

/*
 * Run statements, and print their rows. SQLite is loaded when it is first needed.
 *
 * Return: 0, 1 if parts of the recording could not be read; -HIST_EINVAL: a statement is wrong;
 *         -HIST_EREJECTED: a line of the script is; -HIST_EUNSUPPORTED: there is no SQLite
 */
int hist_sql(const struct hist_sql_options *options, const char *statements, hist_sink_fn sink,
	     void *arg, struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
