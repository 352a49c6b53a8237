/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What all formats for programs write alike.
 *
 * Texts of a recording are bytes. A byte that is not part of valid UTF-8 becomes \xNN, a
 * backslash becomes two, so that nothing is lost and the output is UTF-8.
 */
#ifndef HIST_PRINT_ENCODE_H
#define HIST_PRINT_ENCODE_H

#include "base/base.h"

/* Length of the UTF-8 sequence that @text begins with; 0 if it is none. */
size_t utf8_length(struct span text);

void text_add_u64(struct strbuf *out, u64 v);
void text_add_number(struct strbuf *out, u64 v, bool is_signed);

/* The shortest decimal that reads back as @v, whatever the locale; "" for what is no number. */
void text_add_double(struct strbuf *out, double v);

/* A time: seconds with nine decimals, or as it is of a clock that counts something else. */
void text_add_time(struct strbuf *out, u64 ts, bool clock_counts);

/* A block of an eighth to the whole height of a line, for @part from 0 to 1. */
void text_add_spark(struct strbuf *out, double part);

#endif
