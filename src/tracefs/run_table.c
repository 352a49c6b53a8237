// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Tables of questions in a script, and changes of what it shows: a filter more, or other keys.
 *
 * A change concerns the histograms that are there when they are shown, however they were written.
 * One that others need, because it makes an event or has their variables, is not changed.
 */
#include "ask/ask.h"
#include "hist-ask.h"
#include "tracefs/script_run.h"

/* --- tables --- */

static bool is_trigger_write(const struct script_cmd *cmd)
{
	const char *slash = cmd->verb == SCRIPT_ECHO ? strrchr(cmd->path, '/') : NULL;

	return slash && !strcmp(slash, "/trigger");
}

/* Names belong to keys, whichever histogram they are in: all are of the events of this table. */
static bool is_only_table(const struct script_run *run, const struct script_cmd *table)
{
	array_each(const struct script_cmd, cmd, &run->script->cmds) {
		if (is_trigger_write(cmd) ||
		    (cmd->verb == SCRIPT_TABLE && !span_same(cmd->table->parts[TABLE_EVENTS],
							     table->table->parts[TABLE_EVENTS])))
			return false;
	}
	return true;
}

/* The name of the histogram that the events of a table share; NULL: each has its own. */
static const char *shared_name(const struct script_run *run, const struct script_cmd *cmd,
			       char *buf, size_t size)
{
	size_t n = 1;

	if (!key_list_has_event(cmd->table->parts[TABLE_KEYS]))
		return NULL;
	for (const struct script_cmd *c = run->script->cmds.v; c < cmd; c++)
		n += c->verb == SCRIPT_TABLE && key_list_has_event(c->table->parts[TABLE_KEYS]);
	snprintf(buf, size, n > 1 ? "events_%zu" : "events", n);
	return buf;
}

/* What is known of a table from those before it in the script. @name: room for the shared name */
static struct ask_table table_of(const struct script_run *run, const struct script_cmd *cmd,
				 char *name, size_t size)
{
	struct ask_table table = { .text = cmd->table, .source = cmd->source };

	table.shared = shared_name(run, cmd, name, size);
	for (const struct script_cmd *c = run->script->cmds.v; c < cmd; c++)
		table.n_worst +=
			c->verb == SCRIPT_TABLE && c->table->parts[TABLE_WORST].s &&
			span_same(c->table->parts[TABLE_EVENTS], cmd->table->parts[TABLE_EVENTS]);
	return table;
}

static int bind_table(struct script_run *run, const struct script_cmd *cmd,
		      const struct ask_table *table, struct event_file *file)
{
	const size_t from = run->diags->list.n;
	struct ask_trigger made;
	int err = ask_trigger_make(table, file, &made, run->diags);

	err = err
		      ?: event_table_bind(file, strbuf_span(&made.text), &made.cut,
					  !cmd->source_names, run->diags);
	script_locate_diags(cmd, made.offsets.v, made.text.len, run->diags, from);
	if (!err && run->h->explain)
		diags_add(run->diags, DIAG_NOTE, "echo '%s' >> events/%s/%s/trigger", made.text.s,
			  file->system, file->name);
	ask_trigger_release(&made);
	err = err ?: tracing_limit_to_tasks(run->t);
	run->h->changed |= !err && run->h->replayed && run->t == run->h->tracing;
	return tracing_failed(run->t) ? HIST_NOMEM : err;
}

/* Names for the numbers of keys: of events, or those that the only event prints. */
static int name_numbers(struct script_run *run, const struct script_cmd *cmd,
			struct event_file *const *files, size_t n)
{
	struct output *o = &directory_of(run->h)->output;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct span rest;
	int err = 0;

	if (key_list_has_event(cmd->table->parts[TABLE_KEYS])) {
		strbuf_addstr(&text, "common_type");
		for (size_t i = 0; i < n; i++)
			strbuf_addf(&text, " %u=%s:%s", files[i]->format->id, files[i]->system,
				    files[i]->name);
	} else if (n == 1 && is_only_table(run, cmd)) {
		ask_names(cmd->table->parts[TABLE_KEYS], files[0], &text);
	}
	for (rest = strbuf_span(&text); rest.n && !err;) {
		struct span line = span_sep(&rest, "\n");
		const char *names = arena_strndup(&o->arena, line.s, line.n);

		err = names ? output_add_names(o, run->h->recordings.db, names) : HIST_NOMEM;
	}
	return text.failed ? HIST_NOMEM : err;
}

