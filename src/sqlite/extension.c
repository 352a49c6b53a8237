// SPDX-License-Identifier: LGPL-2.1-only
/*
 * An extension of SQLite: SELECT hist_open('trace.dat') adds the tables of a recording to the
 * database that is open.
 */
#include "sqlite/api.h"
#include "sqlite/sqlite.h"

SQLITE_EXTENSION_INIT1

struct extension {
	struct sqlite_source source;
	char *path; /* NULL: no recording is open */
};

static int open_recording(void *arg, struct hist **h, struct diags *diags)
{
	const char *path = ((struct extension *)arg)->path;

	return hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1 }, h, diags);
}

static void close_extension(void *arg)
{
	struct extension *e = arg;

	sqlite3_free(e->path);
	free(e);
}

static void call_open(sqlite3_context *cx, int n UNUSED, sqlite3_value **values)
{
	struct extension *e = sqlite3_user_data(cx);
	const char *path = (const char *)sqlite3_value_text(values[0]);
	scoped(diags_release) struct diags diags = DIAGS_INIT;
	int err;

	if (!path || e->path) {
		sqlite3_result_error(
			cx,
			path ? "a recording is open; open another one in another database"
			     : "hist_open() takes the name of a recording",
			-1);
		return;
	}
	e->path = sqlite3_mprintf("%s", path);
	err = e->path ? sqlite_tables_add(sqlite3_context_db_handle(cx), &e->source, &diags)
		      : HIST_NOMEM;
	if (err) {
		sqlite3_result_error(cx, diags_first_error(&diags) ?: hist_strerror(err), -1);
		/* then, there may be tables of it */
		if (err != HIST_NOMEM) {
			sqlite3_free(e->path);
			e->path = NULL;
		}
	}
}

__attribute__((visibility("default"))) int sqlite3_extension_init(sqlite3 *db, char **message,
								  const sqlite3_api_routines *api);

int sqlite3_extension_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
	sqlite3_stmt *loaded = NULL;
	struct extension *e;

	SQLITE_EXTENSION_INIT2(api)
	if (sqlite3_libversion_number() < NEEDS_VERSION) {
		*message = sqlite3_mprintf("hist needs SQLite 3.38 or later");
		return SQLITE_ERROR;
	}
	/* loaded again: the tables that there are need what the function has */
	if (!sqlite3_prepare_v2(db, "SELECT hist_open(NULL)", -1, &loaded, NULL)) {
		sqlite3_finalize(loaded);
		return SQLITE_OK;
	}
	e = calloc(1, sizeof(*e));
	if (!e)
		return SQLITE_NOMEM;
	e->source = (struct sqlite_source){ .open = open_recording, .arg = e };
	return sqlite3_create_function_v2(db, "hist_open", 1, flags, e, call_open, NULL, NULL,
					  close_extension);
}
