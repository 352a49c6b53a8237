// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sets up an instance for a plan and its events, so that it records as soon as tracing is enabled.
 *
 * Everything is set up while tracing is off, so that one write starts every event at once. An
 * instance inherits option flags from the top level, so the relevant options are written even if
 * they should have their defaults.
 */

#include <tracefs.h>

#include "record/session.h"
#include "record/tracedir.h"

enum { DEFAULT_KB = 4096, SMALL_KB = 512 };

#define COPY_MARKERS "options/copy_trace_marker"

/* --- changes --- */

/* Log the current text of @file. The clock is logged as a name, a size without its explanation. */
static int log_setting(struct session *s, const char *file)
{
	size_t n;
	scoped(free_scoped) char *text = tracedir_read(s->instance, file, &n);
	struct span was, rest;

	if (!text)
		return errno == ENOENT ? 0 : -HIST_EIO;
	was = rest = span_trim((struct span){ text, n });
	if (strcmp(file, "trace_clock") == 0)
		was = clock_selected(was);
	else if (strcmp(file, "buffer_size_kb") == 0)
		was = span_sep(&rest, " ");
	else if (span_eq(was, "no pid") || span_starts(was, "#### ")) /* all functions enabled */
		was = span_of("");
	else if (span_eq(was, "none"))
		was = span_of("0"); /* no filter; writing 0 removes one */
	return was.s ? undo_log(s->undo, was, "file %s %s", s->name, file) : 0;
}

int session_set(struct session *s, const char *file, const char *text)
{
	return s->existing && log_setting(s, file) ? -1 : tracedir_write(s->instance, file, text);
}

int session_set_option(struct session *s, const char *file, const char *text)
{
	size_t n = 0;
	char *was = tracedir_read(s->instance, file, &n);
	const bool same = was && span_eq(span_trim((struct span){ was, n }), text);

	free(was);
	if (!same && log_setting(s, file))
		return -1;
	return same ? 0 : tracedir_write(s->instance, file, text);
}

/*
 * Copying markers to an instance whose buffer is off makes each write to trace_marker fail, for all
 * programs of the machine; so they are copied only while the buffer is on.
 */
int session_switch(struct session *s, bool on, struct diags *diags)
{
	if (!on && tracedir_write_if(s->instance, COPY_MARKERS, "0"))
		return tracedir_error(diags, errno, "cannot set an option", COPY_MARKERS);
	if (tracedir_write(s->instance, "tracing_on", on ? "1" : "0"))
		return tracedir_error(diags, errno, on ? "cannot switch on" : "cannot switch off",
				      "tracing_on");
	if (on && s->markers && tracedir_write_if(s->instance, COPY_MARKERS, "1"))
		return tracedir_error(diags, errno, "cannot set an option", COPY_MARKERS);
	return 0;
}

/* --- opening --- */

DEFINE_ORDER(by_number, u32, cmp_int(*x, *y))

/* Every possible CPU has a directory here, even if it is offline. */
static int find_cpus(struct session *s, struct diags *diags)
{
	char *path = tracefs_instance_get_file(s->instance, "per_cpu");
	DIR *d = path ? opendir(path) : NULL;
	struct dirent *entry;
	int err;

	tracefs_put_tracing_file(path);
	if (!d)
		return tracedir_error(diags, errno, "cannot list the CPUs", "per_cpu");
	while (errno = 0, entry = readdir(d)) {
		struct span name = span_of(entry->d_name);
		u64 cpu;

		if (!span_starts(name, "cpu") || !span_u64(span_skip(name, 3), &cpu))
			continue;
		if (array_push(&s->cpus, (u32)cpu)) {
			closedir(d);
			return -HIST_ENOMEM;
		}
	}
	err = errno;
	closedir(d);
	if (err)
		return tracedir_error(diags, err, "cannot list the CPUs", "per_cpu");
	if (!s->cpus.n)
		return diags_error(diags, -HIST_EIO, "the kernel has no directory per_cpu");
	qsort(s->cpus.v, s->cpus.n, sizeof(s->cpus.v[0]), by_number);
	return 0;
}

