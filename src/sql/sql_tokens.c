// SPDX-License-Identifier: LGPL-2.1-only
/* Words and signs of a statement, and errors at their positions. */
#include "sql/parser.h"

/* --- errors --- */

static int add_error(const char *query, struct span words, struct diags *diags, const char *why)
{
	struct span line = span_between(query, words.s);
	struct diag *d = why ? diags_add(diags, DIAG_ERROR, "%s", why) : NULL;
	const char *newline;

	if (!d)
		return HIST_NOMEM;
	d->file = "--sql";
	d->line = 1;
	for (size_t i = 0; i < line.n; i++)
		d->line += line.s[i] == '\n';
	newline = span_rchr(line, '\n');
	line.s = newline ? newline + 1 : query;
	line.n = strcspn(line.s, "\n");
	d->source = arena_strndup(&diags->arena, line.s, line.n);
	d->col = (unsigned int)(words.s - line.s) + 1;
	d->len = max_t(size_t, words.n, 1);
	return -HIST_EREJECTED;
}

int sql_error(const char *query, struct span words, struct diags *diags, const char *fmt, ...)
{
	scoped(strbuf_release) struct strbuf why = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&why, fmt, ap);
	va_end(ap);
	return add_error(query, words, diags, why.failed ? NULL : why.s);
}

void sql_complain(struct sql_parser *p, struct span words, const char *fmt, ...)
{
	scoped(strbuf_release) struct strbuf why = STRBUF_INIT;
	va_list ap;

	if (p->err)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&why, fmt, ap);
	va_end(ap);
	p->err = add_error(p->st->query, words, p->diags, why.failed ? NULL : why.s);
}

/* A word of SQL that no trigger can express. */
bool sql_is_clause(struct span token)
{
	static const char *const clauses[] = { "group", "order", "having", "limit", "distinct",
					       "union", "over",  "with",   "count", "sum",
					       "avg",   "min",   "max" };

	return any_of(i, ARRAY_SIZE(clauses),
		      token.n == strlen(clauses[i]) && !strncasecmp(token.s, clauses[i], token.n));
}

void sql_syntax_error(struct sql_parser *p, const char *wanted)
{
	static const char groups[] =
		"--sql makes triggers, which have no such clause: --by KEYS after --sql groups and counts, "
		"--sum adds up; for a single event, use -e EVENT --by KEYS --sum FIELDS; hist sql FILE takes any statement";

	if (p->err)
		return;
	if (p->token.n)
		sql_complain(p, p->token, "syntax error: '%.*s'; %s is missing", (int)p->token.n,
			     p->token.s, wanted);
	else
		sql_complain(p, p->token, "syntax error at the end of the statement: %s is missing",
			     wanted);
	if (sql_is_clause(p->token))
		diags_add(p->diags, DIAG_NOTE, "%s", groups);
	if (span_eq(p->token, "*"))
		diags_add(p->diags, DIAG_NOTE,
			  "--sql does not support *: name the fields after SELECT");
}

/* --- tokens --- */

bool sql_is_word(char c)
{
	return is_alnum(c) || (c && strchr("_.\\", c));
}

/* Step to the next token: a word, a number, a quoted text, or one or two signs. */
void sql_next(struct sql_parser *p)
{
	static const char *const signs[] = { "&&", "||", "==", "!=", "<>", "<=", ">=" };
	size_t n = 0;

	p->rest = span_ltrim(p->rest);
	if (p->rest.n && (p->rest.s[0] == '"' || p->rest.s[0] == '\'')) {
		const char *end = span_chr(span_skip(p->rest, 1), p->rest.s[0]);

		n = end ? (size_t)(end - p->rest.s) + 1 : p->rest.n;
	} else {
		while (n < p->rest.n && sql_is_word(p->rest.s[n]))
			n++;
		for (size_t i = 0; i < ARRAY_SIZE(signs) && !n; i++)
			n = span_starts(p->rest, signs[i]) ? 2 : 0;
	}
	n += !n && p->rest.n;
	p->token = (struct span){ p->rest.s, n };
	p->rest = span_skip(p->rest, n);
}

bool sql_token_is(const struct sql_parser *p, const char *word)
{
	return p->token.n == strlen(word) && !strncasecmp(p->token.s, word, p->token.n);
}

bool sql_accept(struct sql_parser *p, const char *word)
{
	if (!sql_token_is(p, word))
		return false;
	sql_next(p);
	return true;
}

void sql_expect(struct sql_parser *p, const char *word)
{
	if (!sql_accept(p, word))
		sql_syntax_error(p, word);
}

/* A name; after a backslash also one that is a word of the language. */
struct span sql_take_name(struct sql_parser *p, const char *what)
{
	static const char *const reserved[] = { "select", "from", "join", "on", "where",
						"as",     "and",  "or",   "not" };
	struct span name = p->token;

	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (sql_token_is(p, reserved[i]))
			name.n = 0;
	if (!name.n || !sql_is_word(name.s[0]) || is_digit(name.s[0])) {
		sql_syntax_error(p, what);
		return (struct span){ p->token.s, 0 };
	}
	sql_next(p);
	return span_starts(name, "\\") ? span_skip(name, 1) : name;
}
