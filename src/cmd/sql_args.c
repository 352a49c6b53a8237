// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converts an SQL statement to writes, with sql/ and the recording's formats, plus a histogram on
 * the synthetic event.
 *
 * Only the formats of events named in the statement are looked up.
 */
#include <stdlib.h>

#include "cmd/by_args.h"
#include "cmd/sql_args.h"
#include "hist-script.h"
#include "sql/sql.h"

/*
 * "end.next_pid.cgroup AS name" selects the pid: libtracefs knows fields only, and the text belongs
 * to the key of the histogram.
 */
struct task_column {
	struct span name;     /* of the field */
	struct span modifier; /* ".cgroup" */
	size_t index;         /* in the list of columns */
};

struct building {
	const struct cmd_sql *sql;
	cmd_sql_write_fn write;
	void *arg;
	struct arena arena;
	ARRAY(struct sql_event) events;
	ARRAY(struct task_column) tasks;
};

/* --- columns that are tasks --- */

static bool in_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.';
}

/* ".cgroup" at the end of a word; absent: the word is a field. */
static struct span task_modifier(struct span word)
{
	static const char *const modifiers[] = { ".task", ".process", ".cgroup", ".cmdline",
						 ".tgid" };
	const char *dot = span_rchr(word, '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(modifiers); i++)
		if (span_eq(span_between(dot, word.s + word.n), modifiers[i]))
			return span_between(dot, word.s + word.n);
	return (struct span){ NULL, 0 };
}

/* One column of the list; its text without the modifier is appended to @out. */
static int cut_column(struct building *b, struct span column, size_t index, struct strbuf *out)
{
	struct span rest = span_trim(column), word = { rest.s, 0 }, as;
	struct task_column task = { .index = index };
	const char *dot;

	while (word.n < rest.n && in_word(rest.s[word.n]))
		word.n++;
	task.modifier = task_modifier(word);
	if (!task.modifier.s) {
		strbuf_add(out, column.s, column.n);
		return 0;
	}
	rest = span_trim(span_skip(rest, word.n));
	word.n -= task.modifier.n;
	dot = span_rchr(word, '.');
	task.name = dot ? span_between(dot + 1, word.s + word.n) : word;
	as = span_sep(&rest, " \t\n");
	if (as.n == 2 && !strncasecmp(as.s, "AS", 2) && rest.s)
		task.name = span_trim(rest);
	strbuf_addf(out, " %.*s AS %.*s", (int)word.n, word.s, (int)task.name.n, task.name.s);
	return array_push(&b->tasks, task);
}

/* The statement without the modifiers in its list of columns; NULL if out of memory. */
static const char *cut_tasks(struct building *b, const char *query)
{
	const char *from = strcasestr(query, "from"), *list = query + strspn(query, " \t\n");
	struct strbuf out = STRBUF_INIT;
	struct span columns;
	int err = 0;

	if (strncasecmp(list, "select", 6) != 0 || !from)
		return query;
	columns = span_between(list + 6, from);
	strbuf_addstr(&out, "SELECT");
	for (size_t i = 0; columns.s && !err; i++) {
		struct span column = span_sep(&columns, ",");

		err = cut_column(b, column, i, &out);
		strbuf_addstr(&out, columns.s ? "," : " ");
	}
	strbuf_addstr(&out, from);
	if (!err && b->tasks.n)
		query = out.failed ? NULL : arena_strndup(&b->arena, out.s, out.len);
	strbuf_release(&out);
	return err ? NULL : query;
}

/* The names of a list of keys, with the modifiers of those that are tasks. */
static const char *add_modifiers(struct building *b, const char *keys, bool by_index)
{
	struct span rest = span_of(keys), attributes, list;
	struct strbuf out = STRBUF_INIT;
	const char *text;

	if (!b->tasks.n)
		return keys;
	attributes = rest;
	list = span_sep(&attributes, ":");
	for (size_t i = 0; list.s; i++) {
		struct span key = span_trim(span_sep(&list, ","));

		strbuf_addf(&out, "%s%.*s", i ? "," : "", (int)key.n, key.s);
		for (size_t k = 0; k < b->tasks.n; k++)
			if (by_index ? b->tasks.v[k].index == i
				     : span_same(key, b->tasks.v[k].name))
				strbuf_add(&out, b->tasks.v[k].modifier.s,
					   b->tasks.v[k].modifier.n);
	}
	if (attributes.s)
		strbuf_addf(&out, ":%.*s", (int)attributes.n, attributes.s);
	text = out.failed ? NULL : arena_strndup(&b->arena, out.s, out.len);
	strbuf_release(&out);
	return text;
}

/* --- the events --- */

/* "events/SYSTEM/NAME" */
static int add_event(struct building *b, const char *path)
{
	struct span system, name;
	struct sql_event ev = { .system = NULL };
	struct strbuf format = STRBUF_INIT;
	struct diags ignored = DIAGS_INIT;
	int err;

	cmd_split_event(path, &system, &name);
	for (size_t i = 0; i < b->events.n; i++)
		if (span_eq(system, b->events.v[i].system) && span_eq(name, b->events.v[i].name))
			return 0;
	ev.system = arena_strndup(&b->arena, system.s, system.n);
	ev.name = arena_strndup(&b->arena, name.s, name.n);
	if (!ev.system || !ev.name)
		return HIST_NOMEM;
	err = hist_script_format(b->sql->h, b->sql->script, path, strbuf_sink, &format, &ignored);
	if (!err) {
		ev.format =
			(struct span){ arena_strndup(&b->arena, format.s, format.len), format.len };
		err = ev.format.s ? array_push(&b->events, ev) : HIST_NOMEM;
	}
	strbuf_release(&format);
	diags_release(&ignored);
	return err == HIST_NOMEM ? err : 0;
}

/* The event that a word names, if any: "sched_switch", "sched.sched_switch.next_pid". */
static int try_word(struct building *b, struct span word)
{
	struct span rest = word, first = span_sep(&rest, "."), second = { NULL, 0 };
	struct diags ignored = DIAGS_INIT;
	char *path = NULL, *name;
	int err;

	if (rest.s)
		second = span_sep(&rest, ".");
	name = second.s ? arena_printf(&b->arena, "%.*s:%.*s", (int)first.n, first.s, (int)second.n,
				       second.s)
			: NULL;
	err = name ? hist_script_find_event(b->sql->h, b->sql->script, name, &path, &ignored)
		   : -HIST_ENOENT;
	if (err && err != HIST_NOMEM) {
		name = arena_strndup(&b->arena, first.s, first.n);
		err = name ? hist_script_find_event(b->sql->h, b->sql->script, name, &path,
						    &ignored)
			   : HIST_NOMEM;
	}
	err = err ?: add_event(b, path);
	free(path);
	diags_release(&ignored);
	return err == HIST_NOMEM ? err : 0;
}

/* False at the end. */
static bool next_word(const char **query, struct span *word)
{
	while (**query && !in_word(**query))
		++*query;
	*word = (struct span){ *query, 0 };
	while (in_word((*query)[word->n]))
		word->n++;
	*query += word->n;
	return word->n != 0;
}

/*
 * Of a rejected statement: report names after FROM and JOIN that are no events, and similar ones.
 */
static void note_unknown(struct building *b, const char *query, struct diags *diags)
{
	bool is_event = false;
	struct span word;

	while (next_word(&query, &word)) {
		char *path = NULL, *name = arena_strndup(&b->arena, word.s, word.n);
		char *dot = name ? strchr(name, '.') : NULL;

		if (dot)
			*dot = ':';
		if (name && is_event)
			hist_script_find_event(b->sql->h, b->sql->script, name, &path, diags);
		free(path);
		is_event = (word.n == 4 &&
			    (!strncasecmp(word.s, "FROM", 4) || !strncasecmp(word.s, "JOIN", 4)));
	}
}

/* --- the histogram on the result --- */

/*
 * Fields that are differences become values, the others keys. The variable of a field is
 * NAME_FIELD_NUMBER for the event events/synthetic/NAME.
 */
static bool is_measured(struct span field, const struct sql_result *result)
{
	struct strbuf prefix = STRBUF_INIT;
	const char *at = result->writes[2].text, *equals;
	bool difference = false;

	strbuf_addf(&prefix, "%s_%.*s_", strrchr(result->path, '/') + 1, (int)field.n, field.s);
	while (!prefix.failed && (at = strstr(at, prefix.s))) {
		at += prefix.len;
		equals = at + strspn(at, "0123456789");
		if (equals == at || *equals != '=')
			continue;
		difference = memchr(equals, '-', strcspn(equals, ",:")) != NULL;
		break;
	}
	strbuf_release(&prefix);
	return difference;
}

enum { MAX_KEYS = 3, MAX_VALUES = 2 };

struct choice {
	struct strbuf keys, values;
	size_t n_keys, n_values;
	struct span first_value;
};

/* "pid_t pid; char comm[16]; u64 lat" */
static void choose(struct choice *c, const struct sql_result *result)
{
	struct span rest = span_of(result->fields);

	while (rest.s) {
		struct span field = span_trim(span_sep(&rest, ";"));
		bool stack = span_starts(field, "unsigned long") && span_chr(field, '[');
		const char *blank = span_rchr(field, ' '), *bracket;
		struct span name = blank ? span_skip(field, (size_t)(blank - field.s) + 1) : field;

		bracket = span_chr(name, '[');
		if (bracket)
			name.n = (size_t)(bracket - name.s);
		if (!name.n)
			continue;
		if (!is_measured(name, result)) {
			if (c->n_keys < MAX_KEYS)
				strbuf_addf(&c->keys, "%s%.*s%s", c->n_keys++ ? "," : "",
					    (int)name.n, name.s, stack ? ".stacktrace" : "");
			continue;
		}
		if (!c->n_values)
			c->first_value = name;
		if (c->n_values < MAX_VALUES)
			strbuf_addf(&c->values, "%s%.*s", c->n_values++ ? "," : "", (int)name.n,
				    name.s);
	}
	if (!c->n_keys && c->first_value.s)
		strbuf_addf(&c->keys, "%.*s.log2", (int)c->first_value.n, c->first_value.s);
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

/* Hints for SQL that the dialect does not support. */
static void note_dialect(const char *query, struct diags *diags)
{
	static const char groups[] =
		"--sql does not support GROUP BY, ORDER BY, COUNT() and SUM(): --by KEYS after --sql "
		"groups and counts; for a single event, use -e EVENT --by KEYS --sum FIELDS";
	static const char logic[] = "--sql has && and || instead of AND and OR";
	static const struct {
		const char *words, *hint;
	} hints[] = {
		{ "group by", groups },
		{ "order by", groups },
		{ "count(", groups },
		{ "sum(", groups },
		{ "limit ", groups },
		{ "select *", "--sql does not support *: name the fields after SELECT" },
		{ " and ", logic },
		{ " or ", logic },
	};

	for (size_t i = 0; i < ARRAY_SIZE(hints); i++)
		if (strcasestr(query, hints[i].words)) {
			diags_add(diags, DIAG_NOTE, "%s", hints[i].hint);
			return;
		}
}

/* Rows are in the order of the first value, or of the only key if it is a range. */
static char *default_histogram(struct building *b, const struct sql_result *result, const char *by)
{
	struct choice c = { .keys = STRBUF_INIT, .values = STRBUF_INIT };
	struct span value;
	const char *keys;
	char *text = NULL;

	choose(&c, result);
	keys = add_modifiers(b, by ? by : c.keys.s ? c.keys.s : "", false);
	value = c.first_value;
	if (!keys || c.keys.failed || c.values.failed)
		text = NULL;
	else if (value.s && !names_field(span_of(keys), value))
		text = arena_printf(&b->arena, "hist:keys=%s:vals=%s:sort=%.*s.descending", keys,
				    c.values.s, (int)value.n, value.s);
	else if ((strstr(keys, ".log2") || strstr(keys, ".buckets")) && !strpbrk(keys, ",:"))
		text = arena_printf(&b->arena, "hist:keys=%s:sort=%.*s", keys,
				    (int)strcspn(keys, "."), keys);
	else
		text = arena_printf(&b->arena, "hist:keys=%s", keys);
	strbuf_release(&c.keys);
	strbuf_release(&c.values);
	return text;
}

/* --- the whole statement --- */

const char *cmd_sql_name(const char *text, size_t number, struct arena *arena, const char **query)
{
	size_t n = 0;

	while (in_word(text[n]) && text[n] != '.')
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
	struct sql_request request = { .on = b->sql->on, .what = b->sql->what };
	struct sql_result result = { .path = NULL };
	struct diags *diags = b->sql->diags;
	const char *rest;
	struct span word;
	int err = 0;

	request.name = cmd_sql_name(b->sql->text, b->sql->number, &b->arena, &request.query);
	if (request.name)
		request.query = cut_tasks(b, request.query);
	if (!request.name || !request.query)
		return HIST_NOMEM;
	for (rest = request.query; !err && next_word(&rest, &word);)
		err = try_word(b, word);
	request.events = b->events.v;
	request.n_events = b->events.n;
	if (!err) {
		err = sql_translate(&request, &b->arena, &result, diags);
		if (err == -HIST_EREJECTED && diags->list.n &&
		    strstr(diags->list.v[diags->list.n - 1].text, "event not found"))
			note_unknown(b, request.query, diags);
		if (err == -HIST_EREJECTED)
			note_dialect(request.query, diags);
	}
	if (!err && !result.fields && b->sql->n_by)
		err = diags_error(
			diags, -HIST_EREJECTED,
			"--by needs a statement with a JOIN; without one, the selected fields are the keys");
	for (size_t i = 0; i < result.n && !err; i++) {
		const char *text = result.writes[i].text;

		/* without a JOIN, the columns are the keys */
		if (!result.fields && !strncmp(text, "hist:keys=", 10)) {
			text = add_modifiers(b, text + 10, true);
			text = text ? arena_printf(&b->arena, "hist:keys=%s", text) : NULL;
		}
		err = put(b, "--sql", result.writes[i].path, text);
	}
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

	array_release(&b.events);
	array_release(&b.tasks);
	arena_release(&b.arena);
	return err;
}
