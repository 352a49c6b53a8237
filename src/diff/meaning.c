// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The meaning of a trigger: a string that is the same for triggers that count the same data.
 *
 * The order of rows, the number of entries, the clock and the name of a histogram do not affect its
 * rows, and neither do the names of variables: they are numbered in order of occurrence.
 */
#include "diff/join.h"

struct name_map {
	ARRAY(struct span) list;
	bool failed;
};

static bool is_word(char c)
{
	return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t number_of(struct name_map *names, struct span name)
{
	for (size_t i = 0; i < names->list.n; i++)
		if (span_same(names->list.v[i], name))
			return i;
	names->failed |= array_push(&names->list, name) != 0;
	return names->list.n - 1;
}

/* Cut the text before the first @stop that is neither quoted nor in brackets. */
static struct span next_part(struct span *rest, char stop)
{
	struct span all = *rest;
	unsigned int depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < all.n; i++) {
		char c = all.s[i];

		quoted ^= c == '"';
		depth += !quoted && c == '(';
		depth -= !quoted && c == ')' && depth;
		if (c != stop || quoted || depth)
			continue;
		*rest = span_skip(all, i + 1);
		return (struct span){ all.s, i };
	}
	*rest = (struct span){ NULL, 0 };
	return all;
}

/* Append the text with the names of variables replaced. */
static void add_renamed(struct strbuf *out, struct span text, struct name_map *names)
{
	for (size_t i = 0; i < text.n; i++) {
		size_t n = 0;

		strbuf_addch(out, text.s[i]);
		if (text.s[i] != '$')
			continue;
		while (i + 1 + n < text.n && is_word(text.s[i + 1 + n]))
			n++;
		strbuf_addf(out, "%zu", number_of(names, (struct span){ text.s + i + 1, n }));
		i += n;
	}
}

static const char *const left_out[] = { "sort", "size", "name", "clock" };
static const char *const clauses[] = { "keys", "key", "vals", "values", "val" };

static bool is_one_of(struct span name, const char *const *list, size_t n)
{
	return any_of(i, n, span_eq(name, list[i]));
}

/* Append "keys=...", "lat=...,other=..." or an action. */
static void add_clause(struct strbuf *out, struct span clause, struct name_map *names)
{
	struct span rest = clause, name = span_sep(&rest, "=");

	if (rest.s && is_one_of(name, left_out, ARRAY_SIZE(left_out)))
		return;
	strbuf_addch(out, ':');
	if (!rest.s || span_chr(name, '(') || is_one_of(name, clauses, ARRAY_SIZE(clauses))) {
		add_renamed(out, clause, names);
		return;
	}
	while (clause.s) {
		struct span value = next_part(&clause, ',');

		name = span_sep(&value, "=");
		strbuf_addf(out, "%zu=", number_of(names, name));
		add_renamed(out, value.s ? value : span_of(""), names);
		strbuf_addch(out, ',');
	}
}

/* Cut off " if FILTER" and return it; absent if there is no filter. */
static struct span cut_filter(struct span *trigger)
{
	const char *at = span_find(*trigger, span_of(" if "));
	struct span filter = { NULL, 0 };

	if (!at)
		return filter;
	filter = span_trim(span_between(at + 4, trigger->s + trigger->n));
	trigger->n = (size_t)(at - trigger->s);
	return filter;
}

int trigger_meaning(const char *trigger, struct strbuf *out)
{
	struct span rest = span_of(trigger), filter = cut_filter(&rest);
	struct name_map names = { .list = ARRAY_INIT };

	while (rest.s)
		add_clause(out, next_part(&rest, ':'), &names);
	if (filter.s)
		strbuf_addf(out, " if %.*s", (int)filter.n, filter.s);
	array_release(&names.list);
	return names.failed || out->failed ? HIST_NOMEM : 0;
}
