// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs statements on a database in memory. They may come from others, and the recording, too: no
 * statement reads or writes another file, loads code, or changes how SQLite works.
 */
#include <dlfcn.h>

#include "sqlite/statement_rows.h"
#include "sqlite/event_tables.h"
#include "sqlite/other_names.h"

SQLITE_EXTENSION_INIT1

enum { STEPS = 10000 };

struct sqlite_session {
	sqlite3 *db;
	struct sqlite_session_options options;
	struct rows rows;
	u64 end; /* of the time; 0: none */
	bool late, large;
	sqlite3_int64 heap; /* the limit of the process outside this session */
};

/* --- the library --- */

static int note_api(sqlite3 *db UNUSED, const char **message UNUSED,
		    const sqlite3_api_routines *api)
{
	SQLITE_EXTENSION_INIT2(api)
	return SQLITE_OK;
}

/*
 * Loaded when the first session is opened, because loading it takes a sixth of the time of a small
 * report. It stays loaded. What it is called with is what it gives to extensions.
 */
static int load_library(struct diags *diags)
{
	void *handle = sqlite3_api ? NULL : dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
	void *add = handle ? dlsym(handle, "sqlite3_auto_extension") : NULL;
	void *open = handle ? dlsym(handle, "sqlite3_open") : NULL;
	int (*auto_extension)(int (*)(sqlite3 *, const char **, const sqlite3_api_routines *));
	int (*open_first)(const char *, sqlite3 **);
	sqlite3 *db = NULL;

	memcpy(&auto_extension, &add, sizeof(add));
	memcpy(&open_first, &open, sizeof(open));
	if (add && open && !auto_extension(note_api))
		open_first(":memory:", &db);
	if (sqlite3_api)
		sqlite3_cancel_auto_extension((void (*)(void))note_api);
	else
		return diags_error(
			diags, -HIST_EUNSUPPORTED,
			"libsqlite3.so.0 cannot be loaded; install SQLite (libsqlite3-0)");
	sqlite3_close(db);
	if (sqlite3_libversion_number() < NEEDS_VERSION)
		return diags_error(diags, -HIST_EUNSUPPORTED,
				   "SQLite is %s; hist sql needs 3.38 or later",
				   sqlite3_libversion());
	return 0;
}

/* --- limits --- */

static bool is_query(const char *pragma)
{
	static const char *const queries[] = {
		"table_info",  "table_xinfo",    "table_list",      "database_list",
		"index_list",  "index_info",     "function_list",   "module_list",
		"pragma_list", "collation_list", "compile_options",
	};

	return any_of(i, ARRAY_SIZE(queries), !sqlite3_stricmp(pragma, queries[i]));
}

/* NOLINTNEXTLINE(readability-function-size): SQLite's parameters */
static int authorise(void *arg UNUSED, int action, const char *a, const char *b,
		     const char *database UNUSED, const char *trigger UNUSED)
{
	switch (action) {
	case SQLITE_ATTACH:
	case SQLITE_DETACH:
		return SQLITE_DENY;
	case SQLITE_PRAGMA:
		return is_query(a) ? SQLITE_OK : SQLITE_DENY;
	case SQLITE_FUNCTION:
		return sqlite3_stricmp(b, "load_extension") != 0 ? SQLITE_OK : SQLITE_DENY;
	default:
		return SQLITE_OK;
	}
}

/* Whether a statement that runs is stopped. The heap is SQLite's, without what functions keep. */
static int is_beyond(void *arg)
{
	struct sqlite_session *s = arg;

	s->late = s->end && monotonic_ns() > s->end;
	s->large = memory_in_use() > s->options.memory;
	return s->late || s->large;
}

