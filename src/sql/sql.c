// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes the triggers of a statement.
 *
 * With a JOIN, the trigger of the first event stores what the statement reads of it in variables,
 * by the fields that both events have in common; that of the second one computes the columns and
 * traces the synthetic event. Variables are numbered in the order of the columns, so the same
 * statement has the same text.
 */
#include "sql/statement.h"

struct sql {
	const struct sql_request *request;
	struct arena *arena;
	struct diags *diags;
	struct sql_statement st;
	struct strbuf start, end, args; /* triggers of both events, parameters of trace() */
	struct strbuf fields;           /* "pid_t pid; u64 lat" */
	unsigned int n_vars, n_stored;
};

/* --- filters --- */

static void add_cond(const struct sql_cond *c, bool inside, struct strbuf *out)
{
	switch (c->kind) {
	case SQL_PRED:
		strbuf_addstr(out, c->text);
		return;
	case SQL_NOT:
		strbuf_addstr(out, "!(");
		add_cond(c->left, false, out);
		strbuf_addch(out, ')');
		return;
	default:
		strbuf_addstr(out, inside ? "(" : "");
		add_cond(c->left, true, out);
		strbuf_addstr(out, c->kind == SQL_AND ? " && " : " || ");
		add_cond(c->right, true, out);
		strbuf_addstr(out, inside ? ")" : "");
	}
}

/* Divide the conditions joined by AND between the filters of the two events. */
static int divide(struct sql *s, const struct sql_cond *c, struct strbuf *filters)
{
	struct strbuf *out = &filters[c->sources == 2];

	if (c->sources == 3 && c->kind != SQL_AND)
		return sql_error(
			s->st.query, c->words, s->diags,
			"conditions of two events cannot be alternatives: a filter sees one "
			"event; join the conditions of each event with OR, and both with AND");
	if (c->sources == 3) {
		return divide(s, c->left, filters) ?: divide(s, c->right, filters);
	}
	strbuf_addstr(out, out->len ? " && " : "");
	add_cond(c, out->len || c->kind == SQL_OR, out);
	return 0;
}

/* Append " if FILTER" to the triggers. */
static int add_filters(struct sql *s)
{
	struct strbuf filters[2] = { STRBUF_INIT, STRBUF_INIT };
	struct strbuf *const triggers[] = { &s->start, &s->end };
	int err = s->st.where ? divide(s, s->st.where, filters) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		if (filters[i].len)
			strbuf_addf(triggers[i], " if %s", filters[i].s);
		triggers[i]->failed |= filters[i].failed;
		strbuf_release(&filters[i]);
	}
	return err;
}

/* --- a histogram of one event --- */

/* What a trigger calls an operand. */
static void add_operand(const struct sql_operand *op, struct strbuf *out)
{
	switch (op->kind) {
	case SQL_FIELD:
		strbuf_addstr(out, op->field->name);
		return;
	case SQL_TIME:
		strbuf_addstr(out, "common_timestamp");
		return;
	case SQL_USECS:
		strbuf_addstr(out, "common_timestamp.usecs");
		return;
	case SQL_STACK:
		strbuf_addstr(out, "common_stacktrace");
		return;
	case SQL_NUMBER:
		strbuf_add(out, op->word.s, op->word.n);
	}
}

