// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The directory: instances and events. Events are created at the first write or read, so a
 * recording with 2000 formats costs nothing.
 */
#include "program/filter.h"
#include "tracing/dynamic_event.h"
#include "tracing/event_pid.h"
#include "tracing/traced_queue.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

struct tracing *tracing_new(const struct machine *machine, const struct replay_options *options)
{
	struct tracing *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->machine = *machine;
	t->options = *options;
	t->place.ts = TRACED_AT_END;
	t->top = tracing_instance(t, "", true);
	if (!t->top) {
		free(t);
		return NULL;
	}
	return t;
}

bool tracing_failed(const struct tracing *t)
{
	return t->failed || event_db_failed(t->machine.db);
}

struct trace_array *tracing_instance(struct tracing *t, const char *name, bool create)
{
	struct trace_array **end = &t->top, *tr;

	for (; *end; end = &(*end)->next)
		if (!strcmp((*end)->name, name))
			return *end;
	if (!create)
		return NULL;
	tr = calloc(1, sizeof(*tr));
	t->failed |= !tr;
	if (!tr)
		return NULL;
	tr->tracing = t;
	tr->tracing_on = tr->initially_on = true;
	tr->name = arena_strdup(&t->arena, name);
	if (!tr->name) {
		t->failed = true;
		free(tr);
		return NULL;
	}
	tr->trace_flags = trace_options_default(tr);
	*end = tr;
	return tr;
}

void tracing_clear_slices(struct trace_array *tr)
{
	for (size_t i = 0; i < tr->slices.n; i++)
		for (size_t k = 0; k < ARRAY_SIZE(tr->slices.v[i].edges); k++)
			filter_free(tr->slices.v[i].edges[k].filter);
	tr->slices.n = 0;
}

static void instance_free(struct trace_array *tr)
{
	array_each_ptr(struct event_file, file, &tr->by_id) {
		for (size_t k = 0; k < file->triggers.n; k++)
			trigger_free(file->triggers.v[k]);
		array_release(&file->triggers);
		hash_release(&file->by_trait);
		filter_free(file->filter);
		filter_free(file->tasks);
		free(file);
	}
	array_release(&tr->by_id);
	array_release(&tr->mod_events);
	tracing_clear_slices(tr);
	array_release(&tr->slices);
	hash_release(&tr->file_names);
	hash_release(&tr->var_names);
	error_log_clear(&tr->errors);
	array_buffer_release(tr);
	event_pid_clear(tr, EVENT_PIDS);
	event_pid_clear(tr, EVENT_NO_PIDS);
	event_pid_end(tr);
	free(tr->snapshot);
	free(tr);
}

/* Histograms are freed first: they refer to events, and several triggers may share one. */
static void free_histograms(struct tracing *t)
{
	for (struct trace_array *tr = t->top; tr; tr = tr->next) {
		for (struct event_file *file = tr->files; file; file = file->next)
			for (size_t i = 0; i < file->triggers.n; i++)
				if (!file->triggers.v[i]->named_data)
					hist_data_free(file->triggers.v[i]->hist);
	}
	array_each_ptr(struct trigger, trigger, &t->triggers) {
		if (!trigger || trigger->listed)
			continue;
		hist_data_free(trigger->hist);
		trigger_free(trigger);
	}
}

void tracing_free(struct tracing *t)
{
	struct trace_array *tr, *next;
	struct synth_event *next_se;

	if (!t)
		return;
	free_histograms(t);
	for (tr = t->top; tr; tr = next) {
		next = tr->next;
		instance_free(tr);
	}
	traced_events_release(t);
	for (size_t i = 0; i < t->synth_events.n; i++)
		synth_event_free(t->synth_events.v[i]);
	for (struct synth_event *se = t->removed; se; se = next_se) {
		next_se = se->next_removed;
		synth_event_free(se);
	}
	array_release(&t->synth_events);
	for (size_t i = 0; i < t->derived.n; i++)
		synth_event_free(t->derived.v[i]);
	array_release(&t->derived);
	for (size_t i = 0; i < t->probes.n; i++)
		probe_free(t->probes.v[i]);
	array_release(&t->probes);
	array_release(&t->triggers);
	hash_release(&t->trigger_names);
	hash_release(&t->synth_names);
	hash_release(&t->probe_names);
	hash_release(&t->probe_places);
	arena_release(&t->replay);
	arena_release(&t->arena);
	free(t);
}