static int table_files(struct script_run *run, const struct script_cmd *cmd,
		       event_file_array *files)
{
	const struct span events = cmd->table->parts[TABLE_EVENTS];
	char *text = strndup(events.s, events.n), **paths = NULL;
	const size_t from = run->diags->list.n;
	size_t n = 0;
	int err = !text ? HIST_NOMEM
			: hist_script_find_events(run->h, run->of, text, &paths, &n, run->diags);

	for (size_t i = from; i < run->diags->list.n; i++)
		script_locate(cmd, (u32)(events.s - cmd->source), &run->diags->list.v[i],
			      run->diags);
	for (size_t i = 0; i < n; i++) {
		struct span system, name;
		struct event_file *file = err ? NULL
					      : event_file_at(run->t, paths[i], &system, &name);

		if (!err && (!file || array_push(files, file)))
			err = HIST_NOMEM;
		else if (!err && !event_file_has_trigger(file))
			err = diags_error(run->diags, -HIST_EREJECTED,
					  "%s: the kernel has no triggers for %s:%s", cmd->file,
					  file->system, file->name);
		free(paths[i]);
	}
	free(paths);
	free(text);
	return err == -HIST_ENOENT || err == -HIST_EINVAL ? -HIST_EREJECTED : err;
}

int run_table(struct script_run *run, const struct script_cmd *cmd)
{
	char name[32];
	const struct ask_table table = table_of(run, cmd, name, sizeof(name));
	scoped(free_scoped) event_file_array files = ARRAY_INIT;
	int err = table_files(run, cmd, &files);

	for (size_t i = 0; i < files.n && !err; i++)
		err = bind_table(run, cmd, &table, files.v[i]);
	if (!err && run->p)
		err = name_numbers(run, cmd, files.v, files.n);
	return err;
}

/* --- changes --- */

struct shown_change {
	struct script_run *run;
	const struct script_cmd *cmd;
	const char *option;     /* "-f" or "--by" */
	event_file_array files; /* what the script shows of them is changed */
	event_file_array left_out;
	size_t done;
};

/* The first command that the change concerns. */
static size_t first_of(const struct script_run *run)
{
	return run->change - 1 + run->n_change;
}

/* The name of what it changes. */
static const char *file_of(const struct script_run *run)
{
	return first_of(run) < run->script->cmds.n ? run->script->cmds.v[first_of(run)].file
						   : "the script";
}

static bool is_helper(const struct trigger *trigger)
{
	const struct hist_data *hd = trigger->hist;
	const bool traces = any_of(i, hd->n_actions, hd->actions[i]->action == ACTION_TRACE);

	return traces || hd->n_users;
}

/* Whether it was made by what the change concerns, and is shown. */
static bool is_changed(const struct shown_change *c, const struct trigger *trigger)
{
	return trigger->hist && trigger->order > c->run->since &&
	       !(trigger->hist->question && is_helper(trigger));
}

static const struct script_cmd *command_of(const struct shown_change *c,
					   const struct trigger *trigger)
{
	const size_t i = trigger->order - c->run->before - 1;

	return i < c->run->made.n ? &c->run->script->cmds.v[c->run->made.v[i]] : c->cmd;
}

/* What the change cannot do for a histogram; NULL: nothing. @first: of the event */
static const char *hindrance(const struct shown_change *c, const struct trigger *trigger,
			     const struct trigger *first)
{
	const struct hist_data *hd = trigger->hist;

	if (is_helper(trigger))
		return "that other triggers of the script need";
	if (trigger->name)
		return "that several events share";
	if (!c->cmd->table->parts[TABLE_KEYS].s)
		return NULL;
	if (trigger->file->tr->name[0])
		return "of an instance";
	if (hd->text.pause || hd->text.cont || hd->text.clear)
		return "that the script pauses, continues or clears";
	/* the first table of a question is what it is about */
	if (!hd->question && strcmp(trigger->filter_text ?: "", first->filter_text ?: "") != 0)
		return "beside another one of the event with a different filter";
	return NULL;
}

static int check_file(struct shown_change *c, const struct event_file *file)
{
	const struct trigger *first = NULL;
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;

	array_each_ptr(const struct trigger, trigger, &file->triggers) {
		const struct script_cmd *by;
		const char *why;

		if (!is_changed(c, trigger))
			continue;
		first = first ?: trigger;
		why = hindrance(c, trigger, first);
		by = command_of(c, trigger);
		if (why)
			return diags_error(c->run->diags, -HIST_EREJECTED,
					   "%s:%u: %s cannot be applied to a histogram %s",
					   by->file, by->line, c->option, why);
	}
	if (first || c->cmd->table->parts[TABLE_KEYS].s)
		return 0;
	event_file_path(&path, file, "");
	strbuf_cut(&path, path.len ? path.len - 1 : 0);
	diags_error(c->run->diags, 0,
		    "%s has no trigger for the histogram of %s that %s could filter",
		    file_of(c->run), path.s, c->option);
	return -HIST_EREJECTED;
}

