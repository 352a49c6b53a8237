/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tables of a database: an event each, which has the name of the event and "system:name". */
#ifndef HIST_SQLITE_EVENT_TABLES_H
#define HIST_SQLITE_EVENT_TABLES_H

#include "sqlite/event_table.h"

struct event_tables {
	struct arena arena;
	ARRAY(struct table_event *) list; /* borrowed from ->arena */
};

extern const sqlite3_module tables_module;

/* The name after the system. */
const char *table_event_name(const struct table_event *e);

#endif
