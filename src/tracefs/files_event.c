// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files below events: of an event, of a system, of all systems.
 *
 * Corresponds to event_create_dir(), event_subsystem_dir() in trace_events.c.
 */
#include "tracefs/files.h"

/* --- events/SYSTEM/EVENT/... --- */

static void note_no_kernel(const struct target *to)
{
	const struct event_file *file = to->file;

	if (!event_file_can_enable(file) && strcmp(file->name, "print") != 0)
		diags_add(
			to->diags, DIAG_NOTE,
			"the kernel does not support triggers for %s:%s; --strict-kernel refuses them",
			file->system, file->name);
}

static int write_trigger(struct target *to, struct span text)
{
	size_t before = to->file->triggers.n;
	int err = event_trigger_write(to->file, text, to->diags);

	if (!err && !before && to->file->triggers.n)
		note_no_kernel(to);

	/* a removal takes effect now */
	target_note_changed(to, to->file->triggers.n > before);
	return err;
}

static int truncate_trigger(struct target *to)
{
	return event_trigger_truncate(to->file);
}

static void read_trigger(const struct target *from, struct printer *p)
{
	print_trigger(p, from->file);
}

static int write_filter(struct target *to, struct span text)
{
	int err = event_filter_write(to->file, text, to->diags);

	target_note_recording(to);
	return err;
}

static void read_filter(const struct target *from, struct printer *p)
{
	print_filter(p, from->file);
}

static int write_enable(struct target *to, struct span text)
{
	bool on;
	int err;

	if (!target_bool(to, text, "enable", &on))
		return -HIST_EREJECTED;
	err = array_buffer_expand(to->tr);
	event_file_enable(to->file, on, false);
	if (on)
		target_note_recording(to);
	return err;
}

static void read_enable(const struct target *from, struct printer *p)
{
	print_enable(p, from->file);
}

static void read_hist(const struct target *from, struct printer *p)
{
	output_event_text(from->h, from->file, p);
}

static void read_hist_debug(const struct target *from, struct printer *p)
{
	print_hist_debug(p, from->file);
}

static void read_format(const struct target *from, struct printer *p)
{
	print_format(p, from->file);
}

static void read_id(const struct target *from, struct printer *p)
{
	strbuf_addf(&p->buf, "%u\n", from->file->format->id);
}

const struct file_ops event_files[] = {
	{ .name = "trigger",
	  .write = write_trigger,
	  .truncate = truncate_trigger,
	  .read = read_trigger,
	  .live = true },
	{ .name = "filter", .write = write_filter, .read = read_filter },
	{ .name = "enable", .write = write_enable, .read = read_enable, .live = true },
	{ .name = "hist", .read = read_hist, .live = true },
	{ .name = "hist_debug", .read = read_hist_debug, .live = true },
	{ .name = "format", .read = read_format },
	{ .name = "id", .read = read_id },
	{ .name = NULL },
};

bool event_has_file(const struct event_file *file, const char *name)
{
	if (!strcmp(name, "trigger"))
		return event_file_has_trigger(file);
	if (!strcmp(name, "filter") || !strcmp(name, "enable") || !strcmp(name, "id"))
		return event_file_can_enable(file);
	return true;
}

/* --- events/SYSTEM/... and events/enable --- */

static int write_system_enable(struct target *to, struct span text)
{
	bool on;
	int err;

	if (!target_bool(to, text, "enable", &on))
		return -HIST_EREJECTED;
	err = array_buffer_expand(to->tr);
	if (!err)
		err = system_enable(to->tr, to->system, on, to->diags);
	if (on)
		target_note_recording(to);
	return err;
}

static void read_system_enable(const struct target *from, struct printer *p)
{
	char c = system_enabled(from->tr, from->system);

	if (c)
		strbuf_addf(&p->buf, "%c\n", c);
	else
		p->err = HIST_NOMEM;
}

static int write_system_filter(struct target *to, struct span text)
{
	int err = system_filter_write(to->tr, to->system, text, to->diags);

	target_note_recording(to);
	return err;
}

static void read_system_filter(const struct target *from, struct printer *p)
{
	(void)from;
	strbuf_addstr(&p->buf, system_filter_text);
}

const struct file_ops system_files[] = {
	{ .name = "enable", .write = write_system_enable, .read = read_system_enable },
	{ .name = "filter", .write = write_system_filter, .read = read_system_filter },
	{ .name = NULL },
};
