// SPDX-License-Identifier: LGPL-2.1-only
/* Expressions, atoms and modifiers. */
#include "lang_text.h"

static void add_expr(struct strbuf *out, const struct expr *e)
{
	switch (e->kind) {
	case EXPR_ATOM:
		add_span(out, e->text);
		break;
	case EXPR_UNARY_MINUS:
		strbuf_addstr(out, "(neg ");
		add_expr(out, e->left);
		strbuf_addch(out, ')');
		break;
	case EXPR_BINARY:
		strbuf_addf(out, "(%c ", (char)e->op);
		add_expr(out, e->left);
		strbuf_addch(out, ' ');
		add_expr(out, e->right);
		strbuf_addch(out, ')');
		break;
	case EXPR_BAD:
		assert_true(e->bad.set);
		strbuf_addch(out, '<');
		add_complaint(out, &e->bad);
		strbuf_addch(out, '>');
	}
}

static void check_tree(const char *text, const char *want)
{
	struct arena arena = ARENA_INIT;
	struct strbuf got = STRBUF_INIT;
	struct expr *e = expr_cut(&arena, span_of(text));

	assert_non_null(e);
	assert_true(e->kind == EXPR_BAD || span_eq(e->text, text));
	add_expr(&got, e);
	check_text(text, &got, want);
	arena_release(&arena);
}

static const char *const trees[][2] = {
	{ "pid", "pid" },
	{ "", "" },
	{ "a+b", "(+ a b)" },
	{ "a-b-c", "(- (- a b) c)" }, /* from left to right */
	{ "16-8-4-2", "(- (- (- 16 8) 4) 2)" },
	{ "64/8/4/2", "(/ (/ (/ 64 8) 4) 2)" },
	{ "16-8+4+2", "(+ (+ (- 16 8) 4) 2)" },
	{ "4*3/2*2", "(* (/ (* 4 3) 2) 2)" },
	{ "4+3*2-2", "(- (+ 4 (* 3 2)) 2)" },
	{ "4+6/2-2", "(- (+ 4 (/ 6 2)) 2)" },
	{ "a*b+c/d", "(+ (* a b) (/ c d))" },
	{ "common_timestamp.usecs-$ts0", "(- common_timestamp.usecs $ts0)" },
	{ "common_timestamp.usecs-sched.sched_waking.$ts0",
	  "(- common_timestamp.usecs sched.sched_waking.$ts0)" },
	{ " a + b ", "(+  a   b )" }, /* blanks are part of the operands */
	{ "a%b", "a%b" },
	/* parentheses are ordinary characters, except after a minus */
	{ "(a+b)*c", "(+ (a (* b) c))" },
	{ "-(a)", "(neg a)" },
	{ "-(a+b)", "(neg (+ a b))" },
	{ "-(a*b)", "(neg (* a b))" },
	{ "-(10)", "(neg 10)" },
	{ "-x(a)", "(neg (a)" }, /* kernel: a '(' is required, and one character is skipped */
	{ "-((a))", "(neg (a))" },
	{ "-()", "(neg )" },
};

static void test_trees(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
		check_tree(trees[i][0], trees[i][1]);
}

static const char *const bad_trees[][2] = {
	{ "a+", "< error: silent 'a+'>" },
	{ "+a", "< error: silent '+a'>" },
	{ "*", "< error: silent '*'>" },
	{ "a++b", "(+ < error: silent 'a+'> b)" },
	{ "-a", "< error: silent '-a'>" },
	{ "-", "< error: silent '-'>" },
	{ "-(a", "< error: silent '-(a'>" },
	{ "-a)", "< error: silent '-a)'>" },
	/* the last '-' is not the first one: a binary minus, whose left side is not a number */
	{ "-(a-b)", "(- < error: silent '-(a'> b))" },
	{ "-(a)-b", "(- (neg a) b)" },
	{ "-(1)+2", "< error: Unary minus not supported in sub-expressions '1)+2'>" },
	{ "-(a)x", "< error: Unary minus not supported in sub-expressions 'a)x'>" },
};

