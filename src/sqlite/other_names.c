// SPDX-License-Identifier: LGPL-2.1-only
/* Names of tables, columns and functions of trace_processor, DuckDB and the like, in statements. */
#include "sqlite/other_names.h"

/* A name in trace_processor and the like, and what it is here. */
static const struct other_name {
	const char *name, *here;
	bool same; /* in each statement */
} others[] = {
	{ "dur", "ns", true },
	{ "duration", "ns", true },
	{ "tid", "pid", true },
	{ "timestamp", "ts", true },
	{ "time", "ts", true },
	{ "sched", "(SELECT * FROM task_state WHERE state = 'running')", true },
	{ "sched_slice", "(SELECT * FROM task_state WHERE state = 'running')", true },
	{ "thread_state", "task_state", true },
	{ "ftrace_event", "events", true },
	{ "raw", "events", true },
	{ "utid", "pid", false },
	{ "host", "a column of --hosts", false },
	{ "thread", "tasks", false },
	{ "threads", "tasks", false },
	{ "process", "tasks", false },
	{ "processes", "tasks", false },
	{ "samples", "the event of perf, such as \"perf:cycles\"", false },
	{ "perf_sample", "the event of perf, such as \"perf:cycles\"", false },
	{ "arg_max", "a column beside max(): SELECT comm, max(ns)", false },
	{ "arg_min", "a column beside min(): SELECT comm, min(ns)", false },
	{ "approx_quantile", "quantile_cont(ns, 0.99)", false },
	{ "approx_count_distinct", "count(DISTINCT comm)", false },
	{ "mode", "GROUP BY comm ORDER BY count(*) DESC LIMIT 1", false },
	{ "string_agg", "group_concat(comm, ',')", false },
	{ "list", "group_concat(comm, ',')", false },
};

static const struct other_name *find_other(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (!strcasecmp(name, others[i].name))
			return &others[i];
	return NULL;
}

bool other_name_note(const char *name, struct diags *diags)
{
	const struct other_name *other = find_other(name);

	if (other)
		diags_add(diags, DIAG_NOTE, "%s is %s here", name, other->here);
	return other != NULL;
}

/* Whether FROM or JOIN or another table is before. */
static bool is_place_of_table(const char *statement, const char *at)
{
	const char *before = at;

	while (before > statement && strchr(" \t\r\n", before[-1]))
		before--;
	return before > statement &&
	       (before[-1] == ',' ||
		(before < at && before - statement >= 4 &&
		 (!strncasecmp(before - 4, "from", 4) || !strncasecmp(before - 4, "join", 4))));
}

/* Where the table @name is named in a statement, but not in a text of it. */
static const char *find_table(const char *statement, const char *name)
{
	const size_t n = strlen(name);
	char quote = 0;

	for (const char *at = statement; *at; at++) {
		if (quote || strchr("'\"`", *at))
			quote = !quote ? *at : *at == quote ? 0 : quote;
		else if (!strncasecmp(at, name, n) && !is_ident(at[n]) &&
			 is_place_of_table(statement, at))
			return at;
	}
	return NULL;
}

char *other_names_replace(sqlite3 *db, const char *text, const char *statement, struct diags *diags)
{
	static const char lacks[][17] = { "no such table: ", "no such column: " };
	const int offset = sqlite3_error_offset(db);
	const char *message = sqlite3_errmsg(db), *name = NULL, *at;
	const struct other_name *other;

	for (size_t i = 0; i < ARRAY_SIZE(lacks); i++)
		if (!strncmp(message, lacks[i], strlen(lacks[i])))
			name = message + strlen(lacks[i]);
	/* SQLite does not tell where a table is named */
	at = !name ? NULL : offset > 0 ? statement + offset : find_table(statement, name);
	if (!at || strncasecmp(at, name, strlen(name)) != 0)
		return NULL;
	at += strrchr(name, '.') ? strrchr(name, '.') + 1 - name : 0;
	name = strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
	other = find_other(name);
	if (!other || !other->same)
		return NULL;
	diags_add(diags, DIAG_NOTE, "%s: using %s", name, other->here);
	return sqlite3_mprintf("%.*s%s%s", (int)(at - text), text, other->here, at + strlen(name));
}
