// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Which tables there are: all events that the recording has formats of, those that a script makes,
 * and derived ones; all recorded events together, and the list of tables itself.
 *
 * Invariant: a table exists as soon as its module does, so that nothing is read of an event that no
 * statement names.
 */
#include <stdlib.h>

#include "hist-list.h"
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
		err = add_event(t, source,
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
	int err = source->script ? add_types(t, source, source->script, diags) : 0;

	err = err ?: add_types(t, source, NULL, diags);
	for (size_t i = 0; !err && (event = hist_derived_event(i)); i++)
		err = add_event(t, source, event, false);
	return err;
}

/* By name, then by system; of the same event, that which the replay makes is the first. */
static int compare_events(const void *a, const void *b)
{
	const struct table_event *x = *(const struct table_event *const *)a;
	const struct table_event *y = *(const struct table_event *const *)b;
	const int name = sqlite3_stricmp(table_event_name(x), table_event_name(y));
	const int event = name ? name : sqlite3_stricmp(x->event, y->event);

	return event ? event : x->recorded - y->recorded;
}

static bool is_reserved(const char *name)
{
	return !sqlite3_stricmp(name, "events") || !sqlite3_stricmp(name, "tables") ||
	       !sqlite3_stricmp(name, "tasks");
}

/* Each event once, and whether its name is that of no other. */
static void sort_events(struct event_tables *t)
{
	struct table_event *last = NULL;
	size_t n = 0;

	if (t->list.n)
		qsort(t->list.v, t->list.n, sizeof(*t->list.v), compare_events);
	for (size_t i = 0; i < t->list.n; i++) {
		struct table_event *e = t->list.v[i];

		if (last && !sqlite3_stricmp(last->event, e->event))
			continue;
		e->unique = !is_reserved(table_event_name(e));
		if (last && !sqlite3_stricmp(table_event_name(last), table_event_name(e)))
			last->unique = e->unique = false;
		t->list.v[n++] = last = e;
	}
	t->list.n = n;
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
	bool taken = is_reserved(name);

	for (size_t i = 0; i < t->list.n; i++)
		taken |= t->list.v[i]->unique &&
			 !sqlite3_stricmp(table_event_name(t->list.v[i]), name);
	return taken;
}

static int add_answers(struct event_tables *t, const struct sqlite_answers *answers)
{
	int err = 0;

	for (size_t i = 0; answers && i < answers->n && !err; i++) {
		struct table_answer *a = arena_alloc(&t->arena, sizeof(*a));
		char *table = arena_strdup(&t->arena, answers->names[i]);

		if (!a || !table)
			return HIST_NOMEM;
		for (char *p = table; *p; p++)
			*p = *p == '-' ? '_' : *p;
		*a = (struct table_answer){ answers, answers->names[i], answers->names[i] };
		if (!is_taken(t, table))
			a->table = table;
		if (!is_taken(t, a->name))
			err = array_push(&t->answers, a);
	}
	return err;
}

/* Two names of one module; NULL: it ends. */
static int set_module(sqlite3 *db, const char *const names[2], const sqlite3_module *module,
		      void *data)
{
	int rc = sqlite3_create_module_v2(db, names[0], module, data, NULL);

	if (!rc && names[1])
		rc = sqlite3_create_module_v2(db, names[1], module, data, NULL);
	return rc;
}

static int set_modules(sqlite3 *db, struct event_tables *t, struct table_event *all, bool exist)
{
	const sqlite3_module *events = exist ? &event_table_module : NULL;
	const sqlite3_module *answers = exist ? &answer_table_module : NULL;
	int rc = set_module(db, (const char *[2]){ "events" }, events, all);

	for (size_t i = 0; i < t->list.n && (!rc || !exist); i++) {
		struct table_event *e = t->list.v[i];
		const char *names[2] = { e->event, e->unique ? table_event_name(e) : NULL };

		rc = set_module(db, names, events, e);
	}
	for (size_t i = 0; i < t->answers.n && (!rc || !exist); i++) {
		struct table_answer *a = t->answers.v[i];
		const char *names[2] = { a->table, strcmp(a->table, a->name) ? a->name : NULL };

		rc = set_module(db, names, answers, a);
	}
	return rc;
}

/* The module of the table of tables frees @t; if any cannot be added, none remains. */
static int add_modules(sqlite3 *db, struct event_tables *t, struct table_event *all)
{
	int rc = sqlite3_create_module_v2(db, "tables", &tables_module, t, free_tables);

	if (rc)
		return rc;
	rc = set_modules(db, t, all, true);
	if (!rc)
		return rc;
	set_modules(db, t, all, false);
	sqlite3_create_module_v2(db, "tables", NULL, NULL, NULL);
	return rc;
}

