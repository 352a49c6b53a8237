/* SPDX-License-Identifier: GPL-2.0-only */
/* The recipes that a recording can answer. */
#ifndef HIST_CMD_RECIPE_ANSWER_H
#define HIST_CMD_RECIPE_ANSWER_H

#include "cmd/cmd.h"

/**
 * recipe_answers() - whether a recording can answer a recipe
 * @text: text of the recipe, with its parameters
 * @why:  set to the missing events, or to why this kernel's events do not fit the script
 *
 * Return: 1 it can, 0 it cannot, or a negative code
 */
int recipe_answers(struct hist *h, const char *name, struct span text, struct strbuf *why);

/*
 * Whether the events that a recipe needs have a format, or its script does without them. Otherwise
 * report them, and how to record them. @recording: @h has the events of this machine
 * Return: 0, -HIST_EREJECTED, -HIST_ENOMEM
 */
int recipe_check_needs(struct hist *h, const struct cmd_script_piece *piece, bool recording,
		       struct diags *diags);

/*
 * Change a recipe about samples of cycles to the event that the recording has samples of, if it has
 * none of cycles. Return: that event, "perf:NAME"; NULL: nothing was changed
 */
const char *recipe_use_sampled(struct hist *h, struct span *text, struct arena *arena);

/* Append the names of all recipes that the recording can answer: "off-cpu, on-cpu". */
int recipe_answers_names(struct hist *h, struct strbuf *out);

/* The same, wrapped, for hist list. */
int recipe_answers_text(struct hist *h, const char *input, struct strbuf *out);

#endif
