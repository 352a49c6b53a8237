// SPDX-License-Identifier: LGPL-2.1-only
/* The columns of the table of an event: those of all events, its fields, and their names. */
#include "hist-code.h"
#include "hist-columns.h"
#include "hist-script.h"
#include "sqlite/event_table.h"

/* ORDER sqlite_column */
static const struct column common[COL_FIELDS] = {
	{ "ts", HAS_INTEGER },   { "cpu", HAS_INTEGER },  { "pid", HAS_INTEGER },
	{ "comm", HAS_TEXT },    { "tgid", HAS_INTEGER }, { "process", HAS_TEXT },
	{ "cmdline", HAS_TEXT }, { "cgroup", HAS_TEXT },  { "event", HAS_TEXT },
	{ "text", HAS_TEXT },    { "date", HAS_TEXT },    { "unix_ns", HAS_INTEGER },
	{ "host", HAS_TEXT },
};

static enum column_affinity field_affinity(const struct hist_event_field *f)
{
	switch (f->kind) {
	case HIST_VALUE_SIGNED:
		return HAS_INTEGER;
	case HIST_VALUE_UNSIGNED:
		return f->size < 8 ? HAS_INTEGER : HAS_NUMBER;
	case HIST_VALUE_POINTER:
		return HAS_ADDRESS;
	case HIST_VALUE_TEXT:
		return HAS_TEXT;
	default:
		return HAS_ANY;
	}
}

/* SQLite does not distinguish upper and lower case. */
static bool has_column(const struct event_table *t, const char *name)
{
	return any_of(i, t->columns.n, !sqlite3_stricmp(t->columns.v[i].name, name));
}

static int add_column(struct event_table *t, const char *name, enum column_affinity affinity,
		      const char *field)
{
	const struct column c = { name, affinity };

	return !name || !field ? HIST_NOMEM
			       : array_push(&t->columns, c) ?: array_push(&t->field_names, field);
}

/* A field that machines know by different types may be any of them. */
static int add_field(struct event_table *t, const struct hist_event_field *f)
{
	const enum column_affinity affinity = field_affinity(f);
	char *column = arena_strdup(&t->arena, f->column);

	array_each_of(const char *const, name, t->field_names.v, t->field_names.n)
		if (!strcmp(*name, f->name)) {
			struct column *c = &t->columns.v[COL_FIELDS + (name - t->field_names.v)];

			c->affinity = c->affinity == affinity ? affinity : HAS_ANY;
			return 0;
		}
	while (column && has_column(t, column))
		column = arena_printf(&t->arena, "%s_", column);
	return add_column(t, column, affinity, arena_strdup(&t->arena, f->name));
}

static int add_fields(struct event_table *t, struct hist_events *events)
{
	const struct hist_event_type *type = hist_events_type(events, 0);
	int err = 0;

	/* kernel: of two fields with one name, the last one is used */
	for (size_t i = 0; i < type->n_fields && !err; i++)
		if (hist_event_field(type, type->fields[i].name) == (int)i)
			err = add_field(t, &type->fields[i]);
	return err;
}

/* NAME_text: the names of the numbers of NAME, hidden as all that is made of other columns. */
static int add_names(struct event_table *t, struct hist_events *events)
{
	const struct hist_event_type *type = hist_events_type(events, 0);
	int err = 0;

	for (size_t i = COL_FIELDS; i < t->first_name && !err; i++) {
		const char *field = t->field_names.v[i - COL_FIELDS], *name;
		const int at = hist_event_field(type, field);

		err = at < 0 ? 0 : hist_event_has_names(events, type, (size_t)at);
		if (err <= 0)
			continue;
		name = arena_printf(&t->arena, "%s_text", t->columns.v[i].name);
		err = name ? 0 : HIST_NOMEM;
		if (!err && !has_column(t, name))
			err = add_column(t, name, HAS_TEXT, field);
	}
	return err;
}

/* A question about code, see hist_event_code(), if it has an answer for these events. */
static int add_question(struct event_table *t, struct hist_events *events, const char *question,
			const char *column)
{
	if (!question || !column)
		return HIST_NOMEM;
	if (hist_events_code(events, question) < 0 || has_column(t, column))
		return 0;
	return add_column(t, column, HAS_TEXT, question);
}

/* Whether a field may be the address of code. */
static bool may_have_symbols(const struct hist_event_field *f)
{
	return f->kind == HIST_VALUE_POINTER ||
	       (f->kind == HIST_VALUE_UNSIGNED && !strcmp(f->type, "unsigned long"));
}

