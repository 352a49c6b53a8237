/* SPDX-License-Identifier: LGPL-2.1-only */
/* Taking parts from the start of a line. */
#pragma once
#include "base/base.h"

/* Take the next @n characters if all of them are in @set. */
static inline struct span take_set(struct span *rest, const char *set)
{
	struct span taken = { rest->s, 0 };

	while (taken.n < rest->n && rest->s[taken.n] && strchr(set, rest->s[taken.n]))
		taken.n++;
	*rest = span_skip(*rest, taken.n);
	return taken;
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline struct span skip_blanks(struct span text)
{
	take_set(&text, " \t");
	return text;
}

/* Take @text if it is next. */
static inline bool take_text(struct span *rest, const char *text)
{
	bool is = span_starts(*rest, text);

	if (is)
		*rest = span_skip(*rest, strlen(text));
	return is;
}

/* Take a decimal number of at most @max. */
static inline bool take_number(struct span *rest, u64 max, u64 *v)
{
	return span_digits(take_set(rest, "0123456789"), 10, v) && *v <= max;
}
