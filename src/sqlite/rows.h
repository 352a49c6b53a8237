/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of a statement, in a format. */
#ifndef HIST_SQLITE_ROWS_H
#define HIST_SQLITE_ROWS_H

#include "sqlite/api.h"
#include "sqlite/sqlite.h"
#include "table/table.h"

struct rows_format;

struct rows {
	const struct sqlite_session_options *options;
	const struct rows_format *format;
	sqlite3_stmt *stmt;
	int n_columns;
	size_t n;    /* rows so far */
	bool failed; /* an error ended them */
	const char **names;
	struct strbuf out;
	struct table table;
	struct arena arena; /* of a statement */
	bool any;           /* rows of another statement were printed */
};

struct rows_format {
	const char *name;
	void (*begin)(struct rows *r);
	void (*row)(struct rows *r);
	void (*end)(struct rows *r);
	const struct csv_dialect *dialect;
};

/* NULL: unknown */
const struct rows_format *rows_format_find(const char *name);

/* Step through a statement and print its rows. Return: a code of SQLite; *@err: of the sink */
int rows_print(struct rows *r, sqlite3_stmt *stmt, int *err);

#endif
