// SPDX-License-Identifier: LGPL-2.1-only
/*
 * How often each value of a column occurs, for statements that use only this column and group by
 * it: they get equal values one after the other, and SQLite need not sort all rows.
 *
 * Values that do not fit into memory are in a temporary table, in parts that have the same value
 * several times.
 */
#include <stdlib.h>

#include "sqlite/event_table.h"

enum { IN_MEMORY = 1 << 20 };

struct counted {
	struct event_cell cell; /* its text is in ->texts */
	u64 n;
};

struct value_counts {
	ARRAY(struct counted) values;
	struct hash_table index;
	struct arena texts;
	size_t at;
	sqlite3 *db; /* NULL: all are in memory */
	sqlite3_stmt *stmt;
};

struct value_counts *value_counts_new(void)
{
	return calloc(1, sizeof(struct value_counts));
}

void value_counts_free(struct value_counts *c)
{
	if (!c)
		return;
	sqlite3_finalize(c->stmt);
	sqlite3_close(c->db);
	array_release(&c->values);
	hash_release(&c->index);
	arena_release(&c->texts);
	free(c);
}

static bool same(const struct event_cell *a, const struct event_cell *b)
{
	return a->type == b->type && a->number == b->number && a->text.n == b->text.n &&
	       (!a->text.n || !memcmp(a->text.s, b->text.s, a->text.n));
}

/* --- the temporary table --- */

static int open_table(struct value_counts *c)
{
	static const char sql[] = "CREATE TABLE t(v, n INTEGER); BEGIN";
	int rc = temporary_open(&c->db);

	rc = rc ? rc : sqlite3_exec(c->db, sql, NULL, NULL, NULL);
	return rc ? rc : sqlite3_prepare_v2(c->db, "INSERT INTO t VALUES(?,?)", -1, &c->stmt, NULL);
}

static int move_to_table(struct value_counts *c)
{
	int rc = c->db ? SQLITE_OK : open_table(c);

	for (size_t i = 0; i < c->values.n && !rc; i++) {
		rc = event_cell_bind(c->stmt, 1, &c->values.v[i].cell);
		rc = rc ? rc : sqlite3_bind_int64(c->stmt, 2, (sqlite3_int64)c->values.v[i].n);
		if (!rc && sqlite3_step(c->stmt) != SQLITE_DONE)
			rc = SQLITE_FULL;
		sqlite3_reset(c->stmt);
	}
	c->values.n = 0;
	hash_release(&c->index);
	arena_release(&c->texts);
	return rc;
}

/* --- counting --- */

static int add_value(struct value_counts *c, const struct event_cell *cell, u32 hash)
{
	struct counted v = { *cell, 1 };
	int rc = c->values.n < IN_MEMORY ? SQLITE_OK : move_to_table(c);

	if (rc)
		return rc;
	if (cell->type == SQLITE_TEXT || cell->type == SQLITE_BLOB)
		v.cell.text.s = arena_strndup(&c->texts, cell->text.s, cell->text.n);
	if ((cell->text.n && !v.cell.text.s) || hash_add(&c->index, hash, c->values.n) ||
	    array_push(&c->values, v))
		return SQLITE_NOMEM;
	return SQLITE_OK;
}

int value_counts_add(struct value_counts *c, const struct event_cell *cell)
{
	const u32 hash = cell->type == SQLITE_INTEGER
				 ? hash_number((u64)cell->number)
				 : hash_bytes((u32)cell->type, cell->text.s, cell->text.n);
	struct hash_walk walk = hash_walk(hash);
	size_t i;

	while (hash_next(&c->index, &walk, &i))
		if (same(&c->values.v[i].cell, cell)) {
			c->values.v[i].n++;
			return SQLITE_OK;
		}
	return add_value(c, cell, hash);
}

/* As SQLite does: numbers are less than texts, and these less than blobs. */
static int compare_values(const void *a, const void *b)
{
	const struct event_cell *x = &((const struct counted *)a)->cell;
	const struct event_cell *y = &((const struct counted *)b)->cell;
	const size_t n = min_t(size_t, x->text.n, y->text.n);
	int order = (x->type != SQLITE_NULL) - (y->type != SQLITE_NULL);

	if (order || x->type != y->type)
		return order ? order : x->type - y->type;
	if (x->type == SQLITE_INTEGER)
		return (x->number > y->number) - (x->number < y->number);
	order = n ? memcmp(x->text.s, y->text.s, n) : 0;
	return order ? order : (x->text.n > y->text.n) - (x->text.n < y->text.n);
}

int value_counts_finish(struct value_counts *c)
{
	int rc = c->db ? move_to_table(c) : SQLITE_OK;

	if (!c->db && c->values.n)
		qsort(c->values.v, c->values.n, sizeof(*c->values.v), compare_values);
	if (!c->db || rc)
		return rc;
	sqlite3_finalize(c->stmt);
	c->stmt = NULL;
	rc = sqlite3_exec(c->db, "COMMIT", NULL, NULL, NULL);
	return rc ? rc
		  : sqlite3_prepare_v2(c->db, "SELECT v, n FROM t ORDER BY v", -1, &c->stmt, NULL);
}

int value_counts_next(struct value_counts *c, struct event_cell *cell, u64 *n)
{
	int rc;

	if (!c->db && c->at == c->values.n)
		return SQLITE_DONE;
	if (!c->db) {
		*cell = c->values.v[c->at].cell;
		*n = c->values.v[c->at++].n;
		return SQLITE_ROW;
	}
	rc = sqlite3_step(c->stmt);
	if (rc != SQLITE_ROW)
		return rc;
	*cell = (struct event_cell){ .type = sqlite3_column_type(c->stmt, 0),
				     .number = sqlite3_column_int64(c->stmt, 0) };
	cell->text.s = sqlite3_column_blob(c->stmt, 0);
	cell->text.n = (size_t)sqlite3_column_bytes(c->stmt, 0);
	*n = (u64)sqlite3_column_int64(c->stmt, 1);
	return SQLITE_ROW;
}
