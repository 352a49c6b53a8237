/* SPDX-License-Identifier: GPL-2.0-only */
/* What the terminal is like that standard output may be. */
#ifndef HIST_CMD_TTY_H
#define HIST_CMD_TTY_H

#include "cmd/cmd.h"

/*
 * Whether what is written to @output (NULL: standard output) may have colours and more than ASCII:
 * on a terminal that does not refuse it (NO_COLOR, TERM=dumb), or with --color=always.
 */
bool cmd_is_colourful(const struct cmd_context *cx, const char *output);

/* Columns of the terminal: what COLUMNS says, or it does; 0: unknown. */
unsigned int cmd_columns(void);

#endif
