// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Which events are listed: those that the caller chose, those that a script enables and makes, or
 * all that the recording has formats of.
 *
 * Only these events are enabled when the replay starts, also those of the system ftrace, which no
 * file of a kernel enables.
 */
#include "events/events.h"
#include "hist-script.h"
#include "tracefs/tracefs.h"

static int add_file(struct event_file *file)
{
	file->initial.enabled = true;
	file->initial.soft_disabled = false;
	return 0;
}

static int choose_one(struct hist_events *ev, const struct hist_events_options *options,
		      const struct hist_event_choice *choice)
{
	struct hist_script *none = options->script ? NULL : hist_script_new();
	scoped(free_scoped) char **paths = NULL;
	size_t n = 0;
	int err = options->script || none ? 0 : HIST_NOMEM;

	if (!err)
		err = hist_script_find_events(ev->h, options->script ? options->script : none,
					      choice->event, &paths, &n, ev->diags);
	for (size_t i = 0; i < n && !err; i++) {
		struct span system, name;
		struct event_file *file = event_file_at(ev->h->tracing, paths[i], &system, &name);

		err = file ? add_file(file) : HIST_NOMEM;
		/* numbers may have units and names, as in other questions */
		if (!err && choice->filter)
			err = event_filter_write(file, span_of(choice->filter), true, ev->diags);
	}
	for (size_t i = 0; i < n; i++)
		free(paths[i]);
	hist_script_free(none);
	return err;
}

/* The synthetic events that triggers make, and derived events with triggers. */
static int choose_made(struct hist_events *ev)
{
	const struct tracing *t = ev->h->tracing;
	int err = 0;

	for (size_t i = 0; i < t->synth_events.n && !err; i++) {
		const struct synth_event *se = t->synth_events.v[i];
		struct event_file *file;

		if (!se->generators)
			continue;
		file = event_file_find(t->top, span_of("synthetic"), span_of(se->name));
		err = file ? add_file(file) : HIST_NOMEM;
	}
	for (struct event_file *file = t->top->files; file && !err; file = file->next)
		if (file->synth && file->synth->derived && file->triggers.n)
			err = add_file(file);
	return err;
}

/* Whether it is enabled, or a trigger can enable it. */
static bool may_occur(const struct event_file *file)
{
	const struct event_state *s = &file->initial;

	return s->enabled && (!s->soft_disabled || s->soft_refs > (file->triggers.n ? 1 : 0));
}

static int add_types(struct hist_events *ev)
{
	struct tracing *t = ev->h->tracing;
	int err = 0;

	ev->by_serial = arena_alloc(&ev->arena, (t->n_files + 1) * sizeof(*ev->by_serial));
	if (!ev->by_serial)
		return HIST_NOMEM;
	/* the newest one is the first of the list */
	for (struct event_file *file = t->top->files; file && !err; file = file->next) {
		if (!may_occur(file))
			continue;
		err = events_type_add(ev, file);
		if (!err)
			ev->by_serial[file->serial] = ev->types.v[ev->types.n - 1];
	}
	return err;
}

int events_choose(struct hist_events *ev, const struct hist_events_options *options)
{
	struct hist *h = ev->h;
	int err = 0;

	if (options->script)
		err = hist_script_apply(h, options->script, ev->diags);
	if (!err && options->n_choices) {
		for (struct trace_array *tr = h->tracing->top; tr; tr = tr->next)
			for (struct event_file *file = tr->files; file; file = file->next)
				file->initial.enabled = false;
	}
	for (size_t i = 0; i < options->n_choices && !err; i++)
		err = choose_one(ev, options, &options->choices[i]);
	if (!err && !options->n_choices)
		err = options->script ? choose_made(ev) : directory_enable_all(h, false);
	err = err ?: tracing_limit_to_tasks(h->tracing);
	err = err ?: add_types(ev);
	if (!err && !ev->types.n)
		return diags_error(ev->diags, -HIST_EINVAL,
				   options->script
					   ? "the script enables no event and makes none; name "
					     "one with -e EVENT"
					   : "the recording has no events");
	return err;
}
