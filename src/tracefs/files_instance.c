// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files of an instance that do not concern its buffer: definitions, errors, enabled events,
 * selected tasks, clock and tracer.
 */
#include "tracefs/files.h"

/* --- definitions, errors --- */

/* Of two files: ->which is true for dynamic_events. */
static int write_synth_events(struct target *to, struct span text)
{
	return synth_events_write(to->t, text, to->ops->which, to->diags);
}

static int truncate_synth_events(struct target *to)
{
	int err = to->ops->which ? probe_events_truncate(to->t, PROBE_FILE_ALL, to->diags) : 0;

	return err ? err : synth_events_truncate(to->t, to->diags);
}

static void read_synth_events(const struct target *from, struct printer *p)
{
	(from->ops->which ? print_dynamic_events : print_synthetic_events)(p, from->t);
}

/* ->which: enum probe_file */
static int write_probe_events(struct target *to, struct span text)
{
	return probe_events_write(to->t, (enum probe_file)to->ops->which, text, to->diags);
}

static int truncate_probe_events(struct target *to)
{
	return probe_events_truncate(to->t, (enum probe_file)to->ops->which, to->diags);
}

static void read_probe_events(const struct target *from, struct printer *p)
{
	print_probe_events(p, from->t, (enum probe_file)from->ops->which);
}

static int truncate_error_log(struct target *to)
{
	error_log_clear(&to->tr->errors);
	return 0;
}

static void read_error_log(const struct target *from, struct printer *p)
{
	struct hist *h = from->h;
	struct recordings_times times;

	if (from->tr->errors.n && !from->t->first_ts) {
		p->err = recordings_times(&h->recordings, h->buffer, &times);
		from->t->first_ts = times.first;
	}
	print_error_log(p, from->tr);
}

/* --- existing and enabled events --- */

/* Of the events of ftrace, only print can be enabled, softly by its triggers. */
static void add_print(const struct target *from, struct printer *p)
{
	const struct event_entry print = { "ftrace", span_of("print") };

	if (event_entry_enabled(from->tr, &print))
		strbuf_addstr(&p->buf, "ftrace:print\n");
}

static void read_events(const struct target *from, struct printer *p, bool enabled)
{
	scoped(free_scoped) event_entry_array entries = ARRAY_INIT;
	int err = event_entries(from->t, true, &entries);
	bool print = !enabled;

	array_each_while(const struct event_entry, e, &entries, !err) {
		/* kernel: the first event after those of ftrace, in the order of linking */
		if (!print && (!strcmp(e->system, "bpf_trace") ||
			       !strcmp(e->system, "error_report") || !strcmp(e->system, "power"))) {
			add_print(from, p);
			print = true;
		}
		if (!enabled || event_entry_enabled(from->tr, e))
			strbuf_addf(&p->buf, "%s:%.*s\n", e->system, (int)e->name.n, e->name.s);
	}
	if (!print)
		add_print(from, p);
	if (err && !p->err)
		p->err = err;
}

static void read_available_events(const struct target *from, struct printer *p)
{
	read_events(from, p, false);
}

static void read_set_event(const struct target *from, struct printer *p)
{
	read_events(from, p, true);
	print_mod_events(p, from->tr);
}

/* show_event_filters, show_event_triggers: for each event that was used */
static void read_all_events(const struct target *from, struct printer *p)
{
	scoped(free_scoped) event_entry_array entries = ARRAY_INIT;
	int err = event_entries(from->t, true, &entries);

	array_each_while(const struct event_entry, e, &entries, !err) {
		const struct event_file *file =
			event_file_known(from->tr, span_of(e->system), e->name);

		if (file)
			from->ops->print(p, file);
	}
	if (err && !p->err)
		p->err = err;
	printer_flush(p);
}

static int write_set_event(struct target *to, struct span text)
{
	int err = array_buffer_expand(to->tr);

	err = err ?: set_event_write(to->tr, text, to->diags);
	target_note_recording(to);
	return err;
}

static int truncate_set_event(struct target *to)
{
	set_event_clear(to->tr);
	return 0;
}

/* ->which: enum event_pid_type */
static int write_pids(struct target *to, struct span text)
{
	target_note_changed(to, true);
	return event_pid_write(to->tr, to->ops->which, text, to->diags);
}

static int truncate_pids(struct target *to)
{
	target_note_changed(to, to->tr->pids[to->ops->which].n);
	event_pid_clear(to->tr, to->ops->which);
	return 0;
}

static void read_pids(const struct target *from, struct printer *p)
{
	const struct pid_list *pids = &from->tr->pids[from->ops->which];

	for (size_t i = 0; i < pids->n; i++)
		strbuf_addf(&p->buf, "%u\n", pids->v[i]);
}

static void read_saved_cmdlines(const struct target *from, struct printer *p)
{
	const struct recordings *r = &from->h->recordings;
	struct span text = { NULL, 0 };

	for (size_t i = 0; i < r->files.n && !text.s; i++)
		if (trace_dat_section(r->files.v[i].td, TRACE_DAT_CMDLINES, &text, from->diags))
			text.s = NULL;
	if (text.s)
		strbuf_add(&p->buf, text.s, text.n);
}

