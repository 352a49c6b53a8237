// SPDX-License-Identifier: LGPL-2.1-only
/*
 * events/derived/slice/begin and end: the events between which slices are, in place of markers.
 * Each write to begin defines slices of their own; the following write to end completes them.
 *
 * Corresponds to nothing in the kernel, which has no derived events.
 */
#include "bind/bind.h"
#include "bind/binding.h"

static int refuse(struct cmd_log *log, struct span text, const char *why)
{
	struct diag *d = diags_add(log->diags, DIAG_ERROR, "%s", why);

	if (!d)
		return HIST_NOMEM;
	d->at = (size_t)(text.s - log->written.s);
	d->len = text.n;
	return -HIST_EREJECTED;
}

/* "SYSTEM:EVENT" or "SYSTEM/EVENT", of which there must be records. */
static int bind_event(struct trace_array *tr, struct span event, struct slice_edge *edge,
		      struct cmd_log *log)
{
	struct span name = event, system = span_sep(&name, ":/");
	const struct event_file *file = name.s ? event_file_find(tr, system, name) : NULL;

	if (tracing_failed(tr->tracing))
		return HIST_NOMEM;
	if (!name.s)
		return refuse(log, event,
			      "a slice needs SYSTEM:EVENT, and then optionally if FILTER");
	if (!file)
		return refuse(log, event, "this recording has no such event");
	if (file->synth)
		return refuse(log, event,
			      "slices begin and end with recorded events, not with synthetic or "
			      "derived ones");
	edge->file = file;
	edge->event = arena_printf(&tr->tracing->arena, "%s:%s", file->system, file->name);
	return edge->event ? 0 : HIST_NOMEM;
}

int slice_edge_write(struct trace_array *tr, bool ends, struct span written, bool question,
		     struct diags *diags)
{
	struct cmd_log log = {
		.tr = tr, .diags = diags, .written = written, .unlogged = true, .question = question
	};
	struct span rest = span_trim(written), event = span_sep(&rest, " \t"), text;
	struct slice_pair *last = tr->slices.n ? &tr->slices.v[tr->slices.n - 1] : NULL;
	struct slice_edge edge = { .file = NULL };
	bool open = last && !last->edges[1].file;
	int err;

	if (!event.n)
		return 0;
	if (ends != open)
		return refuse(&log, event,
			      ends ? "a slice that ends here needs a begin, which is written before"
				   : "the slices that were defined before need an end");
	err = bind_event(tr, event, &edge, &log);
	if (err)
		return err;
	rest = span_ltrim(rest);
	text = rest.n ? trigger_filter_text(rest) : rest;
	if (rest.n && !text.s)
		return refuse(&log, rest, "a filter begins with \"if\"");
	if (rest.n)
		err = filter_new(edge.file, text, false, &log, &edge.filter);
	warn_unknowable(edge.filter, diags);
	if (!err && !ends)
		err = array_push(&tr->slices, (struct slice_pair){ .edges = { edge } });
	else if (!err)
		last->edges[1] = edge;
	if (err)
		filter_free(edge.filter);
	return err;
}
