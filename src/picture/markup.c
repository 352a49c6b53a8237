// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Text of recordings in html, svg, XML and Markdown. It is never markup, and what is not shown, or
 * cannot be in XML, becomes visible.
 */
#include "picture/picture.h"

void markup_escape(struct strbuf *out, struct span text, const char *special)
{
	struct strbuf visible = STRBUF_INIT;

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

		if (strchr(special, c))
			strbuf_addf(out, "&#%d;", c);
		else
			strbuf_addch(out, c);
	}
	out->failed |= visible.failed;
	strbuf_release(&visible);
}

void markup_add(struct strbuf *out, struct span text)
{
	markup_escape(out, text, "&<>\"'`");
}

void markup_str(struct strbuf *out, const char *text)
{
	markup_add(out, span_of(text));
}
