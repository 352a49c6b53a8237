// SPDX-License-Identifier: LGPL-2.1-only
/*
 * How often each combination of values of some columns occurs, for statements that use only these
 * columns and group by them: they get equal rows one after the other, and SQLite need not sort all.
 *
 * A row is a key, whose bytes compare as SQLite compares the values. Keys that do not fit into
 * memory are in a temporary table, which may have one several times.
 */
#include "sqlite/event_table.h"

enum { IN_MEMORY = 1 << 20, BYTES_IN_MEMORY = 1 << 27 };

struct counted {
	const char *key;
	size_t len;
	u64 n;
};

struct value_counts {
	INDEXED(struct counted) rows;
	struct arena keys;
	size_t bytes;      /* of them */
	struct strbuf key; /* of the row that is being added */
	size_t at;
	bool descending;
	struct counted current; /* the row that was returned last */
	sqlite3 *db;            /* NULL: all are in memory */
	sqlite3_stmt *stmt;
};

struct value_counts *value_counts_new(void)
{
	struct value_counts *c = calloc(1, sizeof(*c));

	if (c)
		c->key = (struct strbuf)STRBUF_INIT;
	return c;
}

void value_counts_free(struct value_counts *c)
{
	if (!c)
		return;
	sqlite3_finalize(c->stmt);
	sqlite3_close(c->db);
	indexed_release(&c->rows);
	arena_release(&c->keys);
	strbuf_release(&c->key);
	free(c);
}

/* --- keys --- */

/* ORDER: as SQLite has them: numbers are less than texts, and these less than blobs. */
enum key_type { KEY_NULL, KEY_INTEGER, KEY_DIGITS, KEY_TEXT, KEY_BLOB };

enum { SIGN = 0x80 };

/*
 * Texts end with a NUL, which none contains; numbers are big-endian, the negative ones first. Texts
 * of @digits have their length before them, as compare_digits() compares.
 */
void value_counts_put(struct value_counts *c, const struct event_cell *cell, bool digits)
{
	const enum key_type type = cell->type == SQLITE_INTEGER ? KEY_INTEGER
				   : cell->type == SQLITE_TEXT  ? digits ? KEY_DIGITS : KEY_TEXT
				   : cell->type == SQLITE_BLOB  ? KEY_BLOB
								: KEY_NULL;
	const u64 number = __builtin_bswap64((u64)cell->number ^ (u64)SIGN << 56);
	char head[1 + sizeof(number)] = { (char)type };

	memcpy(head + 1, &number, sizeof(number));
	strbuf_add(&c->key, head, type == KEY_INTEGER ? sizeof(head) : 1);
	if (type == KEY_DIGITS)
		strbuf_addch(&c->key, (char)cell->text.n);
	if (type >= KEY_DIGITS)
		strbuf_add(&c->key, cell->text.s, strnlen(cell->text.s, cell->text.n));
	if (type >= KEY_DIGITS)
		strbuf_addch(&c->key, '\0');
}

/* The value at *@key, which is moved to the next one. */
static struct event_cell next_cell(const char **key)
{
	const char *at = *key + 1;
	struct event_cell cell = { .type = SQLITE_NULL };
	u64 number;

	switch ((enum key_type) * *key) {
	case KEY_INTEGER:
		memcpy(&number, at, sizeof(number));
		cell.type = SQLITE_INTEGER;
		cell.number = (sqlite3_int64)(__builtin_bswap64(number) ^ (u64)SIGN << 56);
		at += sizeof(number);
		break;
	case KEY_DIGITS:
		at++;
		/* fall through */
	case KEY_TEXT:
	case KEY_BLOB:
		cell.type = **key == KEY_BLOB ? SQLITE_BLOB : SQLITE_TEXT;
		cell.text = span_of(at);
		at += cell.text.n + 1;
		break;
	default:
		break;
	}
	*key = at;
	return cell;
}

struct event_cell value_counts_cell(const struct value_counts *c, size_t i)
{
	const char *key = c->current.key;
	struct event_cell cell;

