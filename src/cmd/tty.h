/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of the terminal of standard output. */
#ifndef HIST_CMD_TTY_H
#define HIST_CMD_TTY_H

#include "cmd/cmd.h"

/*
 * Whether the file @fd (-1: of another kind) supports colours and characters beyond ASCII: on a
 * terminal unless NO_COLOR or TERM=dumb is set, or with --color=always.
 */
bool cmd_is_colourful(const struct cmd_context *cx, int fd);

/* Columns for @output, from COLUMNS or from the terminal; 0: unknown. */
unsigned int cmd_columns(const char *output);

#endif
