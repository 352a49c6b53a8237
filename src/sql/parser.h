/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Private to sql: the state of a parse. The first error is kept in ->err, after which nothing is
 * read; functions need no return code.
 */
#pragma once
#include "sql/statement.h"

struct sql_parser {
	const struct sql_request *request;
	struct sql_statement *st;
	struct event_db *db;
	struct arena *arena;
	struct diags *diags;
	struct span rest, token; /* ->token: the next one; empty at the end */
	struct span after[2];    /* the same after the events */
	int depth;               /* of parentheses and NOT */
	int err;
};

/* Report an error at @words of the statement, if it is the first one. */
void sql_complain(struct sql_parser *p, struct span words, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Report that @wanted is missing before the next token. */
void sql_syntax_error(struct sql_parser *p, const char *wanted);

/* Whether a character belongs to words and numbers. */
bool sql_is_word(char c);

/* Whether @token begins a clause that no trigger can express, such as GROUP. */
bool sql_is_clause(struct span token);

/* Step to the next token: a word, a number, a quoted text, or one or two signs. */
void sql_next(struct sql_parser *p);

/* Whether the next token is @word, ignoring case; sql_accept() steps over it, sql_expect() must. */
bool sql_token_is(const struct sql_parser *p, const char *word);
bool sql_accept(struct sql_parser *p, const char *word);
void sql_expect(struct sql_parser *p, const char *word);

/* A name; after a backslash also one that is a word of the language. */
struct span sql_take_name(struct sql_parser *p, const char *what);

/* A field, with or without the name of its event, or a number. */
struct sql_operand sql_take_operand(struct sql_parser *p);

/* The condition after WHERE; NULL after an error. */
const struct sql_cond *sql_take_where(struct sql_parser *p);
