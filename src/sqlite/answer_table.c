// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The table of an answer to a question (a recipe): the first histogram that it prints, computed
 * when a statement first uses the table, and kept until the database is closed.
 *
 * The answer is json, which SQLite itself reads, into a temporary database; the columns are those
 * of csv. The table of tables is another one in such a database.
 */
#include <stdlib.h>

#include "sqlite/event_tables.h"

struct answer_table {
	sqlite3_vtab base;
	sqlite3 *db; /* has the table t */
};

struct answer_cursor {
	sqlite3_vtab_cursor base;
	sqlite3_stmt *stmt;
	bool at_end;
};

/* --- reading json --- */

/* An expression for each column of the histogram; numbers are texts, so that none is rounded. */
static const char columns_sql[] =
	"SELECT part.key, json_extract(c.value, '$.name'), json_extract(c.value, '$.type'),"
	" json_extract(c.value, '$.text') IS NOT NULL"
	" FROM json_each(?1, '$.columns') part, json_each(part.value) c"
	" WHERE part.key IN ('key', 'val', 'saved')";

static void add_expression(struct strbuf *sql, const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	text = sqlite3_vmprintf(format, ap);
	va_end(ap);
	strbuf_addstr(sql, text ? text : "");
	sql->failed |= !text;
	sqlite3_free(text);
}

/* Append AS and the name of a column, which is that of csv: the second one of a name is NAME#2. */
static void add_name(struct strbuf *sql, const char *name, const char *suffix)
{
	char *as = sqlite3_mprintf(" AS \"%w%s\"", name, suffix);

	for (unsigned int n = 2; as && !sql->failed && strstr(sql->s, as); n++) {
		sqlite3_free(as);
		as = sqlite3_mprintf(" AS \"%w%s#%u\"", name, suffix, n);
	}
	strbuf_addstr(sql, as ? as : "");
	sql->failed |= !as;
	sqlite3_free(as);
}

/* A number from 2^63 on stays a text, as in the tables of events. */
static void add_number(struct strbuf *sql, const char *path)
{
	add_expression(sql,
		       ", iif(CAST(CAST(json_extract(d.value, %Q) AS INTEGER) AS TEXT) = "
		       "CAST(json_extract(d.value, %Q) AS TEXT), CAST(json_extract(d.value, %Q) AS "
		       "INTEGER), json_extract(d.value, %Q))",
		       path, path, path, path);
}

static void add_column(struct strbuf *sql, const char *part, const char *name, const char *type,
		       bool has_text)
{
	const bool range = !strcmp(type, "range"), stack = !strcmp(type, "stack");
	char *path = sqlite3_mprintf("$.%s.\"%s\"%s", part, name, range ? ".min" : "");
	char *text = sqlite3_mprintf("$.text.\"%s\"", name);
	char *max = sqlite3_mprintf("$.%s.\"%s\".max", part, name);

	sql->failed |= !path || !text || !max;
	if (sql->failed)
		goto out;
	if (stack)
		add_expression(
			sql, ", (SELECT group_concat(s.value, ';') FROM json_each(d.value, %Q) s)",
			text);
	else if (!strcmp(type, "text"))
		add_expression(sql, ", json_extract(d.value, %Q)", path);
	else
		add_number(sql, path);
	add_name(sql, name, range ? "_min" : stack ? "_text" : "");
	if (range) {
		add_number(sql, max);
		add_name(sql, name, "_max");
	} else if (has_text && !stack) {
		add_expression(sql, ", json_extract(d.value, %Q)", text);
		add_name(sql, name, "_text");
	}
out:
	sqlite3_free(path);
	sqlite3_free(text);
	sqlite3_free(max);
}

