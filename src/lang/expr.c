// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cuts the text of one key, value or variable into an expression tree.
 *
 * The kernel does not tokenise. It splits at the last operator of the lowest precedence and
 * continues with both sides, so parentheses have a meaning only directly after a leading minus,
 * and every '-' is an operator. It counts operators as it finds them, left before right, and
 * gives up at the operand after the fourth.
 */
#include "lang/expr.h"

enum { MAX_OPERATORS = 3 };

/* The operator at the root, or NULL. A '-' at the start is always the root. */
static const char *root_operator(struct span text)
{
	const char *minus = span_rchr(text, '-'), *plus = span_rchr(text, '+');
	const char *div, *mult;

	if (minus && minus == text.s)
		return minus;
	if (minus || plus)
		return plus > minus ? plus : minus;
	div = span_rchr(text, '/');
	mult = span_rchr(text, '*');
	return mult > div ? mult : div;
}

bool expr_has_operator(struct span text)
{
	return root_operator(text) != NULL;
}

static struct expr *expr_new(struct arena *arena, enum expr_kind kind, struct span text)
{
	struct expr *e = arena_alloc(arena, sizeof(*e));

	if (e) {
		e->kind = kind;
		e->text = text;
	}
	return e;
}

static struct expr *expr_bad(struct arena *arena, struct complaint bad)
{
	struct expr *e = expr_new(arena, EXPR_BAD, bad.text);

	if (e)
		e->bad = bad;
	return e;
}

static struct expr *cut(struct arena *arena, struct span text, unsigned int *n_ops);

/* -(OPERAND): the rest must start with '(' and end with ')', in the kernel's loose sense. */
static struct expr *cut_unary(struct arena *arena, struct span text, unsigned int *n_ops)
{
	struct span rest = span_skip(text, 1);
	const char *close;
	struct expr *e;

	if (++*n_ops > MAX_OPERATORS)
		return expr_bad(arena, complain(HIST_ERR_TOO_MANY_SUBEXPR, text));
	if (!span_chr(rest, '('))
		return expr_bad(arena,
				complain_silently(text, "a leading minus needs parentheses: -(x)"));
	rest = span_skip(rest, 1);
	close = span_rchr(rest, ')');
	if (!close)
		return expr_bad(arena,
				complain_silently(text, "the closing parenthesis is missing"));
	if (close + 1 != rest.s + rest.n)
		return expr_bad(arena, complain(HIST_ERR_UNARY_MINUS_SUBEXPR, rest));
	e = expr_new(arena, EXPR_UNARY_MINUS, text);
	if (!e)
		return NULL;
	e->left = cut(arena, span_between(rest.s, close), n_ops);
	return e->left ? e : NULL;
}

static struct expr *cut(struct arena *arena, struct span text, unsigned int *n_ops)
{
	const char *op;
	struct span left, right;
	struct expr *e;

	if (*n_ops > MAX_OPERATORS)
		return expr_bad(arena, complain(HIST_ERR_TOO_MANY_SUBEXPR, text));
	op = root_operator(text);
	if (!op)
		return expr_new(arena, EXPR_ATOM, text);
	if (op == text.s && *op == '-')
		return cut_unary(arena, text, n_ops);
	left = span_between(text.s, op);
	right = span_between(op + 1, text.s + text.n);
	++*n_ops;
	if (!left.n || !right.n)
		return expr_bad(arena,
				complain_silently(
					text, "an operand is missing; was it $NAME in double "
					      "quotes? A shell replaces that: use single quotes"));
	e = expr_new(arena, EXPR_BINARY, text);
	if (!e)
		return NULL;
	e->op = (enum expr_op) * op;
	e->left = cut(arena, left, n_ops);
	e->right = e->left ? cut(arena, right, n_ops) : NULL;
	return e->right ? e : NULL;
}

struct expr *expr_cut(struct arena *arena, struct span text)
{
	unsigned int n_ops = 0;

	return cut(arena, text, &n_ops);
}

void atom_cut(struct span text, struct atom *out)
{
	const char *dot = span_chr(text, '.');

	*out = (struct atom){ .name = text };
	if (!dot || !span_chr(span_between(dot + 1, text.s + text.n), '.'))
		return;
	out->system = span_sep(&out->name, ".");
	out->event = span_sep(&out->name, ".");
}

