/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of a statement, in a format. */
#pragma once
#include "sqlite/api.h"
#include "sqlite/sqlite.h"
#include "table/table.h"

struct rows {
	const struct sqlite_session_options *options;
	const struct row_format *format;
	sqlite3_stmt *stmt;
	int n_columns;
	struct row_column *columns;
	struct strbuf out;
	struct arena arena; /* of a statement */
	bool any;           /* rows of another statement were printed */
};

/* Step through a statement and print its rows. Return: a code of SQLite; *@err: of the sink */
int rows_print(struct rows *r, sqlite3_stmt *stmt, int *err);
