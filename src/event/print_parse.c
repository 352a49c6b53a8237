// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses a print fmt, the untrusted text after "print fmt:": the format string and a tree for each
 * argument, or nothing if it uses unsupported parts of C (statements, functions of the kernel).
 *
 * A name that is not a field, macro or type is a variable of the kernel: its value, and everything
 * computed from it, is unknown. Depth and number of nodes are limited.
 */
#include "event/btf.h"
#include "event/print_parse.h"

enum { DEPTH_MAX = 100, CHAIN_MAX = 1000, ARGS_MAX = 256 };

static const struct print_expr *parse_unary(struct print_parser *ps);

/* @e; a number if its operands are numbers. */
static const struct print_expr *with_value(struct print_parser *ps, struct print_expr *e)
{
	struct print_ctx ctx = { .db = ps->db };
	struct print_value v;

	if (ps->failed || e->a->op != PRINT_NUMBER || (e->b && e->b->op != PRINT_NUMBER))
		return e;
	print_eval(&ctx, e, &v);
	if (v.kind == PRINTED_NUMBER)
		*e = (struct print_expr){ .op = PRINT_NUMBER, .number = v.number, .type = v.type };
	return e;
}

/* --- types --- */

/* Words and stars up to a closing parenthesis; false for anything else. */
static bool take_type(struct print_parser *ps, struct print_type *type)
{
	const char *first = ps->text.s, *last = first;
	struct print_type named;

	if (ps->token != IDENT)
		return false;
	while (ps->token == IDENT) {
		last = ps->text.s + ps->text.n;
		print_next(ps);
	}
	named = print_type_named(ps->db, span_between(first, last));
	*type = named;
	if (print_is(ps, "*"))
		*type = (struct print_type){ .size = (u8)ps->db->machine.long_size,
					     .element = named.size,
					     .is_pointer = true };
	while (print_accept(ps, "*"))
		;
	return print_is(ps, ")");
}

/* After "(": a cast if a type and an operand follow. */
static bool take_cast(struct print_parser *ps, struct print_type *type)
{
	bool plain = ps->token == IDENT && !span_eq(ps->text, "REC");
	struct span word = ps->text;

	if (ps->token == IDENT && (span_eq(word, "typeof") || span_eq(word, "__typeof__"))) {
		/* ignored, which is a close approximation */
		*type = (struct print_type){ .size = 0 };
		print_next(ps);
		print_expect(ps, "(");
		print_parse_expr(ps);
		print_expect(ps, ")");
		if (!ps->failed && print_is(ps, ")")) {
			print_next(ps);
			return true;
		}
	}
	if (!plain || !take_type(ps, type))
		return false;
	print_next(ps);
	if (type->size || type->is_pointer || span_starts(word, "struct") ||
	    span_starts(word, "enum"))
		return true;
	return ps->token == IDENT || ps->token == NUMBER || print_is(ps, "(");
}

static const struct print_expr *parse_sizeof(struct print_parser *ps)
{
	struct print_expr *e = print_node(ps, PRINT_NUMBER);
	struct print_type type;
	const char *at;

	print_next(ps);
	at = ps->text.s;
	print_expect(ps, "(");
	e->type = (struct print_type){ .size = (u8)ps->db->machine.long_size };
	if (take_type(ps, &type)) {
		e->number = type.size;
	} else {
		const struct print_expr *of;

		print_back_to(ps, at + 1);
		of = print_parse_expr(ps);
		e->number = of->op == PRINT_FIELD ? of->field->size : of->type.size;
	}
	print_expect(ps, ")");
	if (!e->number)
		e->op = PRINT_UNKNOWN;
	return e;
}

/* --- expressions --- */

