// SPDX-License-Identifier: LGPL-2.1-only
/* Decodes UTF-8, and makes characters visible that are not shown. */
#include <stdio.h>

#include "base/base.h"

/* A valid sequence: as short as the code point permits, and not a surrogate. */
static bool is_sound(u32 code, size_t n)
{
	static const u32 first[] = { 0, 0, 0x80, 0x800, 0x10000 };

	return code >= first[n] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

size_t utf8_length(struct span text)
{
	unsigned char c = (unsigned char)text.s[0];
	size_t n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;

	if (!n || n > text.n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((unsigned char)text.s[i] >> 6 != 2)
			return 0;
	return n == 1 || is_sound(utf8_code(text, n), n) ? n : 0;
}

u32 utf8_code(struct span text, size_t n)
{
	u32 code = (unsigned char)text.s[0] & (n > 1 ? 0x7fu >> n : 0x7fu);

	for (size_t i = 1; i < n; i++)
		code = code << 6 | ((unsigned char)text.s[i] & 0x3f);
	return code;
}

size_t utf8_visible(struct span text, char room[UTF8_ROOM], struct span *shown)
{
	size_t n = utf8_length(text);
	u32 code = n ? utf8_code(text, n) : (unsigned char)text.s[0];

	*shown = (struct span){ text.s, n };
	if (!n || code < 0x20 || code == 0x7f)
		*shown = (struct span){ room, (size_t)snprintf(room, UTF8_ROOM, "\\x%02x", code) };
	else if (utf8_turns(code) || (code >= 0x80 && code < 0xa0) || code >> 1 == 0xfffe >> 1)
		*shown = (struct span){ room, (size_t)snprintf(room, UTF8_ROOM, "\\u%04x", code) };
	return n ? n : 1;
}
