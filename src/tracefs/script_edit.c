// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The answer of a script with a filter, or with the keys of another trigger: finds the triggers
 * whose histograms the script shows in its commands, however they are spelled, and changes these.
 *
 * A trigger that others need, because it makes an event or has their variables, is not changed.
 */
#include <stdlib.h>
#include <string.h>

#include "hist-script.h"
#include "tracefs/tracefs.h"

size_t hist_script_size(const struct hist_script *script)
{
	return hist_script_commands(script)->cmds.n;
}

/* --- its triggers --- */

/* What comes before "/FILE" in the path of the command; absent: it is another file. */
static struct span dir_of(const struct script_cmd *cmd, const char *file)
{
	const char *slash = strrchr(cmd->path, '/');

	if (!slash || strcmp(slash + 1, file) != 0)
		return (struct span){ NULL, 0 };
	return span_between(cmd->path, slash);
}

/* The parts of a hist trigger that is written; false: the command is something else. */
static bool cut_hist(const struct script_cmd *cmd, struct hist_text *ht)
{
	struct trigger_text line;

	if (cmd->verb != SCRIPT_ECHO || !dir_of(cmd, "trigger").s)
		return false;
	trigger_text_cut((struct span){ cmd->text, cmd->len }, &line);
	if (!span_eq(line.name, "hist") || !line.param.s)
		return false;
	hist_text_cut(line.param, ht);
	return !ht->bad.set;
}

/* Whether "$NAME" is in the trigger, and NAME is not its own. */
static bool needs_variable(const struct hist_text *ht, struct span name)
{
	struct span rest = ht->trigger;
	struct var_texts own;
	const char *at;

	var_texts_cut(ht, &own);
	for (size_t i = 0; i < own.n; i++)
		if (span_same(own.v[i].name, name))
			return false;
	while ((at = span_chr(rest, '$'))) {
		rest = span_between(at + 1, rest.s + rest.n);
		if (rest.n >= name.n && !memcmp(rest.s, name.s, name.n) &&
		    (rest.n == name.n || !is_ident(rest.s[name.n])))
			return true;
	}
	return false;
}

static bool makes_event(const struct hist_text *ht)
{
	for (size_t i = 0; i < ht->n_actions; i++) {
		struct span action = ht->actions[i];

		if (span_starts(action, "onmatch(") || (!span_find(action, span_of(").save(")) &&
							!span_find(action, span_of(").snapshot("))))
			return true;
	}
	return false;
}

/* Whether the script needs the trigger for other ones. */
static bool is_helper(const struct script *s, size_t first, const struct hist_text *ht)
{
	struct var_texts vars;

	var_texts_cut(ht, &vars);
	for (size_t c = first; c < s->cmds.n && vars.n; c++) {
		struct hist_text other;

		if (!cut_hist(&s->cmds.v[c], &other))
			continue;
		for (size_t i = 0; i < vars.n; i++)
			if (needs_variable(&other, vars.v[i].name))
				return true;
	}
	return makes_event(ht);
}

/* --- its tables --- */

static struct hist_script_table *find_table(const struct hist_script_edit *e, struct span dir)
{
	for (size_t i = 0; i < e->n_tables; i++)
		if (span_eq(dir, e->tables[i].path))
			return &e->tables[i];
	return NULL;
}

static int add_table(struct hist_script_edit *e, struct script *s, struct span dir)
{
	struct hist_script_table *tables;

	if (find_table(e, dir))
		return 0;
	tables = realloc(e->tables, (e->n_tables + 1) * sizeof(*tables));
	if (!tables)
		return HIST_NOMEM;
	e->tables = tables;
	tables[e->n_tables] =
		(struct hist_script_table){ .path = arena_strndup(&s->arena, dir.s, dir.n) };
	return tables[e->n_tables++].path ? 0 : HIST_NOMEM;
}

/* The condition of a trigger, without its "if"; absent: it has none. */
static struct span condition_of(const struct hist_text *ht)
{
	return ht->filter.s ? span_trim(span_skip(ht->filter, 2)) : ht->filter;
}

/* What --by cannot do for a histogram, as its trigger is written; NULL: nothing. */
static const char *hindrance(const struct script_cmd *cmd, const struct hist_script_table *table,
			     const struct hist_text *ht)
{
	struct span filter = condition_of(ht);

	if (ht->pause || ht->cont || ht->clear)
		return "that the script pauses, continues or clears";
	/* the first table of a question is what it is about */
	if (!cmd->question && table->counted &&
	    (filter.s ? !table->filter || !span_eq(filter, table->filter) : table->filter != NULL))
		return "beside another one of the event with a different filter";
	return NULL;
}

/* Note what a trigger counts for a table. */
static int use_trigger(struct hist_script_edit *e, struct script *s, const struct script_cmd *cmd,
		       struct diags *diags)
{
	struct span dir = dir_of(cmd, "trigger");
	struct hist_script_table *table = find_table(e, dir);
	const char *option = e->filter ? "-f" : "--by", *why = NULL;
	struct hist_text ht;
	struct span filter;