static int add_code(struct event_table *t, struct hist_events *events)
{
	static const char *const questions[][2] = {
		{ "ip.sym", "ip_sym" }, { "ip.dso", "ip_dso" }, { "ip.srcline", "ip_srcline" },
		{ "ustack", "ustack" }, { "stack", "stack" },
	};
	const struct hist_event_type *type = hist_events_type(events, 0);
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(questions) && !err; i++)
		err = add_question(t, events, questions[i][0], questions[i][1]);
	for (size_t i = COL_FIELDS; i < t->first_name && !err; i++) {
		const char *name = t->columns.v[i].name, *field = t->field_names.v[i - COL_FIELDS];
		const int at = hist_event_field(type, field);

		if (at >= 0 && may_have_symbols(&type->fields[at]) &&
		    !has_column(t, arena_printf(&t->arena, "%s_text", name) ?: ""))
			err = add_question(t, events, arena_printf(&t->arena, "%s.sym", field),
					   arena_printf(&t->arena, "%s_sym", name));
	}
	return err;
}

/* The event of a machine. */
struct opened {
	struct hist *h;
	struct hist_events *events; /* NULL: it does not know it */
};

bool source_knows(const struct sqlite_source *source, struct hist *h, const char *event)
{
	scoped(free_scoped) char *path = NULL;

	return (source->script ? hist_script_find_event(h, source->script, event, &path, NULL)
			       : hist_find_event(h, event, &path, NULL)) != -HIST_ENOENT;
}

static int open_event(const struct event_table *t, const struct sqlite_source *source,
		      struct opened *o, struct diags *diags)
{
	const struct hist_event_choice choice = { .event = t->of->event };
	const struct hist_events_options options = { .script = t->of->recorded ? NULL
									       : source->script,
						     .choices = &choice,
						     .n_choices = 1 };
	int err = source->open(source->arg, &o->h, diags);

	if (err || (t->of->source->next && !source_knows(source, o->h, t->of->event)))
		return err;
	return hist_events_open(o->h, &options, &o->events, diags);
}

int event_columns_find(struct event_table *t, struct diags *diags)
{
	static int (*const adds[])(struct event_table *,
				   struct hist_events *) = { add_fields, add_names, add_code };
	ARRAY(struct opened) all = ARRAY_INIT;
	int err = 0;

	for (size_t i = 0; i < COL_FIELDS && !err; i++) {
		struct column c = common[i];

		/* of one machine, it is not a column that fields could have */
		if (i == COL_HOST && !t->of->source->host)
			c.name = "-";
		err = array_push(&t->columns, c);
	}
	for (struct sqlite_source *s = t->of->source; s && t->of->event && !err; s = s->next) {
		struct opened o = { .h = NULL };

		err = open_event(t, s, &o, diags);
		err = array_push(&all, o) ?: err;
	}
	for (size_t k = 0; k < ARRAY_SIZE(adds); k++) {
		*(k < 2 ? &t->first_name : &t->first_code) = t->columns.n;
		array_each_while(const struct opened, o, &all, !err)
			err = o->events ? adds[k](t, o->events) : 0;
	}
	array_each(const struct opened, o, &all) {
		if (o->events)
			hist_events_close(o->events, 1);
		hist_close(o->h);
	}
	array_release(&all);
	return err;
}

/* Texts that are no numbers, of a statement, are compared as texts. */
int compare_digits(void *arg UNUSED, int n, const void *a, int m, const void *b)
{
	const int order = memcmp(a, b, (size_t)min_t(int, n, m));

	if (n && m && is_digit(*(const char *)a) && is_digit(*(const char *)b) && n != m)
		return n - m;
	return order ? order : n - m;
}

/* " INTEGER": of a column, after its name. */
static const char *affinity_text(enum column_affinity affinity, size_t column)
{
	if (column == COL_TS)
		return " INTEGER COLLATE " DIGITS;
	return affinity == HAS_INTEGER   ? " INTEGER"
	       : affinity == HAS_ADDRESS ? " POINTER"
	       : affinity == HAS_TEXT    ? " TEXT"
	       : affinity == HAS_NUMBER  ? " COLLATE " DIGITS
					 : "";
}

/* Only the table of all events shows the column event. */
int event_columns_declare(sqlite3 *db, const struct event_table *t)
{
	scoped(strbuf_release) struct strbuf sql = STRBUF_INIT;

	strbuf_addstr(&sql, "CREATE TABLE x(");
	for (size_t i = 0; i < t->columns.n; i++) {
		const struct column *c = &t->columns.v[i];
		const bool hidden =
			i == COL_TEXT || i == COL_DATE || i == COL_TGID || i == COL_CMDLINE ||
			i == COL_UNIX_NS || (i == COL_HOST && !t->of->source->next) ||
			(i == COL_EVENT && t->of->event) || (i >= COL_FIELDS && i >= t->first_name);
		char *name = sqlite3_mprintf("%s\"%w\"%s%s", i ? "," : "", c->name,
					     affinity_text(c->affinity, i),
					     hidden ? " HIDDEN" : "");

		strbuf_addstr(&sql, name ? name : "");
		sql.failed |= !name;
		sqlite3_free(name);
	}
	strbuf_addch(&sql, ')');
	return sql.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, sql.s);
}
