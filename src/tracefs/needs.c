// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Determines the events that a recording needs for a script, from the directory that the script
 * created.
 */
#include "hist-list.h"
#include "tracefs/script_run.h"

struct needs {
	hist_need_fn fn;
	void *arg;
	struct strbuf name;
	int err;
};

static void report(struct needs *n, enum hist_need need, const char *name)
{
	if (!n->err)
		n->err = n->fn(n->arg, need, name);
}

static void report_event(struct needs *n, enum hist_need need, struct span system, struct span name)
{
	strbuf_reset(&n->name);
	strbuf_addf(&n->name, "%.*s:%.*s", (int)system.n, system.s, (int)name.n, name.s);
	if (n->name.failed)
		n->err = HIST_NOMEM;
	report(n, need, n->name.s);
}

/* The events that the script defined slices with are needed, not the markers. */
static bool report_slices(struct needs *n, const struct event_file *file)
{
	const struct trace_array *tr = file->tr;

	if (strcmp(file->name, "slice") != 0)
		return false;
	for (size_t i = 0; i < 2 * tr->slices.n; i++) {
		const struct slice_edge *edge = &tr->slices.v[i / 2].edges[i % 2];

		if (edge->file)
			report(n, HIST_NEED_EVENT, edge->event);
	}
	return tr->slices.n;
}

static void report_derived(struct needs *n, const struct event_file *file)
{
	const bool defined = report_slices(n, file);
	char *name = NULL;
	const char *input;
	bool needed;

	if (asprintf(&name, "%s:%s", file->system, file->name) < 0) {
		n->err = HIST_NOMEM;
		return;
	}
	if (event_asks(file) & ASKS_STACK) {
		report(n, HIST_NEED_STACK, "sched:sched_switch");
		report(n, HIST_NEED_STACK, "sched:sched_waking");
	}
	for (size_t i = 0; (input = hist_derived_input(name, i, &needed)); i++)
		if (!needed || !defined)
			report(n, needed ? HIST_NEED_EVENT : HIST_NEED_OPTIONAL, input);
	free(name);
}

/* Events that the script defines itself are not recorded, nor those that are derived. */
static void report_file(struct needs *n, enum hist_need need, const struct event_file *file)
{
	if (file && file->synth && file->synth->derived)
		report_derived(n, file);
	else if (file && !file->synth)
		report_event(n, need, span_of(file->system), span_of(file->name));
}

static void report_triggers(struct needs *n, struct tracing *t, const struct event_file *file)
{
	if (file->triggers.n || file->state.enabled)
		report_file(n, HIST_NEED_EVENT, file);
	array_each_ptr(const struct trigger, trigger, &file->triggers) {
		const struct hist_data *hd = trigger->hist;

		report_file(n, HIST_NEED_EVENT, trigger->target);
		if (trigger->kind == TRIGGER_STACKTRACE ||
		    (hd && hist_reads(hd) & DEPENDS_ON(STACK)))
			report_file(n, HIST_NEED_STACK, file);
		for (u32 a = 0; hd && a < hd->n_actions; a++)
			if (hd->actions[a]->handler == HANDLER_ONMATCH)
				report_file(n, HIST_NEED_EVENT,
					    event_file_find(t->top,
							    hd->actions[a]->text.match_system,
							    hd->actions[a]->text.match_event));
		/* the bytes after the NUL of its strings are memory of the kernel, which only its
		 * record contains */
		if (hd && hd->file && hist_keys_loose_bytes(hd))
			report_event(n, HIST_NEED_BYTES, span_of(hd->file->system),
				     span_of(hd->file->name));
	}
}

/* A trigger that a later line removes is still written, so its event must be known. */
static void report_written(struct needs *n, struct tracing *t, const struct script *script)
{
	for (size_t i = 0; i < script->cmds.n && !n->err; i++) {
		struct span path = path_in_instance(span_of(script->cmds.v[i].path)), system, name;

		if (!path.s || !span_starts(path, "events/"))
			continue;
		span_sep(&path, "/");
		system = span_sep(&path, "/");
		name = span_sep(&path, "/");
		if (path.s)
			report_file(n, HIST_NEED_EVENT, event_file_find(t->top, system, name));
	}
}

static void report_all(struct needs *n, struct tracing *t, const struct script *script)
{
	const struct trigger *last = NULL;
	struct run_needs needs;

	for (const struct trace_array *tr = t->top; tr; tr = tr->next) {
		for (const struct event_file *file = tr->files; file; file = file->next)
			report_triggers(n, t, file);
		if (tr->were_on & TRACE_ITER_STACKTRACE)
			report(n, HIST_NEED_OPTION, "stacktrace");
		if (tr->were_on & TRACE_ITER_USERSTACKTRACE)
			report(n, HIST_NEED_OPTION, "userstacktrace");
	}
	report_written(n, t, script);
	tracing_needs(t, &needs);
	if (needs.comm) {
		report(n, HIST_NEED_OPTIONAL, "sched:sched_process_fork");
		report(n, HIST_NEED_OPTIONAL, "task:task_rename");
	}
	/* kernel: each hist trigger with time stamps sets the clock, so the last one wins */
	array_each_ptr(const struct trigger, trigger, &t->triggers) {
		if (trigger && trigger->hist && trigger->hist->enable_timestamps &&
		    (!last || trigger->order > last->order))
			last = trigger;
	}
	if (last && last->hist->clock)
		report(n, HIST_NEED_CLOCK, last->hist->clock);
}

int hist_script_needs(struct hist *h, const struct hist_script *script, hist_need_fn fn, void *arg,
		      struct diags *diags)
{
	static const struct hist_run_options none;
	struct script_run run = {
		.h = h, .of = script, .options = &none, .diags = diags, .to_record = true
	};
	struct needs n = { .fn = fn, .arg = arg, .name = STRBUF_INIT };

	recordings_note_rules(&h->recordings, diags);
	n.err = script_judge(&run);
	if (!n.err)
		report_all(&n, run.t, &script->script);
	tracing_free(run.t);
	strbuf_release(&n.name);
	return n.err;
}
