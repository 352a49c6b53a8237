// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converts an SQL statement to writes, with sql/ and the recording's formats, plus a histogram on
 * the synthetic event.
 */
#include <stdlib.h>

#include "cmd/by_args.h"
#include "cmd/sql_args.h"
#include "hist-script.h"
#include "sql/sql.h"

struct building {
	const struct cmd_sql *sql;
	cmd_sql_write_fn write;
	void *arg;
	struct arena *arena;
};

/* --- the events --- */

/* A sql_find_fn: the format of an event of the recording, or of an earlier statement. */
static int find_event(void *arg, const char *name, struct sql_event *ev, struct diags *diags)
{
	struct building *b = arg;
	struct strbuf format = STRBUF_INIT;
	struct span system, event;
	char *path = NULL;
	int err = hist_script_find_event(b->sql->h, b->sql->script, name, &path, diags);

	err = err
		      ?: hist_script_format(b->sql->h, b->sql->script, path, strbuf_sink, &format,
					    diags);
	if (!err) {
		cmd_split_event(path, &system, &event);
		ev->system = arena_strndup(b->arena, system.s, system.n);
		ev->name = arena_strndup(b->arena, event.s, event.n);
		ev->format = (struct span){ NULL, format.len };
		ev->format.s = arena_take(b->arena, &format);
		err = ev->system && ev->name && ev->format.s ? 0 : HIST_NOMEM;
	}
	free(path);
	strbuf_release(&format);
	return err && err != HIST_NOMEM ? -HIST_ENOENT : err;
}

/* --- the histogram on the result --- */

enum { MAX_KEYS = 3, MAX_VALUES = 2 };

/* Differences are values, the other columns keys. */
static int sum_columns(struct building *b, const struct sql_result *result,
		       struct cmd_sql_answer *answer)
{
	struct strbuf values = STRBUF_INIT;
	size_t n = 0;

	for (size_t i = 0; i < result->n_fields; i++)
		if (result->fields[i].measured && n < MAX_VALUES)
			strbuf_addf(&values, "%s%s", n++ ? "," : "", result->fields[i].name);
	answer->sum = n ? arena_take(b->arena, &values) : NULL;
	strbuf_release(&values);
	return n && !answer->sum ? HIST_NOMEM : 0;
}

/* Rows are in the order of the first value, or of the only key if it is a range. */
static const char *default_histogram(struct building *b, const struct sql_result *result,
				     const char *sum)
{
	struct strbuf out = STRBUF_INIT;
	const int first = sum ? (int)strcspn(sum, ",") : 0;
	size_t n_keys = 0;

	strbuf_addstr(&out, "hist:keys=");
	for (size_t i = 0; i < result->n_fields; i++) {
		const struct sql_field *f = &result->fields[i];

		if (!f->measured && n_keys < MAX_KEYS)
			strbuf_addf(&out, "%s%s%s", n_keys++ ? "," : "", f->name, f->modifier);
	}
	if (n_keys && sum)
		strbuf_addf(&out, ":vals=%s:sort=%.*s.descending", sum, first, sum);
	else if (n_keys)
		strbuf_addstr(&out, ":sort=hitcount.descending");
	else
		strbuf_addf(&out, "%.*s.log2:sort=%.*s", first, sum, first, sum);
	if (b->sql->filter)
		strbuf_addf(&out, " if %s", b->sql->filter);
	return arena_take(b->arena, &out);
}

const char *cmd_both_filters(const char *a, const char *b, struct arena *arena)
{
	return a && b ? arena_printf(arena, "(%s) && (%s)", a, b) : a ? a : b;
}

/* The trigger of a statement without a JOIN: its filter, then that of -f. */
static const char *single_histogram(struct building *b, const struct sql_result *result)
{
	const char *text = result->writes[0].text, *own = result->filter;
	const char *filter = cmd_both_filters(own, b->sql->filter, b->arena);
	const char *value = strstr(text, ":vals=");
	const int n = (int)(own ? strlen(text) - strlen(own) - strlen(" if ") : strlen(text));
	struct strbuf out = STRBUF_INIT;

	if (!filter && own)
		return NULL;
	strbuf_addf(&out, "%.*s:sort=", n, text);
	if (value)
		strbuf_addf(&out, "%.*s", (int)strcspn(value + 6, ", "), value + 6);
	else
		strbuf_addstr(&out, "hitcount");
	strbuf_addstr(&out, ".descending");
	if (filter)
		strbuf_addf(&out, " if %s", filter);
	return arena_take(b->arena, &out);
}

const char *cmd_sql_keys(const struct cmd_sql_answer *answer, const char *by, struct arena *arena)
{
	struct span attributes = span_of(by), list = span_sep(&attributes, ":");
	struct strbuf out = STRBUF_INIT;

	for (size_t n = 0; list.s; n++) {
		struct span key = span_trim(span_sep(&list, ","));

		strbuf_addf(&out, "%s%.*s", n ? "," : "", (int)key.n, key.s);
		for (size_t i = 0; i < answer->n_fields; i++)
			if (span_eq(key, answer->fields[i].name))
				strbuf_addstr(&out, answer->fields[i].modifier);
	}
	if (attributes.s)
		strbuf_addf(&out, ":%.*s", (int)attributes.n, attributes.s);
	return arena_take(arena, &out);
}

/* --- the whole statement --- */

const char *cmd_sql_name(const char *text, size_t number, struct arena *arena, const char **query)
{
	size_t n = 0;

	while (is_alnum(text[n]) || text[n] == '_')
		n++;
	*query = text;
	if (n && text[n] == '=') {
		*query = text + n + 1;
		return arena_strndup(arena, text, n);
	}
	return number > 1 ? arena_printf(arena, "sql_%zu", number) : arena_strdup(arena, "sql");
}

static int put(struct building *b, const char *origin, const char *path, const char *text)
{
	if (!path || !text)
		return HIST_NOMEM;
	if (b->sql->explain)
		diags_add(b->sql->diags, DIAG_NOTE, "echo '%s' >> %s # question", text, path);
	return b->write(b->arg, origin, path, text);
}

static int build(struct building *b, struct cmd_sql_answer *answer)
{
	const struct cmd_sql *sql = b->sql;
	struct sql_request request = {
		.on = sql->on, .what = sql->what, .find = find_event, .find_arg = b
	};
	struct sql_result result = { .path = NULL };
	bool joins;
	int err;

	request.name = cmd_sql_name(sql->text, sql->number, b->arena, &request.query);
	if (!request.name)
		return HIST_NOMEM;
	err = sql_translate(&request, b->arena, &result, sql->diags);
	joins = result.fields != NULL;
	for (size_t i = 0; i < result.n && !err && joins; i++)
		err = put(b, "--sql", result.writes[i].path, result.writes[i].text);
	*answer = (struct cmd_sql_answer){ .path = result.path,
					   .filter = result.filter,
					   .fields = result.fields,
					   .n_fields = result.n_fields };
	if (!err && joins)
		err = sum_columns(b, &result, answer);
	if (err || sql->grouped || (sql->triggers && joins))
		return err;
	return put(b, "--sql", arena_printf(b->arena, "%s/trigger", result.path),
		   joins ? default_histogram(b, &result, answer->sum)
			 : single_histogram(b, &result));
}

int cmd_sql_build(const struct cmd_sql *sql, cmd_sql_write_fn write, void *arg,
		  struct cmd_sql_answer *answer)
{
	struct building b = { .sql = sql, .write = write, .arg = arg, .arena = sql->arena };

	return build(&b, answer);
}
