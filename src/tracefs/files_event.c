// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files below events: of an event, of a system, of all systems.
 *
 * Corresponds to event_create_dir(), event_subsystem_dir() in trace_events.c.
 */
#include "tracefs/files.h"

/* --- events/SYSTEM/EVENT/... --- */

static int write_trigger(struct target *to, struct span text)
{
	const struct event_file *file = to->file;
	size_t before = file->triggers.n;
	int err = event_trigger_write(to->file, text, to->question, to->diags);

	/* cppcheck-suppress incorrectLogicOperator; the write adds triggers */
	if (!err && !before && file->triggers.n && !event_file_can_enable(file) &&
	    strcmp(file->name, "print") != 0)
		diags_add(
			to->diags, DIAG_NOTE,
			"the kernel does not support triggers for %s:%s; --strict-kernel refuses them",
			file->system, file->name);
	if (!err && file->triggers.n > before && !to->question) {
		const struct trigger *added = file->triggers.v[file->triggers.n - 1];

		if ((added->hist && added->hist->asks_who) ||
		    (added->filter && added->filter->needs_who))
			diags_add(to->diags, DIAG_NOTE,
				  "processes, cgroups and command lines of tasks are an extension: "
				  "kernels refuse them, and so does --strict-kernel");
		if ((added->hist && added->hist->asks_code) ||
		    (added->filter && added->filter->needs_code))
			diags_add(
				to->diags, DIAG_NOTE,
				"names of code are an extension: kernels refuse them, and so does "
				"--strict-kernel");
	}
	/* a removal takes effect now */
	target_note_changed(to, file->triggers.n > before);
	return err;
}

static int truncate_trigger(struct target *to)
{
	return event_trigger_truncate(to->file);
}

/* Of an event, or of the events of a system. */
static int write_filter(struct target *to, struct span text)
{
	int err = to->file ? event_filter_write(to->file, text, to->question, to->diags)
			   : system_filter_write(to->tr, to->system, text, to->diags);

	target_note_recording(to);
	return err;
}

static int write_enable(struct target *to, struct span text)
{
	u64 on;
	int err;

	if (!target_number(to, text, to->file ? 1 : UINT64_MAX, "enable takes 0 or 1", &on))
		return -HIST_EREJECTED;
	err = array_buffer_expand(to->tr);
	if (on > 1)
		return diags_error(to->diags, -HIST_EREJECTED,
				   "enable takes 0 or 1: Invalid argument");
	if (to->file)
		event_file_enable(to->file, on, false);
	else if (!err)
		err = system_enable(to->tr, to->system, on, to->diags);
	if (on)
		target_note_recording(to);
	return err;
}

/* Of derived:slice. */
static int write_slices(struct target *to, struct span text)
{
	int err = slice_edge_write(to->tr, to->ops->which, text, to->question, to->diags);

	target_note_changed(to, true);
	return err;
}

static int truncate_slices(struct target *to)
{
	if (!to->ops->which)
		tracing_clear_slices(to->tr);
	return 0;
}

static void read_slices(const struct target *from, struct printer *p)
{
	for (size_t i = 0; i < from->tr->slices.n; i++) {
		const struct slice_edge *edge = &from->tr->slices.v[i].edges[from->ops->which];

		if (edge->file)
			strbuf_addf(&p->buf, edge->filter ? "%s if %s\n" : "%s\n", edge->event,
				    edge->filter ? edge->filter->text : "");
	}
}

static void read_hist(const struct target *from, struct printer *p)
{
	output_event_text(from->h, from->file, p);
}

static void read_id(const struct target *from, struct printer *p)
{
	strbuf_addf(&p->buf, "%u\n", from->file->format->id);
}

const struct file_ops event_files[] = {
	{ .name = "trigger",
	  .write = write_trigger,
	  .truncate = truncate_trigger,
	  .print = print_trigger,
	  .live = true },
	{ .name = "filter", .write = write_filter, .print = print_filter },
	{ .name = "enable", .write = write_enable, .print = print_enable, .live = true },
	{ .name = "hist", .read = read_hist, .live = true },
	{ .name = "hist_debug", .print = print_hist_debug, .live = true },
	{ .name = "format", .print = print_format },
	{ .name = "id", .read = read_id },
	{ .name = "begin",
	  .write = write_slices,
	  .truncate = truncate_slices,
	  .read = read_slices },
	{ .name = "end",
	  .write = write_slices,
	  .truncate = truncate_slices,
	  .read = read_slices,
	  .which = 1 },
	{ .name = NULL },
};

bool event_has_file(const struct event_file *file, const char *name)
{
	if (!strcmp(name, "trigger"))
		return event_file_has_trigger(file);
	if (!strcmp(name, "filter") || !strcmp(name, "enable") || !strcmp(name, "id"))
		return event_file_can_enable(file);
	if (!strcmp(name, "begin") || !strcmp(name, "end"))
		return file->synth && file->synth->derived && !strcmp(file->name, "slice");
	return true;
}

/* --- events/SYSTEM/... and events/enable --- */

static void read_system_enable(const struct target *from, struct printer *p)
{
	char c = system_enabled(from->tr, from->system);

	if (c)
		strbuf_addf(&p->buf, "%c\n", c);
	else
		p->err = HIST_NOMEM;
}

const struct file_ops system_files[] = {
	{ .name = "enable", .write = write_enable, .read = read_system_enable },
	{ .name = "filter", .write = write_filter, .text = system_filter_text },
	{ .name = NULL },
};
