// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Selects events by names and patterns, from the text of available_events and the requests of a
 * plan. Each event is selected once; the result is sorted.
 *
 * A word without a system is matched against systems and events, as in ftrace_set_clr_event(). This
 * file does not use tracefs, so it can be tested without it.
 */
#include <fnmatch.h>

#include "record/event_choice.h"

int event_list_parse(struct event_list *list, struct span text)
{
	while (text.s) {
		struct span name = span_trim(span_sep(&text, "\n"));
		struct span system = span_sep(&name, ":");
		struct event_name ev;

		if (!system.n || !name.n)
			continue;
		ev.system = arena_strndup(&list->arena, system.s, system.n);
		ev.name = arena_strndup(&list->arena, name.s, name.n);
		if (!ev.system || !ev.name || array_push(&list->all, ev))
			return -HIST_ENOMEM;
	}
	return 0;
}

void event_list_release(struct event_list *list)
{
	array_release(&list->all);
	arena_release(&list->arena);
}

/* --- one pattern --- */

/* A parsed pattern: with a system both parts must match, without one either of them. */
struct pattern {
	const char *system; /* NULL: none was given */
	const char *name;   /* "": all events of the system */
};

static bool is_glob(const char *s)
{
	return strpbrk(s, "*?[") != NULL;
}

static bool glob_eq(const char *glob, const char *s)
{
	return fnmatch(glob, s, 0) == 0;
}

static bool pattern_matches(const struct pattern *p, const struct event_name *ev)
{
	if (!p->system)
		return strcmp(p->name, "all") == 0 || glob_eq(p->name, ev->system) ||
		       glob_eq(p->name, ev->name);
	return glob_eq(p->system, ev->system) && (!*p->name || glob_eq(p->name, ev->name));
}

/* Whether a pattern can match only one event. */
static bool pattern_is_name(const struct pattern *p, const struct event_name *ev)
{
	return strcmp(p->name, ev->name) == 0 && (!p->system || strcmp(p->system, ev->system) == 0);
}

/* --- suggestions --- */

static int unknown_event(const struct event_list *list, const struct pattern *p,
			 struct diags *diags)
{
	scoped(strbuf_release) struct strbuf wanted = STRBUF_INIT, best = STRBUF_INIT;
	scoped(arena_release) struct arena arena = ARENA_INIT;
	const char *system = NULL; /* events are grouped by system */
	const char *here = event_word(p->system ? p->system : p->name);
	struct near near;

	strbuf_addf(&wanted, "%s%s%s", p->system ? p->system : "", p->system ? ":" : "", p->name);
	near = (struct near)NEAR_INIT(wanted.s);
	array_each(const struct event_name, ev, &list->all) {
		const char *full = arena_printf(&arena, "%s:%s", ev->system, ev->name);

		if (full)
			near_offer(&near, p->system ? full : ev->name, full);
		if (!p->system && (!system || strcmp(system, ev->system) != 0))
			near_offer(&near, ev->system, ev->system);
		system = ev->system;
	}
	near_text(&near, &best);
	diags_error(diags, 0, "%s %s%s%s",
		    is_glob(wanted.s) ? "no event of this kernel matches"
				      : "this kernel has no event",
		    wanted.s,
		    best.len ? "; nearest: "
		    : here   ? ""
			     : "; hist list --live shows all",
		    best.s);
	if (here)
		diags_add(diags, DIAG_NOTE, "%s", here);
	if (p->system ? !strcmp(p->system, "ftrace")
		      : !strcmp(p->name, "function") || !strncmp(p->name, "funcgraph", 9))
		diags_add(
			diags, DIAG_NOTE,
			"of the system ftrace, only print can be recorded in this way; -p function and -p function_graph record the others");
	return -HIST_ENOENT;
}

/* --- the selection --- */

static struct selected_event *selection_find(struct selection *sel, const struct event_name *ev)
{
	return array_find(&sel->events, e, e->name == ev->name);
}

