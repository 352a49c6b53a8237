// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Trigger files. A write changes the list of triggers, or logs why not. Hist triggers are appended
 * to the list, all others are inserted at its front; triggers run, and the file shows them, in the
 * order of the list.
 *
 * Corresponds to trace_events_trigger.c.
 */
#include "bind/bind.h"
#include "bind/binding.h"

static bool switches(const struct trigger *trigger)
{
	return trigger->kind >= TRIGGER_ENABLE_EVENT && trigger->kind <= TRIGGER_DISABLE_HIST;
}

/* Remove a trigger that is not a histogram from its event and free it. */
static void drop_trigger(struct trigger *trigger)
{
	if (switches(trigger)) {
		event_file_enable(trigger->target, false, true);
		event_file_release(trigger->target);
	}
	trigger_index_del(trigger);
	trigger_del(trigger);
	trigger_free(trigger);
}

/* --- filters --- */

int event_trigger_set_filter(struct trigger *trigger, struct span filter, struct cmd_log *log)
{
	struct span text = trigger_filter_text(filter);
	int err;

	if (!text.s)
		return log_silent(log, filter, "a filter begins with \"if\"");
	trigger->filter_text = arena_strndup(&trigger->arena, text.s, text.n);
	if (!trigger->filter_text)
		return HIST_NOMEM;
	log->unlogged = !trigger->file->tr->tracing->machine.quirks->trigger_filter_log;
	err = filter_new(trigger->file, text, false, log, &trigger->filter);
	log->unlogged = false;
	warn_unknowable(trigger->filter, log->diags);
	return err;
}

/* --- the simple commands --- */

static int parse_count(struct trigger *trigger, struct span param, struct cmd_log *log)
{
	struct span rest = param;
	struct span number = span_sep(&rest, ":");
	u64 count;

	if (!param.s)
		return 0;
	if (!number.n || !span_u64(number, &count))
		return log_silent(log, param, "the count must be a number");
	trigger->count = trigger->initial.count = (s64)count;
	trigger->counted = true;
	return 0;
}

static int add_trigger(struct trigger *trigger, struct cmd_log *log)
{
	struct event_file *file = trigger->file;
	int err;

	if (find_same_switch(file, trigger->kind, trigger->target))
		return log_silent(log, (struct span){ NULL, 0 },
				  "the event already has a %s trigger: File exists",
				  trigger_kind_name(trigger->kind));
	if (trigger->kind == TRIGGER_SNAPSHOT && array_buffer_arm_snapshot(file->tr))
		return HIST_NOMEM;
	err = trigger_limit_to_tasks(trigger);
	err = err ?: trigger_add(trigger, true);
	if (err)
		return err;
	err = trigger_index_add(trigger);
	if (err) {
		trigger_index_del(trigger);
		trigger_del(trigger);
		return err;
	}
	if (!switches(trigger))
		return 0;
	event_file_enable(trigger->target, true, true);
	event_file_hold(trigger->target);
	return 0;
}

/* Count, filter, insertion: @param is "N" or absent. */
static int make_trigger(struct event_file *file, enum trigger_kind kind, struct event_file *target,
			const struct trigger_args *args, struct cmd_log *log)
{
	struct trigger *trigger = calloc(1, sizeof(*trigger));
	int err;

	if (!trigger)
		return HIST_NOMEM;
	trigger->kind = kind;
	trigger->file = file;
	trigger->target = target;
	trigger->count = trigger->initial.count = COUNT_UNLIMITED;
	err = parse_count(trigger, args->param, log);
	if (!err && args->filter.s)
		err = event_trigger_set_filter(trigger, args->filter, log);
	err = err ?: add_trigger(trigger, log);
	if (err)
		trigger_free(trigger);
	return err; /* NOLINT(clang-analyzer-unix.Malloc): in the list unless err */
}

/* enable_event:SYSTEM:EVENT[:N] and similar triggers. */
static int write_switch(struct event_file *file, enum trigger_kind kind,
			const struct trigger_text *text, struct cmd_log *log)
{
	struct trigger_args args;
	struct span rest, system, event;
	struct event_file *target;
	struct trigger *old;

	trigger_args_cut(text->param, true, &args);
	rest = args.param;
	system = span_sep(&rest, ":");
	if (!rest.s)
		return log_silent(log, args.param, "write %s:SYSTEM:EVENT",
				  trigger_kind_name(kind));
	event = span_sep(&rest, ":");
	target = event_file_find_enabled(file->tr, system, event);
	if (!target)
		return log_silent(log, span_between(system.s, event.s + event.n),
				  "no event of this name can be enabled");
	args.param = rest;
	if (!text->remove)
		return make_trigger(file, kind, target, &args, log);
	old = find_same_switch(file, kind, target);
	if (old)
		drop_trigger(old);
	return 0;
}

/* --- the file --- */

