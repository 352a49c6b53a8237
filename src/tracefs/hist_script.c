// SPDX-License-Identifier: LGPL-2.1-only
/* A script as an object of libhist: commands from text and from options, and questions in it. */
#include <sys/random.h>

#include "hist-ask.h"
#include "hist-save.h"
#include "tracefs/script_run.h"

const char *hist_script_title(const struct hist_script *script)
{
	const struct script *s = &script->script;
	bool asks = s->title;

	array_each(const struct script_cmd, cmd, &s->cmds) {
		const char *slash = strrchr(cmd->path, '/');

		asks |= cmd->verb == SCRIPT_TABLE ||
			(cmd->question && slash && !strcmp(slash, "/trigger"));
	}
	return s->title ?: asks ? "" : NULL;
}

/* Of options, in messages. */
const char *const script_option_names[] = { "-e", "--by", "--sum", "--by", "--by", "--by", "-f" };
static const char *const sql_names[] = { "--sql", "--sql", "--sql", "--sql",
					 "--sql", "--sql", "--sql" };

static struct span part_of(const char *text)
{
	return text ? span_of(text) : (struct span){ NULL, 0 };
}

static int add_table(struct hist_script *script, enum script_verb verb,
		     const struct hist_table *table)
{
	struct table_text text = { .parts = { [TABLE_EVENTS] = part_of(table->events),
					      [TABLE_KEYS] = part_of(table->keys),
					      [TABLE_SUMS] = part_of(table->sums),
					      [TABLE_WORST] = part_of(table->worst),
					      [TABLE_SAVE] = part_of(table->save),
					      [TABLE_SORT] = part_of(table->sort),
					      [TABLE_FILTER] = part_of(table->filter) } };
	const bool end = verb == SCRIPT_CHANGE && !table->keys && !table->filter;

	return script_table(&script->script, verb, end ? NULL : &text,
			    table->sql ? sql_names : script_option_names);
}

int hist_script_ask(struct hist_script *script, const struct hist_table *table)
{
	return add_table(script, SCRIPT_TABLE, table);
}

int hist_script_regroup(struct hist_script *script, const struct hist_table *table)
{
	return add_table(script, SCRIPT_CHANGE, table);
}

struct hist_script *hist_script_new(void)
{
	struct hist_script *script = calloc(1, sizeof(*script));

	if (script && getrandom(&script->id, sizeof(script->id), 0) != sizeof(script->id))
		script->id = 0;
	return script;
}

void hist_script_free(struct hist_script *script)
{
	if (!script)
		return;
	script_release(&script->script);
	free(script);
}

int hist_script_parse(struct hist_script *script, const char *name, const char *text, size_t len,
		      struct diags *diags)
{
	return script_parse(&script->script, name, text, len, diags);
}

int hist_script_write(struct hist_script *script, const char *origin, const char *path,
		      const char *text, enum hist_write_mode mode)
{
	return script_write(&script->script, origin, path, text, mode == HIST_APPEND);
}

int hist_script_ask_write(struct hist_script *script, const char *origin, const char *path,
			  const char *text, enum hist_write_mode mode)
{
	int err = hist_script_write(script, origin, path, text, mode);

	if (!err)
		script->script.cmds.v[script->script.cmds.n - 1].question = true;
	return err;
}

bool hist_script_get(const struct hist_script *script, size_t i, const char **path,
		     const char **text)
{
	array_each(const struct script_cmd, cmd, &script->script.cmds) {
		if (cmd->verb != SCRIPT_ECHO || i--)
			continue;
		*path = cmd->path;
		*text = cmd->text;
		return true;
	}
	return false;
}

bool hist_script_shows(const struct hist_script *script)
{
	return any_of(i, script->script.cmds.n, script->script.cmds.v[i].verb == SCRIPT_CAT);
}

void output_command(const struct script_cmd *cmd, struct strbuf *out)
{
	bool newline = cmd->len && cmd->text[cmd->len - 1] == '\n';

	if (cmd->verb == SCRIPT_NAMES) {
		strbuf_addf(out, "# Names: %s", cmd->text);
		return;
	}
	if (cmd->verb == SCRIPT_TABLE || (cmd->table && cmd->table->parts[TABLE_KEYS].s)) {
		table_text_add(cmd->table, cmd->verb == SCRIPT_TABLE ? "table" : "group", out);
		return;
	}
	if (cmd->verb == SCRIPT_CHANGE) {
		struct span filter = { NULL, 0 };

		filter = cmd->table ? cmd->table->parts[TABLE_FILTER] : filter;
		strbuf_addf(out, "filter %.*s", (int)filter.n, filter.s ?: "");
		return;
	}
	if (cmd->verb == SCRIPT_CAT) {
		strbuf_addf(out, "cat %s", cmd->path);
		return;
	}
	strbuf_addf(out, "%s %s", cmd->question ? "ask" : "echo", newline ? "" : "-n ");
	strbuf_addquoted(out, cmd->text, cmd->len - newline);
	strbuf_addf(out, " %s %s", cmd->append ? ">>" : ">", cmd->path);
}

char *hist_script_text(const struct hist_script *script)
{
	const char *title = script->script.title;
	struct strbuf sb = STRBUF_INIT;

	/* with a title, all that is written is a question */
	for (size_t i = 0; i < script->script.cmds.n && title; i++)
		if (script->script.cmds.v[i].verb == SCRIPT_ECHO &&
		    !script->script.cmds.v[i].question)
			title = NULL;
	if (title && *title)
		strbuf_addf(&sb, "title %s\n", title);
	for (size_t i = 0; i < script->script.cmds.n; i++) {
		output_command(&script->script.cmds.v[i], &sb);
		strbuf_addch(&sb, '\n');
	}
	return strbuf_detach(&sb);
}

const struct script *hist_script_commands(const struct hist_script *script)
{
	return &script->script;
}

u64 hist_script_id(const struct hist_script *script)
{
	return script->id;
}

int hist_ask(struct hist *h, const struct hist_question *question,
	     const struct hist_run_options *options, hist_sink_fn sink, void *arg,
	     struct diags *diags)
{
	struct hist_script *script = hist_script_new();
	int err = script ? 0 : HIST_NOMEM;

	if (!err && question->title)
		script->script.title = arena_strdup(&script->script.arena, question->title);
	for (size_t i = 0; i < question->n_tables && !err; i++)
		err = hist_script_ask(script, &question->tables[i]);
	err = err ?: hist_run(h, script, options, sink, arg, diags);
	hist_script_free(script);
	return err;
}
