// SPDX-License-Identifier: LGPL-2.1-only
/* The text of shares and means for pages, which have tables of their own. */
#include "print/answer.h"

struct answer *answer_parts_new(const struct result *r)
{
	static const struct format_options options;
	struct answer *a = malloc(sizeof(*a));

	if (!a)
		return NULL;
	*a = (struct answer){ .r = r, .options = &options, .table.text = STRBUF_INIT };
	if (!answer_begin(a))
		return a;
	answer_parts_free(a);
	return NULL;
}

void answer_parts_free(struct answer *parts)
{
	if (parts)
		answer_release(parts);
	free(parts);
}

void answer_parts_add(struct answer *parts, size_t column, const struct result_row *row,
		      struct strbuf *out)
{
	static const char *const modifiers[] = { "share", "cpu", "mean" };
	const char *modifier = parts->r->columns[column].modifier;
	size_t i = 0;
	const bool part = modifier &&
			  any_of(k, ARRAY_SIZE(modifiers), !strcmp(modifier, modifiers[k]));

	if (!part)
		return;
	while (i < parts->columns.n &&
	       (parts->columns.v[i].kind != ANSWER_CELL || parts->columns.v[i].at != column))
		i++;
	if (i < parts->columns.n)
		answer_add_cell(parts, &parts->columns.v[i], row, out);
}
