// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Decodes UTF-8, and makes text of recordings harmless where it is shown: it is never markup, and
 * characters that are not shown, or that XML cannot contain, become visible.
 */
#include "base/base.h"

size_t utf8_length(struct span text)
{
	static const u32 first[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char c = (unsigned char)text.s[0];
	u32 code;
	size_t n = c < 0x80 ? 1 : c >> 5 == 6 ? 2 : c >> 4 == 14 ? 3 : c >> 3 == 30 ? 4 : 0;

	if (!n || n > text.n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((unsigned char)text.s[i] >> 6 != 2)
			return 0;
	/* as short as the code point permits, and not a surrogate */
	code = utf8_code(text, n);
	return code >= first[n] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? n : 0;
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

size_t utf8_harmless(struct span text, char room[UTF8_ROOM], struct span *shown)
{
	const unsigned char c = (unsigned char)text.s[0];

	if (utf8_length(text) > 1)
		return utf8_visible(text, room, shown);
	*shown = (struct span){ text.s, 1 };
	if ((c < 0x20 && c != '\t') || (c >= 0x7f && c < 0xa0))
		shown->s = "?";
	return 1;
}

/* The locale's wcwidth() is not used, so the output does not depend on the locale. */
static size_t code_width(u32 code)
{
	static const struct {
		u32 first, last;
		size_t width;
	} ranges[] = {
		{ 0x0300, 0x036f, 0 },   { 0x1100, 0x115f, 2 },   { 0x200b, 0x200f, 0 },
		{ 0x20d0, 0x20ff, 0 },   { 0x2e80, 0x303e, 2 },   { 0x3041, 0xa4cf, 2 },
		{ 0xac00, 0xd7a3, 2 },   { 0xf900, 0xfaff, 2 },   { 0xfe00, 0xfe0f, 0 },
		{ 0xfe30, 0xfe6f, 2 },   { 0xff00, 0xff60, 2 },   { 0xffe0, 0xffe6, 2 },
		{ 0x1f300, 0x1f64f, 2 }, { 0x1f680, 0x1faff, 2 }, { 0x20000, 0x3fffd, 2 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (code >= ranges[i].first && code <= ranges[i].last)
			return ranges[i].width;
	return 1;
}

size_t text_width(struct span text)
{
	size_t width = 0;

	while (text.n) {
		const bool ascii = (unsigned char)*text.s < 0x80;
		size_t n = ascii ? 1 : utf8_length(text);

		width += ascii ? 1 : n ? code_width(utf8_code(text, n)) : 1;
		text = span_skip(text, n ? n : 1);
	}
	return width;
}

struct span text_fitting(struct span text, size_t width)
{
	struct span rest = text;

	for (size_t used = 0; rest.n;) {
		const struct span one = { rest.s, max_t(size_t, utf8_length(rest), 1) };

		used += text_width(one);
		if (used > width)
			break;
		rest = span_skip(rest, one.n);
	}
	text.n -= rest.n;
	return text;
}

void markup_escape(struct strbuf *out, struct span text, const char *special)
{
	scoped(strbuf_release) struct strbuf visible = STRBUF_INIT;

	while (text.n) {
		const char c = text.s[0];

		if ((c == '\n' || c == '\t') && !strchr(special, c)) {
			strbuf_addch(&visible, c);
			text = span_skip(text, 1);
		} else {
			text = span_skip(text, utf8_add_visible(&visible, text));
		}
	}
	for (size_t i = 0; i < visible.len; i++) {
		const char c = visible.s[i];

		if (!strchr(special, c))
			strbuf_addch(out, c);
		else if (c == '&' || c == '<' || c == '>')
			strbuf_addstr(out, c == '&' ? "&amp;" : c == '<' ? "&lt;" : "&gt;");
		else
			strbuf_addf(out, "&#%d;", c);
	}
	out->failed |= visible.failed;
}

void markup_add(struct strbuf *out, struct span text)
{
	markup_escape(out, text, "&<>\"'`");
}

void markup_str(struct strbuf *out, const char *text)
{
	markup_add(out, span_of(text));
}