/*
 * The format of an event: a synthetic event that the script defined hides a recorded one, a
 * recorded event hides the definition of a probe.
 */
static const struct event_format *find_format(struct tracing *t, struct span system,
					      struct span name, struct synth_event **synth)
{
	const struct event_format *format = NULL;
	const struct probe *probe;
	char *s, *n;
	int err;

	*synth = span_eq(system, "synthetic") ? synth_event_find(t, name) : NULL;
	if (*synth)
		return &(*synth)->format;
	s = strndup(system.s, system.n);
	n = strndup(name.s, name.n);
	t->failed |= !s || !n;
	err = s && n ? event_db_find(t->machine.db, s, n, &format) : HIST_NOMEM;
	free(s);
	free(n);
	if (!err)
		return format;
	if (span_eq(system, "derived"))
		*synth = derived_event_find(t, name);
	if (*synth)
		return &(*synth)->format;
	probe = probe_find(t, system, name);
	return probe ? probe->format : NULL;
}

static u32 hash_name(struct span system, struct span name)
{
	return hash_bytes(hash_bytes(0, system.s, system.n), name.s, name.n);
}

struct event_file *event_file_known(const struct trace_array *tr, struct span system,
				    struct span name)
{
	hash_each(i, &tr->file_names, hash_name(system, name))
		if (span_eq(name, tr->by_id.v[i]->name) && span_eq(system, tr->by_id.v[i]->system))
			return tr->by_id.v[i];
	return NULL;
}

static int list_file(struct event_file *file)
{
	struct trace_array *tr = file->tr;
	u32 hash = hash_name(span_of(file->system), span_of(file->name));

	file->id = (u32)tr->by_id.n;
	if (array_push(&tr->by_id, file) || hash_add(&tr->file_names, hash, file->id)) {
		tr->by_id.n = file->id;
		return HIST_NOMEM;
	}
	file->next = tr->files;
	file->link = &tr->files;
	if (file->next)
		file->next->link = &file->next;
	tr->files = file;
	return 0;
}

struct event_file *event_file_find(struct trace_array *tr, struct span system, struct span name)
{
	const struct event_format *format;
	struct synth_event *synth;
	struct event_file *file;

	if (!system.s || !name.s)
		return NULL;
	file = event_file_known(tr, system, name);
	if (file)
		return file;
	format = find_format(tr->tracing, system, name, &synth);
	if (!format)
		return NULL;
	file = calloc(1, sizeof(*file));
	if (file) {
		file->tr = tr;
		file->system = format->system;
		file->name = format->name;
		file->format = format;
		file->synth = synth;
		file->serial = tr->tracing->n_files++;
		if (!list_file(file))
			return file;
		free(file);
	}
	tr->tracing->failed = true;
	return NULL;
}

struct event_file *event_file_find_enabled(struct trace_array *tr, struct span system,
					   struct span name)
{
	struct event_file *file = event_file_find(tr, system, name);

	return file && event_file_can_enable(file) ? file : NULL;
}

bool event_file_can_enable(const struct event_file *file)
{
	return strcmp(file->system, "ftrace") != 0;
}

bool event_file_has_trigger(const struct event_file *file)
{
	return event_file_can_enable(file) || !strcmp(file->name, "print") ||
	       !file->tr->tracing->options.strict_kernel;
}

void event_file_forget(struct trace_array *tr, const char *system, const char *name)
{
	struct event_file *file = event_file_known(tr, span_of(system), span_of(name));

	if (!file)
		return;
	hash_remove(&tr->file_names, hash_name(span_of(system), span_of(name)), file->id);
	*file->link = file->next;
	if (file->next)
		file->next->link = file->link;
}
