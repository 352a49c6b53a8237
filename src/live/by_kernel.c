// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The events of the conditions with their filters, and of the script what makes synthetic ones.
 * What else a script does may change what is recorded, so then hist evaluates the conditions.
 */
#include <stdlib.h>

#include "live/by_kernel.h"

/* The filter with numbers for names; unchanged if that is not possible, so the kernel refuses it.
 */
static const char *filter_text(struct by_kernel *k, struct hist *h,
			       const struct hist_event_choice *choice)
{
	struct strbuf path = STRBUF_INIT;
	struct diags ignored = DIAGS_INIT;
	char *text = NULL;
	const char *copy = choice->filter;

	strbuf_addf(&path, "events/%s", choice->event);
	if (path.s && strchr(path.s, ':'))
		*strchr(path.s, ':') = '/';
	if (copy && path.s && !hist_kernel_filter(h, path.s, copy, &text, &ignored))
		copy = arena_strdup(&k->arena, text);
	free(text);
	strbuf_release(&path);
	diags_release(&ignored);
	return copy;
}

static void add_event(struct by_kernel *k, struct hist *h, const struct hist_event_choice *choice)
{
	const struct record_event ev = { .pattern = arena_strdup(&k->arena, choice->event),
					 .filter = filter_text(k, h, choice) };

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
	const struct record_write write = { path, text };

	if (!strncmp(path, "events/derived/", 15))
		k->why = arena_printf(&k->arena, "the script has a trigger on a derived event, %s",
				      path);
	else if (strncmp(text, "hist:", 5) != 0)
		k->why = arena_printf(&k->arena, "the script has a trigger that is not hist: %s",
				      text);
	else if (array_push(&k->writes, write))
		k->why = "out of memory";
}

static void add_write(struct by_kernel *k, const char *path, const char *text)
{
	struct span trimmed = span_trim(span_of(text));
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
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
	for (size_t i = 0; i < choices->v.n; i++)
		if (!strncmp(choices->v.v[i].event, "synthetic:", 10))
			return true;
	return false;
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
	k->until = (struct record_until){ k->events.v,      k->events.n, k->definitions.v,
					  k->definitions.n, k->writes.v, k->writes.n };
}

void by_kernel_release(struct by_kernel *k)
{
	array_release(&k->events);
	array_release(&k->definitions);
	array_release(&k->writes);
	arena_release(&k->arena);
}
