/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tables of a database: an event each, which has the name of the event and "system:name". */
#pragma once
#include "sqlite/event_table.h"

/* The answer of a recipe, as the client data of a module. */
struct table_answer {
	struct sqlite_source *source;
	const char *name;
	const char *table; /* its name with underscores, unless an event has that */
};

struct event_tables {
	struct arena arena;
	ARRAY(struct table_event *) list; /* borrowed from ->arena */
	struct sqlite_source *source;
	ARRAY(struct table_answer *) answers;
};

extern const sqlite3_module answer_table_module;
extern const sqlite3_module tables_module;

/* percentile.c: percentile() and median(). Return: a code of SQLite */
int percentile_functions_add(sqlite3 *db);

/* The name after the system. */
const char *table_event_name(const struct table_event *e);
