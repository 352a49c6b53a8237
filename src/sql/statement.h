/* SPDX-License-Identifier: LGPL-2.1-only */
/* Private to sql: a parsed statement, whose names are resolved to fields of its events. */
#pragma once
#include "event/event.h"
#include "sql/sql.h"

/* The event after FROM, or after JOIN. */
struct sql_source {
	struct sql_event event;
	struct span word, alias; /* as written; no alias: absent */
	const struct event_format *format;
};

enum sql_operand_kind { SQL_FIELD, SQL_TIME, SQL_USECS, SQL_STACK, SQL_NUMBER };

struct sql_operand {
	enum sql_operand_kind kind;
	size_t source; /* index */
	const struct event_field *field;
	struct span word;     /* as written */
	struct span modifier; /* ".cgroup"; absent */
};

enum { SQL_OPERANDS_MAX = 4, SQL_ON_MAX = 8 };

/* An operand, or a sum of several. */
struct sql_column {
	struct span name; /* after AS, or the field's */
	struct sql_operand v[SQL_OPERANDS_MAX];
	char ops[SQL_OPERANDS_MAX]; /* between v[i] and v[i + 1] */
	size_t n;
	const char *cast; /* modifier of the field as a key; NULL: none */
	bool counter;     /* CAST(x AS _COUNTER_) */
};

enum sql_cond_kind { SQL_PRED, SQL_NOT, SQL_AND, SQL_OR };

struct sql_cond {
	enum sql_cond_kind kind;
	const struct sql_cond *left, *right;
	const char *text;     /* of SQL_PRED, as a filter has it */
	unsigned int sources; /* a bit for each whose fields it reads */
	struct span words;
};

struct sql_statement {
	const char *query;
	struct sql_source sources[2];
	size_t n_sources;
	ARRAY(struct sql_column) columns;
	struct sql_operand on[SQL_ON_MAX][2]; /* of the first source, of the second */
	size_t n_on;
	const struct sql_cond *where; /* NULL: none */
};

/* An error at @words of the query. Return: -HIST_EREJECTED, -HIST_ENOMEM */
int sql_error(const char *query, struct span words, struct diags *diags, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/**
 * sql_parse() - parse a statement
 * @db: formats are added to it
 *
 * Return: 0; -HIST_EREJECTED with a diagnosis; -HIST_ENOMEM. Release @st->columns in any case.
 */
int sql_parse(const struct sql_request *request, struct event_db *db, struct arena *arena,
	      struct sql_statement *st, struct diags *diags);
