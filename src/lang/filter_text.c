// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cuts a filter into predicates, in the order in which the kernel binds them, and the tree that
 * combines them, or finds the first complaint about the text itself.
 *
 * The kernel first counts parentheses and quotes over the whole text and parses only then. Answers
 * to trace_events_filter.c.
 */
#include "lang/filter_text.h"

struct filter_parser {
	struct arena *arena;
	const struct filter_syntax *syntax;
	struct filter_text *out;
	size_t at;     /* offset of the next character to read */
	size_t room;   /* for predicates */
	bool open_and; /* the text ends in && */
};

/* The character at offset @i; NUL at the end. */
static char at(const struct filter_parser *p, size_t i)
{
	return i < p->out->text.n ? p->out->text.s[i] : '\0';
}

static struct span text_from(const struct filter_parser *p, size_t i)
{
	return span_skip(p->out->text, i);
}

static size_t skip_spaces(const struct filter_parser *p, size_t i)
{
	while (is_space(at(p, i)))
		i++;
	return i;
}

static struct filter_node *complain_at(struct filter_parser *p, enum filt_err err, size_t where)
{
	if (!p->out->bad) {
		p->out->bad = true;
		p->out->err = err;
		p->out->err_at = where;
	}
	return NULL;
}

/* --- first pass: parentheses and quotes --- */

struct paren_balance {
	size_t open, last_quote;
	char quote;
	bool in_pred;
	size_t n_preds; /* upper bound of the number of predicates */
};

/* The '(' that is never closed, searched backward. */
static size_t unclosed(const struct filter_parser *p)
{
	size_t depth = 0;
	char quote = 0;

	for (size_t i = p->out->text.n; i-- > 1;) {
		char c = at(p, i);

		if (quote) {
			quote = c == quote ? 0 : quote;
		} else if (c == ')') {
			depth++;
		} else if (c == '(') {
			if (!depth)
				return i;
			depth--;
		} else if (c == '\'' || c == '"') {
			quote = c;
		}
	}
	return 0;
}

/* Process one character outside quotes; false if a ')' closes nothing. */
static bool balance_step(struct filter_parser *p, struct paren_balance *b, size_t i)
{
	char c = at(p, i);

	if (c == '(' || c == ')' || ((c == '|' || c == '&') && at(p, i + 1) == c)) {
		b->in_pred = false;
		if (c == ')' && !b->open)
			return false;
		b->open += c == '(' ? 1 : 0;
		b->open -= c == ')' ? 1 : 0;
		return true;
	}
	if (c == '\'' || c == '"') {
		b->quote = c;
		b->last_quote = i;
	}
	b->n_preds += b->in_pred ? 0 : 1;
	b->in_pred = true;
	return true;
}

static void check_balance(struct filter_parser *p)
{
	struct paren_balance b = { .open = 0 };

	for (size_t i = 0; i < p->out->text.n; i++) {
		if (b.quote) {
			b.quote = at(p, i) == b.quote ? 0 : b.quote;
		} else if (!is_space(at(p, i)) && !balance_step(p, &b, i)) {
			complain_at(p, FILT_ERR_TOO_MANY_CLOSE, i);
			return;
		}
	}
	p->room = b.n_preds;
	if (b.quote)
		complain_at(p, FILT_ERR_MISSING_QUOTE, b.last_quote);
	else if (b.open)
		complain_at(p, FILT_ERR_TOO_MANY_OPEN, unclosed(p));
	else if (!b.n_preds)
		complain_at(p, FILT_ERR_ERRNO, 0);
}

/* --- predicates --- */

static const char *const filter_ops[] = { "~", "!=", "==", "<=", "<", ">=", ">", "&" };

enum { NUMBER_MAX = 23, STRING_MAX = 255 };

static void pred_error(struct filter_pred_text *pred, enum filt_err err, size_t where)
{
	if (pred->err != FILT_ERR_NONE)
		return;
	pred->err = err;
	pred->err_at = where;
}