static int find_sizes(struct session *s, struct diags *diags)
{
	size_t n;
	scoped(free_scoped) char *text = tracedir_read(s->instance, "events/header_page", &n);
	int err;

	if (!text)
		return tracedir_error(diags, errno, "cannot read", "events/header_page");
	err = header_page_parse((struct span){ text, n }, &s->subbuf_size, &s->long_size);
	return err ? diags_error(diags, err, "cannot parse events/header_page") : 0;
}

/* Disable an existing instance after logging its settings. */
static int take_over(struct session *s, struct diags *diags)
{
	char *events, *markers = tracedir_read(s->instance, COPY_MARKERS, NULL);
	size_t n;
	int err = markers || errno == ENOENT ? 0 : -1;

	/* it may have markers copied to it already */
	s->markers = markers && *markers == '1';
	free(markers);
	if (err || log_setting(s, COPY_MARKERS) || log_setting(s, "tracing_on"))
		return tracedir_error(diags, errno, "cannot log", "tracing_on");
	err = session_switch(s, false, diags);
	if (err)
		return err;
	events = tracedir_read(s->instance, "set_event", &n);
	err = events ? undo_log(s->undo, (struct span){ events, n }, "events %s", s->name)
		     : -HIST_EIO;
	free(events);
	if (err || tracedir_write(s->instance, "events/enable", "0"))
		return tracedir_error(diags, errno, "cannot switch events off", "events/enable");
	if (session_set(s, "current_tracer", "nop"))
		return tracedir_error(diags, errno, "cannot switch the tracer off",
				      "current_tracer");
	if (session_set(s, "set_event_pid", "") || session_set(s, "set_event_notrace_pid", ""))
		return tracedir_error(diags, errno, "cannot lift the limits of", "set_event_pid");
	if (tracefs_instance_file_clear(s->instance, "trace"))
		return tracedir_error(diags, errno, "cannot clear", "trace");
	return 0;
}

int session_open(struct session *s, const struct record_plan *plan, struct undo *undo,
		 struct diags *diags)
{
	const char *name = plan->instance;
	struct strbuf sb = STRBUF_INIT;
	int err;

	*s = (struct session){ .undo = undo, .cpus = ARRAY_INIT };
	if (name && (!*name || strpbrk(name, "/ \n") || name[0] == '.'))
		return diags_error(diags, -HIST_EINVAL, "'%s' cannot be the name of an instance",
				   name);
	strbuf_addstr(&sb, name ? name : "hist.");
	if (!name)
		pid_namespace_add_id(&sb);
	s->name = strbuf_detach(&sb);
	if (!s->name)
		return -HIST_ENOMEM;
	s->existing = tracefs_instance_exists(s->name);
	if (s->existing && !plan->instance)
		return diags_error(
			diags, -HIST_EIO,
			"the instance %s exists, with events of an earlier recording that could not be read; try again",
			s->name);
	if (!s->existing && undo_log(undo, span_of(s->name), "instance"))
		return diags_error(diags, -HIST_EIO, "cannot write the journal %s", undo->path);
	s->instance = tracefs_instance_create(s->name);
	if (!s->instance)
		return tracedir_error(diags, errno, "cannot create", "instances");
	if (s->existing)
		err = take_over(s, diags);
	else
		err = session_switch(s, false, diags);
	err = err ?: find_cpus(s, diags);
	return err ? err : find_sizes(s, diags);
}

int session_find(struct session *s, const char *name, struct diags *diags)
{
	int has;

	*s = (struct session){ .name = strdup(name), .existing = true, .cpus = ARRAY_INIT };
	if (!s->name)
		return -HIST_ENOMEM;
	has = tracedir_has_instance(name);
	if (has <= 0)
		return has ? tracedir_error(diags, errno, "cannot open", "instances")
			   : -HIST_ENOENT;
	s->instance = tracefs_instance_alloc(NULL, name);
	if (!s->instance)
		return -HIST_ENOMEM;
	return find_cpus(s, diags) ?: find_sizes(s, diags);
}

int session_attach(struct session *s, const char *name, struct diags *diags)
{
	return session_find(s, name, diags) ?: session_switch(s, false, diags);
}

void session_close(struct session *s)
{
	if (s->instance)
		tracefs_instance_free(s->instance);
	free(s->name);
	array_release(&s->cpus);
	*s = (struct session){ .cpus = ARRAY_INIT };
}

/* --- clock, buffer, options --- */