static int write_hist(struct sql *s, struct sql_result *result)
{
	const struct sql_event *ev = &s->st.sources[0].event;
	int err;

	if (s->request->on)
		return diags_error(
			s->diags, -HIST_EREJECTED,
			"--on needs a statement with a JOIN; without one, the statement makes a histogram");
	array_each(const struct sql_column, c, &s->st.columns) {
		struct strbuf *out = c->counter ? &s->end : &s->start;

		strbuf_addstr(out, out->len ? "," : "");
		for (size_t i = 0; i < c->n; i++) {
			add_operand(&c->v[i], out);
			if (i + 1 < c->n)
				strbuf_addch(out, c->ops[i]);
		}
		strbuf_addf(out, "%s%.*s", c->cast ? c->cast : "", (int)c->v[0].modifier.n,
			    c->v[0].modifier.s ? c->v[0].modifier.s : "");
	}
	if (!s->start.len)
		return sql_error(s->st.query, span_of(s->st.query), s->diags,
				 "each column is a _COUNTER_: a histogram needs a key");
	err = s->st.where ? divide(s, s->st.where, &s->args) : 0;
	result->path = arena_printf(s->arena, "events/%s/%s", ev->system, ev->name);
	result->filter = s->args.len ? arena_take(s->arena, &s->args) : NULL;
	result->values = s->end.len ? arena_take(s->arena, &s->end) : NULL;
	result->keys = arena_take(s->arena, &s->start);
	return err ?: !result->path || s->arena->failed ? HIST_NOMEM : 0;
}

/* --- a synthetic event of two --- */

static bool is_text(const struct event_field *f)
{
	return f && (f->filter_type == FILTER_STATIC_STRING ||
		     f->filter_type == FILTER_DYN_STRING || f->filter_type == FILTER_RDYN_STRING ||
		     f->filter_type == FILTER_PTR_STRING || f->filter_type == FILTER_COMM);
}

/* The type of a column in the synthetic event: that of its first operand. */
static int add_type(struct sql *s, const struct sql_column *c)
{
	const struct event_field *f = c->v[0].field;
	const u32 size = f && f->filter_type == FILTER_CPU ? 4 : f ? f->size : 8;
	const int n = (int)c->name.n;

	strbuf_addstr(&s->fields, s->fields.len ? "; " : "");
	if (c->v[0].kind == SQL_STACK)
		strbuf_addf(&s->fields, "unsigned long %.*s[]", n, c->name.s);
	else if (is_text(f) && f->filter_type == FILTER_STATIC_STRING)
		strbuf_addf(&s->fields, "char %.*s[%u]", n, c->name.s, f->size);
	else if (is_text(f))
		strbuf_addf(&s->fields, "char %.*s[]", n, c->name.s);
	else if (f && !strcmp(f->type, "pid_t"))
		strbuf_addf(&s->fields, "pid_t %.*s", n, c->name.s);
	else if (size == 1 || size == 2 || size == 4 || size == 8)
		strbuf_addf(&s->fields, "%c%u %.*s", f && f->is_signed ? 's' : 'u', size * 8, n,
			    c->name.s);
	else
		return sql_error(s->st.query, c->v[0].word, s->diags,
				 "%s is %s, which a column of a JOIN cannot be", f->name, f->type);
	return 0;
}

/* Store an operand of the first event in a variable; that of @trigger in the second is its name. */
static void store_operand(struct sql *s, const struct sql_operand *op)
{
	strbuf_addf(&s->start, "%s%s_arg_%u=", s->n_stored++ ? "," : ":", s->request->name,
		    ++s->n_vars);
	add_operand(op, &s->start);
}

static void add_column(struct sql *s, const struct sql_column *c)
{
	const struct sql_request *r = s->request;
	unsigned int args[SQL_OPERANDS_MAX], column = 0;

	/* of a plain column, its own number comes first */
	if (c->n == 1)
		column = ++s->n_vars;
	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].kind == SQL_NUMBER || c->v[i].source)
			continue;
		store_operand(s, &c->v[i]);
		args[i] = s->n_vars;
	}
	column = column ? column : ++s->n_vars;
	strbuf_addf(&s->end, "%s%s_%.*s_%u=", s->args.len ? "," : ":", r->name, (int)c->name.n,
		    c->name.s, column);
	for (size_t i = 0; i < c->n; i++) {
		if (c->v[i].kind == SQL_NUMBER || c->v[i].source)
			add_operand(&c->v[i], &s->end);
		else
			strbuf_addf(&s->end, "$%s_arg_%u", r->name, args[i]);
		if (i + 1 < c->n)
			strbuf_addch(&s->end, c->ops[i]);
	}
	strbuf_addf(&s->args, ",$%s_%.*s_%u", r->name, (int)c->name.n, c->name.s, column);
}

