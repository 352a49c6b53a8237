// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Inverts an argument of a print fmt: finds bits of its fields from the text that it printed.
 *
 * An argument without an inverse (a quotient, a comparison) determines nothing, which is not a
 * failure; a contradiction to known bits is one.
 */
#include "event/scan.h"

/* --- known bits --- */

static enum scan_solved both(enum scan_solved a, enum scan_solved b)
{
	return a < b ? a : b;
}

static bool constant(struct scan_solver *s, const struct print_expr *e, u64 *v)
{
	struct print_value value;

	if (!e)
		return false;
	print_eval(&s->constants, e, &value);
	*v = value.number;
	return value.kind == PRINTED_NUMBER;
}

static u32 shift_of(const struct scan_solver *s, u32 i, u32 size)
{
	return 8 * (s->db->machine.big_endian ? size - 1 - i : i);
}

static bool set_bits(struct scan_solver *s, u32 at, u32 size, u64 v, u64 mask)
{
	struct scan_bytes *b = s->bytes;

	if (size > 8 || at > b->fixed || size > b->fixed - at)
		return false;
	for (u32 i = 0; i < size; i++) {
		u8 m = (u8)(mask >> shift_of(s, i, size)), is = (u8)(v >> shift_of(s, i, size));

		if ((b->value[at + i] ^ is) & b->known[at + i] & m)
			return false;
		b->value[at + i] = (u8)((b->value[at + i] & ~m) | (is & m));
		b->known[at + i] |= m;
	}
	return true;
}

static bool is_number_field(const struct event_field *f)
{
	return (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8) &&
	       !strchr(f->type, '[');
}

/* The bits of @e that are already known, if it is a field or a masked field. */
static void known_number(struct scan_solver *s, const struct print_expr *e, u64 *v, u64 *mask)
{
	u64 c;

	*v = *mask = 0;
	if (e->op == PRINT_CAST) {
		known_number(s, e->a, v, mask);
	} else if (e->op == PRINT_FIELD && is_number_field(e->field)) {
		*v = *mask = 0;
		for (u32 i = 0; i < e->field->size && e->field->size <= 8; i++) {
			*v |= (u64)s->bytes->value[e->field->offset + i]
			      << shift_of(s, i, e->field->size);
			*mask |= (u64)s->bytes->known[e->field->offset + i]
				 << shift_of(s, i, e->field->size);
		}
		*v &= *mask;
		if (e->field->size < 8) /* missing high bits are 0 */
			*mask |= ~0ull << 8 * e->field->size;
	} else if (e->op == PRINT_BINARY && e->oper == '&' && constant(s, e->b, &c)) {
		known_number(s, e->a, v, mask);
		*v &= c;
		*mask |= ~c;
	}
}

static bool is_known(struct scan_solver *s, const struct print_expr *e, u64 *v)
{
	u64 mask;

	if (constant(s, e, v))
		return true;
	known_number(s, e, v, &mask);
	return mask == ~0ull;
}

/* The other operand if one is known, which is the first one if @swapped; NULL if none is known. */
static const struct print_expr *other_operand(struct scan_solver *s, const struct print_expr *e,
					      u64 *c, bool *swapped)
{
	*swapped = false;
	if (is_known(s, e->b, c))
		return e->a;
	*swapped = true;
	return is_known(s, e->a, c) ? e->b : NULL;
}

/* --- numbers --- */

static enum scan_solved number_of_field(struct scan_solver *s, const struct event_field *f, u64 v,
					u64 mask)
{
	u64 all = f->size < 8 ? (1ull << 8 * f->size) - 1 : ~0ull;

	if (!is_number_field(f))
		return SOLVE_OPEN;
	if (!set_bits(s, f->offset, f->size, v, mask & all))
		return SOLVE_FAIL;
	return (mask & all) == all ? SOLVE_DONE : SOLVE_OPEN;
}

static const struct print_expr *without_casts(const struct print_expr *e)
{
	while (e->op == PRINT_CAST)
		e = e->a;
	return e;
}

