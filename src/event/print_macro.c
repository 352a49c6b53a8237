// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fields and macros of a print fmt, as the kernel's headers define them for TP_printk().
 *
 * Corresponds to include/trace/stages/stage3_trace_output.h.
 */
#include "event/print_parse.h"

/* --- fields --- */

static const struct event_field *find_field(const struct print_parser *ps, struct span name)
{
	for (size_t i = 0; i < ps->fmt->n_fields; i++)
		if (span_eq(name, ps->fmt->fields[i].name))
			return &ps->fmt->fields[i];
	return NULL;
}

static bool is_loc(const struct event_field *field)
{
	return field && field->size >= 4 &&
	       (strstr(field->type, "__data_loc") || strstr(field->type, "__rel_loc"));
}

/* REC->name, REC->__data_loc_name */
const struct print_expr *print_parse_rec(struct print_parser *ps)
{
	struct print_expr *e = print_node(ps, PRINT_FIELD);
	struct span name;

	print_next(ps);
	print_expect(ps, "->");
	name = ps->text;
	e->field = ps->token == IDENT ? find_field(ps, name) : NULL;
	if (!e->field && span_starts(name, "__data_loc_"))
		e->field = find_field(ps, span_skip(name, strlen("__data_loc_")));
	else if (!e->field && span_starts(name, "__rel_loc_"))
		e->field = find_field(ps, span_skip(name, strlen("__rel_loc_")));
	if (!e->field)
		ps->failed = true;
	else if (is_loc(e->field))
		e->op = PRINT_LOC;
	else
		print_set_field(ps->db, e, e->field);
	print_next(ps);
	return e;
}

/* --- macros --- */

/* Returns false if it is computed from data that only the kernel has. */
static bool parse_constant(struct print_parser *ps, u64 *value)
{
	struct print_ctx ctx = { .db = ps->db, .text = STRBUF_INIT };
	const struct print_expr *e = print_parse_expr(ps);
	struct print_value v = { .kind = PRINTED_UNKNOWN };

	if (!ps->failed)
		print_eval(&ctx, e, &v);
	strbuf_release(&ctx.text);
	*value = v.number;
	return v.kind == PRINTED_NUMBER;
}

/* A probe's array of strings has several locations: __get_str(name[1]) */
static const struct print_expr *parse_dynamic(struct print_parser *ps, unsigned int op)
{
	struct print_expr *e = print_node(ps, (enum print_op)op);

	e->field = ps->token == IDENT ? find_field(ps, ps->text) : NULL;
	if (!is_loc(e->field))
		ps->failed = true;
	print_next(ps);
	if (print_is(ps, "[")) {
		print_next(ps);
		ps->failed |= !parse_constant(ps, &e->number) || !e->field ||
			      e->number >= e->field->size / 4;
		print_expect(ps, "]");
	}
	return e;
}

static const struct print_expr *parse_bitmask(struct print_parser *ps, unsigned int op)
{
	op = ps->lists ? PRINT_BITMASK_LIST : op;
	return print_node_of(ps, (enum print_op)op, parse_dynamic(ps, PRINT_DYNAMIC));
}

/* { value, "name" }; 0, or 1 for an entry to skip: { -1, NULL } ends some lists. */
static int parse_pair(struct print_parser *ps, struct print_expr *e, struct print_name *name)
{
	bool known, named;

	print_expect(ps, "{");
	known = parse_constant(ps, &name->value);
	print_expect(ps, ",");
	named = ps->token == STRING;
	if (named)
		name->text = print_parse_strings(ps);
	else
		print_parse_expr(ps);
	print_expect(ps, "}");
	e->names_unknown |= !known;
	return !known || !named;
}

/* __print_flags(a, delimiter, names), __print_symbolic(a, names) */
static const struct print_expr *parse_named(struct print_parser *ps, unsigned int op)
{
	struct print_expr *e = print_node_of(ps, (enum print_op)op, print_parse_expr(ps));
	scoped(free_scoped) ARRAY(struct print_name) names = ARRAY_INIT;
	struct print_name name, *copy;

	print_expect(ps, ",");
	if (op == PRINT_FLAGS) {
		if (ps->token == STRING)
			e->text = print_parse_strings(ps);
		else
			print_parse_expr(ps); /* NULL */
		print_expect(ps, ",");
	}
	while (!ps->failed && !print_is(ps, ")")) {
		if (!parse_pair(ps, e, &name) && array_push(&names, name))
			ps->failed = true;
		if (!print_is(ps, ")"))
			print_expect(ps, ",");
	}
	copy = arena_alloc(ps->arena, (names.n + 1) * sizeof(*copy));
	if (!copy)
		ps->failed = true;
	else if (names.n)
		memcpy(copy, names.v, names.n * sizeof(*copy));
	e->names = copy;
	e->n_names = names.n;
	return e;
}

static const struct print_expr *parse_memory(struct print_parser *ps, unsigned int op)
{
	struct print_expr *e = print_node_of(ps, (enum print_op)op, print_parse_expr(ps));

	print_expect(ps, ",");
	e->b = print_parse_expr(ps);
	if (op == PRINT_ARRAY) {
		print_expect(ps, ",");
		e->c = print_parse_expr(ps);
	}
	return e;
}

