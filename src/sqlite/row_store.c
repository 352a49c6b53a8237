// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rows of an event that a statement reads many times, as the inner loop of a join does: a temporary
 * table of SQLite with an index, which is on disk as far as it does not fit into its cache. So the
 * recording is replayed once more, and not for each row of the outer loop.
 */
#include "sqlite/event_table.h"

struct row_store {
	sqlite3 *db;
	sqlite3_stmt *insert;
	struct scan_plan plan;
	const struct column *columns;
	size_t n;
	int *at;  /* of each column that is used, in the table */
	int n_at; /* after them is the id of the row */
};

struct row_cursor {
	struct row_store *store;
	sqlite3_stmt *select;
	u32 mask; /* the constraints of ->select, by their index */
};

int temporary_open(sqlite3 **db)
{
	/* it belongs to one connection, which has locks of its own */
	int rc = sqlite3_open_v2(
		"", db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);

	return rc ? rc
		  : sqlite3_exec(*db, "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF", NULL, NULL,
				 NULL);
}

bool constraint_fits(enum column_affinity affinity, sqlite3_value *value)
{
	const int type = sqlite3_value_type(value);

	return (type == SQLITE_TEXT && affinity != HAS_INTEGER) ||
	       (type == SQLITE_INTEGER && affinity != HAS_TEXT && affinity != HAS_ANY);
}

/* A statement of a text, which is freed. NULL: out of memory, or it is wrong */
static sqlite3_stmt *prepare(sqlite3 *db, struct strbuf *sql)
{
	sqlite3_stmt *stmt = NULL;

	if (!sql->failed)
		sqlite3_prepare_v2(db, sql->s, -1, &stmt, NULL);
	strbuf_release(sql);
	return stmt;
}

/* Run @sql, which is freed. */
static int run(sqlite3 *db, struct strbuf *sql)
{
	int rc = sql->failed ? SQLITE_NOMEM : sqlite3_exec(db, sql->s, NULL, NULL, NULL);

	strbuf_release(sql);
	return rc;
}

static int create(struct row_store *store)
{
	scoped(strbuf_release) struct strbuf table = STRBUF_INIT, insert = STRBUF_INIT;

	strbuf_addstr(&table, "CREATE TABLE t(");
	strbuf_addstr(&insert, "INSERT INTO t VALUES(");
	for (size_t i = 0; i < store->n; i++) {
		if (!plan_uses(&store->plan, i))
			continue;
		strbuf_addf(&table, "c%zu,", i);
		strbuf_addstr(&insert, "?,");
		store->at[i] = store->n_at++;
	}
	strbuf_addstr(&table, "id); BEGIN");
	strbuf_addstr(&insert, "?)");
	if (run(store->db, &table)) {
		return -1;
	}
	store->insert = prepare(store->db, &insert);
	return store->insert ? 0 : -1;
}

struct row_store *row_store_new(const struct scan_plan *plan, const struct column *columns,
				size_t n)
{
	struct row_store *store = calloc(1, sizeof(*store));

	if (!store)
		return NULL;
	store->plan = *plan;
	store->columns = columns;
	store->n = n;
	store->at = calloc(n, sizeof(*store->at));
	if (store->at && !temporary_open(&store->db) && !create(store))
		return store;
	row_store_free(store);
	return NULL;
}

void row_store_free(struct row_store *store)
{
	if (!store)
		return;
	sqlite3_finalize(store->insert);
	sqlite3_close(store->db);
	free(store->at);
	free(store);
}

sqlite3_stmt *row_store_insert(struct row_store *store)
{
	return store->insert;
}

/* Equal columns first, then one with a range; with the id, it has all that some joins use. */
int row_store_finish(struct row_store *store)
{
	struct strbuf sql = STRBUF_INIT;
	int n = 0;

	strbuf_addstr(&sql, "COMMIT; CREATE INDEX i ON t(");
	for (int range = 0; range <= 1; range++)
		for (size_t i = 0, ranges = 0; i < store->plan.n && !ranges; i++) {
			const struct constraint *c = &store->plan.constraints[i];

			if ((c->op != SQLITE_INDEX_CONSTRAINT_EQ) != range)
				continue;
			ranges += (size_t)range;
			strbuf_addf(&sql, "%sc%d", n++ ? "," : "", c->column);
		}
	if (!n)
		strbuf_cut(&sql, strlen("COMMIT"));
	else
		strbuf_addstr(&sql, ",id); BEGIN");
	return run(store->db, &sql);
}

/* --- reading --- */

struct row_cursor *row_cursor_new(struct row_store *store)
{
	struct row_cursor *c = calloc(1, sizeof(*c));

	if (c)
		c->store = store;
	return c;
}

void row_cursor_free(struct row_cursor *c)
{
	if (!c)
		return;
	sqlite3_finalize(c->select);
	free(c);
}

static const char *operator_text(unsigned char op)
{
	switch (op) {
	case SQLITE_INDEX_CONSTRAINT_GT:
		return ">";
	case SQLITE_INDEX_CONSTRAINT_GE:
		return ">=";
	case SQLITE_INDEX_CONSTRAINT_LT:
		return "<";
	case SQLITE_INDEX_CONSTRAINT_LE:
		return "<=";
	default:
		return "=";
	}
}

static int select_rows(struct row_cursor *c, u32 mask)
{
	const struct row_store *store = c->store;
	struct strbuf sql = STRBUF_INIT;
	int n = 0;

	sqlite3_finalize(c->select);
	strbuf_addstr(&sql, "SELECT * FROM t");
	for (size_t i = 0; i < store->plan.n; i++) {
		const struct constraint *k = &store->plan.constraints[i];

		if (mask >> i & 1)
			strbuf_addf(&sql, "%sc%d%s?%zu", n++ ? " AND " : " WHERE ", k->column,
				    operator_text(k->op), i + 1);
	}
	c->select = prepare(store->db, &sql);
	c->mask = mask;
	return c->select ? SQLITE_OK : SQLITE_NOMEM;
}

int row_cursor_start(struct row_cursor *c, sqlite3_value **values)
{
	const struct row_store *store = c->store;
	u32 mask = 0;
	int rc = SQLITE_OK;

	for (size_t i = 0; i < store->plan.n; i++) {
		const struct column *column = &store->columns[store->plan.constraints[i].column];

		if (constraint_fits(column->affinity, values[i]))
			mask |= 1u << i;
	}
	if (!c->select || c->mask != mask)
		rc = select_rows(c, mask);
	else
		sqlite3_reset(c->select);
	for (size_t i = 0; i < store->plan.n && !rc; i++)
		if (mask >> i & 1)
			rc = sqlite3_bind_value(c->select, (int)i + 1, values[i]);
	return rc;
}

int row_cursor_next(struct row_cursor *c)
{
	return sqlite3_step(c->select);
}

sqlite3_value *row_cursor_value(const struct row_cursor *c, size_t column)
{
	return sqlite3_column_value(c->select, c->store->at[column]);
}

sqlite3_int64 row_cursor_row(const struct row_cursor *c)
{
	return sqlite3_column_int64(c->select, c->store->n_at);
}