static const struct {
	const char *text;
	enum modifier modifier;
} modifiers[] = {
	{ "hex", MODIFIER_HEX },
	{ "sym", MODIFIER_SYM },
	{ "symXoffset", MODIFIER_SYM_OFFSET },
	{ "execname", MODIFIER_EXECNAME },
	{ "syscall", MODIFIER_SYSCALL },
	{ "stacktrace", MODIFIER_STACKTRACE },
	{ "log2", MODIFIER_LOG2 },
	{ "usecs", MODIFIER_USECS },
	{ "share", MODIFIER_SHARE },
	{ "cpu", MODIFIER_OF_CPU },
	{ "mean", MODIFIER_MEAN },
};

/* ORDER who_what */
static const char *const who_words[N_WHO] = {
	"tgid", "uid", "task", "process", "cgroup", "cmdline"
};

/* ORDER code_what */
static const char *const code_words[N_CODE] = { "sym", "dso", "srcline", "ustack", "stack" };

enum code_what code_find(struct span word)
{
	unsigned int what = 0;

	while (what < N_CODE && !span_eq(word, code_words[what]))
		what++;
	return what;
}

enum code_what code_find_stack(struct span name)
{
	enum code_what what = code_find(span_skip(name, span_starts(name, "common_") ? 7 : 0));

	return what > CODE_SRCLINE ? what : N_CODE;
}

const char *code_word(enum code_what what)
{
	return code_words[what];
}

enum who_what who_find(struct span word)
{
	unsigned int what = 0;

	while (what < N_WHO && !span_eq(word, who_words[what]))
		what++;
	return what;
}

const char *who_word(enum who_what what)
{
	return who_words[what];
}

enum who_what who_find_common(struct span name)
{
	return span_starts(name, "common_") ? who_find(span_skip(name, 7)) : N_WHO;
}

/* A number, or a time with its unit, which no kernel knows. */
static bool cut_size(struct span text, u64 *out, bool *timed)
{
	if (span_u64(text, out))
		return true;
	if (!text.n || text.s[text.n - 1] != 's' || !span_time(text, out))
		return false;
	*timed = true;
	return true;
}

/* bucket=N or buckets=N; the kernel's complaint quotes what follows the name. */
static void cut_buckets(struct span text, struct field_text *out)
{
	struct span rest = span_skip(text, strlen("bucket"));

	if (span_starts(rest, "s"))
		rest = span_skip(rest, 1);
	out->modifier = MODIFIER_BAD;
	out->bad = rest;
	if (!span_starts(rest, "="))
		return;
	rest = span_skip(rest, 1);
	out->bad = rest;
	if (cut_size(rest, &out->buckets, &out->timed) && out->buckets)
		out->modifier = MODIFIER_BUCKETS;
}

/* lhist=MIN_MAX_SIZE; a minus is the letter m, because '-' is an operator. */
static void cut_lhist(struct span text, struct field_text *out)
{
	struct span rest = span_skip(text, strlen("lhist="));
	u64 *const numbers[] = { &out->from, &out->to, &out->buckets };
	bool good = true;

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		struct span number = span_sep(&rest, "_");
		const bool minus = span_starts(number, "m");

		good &= cut_size(span_skip(number, minus), numbers[i], &out->timed);
		if (minus)
			*numbers[i] = 0 - *numbers[i];
	}
	if (good && !rest.s && out->buckets)
		out->modifier = MODIFIER_LHIST;
}

void field_text_cut(struct span text, struct field_text *out)
{
	struct span rest = text;

	*out = (struct field_text){ .name = span_sep(&rest, ".") };
	if (!rest.s)
		return;
	out->bad = rest;
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++)
		if (span_eq(rest, modifiers[i].text))
			out->modifier = modifiers[i].modifier;
	if (out->modifier != MODIFIER_NONE)
		return;
	out->who = who_find(rest);
	out->code = code_find(rest);
	out->modifier = out->who < N_WHO            ? MODIFIER_WHO
			: out->code <= CODE_SRCLINE ? MODIFIER_CODE
						    : MODIFIER_BAD;
	/* kernel: compares only the first letters of these */
	if (span_starts(rest, "bucket"))
		cut_buckets(rest, out);
	else if (span_starts(rest, "lhist="))
		cut_lhist(rest, out);
	else if (span_starts(rest, "percent"))
		out->modifier = MODIFIER_PERCENT;
	else if (span_starts(rest, "graph"))
		out->modifier = MODIFIER_GRAPH;
}
