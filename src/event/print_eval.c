// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Evaluates an argument of a print fmt for a record: a number with its C type, memory of the
 * record, or a string.
 *
 * No memory outside the record is read; its contents are unknown, and so is any result computed
 * from it. Types follow the rules of C: types smaller than int become int, the larger type of
 * two operands is used, and unsigned has priority.
 */
#include "event/print_fmt.h"

/* --- values --- */

static void set_number(struct print_value *v, u64 number, struct print_type type)
{
	unsigned int shift = type.size && type.size < 8 ? 64 - 8 * type.size : 0;

	v->kind = PRINTED_NUMBER;
	v->type = type;
	if (type.is_signed)
		v->number = (u64)((s64)(number << shift) >> shift);
	else
		v->number = number << shift >> shift;
}

/* The text that a macro appended after @start. */
static void set_text(struct print_value *v, const struct print_ctx *ctx, size_t start)
{
	*v = (struct print_value){ .kind = PRINTED_TEXT,
				   .bytes = { ctx->text.s + start, ctx->text.len - start } };
}

static void set_string(struct print_value *v, const char *text)
{
	*v = (struct print_value){ .kind = PRINTED_TEXT, .bytes = span_of(text) };
}

static struct print_type type_int(bool is_signed)
{
	return (struct print_type){ .size = 4, .is_signed = is_signed };
}

static struct print_type promote(struct print_type t)
{
	return t.size && t.size < 4 ? type_int(true) : t;
}

/* --- fields --- */

static bool is_number_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* The bytes of the record at an offset. */
static struct span memory_at(const struct print_ctx *ctx, u64 at, u64 size)
{
	if (!ctx->rec || at > ctx->len)
		return (struct span){ NULL, 0 };
	return (struct span){ (const char *)ctx->rec + at,
			      (size_t)min_t(u64, size, ctx->len - at) };
}

static void set_memory(struct print_value *v, struct span bytes, struct print_type element)
{
	*v = (struct print_value){ .kind = bytes.s ? PRINTED_MEMORY : PRINTED_UNKNOWN,
				   .bytes = bytes };
	v->type = (struct print_type){ .size = 8,
				       .is_pointer = true,
				       .element = element.size,
				       .is_signed = element.is_signed };
}

static void load_at(const struct print_ctx *ctx, struct span bytes, struct print_type type,
		    struct print_value *v)
{
	if (!bytes.s || !is_number_size(type.size) || bytes.n < type.size)
		return;
	set_number(v, load_uint((const u8 *)bytes.s, type.size, ctx->db->machine.big_endian), type);
}

void print_set_field(const struct event_db *db, struct print_expr *e, const struct event_field *f)
{
	e->field = f;
	e->type = print_type_of(db, f);
	e->is_memory = e->op == PRINT_MEMORY || strchr(f->type, '[') || !is_number_size(f->size);
}

bool print_element_number(const struct print_ctx *ctx, const struct print_expr *e, u64 *number)
{
	const struct event_field *f = e->a->field;
	struct print_value v = { .kind = PRINTED_UNKNOWN };
	const struct print_type type = e->a->type;
	u64 at;

	if (e->a->op != PRINT_FIELD || !e->a->is_memory || !e->b || e->b->op != PRINT_NUMBER ||
	    __builtin_mul_overflow(e->b->number, type.size, &at) || at > UINT16_MAX ||
	    (f->size && at + type.size > f->size))
		return false;
	load_at(ctx, memory_at(ctx, f->offset + at, type.size), type, &v);
	*number = v.number;
	return v.kind == PRINTED_NUMBER;
}

static void eval_field(const struct print_ctx *ctx, const struct print_expr *e,
		       struct print_value *v)
{
	const struct event_field *f = e->field;

	if (e->is_memory) {
		set_memory(v, memory_at(ctx, f->offset, f->size ? f->size : UINT32_MAX), e->type);
	} else if (likely(print_field_number(ctx, e, &v->number))) {
		v->kind = PRINTED_NUMBER;
		v->type = e->type;
	}
}

static void eval_loc(const struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	const struct event_field *f = e->field;
	u32 loc, at, from = f->offset + (u32)e->number * 4;

	load_at(ctx, memory_at(ctx, from, 4), type_int(false), v);
	if (v->kind != PRINTED_NUMBER || e->op == PRINT_LOC)
		return;
	loc = (u32)v->number;
	if (e->op == PRINT_DYNAMIC_LEN) {
		set_number(v, loc >> 16, type_int(false));
		return;
	}
	at = loc & 0xffff;
	if (strstr(f->type, "__rel_loc"))
		at += from + 4;
	set_memory(v, memory_at(ctx, at, loc >> 16), print_element_type(ctx->db, f));
}

/* --- operators --- */

static bool is_true(const struct print_value *v)
{
	return v->kind != PRINTED_NUMBER || v->number;
}

static void eval_unary(const struct print_expr *e, const struct print_value *a,
		       struct print_value *v)
{
	u64 n = a->number;

