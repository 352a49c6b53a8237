// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The events of the conditions with their filters, and of the script what makes synthetic ones.
 * What else a script does may change what is recorded, so then hist evaluates the conditions.
 */
#include "count/count.h"
#include "hist-ask.h"
#include "live/by_kernel.h"
#include "tracefs/tracefs.h"

/* Of a question, which has no limit: with more rows, the kernel cannot count it. */
#define ROWS_MAX "32768"

/* The filter with numbers for names; unchanged if that is not possible, so the kernel refuses it.
 */
static const char *filter_text(struct by_kernel *k, struct hist *h, const char *path,
			       const char *filter)
{
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	scoped(free_scoped) char *text = NULL;

	if (filter && path && !hist_kernel_filter(h, path, filter, &text, &ignored))
		filter = arena_strdup(&k->arena, text);
	return filter;
}

static void add_event(struct by_kernel *k, struct hist *h, const struct hist_event_choice *choice)
{
	char *path = arena_printf(&k->arena, "events/%s", choice->event);
	struct record_event ev = { .pattern = arena_strdup(&k->arena, choice->event) };

	if (path && strchr(path, ':'))
		*strchr(path, ':') = '/';
	ev.filter = filter_text(k, h, path, choice->filter);
	if (!strncmp(choice->event, "derived:", 8))
		k->why = arena_printf(&k->arena, "%s is made by hist", choice->event);
	else if (!strncmp(choice->event, "ftrace:", 7))
		/* they come from trace_marker and tracers */
		k->why = arena_printf(&k->arena, "the kernel does not filter %s", choice->event);
	else if (!ev.pattern || array_push(&k->events, ev))
		k->why = "out of memory";
}

static void add_definition(struct by_kernel *k, const char *text)
{
	const struct record_probe probe = { "synthetic_events", text };

	if (*text && array_push(&k->definitions, probe))
		k->why = "out of memory";
}

static void add_trigger(struct by_kernel *k, const char *path, const char *text)
{
	const struct record_write write = { arena_strdup(&k->arena, path), text };

	if (!strncmp(path, "events/derived/", 15))
		k->why = arena_printf(&k->arena, "the script has a trigger on a derived event, %s",
				      path);
	else if (strncmp(text, "hist:", 5) != 0)
		k->why = arena_printf(&k->arena, "the script has a trigger that is not hist: %s",
				      text);
	else if (!write.path || array_push(&k->writes, write))
		k->why = "out of memory";
}

static void add_write(struct by_kernel *k, const char *path, const char *text)
{
	struct span trimmed = span_trim(span_of(text));
	const char *file = path_base(path);
	const char *copy = arena_strndup(&k->arena, trimmed.s, trimmed.n);

	path = arena_strdup(&k->arena, path);
	if (!copy || !path)
		k->why = "out of memory";
	else if (!strcmp(path, "synthetic_events"))
		add_definition(k, copy);
	else if (!strncmp(path, "events/", 7) && !strcmp(file, "trigger"))
		add_trigger(k, path, copy);
	else if (strcmp(file, "enable") != 0)
		k->why = arena_printf(&k->arena, "the script writes to %s", path);
}

static bool waits_for_synthetic(const struct match_choices *choices)
{
	return any_of(i, choices->v.n, !strncmp(choices->v.v[i].event, "synthetic:", 10));
}

void by_kernel_plan(struct by_kernel *k, struct hist *h, const struct hist_script *script,
		    const struct match_choices *choices)
{
	const char *path, *text;

	for (size_t i = 0; i < choices->v.n && !k->why; i++)
		add_event(k, h, &choices->v.v[i]);
	/* without them, the script is only stored */
	if (waits_for_synthetic(choices))
		for (size_t i = 0; !k->why && hist_script_get(script, i, &path, &text); i++)
			add_write(k, path, text);
	k->until = (struct record_until){ .events = k->events.v,
					  .n_events = k->events.n,
					  .definitions = k->definitions.v,
					  .n_definitions = k->definitions.n,
					  .writes = k->writes.v,
					  .n_writes = k->writes.n };
}

/* --- counting --- */

struct table_writes {
	struct by_kernel *k;
	struct hist *h;
};

/* A trigger of a table as kernels take it; its first ":" is that of "hist:". */
static int add_table(void *arg, const struct hist_trigger *t)
{
	const struct table_writes *c = arg;
	struct by_kernel *k = c->k;
	const char *dir =
		arena_strndup(&k->arena, t->path, (size_t)(strrchr(t->path, '/') - t->path));
	const char *filter = t->filter ? filter_text(k, c->h, dir, t->filter) : "";
	const char *size = strstr(t->text, ":size=") ? "" : "size=" ROWS_MAX ":";
	const char *text = arena_printf(&k->arena, "hist:%s%s%s%s", size, t->text + 5,
					t->filter ? " if " : "", filter);

	/* kernel: a pattern also matches what is after the end of a string */
	if (strchr(filter, '~'))
		k->why = "the pattern of a filter may match more in the kernel";
	else if (dir && text)
		add_trigger(k, t->path, text);
	else
		k->why = "out of memory";
	return 0;
}

static void check_trigger(struct by_kernel *k, const struct trigger *trigger)
{
	const struct event_file *file = trigger->file;
	const char *lack;

	if (file->tr->name[0] || file->synth)
		k->why = arena_printf(&k->arena, "%s:%s is of an instance, or synthetic",
				      file->system, file->name);
	else if (file->triggers.n > 1)
		k->why = arena_printf(&k->arena, "%s:%s has several triggers", file->system,
				      file->name);
	else if (trigger->hist && (lack = kernel_rows_lack(trigger->hist)))
		k->why = arena_printf(&k->arena, "%s:%s: %s", file->system, file->name, lack);
}

static void check_triggers(struct by_kernel *k, const struct hist_script *script,
			   const char *machine, bool stats)
{
	const struct hist_options open = { .inputs = &machine, .n_inputs = 1, .jobs = 1 };
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	struct hist *h = NULL;

	if (hist_open(&open, &h, &ignored)) {
		k->why = "the description of the machine cannot be read";
	} else {
		h->tracing->options.stats = stats;
		if (hist_script_apply(h, script, &ignored))
			k->why = "a line of the script is rejected";
		for (size_t i = 0; i < h->tracing->triggers.n && !k->why; i++)
			if (h->tracing->triggers.v[i])
				check_trigger(k, h->tracing->triggers.v[i]);
	}
	hist_close(h);
}

void by_kernel_count(struct by_kernel *k, struct hist *h, const struct hist_script *script,
		     const char *machine, bool stats)
{
	struct table_writes tables = { k, h };
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	const char *path, *text;

	for (size_t i = 0; !k->why && hist_script_get(script, i, &path, &text); i++) {
		const char *slash = strrchr(path, '/');

		/* what is recorded; triggers have their own */
		if (!slash || strcmp(slash, "/filter") != 0)
			add_write(k, path, text);
	}
	if (!k->why && k->definitions.n)
		k->why = "the script makes synthetic events";
	if (!k->why && hist_script_triggers(h, script, false, add_table, &tables, &ignored))
		k->why = "a line of the script is rejected";
	if (!k->why)
		check_triggers(k, script, machine, stats);
	k->until = (struct record_until){ .counts = true,
					  .writes = k->writes.v,
					  .n_writes = k->writes.n };
}

void by_kernel_release(struct by_kernel *k)
{
	array_release(&k->events);
	array_release(&k->definitions);
	array_release(&k->writes);
	arena_release(&k->arena);
}