/* Triggers compute with unsigned numbers: a time before another one is a very large difference. */
static void warn_negative(struct sql *s, const struct sql_column *c)
{
	const struct sql_source *first = &s->st.sources[0], *second = &s->st.sources[1];
	const struct span a = first->alias.s ? first->alias : first->word;
	const struct span b = second->alias.s ? second->alias : second->word;
	const bool times = c->n == 2 && c->ops[0] == '-' &&
			   (c->v[0].kind == SQL_TIME || c->v[0].kind == SQL_USECS) &&
			   (c->v[1].kind == SQL_TIME || c->v[1].kind == SQL_USECS);

	if (times && !c->v[0].source && c->v[1].source)
		diags_add(
			s->diags, DIAG_WARNING,
			"--sql: the time of %.*s minus the time of %.*s is negative: %.*s, after FROM, comes "
			"before %.*s, after JOIN; exchange the two events, or the two times",
			(int)a.n, a.s, (int)b.n, b.s, (int)a.n, a.s, (int)b.n, b.s);
}

/* Actions "trace,snapshot,save:a+b" at a new maximum or at a change of a column. */
static int add_handlers(struct sql *s)
{
	struct span field = span_of(s->request->on), kind = span_sep(&field, ":"), action;
	struct span rest = span_of(s->request->what ? s->request->what : "trace");
	const bool max = span_eq(kind, "max");
	scoped(strbuf_release) struct strbuf handler = STRBUF_INIT;
	const char *variable = NULL;
	int err = 0;

	if (!field.s || (!max && !span_eq(kind, "change")))
		return diags_error(s->diags, -HIST_EREJECTED,
				   "--on takes max:FIELD or change:FIELD, not '%s'",
				   s->request->on);
	strbuf_addf(&handler, "$%s_%.*s_", s->request->name, (int)field.n, field.s);
	variable = handler.failed || !field.n ? NULL : strstr(s->args.s, handler.s);
	strbuf_reset(&handler);
	if (variable)
		strbuf_addf(&handler, ":on%s(%.*s).", max ? "max" : "change",
			    (int)strcspn(variable, ","), variable);
	else
		err = diags_error(s->diags, -HIST_EREJECTED,
				  "--on %s: the statement has no field %.*s", s->request->on,
				  (int)field.n, field.s);
	while (rest.s && !err) {
		action = span_sep(&rest, ",");
		strbuf_add(&s->end, handler.s, handler.len);
		if (span_eq(action, "trace")) {
			strbuf_addf(&s->end, "trace(%s%s)", s->request->name, s->args.s);
		} else if (span_eq(action, "snapshot")) {
			strbuf_addstr(&s->end, "snapshot()");
		} else if (span_starts(action, "save:")) {
			strbuf_addstr(&s->end, "save(");
			for (size_t i = 5; i < action.n; i++)
				strbuf_addch(&s->end, action.s[i] == '+' ? ',' : action.s[i]);
			strbuf_addch(&s->end, ')');
		} else {
			err = diags_error(
				s->diags, -HIST_EREJECTED,
				"--do takes trace, snapshot or save:FIELD+FIELD, not '%.*s'",
				(int)action.n, action.s);
		}
	}
	s->end.failed |= handler.failed;
	return err;
}

