// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Which tables there are: all events that the recording has formats of, those that a script makes,
 * and derived ones; all recorded events together, and the list of tables itself.
 *
 * Invariant: a table exists as soon as its module does, so that nothing is read of an event that no
 * statement names.
 */
#include "hist-list.h"
#include "recipe/recipe.h"
#include "sqlite/event_tables.h"

const char *table_event_name(const struct table_event *e)
{
	return strchr(e->event, ':') + 1;
}

static int add_event(struct event_tables *t, struct sqlite_source *source, const char *event,
		     bool recorded)
{
	struct table_event *e = arena_alloc(&t->arena, sizeof(*e));

	if (!event || !e)
		return HIST_NOMEM;
	*e = (struct table_event){ .source = source, .event = event, .recorded = recorded };
	return array_push(&t->list, e);
}

/* All types of an iterator that reads nothing. */
static int add_types(struct event_tables *t, struct sqlite_source *source,
		     const struct hist_script *script, struct diags *diags)
{
	const struct hist_events_options options = { .script = script };
	const struct hist_event_type *type;
	struct hist_events *events;
	struct hist *h = NULL;
	int err = source->open(source->arg, &h, diags);

	err = err ?: hist_events_open(h, &options, &events, diags);
	for (size_t i = 0; !err && (type = hist_events_type(events, i)); i++)
		err = add_event(t, t->source,
				arena_printf(&t->arena, "%s:%s", type->system, type->name),
				!script && strcmp(type->system, "synthetic") != 0);
	if (!err)
		hist_events_close(events, 1);
	hist_close(h);
	return err;
}

static int find_events(struct event_tables *t, struct sqlite_source *source, struct diags *diags)
{
	const char *event;
	int err = 0;

	for (struct sqlite_source *s = source; s && !err; s = s->next) {
		err = s->script ? add_types(t, s, s->script, diags) : 0;
		err = err ?: add_types(t, s, NULL, diags);
	}
	for (size_t i = 0; !err && (event = hist_derived_event(i)); i++)
		err = add_event(t, source, event, false);
	return err;
}

/* By name, then by system; of the same event, that which the replay makes is the first. */
DEFINE_ORDER(compare_events, struct table_event *const, sqlite3_stricmp(table_event_name(*x), table_event_name(*y)) ?: sqlite3_stricmp((*x)->event, (*y)->event) ?: (*x)->recorded - (*y)->recorded)

static bool is_reserved(const char *name)
{
	return !sqlite3_stricmp(name, "events") || !sqlite3_stricmp(name, "tables") ||
	       !sqlite3_stricmp(name, "tasks");
}

static void free_tables(void *arg)
{
	struct event_tables *t = arg;

	array_release(&t->list);
	array_release(&t->answers);
	arena_release(&t->arena);
	free(t);
}

/* A name that an event has is that of the event. */
static bool is_taken(const struct event_tables *t, const char *name)
{
	return is_reserved(name) ||
	       any_of(i, t->list.n,
		      t->list.v[i]->unique &&
			      !sqlite3_stricmp(table_event_name(t->list.v[i]), name));
}

static int add_answer(struct event_tables *t, const char *recipe)
{
	struct table_answer *a = arena_alloc(&t->arena, sizeof(*a));
	const char *name = arena_strdup(&t->arena, recipe);
	char *table = arena_strdup(&t->arena, recipe);

	if (!a || !name || !table)
		return HIST_NOMEM;
	for (char *p = table; *p; p++)
		*p = *p == '-' ? '_' : *p;
	*a = (struct table_answer){ t->source, name, is_taken(t, table) ? name : table };
	return is_taken(t, name) ? 0 : array_push(&t->answers, a);
}

static int add_answers(struct event_tables *t)
{
	scoped(recipe_names_release) recipe_names names = ARRAY_INIT;
	int err = recipe_list(&names);

	for (size_t i = 0; i < names.n && !err; i++)
		err = add_answer(t, names.v[i]);
	return err;
}

/* The module of the table of tables frees @t with the database, also if it cannot be added. */
static int add_modules(sqlite3 *db, struct event_tables *t, struct table_event *all)
{
	int rc = sqlite3_create_module_v2(db, "tables", &tables_module, t, free_tables);

	rc = rc ? rc : sqlite3_create_module_v2(db, "events", &event_table_module, all, NULL);
	for (size_t i = 0; !rc && i < t->list.n; i++) {
		struct table_event *e = t->list.v[i];

		rc = sqlite3_create_module_v2(db, e->event, &event_table_module, e, NULL);
		if (!rc && e->unique)
			rc = sqlite3_create_module_v2(db, table_event_name(e), &event_table_module,
						      e, NULL);
	}
	for (size_t i = 0; !rc && i < t->answers.n; i++) {
		struct table_answer *a = t->answers.v[i];

		rc = sqlite3_create_module_v2(db, a->table, &answer_table_module, a, NULL);
		if (!rc && strcmp(a->table, a->name) != 0)
			rc = sqlite3_create_module_v2(db, a->name, &answer_table_module, a, NULL);
	}
	return rc;
}

int sqlite_tables_add(sqlite3 *db, struct sqlite_source *source, struct diags *diags)
{
	static const char tasks[] = "CREATE TEMP VIEW tasks AS SELECT pid, comm, tgid, process, "
				    "cmdline, cgroup, max(ts) AS last_ts, count(*) AS events "
				    "FROM events GROUP BY pid";
	static const char tasks_of[] =
		"CREATE TEMP VIEW tasks AS SELECT host, pid, comm, tgid, process, cmdline, cgroup, "
		"max(ts) AS last_ts, count(*) AS events FROM events GROUP BY host, pid";
	struct event_tables *t = calloc(1, sizeof(*t));
	struct table_event *all;
	int err;
	struct table_event *last = NULL;
	size_t n = 0;

	if (!t)
		return HIST_NOMEM;
	t->source = source;
	all = arena_alloc(&t->arena, sizeof(*all));
	err = all ? find_events(t, source, diags) : HIST_NOMEM;
	/* Each event once, and whether its name is that of no other. */
	if (t->list.n)
		qsort(t->list.v, t->list.n, sizeof(*t->list.v), compare_events);
	array_each_ptr(struct table_event, e, &t->list) {
		if (last && !sqlite3_stricmp(last->event, e->event))
			continue;
		e->unique = !is_reserved(table_event_name(e));
		if (last && !sqlite3_stricmp(table_event_name(last), table_event_name(e)))
			last->unique = e->unique = false;
		t->list.v[n++] = last = e;
	}
	t->list.n = n;
	err = err ?: add_answers(t);
	if (err) {
		free_tables(t);
		return err;
	}
	*all = (struct table_event){ .source = source, .recorded = true };
	/* busy: there since an attempt that failed */
	err = sqlite3_create_collation_v2(db, DIGITS, SQLITE_UTF8, NULL, compare_digits, NULL);
	if ((err && err != SQLITE_BUSY) || percentile_functions_add(db) ||
	    sqlite3_exec(db, source->next ? tasks_of : tasks, NULL, NULL, NULL)) {
		free_tables(t);
		return diags_error(diags, -HIST_EINVAL, "sqlite: %s", sqlite3_errmsg(db));
	}
	return add_modules(db, t, all) ? HIST_NOMEM : 0;
}
