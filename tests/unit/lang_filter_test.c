// SPDX-License-Identifier: LGPL-2.1-only
/* Filters and their patterns: trees, predicates, positions of errors. */
#include "lang_text.h"

static const struct filter_syntax new_syntax = { .cpus = true, .function = true };
static const struct filter_syntax old_syntax = { .cpus = false };
static const struct filter_syntax question = { .words = true };

static const char *const ops[] = { "~", "!=", "==", "<=", "<", ">=", ">", "&", "?" };

static void add_pred(struct strbuf *out, const struct filter_pred_text *p)
{
	static const char *const marks[] = { "?", "", "\"", "CPUS", "fn:", "fn#", "word:" };

	add_span(out, p->field);
	strbuf_addstr(out, p->ustring ? ".u" : "");
	strbuf_addstr(out, p->function ? ".f" : "");
	strbuf_addstr(out, ops[p->op]);
	strbuf_addstr(out, marks[p->operand]);
	if (p->operand != OPERAND_NONE)
		add_span(out, p->value);
}

static void add_node(struct strbuf *out, const struct filter_text *f, const struct filter_node *n)
{
	static const char *const names[] = { "", "!", "&& ", "|| " };

	if (n->kind == FILTER_PRED) {
		add_pred(out, &f->preds[n->pred]);
		return;
	}
	strbuf_addf(out, "(%s", names[n->kind]);
	add_node(out, f, n->left);
	if (n->right) {
		strbuf_addch(out, ' ');
		add_node(out, f, n->right);
	}
	strbuf_addch(out, ')');
}

/* The tree; or the predicates before the error, then the error with its position. */
static void check_filter(const struct filter_syntax *syntax, const char *text, const char *want)
{
	struct arena arena = ARENA_INIT;
	struct strbuf got = STRBUF_INIT;
	struct filter_text f;

	assert_int_equal(filter_cut(&arena, span_of(text), syntax, &f), 0);
	assert_true(f.bad == !f.root);
	if (f.root)
		add_node(&got, &f, f.root);
	for (size_t i = 0; i < f.n_preds && !f.root; i++) {
		const struct filter_pred_text *p = &f.preds[i];

		add_pred(&got, p);
		if (p->err != FILT_ERR_NONE)
			strbuf_addf(&got, " %zu: %s", p->err_at, filt_err_text[p->err]);
		strbuf_addstr(&got, "; ");
	}
	if (f.bad)
		strbuf_addf(&got, "%zu: %s", f.err_at, filt_err_text[f.err]);
	check_text(text, &got, want);
	arena_release(&arena);
}

static const char *const trees[][2] = {
	{ "a == 1", "a==1" },
	{ "a==1", "a==1" },
	{ " a\n==\t1 ", "a==1" },
	{ "a<=1 && b>=-2", "(&& a<=1 b>=-2)" },
	{ "a<1 || b>2 && c!=3", "(|| a<1 (&& b>2 c!=3))" },
	{ "a<1 && b>2 || c!=3", "(|| (&& a<1 b>2) c!=3)" },
	{ "a<1 || b>2 || c!=3", "(|| (|| a<1 b>2) c!=3)" },
	{ "(a<1||b>2)&&c!=3", "(&& (|| a<1 b>2) c!=3)" },
	{ "((a<1))", "a<1" },
	{ "!a==1", "(!a==1)" },
	{ "!!a==1", "a==1" },
	{ "! ! !a==1", "(!a==1)" },
	{ "!(a==1 && b==2)", "(!(&& a==1 b==2))" },
	{ "!(a==1) && b==2", "(&& (!a==1) b==2)" },
	{ "a & 1 && b&0xff", "(&& a&1 b&0xff)" },
	{ "a ~ \"x*\"", "a~\"x*" },
	{ "a == 'it\"s' || b == \"x && (y\"", "(|| a==\"it\"s b==\"x && (y)" },
	{ "a == \"\"", "a==\"" },
	{ "a.ustring ~ \"x\"", "a.u~\"x" },
	{ "a.function == vfs_read", "a.f==fn:vfs_read" },
	{ "a.function == 0x10", "a.f==fn#0x10" },
	{ "a.function == f || b == 1", "(|| a.f==fn:f b==1)" },
	{ "CPU & CPUS{1-3,7} && a==1", "(&& CPU&CPUS1-3,7 a==1)" },
	{ "a == 12345678901234567890123", "a==12345678901234567890123" },
	{ "_x9 == 1", "_x9==1" },
	{ "1 == 1", "1==1" }, /* fields are not checked here */
	{ "a == 0xffx", "a==0xffx" },
};

