/* SPDX-License-Identifier: LGPL-2.1-only */
/* Numbers for people: in a unit that fits, and with grouped digits. */
#pragma once
#include "base/base.h"

/* Append "1,234,567", or in a unit that fits: "12.3 us" for 12,345 and "ns"; nothing for NAN. */
void people_add(struct strbuf *out, double v, const char *unit);
/* The same for plain text, which has no non-breaking spaces. */
void people_text(struct strbuf *out, double v, const char *unit);
/* The same for round numbers: "1.5 ms". */
void tick_add(struct strbuf *out, double v, const char *unit);
typedef void people_fn(struct strbuf *out, double v, const char *unit);
/* "1,234,567": all digits of an integer. */
void text_add_grouped(struct strbuf *out, u64 v, bool is_signed);

/*
 * End what was appended from @start on with a newline, its words in lines of @width; 0: one. @at:
 * the column of the first one; the other lines are indented. Return: lines
 */
size_t text_wrap(struct strbuf *out, size_t start, size_t at, size_t width, size_t indent);

struct people_unit {
	const char *unit, *name; /* in recordings, and on pages */
	double ns;
};

/* NULL: not a unit of time; and the largest one of which @ns is at least @least. */
const struct people_unit *people_unit(const char *unit);
const struct people_unit *people_fitting_unit(double ns, double least);

/* Whether no number of 64 bits is less, or greater: a range from or to there has no such end. */
static inline bool is_least(u64 v, bool is_signed)
{
	return v == (is_signed ? (u64)INT64_MIN : 0);
}

static inline bool is_greatest(u64 v, bool is_signed)
{
	return v == (is_signed ? (u64)INT64_MAX : UINT64_MAX);
}
