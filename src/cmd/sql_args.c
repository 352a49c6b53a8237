// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converts an SQL statement to a table, with sql/ and the recording's formats; one with a JOIN also
 * to the writes that make its event.
 */
#include "cmd/sql_args.h"
#include "sql/sql.h"

struct building {
	const struct cmd_sql *sql;
	cmd_sql_write_fn write;
	void *arg;
	struct arena *arena;
};

/* A sql_find_fn: the format of an event of the recording, or of an earlier statement. */
static int find_event(void *arg, const char *name, struct sql_event *ev, struct diags *diags)
{
	struct building *b = arg;
	scoped(strbuf_release) struct strbuf format = STRBUF_INIT;
	struct span system, event;
	scoped(free_scoped) char *path = NULL;
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
	return err && err != HIST_NOMEM ? -HIST_ENOENT : err;
}

enum { MAX_KEYS = 3, MAX_VALUES = 2 };

/* Differences are values, the other columns keys; without such columns, ranges of the first value.
 */
static int join_table(struct building *b, const struct sql_result *result, struct hist_table *table)
{
	scoped(strbuf_release) struct strbuf keys = STRBUF_INIT, values = STRBUF_INIT;
	size_t n_keys = 0, n = 0;

	array_each_of(const struct sql_field, f, result->fields, result->n_fields) {
		if (f->measured && n < MAX_VALUES)
			strbuf_addf(&values, "%s%s", n++ ? "," : "", f->name);
		else if (!f->measured && n_keys < MAX_KEYS)
			strbuf_addf(&keys, "%s%s%s", n_keys++ ? "," : "", f->name, f->modifier);
	}
	if (!n_keys && values.s)
		strbuf_addf(&keys, "%.*s.log2", (int)strcspn(values.s, ","), values.s);
	table->sums = n && n_keys ? arena_take(b->arena, &values) : NULL;
	table->keys = arena_take(b->arena, &keys);
	return !table->keys || (n && n_keys && !table->sums) ? HIST_NOMEM : 0;
}

const char *cmd_both_filters(const char *a, const char *b, struct arena *arena)
{
	return a && b ? arena_printf(arena, "(%s) && (%s)", a, b) : a ? a : b;
}

void cmd_split_event(const char *path, struct span *system, struct span *event)
{
	struct span rest = span_of(path);

	span_sep(&rest, "/");
	*system = span_sep(&rest, "/");
	*event = span_sep(&rest, "/");
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
		diags_add(b->sql->diags, DIAG_NOTE, "echo '%s' >> %s", text, path);
	return b->write(b->arg, origin, path, text);
}

static int build(struct building *b, struct cmd_sql_answer *answer)
{
	const struct cmd_sql *sql = b->sql;
	struct sql_request request = {
		.on = sql->on, .what = sql->what, .find = find_event, .find_arg = b
	};
	struct sql_result result = { .path = NULL };
	struct span system, event;
	int err;

	request.name = cmd_sql_name(sql->text, sql->number, b->arena, &request.query);
	if (!request.name)
		return HIST_NOMEM;
	err = sql_translate(&request, b->arena, &result, sql->diags);
	for (size_t i = 0; i < result.n && !err; i++)
		err = put(b, "--sql", result.writes[i].path, result.writes[i].text);
	if (err)
		return err;
	cmd_split_event(result.path, &system, &event);
	*answer = (struct cmd_sql_answer){
		.table = { .events = arena_printf(b->arena, "%.*s:%.*s", (int)system.n, system.s,
						  (int)event.n, event.s),
			   .keys = result.keys,
			   .sums = result.values,
			   .filter = result.filter,
			   .sql = true },
		.path = result.path,
		.fields = result.fields,
		.n_fields = result.n_fields,
	};
	if (result.fields)
		err = join_table(b, &result, &answer->table);
	else
		answer->table.sort = result.values ? arena_printf(b->arena, "%.*s.descending",
								  (int)strcspn(result.values, ","),
								  result.values)
						   : "hitcount.descending";
	return err
		       ?: answer->table.events && (result.fields || answer->table.sort)
			  ? 0
			  : HIST_NOMEM;
}

int cmd_sql_build(const struct cmd_sql *sql, cmd_sql_write_fn write, void *arg,
		  struct cmd_sql_answer *answer)
{
	struct building b = { .sql = sql, .write = write, .arg = arg, .arena = sql->arena };

	return build(&b, answer);
}
