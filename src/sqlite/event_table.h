/* SPDX-License-Identifier: LGPL-2.1-only */
/* The table of an event, as a module of SQLite, and the store of rows that are read repeatedly. */
#pragma once
#include "sqlite/api.h"
#include "sqlite/sqlite.h"

/* Columns of every event; those of its fields follow. */
enum sqlite_column {
	COL_TS,
	COL_CPU,
	COL_PID,
	COL_COMM,
	COL_TGID,
	COL_PROCESS,
	COL_CMDLINE,
	COL_CGROUP,
	COL_EVENT, /* of the table of all events */
	COL_TEXT,
	COL_DATE,
	COL_UNIX_NS,
	COL_HOST,
	COL_FIELDS,
};

/*
 * What is in a column. HAS_NUMBER: integers, and from 2^63 on texts, as SQLite has none there.
 * HAS_ANY: also texts of lists, which may be one number.
 */
enum column_affinity { HAS_INTEGER, HAS_TEXT, HAS_NUMBER, HAS_ADDRESS, HAS_ANY };

struct column {
	const char *name;
	enum column_affinity affinity;
};

/* A constraint that a scan uses: COLUMN OP the value with its index. */
struct constraint {
	int column;
	unsigned char op; /* SQLITE_INDEX_CONSTRAINT_EQ ... */
};

enum { CONSTRAINTS_MAX = 16, ORDER_MAX = 8 };

/*
 * What a scan returns: rows; or those of the columns ->order, equal ones once or together, in
 * ascending or descending order of all columns.
 */
enum scan_kind { SCAN_ROWS, SCAN_DISTINCT, SCAN_UP, SCAN_DOWN };

/* How a table is read. */
struct scan_plan {
	u64 used; /* columns; the highest bit: that one and all that follow */
	struct constraint constraints[CONSTRAINTS_MAX];
	size_t n;
	int order[ORDER_MAX]; /* columns by which a statement groups, if it uses no other */
	size_t n_order;
};

static inline bool plan_uses(const struct scan_plan *plan, size_t column)
{
	return plan->used >> (column < 63 ? column : 63) & 1;
}

/* What limits the replay of a scan. */
struct scan_limits {
	u64 from, to;
	u32 cpu;
	bool has_cpu, none;
	struct strbuf filter, host;
};

struct event_table;

int scan_plan_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info);
/* The plan that it has chosen, with @n constraints. */
struct scan_plan scan_plan_read(const char *text, int n);
/* For the values of its constraints; ->filter and ->host are released by the caller. */
struct scan_limits scan_limits_find(const struct event_table *t, const struct scan_plan *plan,
				    sqlite3_value **values);

/* The collation of times and of columns HAS_NUMBER: a longer text of digits is greater. */
#define DIGITS "hist_digits"
int compare_digits(void *arg, int n, const void *a, int m, const void *b);

/* Whether a value can be compared as it is with what the column contains. */
bool constraint_fits(enum column_affinity affinity, sqlite3_value *value);

/* --- the store --- */

/* A database that ends with its connection, on disk as far as it is large. */
int temporary_open(sqlite3 **db);

struct row_store;
struct row_cursor;

/* Empty, with an index for the constraints. NULL: out of memory */
struct row_store *row_store_new(const struct scan_plan *plan, const struct column *columns,
				size_t n);
void row_store_free(struct row_store *store);

/* The statement whose parameters are the id and the used columns of a row; step and reset it. */
sqlite3_stmt *row_store_insert(struct row_store *store);
/* All rows were added. Return: a code of SQLite */
int row_store_finish(struct row_store *store);

/* The rows that the constraints select; a value that does not fit is not used. */
struct row_cursor *row_cursor_new(struct row_store *store);
void row_cursor_free(struct row_cursor *c);
int row_cursor_start(struct row_cursor *c, sqlite3_value **values);
/* SQLITE_ROW, SQLITE_DONE, or an error. */
int row_cursor_next(struct row_cursor *c);
sqlite3_value *row_cursor_value(const struct row_cursor *c, size_t column);
sqlite3_int64 row_cursor_row(const struct row_cursor *c);

/* --- values --- */

/* A value; its text is borrowed from the event, or from the scratch. */
struct event_cell {
	int type; /* SQLITE_NULL, ... */
	sqlite3_int64 number;
	struct span text;
};

/* The value of a column; @field: from COL_FIELDS on, -1: it has none. @text: scratch, ->failed: out
 * of memory */
struct event_cell event_cell(const struct hist_event *e, size_t column, int field,
			     struct strbuf *text);
/* A text; NULL: there is none */
struct event_cell event_str_cell(const char *s);
int event_cell_bind(sqlite3_stmt *stmt, int at, const struct event_cell *cell);

struct value_counts;

struct value_counts *value_counts_new(void);
void value_counts_free(struct value_counts *c);
/* A value of a row, then the next one ...; count the row; all were counted. Return: codes of SQLite
 */
void value_counts_put(struct value_counts *c, const struct event_cell *cell, bool digits);
int value_counts_add(struct value_counts *c);
int value_counts_finish(struct value_counts *c, bool descending);
/* The next row, which occurs @n times; equal ones follow each other. SQLITE_ROW, SQLITE_DONE ... */
int value_counts_next(struct value_counts *c, u64 *n);
/* The @i-th value of that row. */
struct event_cell value_counts_cell(const struct value_counts *c, size_t i);

/* --- the module --- */

/* An event, as the client data of a module. */
struct table_event {
	struct sqlite_source *source;
	const char *event; /* "system:name"; NULL: all recorded events */
	bool recorded;     /* and not made by the replay */
	bool unique;       /* no other event has its name, which is that of the table, too */
};

/* Repeated scans with one plan, while cursors are open. */
struct repeated {
	char *text; /* its plan, as SQLite keeps it */
	struct scan_plan plan;
	size_t scans;
	struct row_store *store; /* NULL: not filled */
};

struct event_table {
	sqlite3_vtab base;
	const struct table_event *of;
	struct arena arena;
	ARRAY(struct column) columns;
	ARRAY(const char *) field_names; /* of the columns from COL_FIELDS on: their field */
	size_t first_name;               /* columns from this one on are names of numbers */
	size_t first_code;               /* columns from this one on are about code */
	ARRAY(struct repeated) repeated;
	size_t cursors;
	u64 machines;
	u64 noted; /* of which machines, that its event was not recorded */
	bool late; /* has times from 2^63 on, which was noted */
};

/* event_columns.c: find ->columns. Return: 0, or a code with a diagnosis */
int event_columns_find(struct event_table *t, struct diags *diags);
/* Whether a machine has an event, which another one has. */
bool source_knows(const struct sqlite_source *source, struct hist *h, const char *event);
/* Return: a code of SQLite */
int event_columns_declare(sqlite3 *db, const struct event_table *t);

extern const sqlite3_module event_table_module;
