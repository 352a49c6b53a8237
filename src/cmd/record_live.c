// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist record --live: the script for the kernel. Converts the writes of the script for the
 * instance: each histogram is paused, triggers start all of them at one mark and stop them at
 * another. The same is stored as text, for `hist report --compare-live`.
 *
 * kernel: enable_hist and disable_hist act on all histograms of an event. A histogram that the
 * script itself pauses is left to the script, unless it shares its event with one that is not
 * paused.
 */
#include "cmd/record_script.h"
#include "cmd/sql_args.h"

/* Append echo 'TEXT' >> FILE, quoted for a shell. */
static void add_text(struct record_script *rs, const char *file, const char *text)
{
	strbuf_addstr(&rs->live_text, "echo ");
	strbuf_addquoted(&rs->live_text, text, strlen(text));
	strbuf_addf(&rs->live_text, " >> %s\n", file);
}

/* One write of @text, which is in the arena; NULL: out of memory. */
static int add_write(struct record_script *rs, const char *path, const char *text)
{
	const struct record_write line = { .path = arena_strdup(rs->arena, path), .text = text };

	if (!line.path || !text)
		return HIST_NOMEM;
	add_text(rs, path, text);
	return array_push(&rs->live, line);
}

static bool has_part(struct span trigger, const char *part)
{
	while (trigger.s)
		if (span_eq(span_sep(&trigger, ":"), part))
			return true;
	return false;
}

/* The gate of the event of "events/S/E/trigger", which is added if new. NULL: out of memory */
static struct record_gate *find_gate(struct record_script *rs, const char *path)
{
	struct span system, name;
	struct record_gate gate = { .starts = false };

	cmd_split_event(path, &system, &name);
	gate.event =
		arena_printf(rs->arena, "%.*s:%.*s", (int)system.n, system.s, (int)name.n, name.s);
	gate.file = arena_printf(rs->arena, "events/%.*s/%.*s/hist", (int)system.n, system.s,
				 (int)name.n, name.s);
	gate.free = span_eq(system, "synthetic") || span_eq(system, "ftrace");
	if (!gate.event || !gate.file)
		return NULL;
	for (size_t i = 0; i < rs->gates.n; i++)
		if (!strcmp(rs->gates.v[i].event, gate.event))
			return &rs->gates.v[i];
	return array_push(&rs->gates, gate) ? NULL : &rs->gates.v[rs->gates.n - 1];
}

static int add_hist(struct record_script *rs, const char *path, struct span text)
{
	struct span trigger = span_sep(&(struct span){ text.s, text.n }, " \t\n");
	struct span filter = span_skip(text, trigger.n);
	struct record_gate *gate = find_gate(rs, path);
	bool changes = has_part(trigger, "cont") || has_part(trigger, "clear") ||
		       has_part(trigger, "continue");
	bool pause = !changes && !has_part(trigger, "pause") && gate && !gate->free;

	if (!gate)
		return HIST_NOMEM;
	gate->starts |= pause;
	return add_write(rs, path,
			 arena_printf(rs->arena, "%.*s%s%.*s", (int)trigger.n, trigger.s,
				      pause ? ":pause" : "", (int)filter.n, filter.s));
}

static int add_line(struct record_script *rs, const char *path, const char *text)
{
	struct span trimmed = span_trim(span_of(text));
	const char *slash = strrchr(path, '/');
	const char *copy = arena_strndup(rs->arena, trimmed.s, trimmed.n);

	if (!copy)
		return HIST_NOMEM;
	if (!strcmp(path, "synthetic_events")) {
		add_text(rs, path, copy); /* created with the probes */
		return 0;
	}
	if (strncmp(path, "events/", 7) || !slash || strcmp(slash, "/trigger"))
		return 0;
	if (span_starts(trimmed, "hist"))
		return add_hist(rs, path, trimmed);
	/* the recording itself requests these stacks */
	return span_starts(trimmed, "stacktrace") ? 0 : add_write(rs, path, copy);
}

/* Start the histogram, unless the script pauses it, and stop it. */
static int add_gate(struct record_script *rs, const struct record_gate *gate)
{
	int err = array_push(&rs->live_files, gate->file);

	if (!err && gate->starts)
		err = add_write(rs, "events/ftrace/print/trigger",
				arena_printf(rs->arena,
					     "enable_hist:%s if buf ~ \"" RECORD_LIVE_START "*\"",
					     gate->event));
	if (!err && !gate->free)
		err = add_write(rs, "events/syscalls/sys_enter_getpgid/trigger",
				arena_printf(rs->arena, "disable_hist:%s if pid == %d", gate->event,
					     RECORD_LIVE_STOP_PID));
	return err;
}

static int add_table(void *arg, const struct hist_trigger *t)
{
	struct record_script *rs = arg;
	const char *text =
		arena_printf(rs->arena, t->filter ? "%s if %s" : "%s%s", t->text, t->filter ?: "");

	return text ? add_line(rs, t->path, text) : HIST_NOMEM;
}

int record_live_plan(struct record_script *rs, struct hist *h, const struct hist_script *script,
		     struct diags *diags)
{
	const struct record_event stop = { .pattern = RECORD_LIVE_STOP_EVENT };
	struct record_plan *plan = rs->plan;
	const char *path, *text;
	int err = 0;

	for (size_t i = 0; !err && hist_script_get(script, i, &path, &text); i++)
		err = add_line(rs, path, text);
	err = err ?: hist_script_triggers(h, script, true, add_table, rs, diags);
	if (!err && !rs->gates.n)
		return diags_error(diags, -HIST_EINVAL, "--live: there is no hist trigger");
	for (size_t i = 0; !err && i < rs->gates.n; i++)
		err = add_gate(rs, &rs->gates.v[i]);
	err = err ?: array_push(&rs->events, stop);
	if (!err && rs->live_text.failed)
		err = HIST_NOMEM;
	plan->live_writes = rs->live.v;
	plan->n_live_writes = rs->live.n;
	plan->live_files = rs->live_files.v;
	plan->n_live_files = rs->live_files.n;
	plan->live_script = (struct span){ rs->live_text.s, rs->live_text.len };
	return err;
}