static size_t cut_digits(struct filter_parser *p, struct filter_pred_text *pred, size_t i,
			 size_t from)
{
	while (is_alnum(at(p, i)))
		i++;
	pred->value = span_between(p->out->text.s + from, p->out->text.s + i);
	if (pred->value.n > NUMBER_MAX)
		pred_error(pred, FILT_ERR_OPERAND_TOO_LONG, i);
	return i;
}

static size_t cut_function(struct filter_parser *p, struct filter_pred_text *pred, size_t i)
{
	size_t from = i;

	if (is_digit(at(p, i))) {
		pred->operand = OPERAND_FUNCTION_NUMBER;
		return cut_digits(p, pred, i, from);
	}
	/* kernel: a name ends only at white space, so it may include a ')' */
	while (at(p, i) && !is_space(at(p, i)))
		i++;
	pred->operand = OPERAND_FUNCTION;
	pred->value = span_between(p->out->text.s + from, p->out->text.s + i);
	return i;
}

static size_t cut_cpus(struct filter_parser *p, struct filter_pred_text *pred, size_t i)
{
	size_t from;

	pred->operand = OPERAND_CPUS;
	i += strlen("CPUS");
	if (at(p, i) != '{') {
		pred_error(pred, FILT_ERR_MISSING_BRACE_OPEN, i + 1);
		return i;
	}
	from = ++i;
	while (at(p, i) && at(p, i) != '}')
		i++;
	pred->value = span_between(p->out->text.s + from, p->out->text.s + i);
	if (at(p, i) != '}')
		pred_error(pred, FILT_ERR_MISSING_BRACE_CLOSE, i);
	else if (from == i)
		pred_error(pred, FILT_ERR_INVALID_CPULIST, i);
	return at(p, i) ? i + 1 : i;
}

static size_t cut_string(struct filter_parser *p, struct filter_pred_text *pred, size_t i)
{
	char quote = at(p, i);
	size_t from = ++i;

	pred->operand = OPERAND_STRING;
	while (at(p, i) && at(p, i) != quote)
		i++;
	pred->value = span_between(p->out->text.s + from, p->out->text.s + i);
	if (!at(p, i))
		pred_error(pred, FILT_ERR_MISSING_QUOTE, i);
	else if (pred->value.n > STRING_MAX)
		pred_error(pred, FILT_ERR_OPERAND_TOO_LONG, i);
	return at(p, i) ? i + 1 : i;
}

/*
 * A name, a text without quotes, or a number that is not one of the kernel's: its unit or its other
 * half follows, as in "8:0" and "8,0".
 */
static size_t cut_word(struct filter_parser *p, struct filter_pred_text *pred, size_t i)
{
	size_t from = i;
	bool glob = false;
	u64 number;

	while (is_alnum(at(p, i)) || (at(p, i) && strchr("_.:-/*?+", at(p, i))) ||
	       (at(p, i) == ',' && i > from && is_digit(at(p, i - 1)) && is_digit(at(p, i + 1))) ||
	       (at(p, i) == '|' && i > from && (is_alnum(at(p, i + 1)) || at(p, i + 1) == '_'))) {
		glob |= at(p, i) == '*' || at(p, i) == '?';
		i++;
	}
	pred->value = span_between(p->out->text.s + from, p->out->text.s + i);
	if (i > from && (!glob || pred->op == OP_GLOB) && !span_s64(pred->value, (s64 *)&number) &&
	    !span_u64(pred->value, &number))
		pred->operand = OPERAND_WORD;
	return pred->operand == OPERAND_WORD ? i : from;
}

static size_t cut_operand(struct filter_parser *p, struct filter_pred_text *pred, size_t i)
{
	char c = at(p, i);

	pred->operand_at = i;
	if (pred->function)
		return cut_function(p, pred, i);
	if (p->syntax->cpus && span_starts(text_from(p, i), "CPUS"))
		return cut_cpus(p, pred, i);
	if (c == '\'' || c == '"')
		return cut_string(p, pred, i);
	if (p->syntax->words)
		i = cut_word(p, pred, i);
	if (pred->operand == OPERAND_WORD)
		return i;
	if (is_digit(c) || c == '-') {
		pred->operand = OPERAND_NUMBER;
		return cut_digits(p, pred, c == '-' ? i + 1 : i, i);
	}
	pred->operand = OPERAND_NONE;
	return i;
}