	if (!table || !cut_hist(cmd, &ht))
		return 0;
	filter = condition_of(&ht);
	if (is_helper(s, e->first, &ht) && cmd->question)
		return 0; /* not shown */
	if (is_helper(s, e->first, &ht))
		why = "that other triggers of the script need";
	else if (ht.name.s)
		why = "that several events share";
	else if (!e->filter)
		why = span_starts(dir, "instances/") ? "of an instance"
						     : hindrance(cmd, table, &ht);
	if (why)
		return diags_error(diags, -HIST_EREJECTED,
				   "%s:%u: %s cannot be applied to a histogram %s", cmd->file,
				   cmd->line, option, why);
	if (filter.s && !table->filter)
		table->filter = arena_strndup(&s->arena, filter.s, filter.n);
	if (ht.vals.s && !table->values)
		table->values = arena_strndup(&s->arena, ht.vals.s, ht.vals.n);
	table->counted = true;
	return (filter.s && !table->filter) || (ht.vals.s && !table->values) ? HIST_NOMEM : 0;
}

int hist_script_tables(struct hist_script *script, struct hist_script_edit *e, struct diags *diags)
{
	struct script *s = hist_script_change(script);
	const bool shows = hist_script_shows(script);
	const char *file = e->first < s->cmds.n ? s->cmds.v[e->first].file : "the script";
	int err = 0;

	for (size_t i = e->first; i < s->cmds.n && !err; i++) {
		const struct script_cmd *cmd = &s->cmds.v[i];
		struct span dir = dir_of(cmd, shows ? "hist" : "trigger");
		struct hist_text ht;

		if (shows ? cmd->verb == SCRIPT_CAT && dir.s
			  : cut_hist(cmd, &ht) && !is_helper(s, e->first, &ht))
			err = add_table(e, s, dir);
	}
	for (size_t i = e->first; i < s->cmds.n && !err; i++)
		err = use_trigger(e, s, &s->cmds.v[i], diags);
	if (!err && !e->n_tables)
		err = diags_error(diags, -HIST_EREJECTED,
				  "%s prints no histogram of an event that %s", file,
				  e->filter ? "-f could filter" : "--by could group");
	for (size_t i = 0; i < e->n_tables && !err && e->filter; i++)
		if (!e->tables[i].counted)
			err = diags_error(
				diags, -HIST_EREJECTED,
				"%s has no trigger for the histogram of %s that -f could filter",
				file, e->tables[i].path);
	return err;
}

/* --- the edited commands --- */

/* The trigger at @i with one more condition, as a write of its own. */
static int add_condition(struct script *s, size_t i, const struct hist_text *ht, const char *filter)
{
	const struct script_cmd *cmd = &s->cmds.v[i];
	const struct span own = condition_of(ht);
	const int n = (int)(ht->trigger.s + ht->trigger.n - cmd->text);
	const unsigned int line = cmd->line;
	struct strbuf text = STRBUF_INIT;
	int err;

	strbuf_addf(&text, "%.*s if ", n, cmd->text);
	if (own.s)
		strbuf_addf(&text, "(%.*s) && ", (int)own.n, own.s);
	strbuf_addf(&text, "(%s)\n", filter);
	err = text.failed ? HIST_NOMEM : script_write(s, cmd->file, cmd->path, text.s, cmd->append);
	strbuf_release(&text);
	if (err)
		return err;
	s->cmds.v[i] = s->cmds.v[--s->cmds.n];
	s->cmds.v[i].line = line;
	s->cmds.v[i].question = true;
	return 0;
}

/* What becomes of the command at @i. @keep: false: nothing */
static int edit_command(const struct hist_script_edit *e, struct script *s, size_t i, bool *keep)
{
	const struct script_cmd *cmd = &s->cmds.v[i];
	const bool cat = cmd->verb == SCRIPT_CAT;
	const struct hist_script_table *table =
		find_table(e, dir_of(cmd, cat ? "hist" : "trigger"));
	struct hist_text ht;

	*keep = true;
	if (!table || (!cat && (!cut_hist(cmd, &ht) || is_helper(s, e->first, &ht))))
		return 0;
	if (e->filter && !table->left_out)
		return cat ? 0 : add_condition(s, i, &ht, e->filter);
	*keep = false;
	return 0;
}

int hist_script_edit(struct hist_script *script, const struct hist_script_edit *e)
{
	struct script *s = hist_script_change(script);
	bool *keep = calloc(s->cmds.n + 1, sizeof(*keep));
	size_t n = e->first;
	int err = keep ? 0 : HIST_NOMEM;

	/* all commands tell which triggers are needed */
	for (size_t i = n; i < s->cmds.n && !err; i++)
		err = edit_command(e, s, i, &keep[i]);
	for (size_t i = n; i < s->cmds.n && !err; i++) {
		if (!keep[i] && s->cmds.v[i].verb == SCRIPT_ECHO && !s->cmds.v[i].append)
			s->cmds.v[i].len = 0; /* > removes triggers before it writes */
		else if (!keep[i])
			continue;
		s->cmds.v[n++] = s->cmds.v[i];
	}
	s->cmds.n = err ? s->cmds.n : n;
	free(keep);
	return err;
}
