// SPDX-License-Identifier: LGPL-2.1-only
/* Cuts a table of a question into its parts; nothing is looked up. */
#include "lang/table_text.h"

/* ORDER table_part; the filter is the rest of the line. */
static const char *const words[] = { "", "by", "sum", "worst", "save", "sort", "if" };

bool table_text_cut(struct span text, bool events, struct table_text *out, struct span *bad)
{
	struct span rest = span_trim(text);

	*out = (struct table_text){ .parts = { { NULL, 0 } } };
	if (events)
		out->parts[TABLE_EVENTS] = span_sep(&rest, " \t\n");
	while (rest.s && (rest = span_trim(rest)).n) {
		struct span word = span_sep(&rest, " \t\n");
		size_t part = TABLE_KEYS;

		while (part < N_TABLE_PARTS && !span_eq(word, words[part]))
			part++;
		*bad = word;
		if (part == N_TABLE_PARTS || out->parts[part].s)
			return false;
		rest = rest.s ? span_trim(rest) : rest;
		out->parts[part] = part == TABLE_FILTER ? rest : span_sep(&rest, " \t\n");
		if (!out->parts[part].n)
			return false;
		if (part == TABLE_FILTER)
			break;
	}
	*bad = text;
	return out->parts[TABLE_KEYS].n && (out->parts[TABLE_EVENTS].n || !events);
}

void table_text_line(struct span part, struct strbuf *out)
{
	char quote = '\0';

	for (size_t i = 0; i < part.n; i++) {
		const char c = part.s[i];

		if (quote ? c == quote : c == '"' || c == '\'')
			quote = quote ? '\0' : c;
		strbuf_addch(out, c == '\n' && !quote ? ' ' : c);
	}
}

void table_text_add(const struct table_text *t, const char *verb, struct strbuf *out)
{
	strbuf_addstr(out, verb);
	for (size_t i = 0; i < N_TABLE_PARTS; i++) {
		if (!t->parts[i].s)
			continue;
		strbuf_addf(out, *words[i] ? " %s " : " %s", words[i]);
		if (i == TABLE_FILTER)
			table_text_line(t->parts[i], out);
		/* "a, b" is one word */
		for (size_t n = 0; i != TABLE_FILTER && n < t->parts[i].n; n++)
			if (!is_space(t->parts[i].s[n]))
				strbuf_addch(out, t->parts[i].s[n]);
	}
}