	if (!e->oper)
		set_number(v, 0, type_int(true));
	else if (e->oper == '!' && a->kind != PRINTED_UNKNOWN)
		set_number(v, !is_true(a), type_int(true));
	else if (a->kind == PRINTED_NUMBER)
		set_number(v, e->oper == '-' ? 0 - n : e->oper == '~' ? ~n : n, promote(a->type));
}

static u64 shift(char oper, u64 a, u64 by, bool is_signed)
{
	if (by > 63)
		return 0;
	if (oper == OPER_SHL)
		return a << by;
	return is_signed ? (u64)((s64)a >> by) : a >> by;
}

/* The result for two operands of one type; 0 or 1 for a comparison. */
static u64 operate(char oper, u64 a, u64 b, bool is_signed)
{
	bool less = is_signed ? (s64)a < (s64)b : a < b;

	switch (oper) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	case '&':
		return a & b;
	case '^':
		return a ^ b;
	case '|':
		return a | b;
	case '<':
		return less;
	case '>':
		return !less && a != b;
	case OPER_LE:
		return less || a == b;
	case OPER_GE:
		return !less;
	case OPER_EQ:
		return a == b;
	case OPER_NE:
		return a != b;
	default:
		/* 0 divided by 0, undefined in C, is 0. */
		if (!b || (is_signed && b == UINT64_MAX))
			return oper == '%' || !b ? 0 : 0 - a;
		if (is_signed)
			return (u64)(oper == '/' ? (s64)a / (s64)b : (s64)a % (s64)b);
		return oper == '/' ? a / b : a % b;
	}
}

static bool is_comparison(char oper)
{
	return oper == '<' || oper == '>' || oper == OPER_LE || oper == OPER_GE ||
	       oper == OPER_EQ || oper == OPER_NE;
}

/* Memory plus a number is a later address in the same memory. */
static void eval_pointer_sum(const struct print_value *memory, const struct print_value *number,
			     struct print_value *v)
{
	u64 by = number->number * (memory->type.element ? memory->type.element : 1);

	if (by > memory->bytes.n)
		return;
	*v = *memory;
	v->bytes = span_skip(memory->bytes, (size_t)by);
}

static void eval_binary(struct print_ctx *ctx, const struct print_expr *e, struct print_value *a,
			struct print_value *v)
{
	struct print_value b;
	struct print_type t, right;

	if (e->oper == OPER_AND || e->oper == OPER_OR) {
		if (a->kind != PRINTED_UNKNOWN && is_true(a) == (e->oper == OPER_AND))
			print_eval(ctx, e->b, a);
		if (a->kind != PRINTED_UNKNOWN)
			set_number(v, is_true(a), type_int(true));
		return;
	}
	print_eval(ctx, e->b, &b);
	if (e->oper == '+' && a->kind == PRINTED_MEMORY && b.kind == PRINTED_NUMBER)
		eval_pointer_sum(a, &b, v);
	if (e->oper == '+' && a->kind == PRINTED_NUMBER && b.kind == PRINTED_MEMORY)
		eval_pointer_sum(&b, a, v);
	if (a->kind != PRINTED_NUMBER || b.kind != PRINTED_NUMBER)
		return;
	if (e->oper == OPER_SHL || e->oper == OPER_SHR) {
		t = promote(a->type);
		set_number(v, shift(e->oper, a->number, b.number, t.is_signed), t);
		return;
	}
	/* the larger type; of types of one size, the unsigned one */
	t = promote(a->type);
	right = promote(b.type);
	if (t.size == right.size)
		t.is_signed &= right.is_signed;
	else if (t.size < right.size)
		t = right;
	set_number(a, a->number, t);
	set_number(&b, b.number, t);
	set_number(v, operate(e->oper, a->number, b.number, t.is_signed),
		   is_comparison(e->oper) ? type_int(true) : t);
}

static void eval_index(struct print_ctx *ctx, const struct print_expr *e,
		       const struct print_value *base, struct print_value *v)
{
	struct print_value index = { .number = 0 };
	struct print_type type;
	u64 at;

	if (e->b)
		print_eval(ctx, e->b, &index);
	if (base->kind != PRINTED_MEMORY || (e->b && index.kind != PRINTED_NUMBER))
		return;
	type = (struct print_type){ .size = base->type.element, .is_signed = base->type.is_signed };
	if (!__builtin_mul_overflow(index.number, type.size, &at) && at <= base->bytes.n)
		load_at(ctx, span_skip(base->bytes, (size_t)at), type, v);
}

/* --- macros that print --- */

static void add_delimiter(struct print_ctx *ctx, const struct print_expr *e, size_t start)
{
	if (ctx->text.len > start && e->text)
		strbuf_addstr(&ctx->text, e->text);
}

static void eval_flags(struct print_ctx *ctx, const struct print_expr *e, u64 flags,
		       struct print_value *v)
{
	size_t start = ctx->text.len;

