// SPDX-License-Identifier: LGPL-2.1-only
/* Passes the rows of a statement on to a format, with the rules of hist events. */
#include "sqlite/event_table.h"
#include "sqlite/statement_rows.h"

enum { FLUSH_AT = 1 << 16 };

static struct span text_of(sqlite3_stmt *stmt, int i)
{
	const char *s = sqlite3_column_blob(stmt, i);

	return (struct span){ s ? s : "", (size_t)sqlite3_column_bytes(stmt, i) };
}

/* Columns of pointers keep their type as long as a statement does not calculate with them. */
static bool is_address(sqlite3_stmt *stmt, int i)
{
	const char *type = sqlite3_column_decltype(stmt, i);

	return type && !strcmp(type, "POINTER");
}

static struct row_cell cell_of(sqlite3_stmt *stmt, int i, enum cell_kind column)
{
	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		return (struct row_cell){ .kind = column == CELL_ADDRESS ? column : CELL_SMALL,
					  .number = (u64)sqlite3_column_int64(stmt, i) };
	case SQLITE_FLOAT:
		return (struct row_cell){ .kind = CELL_DOUBLE,
					  .real = sqlite3_column_double(stmt, i) };
	case SQLITE_NULL:
		return (struct row_cell){ .kind = CELL_ABSENT };
	default:
		return (struct row_cell){ .kind = CELL_TEXT, .text = text_of(stmt, i) };
	}
}

/* A name that is used twice gets #2, as in other formats. */
static const char *column_name(struct rows *r, int at)
{
	const char *name = sqlite3_column_name(r->stmt, at);
	int n = 1;

	for (int i = 0; i < at && name; i++) {
		const char *other = sqlite3_column_name(r->stmt, i);

		n += other && !strcmp(other, name);
	}
	return !name   ? NULL
	       : n > 1 ? arena_printf(&r->arena, "%s#%d", name, n)
		       : arena_strdup(&r->arena, name);
}

/* The columns; of the first row, if there is one, what they contain. */
static int find_columns(struct rows *r, bool any)
{
	r->n_columns = sqlite3_column_count(r->stmt);
	r->columns = arena_alloc(&r->arena, (size_t)r->n_columns * sizeof(*r->columns));
	for (int i = 0; i < r->n_columns && r->columns; i++) {
		r->columns[i] = (struct row_column){ .name = column_name(r, i) };
		if (!r->columns[i].name)
			return HIST_NOMEM;
		if (is_address(r->stmt, i))
			r->columns[i].kind = CELL_ADDRESS;
		else if (any)
			r->columns[i].kind = cell_of(r->stmt, i, CELL_SMALL).kind;
	}
	return r->columns ? 0 : HIST_NOMEM;
}

/* Integers and others are numbers of the latter kind, numbers and texts texts. */
static void widen_kinds(struct rows *r)
{
	for (int i = 0; i < r->n_columns; i++) {
		enum cell_kind *kind = &r->columns[i].kind;
		const enum cell_kind cell = cell_of(r->stmt, i, *kind).kind;

		if (*kind == CELL_ABSENT || cell == CELL_TEXT ||
		    (*kind == CELL_SMALL && cell == CELL_DOUBLE))
			*kind = cell;
	}
}

/* A table with as many columns, which take any value. */
static int create_table(sqlite3 *db, int n_columns, sqlite3_stmt **insert)
{
	scoped(strbuf_release) struct strbuf create = STRBUF_INIT, sql = STRBUF_INIT;
	int rc;

	for (int i = 0; i < n_columns; i++) {
		strbuf_addf(&create, "%sc%d", i ? "," : "CREATE TABLE t(", i);
		strbuf_addstr(&sql, i ? ",?" : "INSERT INTO t VALUES(?");
	}
	strbuf_addstr(&create, "); BEGIN");
	strbuf_addstr(&sql, ")");
	rc = create.failed || sql.failed ? SQLITE_NOMEM
					 : sqlite3_exec(db, create.s, NULL, NULL, NULL);
	return rc ? rc : sqlite3_prepare_v2(db, sql.s, -1, insert, NULL);
}

/* Return: 0, -HIST_ENOMEM, -HIST_EIO with errno: a code of SQLite about a temporary table */
static int store_error(int rc)
{
	errno = rc == SQLITE_FULL ? ENOSPC : EIO;
	return !rc ? 0 : rc == SQLITE_NOMEM ? HIST_NOMEM : -HIST_EIO;
}

/*
 * A binary format needs to know before the first row what each column contains in all rows, so that
 * they are stored first: the statement runs once, as it may change tables. @db, @rows: to be closed
 * in any case. Return: SQLITE_ROW: *@rows is at the first one; another code: the statement failed
 */
static int store_rows(struct rows *r, sqlite3 **db, sqlite3_stmt **rows, int *err)
{
	sqlite3_stmt *insert = NULL;
	int rc = temporary_open(db), end = SQLITE_ROW;

	rc = rc ? rc : create_table(*db, r->n_columns, &insert);
	for (; !rc && end == SQLITE_ROW; end = sqlite3_step(r->stmt)) {
		widen_kinds(r);
		for (int i = 0; i < r->n_columns; i++)
			sqlite3_bind_value(insert, i + 1, sqlite3_column_value(r->stmt, i));
		sqlite3_step(insert);
		rc = sqlite3_reset(insert);
	}
	sqlite3_finalize(insert);
	rc = rc ? rc : sqlite3_prepare_v2(*db, "SELECT * FROM t ORDER BY rowid", -1, rows, NULL);
	*err = store_error(rc);
	return rc || end != SQLITE_DONE ? end : sqlite3_step(*rows);
}

static int flush(struct rows *r, size_t at)
{
	int err = r->out.failed ? HIST_NOMEM : 0;

	if (err || r->out.len < at || !r->out.len)
		return err;
	err = r->options->sink(r->options->arg, r->out.s, r->out.len);
	strbuf_reset(&r->out);
	return err;
}

int rows_print(struct rows *r, sqlite3_stmt *stmt, int *err)
{
	struct row_writer w = {
		.format = r->format, .out = &r->out, .title = "Answer", .continued = r->any
	};
	sqlite3_stmt *stored = NULL;
	sqlite3 *db = NULL;
	int rc, end;

	r->stmt = stmt;
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW && (rc != SQLITE_DONE || !sqlite3_column_count(stmt)))
		return rc;
	*err = find_columns(r, rc == SQLITE_ROW);
	if (!*err && rc == SQLITE_ROW && r->format->binary) {
		rc = store_rows(r, &db, &stored, err);
		stmt = stored;
	}
	if (!*err)
		rows_begin(&w, r->columns, (size_t)r->n_columns);
	for (; !*err && rc == SQLITE_ROW; rc = sqlite3_step(stmt)) {
		for (int i = 0; i < r->n_columns; i++) {
			const struct row_cell cell = cell_of(stmt, i, r->columns[i].kind);

			rows_cell(&w, &cell);
		}
		rows_end_row(&w);
		*err = flush(r, FLUSH_AT);
	}
	/* also what precedes an error */
	end = rows_end(&w, rc == SQLITE_DONE);
	*err = *err ?: end ?: flush(r, 0);
	sqlite3_finalize(stored);
	sqlite3_close(db);
	arena_release(&r->arena);
	r->any = true;
	return rc;
}
