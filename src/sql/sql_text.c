// SPDX-License-Identifier: LGPL-2.1-only
/* The text of a statement: words, features of newer versions, and the position of an error. */
#include <stdlib.h>

#include "sql/sql_text.h"

/* --- words --- */

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.';
}

bool sql_token(struct span *rest, struct span *token)
{
	size_t n = 0;

	*rest = span_ltrim(*rest);
	if (!rest->n)
		return false;
	if (rest->s[0] == '"' || rest->s[0] == '\'') {
		const char *end = span_chr(span_skip(*rest, 1), rest->s[0]);

		n = end ? (size_t)(end - rest->s) + 1 : rest->n;
	} else {
		while (n < rest->n && is_word(rest->s[n]))
			n++;
	}
	n += !n;
	*token = (struct span){ rest->s, n };
	*rest = span_skip(*rest, n);
	return true;
}

bool sql_is(struct span token, const char *keyword)
{
	return token.n == strlen(keyword) && !strncasecmp(token.s, keyword, token.n);
}

struct span sql_joined(const char *query)
{
	struct span rest = span_of(query), token;

	while (sql_token(&rest, &token))
		if (sql_is(token, "join") && sql_token(&rest, &token))
			return token;
	return (struct span){ NULL, 0 };
}

/* The name by which the rest of the statement refers to @event: the word after AS, or its own. */
static struct span alias_after(struct span rest, struct span event)
{
	struct span token;

	if (!sql_token(&rest, &token))
		return event;
	if (sql_is(token, "as"))
		return sql_token(&rest, &token) ? token : event;
	return sql_is(token, "join") || sql_is(token, "on") || sql_is(token, "where") ? event
										      : token;
}

void sql_aliases(const char *query, struct span *start, struct span *end)
{
	struct span rest = span_of(query), token;

	*start = *end = (struct span){ NULL, 0 };
	while (sql_token(&rest, &token)) {
		bool from = sql_is(token, "from"), join = sql_is(token, "join");

		if ((!from && !join) || !sql_token(&rest, &token))
			continue;
		if (from)
			*start = alias_after(rest, token);
		else
			*end = alias_after(rest, token);
	}
}

int sql_modernise(const char *query, struct strbuf *out)
{
	struct span rest = span_of(query), token, start, end;
	const char *copied = query;

	sql_aliases(query, &start, &end);
	while (start.s && end.s && sql_token(&rest, &token)) {
		bool usecs = sql_is(token, "timestamp_delta_usecs");
		const char *unit = usecs ? "_USECS" : "";

		if (!usecs && !sql_is(token, "timestamp_delta"))
			continue;
		strbuf_add(out, copied, (size_t)(token.s - copied));
		strbuf_addf(out, "(%.*s.TIMESTAMP%s - %.*s.TIMESTAMP%s)", (int)end.n, end.s, unit,
			    (int)start.n, start.s, unit);
		copied = token.s + token.n;
	}
	strbuf_addstr(out, copied);
	return out->failed ? HIST_NOMEM : 0;
}

struct span sql_stack_field(const char *query)
{
	static const char word[] = "stacktrace"; /* at the end of a field's name */
	const size_t n = sizeof(word) - 1;
	struct span rest = span_of(query), token, next;

	while (sql_token(&rest, &token)) {
		if (token.n < n || !sql_is(span_skip(token, token.n - n), word))
			continue;
		if (!sql_token(&rest, &next))
			return token;
		if (sql_is(next, "as") && sql_token(&rest, &next))
			return next;
		return token;
	}
	return (struct span){ NULL, 0 };
}

/* --- variables --- */

/* The length of "_NUMBER" at the end of @name; 0 if there is none. */
static size_t number_at_end(struct span name)
{
	size_t n = 0;

	while (n < name.n && is_digit(name.s[name.n - n - 1]))
		n++;
	return n && n < name.n && name.s[name.n - n - 1] == '_' ? n + 1 : 0;
}

/* Rename a variable "__FIELD_RANDOM_NUMBER". */
static void rename_one(struct span word, const char *name, struct strbuf *out)
{
	struct span field = span_skip(word, 2);
	size_t last = number_at_end(field), random;

	field.n -= last;
	random = number_at_end(field);
	field.n -= random;
	if (!last || !random) {
		strbuf_add(out, word.s, word.n);
		return;
	}
	strbuf_addf(out, "%s_%.*s%.*s", name, (int)field.n, field.s, (int)last,
		    word.s + word.n - last);
}

void sql_rename(const char *text, const char *name, struct strbuf *out)
{
	struct span rest = span_of(text);
	bool quoted = false;

	while (rest.n) {
		size_t n = 0;

		quoted ^= rest.s[0] == '"';
		while (n < rest.n && is_word(rest.s[n]) && rest.s[n] != '.')
			n++;
		if (!quoted && n > 2 && !strncmp(rest.s, "__", 2))
			rename_one((struct span){ rest.s, n }, name, out);
		else if (!quoted && n && sql_is((struct span){ rest.s, n }, "stacktrace"))
			strbuf_addstr(out, "common_stacktrace");
		else
			strbuf_add(out, rest.s, n ? n : 1);
		rest = span_skip(rest, n ? n : 1);
	}
}

/* --- errors --- */

/* The number of the line of @query that equals @line, from 1, and its start. */
static unsigned int line_of(const char *query, struct span line, struct span *found)
{
	struct span rest = span_of(query);
	unsigned int n = 0;

	while (rest.s) {
		*found = span_sep(&rest, "\n");
		n++;
		if (span_same(*found, line))
			return n;
	}
	*found = span_of(query);
	return 1;
}

/* Remove the last line of @text with the newline before it, and return it. */
static struct span last_line(struct span *text)
{
	const char *newline = span_rchr(*text, '\n');
	struct span line = newline ? span_skip(*text, (size_t)(newline - text->s) + 1) : *text;

	text->n = newline ? (size_t)(newline - text->s) : 0;
	return line;
}

/*
 * Parse libtracefs' message: the statement up to the error, a caret below it, "ERROR: 'TOKEN'", the
 * reason.
 */
int sql_complain(const char *query, const char *message, struct diags *diags)
{
	static const char word[] = "\nERROR: '";
	const char *error = message ? strstr(message, word) : NULL;
	struct span token, why, head, caret, line;
	struct diag *d;

	if (!error)
		return diags_error(diags, -HIST_EREJECTED,
				   "--sql: libtracefs does not understand the statement: %s",
				   query);
	why = span_of(error + strlen(word));
	token = span_sep(&why, "\n");
	token.n -= token.n > 0;
	why = span_trim(why.s ? why : (struct span){ "", 0 });
	head = span_between(message, error);
	caret = last_line(&head);
	d = diags_add(diags, DIAG_ERROR, "%.*s%s%.*s%s", (int)why.n, why.s, token.n ? ": '" : "",
		      (int)token.n, token.s, token.n ? "'" : " at the end of the statement");
	if (!d)
		return HIST_NOMEM;
	d->file = "--sql";
	d->line = line_of(query, last_line(&head), &line);
	d->source = arena_strndup(&diags->arena, line.s, line.n);
	d->col = (unsigned int)min_t(size_t, caret.n, line.n + 1);
	d->len = token.n ? token.n : 1;
	return -HIST_EREJECTED;
}