static int set_clock(struct session *s, const char *clock, struct diags *diags)
{
	size_t n;
	scoped(free_scoped) char *text = tracedir_read(s->instance, "trace_clock", &n);
	struct span clocks = { text, n };
	int err = 0;

	if (!text)
		return tracedir_error(diags, errno, "cannot read", "trace_clock");
	if (!clock_offered(clocks, clock))
		err = diags_error(diags, -HIST_ENOENT, "unknown clock %s; this kernel has: %.*s",
				  clock, (int)span_trim(clocks).n, span_trim(clocks).s);
	else if (!span_eq(clock_selected(clocks), clock) && session_set(s, "trace_clock", clock))
		err = tracedir_error(diags, errno, "cannot set", "trace_clock");
	return err;
}

static int set_buffer_size(struct session *s, u64 kb, struct diags *diags)
{
	char *info = file_read("/proc/meminfo", NULL), text[24];
	const char *at = info ? strstr(info, "MemAvailable:") : NULL;
	u64 memory = 0, cpus = s->cpus.n; /* KB; 0: unknown */

	if (at) {
		struct span rest = span_ltrim(span_of(at + strlen("MemAvailable:")));

		span_u64(span_sep(&rest, " "), &memory);
	}
	free(info);
	if (!kb && s->existing)
		return 0;
	if (!kb) /* at most 1/32 of the memory */
		kb = memory ? min_t(u64, DEFAULT_KB, max_t(u64, SMALL_KB, memory / 32 / cpus))
			    : DEFAULT_KB;
	if (memory && kb > memory / cpus)
		return diags_error(
			diags, -HIST_ELIMIT,
			"-b %llu: %llu KB for each of %llu CPUs, but %llu KB of memory are free; "
			"at most -b %llu",
			kb, kb, cpus, memory, memory / cpus / 2);
	snprintf(text, sizeof(text), "%llu", kb);
	if (session_set(s, "buffer_size_kb", text))
		return tracedir_error(diags, errno, "cannot set", "buffer_size_kb");
	/* a small buffer must be read before it is half full */
	if (kb < SMALL_KB && tracefs_file_exists(s->instance, "buffer_percent"))
		session_set(s, "buffer_percent", "25");
	return 0;
}

int session_configure(struct session *s, const struct record_plan *plan,
		      const struct selection *sel, struct diags *diags)
{
	const struct {
		const char *file;
		bool on;
	} options[] = {
		{ "options/overwrite", !plan->no_overwrite },
		{ "options/stacktrace", plan->stacks },
		{ "options/userstacktrace", plan->user_stacks },
		{ "options/event-fork", plan->children },
		{ "options/function-fork", plan->children && plan->tracer },
		{ "options/block", false },
	};
	int err = plan->clock ? set_clock(s, plan->clock, diags) : 0;

	if (sel->markers && !tracefs_file_exists(s->instance, COPY_MARKERS))
		diags_add(
			diags, DIAG_WARNING,
			"this kernel does not copy trace_marker to instances: only texts written to instances/%s/trace_marker are recorded",
			s->name);

	for (size_t i = 0; !err && i < ARRAY_SIZE(options); i++)
		if (tracefs_file_exists(s->instance, options[i].file) &&
		    session_set(s, options[i].file, options[i].on ? "1" : "0"))
			err = tracedir_error(diags, errno, "cannot set an option", options[i].file);
	s->markers |= sel->markers || (!s->existing && !sel->no_markers);
	s->tracer = plan->tracer != NULL;
	return err ? err : set_buffer_size(s, plan->buffer_kb, diags);
}

/* --- events --- */

/* Path of a file of an event, for messages and for writing; valid in @sb until its next use. */
static const char *event_file(struct strbuf *sb, const struct selected_event *ev, const char *file)
{
	strbuf_reset(sb);
	strbuf_addf(sb, "events/%s/%s/%s", ev->system, ev->name, file);
	return sb->s;
}

