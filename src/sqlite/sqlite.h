/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * sqlite: tables of SQLite over the events of a recording, which a statement reads in a replay of
 * its own, and what runs statements and prints their results.
 *
 * Uses libhist like any other client, so that the same files are also an extension of SQLite.
 */
#pragma once
#include "base/base.h"
#include "hist-events.h"

struct sqlite3;

/* The recording, which is opened again for each table that is being read. */
struct sqlite_source {
	/* Adds only errors: what else there is to report was reported when it was first opened. */
	int (*open)(void *arg, struct hist **h, struct diags *diags);
	void *arg;
	const struct hist_script *script; /* its synthetic events are tables, too; NULL: none */
	struct diags *diags;              /* gets each message of a replay once; NULL: nothing */
	bool cut;                         /* parts of the recording could not be read */
	const char *host;                 /* the name of its machine; NULL: it is unknown */
	struct sqlite_source *next;       /* the recording of another machine; NULL: none */
};

/**
 * sqlite_tables_add() - add a table for each event and recipe, and the tables events, tables and
 * tasks
 *
 * Owns:   borrows @source until sqlite3_close()
 * Return: 0, -HIST_EREJECTED if a line of the script was rejected, or another code, with a
 *         diagnosis
 */
int sqlite_tables_add(struct sqlite3 *db, struct sqlite_source *source, struct diags *diags);

/* --- statements --- */

struct sqlite_session;

struct sqlite_session_options {
	const char *format; /* text, csv, tsv, csv-safe, tsv-safe, json, ndjson */
	u64 timeout;        /* ns of a run; 0: none */
	u64 memory;         /* bytes of the process; 0: half of the machine's */
	hist_sink_fn sink;
	void *arg;
};

/* A database in memory with the tables of @source. Return: as sqlite_tables_add() */
int sqlite_session_open(struct sqlite_session **s, struct sqlite_source *source,
			const struct sqlite_session_options *options, struct diags *diags);
void sqlite_session_close(struct sqlite_session *s);

/*
 * Run all statements of a text; @name: where it is from, for messages. Return: 0, -HIST_EINVAL: a
 * statement is wrong; what the sink returned; -HIST_ENOMEM
 */
int sqlite_session_run(struct sqlite_session *s, const char *name, const char *text,
		       struct diags *diags);

/*
 * Append the names that begin with the last @word bytes of a text, one in each line: tables,
 * columns of tables of events that the text names, and words of SQL.
 */
void sqlite_session_complete(struct sqlite_session *s, const char *text, size_t word,
			     struct strbuf *out);

/* Whether a text ends with the end of a statement, and is not only blanks and comments. */
bool sqlite_is_complete(const char *text);
