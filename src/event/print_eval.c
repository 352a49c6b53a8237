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

/* --- types --- */

static const struct {
	const char *name;
	u8 size; /* 0: a long of the kernel */
	bool is_signed;
} types[] = {
	{ "char", 1, true },
	{ "signed char", 1, true },
	{ "unsigned char", 1, false },
	{ "u8", 1, false },
	{ "__u8", 1, false },
	{ "s8", 1, true },
	{ "__s8", 1, true },
	{ "bool", 1, false },
	{ "_Bool", 1, false },
	{ "short", 2, true },
	{ "unsigned short", 2, false },
	{ "u16", 2, false },
	{ "__u16", 2, false },
	{ "s16", 2, true },
	{ "__s16", 2, true },
	{ "__be16", 2, false },
	{ "__le16", 2, false },
	{ "umode_t", 2, false },
	{ "int", 4, true },
	{ "unsigned int", 4, false },
	{ "unsigned", 4, false },
	{ "u32", 4, false },
	{ "__u32", 4, false },
	{ "s32", 4, true },
	{ "__s32", 4, true },
	{ "__be32", 4, false },
	{ "__le32", 4, false },
	{ "gfp_t", 4, false },
	{ "pid_t", 4, true },
	{ "uid_t", 4, false },
	{ "gid_t", 4, false },
	{ "dev_t", 4, false },
	{ "fmode_t", 4, false },
	{ "blk_opf_t", 4, false },
	{ "__kernel_rwf_t", 4, true },
	{ "isolate_mode_t", 4, false },
	{ "uint32_t", 4, false },
	{ "uint16_t", 2, false },
	{ "uint8_t", 1, false },
	{ "long long", 8, true },
	{ "unsigned long long", 8, false },
	{ "u64", 8, false },
	{ "__u64", 8, false },
	{ "s64", 8, true },
	{ "__s64", 8, true },
	{ "__be64", 8, false },
	{ "__le64", 8, false },
	{ "uint64_t", 8, false },
	{ "sector_t", 8, false },
	{ "loff_t", 8, true },
	{ "ktime_t", 8, true },
	{ "phys_addr_t", 8, false },
	{ "dma_addr_t", 8, false },
	{ "resource_size_t", 8, false },
	{ "long", 0, true },
	{ "unsigned long", 0, false },
	{ "size_t", 0, false },
	{ "ssize_t", 0, true },
	{ "pgoff_t", 0, false },
	{ "ino_t", 0, false },
	{ "uintptr_t", 0, false },
	{ "ptrdiff_t", 0, true },
	{ "clock_t", 0, true },
};

struct print_type print_type_named(const struct event_db *db, struct span name)
{
	static const char *const before[] = { "const ", "volatile " };

	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		if (span_starts(name, before[i]))
			name = span_skip(name, strlen(before[i]));
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (span_eq(name, types[i].name))
			return (struct print_type){ .size = types[i].size
								    ? types[i].size
								    : (u8)db->machine.long_size,
						    .is_signed = types[i].is_signed };
	return (struct print_type){ .size = 0 };
}

struct print_type print_type_of(const struct event_db *db, const struct event_field *field)
{
	const char *bracket = strchr(field->type, '[');
	struct print_type t = { .size = (u8)field->size, .is_signed = field->is_signed };
	u64 n = 0;

	if (!bracket)
		return t;
	t = print_type_named(db, span_between(field->type, bracket));
	/* kernel: TASK_COMM_LEN; other names are unknown */
	if (!t.size && span_u64(span_between(bracket + 1, bracket + strcspn(bracket, "]")), &n) &&
	    n)
		t.size = (u8)(field->size / n);
	t.is_signed = field->is_signed;
	return t;
}

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

static void set_text(struct print_value *v, struct span text)
{
	*v = (struct print_value){ .kind = PRINTED_TEXT, .bytes = text };
}