static void test_bad_trees(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_trees); i++)
		check_tree(bad_trees[i][0], bad_trees[i][1]);
}

/* The first error in the order of the kernel: node, left, right. */
static const struct complaint *first_complaint(const struct expr *e)
{
	const struct complaint *c;

	if (!e || e->kind == EXPR_BAD)
		return e ? &e->bad : NULL;
	c = first_complaint(e->left);
	return c ? c : first_complaint(e->right);
}

/* Three operators are allowed; the message refers to the operand after the fourth. */
static const char *const operand_too_many[][2] = {
	{ "1+2+3+4", "" },        { "a*b-c/d", "" },    { "-(a+b+c)", "" },    { "1+2+3+4+5", "1" },
	{ "32+10*3/20-4", "10" }, { "a-b*c*d*e", "b" }, { "-(a+b+c+d)", "a" },
};

static void test_operator_count(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(operand_too_many); i++) {
		struct arena arena = ARENA_INIT;
		struct strbuf got = STRBUF_INIT;
		const struct complaint *c;

		c = first_complaint(expr_cut(&arena, span_of(operand_too_many[i][0])));
		if (c) {
			assert_int_equal(c->err, HIST_ERR_TOO_MANY_SUBEXPR);
			add_span(&got, c->text);
		}
		check_text(operand_too_many[i][0], &got, operand_too_many[i][1]);
		arena_release(&arena);
	}
}

/* A long chain must not take time or stack beyond the limit of operators. */
static void test_long_chain(void **state)
{
	struct arena arena = ARENA_INIT;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	strbuf_addch(&text, 'a');
	while (text.len < TRIGGER_TEXT_MAX)
		strbuf_addstr(&text, "+a");
	assert_non_null(expr_cut(&arena, span_of(text.s)));
	strbuf_reset(&text);
	while (text.len < TRIGGER_TEXT_MAX)
		strbuf_addstr(&text, "-(");
	assert_non_null(expr_cut(&arena, span_of(text.s)));
	strbuf_release(&text);
	arena_release(&arena);
}

static void test_has_operator(void **state)
{
	(void)state;
	assert_true(expr_has_operator(span_of("a+b")));
	assert_true(expr_has_operator(span_of("a.sym-offset")));
	assert_true(expr_has_operator(span_of("*")));
	assert_false(expr_has_operator(span_of("a.symXoffset")));
	assert_false(expr_has_operator(span_of("")));
	assert_false(expr_has_operator(span_of("a.buckets=5")));
}

/* SYSTEM|EVENT|NAME */
static const char *const atoms[][2] = {
	{ "pid", "-|-|pid" },
	{ "pid.hex", "-|-|pid.hex" },
	{ "$ts0", "-|-|$ts0" },
	{ "a.b.c", "a|b|c" },
	{ "sched.sched_waking.$ts0", "sched|sched_waking|$ts0" },
	{ "foo.bar.prio.hex", "foo|bar|prio.hex" },
	{ "prio.hex.log2", "prio|hex|log2" }, /* so two modifiers are never combined */
	{ "..", "||" },
	{ ".a", "-|-|.a" },
	{ "a..b", "a||b" },
	{ "", "-|-|" },
};

static void test_atoms(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(atoms); i++) {
		struct strbuf got = STRBUF_INIT;
		struct atom a;

		atom_cut(span_of(atoms[i][0]), &a);
		add_span(&got, a.system);
		strbuf_addch(&got, '|');
		add_span(&got, a.event);
		strbuf_addch(&got, '|');
		add_span(&got, a.name);
		check_text(atoms[i][0], &got, atoms[i][1]);
	}
	assert_true(is_var_ref(span_of("$x")));
	assert_false(is_var_ref(span_of("$")));
	assert_false(is_var_ref(span_of("x$")));
	assert_false(is_var_ref(span_of("")));
}