static size_t cut_suffix(struct filter_parser *p, const char *suffix, bool *set, size_t i)
{
	*set = span_starts(text_from(p, i), suffix);
	return *set ? i + strlen(suffix) : i;
}

/* Cut the predicate at p->at and advance p->at past it. */
static void cut_pred(struct filter_parser *p, struct filter_pred_text *pred)
{
	size_t i = p->at;

	*pred = (struct filter_pred_text){
		.start = i, .op = OP_NONE, .who = N_WHO, .code = N_CODE
	};
	while (is_alnum(at(p, i)) || at(p, i) == '_')
		i++;
	pred->field = span_between(p->out->text.s + p->at, p->out->text.s + i);
	pred->field_end = i;
	if (p->syntax->who && at(p, i) == '.') {
		size_t end = i + 1;
		struct span word;

		while (is_alnum(at(p, end)))
			end++;
		word = span_between(p->out->text.s + i + 1, p->out->text.s + end);
		pred->who = who_find(word);
		pred->code = code_find(word) <= CODE_SRCLINE ? code_find(word) : N_CODE;
		i = pred->who < N_WHO || pred->code < N_CODE ? end : i;
	}
	i = cut_suffix(p, ".ustring", &pred->ustring, i);
	if (p->syntax->function)
		i = cut_suffix(p, ".function", &pred->function, i);
	i = skip_spaces(p, i);
	pred->op_at = i;
	for (size_t op = 0; op < ARRAY_SIZE(filter_ops) && pred->op == OP_NONE; op++)
		if (span_starts(text_from(p, i), filter_ops[op]))
			pred->op = (enum filter_op)op;
	if (pred->op != OP_NONE)
		i = cut_operand(p, pred, skip_spaces(p, i + strlen(filter_ops[pred->op])));
	p->at = i;
}

/* --- second pass: the combination --- */

static struct filter_node *node(struct filter_parser *p, enum filter_node_kind kind,
				struct filter_node *left, struct filter_node *right)
{
	struct filter_node *n = arena_alloc(p->arena, sizeof(*n));

	if (n)
		*n = (struct filter_node){ .kind = kind, .left = left, .right = right };
	return n;
}

static struct filter_node *parse_or(struct filter_parser *p);

static struct filter_node *parse_pred(struct filter_parser *p)
{
	struct filter_pred_text *pred;
	struct filter_node *n;

	if (p->out->n_preds >= p->room)
		return complain_at(p, FILT_ERR_TOO_MANY_PREDS, p->at);
	pred = &p->out->preds[p->out->n_preds];
	cut_pred(p, pred);
	n = node(p, FILTER_PRED, NULL, NULL);
	if (n)
		n->pred = p->out->n_preds++;
	/* A truncated predicate ends the parse: binding it will fail. */
	if (!pred->field.n || pred->op == OP_NONE || pred->operand == OPERAND_NONE ||
	    pred->err != FILT_ERR_NONE)
		return complain_at(p, FILT_ERR_ERRNO, 0);
	return n;
}

static struct filter_node *parse_unary(struct filter_parser *p)
{
	struct filter_node *n;
	bool negate = false;

	for (p->at = skip_spaces(p, p->at); at(p, p->at) == '!'; p->at = skip_spaces(p, p->at)) {
		if (at(p, p->at + 1) == '=' || at(p, p->at + 1) == '~')
			break;
		negate = !negate;
		p->at++;
	}
	if (!at(p, p->at))
		return complain_at(
			p, p->out->n_preds ? FILT_ERR_INVALID_FILTER : FILT_ERR_NO_FILTER, p->at);
	if (at(p, p->at) == '(') {
		p->at++;
		n = parse_or(p);
		if (n && at(p, p->at++) != ')')
			return complain_at(p, FILT_ERR_TOO_MANY_OPEN, p->at - 1);
	} else {
		n = parse_pred(p);
	}
	if (!n)
		return NULL;
	p->at = skip_spaces(p, p->at);
	return negate ? node(p, FILTER_NOT, n, NULL) : n;
}

