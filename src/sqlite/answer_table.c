// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The table of the answer of a recipe: the first histogram that it prints, with all rows, computed
 * when a statement first uses the table, and kept until the database is closed.
 *
 * The answer is statements (--format sql), which make it in a temporary database; the columns are
 * those of csv. The table of tables is another one in such a database.
 */
#include "hist-ask.h"
#include "hist-merge.h"
#include "recipe/recipe.h"
#include "sqlite/event_tables.h"

struct answer_table {
	sqlite3_vtab base;
	sqlite3 *db; /* has the table answer */
};

struct answer_cursor {
	sqlite3_vtab_cursor base;
	sqlite3_stmt *stmt;
	bool at_end;
};

/* The same columns for the database of the statement. */
static int declare(sqlite3 *db, sqlite3 *from)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(from, "SELECT sql FROM sqlite_schema WHERE name = 'answer'", -1,
				    &stmt, NULL);

	rc = rc ? rc : sqlite3_step(stmt) == SQLITE_ROW ? SQLITE_OK : SQLITE_ERROR;
	rc = rc ? rc : sqlite3_declare_vtab(db, (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	return rc;
}

/* The answer of a machine in a format. */
static int ask(const struct table_answer *a, const struct sqlite_source *source, const char *format,
	       struct strbuf *out, struct diags *diags)
{
	const struct hist_run_options run = { .format = format, .show = "1" };
	const struct hist_recipe recipe = { .name = a->name, .shipped = true };
	struct hist_script *script = hist_script_new();
	struct hist *h = NULL;
	int err = script ? source->open(source->arg, &h, diags) : HIST_NOMEM;

	err = err ?: hist_script_recipe(h, script, &recipe, diags);
	err = err ?: hist_run(h, script, &run, strbuf_sink, out, diags);
	hist_close(h);
	hist_script_free(script);
	return err;
}

/* Those of several machines, with the key host. */
static int ask_all(const struct table_answer *a, struct strbuf *sql, struct diags *diags)
{
	const struct hist_run_options run = { .format = "sql" };
	struct hist_merge *sum = hist_merge_new();
	int err = sum ? 0 : HIST_NOMEM;

	for (const struct sqlite_source *s = a->source; s && !err; s = s->next) {
		scoped(strbuf_release) struct strbuf json = STRBUF_INIT, label = STRBUF_INIT;

		strbuf_addf(&label, "host=%s", s->host);
		err = ask(a, s, "json", &json, diags);
		err = err ?: json.failed || label.failed ? HIST_NOMEM : 0;
		err = err ?: hist_merge_label(sum, label.s, diags);
		err = err ?: hist_merge_add(sum, s->host, json.s, json.len, diags);
	}
	err = err ?: hist_merge_print(sum, &run, strbuf_sink, sql, diags);
	hist_merge_free(sum);
	return err;
}

/* --- the module --- */

static int disconnect(sqlite3_vtab *vtab)
{
	sqlite3_close(((struct answer_table *)vtab)->db);
	free(vtab);
	return SQLITE_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of xConnect */
static int connect(sqlite3 *db, void *aux, int argc UNUSED, const char *const *argv UNUSED,
		   sqlite3_vtab **out, char **message)
{
	const struct table_answer *a = aux;
	struct answer_table *t = calloc(1, sizeof(*t));
	scoped(strbuf_release) struct strbuf sql = STRBUF_INIT;
	struct diags diags = DIAGS_INIT;
	int err, rc = SQLITE_NOMEM;

	if (!t)
		return rc;
	err = a->source->next ? ask_all(a, &sql, &diags) : ask(a, a->source, "sql", &sql, &diags);
	if (err || sql.failed) {
		rc = SQLITE_ERROR;
		*message = sqlite3_mprintf("%s", diags_first_error(&diags) ?: hist_strerror(err));
	} else if (!temporary_open(&t->db)) {
		rc = sqlite3_exec(t->db, sql.s, NULL, NULL, NULL);
		rc = rc ? rc : declare(db, t->db);
	}
	diags_release(&diags);
	if (rc)
		disconnect(&t->base);
	else
		*out = &t->base;
	return rc;
}

static int best_index(sqlite3_vtab *vtab UNUSED, sqlite3_index_info *info)
{
	info->estimatedCost = 1000;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct answer_cursor *c = calloc(1, sizeof(*c));
	const struct answer_table *t = (struct answer_table *)vtab;
	int rc = c ? sqlite3_prepare_v2(t->db, "SELECT _rowid_, * FROM answer", -1, &c->stmt, NULL)
		   : SQLITE_NOMEM;

	if (rc)
		free(c);
	else
		*out = &c->base;
	return rc;
}

static int close_cursor(sqlite3_vtab_cursor *cursor)
{
	sqlite3_finalize(((struct answer_cursor *)cursor)->stmt);
	free(cursor);
	return SQLITE_OK;
}

static int step(sqlite3_vtab_cursor *cursor)
{
	struct answer_cursor *c = (struct answer_cursor *)cursor;
	const int rc = sqlite3_step(c->stmt);

	c->at_end = rc != SQLITE_ROW;
	return rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int filter(sqlite3_vtab_cursor *cursor, int number UNUSED, const char *text UNUSED,
		  int argc UNUSED, sqlite3_value **values UNUSED)
{
	sqlite3_reset(((struct answer_cursor *)cursor)->stmt);
	return step(cursor);
}

static int is_at_end(sqlite3_vtab_cursor *cursor)
{
	return ((struct answer_cursor *)cursor)->at_end;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *cx, int i)
{
	sqlite3_stmt *stmt = ((struct answer_cursor *)cursor)->stmt;

	sqlite3_result_value(cx, sqlite3_column_value(stmt, i + 1));
	return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *row)
{
	*row = sqlite3_column_int64(((struct answer_cursor *)cursor)->stmt, 0);
	return SQLITE_OK;
}

/* --- the table of tables --- */

/* An event, or a question that the recording can answer: */
struct table_row {
	const char *name, *event, *kind;
};

static struct table_row row_of_event(const struct table_event *e)
{
	struct table_row row = { e->event, e->event, "recorded" };

	if (e->unique)
		row.name = table_event_name(e);
	if (!e->recorded)
		row.kind = strncmp(e->event, "derived:", 8) ? "synthetic" : "derived";
	return row;
}

static int add_row(sqlite3_stmt *insert, struct table_row row)
{
	sqlite3_bind_text(insert, 1, row.name, -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 2, row.event, -1, SQLITE_STATIC);
	sqlite3_bind_text(insert, 3, row.kind, -1, SQLITE_STATIC);
	sqlite3_step(insert);
	return sqlite3_reset(insert);
}

/* The recipes that the recording can answer. */
static int add_answers(sqlite3_stmt *insert, const struct event_tables *tables,
		       const struct sqlite_source *source)
{
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	struct hist *h = NULL;
	int err = source->open(source->arg, &h, &ignored), rc = SQLITE_OK;
	struct span rest;

	err = err ?: recipe_answers_names(h, &names);
	for (rest = strbuf_span(&names); rest.n && !rc;) {
		const struct span name = span_trim(span_sep(&rest, ","));

		for (size_t i = 0; i < tables->answers.n && !rc; i++) {
			const struct table_answer *a = tables->answers.v[i];

			if (span_eq(name, a->name))
				rc = add_row(insert,
					     (struct table_row){ a->table, a->name, "answer" });
		}
	}
	hist_close(h);
	return rc ? rc : err ? SQLITE_ERROR : SQLITE_OK;
}

static int fill_tables(sqlite3 *db, const struct event_tables *tables)
{
	sqlite3_stmt *insert = NULL;
	int rc = sqlite3_exec(db,
			      "CREATE TABLE answer(name, event, kind);"
			      "CREATE UNIQUE INDEX once ON answer(name, event)",
			      NULL, NULL, NULL);

	rc = rc ? rc
		: sqlite3_prepare_v2(db, "INSERT OR IGNORE INTO answer VALUES(?,?,?)", -1, &insert,
				     NULL);
	for (size_t i = 0; i < tables->list.n && !rc; i++)
		rc = add_row(insert, row_of_event(tables->list.v[i]));
	for (const struct sqlite_source *s = tables->source; s && !rc; s = s->next)
		rc = add_answers(insert, tables, s);
	sqlite3_finalize(insert);
	return rc;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of xConnect */
static int connect_tables(sqlite3 *db, void *aux, int argc UNUSED, const char *const *argv UNUSED,
			  sqlite3_vtab **out, char **message UNUSED)
{
	struct answer_table *t = calloc(1, sizeof(*t));
	int rc = t ? temporary_open(&t->db) : SQLITE_NOMEM;

	rc = rc ? rc : fill_tables(t->db, aux);
	rc = rc ? rc : declare(db, t->db);
	if (!rc)
		*out = &t->base;
	else if (t)
		disconnect(&t->base);
	return rc;
}

#define MODULE_OF(connect_)                                                                     \
	{                                                                                       \
		.xConnect = (connect_), .xBestIndex = best_index, .xDisconnect = disconnect,    \
		.xOpen = open_cursor, .xClose = close_cursor, .xFilter = filter, .xNext = step, \
		.xEof = is_at_end, .xColumn = column, .xRowid = rowid,                          \
	}

const sqlite3_module answer_table_module = MODULE_OF(connect);
const sqlite3_module tables_module = MODULE_OF(connect_tables);