static struct print_type type_int(bool is_signed)
{
	return (struct print_type){ .size = 4, .is_signed = is_signed };
}

static struct print_type promote(struct print_type t)
{
	return t.size && t.size < 4 ? type_int(true) : t;
}

static struct print_type common_type(struct print_type a, struct print_type b)
{
	a = promote(a);
	b = promote(b);
	if (a.size == b.size)
		a.is_signed &= b.is_signed;
	return a.size >= b.size ? a : b;
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

static void eval_field(const struct print_ctx *ctx, const struct print_expr *e,
		       struct print_value *v)
{
	const struct event_field *f = e->field;
	struct print_type type = print_type_of(ctx->db, f);
	struct span bytes = memory_at(ctx, f->offset, f->size ? f->size : UINT32_MAX);

	if (e->op == PRINT_MEMORY || strchr(f->type, '[') || !is_number_size(f->size))
		set_memory(v, bytes, type);
	else
		load_at(ctx, bytes, type, v);
}

static void eval_loc(const struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	const struct event_field *f = e->field;
	u32 loc, at, from = f->offset + (u32)e->number * 4;
	const char *bracket;

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
	bracket = strchr(f->type, '[');
	set_memory(v, memory_at(ctx, at, loc >> 16),
		   print_type_named(
			   ctx->db,
			   span_trim(span_between(strchrnul(f->type, ' '),
						  bracket ? bracket : f->type + strlen(f->type)))));
}

/* --- operators --- */

static bool is_true(const struct print_value *v)
{
	return v->kind == PRINTED_NUMBER ? v->number != 0 : true;
}

static void eval_unary(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value a;

	print_eval(ctx, e->a, &a);
	if (!e->oper) {
		set_number(v, 0, type_int(true));
		return;
	}
	if (e->oper == '!' && a.kind != PRINTED_UNKNOWN) {
		set_number(v, !is_true(&a), type_int(true));
		return;
	}
	if (a.kind != PRINTED_NUMBER)
		return;
	set_number(v,
		   e->oper == '-'   ? 0 - a.number
		   : e->oper == '~' ? ~a.number
				    : a.number,
		   promote(a.type));
}

static bool compare(char oper, u64 a, u64 b, bool is_signed)
{
	bool less = is_signed ? (s64)a < (s64)b : a < b;

	switch (oper) {
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
	default:
		return a != b;
	}
}

/* 0 divided by 0, undefined in C, is 0. */
static u64 divide(char oper, u64 a, u64 b, bool is_signed)
{
	if (!b || (is_signed && b == UINT64_MAX))
		return oper == '%' || !b ? 0 : 0 - a;
	if (is_signed)
		return (u64)(oper == '/' ? (s64)a / (s64)b : (s64)a % (s64)b);
	return oper == '/' ? a / b : a % b;
}

static u64 shift(char oper, u64 a, u64 by, bool is_signed)
{
	if (by > 63)
		return 0;
	if (oper == OPER_SHL)
		return a << by;
	return is_signed ? (u64)((s64)a >> by) : a >> by;
}

static u64 arithmetic(char oper, u64 a, u64 b, bool is_signed)
{
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
	default:
		return divide(oper, a, b, is_signed);
	}
}

static void eval_logic(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value a;
	bool decided;

	print_eval(ctx, e->a, &a);
	if (a.kind == PRINTED_UNKNOWN)
		return;
	decided = e->oper == OPER_AND ? !is_true(&a) : is_true(&a);
	if (!decided) {
		print_eval(ctx, e->b, &a);
		if (a.kind == PRINTED_UNKNOWN)
			return;
	}
	set_number(v, is_true(&a), type_int(true));
}

/* Memory plus a number is a later address in the same memory. */
static void eval_pointer_sum(const struct print_value *a, const struct print_value *b,
			     struct print_value *v)
{
	const struct print_value *memory = a->kind == PRINTED_MEMORY ? a : b;
	u64 by = (memory == a ? b : a)->number * (memory->type.element ? memory->type.element : 1);

