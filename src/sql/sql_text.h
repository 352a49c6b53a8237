/* SPDX-License-Identifier: LGPL-2.1-only */
/* Inside sql: what is done to the text of a statement before and after libtracefs. */
#ifndef HIST_SQL_TEXT_H
#define HIST_SQL_TEXT_H

#include "sql/sql.h"

/* The next word or sign of a statement; false at its end. */
bool sql_token(struct span *rest, struct span *token);

/* Whether a token is that keyword, in whichever case. */
bool sql_is(struct span token, const char *keyword);

/* The event after JOIN as it is written, such as "sched_switch"; absent: there is no JOIN. */
struct span sql_joined(const char *query);

/*
 * What older versions of libtracefs do not know, in words that they do: TIMESTAMP_DELTA and
 * TIMESTAMP_DELTA_USECS become differences of two time stamps.
 */
int sql_modernise(const char *query, struct strbuf *out);

/* The name of the field that is a stack: after STACKTRACE, or after its AS; absent: none. */
struct span sql_stack_field(const char *query);

/* libtracefs puts random numbers into names of variables: append @text with others. */
void sql_rename(const char *text, const char *name, struct strbuf *out);

/* Report what libtracefs says of @query, with the place. Return: -HIST_EREJECTED */
int sql_complain(const char *query, const char *said, struct diags *diags);

#endif
