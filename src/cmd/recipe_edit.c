// SPDX-License-Identifier: GPL-2.0-only
/* Edits the script of a recipe for -f and --by. */
#include "cmd/recipe_edit.h"
#include "cmd/cmd.h"

/* --- tables --- */

static struct recipe_table *find_table(const struct recipe_edit *e, struct span dir)
{
	for (size_t i = 0; i < e->tables.n; i++)
		if (span_eq(dir, e->tables.v[i].answer.path))
			return &e->tables.v[i];
	return NULL;
}

/* "events/SYSTEM/EVENT" of the next "events/SYSTEM/EVENT/hist" in a line "cat FILE..."; or absent.
 */
static struct span next_shown(struct span *files)
{
	while (files->s) {
		struct span file = span_sep(files, " ");

		if (span_starts(file, "events/") && file.n > 12 &&
		    !memcmp(file.s + file.n - 5, "/hist", 5))
			return (struct span){ file.s, file.n - 5 };
	}
	return (struct span){ NULL, 0 };
}

static int add_table(struct recipe_edit *e, struct span dir)
{
	struct recipe_table table = { .answer.path = arena_strndup(e->arena, dir.s, dir.n) };

	table.file = arena_printf(e->arena, "' >> %.*s/trigger", (int)dir.n, dir.s);
	if (!table.answer.path || !table.file)
		return HIST_NOMEM;
	return array_push(&e->tables, table) ? HIST_NOMEM : 0;
}

/* --- lines --- */

/* A line of a script, if it is a trigger that counts for a table. */
struct counting_line {
	struct recipe_table *table; /* NULL: it is something else */
	const char *cond;           /* " if FILTER"; NULL: it has none */
	const char *to;             /* "' >> FILE" */
};

/* Whether a line uses the variable "$NAME", and it is not its own. */
static bool needs_variable(struct span line, struct span name)
{
	struct span rest = line;
	const char *at;

	while ((at = rest.s ? memchr(rest.s, '$', rest.n) : NULL)) {
		rest = span_between(at + 1, rest.s + rest.n);
		if (rest.n > name.n && !memcmp(rest.s, name.s, name.n) && !is_ident(rest.s[name.n]))
			break;
	}
	while (at && line.s) {
		struct span value = span_sep(&line, ":,");

		if (span_same(span_sep(&value, "="), name) && value.s)
			return false;
	}
	return at;
}

/* Whether another line needs the trigger: it makes an event, or has a variable that is used there.
 */
static bool is_helper(const struct recipe_edit *e, struct span line)
{
	struct span rest = line;

	if (span_find(line, span_of("onmatch(")) || span_find(line, span_of(".trace(")))
		return true;
	while (rest.s) {
		struct span value = span_sep(&rest, ":,"), name = span_sep(&value, "=");
		struct span lines = e->text;

		while (value.s && lines.s)
			if (needs_variable(span_sep(&lines, "\n"), name))
				return true;
	}
	return false;
}

static struct counting_line find_counting(const struct recipe_edit *e, struct span line)
{
	struct counting_line c = { .table = NULL };

	if (!span_starts(line, "echo 'hist:") || is_helper(e, line))
		return c;
	for (size_t i = 0; i < e->tables.n && !c.to; i++) {
		c.table = &e->tables.v[i];
		c.to = span_find(line, span_of(c.table->file));
	}
	if (c.to)
		c.cond = span_find(span_between(line.s, c.to), span_of(" if "));
	else
		c.table = NULL;
	return c;
}

/* The text in quotes for a shell. */
static void add_quoted(struct strbuf *out, const char *text)
{
	for (; *text; text++)
		strbuf_addf(out, *text == '\'' ? "'\\''" : "%c", *text);
}

/* The value of the parameter ":NAME="; NULL: there is none. */
static const char *parameter_of(struct arena *arena, struct span line, const char *name)
{
	const char *at = span_find(line, span_of(name));
	struct span rest = at ? span_between(at + strlen(name), line.s + line.n) : line, value;

	value = span_sep(&rest, ": '");
	return at ? arena_strndup(arena, value.s, value.n) : NULL;
}

static void find_answer(struct recipe_edit *e, struct span line)
{
	struct counting_line c = find_counting(e, line);
	struct cmd_sql_answer *answer = c.table ? &c.table->answer : NULL;

	if (!answer)
		return;
	answer->sum = answer->sum ?: parameter_of(e->arena, line, ":vals=");
	if (c.cond && !answer->filter)
		answer->filter = arena_strndup(e->arena, c.cond + 4, (size_t)(c.to - c.cond - 4));
}

