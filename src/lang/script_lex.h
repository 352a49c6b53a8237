/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A shell script as tokens, from which script.c reads statements. Private to lang/.
 *
 * A word is delivered as the shell would pass it on, after quote removal, with the offset in the
 * script of each of its bytes. Anything that a shell would expand is an error here.
 */
#pragma once
#include "lang/script.h"

enum token {
	TOKEN_END,
	TOKEN_NEWLINE,
	TOKEN_SEMICOLON,
	TOKEN_WORD,
	TOKEN_TRUNCATE, /* > */
	TOKEN_APPEND,   /* >> */
	TOKEN_BAD,      /* another operator, already reported */
};

struct word {
	const char *text; /* without its quotes, NUL-terminated */
	size_t len;
	const u32 *offsets; /* script offset of each byte of text, and of the word's end */
	u32 start, end;     /* offsets in the script */
	bool glob;          /* contains an unquoted pattern */
	bool assignment;    /* starts with an unquoted NAME= */
};

struct lex {
	struct arena *arena; /* owns the words */
	struct diags *diags;
	struct script_cmd where; /* file and source, for script_locate() */
	u32 len, at;
	unsigned int n_errors, n_warnings;
	bool muted; /* an error was reported for this line */
	bool nomem;
	u32 spanning; /* first quote that runs past a line end, + 1; 0: none */

	/* the word being read, and the previous one */
	struct strbuf text;
	ARRAY(u32) offsets;
	struct word word;
};

enum token lex_next(struct lex *lx);

/* Report an error at @len bytes of the script from @at, unless the line has one already. */
void lex_error(struct lex *lx, u32 at, size_t len, const char *fmt, ...) PRINTF_LIKE(4, 5);
void lex_say(struct lex *lx, enum diag_level level, u32 at, size_t len, const char *text);

void lex_release(struct lex *lx);
