// SPDX-License-Identifier: LGPL-2.1-only
/* Reads markers; see marker.h. */
#include "derive/marker.h"

/* Cut the part after the last '|' off; absent if there is none. */
static struct span cut_last(struct span *text)
{
	const char *bar = text->s ? span_rchr(*text, '|') : NULL;
	struct span last = { NULL, 0 };

	if (bar) {
		last = span_between(bar + 1, text->s + text->n);
		*text = span_between(text->s, bar);
	}
	return last;
}

/* Without the end of the line, and the function that some texts name. */
static struct span marker_text(struct span text)
{
	static const char writer[] = "tracing_mark_write:";

	while (text.n && strchr("\n\r", text.s[text.n - 1]))
		text.n--;
	return span_starts(text, writer) ? span_trim(span_skip(text, strlen(writer))) : text;
}

bool read_marker(struct span text, struct marker *m)
{
	struct span rest, process;
	u64 tgid = 0;

	text = marker_text(text);
	if (!text.n || !strchr("BESFGH", text.s[0]) || (text.n > 1 && text.s[1] != '|') ||
	    (text.n == 1 && text.s[0] != 'E'))
		return false;
	*m = (struct marker){ .kind = text.s[0] };
	rest = span_skip(text, text.n > 1 ? 2 : 1);
	m->key = rest;
	process = span_trim(span_sep(&rest, "|"));
	if (!span_u64(process, &tgid))
		return m->kind == 'E' && !process.n;
	m->tgid = (s32)tgid;
	m->name = rest;
	if (m->kind == 'E')
		return true;
	if (m->kind == 'B')
		return rest.s != NULL;
	m->cookie = cut_last(&m->key);
	if (m->kind == 'S' || m->kind == 'F') {
		cut_last(&m->name);
		return rest.s && span_chr(rest, '|');
	}
	/* the key is process and track; the end may repeat the name */
	cut_last(&m->name);
	if (m->name.s && span_chr(m->name, '|')) {
		span_sep(&m->name, "|");
		m->key = span_between(m->key.s, m->name.s - 1);
	}
	return rest.s && span_chr(rest, '|');
}

bool read_counter(struct span text, struct counter_marker *m)
{
	struct span rest = marker_text(text), word = span_sep(&rest, "|");
	u64 tgid = 0;

	if (!span_eq(word, "C") || !rest.s)
		return false;
	*m = (struct counter_marker){ .tgid = 0 };
	if (!span_u64(span_trim(span_sep(&rest, "|")), &tgid))
		return false;
	m->tgid = (s32)tgid;
	m->name = span_sep(&rest, "|");
	word = span_sep(&rest, "|");
	m->track = rest;
	return m->name.n && word.s && span_s64(span_trim(word), &m->value);
}