int recipe_edit_tables(struct recipe_edit *e)
{
	struct span rest = e->text;
	int err = 0;

	while (rest.s && !err) {
		struct span line = span_trim(span_sep(&rest, "\n")), dir;

		if (!span_starts(line, "cat "))
			continue;
		span_sep(&line, " ");
		while (!err && (dir = next_shown(&line)).s)
			err = find_table(e, dir) ? 0 : add_table(e, dir);
	}
	for (rest = e->text; rest.s && !err;)
		find_answer(e, span_sep(&rest, "\n"));
	if (!err && !e->tables.n)
		err = diags_error(e->diags, -HIST_EREJECTED,
				  "%s prints no histogram of an event that %s could %s", e->name,
				  e->filter ? "-f" : "--by", e->filter ? "filter" : "group");
	return err;
}

/* --- the text --- */

static bool is_left_out(const struct recipe_edit *e, const struct recipe_table *table)
{
	return e->only ? table != e->only : table->left_out;
}

/* "cat FILE...", of the tables that are printed; with --by none. */
static void add_shown(const struct recipe_edit *e, struct span line, struct strbuf *out)
{
	const char *word = "cat ";
	struct span files = line, dir;

	span_sep(&files, " ");
	if (!next_shown(&(struct span){ files.s, files.n }).s) {
		strbuf_addf(out, "%.*s\n", (int)line.n, line.s);
		return;
	}
	while (e->filter && (dir = next_shown(&files)).s) {
		const struct recipe_table *table = find_table(e, dir);

		if (table && is_left_out(e, table))
			continue;
		strbuf_addf(out, "%s%.*s/hist", word, (int)dir.n, dir.s);
		word = " ";
	}
	if (*word == ' ')
		strbuf_addch(out, '\n');
}

static void add_filtered(const struct recipe_edit *e, struct span line,
			 const struct counting_line *c, struct strbuf *out)
{
	strbuf_addf(out, "%.*s if ", (int)((c->cond ? c->cond : c->to) - line.s), line.s);
	if (c->cond)
		strbuf_addf(out, "(%.*s) && ", (int)(c->to - c->cond - 4), c->cond + 4);
	strbuf_addch(out, '(');
	add_quoted(out, e->filter);
	strbuf_addf(out, ")%s # question\n", c->table->file);
}

void recipe_edit_text(const struct recipe_edit *e, struct strbuf *out)
{
	struct span rest = e->text;

	while (rest.s && !out->failed) {
		struct span line = span_sep(&rest, "\n");
		struct counting_line c = find_counting(e, line);

		if (span_starts(line, "cat "))
			add_shown(e, line, out);
		else if (!c.table)
			strbuf_addf(out, "%.*s\n", (int)line.n, line.s);
		else if (e->filter && !is_left_out(e, c.table))
			add_filtered(e, line, &c, out);
	}
}

/* --- which tables --- */

/* Whether the script is accepted, with the trigger @by for an event. */
static int check(struct recipe_edit *e, const char *path, const char *by)
{
	const struct hist_run_options options = { .check_only = true };
	struct hist_script *script = hist_script_new();
	struct strbuf text = STRBUF_INIT, file = STRBUF_INIT, line = STRBUF_INIT;
	struct diags ignored = DIAGS_INIT;
	int err = script ? 0 : HIST_NOMEM;

	recipe_edit_text(e, &text);
	strbuf_addf(&file, "%s/trigger", path);
	strbuf_addf(&line, "%s\n", by ?: "");
	if (text.failed || file.failed || line.failed)
		err = HIST_NOMEM;
	err = err ?: hist_script_parse(script, e->name, text.s, text.len, &ignored);
	if (by)
		err = err ?: hist_script_write(script, "--by", file.s, line.s, HIST_QUESTION);
	err = err ?: hist_run(e->h, script, &options, strbuf_sink, NULL, &ignored);
	hist_script_free(script);
	strbuf_release(&text);
	strbuf_release(&file);
	strbuf_release(&line);
	diags_release(&ignored);
	return err;
}

int recipe_table_check(struct recipe_edit *e, struct recipe_table *table, const char *by)
{
	int err;

	e->only = table;
	err = check(e, table->answer.path, by);
	e->only = NULL;
	table->left_out = err && err != HIST_NOMEM;
	return err == HIST_NOMEM ? err : 0;
}