/* An element of an array whose index is known. */
static enum scan_solved number_of_element(struct scan_solver *s, const struct print_expr *e, u64 v,
					  u64 mask)
{
	const struct print_expr *array = without_casts(e->a);
	struct print_type type;
	u64 i = 0;

	if (array->op != PRINT_FIELD || !strchr(array->field->type, '[') ||
	    (e->b && !constant(s, e->b, &i)))
		return SOLVE_OPEN;
	type = print_type_of(s->db, array->field);
	if (!type.size || type.size > 8 || i >= array->field->size / type.size)
		return SOLVE_OPEN;
	return set_bits(s, array->field->offset + (u32)i * type.size, type.size, v, mask)
		       ? SOLVE_DONE
		       : SOLVE_FAIL;
}

/* Whether carries out of the bits of @mask do not matter. */
static bool is_low(u64 mask)
{
	return !(mask & (mask + 1));
}

static enum scan_solved number_of_operation(struct scan_solver *s, const struct print_expr *e,
					    u64 v, u64 mask)
{
	bool swapped;
	u64 c;
	const struct print_expr *a = other_operand(s, e, &c, &swapped);

	if (!a)
		return SOLVE_OPEN;
	switch (e->oper) {
	case '&':
		return v & mask & ~c ? SOLVE_FAIL : scan_solve_number(s, a, v, mask & c);
	case '|':
		return scan_solve_number(s, a, v, mask & ~c);
	case '^':
		return scan_solve_number(s, a, v ^ c, mask);
	case '+':
		return is_low(mask) ? scan_solve_number(s, a, v - c, mask) : SOLVE_OPEN;
	case '-':
		if (!is_low(mask))
			return SOLVE_OPEN;
		return scan_solve_number(s, a, swapped ? c - v : v + c, mask);
	case OPER_SHL:
		return swapped || c > 63 ? SOLVE_OPEN : scan_solve_number(s, a, v >> c, mask >> c);
	case OPER_SHR:
		return swapped || c > 63 ? SOLVE_OPEN : scan_solve_number(s, a, v << c, mask << c);
	case '*':
		if (!c || !is_low(mask))
			return SOLVE_OPEN;
		return v % c ? SOLVE_FAIL : scan_solve_number(s, a, v / c, mask);
	default:
		return SOLVE_OPEN;
	}
}

static enum scan_solved solve_truth(struct scan_solver *s, const struct print_expr *e, bool truth)
{
	u64 v, mask, c;

	/* a true bool is 1 */
	if (e->op == PRINT_FIELD &&
	    (!strcmp(e->field->type, "bool") || !strcmp(e->field->type, "_Bool")))
		return scan_solve_number(s, e, truth, ~0ull);
	if (e->op == PRINT_UNARY && e->oper == '!')
		return solve_truth(s, e->a, !truth);
	if (e->op == PRINT_BINARY && e->oper == (truth ? OPER_AND : OPER_OR))
		return both(solve_truth(s, e->a, truth), solve_truth(s, e->b, truth));
	if (e->op == PRINT_BINARY && e->oper == (truth ? OPER_EQ : OPER_NE) &&
	    constant(s, e->b, &c))
		return scan_solve_number(s, e->a, c, ~0ull);
	if (constant(s, e, &v))
		return !v == !truth ? SOLVE_DONE : SOLVE_FAIL;
	known_number(s, e, &v, &mask);
	if (v)
		return truth ? SOLVE_DONE : SOLVE_FAIL;
	if (mask == ~0ull)
		return truth ? SOLVE_FAIL : SOLVE_DONE;
	if (!truth && mask)
		return scan_solve_number(s, e, 0, ~0ull);
	if (truth && !(~mask & (~mask - 1)))
		return scan_solve_number(s, e, ~mask, ~mask);
	return SOLVE_OPEN;
}

/* One of two alternatives, the one that gives @number or @text. */
static enum scan_solved solve_choice(struct scan_solver *s, const struct print_expr *e,
				     const struct span *text, u64 v, u64 mask)
{
	struct scan_bytes before;
	enum scan_solved solved = SOLVE_FAIL;

	scan_bytes_copy(&before, s->bytes);
	for (int i = 0; i < 2 && solved == SOLVE_FAIL; i++) {
		const struct print_expr *branch = i ? e->c : e->b;

		scan_bytes_copy(s->bytes, &before);
		solved = text ? scan_solve_text(s, branch, *text)
			      : scan_solve_number(s, branch, v, mask);
		if (solved != SOLVE_FAIL)
			solved = both(solved, solve_truth(s, e->a, !i));
	}
	return solved;
}

