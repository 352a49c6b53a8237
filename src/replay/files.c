// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files of the tracing directory: one table from a path to its writer and reader.
 *
 * Enters: a path and what is written to it, or a wish to read it. Leaves: a changed
 * directory, or the bytes of the file. Files whose bytes events change make the recording
 * be replayed first.
 */
#include <stdlib.h>

#include "replay/replay.h"

/* What a path names. */
struct target {
	struct hist *h;
	struct tracing *t;
	struct trace_array *tr;
	struct event_file *file; /* of events/SYSTEM/EVENT/... */
	struct diags *diags;
};

struct file_ops {
	const char *name; /* below the instance, or below events/SYSTEM/EVENT */
	int (*write)(struct target *to, struct span text);
	int (*truncate)(struct target *to); /* what opening with '>' does */
	void (*read)(const struct target *from, struct printer *p);
	bool live; /* events change what it shows */
};

/* --- events/SYSTEM/EVENT/... --- */

/* What is added after the replay was not there when the records came; the rest acts now. */
static void note_added(const struct target *to, bool added)
{
	to->h->changed |= added && to->h->replayed && to->t == to->h->tracing;
}

static int write_trigger(struct target *to, struct span text)
{
	size_t before = to->file->triggers.n;
	int err = event_trigger_write(to->file, text, to->diags);

	note_added(to, to->file->triggers.n > before);
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
	return event_filter_write(to->file, text, to->diags);
}

static void read_filter(const struct target *from, struct printer *p)
{
	print_filter(p, from->file);
}

static int write_enable(struct target *to, struct span text)
{
	u64 on;

	if (!span_u64(span_trim(text), &on) || on > 1)
		return diags_error(to->diags, -HIST_EREJECTED,
				   "enable takes 0 or 1: Invalid argument");
	event_file_enable(to->file, on == 1, false);
	return 0;
}

static void read_enable(const struct target *from, struct printer *p)
{
	print_enable(p, from->file);
}

