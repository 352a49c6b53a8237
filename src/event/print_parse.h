/* SPDX-License-Identifier: LGPL-2.1-only */
/* Private to event: shared by the parts of the parser of print fmts. */
#pragma once
#include "event/print_fmt.h"

enum token { END, IDENT, NUMBER, STRING, PUNCT };

struct print_parser {
	struct event_db *db;
	const struct event_format *fmt;
	struct arena *arena;
	const char *p, *end;
	enum token token;
	struct span text; /* text of the token; for a string, between the quotes */
	bool lists;       /* bitmasks as lists */
	unsigned int depth, nodes;
	bool failed;            /* then the token is END, and every node is unknown */
	struct print_expr none; /* used as a node if out of memory */
};

/* --- print_lex.c --- */

void print_next(struct print_parser *ps);
bool print_is(const struct print_parser *ps, const char *punct);
bool print_accept(struct print_parser *ps, const char *punct);
void print_expect(struct print_parser *ps, const char *punct);

/* Go back to an earlier position. */
void print_back_to(struct print_parser *ps, const char *p);

/* Concatenate adjacent strings. */
const char *print_parse_strings(struct print_parser *ps);
const struct print_expr *print_parse_number(struct print_parser *ps);

struct print_expr *print_node(struct print_parser *ps, enum print_op op);
struct print_expr *print_node_of(struct print_parser *ps, enum print_op op,
				 const struct print_expr *a);

/* --- print_macro.c --- */

/* REC->name, REC->__data_loc_name */
const struct print_expr *print_parse_rec(struct print_parser *ps);

/* The text between the parentheses of a macro. */
const struct print_expr *print_parse_macro(struct print_parser *ps, struct span name);

/* --- print_parse.c --- */

const struct print_expr *print_parse_expr(struct print_parser *ps);
