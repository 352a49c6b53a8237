// SPDX-License-Identifier: LGPL-2.1-only
/* The selection that a result contains: lines of a name and a text. */
#include "result/result.h"

bool selection_next(struct span *lines, struct span *name, struct span *text)
{
	if (!lines->n)
		return false;
	*text = span_sep(lines, "\n");
	*name = span_sep(text, " ");
	if (!text->s)
		*text = span_of("");
	return true;
}

struct span selection_find(const char *selection, struct span name)
{
	struct span lines = span_of(selection ? selection : ""), other, text;

	while (selection_next(&lines, &other, &text))
		if (span_same(other, name))
			return text;
	return (struct span){ NULL, 0 };
}

static bool has_all(const char *selection, const char *of)
{
	struct span lines = span_of(of ? of : ""), name, text;

	while (selection_next(&lines, &name, &text))
		if (!selection_find(selection, name).s)
			return false;
	return true;
}

bool selections_are_alike(const char *a, const char *b)
{
	return has_all(a, b) && has_all(b, a);
}

void selection_print(const char *selection, struct strbuf *out)
{
	struct span lines = span_of(selection ? selection : ""), name, text;
	const char *sep = "";

	if (!lines.n)
		strbuf_addstr(out, "everything");
	while (selection_next(&lines, &name, &text)) {
		strbuf_addf(out, "%s%.*s %.*s", sep, (int)name.n, name.s, (int)text.n, text.s);
		sep = ", ";
	}
}

void selections_print(const char *name, const char *selection, const char *other,
		      const char *others, struct strbuf *out)
{
	strbuf_addf(out, "%s counted ", name);
	selection_print(selection, out);
	strbuf_addf(out, ", and %s counted ", other);
	selection_print(others, out);
}
