// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Event files held by a program: a handle protects a synthetic event from deletion. Also enables
 * and disables events.
 *
 * Corresponds to trace_get_event_file(), __ftrace_set_clr_event() in trace_events.c.
 */
#include "dynevent/dynevent.h"

static struct trace_event_file *err_ptr(int err)
{
	return (struct trace_event_file *)(intptr_t)err;
}

static struct trace_array *find_instance(struct hist *h, const char *name)
{
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	struct trace_array *tr = NULL;
	const char *rest;

	if (!name)
		return h->tracing->top;
	strbuf_addf(&path, "instances/%s", name);
	if (!path.failed)
		tr = files_instance(h, h->tracing, path.s, &rest, NULL);
	return tr;
}

struct trace_event_file *(trace_get_event_file)(const char *instance, const char *system,
						const char *event, struct hist *h)
{
	struct trace_array *tr = find_instance(h, instance);
	struct held_event *held;
	struct event_file *file;

	if (!tr)
		return err_ptr(-ENOENT);
	file = event_file_find_enabled(tr, span_of(system), span_of(event));
	if (!file)
		return err_ptr(-EINVAL);
	held = malloc(sizeof(*held));
	if (!held)
		return err_ptr(-ENOMEM);
	*held = (struct held_event){ .pub = { .tr = tr, .hist = h },
				     .file = file,
				     .next = directory_of(h)->held };
	directory_of(h)->held = held;
	event_file_hold(file);
	return &held->pub;
}

void trace_put_event_file(struct trace_event_file *pub)
{
	struct held_event **p = &directory_of(pub->hist)->held, *held;

	while (*p && &(*p)->pub != pub)
		p = &(*p)->next;
	held = *p;
	if (!held)
		return;
	*p = held->next;
	event_file_release(held->file);
	free(held);
}

void held_events_release(struct hist *h)
{
	while (directory_of(h)->held)
		trace_put_event_file(&directory_of(h)->held->pub);
}

static bool matches(const char *wanted, struct span name)
{
	return !wanted || span_eq(name, wanted);
}

static bool set_one(struct trace_array *tr, struct span system, struct span name, bool on)
{
	struct event_file *file = event_file_find_enabled(tr, system, name);

	if (file)
		event_file_enable(file, on, false);
	return file != NULL;
}

int trace_array_set_clr_event(struct trace_array *tr, const char *system, const char *event,
			      bool enable)
{
	const struct event_text *texts;
	const struct tracing *t;
	bool any = false;
	size_t n;

	if (!tr)
		return -ENOENT;
	if (system && event)
		return set_one(tr, span_of(system), span_of(event), enable) ? 0 : -EINVAL;
	t = tr->tracing;
	texts = event_db_texts(t->machine.db, &n);
	for (size_t i = 0; i < n; i++)
		if (matches(system, span_of(texts[i].system)) && matches(event, texts[i].name))
			any |= set_one(tr, span_of(texts[i].system), texts[i].name, enable);
	for (size_t i = 0; i < t->synth_events.n && matches(system, span_of("synthetic")); i++)
		if (matches(event, span_of(t->synth_events.v[i]->name)))
			any |= set_one(tr, span_of("synthetic"),
				       span_of(t->synth_events.v[i]->name), enable);
	for (size_t i = 0; i < t->probes.n; i++) {
		const struct probe_text *p = &t->probes.v[i]->text;

		if (matches(system, span_of(p->group)) && matches(event, span_of(p->name)))
			any |= set_one(tr, span_of(p->group), span_of(p->name), enable);
	}
	return any ? 0 : -EINVAL;
}