/* Report the names of the event's fields. */
static void report_fields(const struct selected_event *ev, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	scoped(free_scoped) char *text = tracedir_read(NULL, event_file(&sb, ev, "format"), NULL);
	struct span rest = span_of(text ? text : "");

	strbuf_reset(&sb);
	while (rest.s) {
		struct span line = span_sep(&rest, "\n");
		struct span field = span_trim(span_sep(&line, ";"));
		const char *cut = field.n ? span_rchr(field, ' ') : NULL;
		struct span name;

		if (!cut || !span_starts(field, "field:") || !strncmp(cut, " common_", 8))
			continue;
		name = span_between(cut + 1, field.s + field.n);
		name = span_sep(&name, "["); /* an array */
		strbuf_addf(&sb, "%s%.*s", sb.len ? ", " : "", (int)name.n, name.s);
	}
	if (sb.len)
		diags_add(diags, DIAG_NOTE, "%s:%s has %s, and the fields common_*", ev->system,
			  ev->name, sb.s);
}

static int set_filter(struct session *s, struct selected_event *ev, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT, what = STRBUF_INIT;
	const char *file = event_file(&sb, ev, "filter");
	const bool failed = ev->filter && session_set(s, file, ev->filter);
	int err = 0;

	if (failed && ev->try_filter) {
		/* kernel: a filter that it refuses is off */
		ev->filter = NULL;
	} else if (failed) {
		/* kernel: unbalanced parentheses and quotes give EPERM, ENOENT or ESRCH */
		int was = errno;
		const enum refusal why = error_log_find(s->instance, ev->filter);
		const bool refused = was == EINVAL || why;

		if (!refused)
			err = tracedir_error(diags, was, "cannot set the filter", file);
		strbuf_addf(&what, "filter of %s:%s", ev->system, ev->name);
		if (refused)
			err = error_log_report(s->instance, what.s, ev->filter, diags);
		if (why == REFUSAL_FIELD)
			report_fields(ev, diags);
	}
	return err;
}

/* Record stacks only for records that pass the filter. */
static int set_stack_trigger(struct session *s, const struct selected_event *ev,
			     struct diags *diags)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT, text = STRBUF_INIT;
	const char *file = event_file(&sb, ev, "trigger");
	scoped(free_scoped) char *triggers = s->existing ? tracedir_read(s->instance, file, NULL)
							 : NULL;
	bool there = triggers && strstr(triggers, "stacktrace:");
	int err = 0;

	strbuf_addstr(&text, "stacktrace");
	if (ev->filter)
		strbuf_addf(&text, " if %s", ev->filter);
	if (text.failed)
		err = -HIST_ENOMEM;
	if (!err && s->existing && !there)
		err = undo_log(s->undo, span_of("!stacktrace"), "file %s %s", s->name, file);
	if (!err && !there && tracedir_append(s->instance, file, text.s))
		err = tracedir_error(diags, errno, "cannot enable stacks", file);
	return err;
}

int session_enable(struct session *s, struct selection *sel, struct diags *diags)
{
	size_t kept = 0;
	int err = 0;

	/* all filters are checked before anything is enabled */
	for (size_t i = 0; !err && i < sel->events.n; i++)
		err = set_filter(s, &sel->events.v[i], diags);
	for (size_t i = 0; !err && i < sel->events.n; i++)
		if (sel->events.v[i].stack)
			err = set_stack_trigger(s, &sel->events.v[i], diags);
	for (size_t i = 0; !err && i < sel->events.n; i++) {
		const struct selected_event ev = sel->events.v[i];
		scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
		const char *file = event_file(&sb, &ev, "enable");

		if (!tracedir_write(s->instance, file, "1"))
			sel->events.v[kept++] = ev;
		else if (ev.by_name)
			err = tracedir_error(diags, errno, "cannot switch the event on", file);
		else
			diags_add(diags, DIAG_WARNING,
				  "%s:%s cannot be switched on (%s) and is left out", ev.system,
				  ev.name, strerror(errno));
	}
	sel->events.n = kept;
	if (!err && !kept && !sel->markers && !s->tracer)
		return diags_error(diags, -HIST_ENOENT, "no event could be switched on");
	return err;
}

int session_limit_pids(struct session *s, const s32 *pids, size_t n, struct diags *diags)
{
	for (size_t i = 0; i < n; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%d", pids[i]);
		if (tracedir_append(s->instance, "set_event_pid", text))
			return tracedir_error(diags, errno, "cannot limit the recording",
					      "set_event_pid");
		if (s->tracer && tracefs_file_exists(s->instance, "set_ftrace_pid") &&
		    tracedir_append(s->instance, "set_ftrace_pid", text))
			return tracedir_error(diags, errno, "cannot limit the tracer",
					      "set_ftrace_pid");
	}
	return 0;
}
