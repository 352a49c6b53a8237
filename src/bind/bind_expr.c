// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Binds the tree that lang cut: a hist_field with its operands, or one constant if both sides are
 * constant.
 *
 * The result has the size, type, sign and time unit of its left operand. Corresponds to
 * parse_expr(), parse_unary(), expr_str() in trace_events_hist.c.
 */
#include "bind/binding.h"
#include "program/eval.h"

enum { HIST_DIV_SHIFT = 20 };

static const u32 time_flags = HIST_FIELD_FL_TIMESTAMP | HIST_FIELD_FL_TIMESTAMP_USECS;

/* --- the remains of a text after the kernel cut it --- */

static size_t first_cut(const struct expr *e, const char *base)
{
	struct atom atom;
	size_t left;

	switch (e->kind) {
	case EXPR_BINARY:
		left = first_cut(e->left, base);
		return min_t(size_t, left, (size_t)(e->right->text.s - 1 - base));
	case EXPR_UNARY_MINUS:
		left = first_cut(e->left, base);
		return min_t(size_t, left, (size_t)(e->left->text.s + e->left->text.n - base));
	case EXPR_ATOM:
		atom_cut(e->text, &atom);
		return atom.system.s ? (size_t)(atom.system.s + atom.system.n - base) : SIZE_MAX;
	default:
		return SIZE_MAX;
	}
}

struct span cut_by_kernel(struct arena *arena, struct span text)
{
	struct expr *e = expr_cut(arena, text);

	if (e)
		text.n = min_t(size_t, text.n, first_cut(e, text.s));
	return text;
}

/* --- strings --- */

/* The text of @f as an operand of a leading minus; false if the kernel cannot represent it. */
static bool inner_text(const struct bind *b, const struct hist_field *f, struct strbuf *out)
{
	if (!f->expr.operands[0]) {
		hist_field_operand_text(f, b->q, out);
		return true;
	}
	if (!f->expr.op)
		return false;
	hist_field_operand_text(f->expr.operands[0], b->q, out);
	strbuf_addch(out, (char)f->expr.op);
	hist_field_operand_text(f->expr.operands[1], b->q, out);
	return true;
}

static bool write_text(const struct bind *b, const struct hist_field *f, struct strbuf *out)
{
	if (!f->expr.operands[0] || f->expr.op)
		return inner_text(b, f, out);
	strbuf_addstr(out, "-(");
	if (!inner_text(b, f->expr.operands[0], out))
		return false;
	strbuf_addch(out, ')');
	return true;
}

/* Name and label of an expression: its text as the kernel writes it. */
static int set_text(struct bind *b, struct hist_field *f, struct span text)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	bool ok = write_text(b, f, &sb) && sb.len < MAX_FILTER_STR_VAL;

	f->name = sb.failed ? NULL : arena_strndup(&b->hd->arena, sb.s, ok ? sb.len : 0);
	if (!f->name)
		return HIST_NOMEM;
	if (f->flags & HIST_FIELD_FL_EXPR)
		f->label = f->name;
	if (!ok && b->q->expr_text_checked)
		return log_silent(b->log, text,
				  "the kernel cannot represent this expression in 255 characters");
	return 0;
}

/* --- operands --- */

/* The variable of a reference, or NULL if it was removed; for other fields, @f itself. */
static struct hist_field *resolve_ref(struct hist_field *f)
{
	if (!(f->flags & (HIST_FIELD_FL_VAR_REF | HIST_FIELD_FL_ALIAS)))
		return f;
	return find_var_field(f->var.hist_data, span_of(f->name));
}

static int bind_operand(struct bind *b, const struct expr *e, struct hist_field **out);

static int bind_numeric(struct bind *b, const struct expr *e, struct hist_field **out)
{
	int err = bind_operand(b, e, out);

	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): set if there is no error */
	if (!err && (*out)->flags & HIST_FIELD_FL_STRING)
		return log_hist_err(b->log, HIST_ERR_INVALID_STR_OPERAND,
				    cut_by_kernel(&b->hd->arena, e->text));
	return err;
}

static int bind_unary(struct bind *b, const struct expr *e, u32 flags, const char *var_name,
		      struct hist_field **out)
{
	struct hist_field *f;
	int err = hist_field_new(b, NULL, flags | HIST_FIELD_FL_EXPR, var_name, &f);

	err = err ?: bind_numeric(b, e->left, &f->expr.operands[0]);
	if (err)
		return err;
	f->flags |= f->expr.operands[0]->flags & time_flags;
	f->size = f->expr.operands[0]->size;
	f->is_signed = f->expr.operands[0]->is_signed;
	f->type = f->expr.operands[0]->type;
	f->kind = f->expr.operands[0]->kind == HIST_NUMBER ? HIST_NUMBER : HIST_ADDRESS;
	*out = f;
	return set_text(b, f, e->text);
}