	if (by > memory->bytes.n)
		return;
	*v = *memory;
	v->bytes = span_skip(memory->bytes, (size_t)by);
}

static void eval_binary(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value a, b;
	struct print_type t;

	if (e->oper == OPER_AND || e->oper == OPER_OR) {
		eval_logic(ctx, e, v);
		return;
	}
	print_eval(ctx, e->a, &a);
	print_eval(ctx, e->b, &b);
	if (e->oper == '+' && (a.kind == PRINTED_MEMORY) != (b.kind == PRINTED_MEMORY) &&
	    (a.kind == PRINTED_NUMBER || b.kind == PRINTED_NUMBER)) {
		eval_pointer_sum(&a, &b, v);
		return;
	}
	if (a.kind != PRINTED_NUMBER || b.kind != PRINTED_NUMBER)
		return;
	t = common_type(a.type, b.type);
	if (e->oper == OPER_SHL || e->oper == OPER_SHR) {
		t = promote(a.type);
		set_number(v, shift(e->oper, a.number, b.number, t.is_signed), t);
		return;
	}
	set_number(&a, a.number, t);
	set_number(&b, b.number, t);
	if (strchr("<>()=#", e->oper))
		set_number(v, compare(e->oper, a.number, b.number, t.is_signed), type_int(true));
	else
		set_number(v, arithmetic(e->oper, a.number, b.number, t.is_signed), t);
}

static void eval_cond(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value a;

	print_eval(ctx, e->a, &a);
	if (a.kind != PRINTED_UNKNOWN)
		print_eval(ctx, is_true(&a) ? e->b : e->c, v);
}

static void eval_cast(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	print_eval(ctx, e->a, v);
	if (v->kind == PRINTED_NUMBER && e->type.size)
		set_number(v, v->number, e->type);
	else if (v->kind == PRINTED_MEMORY && e->type.is_pointer && e->type.element)
		v->type = e->type;
}

static void eval_index(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value base, index = { .number = 0 };
	struct print_type type;
	u64 at;

	print_eval(ctx, e->a, &base);
	if (e->b)
		print_eval(ctx, e->b, &index);
	if (base.kind != PRINTED_MEMORY || (e->b && index.kind != PRINTED_NUMBER))
		return;
	type = (struct print_type){ .size = base.type.element, .is_signed = base.type.is_signed };
	if (!__builtin_mul_overflow(index.number, type.size, &at) && at <= base.bytes.n)
		load_at(ctx, span_skip(base.bytes, (size_t)at), type, v);
}

static void eval_swap(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value a;

	print_eval(ctx, e->a, &a);
	if (a.kind == PRINTED_NUMBER)
		set_number(v, __builtin_bswap64(a.number) >> (64 - 8 * e->type.size), e->type);
}

/* --- macros that print --- */

static void eval_flags(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value a;
	size_t start = ctx->text.len;
	u64 flags;

	print_eval(ctx, e->a, &a);
	if (a.kind != PRINTED_NUMBER)
		return;
	flags = a.number;
	for (size_t i = 0; i < e->n_names && flags; i++) {
		u64 mask = e->names[i].value;

		if ((flags & mask) != mask)
			continue;
		flags &= ~mask;
		strbuf_addf(&ctx->text, "%s%s", ctx->text.len > start && e->text ? e->text : "",
			    e->names[i].text);
	}
	if (flags && e->names_unknown)
		return;
	if (flags)
		strbuf_addf(&ctx->text, "%s0x%llx", ctx->text.len > start && e->text ? e->text : "",
			    (unsigned long long)flags);
	set_text(v, (struct span){ ctx->text.s + start, ctx->text.len - start });
}

