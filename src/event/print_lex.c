// SPDX-License-Identifier: LGPL-2.1-only
/* The lexer for print fmts: tokens, strings, numbers, from untrusted text, and nodes for them. */
#include "event/print_parse.h"

enum { NODES_MAX = 100000 };

struct print_expr *print_node(struct print_parser *ps, enum print_op op)
{
	struct print_expr *e = NULL;

	if (!ps->failed && ps->nodes++ < NODES_MAX)
		e = arena_alloc(ps->arena, sizeof(*e));
	if (!e) {
		ps->failed = true;
		ps->none = (struct print_expr){ .op = PRINT_UNKNOWN };
		return &ps->none;
	}
	e->op = op;
	return e;
}

struct print_expr *print_node_of(struct print_parser *ps, enum print_op op,
				 const struct print_expr *a)
{
	struct print_expr *e = print_node(ps, op);

	e->a = a;
	return e;
}

void print_next(struct print_parser *ps)
{
	const char *start;

	while (ps->p < ps->end && is_space(*ps->p))
		ps->p++;
	start = ps->p;
	if (ps->p >= ps->end || ps->failed) {
		ps->token = END;
		ps->text = (struct span){ ps->end, 0 };
	} else if (*start == '"' || *start == '\'') {
		for (ps->p++; ps->p < ps->end && *ps->p != *start;)
			ps->p += *ps->p == '\\' && ps->p + 1 < ps->end ? 2 : 1;
		ps->text = span_between(start + 1, ps->p);
		ps->token = *start == '"' ? STRING : NUMBER;
		if (ps->p++ >= ps->end)
			ps->failed = true;
	} else if (is_ident(*start)) {
		while (ps->p < ps->end && is_ident(*ps->p))
			ps->p++;
		ps->token = is_digit(*start) ? NUMBER : IDENT;
		ps->text = span_between(start, ps->p);
	} else {
		static const char *const pairs[] = { "->", "<<", ">>", "<=", ">=",
						     "==", "!=", "&&", "||" };
		size_t n = 1;

		for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
			if (ps->end - ps->p >= 2 && !memcmp(ps->p, pairs[i], 2))
				n = 2;
		ps->token = PUNCT;
		ps->text = (struct span){ ps->p, n };
		ps->p += n;
	}
}

bool print_is(const struct print_parser *ps, const char *punct)
{
	return ps->token == PUNCT && span_eq(ps->text, punct);
}

bool print_accept(struct print_parser *ps, const char *punct)
{
	bool found = print_is(ps, punct);

	if (found)
		print_next(ps);
	return found;
}

void print_expect(struct print_parser *ps, const char *punct)
{
	if (!print_accept(ps, punct))
		ps->failed = true;
}

/* A position to return to. */
void print_back_to(struct print_parser *ps, const char *p)
{
	ps->p = p;
	print_next(ps);
}

static char escaped(const char **p, const char *end)
{
	char c = *(*p)++;
	unsigned int v = 0;

	if (c >= '0' && c <= '7') {
		for (v = (unsigned int)(c - '0'); *p < end && **p >= '0' && **p <= '7' && v < 32;
		     (*p)++)
			v = v * 8 + (unsigned int)(**p - '0');
		return (char)v;
	}
	return c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
}

/* Concatenate adjacent strings. */
const char *print_parse_strings(struct print_parser *ps)
{
	struct strbuf sb = STRBUF_INIT;
	const char *text;

	if (ps->token != STRING)
		ps->failed = true;
	while (ps->token == STRING) {
		for (const char *p = ps->text.s, *end = p + ps->text.n; p < end;) {
			char c = *p++;

			strbuf_addch(&sb, c == '\\' && p < end ? escaped(&p, end) : c);
		}
		print_next(ps);
	}
	text = arena_take(ps->arena, &sb);
	if (!text)
		ps->failed = true;
	return text ? text : "";
}

/* kernel: as in the compiler: int, or the type of the suffix, or a larger one if needed. */
static struct print_type number_type(const struct print_parser *ps, u64 v, struct span suffix,
				     bool decimal)
{
	struct print_type t = { .size = 4, .is_signed = true };
	unsigned int longs = 0;

	for (size_t i = 0; i < suffix.n; i++) {
		longs += suffix.s[i] == 'l' || suffix.s[i] == 'L';
		t.is_signed &= suffix.s[i] != 'u' && suffix.s[i] != 'U';
	}
	if (longs)
		t.size = longs > 1 ? 8 : (u8)ps->db->machine.long_size;
	if (t.size == 4 && (v > UINT32_MAX || (decimal && t.is_signed && v > INT32_MAX)))
		t.size = 8;
	if (t.size == 4 ? v > INT32_MAX : v > INT64_MAX)
		t.is_signed = false;
	return t;
}

const struct print_expr *print_parse_number(struct print_parser *ps)
{
	struct print_expr *e = print_node(ps, PRINT_NUMBER);
	struct span digits = ps->text;

	if (digits.s > ps->fmt->print_fmt && digits.s[-1] == '\'') {
		const char *p = digits.s + 1;

		e->type = (struct print_type){ .size = 4, .is_signed = true };
		if (digits.n)
			e->number = (u64)(s8)(digits.s[0] == '\\' && digits.n > 1
						      ? escaped(&p, p + digits.n - 1)
						      : digits.s[0]);
	} else {
		while (digits.n > 1 && strchr("uUlL", digits.s[digits.n - 1]))
			digits.n--;
		if (!span_u64(digits, &e->number))
			ps->failed = true;
		e->type = number_type(ps, e->number,
				      span_between(digits.s + digits.n, ps->text.s + ps->text.n),
				      digits.s[0] != '0');
	}
	print_next(ps);
	return e;
}