	for (size_t i = 0; i < e->n_names && flags; i++) {
		u64 mask = e->names[i].value;

		if ((flags & mask) != mask)
			continue;
		flags &= ~mask;
		if (!flags && ctx->text.len == start) {
			set_string(v, e->names[i].text);
			return;
		}
		add_delimiter(ctx, e, start);
		strbuf_addstr(&ctx->text, e->names[i].text);
	}
	if (flags && e->names_unknown)
		return;
	if (flags) {
		add_delimiter(ctx, e, start);
		strbuf_addhex(&ctx->text, flags);
	}
	set_text(v, ctx, start);
}

static void eval_symbolic(struct print_ctx *ctx, const struct print_expr *e, u64 number,
			  struct print_value *v)
{
	size_t start = ctx->text.len, i = 0;

	while (i < e->n_names && e->names[i].value != number)
		i++;
	/* kernel: an empty name is treated as missing */
	if (i < e->n_names && *e->names[i].text) {
		set_string(v, e->names[i].text);
	} else if (!e->names_unknown) {
		strbuf_addhex(&ctx->text, number);
		set_text(v, ctx, start);
	}
}

static void eval_hex(struct print_ctx *ctx, const struct print_expr *e, struct span memory,
		     struct print_value *v)
{
	const char *between = e->op == PRINT_HEX ? " " : "";
	struct print_value n;
	size_t start;

	print_eval(ctx, e->b, &n);
	start = ctx->text.len;
	if (n.kind != PRINTED_NUMBER)
		return;
	for (size_t i = 0; i < memory.n && (s64)i < (s64)n.number; i++)
		strbuf_addf(&ctx->text, "%s%02x", i ? between : "", (u8)memory.s[i]);
	set_text(v, ctx, start);
}

static void eval_array(struct print_ctx *ctx, const struct print_expr *e, struct span memory,
		       struct print_value *v)
{
	bool big = ctx->db->machine.big_endian;
	struct print_value n, size;
	size_t start;

	print_eval(ctx, e->b, &n);
	print_eval(ctx, e->c, &size);
	start = ctx->text.len;
	if (n.kind != PRINTED_NUMBER || !is_number_size((u32)size.number))
		return;
	strbuf_addch(&ctx->text, '{');
	for (u64 i = 0; i < n.number && (i + 1) * size.number <= memory.n; i++)
		strbuf_addf(&ctx->text, "%s0x%llx", i ? "," : "",
			    load_uint((const u8 *)memory.s + i * size.number, (u8)size.number,
				      big));
	strbuf_addch(&ctx->text, '}');
	set_text(v, ctx, start);
}

/* --- all kinds of nodes --- */

/* The value of a node with the operand @a. */
static void eval_of(struct print_ctx *ctx, const struct print_expr *e, struct print_value *a,
		    struct print_value *v)
{
	bool number = a->kind == PRINTED_NUMBER, memory = a->kind == PRINTED_MEMORY;

	switch (e->op) {
	case PRINT_UNARY:
		eval_unary(e, a, v);
		break;
	case PRINT_BINARY:
		eval_binary(ctx, e, a, v);
		break;
	case PRINT_COND:
		if (a->kind != PRINTED_UNKNOWN)
			print_eval(ctx, is_true(a) ? e->b : e->c, v);
		break;
	case PRINT_CAST:
		*v = *a;
		if (number && e->type.size)
			set_number(v, v->number, e->type);
		else if (memory && e->type.is_pointer && e->type.element)
			v->type = e->type;
		break;
	case PRINT_SWAP:
		if (number)
			set_number(v, __builtin_bswap64(a->number) >> (64 - 8 * e->type.size),
				   e->type);
		break;
	case PRINT_FLAGS:
		if (number)
			eval_flags(ctx, e, a->number, v);
		break;
	case PRINT_SYMBOLIC:
		if (number)
			eval_symbolic(ctx, e, a->number, v);
		break;
	case PRINT_HEX:
	case PRINT_HEX_STR:
		if (memory)
			eval_hex(ctx, e, a->bytes, v);
		break;
	case PRINT_ARRAY:
		if (memory)
			eval_array(ctx, e, a->bytes, v);
		break;
	case PRINT_BITMASK:
	case PRINT_BITMASK_LIST:
		if (memory) {
			struct printf_spec spec = { .width = (int)a->bytes.n * 8 };
			size_t start = ctx->text.len;

			printf_pointer(&ctx->text, ctx, spec,
				       e->op == PRINT_BITMASK_LIST ? "bl" : "b", a);
			set_text(v, ctx, start);
		}
		break;
	default:
		eval_index(ctx, e, a, v);
	}
}

void print_eval(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value a;

	*v = (struct print_value){ .kind = PRINTED_UNKNOWN };
	switch (e->op) {
	case PRINT_UNKNOWN:
		break;
	case PRINT_NUMBER:
		set_number(v, e->number, e->type);
		break;
	case PRINT_STRING:
		set_string(v, e->text);
		break;
	case PRINT_FIELD:
	case PRINT_MEMORY:
		eval_field(ctx, e, v);
		break;
	case PRINT_LOC:
	case PRINT_DYNAMIC:
	case PRINT_DYNAMIC_LEN:
		eval_loc(ctx, e, v);
		break;
	default:
		print_eval(ctx, e->a, &a);
		eval_of(ctx, e, &a, v);
	}
}
