// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Determines the events that a recording needs for a script, from the directory that the script
 * created.
 */
#include "tracefs/tracefs.h"
#include "tracing/trace_options.h"

struct needs {
	const struct hist_run_options *options;
	struct strbuf name;
	int err;
};

static void report(struct needs *n, enum hist_need need, const char *name)
{
	if (!n->err)
		n->err = n->options->need(n->options->need_arg, need, name);
}

static void report_event(struct needs *n, enum hist_need need, struct span system, struct span name)
{
	strbuf_reset(&n->name);
	strbuf_addf(&n->name, "%.*s:%.*s", (int)system.n, system.s, (int)name.n, name.s);
	if (n->name.failed)
		n->err = HIST_NOMEM;
	report(n, need, n->name.s);
}

/* Events that the script defines itself are not recorded. */
static void report_file(struct needs *n, enum hist_need need, const struct event_file *file)
{
	if (file && !file->synth)
		report_event(n, need, span_of(file->system), span_of(file->name));
}

static void report_action(struct needs *n, struct tracing *t, const struct action_data *action)
{
	if (action->handler == HANDLER_ONMATCH)
		report_file(n, HIST_NEED_EVENT,
			    event_file_find(t->top, action->text.match_system,
					    action->text.match_event));
}

/*
 * The bytes after the NUL of its strings are memory of the kernel, which only its record contains.
 */
static void report_loose_bytes(struct needs *n, const struct trigger *trigger)
{
	const struct event_file *file = trigger->hist ? trigger->hist->file : NULL;

	if (file && hist_keys_loose_bytes(trigger->hist))
		report_event(n, HIST_NEED_BYTES, span_of(file->system), span_of(file->name));
}

static void report_triggers(struct needs *n, struct tracing *t, const struct event_file *file)
{
	if (file->triggers.n || file->state.enabled)
		report_file(n, HIST_NEED_EVENT, file);
	for (size_t i = 0; i < file->triggers.n; i++) {
		const struct trigger *trigger = file->triggers.v[i];

		report_file(n, HIST_NEED_EVENT, trigger->target);
		if (trigger->kind == TRIGGER_STACKTRACE ||
		    (trigger->hist && hist_needs_stack(trigger->hist)))
			report_file(n, HIST_NEED_STACK, file);
		for (u32 a = 0; trigger->hist && a < trigger->hist->n_actions; a++)
			report_action(n, t, trigger->hist->actions[a]);
		report_loose_bytes(n, trigger);
	}
}

/* A trigger that a later line removes is still written, so its event must be known. */
static void report_written(struct needs *n, struct tracing *t, const struct script *script)
{
	for (size_t i = 0; i < script->cmds.n && !n->err; i++) {
		struct span path = span_of(script->cmds.v[i].path), system, name;

		if (span_starts(path, "instances/")) {
			span_sep(&path, "/");
			span_sep(&path, "/");
		}
		if (!path.s || !span_starts(path, "events/"))
			continue;
		span_sep(&path, "/");
		system = span_sep(&path, "/");
		name = span_sep(&path, "/");
		if (path.s)
			report_file(n, HIST_NEED_EVENT, event_file_find(t->top, system, name));
	}
}

/* kernel: each hist trigger with time stamps sets the clock, so the last one wins */
static void report_clock(struct needs *n, const struct tracing *t)
{
	const struct trigger *last = NULL;

	for (const struct trace_array *tr = t->top; tr; tr = tr->next)
		for (const struct event_file *file = tr->files; file; file = file->next)
			for (size_t i = 0; i < file->triggers.n; i++) {
				const struct trigger *trigger = file->triggers.v[i];

				if (trigger->hist && trigger->hist->enable_timestamps &&
				    (!last || trigger->order > last->order))
					last = trigger;
			}
	if (last && last->hist->clock)
		report(n, HIST_NEED_CLOCK, last->hist->clock);
}

static void report_comms(struct needs *n, const struct tracing *t)
{
	struct run_needs needs;

	tracing_needs(t, &needs);
	if (!needs.comm)
		return;
	report(n, HIST_NEED_OPTIONAL, "sched:sched_process_fork");
	report(n, HIST_NEED_OPTIONAL, "task:task_rename");
}

static void report_options(struct needs *n, const struct trace_array *tr)
{
	if (tr->were_on & TRACE_ITER_STACKTRACE)
		report(n, HIST_NEED_OPTION, "stacktrace");
	if (tr->were_on & TRACE_ITER_USERSTACKTRACE)
		report(n, HIST_NEED_OPTION, "userstacktrace");
}

int needs_report(struct tracing *t, const struct script *script,
		 const struct hist_run_options *options)
{
	struct needs n = { .options = options, .name = STRBUF_INIT };

	for (const struct trace_array *tr = t->top; tr; tr = tr->next) {
		for (const struct event_file *file = tr->files; file; file = file->next)
			report_triggers(&n, t, file);
		report_options(&n, tr);
	}
	report_written(&n, t, script);
	report_comms(&n, t);
	report_clock(&n, t);
	strbuf_release(&n.name);
	return n.err;
}