/* kernel: divides by small constants that are not powers of two by an approximation. */
static void choose_division(struct hist_field *f, u64 divisor)
{
	f->expr.operands[1]->expr.constant = divisor;
	if (!(divisor & (divisor - 1)))
		f->expr.division = DIVIDE_POWER2;
	else if (divisor > 1 << HIST_DIV_SHIFT)
		f->expr.division = DIVIDE_NOT_POWER2;
	else
		f->expr.division = DIVIDE_MULT_SHIFT;
	f->expr.operands[1]->expr.multiplier =
		f->expr.division == DIVIDE_MULT_SHIFT ? (1u << HIST_DIV_SHIFT) / divisor : 0;
}

/*
 * Both sides are constant: the value is computed now. kernel: it then divides by the variable that
 * a reference refers to, which lacks the multiplier, so that small dividends give 0.
 */
static void fold(struct hist_field *f, struct hist_field *left, struct hist_field *right)
{
	u64 multiplier = right == f->expr.operands[1] ? right->expr.multiplier : 0;

	f->expr.constant =
		eval_op(f->expr.op, f->expr.division,
			(struct eval_operands){ left->expr.constant, right->expr.constant,
						right->expr.constant, multiplier });
	f->expr.operands[0] = f->expr.operands[1] = NULL;
	f->expr.op = 0;
}

static bool is_text(const struct hist_field *f)
{
	return f->kind == HIST_TEXT || f->kind == HIST_TEXT_PART;
}

static enum hist_kind result_kind(enum expr_op op, const struct hist_field *left,
				  const struct hist_field *right)
{
	if (left->kind == HIST_NUMBER && right->kind == HIST_NUMBER)
		return HIST_NUMBER;
	if ((op == EXPR_PLUS || op == EXPR_MINUS) && is_text(left) && right->kind == HIST_NUMBER)
		return HIST_TEXT_PART;
	if (op == EXPR_PLUS && left->kind == HIST_NUMBER && is_text(right))
		return HIST_TEXT_PART;
	return HIST_ADDRESS;
}

static int bind_binary(struct bind *b, const struct expr *e, u32 flags, const char *var_name,
		       struct hist_field **out)
{
	struct hist_field *operands[2], *f, *left, *right;
	int err;
	bool constant;

	cut_definition(b, e->right->text.s - 1);
	err = bind_numeric(b, e->left, &operands[0]);
	err = err ?: bind_numeric(b, e->right, &operands[1]);
	err = err ?: hist_field_new(b, NULL, flags | HIST_FIELD_FL_EXPR, var_name, &f);
	if (err)
		return err;
	f->flags = flags;
	f->expr.operands[0] = operands[0];
	f->expr.operands[1] = operands[1];
	*out = f;
	/* Combine two bound operands; *f is complete then. */
	left = resolve_ref(f->expr.operands[0]);
	right = resolve_ref(f->expr.operands[1]);
	if (!left || !right)
		return log_silent(b->log, e->text, "the variable no longer exists");
	if ((left->flags ^ right->flags) & HIST_FIELD_FL_TIMESTAMP_USECS)
		return log_hist_err(b->log, HIST_ERR_TIMESTAMP_MISMATCH, (struct span){ NULL, 0 });
	constant = left->flags & right->flags & HIST_FIELD_FL_CONST;
	f->flags |= constant ? HIST_FIELD_FL_CONST : HIST_FIELD_FL_EXPR;
	f->flags |= f->expr.operands[0]->flags & time_flags;
	f->expr.operands[0]->ref.read_once = f->expr.operands[1]->ref.read_once = true;
	if (e->op == EXPR_DIV && right->flags & HIST_FIELD_FL_CONST) {
		if (!right->expr.constant)
			return log_hist_err(b->log, HIST_ERR_DIVISION_BY_ZERO,
					    cut_by_kernel(&b->hd->arena, e->right->text));
		choose_division(f, right->expr.constant);
	}
	f->expr.op = e->op;
	f->kind = result_kind(e->op, f->expr.operands[0], f->expr.operands[1]);
	f->size = constant ? 8 : f->expr.operands[0]->size;
	f->type = constant ? "u64" : f->expr.operands[0]->type;
	f->is_signed = !constant && f->expr.operands[0]->is_signed;
	if (constant)
		fold(f, left, right);
	return set_text(b, f, e->text);
}

static int bind_tree(struct bind *b, const struct expr *e, u32 flags, const char *var_name,
		     struct hist_field **out)
{
	switch (e->kind) {
	case EXPR_ATOM:
		return bind_atom(b, e->text, flags, var_name, out);
	case EXPR_UNARY_MINUS:
		return bind_unary(b, e, flags, var_name, out);
	case EXPR_BINARY:
		return bind_binary(b, e, flags, var_name, out);
	default:
		return log_complaint(b->log, &e->bad);
	}
}

static int bind_operand(struct bind *b, const struct expr *e, struct hist_field **out)
{
	return bind_tree(b, e, 0, NULL, out);
}

int bind_expr(struct bind *b, struct span text, u32 flags, const char *var_name,
	      struct hist_field **out)
{
	struct expr *e = expr_cut(&b->hd->arena, text);

	return e ? bind_tree(b, e, flags, var_name, out) : HIST_NOMEM;
}