	do
		cell = next_cell(&key);
	while (i--);
	return cell;
}

DEFINE_ORDER(compare_keys, struct counted,
	     memcmp(x->key, y->key, min_t(size_t, x->len, y->len)) ?: cmp_int(x->len, y->len))

/* --- the temporary table --- */

static int open_table(struct value_counts *c)
{
	static const char sql[] = "CREATE TABLE t(k BLOB, n INTEGER); BEGIN";
	int rc = temporary_open(&c->db);

	rc = rc ? rc : sqlite3_exec(c->db, sql, NULL, NULL, NULL);
	return rc ? rc : sqlite3_prepare_v2(c->db, "INSERT INTO t VALUES(?,?)", -1, &c->stmt, NULL);
}

static int move_to_table(struct value_counts *c)
{
	int rc = c->db ? SQLITE_OK : open_table(c);

	array_each_while(const struct counted, row, &c->rows, !rc) {
		rc = sqlite3_bind_blob(c->stmt, 1, row->key, (int)row->len, SQLITE_STATIC);
		rc = rc ? rc : sqlite3_bind_int64(c->stmt, 2, (sqlite3_int64)row->n);
		if (!rc && sqlite3_step(c->stmt) != SQLITE_DONE)
			rc = SQLITE_FULL;
		sqlite3_reset(c->stmt);
	}
	c->rows.n = c->bytes = 0;
	hash_release(&c->rows.index);
	arena_release(&c->keys);
	return rc;
}

/* --- counting --- */

static int add_row(struct value_counts *c, u32 hash)
{
	const bool fits = c->rows.n < IN_MEMORY && c->bytes < BYTES_IN_MEMORY;
	int rc = fits ? SQLITE_OK : move_to_table(c);
	struct counted row = { .len = c->key.len, .n = 1 };

	if (rc)
		return rc;
	row.key = arena_strndup(&c->keys, c->key.s, c->key.len);
	if (!row.key || !indexed_add(&c->rows, hash, row))
		return SQLITE_NOMEM;
	c->bytes += row.len;
	return SQLITE_OK;
}

int value_counts_add(struct value_counts *c)
{
	const u32 hash = hash_bytes(0, c->key.s, c->key.len);
	struct counted *row = indexed_find(
		&c->rows, hash, e, e->len == c->key.len && !memcmp(e->key, c->key.s, e->len));
	int rc = c->key.failed ? SQLITE_NOMEM : row ? SQLITE_OK : add_row(c, hash);

	if (row)
		row->n++;
	strbuf_reset(&c->key);
	return rc;
}

int value_counts_finish(struct value_counts *c, bool descending)
{
	const char *sql = descending ? "SELECT k, n FROM t ORDER BY k DESC"
				     : "SELECT k, n FROM t ORDER BY k";
	int rc = c->db ? move_to_table(c) : SQLITE_OK;

	c->descending = descending;
	if (!c->db && c->rows.n)
		qsort(c->rows.v, c->rows.n, sizeof(*c->rows.v), compare_keys);
	if (!c->db || rc)
		return rc;
	sqlite3_finalize(c->stmt);
	c->stmt = NULL;
	rc = sqlite3_exec(c->db, "COMMIT", NULL, NULL, NULL);
	return rc ? rc : sqlite3_prepare_v2(c->db, sql, -1, &c->stmt, NULL);
}

int value_counts_next(struct value_counts *c, u64 *n)
{
	int rc;

	if (!c->db && c->at == c->rows.n)
		return SQLITE_DONE;
	if (c->db) {
		rc = sqlite3_step(c->stmt);
		if (rc != SQLITE_ROW)
			return rc;
		c->current.key = sqlite3_column_blob(c->stmt, 0);
		c->current.n = (u64)sqlite3_column_int64(c->stmt, 1);
	} else {
		c->current = c->rows.v[c->descending ? c->rows.n - 1 - c->at : c->at];
		c->at++;
	}
	*n = c->current.n;
	return SQLITE_ROW;
}
