// SPDX-License-Identifier: LGPL-2.1-only
/* The columns of rows: what all events have, and fields. */
#include "events/events_print.h"
#include "hist-code.h"

/* ORDER events_column_kind */
const struct row_column events_common_columns[N_COLUMNS] = {
	{ .name = "time", .kind = CELL_DATE },
	{ .name = "ts", .kind = CELL_SIGNED },
	{ .name = "cpu", .kind = CELL_UNSIGNED, .size = 4 },
	{ .name = "pid", .kind = CELL_SIGNED, .size = 4 },
	{ .name = "comm", .kind = CELL_TEXT },
	{ .name = "event", .kind = CELL_TEXT },
	{ .name = "tgid", .kind = CELL_SIGNED, .size = 4 },
	{ .name = "process", .kind = CELL_TEXT },
	{ .name = "cmdline", .kind = CELL_TEXT },
	{ .name = "cgroup", .kind = CELL_TEXT },
	{ .name = "text", .kind = CELL_TEXT },
	{ .name = "date", .kind = CELL_TEXT },
	{ .name = "fields", .kind = CELL_JSON },
};

static size_t find_common(struct span name)
{
	size_t i = 0;

	while (i < N_COLUMNS && !span_eq(name, events_common_columns[i].name))
		i++;
	return i;
}

const char *events_column_name(struct arena *arena, const char *field)
{
	return find_common(span_of(field)) == N_COLUMNS ? field
							: arena_printf(arena, "event_%s", field);
}

static int add_column(struct events_printer *p, const struct events_column *c)
{
	return c->name ? array_push(&p->columns, *c) : HIST_NOMEM;
}

static int add_common(struct events_printer *p, enum events_column_kind kind)
{
	const struct events_column c = { .kind = kind, .name = events_common_columns[kind].name };

	return add_column(p, &c);
}

/* The column of a field of any of the types. Return: 0, 1: no type has it, -HIST_ENOMEM */
static int add_field(struct events_printer *p, const struct hist_events *ev, const char *column)
{
	int *fields = arena_alloc(&p->arena, ev->types.n * sizeof(*fields));
	struct events_column c = { .kind = COLUMN_FIELD, .name = column, .fields = fields };
	bool found = false;

	if (!fields)
		return HIST_NOMEM;
	for (size_t i = 0; i < ev->types.n; i++) {
		const struct hist_event_type *type = &ev->types.v[i]->public;

		fields[i] = -1;
		for (size_t k = type->n_fields; k-- && fields[i] < 0;)
			if (!strcmp(type->fields[k].column, column))
				fields[i] = (int)k;
		found |= fields[i] >= 0;
	}
	return found ? add_column(p, &c) : 1;
}

int events_field_words(const struct hist_events *ev, const struct events_type *type, size_t field,
		       struct arena *arena, struct number_names *words)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	int err = event_field_names(ev->h->recordings.db, type->file->system, type->file->name,
				    span_of(type->public.fields[field].name), &text);

	return err ?: number_names_read(words, strbuf_span(&text), arena);
}

struct span events_value_name(const struct hist_value *v, const struct number_names *words,
			      char buf[static EVENTS_NAME_MAX])
{
	struct span name = { buf, 0 };

	if (v->kind == HIST_VALUE_UNSIGNED || v->kind == HIST_VALUE_SIGNED)
		name.n = number_name(words, v->number, buf, EVENTS_NAME_MAX);
	return name;
}

bool events_type_has_column(const struct events_type *type, const char *column)
{
	return any_of(i, type->public.n_fields, !strcmp(type->public.fields[i].column, column));
}

/*
 * A column NAME_text with the words for the numbers of the column NAME that was added last, if they
 * have any and no field has that name.
 */
static int add_words(struct events_printer *p, const struct hist_events *ev)
{
	struct events_column c = p->columns.v[p->columns.n - 1];
	struct number_names *words = arena_alloc(&p->arena, ev->types.n * sizeof(*words));
	bool any = false, taken = false;
	int err = words ? 0 : HIST_NOMEM;

	c.name = arena_printf(&p->arena, "%s_text", c.name);
	for (size_t i = 0; i < ev->types.n && c.name && !err; i++) {
		words[i] = (struct number_names){ .n = 0 };
		taken |= events_type_has_column(ev->types.v[i], c.name);
		if (c.fields[i] < 0)
			continue;
		err = events_field_words(ev, ev->types.v[i], (size_t)c.fields[i], &p->arena,
					 &words[i]);
		any |= number_names_any(&words[i]);
	}
	c.kind = COLUMN_WORDS;
	c.words = words;
	return err || !any || taken ? err : add_column(p, &c);
}