static int add_columns(struct sql *s, struct sql_result *result)
{
	struct sql_field *fields = arena_alloc(s->arena, s->st.columns.n * sizeof(*fields));
	int err = fields ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < s->st.columns.n && !err; i++) {
		const struct sql_column *c = &s->st.columns.v[i];
		const struct span modifier = c->cast ? span_of(c->cast) : c->v[0].modifier;

		add_column(s, c);
		warn_negative(s, c);
		err = add_type(s, c);
		fields[i] = (struct sql_field){
			.name = arena_strndup(s->arena, c->name.s, c->name.n),
			.modifier = c->v[0].kind == SQL_STACK ? ".stacktrace"
				    : modifier.s ? arena_strndup(s->arena, modifier.s, modifier.n)
						 : "",
			.measured = c->counter || (c->n > 1 && memchr(c->ops, '-', c->n - 1)),
		};
		if (!fields[i].name || !fields[i].modifier)
			err = HIST_NOMEM;
	}
	result->fields = fields;
	result->n_fields = s->st.columns.n;
	return err;
}

/*
 * These maps have an entry for each value that a JOIN compares, such as each sector of a disk, and
 * a full one loses pairs; so they have the size of those in the recipes.
 */
static int write_join(struct sql *s, struct sql_result *result)
{
	const struct sql_event *first = &s->st.sources[0].event, *second = &s->st.sources[1].event;
	const char *name = s->request->name;
	int err;

	strbuf_addstr(&s->start, "hist:keys=");
	strbuf_addstr(&s->end, "hist:keys=");
	for (size_t i = 0; i < s->st.n_on; i++) {
		strbuf_addf(&s->start, "%s%s", i ? "," : "", s->st.on[i][0].field->name);
		strbuf_addf(&s->end, "%s%s", i ? "," : "", s->st.on[i][1].field->name);
	}
	err = s->start.failed ? HIST_NOMEM : add_columns(s, result);
	if (!err && s->request->on)
		err = add_handlers(s);
	else if (!err)
		strbuf_addf(&s->end, ":onmatch(%s.%s).trace(%s%s)", first->system, first->name,
			    name, s->args.s);
	strbuf_addstr(&s->start, ":size=16384");
	strbuf_addstr(&s->end, ":size=16384");
	err = err ?: add_filters(s);
	if (err)
		return err;
	result->path = arena_printf(s->arena, "events/synthetic/%s", name);
	result->writes[0] =
		(struct sql_write){ "synthetic_events",
				    arena_printf(s->arena, "%s %s", name, s->fields.s) };
	result->writes[1] = (struct sql_write){ arena_printf(s->arena, "events/%s/%s/trigger",
							     first->system, first->name),
						arena_take(s->arena, &s->start) };
	result->writes[2] = (struct sql_write){ arena_printf(s->arena, "events/%s/%s/trigger",
							     second->system, second->name),
						arena_take(s->arena, &s->end) };
	result->n = SQL_MAX_WRITES;
	for (size_t i = 0; i < result->n; i++)
		if (!result->writes[i].path || !result->writes[i].text)
			err = HIST_NOMEM;
	return s->fields.failed || s->args.failed || !result->path ? HIST_NOMEM : err;
}

int sql_translate(const struct sql_request *request, struct arena *arena, struct sql_result *result,
		  struct diags *diags)
{
	const struct event_machine machine = { .long_size = 8 };
	struct sql s = { .request = request,
			 .arena = arena,
			 .diags = diags,
			 .start = STRBUF_INIT,
			 .end = STRBUF_INIT,
			 .args = STRBUF_INIT,
			 .fields = STRBUF_INIT };
	struct event_db *db;
	int err = event_db_new(&db, NULL, 0, machine, NULL);

	*result = (struct sql_result){ .n = 0 };
	if (err)
		return err;
	err = sql_parse(request, db, arena, &s.st, diags);
	if (!err)
		err = s.st.n_sources > 1 ? write_join(&s, result) : write_hist(&s, result);
	array_release(&s.st.columns);
	strbuf_release(&s.start);
	strbuf_release(&s.end);
	strbuf_release(&s.args);
	strbuf_release(&s.fields);
	event_db_free(db);
	return err;
}