static int selection_add(struct selection *sel, const struct event_name *ev,
			 const struct record_event *req, bool by_name)
{
	struct selected_event *found = selection_find(sel, ev);

	if (!found) {
		if (array_push(&sel->events,
			       ((struct selected_event){ .system = ev->system, .name = ev->name })))
			return -HIST_ENOMEM;
		found = &sel->events.v[sel->events.n - 1];
	}
	if (req->filter) {
		found->filter = req->filter;
		found->try_filter = req->try_filter;
	}
	found->stack |= req->stack;
	found->by_name |= by_name;
	return 0;
}

/* A bare event name that exists in several systems selects none of them. */
static int check_ambiguous(const struct event_list *list, const struct pattern *p,
			   struct diags *diags)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t n = 0;

	if (p->system || is_glob(p->name))
		return 0;
	array_each(const struct event_name, ev, &list->all) {
		if (strcmp(ev->system, p->name) == 0)
			n = list->all.n;
		else if (pattern_is_name(p, ev))
			strbuf_addf(&sb, "%s%s:%s", n++ ? ", " : "", ev->system, ev->name);
	}
	if (n > 1 && n < list->all.n)
		diags_error(diags, 0, "several systems have an event %s: %s", p->name, sb.s);
	return n > 1 && n < list->all.n ? -HIST_EINVAL : 0;
}

static int apply_pattern(struct selection *sel, const struct event_list *list,
			 const struct record_event *req, const struct pattern *p,
			 struct diags *diags)
{
	static const struct event_name marker = { .system = "ftrace", .name = "print" };
	struct selected_event *found;
	size_t matches = 0;
	int err = check_ambiguous(list, p, diags);

	for (size_t i = 0; !err && i < list->all.n; i++) {
		const struct event_name *ev = &list->all.v[i];

		if (!pattern_matches(p, ev))
			continue;
		matches++;
		found = selection_find(sel, ev);
		if (!req->exclude)
			err = selection_add(sel, ev, req, pattern_is_name(p, ev));
		else if (found && sel->events.n--)
			memmove(found, found + 1,
				(size_t)(sel->events.v + sel->events.n - found) * sizeof(*found));
	}
	if (pattern_matches(p, &marker)) {
		matches++;
		sel->markers = !req->exclude;
		sel->no_markers = req->exclude;
		if (!err && req->filter && !req->try_filter && pattern_is_name(p, &marker))
			err = diags_error(
				diags, -HIST_EINVAL,
				"the kernel does not filter ftrace:print: record it without -f, and use -f 'buf ~ \"...\"' of hist report or hist events");
	}
	return err || matches || req->optional ? err : unknown_event(list, p, diags);
}

static int apply_request(struct selection *sel, const struct event_list *list,
			 const struct record_event *req, struct diags *diags)
{
	char *copy = strdup(req->pattern), *rest = copy, *word;
	size_t words = 0;
	int err = copy ? 0 : -HIST_ENOMEM;

	while (!err && (word = strsep(&rest, ","))) {
		/* "system:event" or "system/event" */
		char *name = near_event_word(word), *cut = strpbrk(name, ":/");
		const struct pattern p = { cut ? name : NULL, cut ? cut + 1 : name };

		if (cut)
			*cut = '\0';
		if (!*p.name && !(p.system && *p.system))
			continue;
		words++;
		err = apply_pattern(sel, list, req, &p, diags);
	}
	free(copy);
	if (!err && !words)
		return diags_error(diags, -HIST_EINVAL, "-e takes the name of an event");
	return err;
}

DEFINE_ORDER(by_system_and_name, struct selected_event,
	     strcmp(x->system, y->system) ?: strcmp(x->name, y->name))

int selection_make(struct selection *sel, const struct event_list *list,
		   const struct record_event *requests, size_t n, struct diags *diags)
{
	for (size_t i = 0; i < n; i++) {
		int err = apply_request(sel, list, &requests[i], diags);

		if (err)
			return err;
	}
	if (sel->events.n)
		qsort(sel->events.v, sel->events.n, sizeof(sel->events.v[0]), by_system_and_name);
	return 0;
}

void selection_release(struct selection *sel)
{
	array_release(&sel->events);
}

bool selection_has(const struct selection *sel, const char *system, const char *name)
{
	return any_of(i, sel->events.n,
		      !strcmp(sel->events.v[i].system, system) &&
			      (!name || !strcmp(sel->events.v[i].name, name)));
}
