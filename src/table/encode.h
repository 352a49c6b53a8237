/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Encoding shared by all formats for programs.
 *
 * Strings of a recording are bytes. A byte that is not part of valid UTF-8 becomes \xNN and a
 * backslash is doubled, so nothing is lost and the output is UTF-8.
 */
#pragma once
#include "base/base.h"

/* The number of bytes at the start that every format prints as they are. */
static inline size_t text_plain_length(struct span text)
{
	size_t n = 0;

	while (n < text.n && text.s[n] >= ' ' && text.s[n] <= '~' && text.s[n] != '"' &&
	       text.s[n] != '\\')
		n++;
	return n;
}

/* Text with a doubled backslash and \xNN for bytes that are not UTF-8. */
void text_add_encoded(struct strbuf *out, struct span text);

void text_add_u64(struct strbuf *out, u64 v);

/* The same, right-justified in 10 columns. */
void text_add_padded(struct strbuf *out, u64 v);
void text_add_number(struct strbuf *out, u64 v, bool is_signed);

/* The shortest decimal that reads back as @v, independent of the locale; "" for NaN. */
void text_add_double(struct strbuf *out, double v);

/* A time: seconds with nine decimals, or the plain number for a clock that does not count time. */
void text_add_time(struct strbuf *out, u64 ts, bool clock_counts);

/* "2026-11-28 20:05:03.250000000", UTC. */
void text_add_date(struct strbuf *out, u64 unix_ns);

/* A block of an eighth up to the full height of a line, for @part from 0 to 1. */
void text_add_spark(struct strbuf *out, double part);
