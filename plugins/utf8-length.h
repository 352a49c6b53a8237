/* SPDX-License-Identifier: LGPL-2.1-only */
/* Valid UTF-8, without the parts of hist that are not for plugins. */
#ifndef HIST_UTF8_LENGTH_H
#define HIST_UTF8_LENGTH_H

#include <stddef.h>

/* Length of the UTF-8 character at @s; 0 if it is invalid. */
static inline size_t utf8_length(const unsigned char *s, size_t n)
{
	static const unsigned char low[] = { 0x80, 0xa0, 0x90 }, high[] = { 0xbf, 0x9f, 0x8f };
	size_t len = s[0] < 0x80   ? 1
		     : s[0] < 0xc2 ? 0
		     : s[0] < 0xe0 ? 2
		     : s[0] < 0xf0 ? 3
		     : s[0] < 0xf5 ? 4
				   : 0;

	if (len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	/* overlong forms, surrogates, beyond the last character */
	if ((s[0] == 0xe0 && s[1] < low[1]) || (s[0] == 0xed && s[1] > high[1]) ||
	    (s[0] == 0xf0 && s[1] < low[2]) || (s[0] == 0xf4 && s[1] > high[2]))
		return 0;
	return len;
}

#endif