static void read_hist(const struct target *from, struct printer *p)
{
	print_hist(p, from->file);
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

static const struct file_ops event_files[] = {
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
};

/* Which of them an event has depends on whether it can be switched on. */
static bool event_has_file(const struct event_file *file, const char *name)
{
	if (!strcmp(name, "trigger"))
		return event_file_has_trigger(file);
	if (!strcmp(name, "filter") || !strcmp(name, "enable") || !strcmp(name, "id"))
		return event_file_can_enable(file);
	return true;
}

/* --- files of the instance --- */

static int write_synthetic_events(struct target *to, struct span text)
{
	return synth_events_write(to->t, text, false, to->diags);
}

static int write_dynamic_events(struct target *to, struct span text)
{
	return synth_events_write(to->t, text, true, to->diags);
}

static int truncate_dynamic_events(struct target *to)
{
	int err = probe_events_truncate(to->t, PROBE_FILE_ALL, to->diags);

	return err ? err : synth_events_truncate(to->t, to->diags);
}

static int write_kprobe_events(struct target *to, struct span text)
{
	return probe_events_write(to->t, PROBE_FILE_KPROBES, text, to->diags);
}

static int truncate_kprobe_events(struct target *to)
{
	return probe_events_truncate(to->t, PROBE_FILE_KPROBES, to->diags);
}

static void read_kprobe_events(const struct target *from, struct printer *p)
{
	print_probe_events(p, from->t, PROBE_FILE_KPROBES);
}

static int write_uprobe_events(struct target *to, struct span text)
{
	return probe_events_write(to->t, PROBE_FILE_UPROBES, text, to->diags);
}

static int truncate_uprobe_events(struct target *to)
{
	return probe_events_truncate(to->t, PROBE_FILE_UPROBES, to->diags);
}

static void read_uprobe_events(const struct target *from, struct printer *p)
{
	print_probe_events(p, from->t, PROBE_FILE_UPROBES);
}

static int truncate_synthetic_events(struct target *to)
{
	return synth_events_truncate(to->t, to->diags);
}

static void read_synthetic_events(const struct target *from, struct printer *p)
{
	print_synthetic_events(p, from->t);
}

static void read_dynamic_events(const struct target *from, struct printer *p)
{
	print_dynamic_events(p, from->t);
}

static int truncate_error_log(struct target *to)
{
	error_log_clear(&to->tr->errors);
	return 0;
}

static int write_error_log(struct target *to, struct span text)
{
	(void)to;
	(void)text;
	return 0; /* kernel: only opening with '>' does something */
}

static void read_error_log(const struct target *from, struct printer *p)
{
	struct hist *h = from->h;

	if (from->tr->errors.n && !from->t->machine.first_ts)
		from->t->machine.first_ts = recordings_first_ts(&h->recordings, h->buffer);
	print_error_log(p, from->tr);
}

static void read_available_events(const struct target *from, struct printer *p)
{
	const struct recordings *r = &from->h->recordings;

	for (size_t i = 0; i < r->n_texts; i++)
		if (strcmp(r->texts[i].system, "ftrace"))
			strbuf_addf(&p->buf, "%s:%.*s\n", r->texts[i].system,
				    (int)r->texts[i].name.n, r->texts[i].name.s);
}

static void read_trace_clock(const struct target *from, struct printer *p)
{
	const struct machine *m = &from->t->machine;

	if (m->clocks)
		strbuf_addf(&p->buf, "%s%s", m->clocks, strchr(m->clocks, '\n') ? "" : "\n");
	else
		strbuf_addf(&p->buf, "[%s]\n", m->clock);
}

static int write_trace_clock(struct target *to, struct span text)
{
	char *name = arena_strndup(&to->t->arena, span_trim(text).s, span_trim(text).n);

	if (!name)
		return HIST_NOMEM;
	if (!machine_has_clock(&to->t->machine, name))
		return diags_error(to->diags, -HIST_EREJECTED, "no such clock: Invalid argument");
	if (strcmp(name, to->t->machine.clock))
		diags_add(to->diags, DIAG_WARNING,
			  "the recording's clock is %s: times are not converted to %s",
			  to->t->machine.clock, name);
	return 0;
}

static int write_tracing_on(struct target *to, struct span text)
{
	u64 on;

	if (!span_u64(span_trim(text), &on))
		return diags_error(to->diags, -HIST_EREJECTED,
				   "tracing_on takes 0 or 1: Invalid argument");
	to->tr->tracing_on = to->tr->initially_on = on != 0;
	return 0;
}

static void read_tracing_on(const struct target *from, struct printer *p)
{
	strbuf_addstr(&p->buf, from->tr->tracing_on ? "1\n" : "0\n");
}

static void read_current_tracer(const struct target *from, struct printer *p)
{
	(void)from;
	strbuf_addstr(&p->buf, "nop\n");
}

static int write_current_tracer(struct target *to, struct span text)
{
	if (span_eq(span_trim(text), "nop"))
		return 0;
	return diags_error(to->diags, -HIST_EREJECTED,
			   "only the nop tracer can be replayed: Invalid argument");
}

static const struct file_ops instance_files[] = {
	{ .name = "synthetic_events",
	  .write = write_synthetic_events,
	  .truncate = truncate_synthetic_events,
	  .read = read_synthetic_events },
	{ .name = "dynamic_events",
	  .write = write_dynamic_events,
	  .truncate = truncate_dynamic_events,
	  .read = read_dynamic_events },
	{ .name = "kprobe_events",
	  .write = write_kprobe_events,
	  .truncate = truncate_kprobe_events,
	  .read = read_kprobe_events },
	{ .name = "uprobe_events",
	  .write = write_uprobe_events,
	  .truncate = truncate_uprobe_events,
	  .read = read_uprobe_events },
	{ .name = "error_log",
	  .write = write_error_log,
	  .truncate = truncate_error_log,
	  .read = read_error_log },
	{ .name = "available_events", .read = read_available_events },
	{ .name = "trace_clock", .write = write_trace_clock, .read = read_trace_clock },
	{ .name = "tracing_on", .write = write_tracing_on, .read = read_tracing_on, .live = true },
	{ .name = "current_tracer", .write = write_current_tracer, .read = read_current_tracer },
};

/* --- paths --- */

static const struct file_ops *find_ops(const struct file_ops *ops, size_t n, struct span name)
{
	for (size_t i = 0; i < n; i++)
		if (span_eq(name, ops[i].name))
			return &ops[i];
	return NULL;
}

static int no_such_file(struct target *to, const char *path)
{
	return diags_error(to->diags, -HIST_ENOENT, "%s: No such file or directory", path);
}

/* events/SYSTEM/EVENT/FILE */
static int find_event_file(struct target *to, struct span rest, const char *path,
			   const struct file_ops **ops)
{
	struct span system = span_sep(&rest, "/"), name = span_sep(&rest, "/");

	if (!rest.s)
		return no_such_file(to, path);
	to->file = event_file_find(to->tr, system, name);
	if (!to->file && tracing_failed(to->t))
		return HIST_NOMEM;
	if (!to->file)
		return events_unknown(to->h, system, name, to->diags);
	*ops = find_ops(event_files, ARRAY_SIZE(event_files), rest);
	if (!*ops || !event_has_file(to->file, (*ops)->name))
		return no_such_file(to, path);
	return 0;
}

static int find_target(struct target *to, const char *path, const struct file_ops **ops)
{
	const char *rest;
	struct span name;

	to->tr = files_instance(to->h, to->t, path, &rest, to->diags);
	if (!to->tr)
		return tracing_failed(to->t) ? HIST_NOMEM : -HIST_ENOENT;
	name = span_of(rest);
	if (span_starts(name, "events/"))
		return find_event_file(to, span_skip(name, strlen("events/")), path, ops);
	*ops = find_ops(instance_files, ARRAY_SIZE(instance_files), name);
	return *ops ? 0 : no_such_file(to, path);
}

int files_write(struct hist *h, struct tracing *t, const char *path, struct span text,
		bool truncate, struct diags *diags)
{
	struct target to = { .h = h, .t = t, .diags = diags };
	const struct file_ops *ops;
	int err = find_target(&to, path, &ops);

	if (err)
		return err;
	if (!ops->write)
		return diags_error(diags, -HIST_EREJECTED, "%s can only be read: Permission denied",
				   path);
	if (truncate && ops->truncate)
		err = ops->truncate(&to);
	if (!err)
		err = ops->write(&to, text);
	return tracing_failed(t) ? HIST_NOMEM : err;
}

int files_read(struct hist *h, const char *path, struct printer *p, struct diags *diags)
{
	struct target from = { .h = h, .t = h->tracing, .diags = diags };
	const struct file_ops *ops;
	int err = find_target(&from, path, &ops);

	if (!err && !ops->read)
		err = diags_error(diags, -HIST_EREJECTED, "%s cannot be read: Invalid argument",
				  path);
	if (!err && ops->live)
		err = replay_if_needed(h, diags);
	if (!err)
		ops->read(&from, p);
	return tracing_failed(h->tracing) ? HIST_NOMEM : err;
}