/* Not the kernel's README, which lists the features of a kernel. */
static const char readme[] =
	"The tracing directory of a recording, as hist simulates it.\n\n"
	" events/SYSTEM/EVENT/\n"
	"   trigger, hist, hist_debug  triggers, and their histograms\n"
	"   filter, enable             what is recorded\n"
	"   format, id                 its fields, its number\n"
	" events/SYSTEM/enable, filter, events/enable, set_event\n"
	"                              the same for many events\n"
	" show_event_filters, show_event_triggers\n"
	"                              those of all events\n"
	" set_event_pid, set_event_notrace_pid\n"
	"                              which tasks' events are used\n"
	" synthetic_events, dynamic_events, kprobe_events, uprobe_events\n"
	"                              definitions\n"
	" trace, snapshot, per_cpu/cpuN/\n                              the recorded events\n"
	" buffer_size_kb, buffer_subbuf_size_kb, tracing_on, options/\n"
	"                              how\n"
	" error_log                    why a command was refused\n"
	" instances/NAME/              the same for another buffer\n\n"
	"hist-triggers(7) explains them.\n";

/* --- clock and tracer --- */

static void read_trace_clock(const struct target *from, struct printer *p)
{
	const struct machine *m = &from->t->machine;
	const char *chosen = from->tr->clock ? from->tr->clock : m->clock;
	/* some writers store only the selected clock */
	const bool listed = m->clocks && strchr(m->clocks, ' ');
	struct span rest = span_trim(span_of(listed ? m->clocks : chosen));
	const char *blank = "";

	for (; rest.s; blank = " ") {
		struct span name = span_sep(&rest, " ");

		if (span_starts(name, "["))
			name = span_between(name.s + 1, name.s + name.n - (name.n > 1));
		strbuf_addf(&p->buf, span_eq(name, chosen) ? "%s[%.*s]" : "%s%.*s", blank,
			    (int)name.n, name.s);
	}
	strbuf_addch(&p->buf, '\n');
}

static int write_trace_clock(struct target *to, struct span text)
{
	char *name = arena_strndup(&to->t->arena, span_trim(text).s, span_trim(text).n);

	if (!name)
		return HIST_NOMEM;
	if (!machine_has_clock(&to->t->machine, name))
		return diags_error(to->diags, -HIST_EREJECTED, "unknown clock: Invalid argument");
	if (strcmp(name, to->t->machine.clock))
		diags_add(to->diags, DIAG_WARNING,
			  "the recording's clock is %s: times are not converted to %s",
			  to->t->machine.clock, name);
	to->tr->clock = name;
	return 0;
}

static int write_tracing_on(struct target *to, struct span text)
{
	u64 on;

	if (!target_number(to, text, UINT64_MAX, "tracing_on takes 0 or 1", &on))
		return -HIST_EREJECTED;
	to->tr->tracing_on = on != 0;
	/* after the end of a recording this has no effect on it */
	if (!to->h->replayed || to->t != to->h->tracing)
		to->tr->initially_on = on != 0;
	return 0;
}

static void read_tracing_on(const struct target *from, struct printer *p)
{
	strbuf_addstr(&p->buf, from->tr->tracing_on ? "1\n" : "0\n");
}

static int write_current_tracer(struct target *to, struct span text)
{
	if (span_eq(span_trim(text), "nop"))
		return 0;
	return diags_error(to->diags, -HIST_EREJECTED,
			   "only the nop tracer can be replayed: Invalid argument");
}

const struct file_ops instance_files[] = {
	{ .name = "synthetic_events",
	  .write = write_synth_events,
	  .truncate = truncate_synth_events,
	  .read = read_synth_events },
	{ .name = "dynamic_events",
	  .write = write_synth_events,
	  .truncate = truncate_synth_events,
	  .read = read_synth_events,
	  .which = true },
	{ .name = "kprobe_events",
	  .write = write_probe_events,
	  .truncate = truncate_probe_events,
	  .read = read_probe_events,
	  .which = PROBE_FILE_KPROBES },
	{ .name = "uprobe_events",
	  .write = write_probe_events,
	  .truncate = truncate_probe_events,
	  .read = read_probe_events,
	  .which = PROBE_FILE_UPROBES },
	{ .name = "error_log",
	  .write = target_ignore,
	  .truncate = truncate_error_log,
	  .read = read_error_log },
	{ .name = "available_events", .read = read_available_events },
	{ .name = "set_event",
	  .write = write_set_event,
	  .truncate = truncate_set_event,
	  .read = read_set_event },
	{ .name = "show_event_filters",
	  .read = read_all_events,
	  .print = print_event_filter,
	  .since_7_0 = true },
	{ .name = "show_event_triggers",
	  .read = read_all_events,
	  .print = print_event_triggers,
	  .live = true,
	  .since_7_0 = true },
	{ .name = "set_event_pid",
	  .write = write_pids,
	  .truncate = truncate_pids,
	  .read = read_pids,
	  .which = EVENT_PIDS },
	{ .name = "set_event_notrace_pid",
	  .write = write_pids,
	  .truncate = truncate_pids,
	  .read = read_pids,
	  .which = EVENT_NO_PIDS },
	{ .name = "README", .text = readme },
	{ .name = "saved_cmdlines", .read = read_saved_cmdlines },
	{ .name = "timestamp_mode", .text = "[delta] absolute\n" },
	{ .name = "trace_clock", .write = write_trace_clock, .read = read_trace_clock },
	{ .name = "tracing_on", .write = write_tracing_on, .read = read_tracing_on, .live = true },
	{ .name = "current_tracer", .write = write_current_tracer, .text = "nop\n" },
	{ .name = NULL },
};