/* A field, a macro, or a constant or variable of the kernel. */
static const struct print_expr *parse_name(struct print_parser *ps)
{
	const struct print_expr *macro;
	struct print_expr *e;
	struct span name = ps->text;
	struct event_symbol sym;

	if (span_eq(name, "REC"))
		return print_parse_rec(ps);
	if (span_eq(name, "sizeof"))
		return parse_sizeof(ps);
	print_next(ps);
	if (print_accept(ps, "(")) {
		macro = print_parse_macro(ps, name);
		print_expect(ps, ")");
		return macro;
	}
	e = print_node(ps, PRINT_UNKNOWN);
	e->type = (struct print_type){ .size = 4, .is_signed = true };
	if (print_constant(ps->db, name, &e->number)) {
		e->op = PRINT_NUMBER;
	} else if (span_eq(name, "_stext") && event_symbol_find(ps->db, name, &sym)) {
		/* the start of the kernel's code, from which irq_disable and its like count */
		e->op = PRINT_NUMBER;
		e->number = sym.addr;
		e->type = (struct print_type){ .size = (u8)ps->db->machine.long_size };
	}
	return e;
}

static const struct print_expr *parse_parens(struct print_parser *ps)
{
	const char *at = ps->text.s + 1;
	struct print_type type;
	const struct print_expr *e;
	struct print_expr *cast;

	print_next(ps);
	if (!take_cast(ps, &type)) {
		print_back_to(ps, at);
		e = print_parse_expr(ps);
		print_expect(ps, ")");
		return e;
	}
	if (!print_accept(ps, "{")) {
		e = parse_unary(ps);
		cast = print_node_of(ps, PRINT_CAST, e);
		cast->type = type;
		return with_value(ps, cast);
	}
	/* (ktime_t){ .tv64 = a }, from which the member is read again: the result is a */
	print_expect(ps, ".");
	print_next(ps);
	print_expect(ps, "=");
	cast = print_node_of(ps, PRINT_CAST, print_parse_expr(ps));
	cast->oper = '{';
	print_expect(ps, "}");
	return cast;
}

static const struct print_expr *parse_primary(struct print_parser *ps)
{
	struct print_expr *e;

	switch (ps->token) {
	case NUMBER:
		return print_parse_number(ps);
	case STRING:
		e = print_node(ps, PRINT_STRING);
		e->text = print_parse_strings(ps);
		return e;
	case IDENT:
		return parse_name(ps);
	default:
		if (print_is(ps, "("))
			return parse_parens(ps);
		ps->failed = true;
		return print_node(ps, PRINT_UNKNOWN);
	}
}

static const struct print_expr *address_of(struct print_parser *ps)
{
	const struct print_expr *of = parse_unary(ps);
	struct print_expr *e;

	if (of->op == PRINT_INDEX && of->b->op == PRINT_NUMBER && !of->b->number)
		of = of->a;
	if (of->op != PRINT_FIELD || !of->field) {
		ps->failed = true;
		return of;
	}
	e = print_node(ps, PRINT_MEMORY);
	print_set_field(ps->db, e, of->field);
	return e;
}

static const struct print_expr *parse_unary(struct print_parser *ps)
{
	const struct print_expr *e;
	struct print_expr *node;

	if (++ps->depth > DEPTH_MAX)
		ps->failed = true;
	if (ps->failed) {
		e = print_node(ps, PRINT_UNKNOWN);
	} else if (ps->token != PUNCT || !strchr("-~!+*&", ps->text.s[0]) || ps->text.n != 1) {
		e = parse_primary(ps);
		while (print_accept(ps, "[")) {
			struct print_expr *index = print_node_of(ps, PRINT_INDEX, e);

			index->b = print_parse_expr(ps);
			print_expect(ps, "]");
			e = index;
		}
		if (e->oper == '{' && print_accept(ps, "."))
			print_next(ps);
		if (print_is(ps, "->") || print_is(ps, "."))
			ps->failed = true; /* members of structs */
	} else {
		node = print_node(ps, print_is(ps, "*") ? PRINT_DEREF : PRINT_UNARY);
		node->oper = ps->text.s[0];
		print_next(ps);
		if (node->oper == '&') {
			e = address_of(ps);
		} else {
			node->a = parse_unary(ps);
			e = with_value(ps, node);
		}
	}
	ps->depth--;
	return e;
}

