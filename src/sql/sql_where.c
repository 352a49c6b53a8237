// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The conditions of a statement: comparisons become predicates of a filter, which the filter of
 * their event resolves; AND, OR and NOT stay a tree, because each event has a filter of its own.
 */
#include "sql/parser.h"

enum { DEPTH_MAX = 100 };

static struct sql_cond *take_list(struct sql_parser *p, enum sql_cond_kind kind);

static struct sql_cond *new_cond(struct sql_parser *p, struct sql_cond from)
{
	struct sql_cond *c = arena_alloc(p->arena, sizeof(*c));

	if (!c)
		p->err = HIST_NOMEM;
	else
		*c = from;
	return c;
}

/* A text in the quotes that it does not contain; % and _ of LIKE are * and ? of a glob. */
static void add_text(struct sql_parser *p, struct span text, bool like, struct strbuf *out)
{
	struct span inner;
	char quote;

	if (text.n < 2 || text.s[text.n - 1] != text.s[0]) {
		sql_complain(p, text, "the text has no end: %c is missing", text.s[0]);
		return;
	}
	inner = (struct span){ text.s + 1, text.n - 2 };
	quote = span_chr(inner, '"') ? '\'' : '"';
	for (size_t i = 0; i < inner.n; i++)
		if ((unsigned char)inner.s[i] < 32) {
			sql_complain(p, text, "the text contains a control character");
			return;
		}
	strbuf_addch(out, quote);
	for (size_t i = 0; i < inner.n; i++)
		strbuf_addch(out, !like               ? inner.s[i]
				  : inner.s[i] == '%' ? '*'
				  : inner.s[i] == '_' ? '?'
						      : inner.s[i]);
	strbuf_addch(out, quote);
}

/* A number, a text, or a word that the filter resolves. */
static void take_value(struct sql_parser *p, bool like, struct strbuf *out)
{
	bool negative = sql_accept(p, "-");
	struct span text = p->token;

	strbuf_addstr(out, negative ? "-" : "");
	if (text.n && (text.s[0] == '"' || text.s[0] == '\'') && !negative) {
		add_text(p, text, like, out);
	} else if (text.n && sql_is_word(text.s[0]) && !like) {
		/* a device: 8:0 */
		while (p->rest.n && (p->rest.s[0] == ':' || sql_is_word(p->rest.s[0]))) {
			text.n++;
			p->rest = span_skip(p->rest, 1);
		}
		strbuf_add(out, text.s, text.n);
	} else {
		sql_syntax_error(p, like ? "a text in quotes" : "a number or a text in quotes");
	}
	sql_next(p);
}

/* The field of a comparison, as a filter names it. */
static const char *field_text(struct sql_parser *p, const struct sql_operand *op)
{
	if (!p->err && op->kind != SQL_FIELD)
		sql_complain(p, op->word,
			     "a condition compares a field with a value; --from and --to "
			     "select times");
	return p->err ? NULL
		      : arena_printf(p->arena, "%s%.*s", op->field->name, (int)op->modifier.n,
				     op->modifier.s ? op->modifier.s : "");
}

static const char *take_comparison(struct sql_parser *p)
{
	static const char *const ops[][2] = { { "=", "==" },  { "==", "==" },  { "<>", "!=" },
					      { "!=", "!=" }, { "<=", "<=" },  { "<", "<" },
					      { ">=", ">=" }, { ">", ">" },    { "&", "&" },
					      { "~", "~" },   { "glob", "~" }, { "like", "~" } };

	for (size_t i = 0; i < ARRAY_SIZE(ops); i++)
		if (sql_accept(p, ops[i][0]))
			return ops[i][1];
	sql_syntax_error(p, "a comparison");
	return "==";
}

/* FIELD [NOT] IN (...), BETWEEN a AND b, LIKE 'x%', = 5 */
static void take_test(struct sql_parser *p, const char *field, struct strbuf *out)
{
	const char *before = "(";

	if (sql_accept(p, "not"))
		strbuf_addch(out, '!');
	if (sql_accept(p, "between")) {
		strbuf_addf(out, "(%s >= ", field);
		take_value(p, false, out);
		sql_expect(p, "AND");
		strbuf_addf(out, " && %s <= ", field);
		take_value(p, false, out);
		strbuf_addch(out, ')');
	} else if (sql_accept(p, "in")) {
		sql_expect(p, "(");
		do {
			strbuf_addf(out, "%s%s == ", before, field);
			take_value(p, false, out);
			before = " || ";
		} while (!p->err && sql_accept(p, ","));
		strbuf_addch(out, ')');
		sql_expect(p, ")");
	} else {
		const bool negated = out->len && out->s[out->len - 1] == '!';
		const bool like = sql_token_is(p, "like");
		const char *op = take_comparison(p);

		strbuf_addf(out, "%s%s %s ", negated ? "(" : "", field, op);
		take_value(p, like, out);
		strbuf_addstr(out, negated ? ")" : "");
	}
}

static struct sql_cond *take_predicate(struct sql_parser *p)
{
	struct sql_operand op = sql_take_operand(p);
	const char *field = field_text(p, &op);
	struct strbuf out = STRBUF_INIT;
	struct sql_cond c = { .kind = SQL_PRED, .sources = 1u << op.source, .words = op.word };

	if (!p->err)
		take_test(p, field, &out);
	c.text = arena_take(p->arena, &out);
	if (!c.text && !p->err)
		p->err = HIST_NOMEM;
	return p->err ? NULL : new_cond(p, c);
}

static struct sql_cond *take_unary(struct sql_parser *p)
{
	struct sql_cond c = { .kind = SQL_NOT, .words = p->token }, *inner;
	const bool negated = sql_accept(p, "not") || sql_accept(p, "!");

	if (p->depth++ > DEPTH_MAX)
		sql_complain(p, p->token, "the condition is nested too deeply");
	if (p->err)
		return NULL;
	if (negated) {
		inner = take_unary(p);
	} else if (sql_accept(p, "(")) {
		inner = take_list(p, SQL_OR);
		sql_expect(p, ")");
	} else {
		inner = take_predicate(p);
	}
	p->depth--;
	if (!negated || p->err)
		return p->err ? NULL : inner;
	c.left = inner;
	c.sources = inner->sources;
	return new_cond(p, c);
}

/* A list of @take, with @words between them. */
static struct sql_cond *take_list(struct sql_parser *p, enum sql_cond_kind kind)
{
	const bool is_and = kind == SQL_AND;
	struct sql_cond *left = is_and ? take_unary(p) : take_list(p, SQL_AND);

	while (!p->err && (is_and ? sql_accept(p, "and") || sql_accept(p, "&&")
				  : sql_accept(p, "or") || sql_accept(p, "||"))) {
		struct sql_cond *right = is_and ? take_unary(p) : take_list(p, SQL_AND);

		if (!p->err)
			left = new_cond(p, (struct sql_cond){ .kind = kind,
							      .left = left,
							      .right = right,
							      .sources = left->sources |
									 right->sources,
							      .words = left->words });
	}
	return p->err ? NULL : left;
}

const struct sql_cond *sql_take_where(struct sql_parser *p)
{
	return take_list(p, SQL_OR);
}