static void test_trees(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++)
		check_filter(&new_syntax, trees[i][0], trees[i][1]);
}

/* Errors of the whole text are detected before any predicate. */
static const char *const unbalanced[][2] = {
	{ "a == 1)", "6: Too few '('" },
	{ ")", "0: Too few '('" },
	{ "a == 1 && (b == 2))", "18: Too few '('" },
	{ "(a == 1", "0: Too many '('" },
	{ "a == 1 && ((b == 2)", "10: Too many '('" },
	{ "(a == 1) && (", "12: Too many '('" },
	{ "(a == \")\"", "0: Too many '('" },
	{ "a == \"x", "5: Missing matching quote" },
	{ "a == 'x\"", "5: Missing matching quote" },
	{ "a == \"x\" && b == \"", "17: Missing matching quote" },
	{ "", "0: Error" },
	{ "  ", "0: Error" },
	{ "()", "0: Error" },
	{ "(((", "2: Too many '('" },
};

static void test_unbalanced(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unbalanced); i++)
		check_filter(&new_syntax, unbalanced[i][0], unbalanced[i][1]);
}

/* Errors in and after predicates; positions are offsets in the text. */
static const char *const bad_preds[][2] = {
	{ "a", "a??; 0: Error" },
	{ "a =", "a??; 0: Error" },
	{ "a = 1", "a??; 0: Error" },
	{ "a == ", "a==?; 0: Error" },
	{ "a == b", "a==?; 0: Error" },
	{ "== 1", "==1; 0: Error" },
	{ "a == 1 && ", "a==1; 10: Meaningless filter expression" },
	{ "a == 1 ||", "a==1; 9: Meaningless filter expression" },
	{ "a == 1 b == 2", "a==1; 7: Too many terms in predicate expression" },
	{ "a == 1 & b == 2", "a==1; 7: Too many terms in predicate expression" },
	{ "a == 1 | b == 2", "a==1; 7: Too many terms in predicate expression" },
	{ "a == 1 || || b == 2", "a==1; ??; 0: Error" },
	{ "a == \"x\"y", "a==\"x; 8: Too many terms in predicate expression" },
	{ "a == 123456789012345678901234",
	  "a==123456789012345678901234 29: Operand too long; 0: Error" },
	{ "a == CPUS", "a==CPUS- 10: Missing '{'; 0: Error" },
	{ "a == CPUS{1", "a==CPUS1 11: Missing '}'; 0: Error" },
	{ "a == CPUS{}", "a==CPUS 10: Invalid cpulist; 0: Error" },
	{ "a == 1 && CPU & CPUS{", "a==1; CPU&CPUS 21: Missing '}'; 0: Error" },
	{ "!", "1: No filter found" },
};

static void test_bad_predicates(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_preds); i++)
		check_filter(&new_syntax, bad_preds[i][0], bad_preds[i][1]);
}

static void test_operand_lengths(void **state)
{
	struct arena arena = ARENA_INIT;
	struct filter_text f;
	char text[300];

	(void)state;
	snprintf(text, sizeof(text), "a == \"%0255d\"", 0);
	assert_int_equal(filter_cut(&arena, span_of(text), &new_syntax, &f), 0);
	assert_false(f.bad);
	snprintf(text, sizeof(text), "a == \"%0256d\"", 0);
	assert_int_equal(filter_cut(&arena, span_of(text), &new_syntax, &f), 0);
	assert_true(f.bad);
	assert_int_equal(f.preds[0].err, FILT_ERR_OPERAND_TOO_LONG);
	assert_int_equal(f.preds[0].err_at, 6 + 256);
	arena_release(&arena);
}

/* Features of newer kernels. */
static void test_versions(void **state)
{
	(void)state;
	check_filter(&old_syntax, "a == CPUS{1}", "a==?; 0: Error");
	check_filter(&old_syntax, "a.function == f", "a??; 0: Error");
	check_filter(&old_syntax, "a.ustring == \"x\"", "a.u==\"x");
}

