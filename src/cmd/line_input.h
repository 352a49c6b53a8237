/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines that a person types, with completion by TAB and the lines before by the arrow keys. */
#pragma once
#include "base/base.h"

struct line_input {
	/* Append the candidates for the word at the end of @text, one in each line. */
	void (*complete)(void *arg, const char *text, struct strbuf *candidates);
	void *arg;
	struct strbuf line;
	ARRAY(char *) before; /* lines */
	size_t at;            /* of ->before, that ->line shows; ->before.n: none */
};

/* Whether standard input and output are a terminal that can move its cursor. */
bool line_input_possible(void);

/* The length of the word at the end of a text, to which candidates are compared. */
size_t line_input_word(const char *text, size_t n);

/* Read a line to ->line, without a newline; false: the end. */
bool line_input_read(struct line_input *in, const char *prompt);
void line_input_release(struct line_input *in);