enum scan_solved scan_solve_number(struct scan_solver *s, const struct print_expr *e, u64 v,
				   u64 mask)
{
	u64 c;

	if (!mask)
		return SOLVE_OPEN;
	if (constant(s, e, &c))
		return (c ^ v) & mask ? SOLVE_FAIL : SOLVE_DONE;
	switch (e->op) {
	case PRINT_FIELD:
		return number_of_field(s, e->field, v, mask);
	case PRINT_CAST:
		if (e->type.size && e->type.size < 8)
			mask &= (1ull << 8 * e->type.size) - 1;
		return scan_solve_number(s, e->a, v, mask);
	case PRINT_INDEX:
	case PRINT_DEREF:
		return number_of_element(s, e, v, mask);
	case PRINT_SWAP:
		if (e->type.size != 2 && e->type.size != 4 && e->type.size != 8)
			return SOLVE_OPEN;
		return scan_solve_number(s, e->a, __builtin_bswap64(v) >> (64 - 8 * e->type.size),
					 ~0ull >> (64 - 8 * e->type.size));
	case PRINT_UNARY:
		if (e->oper == '!')
			return v > 1 ? SOLVE_FAIL : solve_truth(s, e->a, !v);
		if (e->oper == '~')
			return scan_solve_number(s, e->a, ~v, mask);
		if (e->oper == '-' && is_low(mask))
			return scan_solve_number(s, e->a, 0 - v, mask);
		return e->oper == '+' ? scan_solve_number(s, e->a, v, mask) : SOLVE_OPEN;
	case PRINT_BINARY:
		return number_of_operation(s, e, v, mask);
	case PRINT_COND:
		return solve_choice(s, e, NULL, v, mask);
	default:
		return SOLVE_OPEN;
	}
}

/* --- memory --- */

static enum scan_solved set_located(struct scan_solver *s, const struct print_expr *e,
				    struct span data, bool is_text)
{
	const struct event_field *f = e->field;
	u32 from = f->offset + (u32)e->number * 4;
	struct scan_bytes *b = s->bytes;

	for (u32 i = 0; i < b->n_located; i++)
		if (b->located[i].field == f && b->located[i].from == from)
			return span_same(b->located[i].data, data) &&
					       b->located[i].is_text == is_text
				       ? SOLVE_DONE
				       : SOLVE_FAIL;
	if (b->n_located == SCAN_LOCATED_MAX || data.n >= SCAN_LEN_MAX)
		return SOLVE_FAIL;
	b->located[b->n_located++] = (struct scan_located){ f, from, data, is_text };
	if (f->size)
		memset(b->known + from, 0xff, 4);
	return SOLVE_DONE;
}

/* A string that is shorter than its field is padded with zeros. */
static enum scan_solved set_memory(struct scan_solver *s, const struct print_expr *e,
				   struct span data, bool is_text)
{
	const struct event_field *f;

	e = without_casts(e);
	f = e->field;
	if (e->op == PRINT_DYNAMIC)
		return set_located(s, e, data, is_text);
	if ((e->op != PRINT_FIELD || !strchr(f->type, '[')) && e->op != PRINT_MEMORY)
		return SOLVE_OPEN;
	if (!f->size)
		return set_located(s, e, data, is_text);
	if (data.n > f->size || f->offset + f->size > s->bytes->fixed)
		return SOLVE_FAIL;
	for (u32 i = 0; i < f->size && (i < data.n || is_text); i++)
		if (!set_bits(s, f->offset + i, 1, i < data.n ? (u8)data.s[i] : 0, 0xff))
			return SOLVE_FAIL;
	return is_text || data.n == f->size ? SOLVE_DONE : SOLVE_OPEN;
}

enum scan_solved scan_solve_memory(struct scan_solver *s, const struct print_expr *e,
				   struct span bytes)
{
	return set_memory(s, e, bytes, false);
}

/* --- strings --- */

static bool hex_number(struct span text, u64 *v)
{
	return span_starts(text, "0x") && span_u64(text, v);
}

