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
	arena_release(&t->arena);
	free(t);
}

static int add_modules(sqlite3 *db, struct event_tables *t, struct sqlite_source *source)
{
	struct table_event *all = arena_alloc(&t->arena, sizeof(*all));
	int rc = all ? SQLITE_OK : SQLITE_NOMEM;

	if (all)
		*all = (struct table_event){ .source = source, .recorded = true };
	rc = rc ? rc : sqlite3_create_module_v2(db, "events", &event_table_module, all, NULL);
	for (size_t i = 0; i < t->list.n && !rc; i++) {
		struct table_event *e = t->list.v[i];

		rc = sqlite3_create_module_v2(db, e->event, &event_table_module, e, NULL);
		if (!rc && e->unique)
			rc = sqlite3_create_module_v2(db, table_event_name(e), &event_table_module,
						      e, NULL);
	}
	/* this module frees all, also if it cannot be added */
	if (rc)
		free_tables(t);
	else
		rc = sqlite3_create_module_v2(db, "tables", &tables_module, t, free_tables);
	return rc;
}

int sqlite_tables_add(sqlite3 *db, struct sqlite_source *source, struct diags *diags)
{
	static const char tasks[] = "CREATE TEMP VIEW tasks AS SELECT pid, comm, tgid, process, "
				    "cmdline, cgroup, max(ts) AS last_ts, count(*) AS events "
				    "FROM events GROUP BY pid";
	struct event_tables *t = calloc(1, sizeof(*t));
	int err;

	if (!t)
		return HIST_NOMEM;
	err = find_events(t, source, diags);
	if (err) {
		free_tables(t);
		return err;
	}
	sort_events(t);
	if (add_modules(db, t, source) || sqlite3_exec(db, tasks, NULL, NULL, NULL))
		return diags_error(diags, -HIST_EINVAL, "sqlite: %s", sqlite3_errmsg(db));
	return 0;
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

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
		  sqlite3_value **values)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)values;
	((struct tables_cursor *)cursor)->at = 0;
	return SQLITE_OK;
}

static int step(sqlite3_vtab_cursor *cursor)
{
	((struct tables_cursor *)cursor)->at++;
	return SQLITE_OK;
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
	const struct tables_cursor *c = (struct tables_cursor *)cursor;

	return c->at >= ((struct tables_vtab *)cursor->pVtab)->tables->list.n;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *cx, int i)
{
	const struct event_tables *t = ((struct tables_vtab *)cursor->pVtab)->tables;
	const struct table_event *e = t->list.v[((struct tables_cursor *)cursor)->at];
	const char *const texts[] = {
		e->unique ? table_event_name(e) : e->event,
		e->event,
		e->recorded                        ? "recorded"
		: strncmp(e->event, "derived:", 8) ? "synthetic"
						   : "derived",
	};

	sqlite3_result_text(cx, texts[i], -1, SQLITE_TRANSIENT);
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
