// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses a statement: a list of columns, the events, what they have in common, conditions.
 *
 * The events are looked up first, so that the names of columns are resolved as they are read, and
 * an error has its position.
 */
#include "sql/parser.h"

/* --- the events --- */

/* Look up the event that ->word names, and parse its format. */
static void find_event(struct sql_parser *p, struct sql_source *source)
{
	struct span event = source->word, system = { NULL, 0 };
	struct sql_event *ev = &source->event;
	scoped(diags_release) struct diags why = DIAGS_INIT;
	const char *name;
	int err;

	if (span_chr(event, '.'))
		system = span_sep(&event, ".");
	name = arena_printf(p->arena, "%.*s%s%.*s", (int)system.n, system.s ? system.s : "",
			    system.s ? ":" : "", (int)event.n, event.s);
	err = name ? p->request->find(p->request->find_arg, name, ev, &why) : HIST_NOMEM;
	if (err == -HIST_ENOENT) {
		sql_complain(p, source->word, "event not found: '%.*s'", (int)source->word.n,
			     source->word.s);
		diags_append(p->diags, &why);
	}
	err = err ?: event_db_add(p->db, ev->system, ev->format.s, ev->format.n);
	err = err ?: event_db_find(p->db, ev->system, ev->name, &source->format);
	if (err == HIST_NOMEM)
		p->err = err;
	else if (err)
		sql_complain(p, source->word, "the format of %s:%s is damaged", ev->system,
			     ev->name);
}

/* "sched_switch", "sched.sched_switch AS name", "sched_switch name" */
static void take_source(struct sql_parser *p)
{
	static const char *const words[] = { "join", "on", "where" };
	struct sql_source *source = &p->st->sources[p->st->n_sources++];
	bool alias = true;

	source->word = sql_take_name(p, "the name of an event");
	if (!p->err)
		find_event(p, source);
	if (p->err)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		alias &= !sql_token_is(p, words[i]);
	if (sql_accept(p, "as") ||
	    (alias && p->token.n && sql_is_word(p->token.s[0]) && !sql_is_clause(p->token)))
		source->alias = sql_take_name(p, "a name");
}

/* Where FROM should be: at a name that follows another one, or at the end. */
static void missing_from(struct sql_parser *p, struct span token, struct span rest)
{
	bool name = false;

	p->token = token;
	p->rest = rest;
	while (p->token.n && !(name && sql_is_word(p->token.s[0]) && !sql_token_is(p, "as"))) {
		name = sql_is_word(p->token.s[0]) && !sql_token_is(p, "as");
		sql_next(p);
	}
	sql_syntax_error(p, "FROM");
}

/* Find FROM and JOIN, and the events after them. */
static void find_sources(struct sql_parser *p)
{
	const struct span rest = p->rest, token = p->token;

	while (p->token.n && !sql_token_is(p, "from"))
		sql_next(p);
	if (!p->token.n)
		missing_from(p, token, rest);
	sql_next(p);
	if (!p->err)
		take_source(p);
	if (!p->err && sql_accept(p, "join"))
		take_source(p);
	p->after[0] = p->rest;
	p->after[1] = p->token;
	p->rest = rest;
	p->token = token;
}

/* --- operands --- */

/* What follows "PREFIX."; absent if @word begins with something else. */
static struct span after_prefix(struct span word, struct span prefix)
{
	if (prefix.n && word.n > prefix.n + 1 && !memcmp(word.s, prefix.s, prefix.n) &&
	    word.s[prefix.n] == '.')
		return span_skip(word, prefix.n + 1);
	return (struct span){ NULL, 0 };
}

static const struct event_field *find_field(const struct sql_source *source, struct span name)
{
	return event_find_field(source->format, name, GENERICS_6_3);
}

/* Resolve @name, a field of the event @op->source or what is known of each event. */
static bool resolve(const struct sql_parser *p, struct span name, struct sql_operand *op)
{
	static const struct {
		const char *word;
		enum sql_operand_kind kind;
	} words[] = { { "timestamp", SQL_TIME },
		      { "timestamp_usecs", SQL_USECS },
		      { "common_timestamp", SQL_TIME },
		      { "stacktrace", SQL_STACK },
		      { "common_stacktrace", SQL_STACK } };
	const char *dot = span_chr(name, '.');

	if (dot) {
		op->modifier = span_between(dot, name.s + name.n);
		name.n = (size_t)(dot - name.s);
	}
	op->field = find_field(&p->st->sources[op->source], name);
	if (op->field && op->field->filter_type == FILTER_STACKTRACE)
		op->field = NULL;
	if (op->field)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (name.n == strlen(words[i].word) && !op->modifier.s &&
		    !strncasecmp(name.s, words[i].word, name.n)) {
			op->kind = words[i].kind;
			return true;
		}
	return false;
}