int sqlite_session_open(struct sqlite_session **out, struct sqlite_source *source,
			const struct sqlite_session_options *options, struct diags *diags)
{
	struct sqlite_session *s = calloc(1, sizeof(*s));
	int err = s ? load_library(diags) : HIST_NOMEM;

	if (err) {
		free(s);
		return err;
	}
	s->options = *options;
	s->options.memory = options->memory ?: memory_of_machine() / 2;
	s->rows = (struct rows){ .options = &s->options,
				 .format = row_format_find(options->format),
				 .out = STRBUF_INIT };
	if (sqlite3_open(":memory:", &s->db))
		err = HIST_NOMEM;
	else
		err = sqlite_tables_add(s->db, source, diags);
	if (!err && !s->rows.format)
		err = row_format_unknown(options->format, "", diags);
	if (err) {
		sqlite_session_close(s);
		return err;
	}
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_set_authorizer(s->db, authorise, NULL);
	if (options->timeout)
		s->end = monotonic_ns() + options->timeout;
	sqlite3_progress_handler(s->db, STEPS, is_beyond, s);
	s->heap =
		sqlite3_hard_heap_limit64((sqlite3_int64)min_t(u64, s->options.memory, INT64_MAX));
	*out = s;
	return 0;
}

void sqlite_session_close(struct sqlite_session *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	sqlite3_hard_heap_limit64(s->heap);
	strbuf_release(&s->rows.out);
	free(s);
}

/* --- messages --- */

