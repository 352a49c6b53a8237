// SPDX-License-Identifier: LGPL-2.1-only
/* The columns of the table of an event: those of all events, its fields, and their names. */
#include "hist-code.h"
#include "hist-columns.h"
#include "sqlite/event_table.h"

/* ORDER sqlite_column */
static const struct column common[COL_FIELDS] = {
	{ 0, "ts", HAS_INTEGER },   { 0, "cpu", HAS_INTEGER },  { 0, "pid", HAS_INTEGER },
	{ 0, "comm", HAS_TEXT },    { 0, "tgid", HAS_INTEGER }, { 0, "process", HAS_TEXT },
	{ 0, "cmdline", HAS_TEXT }, { 0, "cgroup", HAS_TEXT },  { 0, "event", HAS_TEXT },
	{ 0, "text", HAS_TEXT },    { 0, "date", HAS_TEXT },
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

static int add_fields(struct event_table *t, const struct hist_event_type *type)
{
	int err = 0;

	for (size_t i = 0; i < type->n_fields && !err; i++) {
		const struct hist_event_field *f = &type->fields[i];
		struct column c = { i, arena_strdup(&t->arena, f->column), field_affinity(f) };
		const char *name = arena_strdup(&t->arena, f->name);

		/* kernel: of two fields with one name, the last one is used */
		if (hist_event_field(type, f->name) != (int)i)
			continue;
		while (c.name && has_column(t, c.name))
			c.name = arena_printf(&t->arena, "%s_", c.name);
		err = c.name && name ? array_push(&t->columns, c) : HIST_NOMEM;
		err = err ?: array_push(&t->field_names, name);
	}
	return err;
}

/* NAME_text: the names of the numbers of NAME, hidden as all that is made of other columns. */
static int add_names(struct event_table *t, struct hist_events *events)
{
	const struct hist_event_type *type = hist_events_type(events, 0);
	int err = 0;

	t->first_name = t->columns.n;
	for (size_t i = COL_FIELDS; i < t->first_name && !err; i++) {
		const size_t field = t->columns.v[i].field;
		struct column c = { field, NULL, HAS_TEXT };

		err = hist_event_has_names(events, type, field);
		if (err <= 0)
			continue;
		c.name = arena_printf(&t->arena, "%s_text", t->columns.v[i].name);
		err = c.name ? 0 : HIST_NOMEM;
		if (err || has_column(t, c.name))
			continue;
		err = array_push(&t->columns, c);
		err = err ?: array_push(&t->field_names, c.name);
	}
	return err;
}

/* A question about code, see hist_event_code(), if it has an answer for these events. */
static int add_question(struct event_table *t, struct hist_events *events, const char *question,
			const char *column)
{
	const struct column c = { t->columns.n - t->first_code, column, HAS_TEXT };

	if (!question || !column)
		return HIST_NOMEM;
	if (hist_events_code(events, question) < 0 || has_column(t, column))
		return 0;
	return array_push(&t->columns, c) ?: array_push(&t->field_names, question);
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

	t->first_code = t->columns.n;
	for (size_t i = 0; i < ARRAY_SIZE(questions) && !err; i++)
		err = add_question(t, events, questions[i][0], questions[i][1]);
	for (size_t i = COL_FIELDS; i < t->first_name && !err; i++) {
		const char *name = t->columns.v[i].name;

		if (may_have_symbols(&type->fields[t->columns.v[i].field]) &&
		    !has_column(t, arena_printf(&t->arena, "%s_text", name) ?: ""))
			err = add_question(t, events,
					   arena_printf(&t->arena, "%s.sym",
							t->field_names.v[i - COL_FIELDS]),
					   arena_printf(&t->arena, "%s_sym", name));
	}
	return err;
}

int event_columns_find(struct event_table *t, struct diags *diags)
{
	struct sqlite_source *source = t->of->source;
	const struct hist_event_choice choice = { .event = t->of->event };
	const struct hist_events_options options = { .script = t->of->recorded ? NULL
									       : source->script,
						     .choices = &choice,
						     .n_choices = 1 };
	struct hist_events *events;
	struct hist *h = NULL;
	int err = 0;

	for (size_t i = 0; i < COL_FIELDS && !err; i++)
		err = array_push(&t->columns, common[i]);
	t->first_name = t->first_code = COL_FIELDS;
	if (err || !t->of->event)
		return err;
	err = source->open(source->arg, &h, diags);
	err = err ?: hist_events_open(h, &options, &events, diags);
	if (!err) {
		err = add_fields(t, hist_events_type(events, 0));
		err = err ?: add_names(t, events);
		err = err ?: add_code(t, events);
		hist_events_close(events, 1);
	}
	hist_close(h);
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
		const bool hidden = i == COL_TEXT || i == COL_DATE || i == COL_TGID ||
				    i == COL_CMDLINE || (i == COL_EVENT && t->of->event) ||
				    (i >= COL_FIELDS && i >= t->first_name);
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