static bool is_result(const struct sql_parser *p, struct span name)
{
	for (size_t i = 0; i < p->st->columns.n; i++)
		if (span_same(p->st->columns.v[i].name, name))
			return p->st->n_sources > 1;
	return false;
}

struct sql_operand sql_take_operand(struct sql_parser *p)
{
	const struct sql_statement *st = p->st;
	struct sql_operand op = { .word = p->token };
	struct span name;
	size_t found = 0;

	if (p->token.n && is_digit(p->token.s[0])) {
		op.kind = SQL_NUMBER;
		sql_next(p);
		return op;
	}
	name = sql_take_name(p, "a field");
	if (sql_token_is(p, "(")) {
		p->token = op.word;
		sql_syntax_error(p, "a field");
	}
	for (size_t i = 0; i < st->n_sources && !p->err; i++) {
		const struct sql_source *source = &st->sources[i];
		struct span own = after_prefix(name, source->alias);

		own = own.s ? own : after_prefix(name, source->word);
		own = own.s ? own : after_prefix(name, span_of(source->event.name));
		if (!own.s)
			continue;
		op.source = i;
		if (!resolve(p, own, &op))
			sql_complain(p, op.word, "Field '%.*s' not part of event %s", (int)own.n,
				     own.s, source->event.name);
		return op;
	}
	for (size_t i = 0; i < st->n_sources && !p->err; i++) {
		struct sql_operand own = { .source = i, .word = op.word };

		if (resolve(p, name, &own) && !found++)
			op = own;
	}
	if (!found && !p->err && is_result(p, name))
		sql_complain(p, op.word,
			     "%.*s is a result: after the statement, -f '%.*s > 5' filters results",
			     (int)name.n, name.s, (int)name.n, name.s);
	else if (!found && !p->err)
		sql_complain(p, op.word, "Field '%.*s' not part of event %s%s%s", (int)name.n,
			     name.s, st->sources[0].event.name, st->n_sources > 1 ? " or " : "",
			     st->n_sources > 1 ? st->sources[1].event.name : "");
	else if (found > 1)
		sql_complain(p, op.word, "both events have %.*s: write EVENT.%.*s", (int)name.n,
			     name.s, (int)name.n, name.s);
	return op;
}

/* --- columns --- */

/* The name of a type after CAST(x AS; SYM-OFFSET is three tokens. */
static void take_cast(struct sql_parser *p, struct sql_column *c)
{
	static const struct {
		const char *name, *modifier;
	} casts[] = { { "hex", ".hex" },           { "sym", ".sym" },
		      { "syscall", ".syscall" },   { "comm", ".execname" },
		      { "execname", ".execname" }, { "log", ".log2" },
		      { "log2", ".log2" } };
	struct span type = sql_take_name(p, "a type");

	c->counter = span_eq(type, "_COUNTER_") || span_eq(type, "__COUNTER__");
	for (size_t i = 0; i < ARRAY_SIZE(casts); i++)
		if (type.n == strlen(casts[i].name) && !strncasecmp(type.s, casts[i].name, type.n))
			c->cast = casts[i].modifier;
	if (c->cast && !strcmp(c->cast, ".sym") && sql_accept(p, "-")) {
		sql_expect(p, "OFFSET");
		c->cast = ".sym-offset";
	}
	if (!c->cast && !c->counter)
		sql_complain(p, type,
			     "unknown type '%.*s'; known: HEX, SYM, SYM-OFFSET, SYSCALL, COMM, "
			     "LOG2 and _COUNTER_",
			     (int)type.n, type.s);
}

/* TIMESTAMP_DELTA is the difference of the two times. */
static bool take_delta(struct sql_parser *p, struct sql_column *c)
{
	const bool usecs = sql_token_is(p, "timestamp_delta_usecs");
	const enum sql_operand_kind kind = usecs ? SQL_USECS : SQL_TIME;

	if ((!usecs && !sql_token_is(p, "timestamp_delta")) || p->st->n_sources < 2)
		return false;
	c->v[0] = (struct sql_operand){ .kind = kind, .source = 1, .word = p->token };
	c->v[1] = (struct sql_operand){ .kind = kind, .source = 0, .word = p->token };
	c->ops[0] = '-';
	c->n = 2;
	sql_next(p);
	return true;
}