/* After an operand: "&&", "||", ')' or the end; anything else is an excess term. */
static bool next_is(struct filter_parser *p, char op)
{
	char c = at(p, p->at);

	if (c == '\0' || c == ')')
		return false;
	if ((c != '&' && c != '|') || at(p, p->at + 1) != c) {
		complain_at(p, FILT_ERR_TOO_MANY_PREDS, p->at);
		return false;
	}
	if (c != op)
		return false;
	p->at += 2;
	return true;
}

/*
 * Whether only "!" follows an operator. kernel: older versions ignore the operator then, unless an
 * && leaves an || before it without its second operand.
 */
static bool ends_open(struct filter_parser *p, char op)
{
	size_t i = p->at;

	while (is_space(at(p, i)) ||
	       (at(p, i) == '!' && at(p, i + 1) != '=' && at(p, i + 1) != '~'))
		i++;
	if (!p->syntax->open_end || at(p, i))
		return false;
	p->at = i;
	p->open_and = op == '&';
	return true;
}

static struct filter_node *parse_and(struct filter_parser *p)
{
	struct filter_node *left = parse_unary(p), *right;

	while (left && next_is(p, '&') && !ends_open(p, '&')) {
		right = parse_unary(p);
		left = right ? node(p, FILTER_AND, left, right) : NULL;
	}
	return p->out->bad ? NULL : left;
}

static struct filter_node *parse_or(struct filter_parser *p)
{
	struct filter_node *left = parse_and(p), *right;

	while (left && next_is(p, '|') && !ends_open(p, '|')) {
		right = parse_and(p);
		if (p->open_and)
			return complain_at(p, FILT_ERR_ERRNO, 0);
		left = right ? node(p, FILTER_OR, left, right) : NULL;
	}
	return p->out->bad ? NULL : left;
}

int filter_cut(struct arena *arena, struct span text, const struct filter_syntax *syntax,
	       struct filter_text *out)
{
	struct filter_parser p = { .arena = arena, .syntax = syntax, .out = out };

	*out = (struct filter_text){ .text = text };
	check_balance(&p);
	if (out->bad)
		return 0;
	out->preds = arena_alloc(arena, p.room * sizeof(*out->preds));
	if (!out->preds)
		return HIST_NOMEM;
	out->root = parse_or(&p);
	if (out->root && at(&p, p.at)) {
		out->root = NULL;
		complain_at(&p, FILT_ERR_TOO_MANY_CLOSE, p.at + 1);
	}
	return out->root || out->bad ? 0 : HIST_NOMEM;
}

void filter_pattern_cut(struct span text, bool exact, struct filter_pattern *out)
{
	struct span rest = text;

	*out = (struct filter_pattern){ .match = MATCH_FULL, .ends_at_nul = exact };
	if (rest.n && rest.s[0] == '!') {
		out->negated = true;
		rest = span_skip(rest, 1);
	}
	out->text = rest;
	/* kernel: a number is an address in .function, but the whole operand is compared here */
	if (rest.n && is_digit(rest.s[0]) && !exact)
		return;
	for (size_t i = 0; i < rest.n; i++) {
		bool last = i == rest.n - 1;

		if (strchr("[?\\", rest.s[i]) || (rest.s[i] == '*' && i && !last)) {
			out->match = MATCH_GLOB;
			return;
		}
		if (rest.s[i] == '*' && !i)
			out->match = MATCH_END_ONLY;
		else if (rest.s[i] == '*')
			out->match = out->match == MATCH_END_ONLY ? MATCH_MIDDLE_ONLY
								  : MATCH_FRONT_ONLY;
	}
	if (out->match == MATCH_FRONT_ONLY || out->match == MATCH_MIDDLE_ONLY)
		out->text.n--;
	if (out->match == MATCH_END_ONLY || out->match == MATCH_MIDDLE_ONLY)
		out->text = span_skip(out->text, 1);
}
