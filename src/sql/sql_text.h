/* SPDX-License-Identifier: LGPL-2.1-only */
/* Private to sql: processes the text of a statement before and after libtracefs. */
#ifndef HIST_SQL_TEXT_H
#define HIST_SQL_TEXT_H

#include "sql/sql.h"

/* Cut the next word or sign from a statement; false at its end. */
bool sql_token(struct span *rest, struct span *token);

/* Whether @token is @keyword, ignoring case. */
bool sql_is(struct span token, const char *keyword);

/* The event after JOIN as written, such as "sched_switch"; absent without JOIN. */
struct span sql_joined(const char *query);

/* The names that the statement gives the events after FROM and after JOIN; absent: it has none. */
void sql_aliases(const char *query, struct span *start, struct span *end);

/*
 * Rewrite features that older versions of libtracefs lack: TIMESTAMP_DELTA and
 * TIMESTAMP_DELTA_USECS become differences of two time stamps.
 */
int sql_modernise(const char *query, struct strbuf *out);

/*
 * Rewrite sums and differences of fields of both events so that the end's field is the first one.
 * The names of differences with exchanged operands are added to @exchanged, each followed by a
 * blank. Warns of a difference of times that is always negative.
 */
int sql_order_operands(const char *query, struct strbuf *out, struct strbuf *exchanged,
		       struct diags *diags);

/* The trigger @text with the operands of these differences exchanged again; NULL if out of memory.
 */
const char *sql_exchange(const char *text, const char *name, struct span fields,
			 struct arena *arena);

/*
 * The name of the field that is a stack: the word after STACKTRACE, or after its AS; absent if
 * none.
 */
struct span sql_stack_field(const char *query);

/*
 * Append @text with stable names, because libtracefs puts random numbers into names of variables.
 */
void sql_rename(const char *text, const char *name, struct strbuf *out);

/* Report libtracefs' message about @query, with the position. Return: -HIST_EREJECTED */
int sql_complain(const char *query, const char *message, struct diags *diags);

#endif
