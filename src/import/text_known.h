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

/* What numbers are of which a text has names: prev_state, vec of softirqs, dev of block. */
enum text_known_kind { TEXT_PLAIN, TEXT_STATE, TEXT_SOFTIRQ, TEXT_DEVICE };

/* @known: the line is one of text_known_pairs(). */
enum text_known_kind text_known_kind(struct span field, bool known);

/* "R+", "S", "D|W"; "9"; "8,0": as a number; false: it is none */
bool text_known_value(enum text_known_kind kind, struct span text, u64 *v);

/* The arguments of a print fmt that print it: "%s%s", "%d [action=%s]", "%d,%d". */
extern const char text_known_state_args[], text_known_softirq_args[], text_known_device_args[];

#endif