static int fill(sqlite3 *db, const char *json, struct strbuf *sql)
{
	/* seconds; or units of a clock that counts */
	static const char saved_at[] = ", CASE json_type(d.value, '$.saved_at') WHEN 'real' THEN "
				       "CAST(round(json_extract(d.value, '$.saved_at') * 1e9) AS "
				       "INTEGER) ELSE json_extract(d.value, '$.saved_at') END AS "
				       "saved_at";
	sqlite3_stmt *stmt = NULL;
	bool saved = false;
	int rc = sqlite3_prepare_v2(db, columns_sql, -1, &stmt, NULL);

	strbuf_addstr(sql, "CREATE TABLE t AS SELECT ");
	rc = rc ? rc : sqlite3_bind_text(stmt, 1, json, -1, SQLITE_STATIC);
	for (size_t start = sql->len; !rc && sqlite3_step(stmt) == SQLITE_ROW;) {
		saved |= !strcmp((const char *)sqlite3_column_text(stmt, 0), "saved");
		add_column(sql, (const char *)sqlite3_column_text(stmt, 0),
			   (const char *)sqlite3_column_text(stmt, 1),
			   (const char *)sqlite3_column_text(stmt, 2), sqlite3_column_int(stmt, 3));
		if (start && !sql->failed)
			sql->s[start] = ' '; /* the first comma */
		start = 0;
	}
	sqlite3_finalize(stmt);
	strbuf_addstr(sql, saved ? saved_at : "");
	strbuf_addstr(sql, " FROM json_each(?1, '$.data') d");
	stmt = NULL;
	rc = rc ? rc : sql->failed ? SQLITE_NOMEM : sqlite3_prepare_v2(db, sql->s, -1, &stmt, NULL);
	rc = rc ? rc : sqlite3_bind_text(stmt, 1, json, -1, SQLITE_STATIC);
	if (!rc && sqlite3_step(stmt) != SQLITE_DONE)
		rc = SQLITE_ERROR;
	sqlite3_finalize(stmt);
	return rc;
}

/* The same columns for the database of the statement. */
static int declare(sqlite3 *db, sqlite3 *from)
{
	struct strbuf sql = STRBUF_INIT;
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(from, "SELECT * FROM t", -1, &stmt, NULL);

	strbuf_addstr(&sql, "CREATE TABLE x(");
	for (int i = 0; !rc && i < sqlite3_column_count(stmt); i++)
		add_expression(&sql, "%s\"%w\"", i ? "," : "", sqlite3_column_name(stmt, i));
	strbuf_addch(&sql, ')');
	rc = rc ? rc : sql.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(db, sql.s);
	sqlite3_finalize(stmt);
	strbuf_release(&sql);
	return rc;
}

/* --- the module --- */

static int disconnect(sqlite3_vtab *vtab)
{
	sqlite3_close(((struct answer_table *)vtab)->db);
	free(vtab);
	return SQLITE_OK;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of xConnect */
static int connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		   char **message)
{
	const struct table_answer *a = aux;
	struct answer_table *t = calloc(1, sizeof(*t));
	struct strbuf json = STRBUF_INIT, sql = STRBUF_INIT;
	struct diags diags = DIAGS_INIT;
	int err, rc = SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	if (!t)
		return rc;
	err = a->answers->get(a->answers->arg, a->name, &json, &diags);
	if (err || json.failed) {
		rc = SQLITE_ERROR;
		*message = sqlite3_mprintf("%s", diags_first_error(&diags) ?: hist_strerror(err));
	} else if (!temporary_open(&t->db)) {
		rc = fill(t->db, json.s, &sql);
		rc = rc ? rc : declare(db, t->db);
	}
	strbuf_release(&json);
	strbuf_release(&sql);
	diags_release(&diags);
	if (rc)
		disconnect(&t->base);
	else
		*out = &t->base;
	return rc;
}

static int best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	(void)vtab;
	info->estimatedCost = 1000;
	return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct answer_cursor *c = calloc(1, sizeof(*c));
	const struct answer_table *t = (struct answer_table *)vtab;
	int rc = c ? sqlite3_prepare_v2(t->db, "SELECT _rowid_, * FROM t", -1, &c->stmt, NULL)
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

static int filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
		  sqlite3_value **values)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)values;
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

static int fill_tables(sqlite3 *db, const struct event_tables *tables)
{
	sqlite3_stmt *insert = NULL;
	int rc = sqlite3_exec(db, "CREATE TABLE t(name, event, kind)", NULL, NULL, NULL);

	rc = rc ? rc : sqlite3_prepare_v2(db, "INSERT INTO t VALUES(?,?,?)", -1, &insert, NULL);
	for (size_t i = 0; i < tables->list.n && !rc; i++)
		rc = add_row(insert, row_of_event(tables->list.v[i]));
	for (size_t i = 0; i < tables->answers.n && !rc; i++) {
		const struct table_answer *a = tables->answers.v[i];

		if (a->answers->can(a->answers->arg, a->name))
			rc = add_row(insert, (struct table_row){ a->table, a->name, "answer" });
	}
	sqlite3_finalize(insert);
	return rc;
}

/* NOLINTNEXTLINE(readability-function-size): the parameters of xConnect */
static int connect_tables(sqlite3 *db, void *aux, int argc, const char *const *argv,
			  sqlite3_vtab **out, char **message)
{
	struct answer_table *t = calloc(1, sizeof(*t));
	int rc = t ? temporary_open(&t->db) : SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	(void)message;
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