int sqlite_tables_add(sqlite3 *db, struct sqlite_source *source, struct diags *diags)
{
	static const char tasks[] = "CREATE TEMP VIEW tasks AS SELECT pid, comm, tgid, process, "
				    "cmdline, cgroup, max(ts) AS last_ts, count(*) AS events "
				    "FROM events GROUP BY pid";
	struct event_tables *t = calloc(1, sizeof(*t));
	struct table_event *all;
	int err;

	if (!t)
		return HIST_NOMEM;
	all = arena_alloc(&t->arena, sizeof(*all));
	err = all ? find_events(t, source, diags) : HIST_NOMEM;
	sort_events(t);
	err = err ?: add_answers(t, source->answers);
	if (err) {
		free_tables(t);
		return err;
	}
	*all = (struct table_event){ .source = source, .recorded = true };
	/* busy: there since an attempt that failed */
	err = sqlite3_create_collation_v2(db, DIGITS, SQLITE_UTF8, NULL, compare_digits, NULL);
	if ((err && err != SQLITE_BUSY) || percentile_functions_add(db) ||
	    sqlite3_exec(db, tasks, NULL, NULL, NULL)) {
		free_tables(t);
		return diags_error(diags, -HIST_EINVAL, "sqlite: %s", sqlite3_errmsg(db));
	}
	if (!add_modules(db, t, all))
		return 0;
	sqlite3_exec(db, "DROP VIEW temp.tasks", NULL, NULL, NULL);
	return HIST_NOMEM;
}

/* --- the table of tables --- */

struct tables_vtab {
	sqlite3_vtab base;
	const struct event_tables *tables;
};

struct tables_cursor {
	sqlite3_vtab_cursor base;
	size_t at;
};

/* NOLINTNEXTLINE(readability-function-size): the parameters of xConnect */
static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		   char **message)
{
	struct tables_vtab *v = calloc(1, sizeof(*v));
	int rc = v ? sqlite3_declare_vtab(db, "CREATE TABLE x(name TEXT, event TEXT, kind TEXT)")
		   : SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	(void)message;
	if (rc) {
		free(v);
		return rc;
	}
	v->tables = aux;
	*out = &v->base;
	return rc;
}

static int disconnect(sqlite3_vtab *vtab)
{
	free(vtab);
	return SQLITE_OK;
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	(void)vtab;
	info->estimatedCost = 1000;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct tables_cursor *c = calloc(1, sizeof(*c));

	(void)vtab;
	*out = c ? &c->base : NULL;
	return c ? SQLITE_OK : SQLITE_NOMEM;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

/* The question of a row; NULL: it is an event, or there are no more. */
static const struct table_answer *answer_at(const struct event_tables *t, size_t at)
{
	return at >= t->list.n && at - t->list.n < t->answers.n ? t->answers.v[at - t->list.n]
								: NULL;
}

/* Move to the next question that the recording can answer. */
static void skip_unanswered(struct tables_cursor *c)
{
	const struct event_tables *t = ((struct tables_vtab *)c->base.pVtab)->tables;
	const struct table_answer *a;

	while ((a = answer_at(t, c->at)) && !a->answers->can(a->answers->arg, a->name))
		c->at++;
}

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
		  sqlite3_value **values)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)values;
	((struct tables_cursor *)cursor)->at = 0;
	skip_unanswered((struct tables_cursor *)cursor);
	return SQLITE_OK;
}

static int step(sqlite3_vtab_cursor *cursor)
{
	((struct tables_cursor *)cursor)->at++;
	skip_unanswered((struct tables_cursor *)cursor);
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
	const struct tables_cursor *c = (struct tables_cursor *)cursor;

	const struct event_tables *t = ((struct tables_vtab *)cursor->pVtab)->tables;

	return c->at >= t->list.n + t->answers.n;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *cx, int i)
{
	const struct event_tables *t = ((struct tables_vtab *)cursor->pVtab)->tables;
	const size_t at = ((struct tables_cursor *)cursor)->at;
	const struct table_answer *a = answer_at(t, at);
	const struct table_event *e = a ? NULL : t->list.v[at];
	const char *text[] = { a ? a->table : e->event, a ? a->name : e->event, "recorded" };

	if (!a && e->unique)
		text[0] = table_event_name(e);
	if (a)
		text[2] = "answer";
	else if (!e->recorded)
		text[2] = strncmp(e->event, "derived:", 8) ? "synthetic" : "derived";
	sqlite3_result_text(cx, text[i], -1, SQLITE_TRANSIENT);
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row)
{
	*row = (sqlite3_int64)((struct tables_cursor *)cursor)->at;
	return SQLITE_OK;
}

const sqlite3_module tables_module = {
	.xConnect = connect,
	.xBestIndex = best_index,
	.xDisconnect = disconnect,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = filter,
	.xNext = step,
	.xEof = is_at_end,
	.xColumn = column,
	.xRowid = rowid,
};
