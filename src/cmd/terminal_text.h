/* SPDX-License-Identifier: GPL-2.0-only */
/* Output to a terminal, which texts of a recording must not control, and what it supports. */
#pragma once
#include "base/base.h"

struct cmd_context;

struct terminal_text {
	char held[16]; /* the begin of an escape sequence or a character, not complete yet */
	size_t n;
};

/* Write text without control characters (utf8_harmless()); colours remain. False with errno on
 * failure. */
bool terminal_text_write(struct terminal_text *t, FILE *f, const char *text, size_t len);

/*
 * Whether the file @fd (-1: of another kind) supports colours and characters beyond ASCII: on a
 * terminal unless NO_COLOR or TERM=dumb is set, or with --color=always.
 */
bool cmd_is_colourful(const struct cmd_context *cx, int fd);

/* Columns for @output, from COLUMNS or from the terminal; 0: unknown. */
unsigned int cmd_columns(const char *output);