/* Names and units, of questions only. */
static void test_words(void **state)
{
	(void)state;
	check_filter(&question, "a == openat", "a==word:openat");
	check_filter(&question, "a>=10ms", "a>=word:10ms");
	check_filter(&question, "a == -EAGAIN", "a==word:-EAGAIN");
	check_filter(&question, "a == 8:0", "a==word:8:0");
	check_filter(&question, "a == 8,0", "a==word:8,0");
	check_filter(&question, "a == 8,b", "a==8; 6: Too many terms in predicate expression");
	check_filter(&question, "a ~ kworker/*:?", "a~word:kworker/*:?");
	check_filter(&question, "a == x*", "a==?; 0: Error");
	check_filter(&question, "a == 12", "a==12");
	check_filter(&question, "a == -0x1f", "a==-0x1f");
	check_filter(&question, "a == 18446744073709551615", "a==18446744073709551615");
	check_filter(&question, "a == ", "a==?; 0: Error");
	check_filter(&question, "a == b c", "a==word:b; 7: Too many terms in predicate expression");
	check_filter(&new_syntax, "a == openat", "a==?; 0: Error");
}

/* Deep nesting and many terms must not exhaust the stack or take long. */
static void test_large(void **state)
{
	struct arena arena = ARENA_INIT;
	struct strbuf text = STRBUF_INIT;
	struct filter_text f;

	(void)state;
	strbuf_fill(&text, '(', TRIGGER_TEXT_MAX / 2);
	strbuf_addstr(&text, "a==1");
	strbuf_fill(&text, ')', TRIGGER_TEXT_MAX / 2);
	assert_int_equal(filter_cut(&arena, span_of(text.s), &new_syntax, &f), 0);
	assert_non_null(f.root);
	strbuf_reset(&text);
	strbuf_addstr(&text, "a&1");
	while (text.len < TRIGGER_TEXT_MAX)
		strbuf_addstr(&text, "&&a&1");
	assert_int_equal(filter_cut(&arena, span_of(text.s), &new_syntax, &f), 0);
	assert_non_null(f.root);
	assert_true(f.n_preds > TRIGGER_TEXT_MAX / 5);
	strbuf_release(&text);
	arena_release(&arena);
}

static const struct {
	const char *text;
	enum filter_match match;
	bool negated;
	const char *pattern;
} patterns[] = {
	{ "abc", MATCH_FULL, false, "abc" },
	{ "", MATCH_FULL, false, "" },
	{ "abc*", MATCH_FRONT_ONLY, false, "abc" },
	{ "*abc", MATCH_END_ONLY, false, "abc" },
	{ "*abc*", MATCH_MIDDLE_ONLY, false, "abc" },
	{ "*", MATCH_END_ONLY, false, "" },
	{ "**", MATCH_MIDDLE_ONLY, false, "" },
	{ "a*c", MATCH_GLOB, false, "a*c" },
	{ "*a*c", MATCH_GLOB, false, "*a*c" },
	{ "***", MATCH_GLOB, false, "***" },
	{ "a?c", MATCH_GLOB, false, "a?c" },
	{ "a[b-d]", MATCH_GLOB, false, "a[b-d]" },
	{ "a\\*", MATCH_GLOB, false, "a\\*" },
	{ "!abc", MATCH_FULL, true, "abc" },
	{ "!*abc", MATCH_END_ONLY, true, "abc" },
	{ "!", MATCH_FULL, true, "" },
	{ "!!a", MATCH_FULL, true, "!a" },
	/* kernel: text that starts with a digit is not interpreted */
	{ "1*", MATCH_FULL, false, "1*" },
	{ "!9?", MATCH_FULL, true, "9?" },
};

/* By the exact rules, a number is not an address, and a text ends at its NUL. */
static void test_exact_patterns(void **state)
{
	struct filter_pattern p;

	(void)state;
	filter_pattern_cut(span_of("7z*"), true, &p);
	assert_int_equal(p.match, MATCH_FRONT_ONLY);
	assert_true(p.ends_at_nul);
	filter_pattern_cut(span_of("7z*"), false, &p);
	assert_int_equal(p.match, MATCH_FULL);
	assert_false(p.ends_at_nul);
}

static void test_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct filter_pattern p;

		filter_pattern_cut(span_of(patterns[i].text), false, &p);
		if (p.match != patterns[i].match)
			print_error("# of: %s\n", patterns[i].text);
		assert_int_equal(p.match, patterns[i].match);
		assert_int_equal(p.negated, patterns[i].negated);
		if (p.match != MATCH_GLOB || patterns[i].pattern[0] != '*')
			assert_true(span_eq(p.text, patterns[i].pattern));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_trees),           TEST(test_unbalanced), TEST(test_bad_predicates),
		TEST(test_operand_lengths), TEST(test_versions),   TEST(test_large),
		TEST(test_patterns),        TEST(test_words),      TEST(test_exact_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