static void eval_symbolic(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value a;
	size_t start = ctx->text.len;

	print_eval(ctx, e->a, &a);
	if (a.kind != PRINTED_NUMBER)
		return;
	for (size_t i = 0; i < e->n_names; i++) {
		if (e->names[i].value != a.number)
			continue;
		strbuf_addstr(&ctx->text, e->names[i].text);
		break;
	}
	if (ctx->text.len == start && e->names_unknown)
		return;
	/* kernel: an empty name is treated as missing */
	if (ctx->text.len == start)
		strbuf_addf(&ctx->text, "0x%llx", (unsigned long long)a.number);
	set_text(v, (struct span){ ctx->text.s + start, ctx->text.len - start });
}

static void eval_hex(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	const char *between = e->op == PRINT_HEX ? " " : "";
	struct print_value memory, n;
	size_t start = ctx->text.len;

	print_eval(ctx, e->a, &memory);
	print_eval(ctx, e->b, &n);
	if (memory.kind != PRINTED_MEMORY || n.kind != PRINTED_NUMBER)
		return;
	for (size_t i = 0; i < memory.bytes.n && (s64)i < (s64)n.number; i++)
		strbuf_addf(&ctx->text, "%s%02x", i ? between : "", (u8)memory.bytes.s[i]);
	set_text(v, (struct span){ ctx->text.s + start, ctx->text.len - start });
}

static void eval_array(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct print_value memory, n, size;
	size_t start = ctx->text.len;
	bool big = ctx->db->machine.big_endian;

	print_eval(ctx, e->a, &memory);
	print_eval(ctx, e->b, &n);
	print_eval(ctx, e->c, &size);
	if (memory.kind != PRINTED_MEMORY || n.kind != PRINTED_NUMBER ||
	    !is_number_size((u32)size.number))
		return;
	strbuf_addch(&ctx->text, '{');
	for (u64 i = 0; i < n.number && (i + 1) * size.number <= memory.bytes.n; i++)
		strbuf_addf(
			&ctx->text, "%s0x%llx", i ? "," : "",
			(unsigned long long)load_uint((const u8 *)memory.bytes.s + i * size.number,
						      (u8)size.number, big));
	strbuf_addch(&ctx->text, '}');
	set_text(v, (struct span){ ctx->text.s + start, ctx->text.len - start });
}

static void eval_bitmask(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	struct printf_spec spec = { .width = 0 };
	struct print_value memory;
	size_t start = ctx->text.len;

	print_eval(ctx, e->a, &memory);
	if (memory.kind != PRINTED_MEMORY)
		return;
	spec.width = (int)memory.bytes.n * 8;
	printf_pointer(&ctx->text, ctx, spec, e->op == PRINT_BITMASK_LIST ? "bl" : "b", &memory);
	set_text(v, (struct span){ ctx->text.s + start, ctx->text.len - start });
}

/* --- all kinds of nodes --- */

void print_eval(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v)
{
	static void (*const macros[])(struct print_ctx *, const struct print_expr *,
				      struct print_value *) = {
		[PRINT_UNARY] = eval_unary, [PRINT_BINARY] = eval_binary,
		[PRINT_COND] = eval_cond,   [PRINT_CAST] = eval_cast,
		[PRINT_INDEX] = eval_index, [PRINT_DEREF] = eval_index,
		[PRINT_FLAGS] = eval_flags, [PRINT_SYMBOLIC] = eval_symbolic,
		[PRINT_HEX] = eval_hex,     [PRINT_HEX_STR] = eval_hex,
		[PRINT_ARRAY] = eval_array, [PRINT_BITMASK] = eval_bitmask,
		[PRINT_SWAP] = eval_swap,   [PRINT_BITMASK_LIST] = eval_bitmask,
	};

	*v = (struct print_value){ .kind = PRINTED_UNKNOWN };
	switch (e->op) {
	case PRINT_UNKNOWN:
		break;
	case PRINT_NUMBER:
		set_number(v, e->number, e->type);
		break;
	case PRINT_STRING:
		set_text(v, span_of(e->text));
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
		macros[e->op](ctx, e, v);
	}
}