static bool is_operator(struct span token)
{
	return token.n == 1 && strchr("+-*/", token.s[0]);
}

static void take_sum(struct sql_parser *p, struct sql_column *c)
{
	const bool nested = sql_accept(p, "("), delta = take_delta(p, c);

	if (!delta)
		c->v[c->n++] = sql_take_operand(p);
	while (!delta && !p->err && is_operator(p->token)) {
		if (c->n == SQL_OPERANDS_MAX) {
			sql_complain(p, p->token, "a column has at most %d operands",
				     SQL_OPERANDS_MAX);
			return;
		}
		c->ops[c->n - 1] = p->token.s[0];
		sql_next(p);
		c->v[c->n++] = sql_take_operand(p);
	}
	if (nested)
		sql_expect(p, ")");
}

/* A name for a field of the synthetic event. */
static struct span take_plain_name(struct sql_parser *p)
{
	const struct span name = sql_take_name(p, "a name");

	for (size_t i = 0; i < name.n; i++)
		if (!is_alnum(name.s[i]) && name.s[i] != '_')
			sql_complain(p, name, "a name has letters, digits and '_': '%.*s'",
				     (int)name.n, name.s);
	return name;
}

static void take_column(struct sql_parser *p)
{
	struct sql_column c = { .n = 0 };
	const struct span start = p->token;

	if (sql_accept(p, "cast")) {
		sql_expect(p, "(");
		if (!p->err)
			c.v[c.n++] = sql_take_operand(p);
		sql_expect(p, "AS");
		if (!p->err)
			take_cast(p, &c);
		sql_expect(p, ")");
	} else {
		take_sum(p, &c);
	}
	if (!p->err && c.n == 1 && c.v[0].kind == SQL_NUMBER)
		sql_complain(p, start, "a column needs a field");
	c.name = c.n == 1 && c.v[0].field ? span_of(c.v[0].field->name) : (struct span){ NULL, 0 };
	if (!p->err && sql_accept(p, "as"))
		c.name = take_plain_name(p);
	else if (!p->err && c.n == 1 && !c.v[0].field)
		c.name = c.v[0].kind == SQL_STACK ? span_of("stack") : span_of("time");
	if (!p->err && !c.name.s && p->st->n_sources > 1)
		sql_syntax_error(p, "AS and a name for the result");
	if (!p->err && array_push(&p->st->columns, c))
		p->err = HIST_NOMEM;
}

/* --- what the events have in common --- */

static void take_equality(struct sql_parser *p)
{
	struct sql_operand a = sql_take_operand(p), b;
	struct span words = a.word;

	if (!sql_accept(p, "=") && !sql_accept(p, "=="))
		sql_syntax_error(p, "=");
	if (p->err)
		return;
	b = sql_take_operand(p);
	if (p->err)
		return;
	words.n = (size_t)(b.word.s + b.word.n - words.s);
	if (a.kind != SQL_FIELD || b.kind != SQL_FIELD || a.source == b.source)
		sql_complain(p, words,
			     "ON compares a field of one event with a field of the other");
	else if (p->st->n_on == SQL_ON_MAX)
		sql_complain(p, words, "ON has at most %d comparisons", SQL_ON_MAX);
	else {
		p->st->on[p->st->n_on][a.source] = a;
		p->st->on[p->st->n_on++][b.source] = b;
	}
}

/* --- the statement --- */

int sql_parse(const struct sql_request *request, struct event_db *db, struct arena *arena,
	      struct sql_statement *st, struct diags *diags)
{
	struct sql_parser p = { .request = request,
				.st = st,
				.db = db,
				.arena = arena,
				.diags = diags,
				.rest = span_of(request->query) };

	*st = (struct sql_statement){ .query = request->query };
	sql_next(&p);
	sql_expect(&p, "SELECT");
	if (!p.err)
		find_sources(&p);
	do
		if (!p.err)
			take_column(&p);
	while (!p.err && sql_accept(&p, ","));
	sql_expect(&p, "FROM");
	p.rest = p.after[0];
	p.token = p.after[1];
	if (!p.err && st->n_sources > 1) {
		sql_expect(&p, "ON");
		do
			if (!p.err)
				take_equality(&p);
		while (!p.err && (sql_accept(&p, "and") || sql_accept(&p, "&&")));
	}
	if (!p.err && sql_accept(&p, "where"))
		st->where = sql_take_where(&p);
	sql_accept(&p, ";");
	if (!p.err && p.token.n)
		sql_syntax_error(&p, "the end of the statement");
	return p.err;
}