static const struct {
	const char *text;
	char oper;
	u8 level;
} operators[] = {
	{ "*", '*', 10 },      { "/", '/', 10 },      { "%", '%', 10 },      { "+", '+', 9 },
	{ "-", '-', 9 },       { "<<", OPER_SHL, 8 }, { ">>", OPER_SHR, 8 }, { "<", '<', 7 },
	{ ">", '>', 7 },       { "<=", OPER_LE, 7 },  { ">=", OPER_GE, 7 },  { "==", OPER_EQ, 6 },
	{ "!=", OPER_NE, 6 },  { "&", '&', 5 },       { "^", '^', 4 },       { "|", '|', 3 },
	{ "&&", OPER_AND, 2 }, { "||", OPER_OR, 1 },
};

/* Index of the next operator, if it binds at least as strongly as @level; or -1. */
static int operator_at(const struct print_parser *ps, unsigned int level)
{
	for (size_t i = 0; ps->token == PUNCT && i < ARRAY_SIZE(operators); i++)
		if (span_eq(ps->text, operators[i].text) && operators[i].level >= level)
			return (int)i;
	return -1;
}

static const struct print_expr *parse_binary(struct print_parser *ps, unsigned int level)
{
	const struct print_expr *left = parse_unary(ps);
	unsigned int n = 0;
	int i;

	while (!ps->failed && (i = operator_at(ps, level)) >= 0) {
		struct print_expr *e = print_node_of(ps, PRINT_BINARY, left);

		e->oper = operators[i].oper;
		print_next(ps);
		e->b = parse_binary(ps, operators[i].level + 1u);
		left = with_value(ps, e);
		if (++n > CHAIN_MAX)
			ps->failed = true;
	}
	return left;
}

const struct print_expr *print_parse_expr(struct print_parser *ps)
{
	const struct print_expr *e;
	struct print_expr *cond;

	if (++ps->depth > DEPTH_MAX)
		ps->failed = true;
	e = ps->failed ? print_node(ps, PRINT_UNKNOWN) : parse_binary(ps, 1);
	if (!ps->failed && print_accept(ps, "?")) {
		cond = print_node_of(ps, PRINT_COND, e);
		cond->b = print_is(ps, ":") ? e : print_parse_expr(ps);
		print_expect(ps, ":");
		cond->c = print_parse_expr(ps);
		e = cond;
	}
	ps->depth--;
	return e;
}

/* --- the whole print fmt --- */

struct event_print *event_print_parse(struct event_db *db, const struct event_format *fmt,
				      struct arena *arena)
{
	return event_print_parse_as(db, fmt, false, arena);
}

struct event_print *event_print_parse_as(struct event_db *db, const struct event_format *fmt,
					 bool lists, struct arena *arena)
{
	struct print_parser ps = {
		.db = db,
		.fmt = fmt,
		.arena = arena,
		.lists = lists,
		.p = fmt->print_fmt,
		.end = fmt->print_fmt + strlen(fmt->print_fmt),
	};
	struct event_print *print = arena_alloc(arena, sizeof(*print));
	const struct print_expr **args;
	const struct event_field *last = fmt->n_fields ? &fmt->fields[fmt->n_fields - 1] : NULL;

	if (!print)
		return NULL;
	*print = (struct event_print){ .db = db,
				       .handled = event_tep_handled(db, fmt),
				       .min_size = fmt->min_size };
	/* kernel: events of function and function_graph end in args[], if they have them */
	if (last && !strcmp(fmt->system, "ftrace") && !last->size && !strcmp(last->name, "args")) {
		print->call = last;
		event_btf_load(db);
	}
	print_next(&ps);
	print->format = print_parse_strings(&ps);
	args = arena_alloc(arena, ARGS_MAX * sizeof(*args));
	while (args && !ps.failed && print->n_args < ARGS_MAX && print_accept(&ps, ","))
		args[print->n_args++] = print_parse_expr(&ps);
	print->args = args;
	if (!args || ps.failed || ps.token != END || printf_cut_all(print, arena))
		print->format = NULL;
	return print->format || print->handled ? print : NULL;
}