/* Remove what the script shows of the event. */
static void remove_shown(const struct shown_change *c, struct event_file *file)
{
	for (size_t i = file->triggers.n; i-- > 0;)
		if (i < file->triggers.n && is_changed(c, file->triggers.v[i]))
			event_trigger_remove(file->triggers.v[i]);
}

/* The fields of @save that are not keys, as those of the worst one; absent: none */
static struct span saved_beside(struct script *to, struct span save, struct span keys)
{
	struct strbuf out = STRBUF_INIT;

	while (save.s) {
		const struct span field = span_trim(span_sep(&save, ","));

		if (!key_list_groups(keys, field))
			strbuf_addf(&out, "%s%.*s", out.len ? "," : "", (int)field.n, field.s);
	}
	return out.len ? span_of(arena_take(&to->arena, &out) ?: "") : (struct span){ NULL, 0 };
}

/*
 * A table by other keys. @own: the filter of what it groups; @sum: what that adds up; @shown: the
 * parts of the first table that is replaced, NULL: of a trigger
 */
static int add_group(struct script *to, const struct script_cmd *cmd, const char *own,
		     struct span sum, const struct span *shown)
{
	struct table_text table = *cmd->table;
	const struct span keys = table.parts[TABLE_KEYS];
	struct span *filter = &table.parts[TABLE_FILTER];

	/* the answer of a question is what it adds up, unless that is a key, and the worst one */
	if (!table.parts[TABLE_SUMS].s && sum.s && !key_list_groups(keys, sum)) {
		table.parts[TABLE_SUMS] = sum;
		if (shown && shown[TABLE_WORST].s && !key_list_groups(keys, shown[TABLE_WORST])) {
			table.parts[TABLE_WORST] = shown[TABLE_WORST];
			table.parts[TABLE_SAVE] = saved_beside(to, shown[TABLE_SAVE], keys);
		}
	}
	if (own)
		*filter = span_of(filter->s ? arena_printf(&to->arena, "(%s) && (%.*s)", own,
							   (int)filter->n, filter->s)
						      ?: ""
					    : own);
	return script_table(to, SCRIPT_TABLE, &table, cmd->source_names ?: script_option_names);
}

/* Tables by other keys take the place of those of the event. */
static int group_file(struct shown_change *c, struct event_file *file)
{
	scoped(script_release) struct script scratch = SCRIPT_INIT;
	const struct span *shown = NULL;
	struct span sum = { NULL, 0 };
	const char *own = NULL;
	int err = 0;

	for (size_t i = file->triggers.n; i-- > 0;) {
		const struct trigger *trigger = file->triggers.v[i];
		const struct script_cmd *by = command_of(c, trigger);

		if (!is_changed(c, trigger))
			continue;
		shown = by->verb == SCRIPT_TABLE ? by->table->parts : NULL;
		own = trigger->filter_text ?: own;
		sum = trigger->hist->text.vals.s ? trigger->hist->text.vals : sum;
	}
	for (size_t i = 0; i < c->run->n_change && !err; i++)
		err = add_group(&scratch, &c->cmd[i], own, sum, shown);
	remove_shown(c, file);
	array_each_while(const struct script_cmd, cmd, &scratch.cmds, !err) {
		err = bind_table(c->run, cmd,
				 &(struct ask_table){ cmd->table, cmd->source, NULL, 0 }, file);
	}
	return err;
}

static int filter_file(struct shown_change *c, struct event_file *file)
{
	const struct span filter = c->cmd->table->parts[TABLE_FILTER];
	const u32 at = (u32)(filter.s - c->cmd->source);
	const size_t from = c->run->diags->list.n;
	int err = 0;

	for (size_t i = 0; i < file->triggers.n && !err; i++)
		if (is_changed(c, file->triggers.v[i]))
			err = event_trigger_narrow(file->triggers.v[i], filter, c->run->diags);
	for (size_t i = from; i < c->run->diags->list.n; i++) {
		struct diag *d = &c->run->diags->list.v[i];

		if (!d->file && d->at >= 0)
			script_locate(c->cmd, at + (u32)d->at, d, c->run->diags);
	}
	return err;
}

/* An event without the fields is left out, unless that is all of them. */
static int change_file(struct shown_change *c, struct event_file *file, bool last)
{
	struct script_run *run = c->run;
	const bool groups = c->cmd->table->parts[TABLE_KEYS].s;
	const size_t from = run->diags->list.n;
	int err = groups ? group_file(c, file) : filter_file(c, file);

	run->h->changed |= run->h->replayed && run->t == run->h->tracing;
	c->done += !err;
	if (err != -HIST_EREJECTED || (last && !c->done))
		return err;
	run->diags->list.n = from;
	remove_shown(c, file);
	return array_push(&c->left_out, file);
}