/* __print_dynamic_array(field, size): its length divided by the size is the count */
static const struct print_expr *parse_dynamic_array(struct print_parser *ps, unsigned int op)
{
	const struct print_expr *array = parse_dynamic(ps, PRINT_DYNAMIC);
	struct print_expr *e = print_node_of(ps, (enum print_op)op, array);
	struct print_expr *n = print_node(ps, PRINT_DYNAMIC_LEN);
	struct print_expr *count = print_node_of(ps, PRINT_BINARY, n);

	n->field = array->field;
	print_expect(ps, ",");
	e->c = print_parse_expr(ps);
	count->oper = '/';
	count->b = e->c;
	e->b = count;
	return e;
}

static const struct print_expr *nanoseconds(struct print_parser *ps, unsigned int oper)
{
	struct print_expr *e = print_node_of(ps, PRINT_BINARY, print_parse_expr(ps));
	struct print_expr *second = print_node(ps, PRINT_NUMBER);

	second->number = 1000000000;
	second->type = (struct print_type){ .size = 8 };
	e->oper = (char)oper;
	e->b = second;
	return e;
}

static const struct print_expr *parse_swap(struct print_parser *ps, unsigned int size)
{
	struct print_expr *e = print_node_of(ps, PRINT_SWAP, print_parse_expr(ps));

	e->type = (struct print_type){ .size = (u8)size };
	return e;
}

/* The first of several arguments: __builtin_expect(a, b), native_make_pte(a) */
static const struct print_expr *parse_first(struct print_parser *ps, unsigned int args)
{
	const struct print_expr *e = print_parse_expr(ps);

	while (--args) {
		print_expect(ps, ",");
		print_parse_expr(ps);
	}
	return e;
}

/* __builtin_constant_p(a), an operation without operator, is 0 */
static const struct print_expr *parse_zero(struct print_parser *ps, unsigned int op)
{
	return print_node_of(ps, (enum print_op)op, print_parse_expr(ps));
}

static const struct {
	const char *name;
	const struct print_expr *(*parse)(struct print_parser *ps, unsigned int arg);
	unsigned int arg;
} macros[] = {
	{ "__get_str", parse_dynamic, PRINT_DYNAMIC },
	{ "__get_rel_str", parse_dynamic, PRINT_DYNAMIC },
	{ "__get_dynamic_array", parse_dynamic, PRINT_DYNAMIC },
	{ "__get_rel_dynamic_array", parse_dynamic, PRINT_DYNAMIC },
	{ "__get_sockaddr", parse_dynamic, PRINT_DYNAMIC },
	{ "__get_rel_sockaddr", parse_dynamic, PRINT_DYNAMIC },
	{ "__get_dynamic_array_len", parse_dynamic, PRINT_DYNAMIC_LEN },
	{ "__get_rel_dynamic_array_len", parse_dynamic, PRINT_DYNAMIC_LEN },
	{ "__get_bitmask", parse_bitmask, PRINT_BITMASK },
	{ "__get_rel_bitmask", parse_bitmask, PRINT_BITMASK },
	{ "__get_cpumask", parse_bitmask, PRINT_BITMASK },
	{ "__get_rel_cpumask", parse_bitmask, PRINT_BITMASK },
	{ "__print_flags", parse_named, PRINT_FLAGS },
	{ "__print_flags_u64", parse_named, PRINT_FLAGS },
	{ "__print_symbolic", parse_named, PRINT_SYMBOLIC },
	{ "__print_symbolic_u64", parse_named, PRINT_SYMBOLIC },
	{ "__print_hex", parse_memory, PRINT_HEX },
	{ "__print_hex_str", parse_memory, PRINT_HEX_STR },
	{ "__print_array", parse_memory, PRINT_ARRAY },
	{ "__print_dynamic_array", parse_dynamic_array, PRINT_ARRAY },
	{ "__print_ns_to_secs", nanoseconds, '/' },
	{ "__print_ns_without_secs", nanoseconds, '%' },
	{ "__fswab16", parse_swap, 2 },
	{ "__builtin_bswap16", parse_swap, 2 },
	{ "__fswab32", parse_swap, 4 },
	{ "__builtin_bswap32", parse_swap, 4 },
	{ "__fswab64", parse_swap, 8 },
	{ "__builtin_bswap64", parse_swap, 8 },
	{ "__builtin_constant_p", parse_zero, PRINT_UNARY },
	{ "__builtin_expect", parse_first, 2 },
	{ "native_make_pte", parse_first, 1 },
	{ "native_make_pmd", parse_first, 1 },
	{ "native_make_pud", parse_first, 1 },
	{ "native_make_pgd", parse_first, 1 },
	{ "pte_val", parse_first, 1 },
	{ "pmd_val", parse_first, 1 },
	{ "pud_val", parse_first, 1 },
	{ "pgd_val", parse_first, 1 },
};

const struct print_expr *print_parse_macro(struct print_parser *ps, struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(macros); i++)
		if (span_eq(name, macros[i].name))
			return macros[i].parse(ps, macros[i].arg);
	ps->failed = true; /* a function of the kernel */
	return print_node(ps, PRINT_UNKNOWN);
}