/* A question about code, "ip.sym" or, as columns of hist sql, "ip_sym". Return: as add_field() */
static int add_code(struct events_printer *p, struct hist_events *ev, const char *name)
{
	struct events_column c = { .kind = COLUMN_CODE, .name = name };
	const char *last = strrchr(name, '_');
	int question = hist_events_code(ev, name);

	if (question == -HIST_ENOENT && last) {
		name = arena_printf(&p->arena, "%.*s.%s", (int)(last - name), name, last + 1);
		question = name ? hist_events_code(ev, name) : HIST_NOMEM;
	}
	c.code = (size_t)question;
	return question >= 0 ? add_column(p, &c) : question == -HIST_ENOENT ? 1 : question;
}

/* A listed column NAME_text. Return: as add_field() */
static int add_listed_words(struct events_printer *p, const struct hist_events *ev,
			    const char *name)
{
	const size_t n = strlen(name), before = p->columns.n;
	const char *field;
	int err;

	if (p->format->nested || n < 6 || strcmp(name + n - 5, "_text") != 0)
		return 1;
	field = arena_strndup(&p->arena, name, n - 5);
	err = field ? add_field(p, ev, field) : HIST_NOMEM;
	err = err ?: add_words(p, ev);
	if (err || p->columns.n != before + 2) {
		p->columns.n = before;
		return err ?: 1;
	}
	p->columns.v[before] = p->columns.v[before + 1];
	p->columns.n--;
	return 0;
}

/* All fields: as columns of their own if there is one type. */
static int add_fields(struct events_printer *p, const struct hist_events *ev)
{
	int err = 0;

	if (p->format->nested || ev->types.n > 1)
		return add_common(p, COLUMN_FIELDS);
	for (size_t i = 0; i < ev->types.v[0]->public.n_fields && !err; i++) {
		const struct hist_event_field *f = &ev->types.v[0]->public.fields[i];

		/* kernel: of two fields with one name, the last one is used */
		if (hist_event_field(&ev->types.v[0]->public, f->name) != (int)i)
			continue;
		err = add_field(p, ev, f->column) ?: add_words(p, ev);
	}
	return err;
}

static int unknown_column(const struct hist_events *ev, const char *name)
{
	struct near near = NEAR_INIT(name);
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < N_COLUMNS; i++)
		near_offer(&near, events_common_columns[i].name, events_common_columns[i].name);
	for (size_t i = 0; i < ev->types.n; i++)
		for (size_t k = 0; k < ev->types.v[i]->public.n_fields; k++)
			near_offer(&near, ev->types.v[i]->public.fields[k].name,
				   ev->types.v[i]->public.fields[k].name);
	near_text(&near, &names);
	diags_error(
		ev->diags, 0,
		"--fields: no event has a field %s%s%s; hist list -e shows the fields of events",
		name, names.len ? "; nearest: " : "; all have ",
		names.len ? names.s : "ts, cpu, pid, comm, event, text");
	return -HIST_EINVAL;
}

static int add_listed(struct events_printer *p, struct hist_events *ev)
{
	struct span rest = span_of(p->print->fields);
	int err = 0;

	while (rest.s && !err) {
		struct span word = span_trim(span_sep(&rest, ","));
		size_t kind = find_common(word);
		const char *name = arena_strndup(&p->arena, word.s, word.n);

		if (!name)
			err = HIST_NOMEM;
		else if (kind == COLUMN_FIELDS)
			err = add_fields(p, ev);
		else if (kind < N_COLUMNS)
			err = add_common(p, (enum events_column_kind)kind);
		else
			err = add_field(p, ev, name);
		if (err > 0)
			err = add_listed_words(p, ev, name);
		if (err > 0)
			err = add_code(p, ev, name);
		if (err > 0)
			err = unknown_column(ev, name);
	}
	return err;
}

int events_choose_columns(struct events_printer *p, struct hist_events *ev)
{
	int err = 0;

	if (p->print->fields)
		return add_listed(p, ev);
	for (int kind = COLUMN_TIME; kind <= COLUMN_EVENT && !err; kind++)
		err = add_common(p, (enum events_column_kind)kind);
	return err ? err : add_fields(p, ev);
}

void events_column_value(const struct hist_event *e, const struct events_column *c,
			 struct hist_value *v)
{
	int i = c->fields[c->of_one_type ? 0 : e->type->number];

	*v = (struct hist_value){ .kind = HIST_VALUE_ABSENT };
	if (i >= 0)
		hist_event_value(e, (size_t)i, v);
}

const char *events_row_who(const struct events_row *r, enum events_column_kind kind,
			   char buf[static WHO_TEXT_MAX])
{
	enum hist_who what = kind == COLUMN_PROCESS   ? HIST_WHO_PROCESS
			     : kind == COLUMN_CMDLINE ? HIST_WHO_CMDLINE
						      : HIST_WHO_CGROUP;

	return events_who_text(r->e.events, what, r->who[what], buf);
}

bool events_list_has(const char *list, enum events_column_kind kind)
{
	struct span rest = span_of(list ? list : "");

	while (list && rest.s)
		if (span_eq(span_trim(span_sep(&rest, ",")), events_common_columns[kind].name))
			return true;
	return false;
}
