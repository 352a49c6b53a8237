/* SPDX-License-Identifier: LGPL-2.1-only */
/* Events and values whose text is known without formats. */
#ifndef HIST_IMPORT_TEXT_KNOWN_H
#define HIST_IMPORT_TEXT_KNOWN_H

#include "import/text_line.h"

enum { TEXT_KNOWN_MAX = 8 };

struct named_value {
	struct span name, value;
};

/**
 * text_known_pairs() - the fields of a line that has no name=value
 * @pairs: of TEXT_KNOWN_MAX; names are static, values are part of the line
 *
 * Return: their number; 0: not such a line
 */
size_t text_known_pairs(const struct text_line *line, struct named_value *pairs);

/* "R+", "S", "D|W" of prev_state as a number; false: it is none */
bool text_known_state(struct span text, u64 *state);

/* The arguments of a print fmt "%s%s" that print it. */
extern const char text_known_state_args[];

#endif
