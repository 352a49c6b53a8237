// SPDX-License-Identifier: LGPL-2.1-only
/* Finds events and instances by name, with suggestions if there is none. */
#include "tracefs/tracefs.h"

/* Suggests our name for another tool's term, or where to look. */
void events_note_word(const char *name, struct diags *diags)
{
	const char *here = event_word(name);

	diags_add(diags, DIAG_NOTE, "%s",
		  here ?: "hist list lists the recorded events, hist list -a all events");
}

static int unknown_event(struct hist *h, const char *system, const char *name, struct diags *diags)
{
	const struct recordings *r = &h->recordings;
	struct near near = NEAR_INIT(name);
	scoped(arena_release) struct arena arena = ARENA_INIT;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	const struct event_format *format;
	const char *call = arena_printf(&arena, "sys_enter_%s", name), *samples = NULL;

	if (!strcmp(system, "derived") && r->options.strict_kernel)
		return diags_error(diags, -HIST_ENOENT,
				   "%s:%s: kernels have no derived events; --strict-kernel and "
				   "hist check refuse what kernels refuse",
				   system, name);
	if (event_db_find(r->db, system, name, &format) == -HIST_EFORMAT)
		return diags_error(diags, -HIST_ENOENT,
				   "the format of event %s:%s cannot be parsed", system, name);
	for (size_t i = 0; i < r->n_texts; i++) {
		char *event = arena_strndup(&arena, r->texts[i].name.s, r->texts[i].name.n);
		char *shown = event ? arena_printf(&arena, "%s:%s", r->texts[i].system, event)
				    : NULL;

		if (shown)
			near_offer(&near, event, shown);
		if (shown && call && !strcmp(event, call))
			strbuf_addstr(&sb, shown);
		if (!strcmp(r->texts[i].system, "perf"))
			samples = shown;
	}
	if (!sb.len)
		near_text(&near, &sb);
	diags_error(diags, 0, "the recording has no format for event %s%s%s%s%s", system,
		    system[0] ? ":" : "", name, sb.len ? "; nearest: " : "", sb.s);
	if (!sb.len && !strcmp(system, "derived"))
		diags_add(diags, DIAG_NOTE,
			  "man hist-derived lists the derived events, hist list "
			  "those that a recording has");
	else if (samples && !sb.len)
		diags_add(diags, DIAG_NOTE, "the recording has samples of %s", samples);
	else if (!sb.len)
		events_note_word(name, diags);
	return -HIST_ENOENT;
}

int events_unknown(struct hist *h, struct span system, struct span name, struct diags *diags)
{
	scoped(arena_release) struct arena arena = ARENA_INIT;
	char *s = arena_strndup(&arena, system.s, system.n),
	     *n = arena_strndup(&arena, name.s, name.n);

	return s && n ? unknown_event(h, s, n, diags) : HIST_NOMEM;
}

/* All events with this name, for the message that it is ambiguous. */
static int ambiguous(struct hist *h, const char *name, struct diags *diags)
{
	const struct recordings *r = &h->recordings;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < r->n_texts; i++)
		if (span_eq(r->texts[i].name, name))
			strbuf_addf(&sb, "%s%s:%s", sb.len ? ", " : "", r->texts[i].system, name);
	diags_error(diags, 0, "several systems have an event %s: use one of %s", name, sb.s);
	return -HIST_EINVAL;
}

static int find_by_name(struct hist *h, const char *name, char **path, struct diags *diags)
{
	const struct recordings *r = &h->recordings;
	const struct event_text *found = NULL, *own = NULL;

	for (size_t i = 0; i < r->n_texts; i++) {
		if (!span_eq(r->texts[i].name, name))
			continue;
		/* events of the system ftrace come last: kernels enable only others by name */
		if (!strcmp(r->texts[i].system, "ftrace")) {
			own = &r->texts[i];
			continue;
		}
		if (found)
			return ambiguous(h, name, diags);
		found = &r->texts[i];
	}
	if (!found)
		found = own;
	if (!found)
		return unknown_event(h, "", name, diags);
	return asprintf(path, "events/%s/%s", found->system, name) < 0 ? HIST_NOMEM : 0;
}

int hist_find_event(struct hist *h, const char *name, char **path, struct diags *diags)
{
	struct span rest = span_of(name), system = span_sep(&rest, ":/");

	if (rest.s) {
		if (!event_file_find(h->tracing->top, system, rest))
			return tracing_failed(h->tracing) ? HIST_NOMEM
							  : events_unknown(h, system, rest, diags);
		return asprintf(path, "events/%.*s/%s", (int)system.n, system.s, rest.s) < 0
			       ? HIST_NOMEM
			       : 0;
	}
	if (synth_event_find(h->tracing, system))
		return asprintf(path, "events/synthetic/%s", name) < 0 ? HIST_NOMEM : 0;
	return find_by_name(h, name, path, diags);
}