/* Number of values that have this name or are this number; @v is the first. */
static size_t values_of(const struct print_expr *e, struct span name, u64 *v)
{
	size_t found = 0;

	for (size_t i = 0; i < e->n_names; i++) {
		if (!span_eq(name, e->names[i].text) || (found && e->names[i].value == *v))
			continue;
		if (!found++)
			*v = e->names[i].value;
	}
	return found ? found : hex_number(name, v);
}

static enum scan_solved solve_flags(struct scan_solver *s, const struct print_expr *e,
				    struct span text)
{
	size_t delimiter = e->text ? strlen(e->text) : 0;
	u64 all = 0, v;

	while (text.n) {
		const char *end = delimiter ? span_find(text, span_of(e->text)) : NULL;
		size_t n = end ? (size_t)(end - text.s) : text.n;

		if (!values_of(e, (struct span){ text.s, n }, &v))
			return e->names_unknown || !delimiter ? SOLVE_OPEN : SOLVE_FAIL;
		all |= v;
		text = span_skip(text, n < text.n ? n + delimiter : n);
	}
	return scan_solve_number(s, e->a, all, ~0ull);
}

/* A name shared by two values determines nothing. */
static enum scan_solved solve_symbolic(struct scan_solver *s, const struct print_expr *e,
				       struct span text)
{
	u64 v;
	size_t n = values_of(e, text, &v);

	if (!n)
		return e->names_unknown ? SOLVE_OPEN : SOLVE_FAIL;
	return n > 1 ? SOLVE_OPEN : scan_solve_number(s, e->a, v, ~0ull);
}

/* Bytes of two digits each, with or without blanks between them. */
static enum scan_solved solve_hex(struct scan_solver *s, const struct print_expr *e,
				  struct span text)
{
	size_t between = e->op == PRINT_HEX, each = 2 + between, n = (text.n + between) / each;
	u8 *bytes = arena_alloc(s->arena, n + 1);

	if (!bytes || (text.n && n * each - between != text.n))
		return SOLVE_FAIL;
	for (size_t i = 0; i < n && text.n; i++) {
		const char *p = text.s + i * each;
		u64 byte;

		if (!span_digits((struct span){ p, 2 }, 16, &byte) ||
		    (between && i + 1 < n && p[2] != ' '))
			return SOLVE_FAIL;
		bytes[i] = (u8)byte;
	}
	return set_memory(s, e->a, (struct span){ (char *)bytes, text.n ? n : 0 }, false);
}

/* {0x1,0x2} */
static enum scan_solved solve_array(struct scan_solver *s, const struct print_expr *e,
				    struct span text)
{
	u8 *bytes = arena_alloc(s->arena, text.n * 8 + 8);
	u64 size = 0, v;
	u32 n = 0;

	if (!bytes || text.n < 2 || text.s[0] != '{' || text.s[text.n - 1] != '}')
		return SOLVE_FAIL;
	if (!constant(s, e->c, &size) || (size != 1 && size != 2 && size != 4 && size != 8))
		return SOLVE_OPEN;
	text = (struct span){ text.s + 1, text.n - 2 };
	while (text.n) {
		if (!hex_number(span_sep(&text, ","), &v))
			return SOLVE_FAIL;
		for (u32 i = 0; i < size; i++)
			bytes[n * size + i] = (u8)(v >> shift_of(s, i, (u32)size));
		n++;
	}
	return set_memory(s, e->a, (struct span){ (char *)bytes, n * size }, false);
}

enum scan_solved scan_solve_text(struct scan_solver *s, const struct print_expr *e,
				 struct span text)
{
	switch (e->op) {
	case PRINT_STRING:
		return span_eq(text, e->text) ? SOLVE_DONE : SOLVE_FAIL;
	case PRINT_FIELD:
	case PRINT_MEMORY:
	case PRINT_DYNAMIC:
		return set_memory(s, e, text, true);
	case PRINT_CAST:
		return scan_solve_text(s, e->a, text);
	case PRINT_FLAGS:
		return solve_flags(s, e, text);
	case PRINT_SYMBOLIC:
		return solve_symbolic(s, e, text);
	case PRINT_HEX:
	case PRINT_HEX_STR:
		return solve_hex(s, e, text);
	case PRINT_ARRAY:
		return solve_array(s, e, text);
	case PRINT_COND:
		return solve_choice(s, e, &text, 0, 0);
	default:
		return SOLVE_OPEN;
	}
}
