/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Characters of texts that come from recordings, and how those appear that must not have an effect
 * where the text is shown: in markup, on a terminal.
 */
#pragma once
#include "base/span.h"
#include "base/strbuf.h"

/* Length of the UTF-8 sequence at the start of @text; 0 if it is invalid. */
size_t utf8_length(struct span text);

/* The code point of the sequence of @n bytes at the start of @text. */
u32 utf8_code(struct span text, size_t n);

/* Whether the character changes the direction of the text after it, which then reads differently.
 */
static inline bool utf8_turns(u32 code)
{
	return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

enum { UTF8_ROOM = 8 };

/*
 * How the character at the start of @text appears, in @room or in @text; returns its length. What
 * is not shown, or XML cannot contain, becomes visible: a byte that is not part of UTF-8 and a
 * control character of ASCII as \xNN, others as \uNNNN.
 */
size_t utf8_visible(struct span text, char room[UTF8_ROOM], struct span *shown);

/*
 * The same for text whose bytes should remain, also those that are not UTF-8: a byte that controls
 * a terminal, of ASCII or alone from 80 to 9f, appears as '?'. A tab is no control character.
 */
size_t utf8_harmless(struct span text, char room[UTF8_ROOM], struct span *shown);

/* Append it. */
static inline size_t utf8_add_visible(struct strbuf *out, struct span text)
{
	char room[UTF8_ROOM];
	struct span shown;
	size_t n = utf8_visible(text, room, &shown);

	strbuf_add(out, shown.s, shown.n);
	return n;
}

/* Columns of a terminal that @text takes: 2 for each East Asian wide character and emoji. */
size_t text_width(struct span text);

/* The beginning of @text that takes at most @width of them. */
struct span text_fitting(struct span text, size_t width);

/*
 * Append text to markup: each of the ASCII characters @special as a character reference, those
 * that are not shown in a visible form (utf8_add_visible()). Newlines and tabs remain unless they
 * are special.
 */
void markup_escape(struct strbuf *out, struct span text, const char *special);

/* The same for html and svg, also within quotes. */
void markup_add(struct strbuf *out, struct span text);
void markup_str(struct strbuf *out, const char *text);
