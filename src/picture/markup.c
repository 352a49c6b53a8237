// SPDX-License-Identifier: LGPL-2.1-only
/* Escapes text of recordings for html and svg. */
#include "picture/picture.h"

void markup_add(struct strbuf *out, struct span text)
{
	while (text.n) {
		size_t n = utf8_length(text);
		unsigned char c = (unsigned char)text.s[0];

		if (!n || (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f)
			strbuf_addf(out, "\\x%02x", c);
		else if (strchr("&<>\"'`", c))
			strbuf_addf(out, "&#%u;", c);
		else
			strbuf_add(out, text.s, n);
		text = span_skip(text, n ? n : 1);
	}
}

void markup_str(struct strbuf *out, const char *text)
{
	markup_add(out, span_of(text));
}
