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
	struct arena arena;
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
		ev->system = arena_strndup(&b->arena, system.s, system.n);
		ev->name = arena_strndup(&b->arena, event.s, event.n);
		ev->format = (struct span){ NULL, format.len };
		ev->format.s = arena_take(&b->arena, &format);
		err = ev->system && ev->name && ev->format.s ? 0 : HIST_NOMEM;
	}
	free(path);
	strbuf_release(&format);
	return err && err != HIST_NOMEM ? -HIST_ENOENT : err;
}

/* --- the histogram on the result --- */

enum { MAX_KEYS = 3, MAX_VALUES = 2 };

struct choice {
	struct strbuf keys, values;
	size_t n_keys, n_values;
	const char *first_value;
};

/* Differences become values, the other columns keys. */
static void choose(struct choice *c, const struct sql_result *result)
{
	for (size_t i = 0; i < result->n_fields; i++) {
		const struct sql_field *f = &result->fields[i];

		if (!f->measured && c->n_keys < MAX_KEYS)
			strbuf_addf(&c->keys, "%s%s%s", c->n_keys++ ? "," : "", f->name,
				    f->modifier);
		if (f->measured && c->n_values < MAX_VALUES)
			strbuf_addf(&c->values, "%s%s", c->n_values++ ? "," : "", f->name);
		if (f->measured && !c->first_value)
			c->first_value = f->name;
	}
	if (!c->n_keys && c->first_value)
		strbuf_addf(&c->keys, "%s.log2", c->first_value);
}

/* The keys of --by, those that are tasks with their modifiers. */
static const char *by_keys(struct building *b, const struct sql_result *result, const char *by)
{
	struct span attributes = span_of(by), list = span_sep(&attributes, ":");
	struct strbuf out = STRBUF_INIT;

	for (size_t n = 0; list.s; n++) {
		struct span key = span_trim(span_sep(&list, ","));

		strbuf_addf(&out, "%s%.*s", n ? "," : "", (int)key.n, key.s);
		for (size_t i = 0; i < result->n_fields; i++)
			if (span_eq(key, result->fields[i].name))
				strbuf_addstr(&out, result->fields[i].modifier);
	}
	if (attributes.s)
		strbuf_addf(&out, ":%.*s", (int)attributes.n, attributes.s);
	return arena_take(&b->arena, &out);
}

static bool names_field(struct span list, struct span field)
{
	while (list.s) {
		struct span item = span_sep(&list, ",");

		if (span_same(span_sep(&item, "."), field))
			return true;
	}
	return false;
}

/* Rows are in the order of the first value, or of the only key if it is a range. */
static char *default_histogram(struct building *b, const struct sql_result *result, const char *by)
{
	struct choice c = { .keys = STRBUF_INIT, .values = STRBUF_INIT };
	const char *keys, *value;
	char *text = NULL;

	choose(&c, result);
	keys = by ? by_keys(b, result, by) : c.keys.s ? c.keys.s : "";
	value = c.first_value;
	if (!keys || c.keys.failed || c.values.failed)
		text = NULL;
	else if (value && !names_field(span_of(keys), span_of(value)))
		text = arena_printf(&b->arena, "hist:keys=%s:vals=%s:sort=%s.descending", keys,
				    c.values.s, value);
	else if ((strstr(keys, ".log2") || strstr(keys, ".buckets")) && !strpbrk(keys, ",:"))
		text = arena_printf(&b->arena, "hist:keys=%s:sort=%.*s", keys,
				    (int)strcspn(keys, "."), keys);
	else
		text = arena_printf(&b->arena, "hist:keys=%s", keys);
	strbuf_release(&c.keys);
	strbuf_release(&c.values);
	if (text && b->sql->filter)
		text = arena_printf(&b->arena, "%s if %s", text, b->sql->filter);
	return text;
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

static int put_histograms(struct building *b, const struct sql_result *result)
{
	const char *trigger = arena_printf(&b->arena, "%s/trigger", result->path);
	int err = 0;

	for (size_t i = 0; i < b->sql->n_by && !err; i++)
		err = put(b, "--by", trigger, default_histogram(b, result, b->sql->by[i]));
	if (!err && !b->sql->n_by && !b->sql->triggers)
		err = put(b, "--sql", trigger, default_histogram(b, result, NULL));
	return err;
}

static int build(struct building *b, char **path)
{
	struct sql_request request = {
		.on = b->sql->on, .what = b->sql->what, .find = find_event, .find_arg = b
	};
	struct sql_result result = { .path = NULL };
	int err;

	request.name = cmd_sql_name(b->sql->text, b->sql->number, &b->arena, &request.query);
	if (!request.name)
		return HIST_NOMEM;
	err = sql_translate(&request, &b->arena, &result, b->sql->diags);
	if (!err && !result.fields && b->sql->n_by)
		err = diags_error(
			b->sql->diags, -HIST_EREJECTED,
			"--by needs a statement with a JOIN; without one, the selected fields are the keys");
	for (size_t i = 0; i < result.n && !err; i++)
		err = put(b, "--sql", result.writes[i].path, result.writes[i].text);
	if (!err && result.fields)
		err = put_histograms(b, &result);
	if (!err)
		*path = strdup(result.path);
	return err ? err : *path ? 0 : HIST_NOMEM;
}

int cmd_sql_build(const struct cmd_sql *sql, cmd_sql_write_fn write, void *arg, char **path)
{
	struct building b = { .sql = sql, .write = write, .arg = arg, .arena = ARENA_INIT };
	int err = build(&b, path);

	arena_release(&b.arena);
	return err;
}