static const struct {
	const char *text, *name;
	enum modifier modifier;
	u64 buckets;
	const char *bad; /* MODIFIER_BAD: the text that the kernel points at */
} modifiers[] = {
	{ "pid", "pid", MODIFIER_NONE, 0, NULL },
	{ "pid.hex", "pid", MODIFIER_HEX, 0, NULL },
	{ "ip.sym", "ip", MODIFIER_SYM, 0, NULL },
	{ "ip.symXoffset", "ip", MODIFIER_SYM_OFFSET, 0, NULL },
	{ "common_pid.execname", "common_pid", MODIFIER_EXECNAME, 0, NULL },
	{ "id.syscall", "id", MODIFIER_SYSCALL, 0, NULL },
	{ "s.stacktrace", "s", MODIFIER_STACKTRACE, 0, NULL },
	{ "x.log2", "x", MODIFIER_LOG2, 0, NULL },
	{ "common_timestamp.usecs", "common_timestamp", MODIFIER_USECS, 0, NULL },
	{ "x.buckets=5", "x", MODIFIER_BUCKETS, 5, NULL },
	{ "x.bucket=0x10", "x", MODIFIER_BUCKETS, 16, NULL },
	{ "x.buckets=010", "x", MODIFIER_BUCKETS, 8, NULL },
	{ "x.buckets=18446744073709551615", "x", MODIFIER_BUCKETS, UINT64_MAX, NULL },
	/* kernel: only the beginning is compared */
	{ "x.percent", "x", MODIFIER_PERCENT, 0, NULL },
	{ "x.percentage", "x", MODIFIER_PERCENT, 0, NULL },
	{ "x.graph", "x", MODIFIER_GRAPH, 0, NULL },
	{ "x.graphics", "x", MODIFIER_GRAPH, 0, NULL },
	{ "x.hexx", "x", MODIFIER_BAD, 0, "hexx" },
	{ "x.Hex", "x", MODIFIER_BAD, 0, "Hex" },
	{ "x.", "x", MODIFIER_BAD, 0, "" },
	{ "x.string", "x", MODIFIER_BAD, 0, "string" },
	{ "x.descending", "x", MODIFIER_BAD, 0, "descending" },
	{ "x.buckets", "x", MODIFIER_BAD, 0, "" },
	{ "x.bucket", "x", MODIFIER_BAD, 0, "" },
	{ "x.buckets=", "x", MODIFIER_BAD, 0, "" },
	{ "x.buckets=0", "x", MODIFIER_BAD, 0, "0" },
	{ "x.buckets=5x", "x", MODIFIER_BAD, 0, "5x" },
	{ "x.buckets=-5", "x", MODIFIER_BAD, 0, "-5" },
	{ "x.bucketsy=5", "x", MODIFIER_BAD, 0, "y=5" },
	{ "x.buckets=18446744073709551616", "x", MODIFIER_BAD, 0, "18446744073709551616" },
	{ ".hex", "", MODIFIER_HEX, 0, NULL },
};

static void test_modifiers(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++) {
		struct field_text f;

		field_text_cut(span_of(modifiers[i].text), &f);
		if (f.modifier != modifiers[i].modifier)
			print_error("# of: %s\n", modifiers[i].text);
		assert_int_equal(f.modifier, modifiers[i].modifier);
		assert_true(span_eq(f.name, modifiers[i].name));
		if (modifiers[i].bad)
			assert_true(span_eq(f.bad, modifiers[i].bad));
		if (f.modifier == MODIFIER_BUCKETS)
			assert_int_equal(f.buckets, modifiers[i].buckets);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_trees),      TEST(test_bad_trees),    TEST(test_operator_count),
		TEST(test_long_chain), TEST(test_has_operator), TEST(test_atoms),
		TEST(test_modifiers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
