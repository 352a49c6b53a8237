/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The kernel's character classes: Latin-1, independent of the locale. So a no-break space (0xa0) is
 * white space and 0xc0 and above are letters, byte by byte. And what controls a terminal.
 */
#pragma once
#include "base/types.h"

static inline bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (unsigned char)c == 0xa0;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_alpha(char c)
{
	unsigned char u = (unsigned char)c;

	return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') ||
	       (u >= 0xc0 && u != 0xd7 && u != 0xf7);
}

static inline bool is_alnum(char c)
{
	return is_alpha(c) || is_digit(c);
}

/* A character of a name in C. */
static inline bool is_ident(char c)
{
	return c == '_' || (is_alnum(c) && (u8)c < 0x80);
}

/*
 * Whether a terminal would not print @c after @last. C1 control characters are two bytes of UTF-8,
 * or one that is not part of a character. A tab is no control character.
 */
static inline bool is_control(char c, char last)
{
	unsigned char u = (unsigned char)c, before = (unsigned char)last;

	return (u < 0x20 && u != '\t') || u == 0x7f ||
	       (u >= 0x80 && u < 0xa0 && (before < 0x80 || before == 0xc2));
}
