// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sums and differences of a field of each event. libtracefs takes the first operand for the field
 * of the end, also if it is the start's: then it refuses the field, or computes with the wrong
 * sign. So it gets the end's first, and differences are exchanged in the trigger that it makes.
 */
#include "sql/sql_text.h"

/* Whether @token is a field of @event: "start.prio". */
static bool is_field_of(struct span token, struct span event)
{
	return event.n && token.n > event.n + 1 && !memcmp(token.s, event.s, event.n) &&
	       token.s[event.n] == '.';
}

/* The name after the expression that @rest continues: ") AS name". */
static struct span name_after(struct span rest)
{
	struct span token, none = { NULL, 0 };

	while (sql_token(&rest, &token) && span_eq(token, ")"))
		;
	return token.s && sql_is(token, "as") && sql_token(&rest, &token) ? token : none;
}

/* Whether @token is the time of @event: "start.TIMESTAMP_USECS". */
static bool is_time_of(struct span token, struct span event)
{
	struct span name = span_skip(token, event.n + 1);

	return sql_is(name, "timestamp") || sql_is(name, "timestamp_usecs");
}

int sql_order_operands(const char *query, struct strbuf *out, struct strbuf *exchanged,
		       struct diags *diags)
{
	struct span rest = span_of(query), first = { NULL, 0 }, sign = first, token, start, end;
	const char *copied = query;

	sql_aliases(query, &start, &end);
	for (; sql_token(&rest, &token); first = sign, sign = token) {
		bool minus = sign.s && span_eq(sign, "-");
		struct span name;

		if (!is_field_of(token, end) || !is_field_of(first, start) ||
		    (!minus && !span_eq(sign, "+")))
			continue;
		strbuf_add(out, copied, (size_t)(first.s - copied));
		strbuf_addf(out, "%.*s %.*s %.*s", (int)token.n, token.s, (int)sign.n, sign.s,
			    (int)first.n, first.s);
		copied = token.s + token.n;
		if (minus && is_time_of(first, start) && is_time_of(token, end)) {
			/* libtracefs accepts it, and triggers wrap it */
			diags_add(
				diags, DIAG_WARNING,
				"--sql: the time of %.*s minus the time of %.*s is negative: %.*s, after FROM, comes "
				"before %.*s, after JOIN; exchange the two events, or the two times",
				(int)start.n, start.s, (int)end.n, end.s, (int)start.n, start.s,
				(int)end.n, end.s);
		}
		name = name_after(rest);
		if (minus && name.s)
			strbuf_addf(exchanged, "%.*s ", (int)name.n, name.s);
	}
	strbuf_addstr(out, copied);
	return out->failed || exchanged->failed ? HIST_NOMEM : 0;
}

/* The definition of NAME_FIELD_NUMBER in a trigger: its place after '='; NULL if it has none. */
static const char *definition_of(const char *text, const char *name, struct span field)
{
	struct strbuf prefix = STRBUF_INIT;
	const char *at;

	strbuf_addf(&prefix, ":%s_%.*s_", name, (int)field.n, field.s);
	at = prefix.failed ? NULL : strstr(text, prefix.s);
	if (!at) {
		strbuf_reset(&prefix);
		strbuf_addf(&prefix, ",%s_%.*s_", name, (int)field.n, field.s);
		at = prefix.failed ? NULL : strstr(text, prefix.s);
	}
	if (at)
		for (at += prefix.len; is_digit(*at); at++)
			;
	strbuf_release(&prefix);
	return at && *at == '=' ? at + 1 : NULL;
}

static void exchange(const char *text, const char *name, struct span field, struct strbuf *out)
{
	const char *first = definition_of(text, name, field);
	size_t n = first ? strcspn(first, ":, ") : 0;
	const char *minus = n ? memchr(first, '-', n) : NULL;

	if (!minus) {
		strbuf_addstr(out, text);
		return;
	}
	strbuf_add(out, text, (size_t)(first - text));
	strbuf_add(out, minus + 1, (size_t)(first + n - minus - 1));
	strbuf_addch(out, '-');
	strbuf_add(out, first, (size_t)(minus - first));
	strbuf_addstr(out, first + n);
}

const char *sql_exchange(const char *text, const char *name, struct span fields,
			 struct arena *arena)
{
	while (text && fields.n) {
		struct span field = span_sep(&fields, " ");
		struct strbuf sb = STRBUF_INIT;

		if (!field.n)
			continue;
		exchange(text, name, field, &sb);
		text = arena_take(arena, &sb);
	}
	return text;
}
