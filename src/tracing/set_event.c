// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Enables and disables events, by words of set_event, or by 0 or 1 for a system or all.
 *
 * Corresponds to __ftrace_set_clr_event_nolock(), ftrace_set_clr_event(), system_enable_read() in
 * trace_events.c, trace_get_user() in trace.c.
 */
#include "program/synth_event.h"
#include "tracing/dynamic_event.h"
#include "tracing/set_event.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

enum { WORD_MAX = 127 }; /* kernel: EVENT_BUF_SIZE */

/* --- all events --- */

int event_entries(struct tracing *t, bool listed, event_entry_array *out)
{
	const struct event_text *texts;
	const u32 *order;
	int err = 0;
	size_t n;

	texts = event_db_texts(t->machine.db, &n);
	order = listed ? event_db_listed(t->machine.db, &n) : NULL;
	if (listed && !order)
		return HIST_NOMEM;
	/* kernel: new events are inserted at the front */
	for (size_t i = t->probes.n; i > 0 && !err; i--) {
		const struct probe *p = t->probes.v[i - 1];
		const struct event_entry e = { p->text.group, span_of(p->text.name) };

		/* if several have one name, the first one defines the event */
		if (p->format && probe_find(t, span_of(e.system), e.name) == p)
			err = array_push(out, e);
	}
	for (size_t i = t->synth_events.n; i > 0 && !err; i--)
		err = array_push(out,
				 ((struct event_entry){ "synthetic",
							span_of(t->synth_events.v[i - 1]->name) }));
	for (size_t i = 0; i < n && !err; i++) {
		const struct event_text *text = &texts[order ? order[i] : i];

		if (!strcmp(text->system, "ftrace") ||
		    (!strcmp(text->system, "synthetic") && synth_event_find(t, text->name)))
			continue;
		err = array_push(out, ((struct event_entry){ text->system, text->name }));
	}
	return err;
}

/* The event's file, if it was ever used. */
static struct event_file *find_file(const struct trace_array *tr, const struct event_entry *entry)
{
	return event_file_known(tr, span_of(entry->system), entry->name);
}

bool event_entry_enabled(const struct trace_array *tr, const struct event_entry *entry)
{
	const struct event_file *file = find_file(tr, entry);

	return file && file->state.enabled;
}

bool system_exists(struct tracing *t, struct span system)
{
	const struct event_text *texts;
	size_t n;

	texts = event_db_texts(t->machine.db, &n);
	for (size_t i = 0; i < n; i++)
		if (span_eq(system, texts[i].system))
			return true;
	for (size_t i = 0; i < t->probes.n; i++)
		if (span_eq(system, t->probes.v[i]->text.group))
			return true;
	return span_eq(system, "synthetic") && t->synth_events.n;
}

/* --- enabling --- */

/* The parts of a word; absent parts match all. */
struct event_pattern {
	struct span either, system, event, module;
};

static bool matches(struct tracing *t, const struct event_pattern *w, const struct event_entry *e)
{
	if (w->module.s && !span_same(event_module(t->machine.db, e->name), w->module))
		return false;
	if (w->either.s && !span_same(w->either, e->name) && !span_eq(w->either, e->system))
		return false;
	if (w->system.s && !span_eq(w->system, e->system))
		return false;
	return !w->event.s || span_same(w->event, e->name);
}

/* Return: number of events; < 0: an error */
static int switch_events(struct trace_array *tr, const struct event_pattern *w, bool on)
{
	scoped(free_scoped) event_entry_array entries = ARRAY_INIT;
	struct event_file *one = NULL;
	int n = 0, err;

	/* SYSTEM:NAME by lookup, because a script may contain thousands of these */
	if (w->system.s && w->event.s && !w->module.s)
		one = event_file_find_enabled(tr, w->system, w->event);
	if (one) {
		event_file_enable(one, on, false);
		return 1;
	}
	err = event_entries(tr->tracing, false, &entries);
	array_each_while(const struct event_entry, e, &entries, !err) {
		struct event_file *file;

		if (!matches(tr->tracing, w, e))
			continue;
		n++;
		/*
		 * an event that was never used is disabled, and one that cannot be parsed has no
		 * file
		 */
		file = on ? event_file_find(tr, span_of(e->system), e->name) : find_file(tr, e);
		if (file)
			event_file_enable(file, on, false);
	}
	return err ? err : n;
}

int system_enable(struct trace_array *tr, const char *system, bool on, struct diags *diags)
{
	const struct event_pattern w = { .system = system ? span_of(system)
							  : (struct span){ NULL, 0 } };
	int n = switch_events(tr, &w, on);

	if (n < 0)
		return n;
	return n ? 0 : diags_error(diags, -HIST_EREJECTED, "no events to enable: Invalid argument");
}

void set_event_clear(struct trace_array *tr)
{
	for (struct event_file *file = tr->files; file; file = file->next)
		if (event_file_can_enable(file))
			event_file_enable(file, false, false);
	tr->mod_events.n = 0;
}