/* The kernel stores "hist:" and the parameters as the failed command. */
static bool remember_command(struct cmd_log *log, const struct event_file *file, struct span param,
			     struct arena *arena)
{
	log->loc = arena_printf(arena, "hist:%s:%s", file->system, file->name);
	log->cmd = arena_printf(arena, "hist:%.*s", (int)param.n, param.n ? param.s : "");
	if (param.s)
		log->prepared_at = (size_t)(param.s - log->written.s);
	log->cmd_at = log->prepared_at > strlen("hist:") ? log->prepared_at - strlen("hist:") : 0;
	return log->loc && log->cmd;
}

static int write_kind(struct event_file *file, size_t kind, const struct trigger_text *text,
		      struct cmd_log *log)
{
	struct trigger_args args;
	struct trigger *old;

	if (kind == TRIGGER_HIST)
		return event_hist_trigger_write(file, text, log);
	if (kind >= TRIGGER_ENABLE_EVENT)
		return write_switch(file, (enum trigger_kind)kind, text, log);
	trigger_args_cut(text->param, false, &args);
	if (!text->remove)
		return make_trigger(file, (enum trigger_kind)kind, NULL, &args, log);
	old = find_same_switch(file, (enum trigger_kind)kind, NULL);
	if (old)
		drop_trigger(old);
	return 0;
}

/*
 * Errors logged by a command that succeeded in the end are in error_log, but need not be shown to
 * the user.
 */
static void forget_errors(struct diags *diags, size_t from)
{
	size_t n = from;
	bool of_error = false; /* the notes that follow are */

	for (size_t i = from; i < diags->list.n; i++) {
		const enum diag_level level = diags->list.v[i].level;

		of_error = level == DIAG_ERROR || (of_error && level == DIAG_NOTE);
		if (!of_error)
			diags->list.v[n++] = diags->list.v[i];
	}
	diags->list.n = n;
}

int event_trigger_write(struct event_file *file, struct span written, bool question,
			struct diags *diags)
{
	struct cmd_log log = {
		.tr = file->tr, .diags = diags, .written = written, .question = question
	};
	size_t before = diags->list.n, kind = 0;
	scoped(arena_release) struct arena arena = ARENA_INIT;
	struct trigger_text text;
	int err = 0;

	if (!written.n)
		return 0;
	trigger_text_cut((struct span){ written.s, strnlen(written.s, written.n) }, &text);
	if (!remember_command(&log, file, text.param, &arena))
		err = HIST_NOMEM;
	else if (written.n >= TRIGGER_TEXT_MAX)
		err = log_silent(&log, (struct span){ NULL, 0 },
				 "at most 4095 bytes can be written at once");
	while (!err && kind < N_TRIGGER_KINDS && !span_eq(text.name, trigger_kind_name(kind)))
		kind++;
	if (!err && kind == N_TRIGGER_KINDS)
		err = log_silent(
			&log, text.name, "%s",
			span_chr(text.name, '=')
				? "a histogram begins with hist:"
				: "unknown trigger; known ones are traceon traceoff snapshot "
				  "stacktrace enable_event disable_event enable_hist "
				  "disable_hist hist");
	err = err ?: write_kind(file, kind, &text, &log);
	if (!err)
		forget_errors(diags, before);
	return err;
}

int event_table_bind(struct event_file *file, struct span written, const struct hist_text *cut,
		     bool in_file, struct diags *diags)
{
	struct cmd_log log = { .tr = file->tr,
			       .diags = diags,
			       .written = written,
			       .question = true,
			       .in_file = in_file };
	size_t before = diags->list.n;
	scoped(arena_release) struct arena arena = ARENA_INIT;
	int err = remember_command(&log, file, cut->whole, &arena) ? 0 : HIST_NOMEM;

	err = err ?: event_hist_trigger_parse(file, false, cut->whole, cut, &log);
	if (!err)
		forget_errors(diags, before);
	return err;
}

int event_trigger_narrow(struct trigger *trigger, struct span filter, struct diags *diags)
{
	struct event_file *file = trigger->file;
	struct cmd_log log = { .tr = file->tr,
			       .diags = diags,
			       .written = filter,
			       .loc = "",
			       .cmd = "",
			       .question = trigger->hist->question };
	struct filter *own = trigger->filter, *tried = NULL;
	const char *before = trigger->filter_text ?: "";
	char *both = arena_printf(&trigger->arena, *before ? "if (%s) && (%.*s)" : "if %s(%.*s)",
				  before, (int)filter.n, filter.s);
	/* alone, so that errors have places in what was given */
	int err = both ? filter_new(file, filter, false, &log, &tried) : HIST_NOMEM;

	filter_free(tried);
	if (err)
		return err;
	trigger_index_del(trigger);
	trigger->limited = false;
	err = event_trigger_set_filter(trigger, span_of(both), &log);
	filter_free(own);
	err = err ?: trigger_limit_to_tasks(trigger);
	return err ?: trigger_index_add(trigger);
}

int event_trigger_truncate(struct event_file *file)
{
	hist_unreg_all(file);
	for (size_t i = file->triggers.n; i-- > 0;)
		if (trigger_kind_group(file->triggers.v[i]->kind) == TRIGGER_ENABLE_HIST)
			drop_trigger(file->triggers.v[i]);
	return 0;
}