/* The tables of recorded events, if they are few. */
static void add_recorded(struct sqlite_session *s, struct strbuf *names)
{
	sqlite3_stmt *stmt = NULL;

	sqlite3_prepare_v2(s->db,
			   "SELECT group_concat(name, ', ') FROM (SELECT name FROM tables "
			   "WHERE kind = 'recorded' ORDER BY 1) HAVING count(*) BETWEEN 1 AND 12",
			   -1, &stmt, NULL);
	if (stmt && sqlite3_step(stmt) == SQLITE_ROW)
		strbuf_addstr(names, (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
}

/* The names of tables, and what to type, if a table is unknown. */
static void suggest_tables(struct sqlite_session *s, const char *name, struct diags *diags)
{
	struct near near = NEAR_INIT(name);
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	scoped(arena_release) struct arena arena = ARENA_INIT;
	sqlite3_stmt *stmt = NULL;

	sqlite3_prepare_v2(s->db, "SELECT name FROM tables", -1, &stmt, NULL);
	while (stmt && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *copy = arena_strdup(&arena, (const char *)sqlite3_column_text(stmt, 0));

		if (copy)
			near_offer(&near, copy, copy);
	}
	sqlite3_finalize(stmt);
	near_text(&near, &names);
	if (!near.n)
		add_recorded(s, &names);
	diags_add(diags, DIAG_NOTE, "SELECT * FROM tables lists the tables%s%s",
		  near.n      ? "; nearest: "
		  : names.len ? "; the recording has "
			      : "; hist list shows which events were recorded",
		  names.len ? names.s : "");
}

/* The columns of the tables in a statement, if a column is unknown. */
static void suggest_columns(struct sqlite_session *s, const char *name, const char *statement,
			    struct diags *diags)
{
	/* columns of an answer would need the answer */
	static const char sql[] =
		"SELECT DISTINCT x.name FROM (SELECT name FROM tables WHERE kind != 'answer' UNION "
		"VALUES('events')) t, pragma_table_xinfo(t.name) x WHERE lower(?1 || ' ') GLOB "
		"'*[mn] ' || lower(t.name) || '[^a-z0-9_:]*'"; /* FROM, JOIN */
	const char *column = strrchr(name, '.') ? strrchr(name, '.') + 1 : name;
	struct near near = NEAR_INIT(column);
	struct strbuf all = STRBUF_INIT, nearest = STRBUF_INIT;
	scoped(arena_release) struct arena arena = ARENA_INIT;
	sqlite3_stmt *stmt = NULL;

	sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
	sqlite3_bind_text(stmt, 1, statement, -1, SQLITE_STATIC);
	while (stmt && sqlite3_step(stmt) == SQLITE_ROW) {
		const char *copy = arena_strdup(&arena, (const char *)sqlite3_column_text(stmt, 0));

		if (!copy)
			break;
		near_offer(&near, copy, copy);
		strbuf_addf(&all, "%s%s", all.len ? ", " : "", copy);
	}
	sqlite3_finalize(stmt);
	near_text(&near, &nearest);
	if (near.n)
		diags_add(diags, DIAG_NOTE, "nearest: %s", nearest.s);
	else if (all.len)
		diags_add(diags, DIAG_NOTE, "there are %s", all.s);
	else
		diags_add(diags, DIAG_NOTE, "DESCRIBE TABLE lists the columns of an answer");
	strbuf_release(&all);
	strbuf_release(&nearest);
}

/* What to type for a word of other shells */
static void suggest_statement(const char *statement, struct diags *diags)
{
	if (!strncasecmp(statement, "show", 4) || !strncasecmp(statement, "desc", 4) ||
	    *statement == '.' || *statement == '\\')
		diags_add(diags, DIAG_NOTE,
			  ".tables lists the tables, DESCRIBE TABLE the columns of one");
}

static int report(struct sqlite_session *s, const char *name, const char *text,
		  const char *statement, struct diags *diags)
{
	static const char unknown[] = "no such table: ", no_column[] = "no such column: ",
			  function[] = "no such function: ", colon[] = "near \":",
			  dash[] = "near \"-";
	char message[256]; /* the next statement has another one */
	const int offset = sqlite3_error_offset(s->db);
	struct diag *d;

	s->large |= sqlite3_errcode(s->db) == SQLITE_NOMEM;
	snprintf(message, sizeof(message), "%s",
		 s->late    ? "the time of --timeout is over"
		 : s->large ? "the statement needs more memory: permit more with --memory"
			    : sqlite3_errmsg(s->db));
	d = diags_add(diags, DIAG_ERROR, "%s", message);
	if (d) {
		const size_t at = (size_t)(statement - text) + (size_t)max_t(int, offset, 0);
		const char *line;

		d->file = arena_strdup(&diags->arena, name);
		/* The line of a text that has the byte @at. */
		line = text;
		d->line = 1;
		array_each_of(const char, p, text, at)
			if (*p == '\n') {
				line = p + 1;
				d->line++;
			}
		d->col = (unsigned int)(text + at - line) + 1;
		d->source = arena_strndup(&diags->arena, line, strcspn(line, "\n"));
		if (!d->file || !d->source)
			d->file = d->source = NULL;
	}
	if (!strncmp(message, unknown, sizeof(unknown) - 1) &&
	    !other_name_note(message + sizeof(unknown) - 1, diags))
		suggest_tables(s, message + sizeof(unknown) - 1, diags);
	else if (!strncmp(message, no_column, sizeof(no_column) - 1) &&
		 !other_name_note(message + sizeof(no_column) - 1, diags))
		suggest_columns(s, message + sizeof(no_column) - 1, statement, diags);
	else if (!strncmp(message, function, sizeof(function) - 1))
		other_name_note(message + sizeof(function) - 1, diags);
	else if (!strncmp(message, colon, sizeof(colon) - 1))
		diags_add(
			diags, DIAG_NOTE,
			"a name with a colon is quoted: \"derived:wait\"; or the part after it alone: sched_switch");
	else if (!strncmp(message, dash, sizeof(dash) - 1))
		diags_add(diags, DIAG_NOTE, "a name with a dash is quoted: \"wakeup-latency\"");
	else
		suggest_statement(statement, diags);
	return -HIST_EINVAL;
}

/* --- texts that are compared with numbers --- */

/* Not: a number that is a text because SQLite has no such number, or a list. */
static bool is_number_or_name(const char *text)
{
	u64 n;

	return is_alpha(*text) || (span_digits(span_of(text), 10, &n) && n <= INT64_MAX);
}

/*
 * The first text that is compared with a column HAS_NUMBER. SQLite converts no text for
 * it, and a text is greater than each number. @code: EXPLAIN of a statement. Comparisons and lists
 * with such a column, wherever they are in an expression, have its collation and no affinity.
 * Constants are written just before they are used; or last, those with operators after their
 * operands.
 */
static bool find_quoted(sqlite3_stmt *code, struct strbuf *text)
{
	enum { NO_AFFINITY = 'A', TEXT_AFFINITY = 'B', AFFINITIES = 0x47, NONE = -1 };
	typedef INDEXED(int) numbers;
	numbers compared = { .n = 0 }; /* registers that are compared with numbers */
	numbers integers = { .n = 0 }; /* with INTEGERs */
	numbers lists = { .n = 0 };    /* cursors */
	numbers *of;
	int constants = INT32_MAX, last = NONE, last_at = 0, constant = NONE;
	bool found = false;

	while (!found && sqlite3_step(code) == SQLITE_ROW) {
		const char *op = (const char *)sqlite3_column_text(code, 1) ?: "";
		const char *p4 = (const char *)sqlite3_column_text(code, 5) ?: "";
		const int at = sqlite3_column_int(code, 0), p1 = sqlite3_column_int(code, 2);
		const int p2 = sqlite3_column_int(code, 3), p3 = sqlite3_column_int(code, 4);
		const int affinity = sqlite3_column_int(code, 6) & AFFINITIES;
		const bool digits = strstr(p4, DIGITS);
		const bool name = text->len && is_alpha(*text->s); /* no INTEGER equals it */

		if (!strcmp(op, "Init")) {
			constants = p2;
		} else if (!strcmp(op, "String8")) {
			last = is_number_or_name(p4) ? p2 : NONE;
			last_at = at;
			if (last == NONE || constant != NONE)
				continue;
			text->len = 0;
			strbuf_addstr(text, p4);
			if (at >= constants && (indexed_has(&compared, p2) ||
						(is_alpha(*p4) && indexed_has(&integers, p2))))
				constant = p2;
		} else if (constant != NONE) {
			if (strcmp(op, "Integer") != 0 && strcmp(op, "Goto") != 0 &&
			    (p1 == constant || p2 == constant || p3 == constant))
				constant = NONE;
		} else if (!strcmp(op, "MakeRecord") && *p4 != NO_AFFINITY) {
			last = NONE;
		} else if (!strcmp(op, "OpenEphemeral") && digits) {
			indexed_add(&lists, hash_number((u64)p1), p1);
		} else if (!strcmp(op, "IdxInsert")) {
			found = last != NONE && last == p3 && indexed_has(&lists, p1);
		} else if (strlen(op) == 2 && strstr("EqNeLtLeGtGe", op) &&
			   (affinity > TEXT_AFFINITY || (digits && affinity <= NO_AFFINITY))) {
			found = last != NONE && last_at + 2 >= at && (last == p1 || last == p3) &&
				(affinity <= NO_AFFINITY || name);
			of = affinity <= NO_AFFINITY ? &compared : &integers;
			indexed_add(of, hash_number((u64)p1), p1);
			indexed_add(of, hash_number((u64)p3), p3);
		}
	}
	indexed_release(&compared);
	indexed_release(&integers);
	indexed_release(&lists);
	return found || constant != NONE;
}

static void warn_quoted(struct sqlite_session *s, struct span statement, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	sqlite3_stmt *code = NULL;
	char *explain;
	u64 n;

	if (!memchr(statement.s, '\'', statement.n) && !memchr(statement.s, '"', statement.n))
		return;
	explain = sqlite3_mprintf("EXPLAIN %.*s", (int)statement.n, statement.s);
	if (explain && !sqlite3_prepare_v2(s->db, explain, -1, &code, NULL) &&
	    find_quoted(code, &text))
		diags_add(
			diags, DIAG_WARNING,
			"a number is compared with a text, '%s', which is greater than each "
			"number: write %s",
			text.s ?: "",
			span_digits(span_of(text.s ?: ""), 10, &n)
				? "it without quotes"
				: "the number that it stands for, or compare NAME_text, which has names");
	sqlite3_finalize(code);
	sqlite3_free(explain);
}

/* --- statements --- */

static bool has_table(sqlite3 *db, const char *name)
{
	char *sql = sqlite3_mprintf("SELECT 1 FROM \"%w\"", name);
	sqlite3_stmt *stmt = NULL;
	const bool has = sql && !sqlite3_prepare_v2(db, sql, -1, &stmt, NULL);

	sqlite3_finalize(stmt);
	sqlite3_free(sql);
	return has;
}

/*
 * The statement for a word of shells about tables: .tables [GLOB] and show tables, .schema TABLE,
 * describe TABLE; one that fails, if there is no such table. *@rest: what follows it. NULL: it is
 * none of them, or out of memory
 */
static char *statement_of_word(sqlite3 *db, const char *statement, const char **rest)
{
	static const char columns[] =
		"SELECT name, iif(type = '', 'UNSIGNED or a list', type) AS type FROM pragma_table_xinfo(%Q)";
	static const char tables[] = "SELECT name, kind FROM tables WHERE name GLOB %Q";
	static const struct {
		const char *word, *sql; /* %Q: what follows the word, or @none */
		const char *none;
	} words[] = {
		{ ".tables", tables, "*" },   { "show tables", tables, "*" },
		{ ".schema", columns, NULL }, { "describe", columns, NULL },
		{ "desc", columns, NULL },
	};
	const size_t n = strcspn(statement, ";\n");

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const size_t len = strlen(words[i].word);
		struct span name =
			span_trim((struct span){ statement + len, n - min_t(size_t, n, len) });
		char text[256];

		if (len > n || strncasecmp(statement, words[i].word, len) != 0 ||
		    (len < n && !strchr(" \t", statement[len])) || (!name.n && !words[i].none))
			continue;
		if (name.n > 1 && strchr("\"'", *name.s) && name.s[name.n - 1] == *name.s)
			name = (struct span){ name.s + 1, name.n - 2 };
		snprintf(text, sizeof(text), "%.*s", (int)name.n, name.s);
		*rest = statement + n;
		if (words[i].none)
			return sqlite3_mprintf(words[i].sql, name.n ? text : words[i].none);
		return has_table(db, text) ? sqlite3_mprintf(words[i].sql, text)
					   : sqlite3_mprintf("SELECT 1 FROM \"%w\"", text);
	}
	return NULL;
}

int sqlite_session_run(struct sqlite_session *s, const char *name, const char *text,
		       struct diags *diags)
{
	const char *rest = text;
	char *replaced = NULL; /* has @text, after the first replacement */
	int err = 0;

	while (*rest && !err) {
		sqlite3_stmt *stmt = NULL;
		const char *statement = rest;
		char *made;

		statement += strspn(statement, " \t\r\n;");
		made = statement_of_word(s->db, statement, &rest);
		if (made)
			sqlite3_prepare_v2(s->db, made, -1, &stmt, NULL);
		else
			sqlite3_prepare_v2(s->db, statement, -1, &stmt, &rest);
		sqlite3_free(made);
		made = sqlite3_errcode(s->db) ? other_names_replace(s->db, text, statement, diags)
					      : NULL;
		if (made) {
			rest = made + (statement - text);
			sqlite3_free(replaced);
			text = replaced = made;
			continue;
		}
		if (sqlite3_errcode(s->db)) {
			err = report(s, name, text, statement, diags);
			break;
		}
		if (stmt && s->rows.any && s->rows.format->binary) {
			sqlite3_finalize(stmt);
			err = diags_error(diags, -HIST_EINVAL,
					  "%s has one table: run one statement that has rows",
					  s->rows.format->name);
			break;
		}
		if (stmt)
			warn_quoted(s, (struct span){ statement, (size_t)(rest - statement) },
				    diags);
		if (stmt && rows_print(&s->rows, stmt, &err) != SQLITE_DONE && !err)
			err = report(s, name, text, statement, diags);
		sqlite3_finalize(stmt);
	}
	sqlite3_free(replaced);
	return err;
}

void sqlite_session_complete(struct sqlite_session *s, const char *text, size_t word,
			     struct strbuf *out)
{
	/* columns of an answer would need the answer */
	static const char sql[] =
		"WITH n(name) AS (SELECT name FROM tables UNION VALUES('events'), ('tables'), ('tasks'),"
		" ('SELECT'), ('FROM'), ('WHERE'), ('GROUP BY'), ('ORDER BY'), ('LIMIT'), ('JOIN')"
		" UNION SELECT x.name FROM tables t, pragma_table_xinfo(t.name) x"
		" WHERE t.kind != 'answer' AND instr(?1, t.name)) "
		"SELECT DISTINCT name FROM n WHERE ?2 != '' AND lower(substr(name, 1, length(?2))) = lower(?2)"
		" AND name NOT GLOB '*[^A-Za-z0-9_ ]*' ORDER BY 1";
	sqlite3_stmt *stmt = NULL;

	sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
	sqlite3_bind_text(stmt, 1, text, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 2, text + strlen(text) - word, -1, SQLITE_STATIC);
	while (sqlite3_step(stmt) == SQLITE_ROW)
		strbuf_addf(out, "%s\n", (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
}

bool sqlite_is_complete(const char *text)
{
	return sqlite3_complete(text);
}