/* --- instances --- */

struct trace_array *files_instance(struct hist *h, struct tracing *t, const char *path,
				   const char **rest, struct diags *diags)
{
	static const char prefix[] = "instances/";
	struct trace_array *tr = NULL;
	bool has = false;
	const char *slash;
	size_t index;
	char *name;

	*rest = path;
	if (strncmp(path, prefix, strlen(prefix)))
		return t->top;
	path += strlen(prefix);
	slash = strchrnul(path, '/');
	*rest = *slash ? slash + 1 : slash;
	name = strndup(path, (size_t)(slash - path));
	t->failed |= !name;
	for (size_t i = 0; name && !has && i < h->recordings.files.n; i++)
		has = recording_find_buffer(&h->recordings.files.v[i], name, &index);
	if (has && span_is_file_name(span_of(name)))
		tr = tracing_instance(t, name, true);
	else if (name)
		diags_error(diags, 0, "the recording has no buffer for an instance %s", name);
	free(name);
	return tr;
}

struct span path_in_instance(struct span path)
{
	if (span_starts(path, "instances/")) {
		span_sep(&path, "/");
		span_sep(&path, "/");
	}
	return path;
}

void event_file_path(struct strbuf *sb, const struct event_file *ev, const char *file)
{
	if (ev->tr->name[0])
		strbuf_addf(sb, "instances/%s/", ev->tr->name);
	strbuf_addf(sb, "events/%s/%s/%s", ev->system, ev->name, file);
}

/* --- events with histograms --- */

/* When the event got its first histogram, for sorting. */
static unsigned int first_serial(const struct event_file *file)
{
	for (size_t i = 0; i < file->triggers.n; i++)
		if (file->triggers.v[i]->hist)
			return file->triggers.v[i]->order;
	return 0;
}

static int cmp_first(const void *a, const void *b)
{
	unsigned int sa = first_serial(*(struct event_file *const *)a);
	unsigned int sb = first_serial(*(struct event_file *const *)b);

	return cmp_int(sa, sb);
}

static int files_with_hists(struct tracing *t, event_file_array *out)
{
	for (struct trace_array *tr = t->top; tr; tr = tr->next)
		for (struct event_file *file = tr->files; file; file = file->next)
			if (output_has_shown(file) && array_push(out, file))
				return HIST_NOMEM;
	if (out->n)
		qsort(out->v, out->n, sizeof(struct event_file *), cmp_first);
	return 0;
}

int event_files_add(event_file_array *list, struct event_file *file)
{
	for (size_t i = 0; i < list->n; i++)
		if (list->v[i] == file)
			return 0;
	return array_push(list, file);
}

struct event_file *event_file_at(struct tracing *t, const char *path, struct span *system,
				 struct span *name)
{
	*name = span_of(path);
	span_sep(name, "/");
	*system = span_sep(name, "/");
	return event_file_find(t->top, *system, *name);
}

struct event_file *files_hist_file(struct hist *h, struct tracing *t, const char *path,
				   struct diags *diags)
{
	const char *rest = path;
	struct trace_array *tr = files_instance(h, t, path, &rest, diags);
	struct span name = span_of(rest), system, event;

	if (!tr || !span_eq(span_sep(&name, "/"), "events"))
		return NULL;
	system = span_sep(&name, "/");
	event = span_sep(&name, "/");
	return span_eq(name, "hist") ? event_file_find(tr, system, event) : NULL;
}

struct event_file *output_hist_file(struct hist *h, const char *path, struct diags *diags)
{
	return files_hist_file(h, h->tracing, path, diags);
}

int files_shown(struct hist *h, const struct script *script, event_file_array *out)
{
	scoped(free_scoped) event_file_array files = ARRAY_INIT;
	bool cats = false;
	int err = files_with_hists(h->tracing, &files);

	for (size_t i = 0; i < script->cmds.n && !err; i++) {
		struct event_file *file = NULL;

		if (script->cmds.v[i].verb != SCRIPT_CAT)
			continue;
		cats = true;
		file = output_hist_file(h, script->cmds.v[i].path, NULL);
		err = file ? array_push(out, file) : 0;
	}
	for (size_t i = 0; i < files.n && !err; i++)
		if (!cats || output_has_table(files.v[i]))
			err = event_files_add(out, files.v[i]);
	return err;
}