static bool has_changed(const struct shown_change *c, const struct event_file *file)
{
	return any_of(i, file->triggers.n, is_changed(c, file->triggers.v[i]));
}

/* The events whose histograms are shown by the commands that the change concerns. */
static int find_files(struct shown_change *c)
{
	struct script_run *run = c->run;
	bool cats;
	int err = 0;

	for (size_t i = first_of(run); i < run->script->cmds.n && !err; i++) {
		const struct script_cmd *cmd = &run->script->cmds.v[i];
		struct event_file *file = NULL;

		if (cmd->verb == SCRIPT_CHANGE)
			break;
		if (cmd->verb == SCRIPT_CAT)
			file = files_hist_file(run->h, run->t, cmd->path, NULL);
		if (file && (!run->applied || has_changed(c, file)))
			err = event_files_add(&c->files, file);
	}
	cats = c->files.n || run->applied;
	for (size_t i = 0; i < run->t->triggers.n && !err; i++) {
		const struct trigger *trigger = run->t->triggers.v[i];

		if (trigger && trigger->hist && is_changed(c, trigger) &&
		    (trigger->hist->table || (!cats && !is_helper(trigger))))
			err = event_files_add(&c->files, trigger->file);
	}
	return err;
}

int run_change(struct script_run *run)
{
	const struct script_cmd *cmd = run->change ? &run->script->cmds.v[run->change - 1] : NULL;
	struct shown_change c = {
		.run = run, .cmd = cmd, .files = ARRAY_INIT, .left_out = ARRAY_INIT
	};
	int err;

	if (!cmd || !cmd->table)
		return 0;
	c.option = cmd->table->parts[TABLE_KEYS].s ? "--by" : "-f";
	err = find_files(&c);
	for (size_t i = 0; i < c.files.n && !err; i++)
		err = check_file(&c, c.files.v[i]);
	for (size_t i = 0; i < c.files.n && !err; i++)
		err = change_file(&c, c.files.v[i], i + 1 == c.files.n);
	if (!err && !c.files.n && !run->applied)
		err = diags_error(run->diags, -HIST_EREJECTED,
				  "%s prints no histogram of an event that %s", file_of(run),
				  cmd->table->parts[TABLE_KEYS].s ? "--by could group"
								  : "-f could filter");
	for (size_t i = 0; i < c.left_out.n && !err; i++)
		diags_add(run->diags, DIAG_NOTE,
			  "%s: the table of %s:%s is left out, which has no such field for %s",
			  file_of(run), c.left_out.v[i]->system, c.left_out.v[i]->name, c.option);
	array_release(&c.files);
	array_release(&c.left_out);
	run->since = run->t->n_hists;
	run->applied = true;
	return tracing_failed(run->t) ? HIST_NOMEM : err;
}

/* --- as text --- */

static int table_texts(struct script_run *run, const struct script_cmd *cmd, hist_trigger_fn fn,
		       void *arg)
{
	char name[32];
	const struct ask_table table = table_of(run, cmd, name, sizeof(name));
	scoped(free_scoped) event_file_array files = ARRAY_INIT;
	int err = table_files(run, cmd, &files);

	for (size_t i = 0; i < files.n && !err; i++) {
		scoped(strbuf_release) struct strbuf path = STRBUF_INIT, filter = STRBUF_INIT;
		struct ask_trigger made;

		err = ask_trigger_make(&table, files.v[i], &made, run->diags);
		event_file_path(&path, files.v[i], "trigger");
		if (!err && made.cut.filter.s) {
			struct span text = span_skip(made.cut.filter, strlen("if "));

			strbuf_add(&filter, text.s, text.n);
			strbuf_cut(&made.text, (size_t)(made.cut.filter.s - 1 - made.text.s));
		}
		err = err ?: path.failed || filter.failed ? HIST_NOMEM : 0;
		err = err
			      ?: fn(arg, &(struct hist_trigger){ path.s, made.text.s,
								 filter.len ? filter.s : NULL });
		ask_trigger_release(&made);
	}
	return err;
}

int hist_script_triggers(struct hist *h, const struct hist_script *script, bool prints,
			 hist_trigger_fn fn, void *arg, struct diags *diags)
{
	struct script_run run = {
		.h = h, .t = script_definitions(h, script), .of = script, .diags = diags
	};
	const bool strict = run.t && run.t->options.strict_kernel;
	int err = run.t ? 0 : HIST_NOMEM;

	if (run.t)
		run.t->options.strict_kernel |= prints;
	run.script = hist_script_commands(script);
	for (size_t i = 0; i < run.script->cmds.n && !err; i++)
		if (run.script->cmds.v[i].verb == SCRIPT_TABLE)
			err = table_texts(&run, &run.script->cmds.v[i], fn, arg);
	if (run.t)
		run.t->options.strict_kernel = strict;
	return err;
}