char system_enabled(struct trace_array *tr, const char *system)
{
	static const char set[] = { '?', '0', '1', 'X' };
	scoped(free_scoped) event_entry_array entries = ARRAY_INIT;
	unsigned int found = 0;
	int err = event_entries(tr->tracing, false, &entries);

	for (size_t i = 0; i < entries.n && !err; i++)
		if (!system || !strcmp(system, entries.v[i].system))
			found |= event_entry_enabled(tr, &entries.v[i]) ? 2 : 1;
	return err ? '\0' : set[found];
}

/* --- set_event --- */

static struct span unless_all(struct span text)
{
	return text.n && !span_eq(text, "*") ? text : (struct span){ NULL, 0 };
}

/* name, system:event, :event, system:, each optionally with :mod:module */
static void cut_word(const struct tracing *t, struct span word, struct event_pattern *w)
{
	struct span module = t->machine.quirks->set_event_mod ? span_of(":mod:")
							      : (struct span){ NULL, 0 };
	const char *mod = module.s ? span_find(word, module) : NULL;
	struct span rest;

	*w = (struct event_pattern){ .module = { NULL, 0 } };
	if (mod) {
		w->module = span_between(mod + module.n, word.s + word.n);
		word = span_between(word.s, mod);
	}
	rest = word;
	w->system = span_sep(&rest, ":");
	if (rest.s) {
		w->system = unless_all(w->system);
		w->event = unless_all(rest);
	} else {
		w->system = (struct span){ NULL, 0 };
		w->either = mod ? unless_all(word) : word;
	}
}

static bool has_module(struct tracing *t, struct span module)
{
	scoped(free_scoped) event_entry_array entries = ARRAY_INIT;

	return !event_entries(t, false, &entries) &&
	       any_of(i, entries.n,
		      span_same(event_module(t->machine.db, entries.v[i].name), module));
}

static bool same_if_given(struct span part, struct span other)
{
	return !part.s || (other.s && span_same(part, other));
}

/* kernel: remove_cache_mod(). Returns how many there were. */
static size_t forget_mod_events(struct trace_array *tr, const struct event_pattern *w)
{
	size_t n = tr->mod_events.n, kept = 0;

	array_each_of(const struct mod_event, e, tr->mod_events.v, n) {
		if (!span_eq(w->module, e->module) || !same_if_given(w->either, e->either) ||
		    !same_if_given(w->system, e->system) || !same_if_given(w->event, e->event))
			tr->mod_events.v[kept++] = *e;
	}
	tr->mod_events.n = kept;
	return n - kept;
}

/* kernel: cache_mod(). Remember the word until its module is loaded. 0, -HIST_ENOMEM */
static int keep_mod_event(struct trace_array *tr, const struct event_pattern *w)
{
	struct arena *arena = &tr->tracing->arena;
	struct mod_event e = { .module = arena_strndup(arena, w->module.s, w->module.n) };
	const struct span *from[] = { &w->either, &w->system, &w->event };
	struct span *to[] = { &e.either, &e.system, &e.event };

	for (size_t i = 0; i < ARRAY_SIZE(to) && e.module; i++) {
		const char *copy = arena_strndup(arena, from[i]->s, from[i]->n);

		if (!copy)
			return HIST_NOMEM;
		*to[i] = (struct span){ from[i]->s ? copy : NULL, from[i]->n };
	}
	return e.module ? array_push(&tr->mod_events, e) : HIST_NOMEM;
}

static int no_such_event(const struct trace_array *tr, struct span word, struct diags *diags)
{
	const char *hint = "";

	if (span_find(word, span_of(":mod:")) && !tr->tracing->machine.quirks->set_event_mod)
		hint = " (:mod: needs Linux 6.14 or newer; see --kernel)";
	return diags_error(diags, -HIST_EREJECTED, "no event has the name %.*s%s: Invalid argument",
			   (int)word.n, word.s, hint);
}

static int write_word(struct trace_array *tr, struct span word, struct diags *diags)
{
	char module[WORD_MAX + 1];
	bool on = word.s[0] != '!';
	struct event_pattern w;
	int n;

	if (word.n > WORD_MAX)
		return diags_error(diags, -HIST_EREJECTED,
				   "the name of an event has at most %d bytes: Invalid argument",
				   WORD_MAX);
	word = span_skip(word, on ? 0 : 1);
	cut_word(tr->tracing, word, &w);
	/* as in names of modules */
	for (size_t i = 0; i < w.module.n; i++)
		module[i] = w.module.s[i] == '-' ? '_' : w.module.s[i];
	if (w.module.s)
		w.module.s = module;
	n = switch_events(tr, &w, on);
	if (n)
		return n < 0 ? n : 0;
	if (!w.module.s || has_module(tr->tracing, w.module))
		return no_such_event(tr, word, diags);
	if (!on)
		return forget_mod_events(tr, &w) ? 0 : no_such_event(tr, word, diags);
	diags_add(diags, DIAG_NOTE, "no module %.*s was loaded when this was recorded",
		  (int)w.module.n, w.module.s);
	return keep_mod_event(tr, &w);
}

int set_event_write(struct trace_array *tr, struct span text, struct diags *diags)
{
	struct span rest = { text.s, strnlen(text.s, text.n) };
	int err = 0;

	while (rest.s && !err) {
		struct span word = span_sep(&rest, " \t\n\v\f\r");

		if (word.n)
			err = write_word(tr, word, diags);
	}
	return err;
}
