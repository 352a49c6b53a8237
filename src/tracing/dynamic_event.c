// SPDX-License-Identifier: LGPL-2.1-only
/* The events that a script defined, synthetic ones and probes: lookup and references. */
#include "program/filter.h"
#include "program/synth_event.h"
#include "tracing/dynamic_event.h"
#include "tracing/tracing.h"

/* --- synthetic events --- */

void synth_event_free(struct synth_event *se)
{
	if (!se)
		return;
	arena_release(&se->arena);
	free(se);
}

/* Its index in the list, which is sorted by ->order. */
static struct synth_event **synth_at(const struct tracing *t, u32 order)
{
	return t->synth_events.v +
	       partition_point(i, t->synth_events.n, t->synth_events.v[i]->order < order);
}

struct synth_event *synth_event_find(const struct tracing *t, struct span name)
{
	hash_each(order, &t->synth_names, hash_bytes(0, name.s, name.n)) {
		struct synth_event *se = *synth_at(t, (u32)order);

		if (span_eq(name, se->name))
			return se;
	}
	return NULL;
}

int synth_event_add(struct tracing *t, struct synth_event *se)
{
	int err = array_push(&t->synth_events, se);

	if (err)
		return err;
	se->order = t->n_dynamic;
	err = hash_add(&t->synth_names, hash_text(se->name), se->order);
	if (err)
		t->synth_events.n--;
	else
		t->n_dynamic++;
	return err;
}

int derived_event_add(struct tracing *t, struct synth_event *se)
{
	int err = array_push(&t->derived, se);

	if (!err)
		se->order = t->n_dynamic++;
	return err;
}

struct synth_event *derived_event_find(struct tracing *t, struct span name)
{
	for (size_t i = 0; i < t->derived.n; i++)
		if (span_eq(name, t->derived.v[i]->name))
			return t->derived.v[i];
	return t->machine.derive && !t->options.strict_kernel ? t->machine.derive(t, name) : NULL;
}

void synth_event_remove(struct tracing *t, struct synth_event *se)
{
	struct synth_event **at = synth_at(t, se->order),
			   **end = t->synth_events.v + t->synth_events.n;

	hash_remove(&t->synth_names, hash_text(se->name), se->order);
	memmove(at, at + 1, (size_t)(end - at - 1) * sizeof(*at));
	t->synth_events.n--;
	se->next_removed = t->removed;
	t->removed = se;
}

/* --- probes --- */

bool probe_belongs(const struct probe *p, enum probe_file file)
{
	return file == PROBE_FILE_ALL ||
	       (!p->text.other && p->text.is_user == (file == PROBE_FILE_UPROBES));
}

static struct probe **probe_at(const struct tracing *t, u32 order)
{
	return t->probes.v + partition_point(i, t->probes.n, t->probes.v[i]->order < order);
}

struct probe *probe_next_event(const struct tracing *t, struct span group, struct span name,
			       struct hash_walk *walk)
{
	size_t order;

	while (hash_next(&t->probe_names, walk, &order)) {
		struct probe *p = *probe_at(t, (u32)order);

		if (span_eq(name, p->text.name) && (!group.s || span_eq(group, p->text.group)))
			return p;
	}
	return NULL;
}

struct probe *probe_find(const struct tracing *t, struct span group, struct span name)
{
	struct hash_walk walk = probe_walk(name);
	struct probe *found = NULL, *p;

	while ((p = probe_next_event(t, group, name, &walk)))
		if (!found || p->order < found->order)
			found = p;
	return found;
}

static u32 hash_place(const struct probe_text *text)
{
	u32 h = hash_bytes(hash_text(text->name), text->where.s, text->where.n);

	for (size_t i = 0; i < text->n_args; i++)
		h = hash_bytes(h, text->args[i].body.s, text->args[i].body.n);
	return h;
}

static bool same_place(const struct probe_text *a, const struct probe_text *b)
{
	for (size_t i = 0; i < a->n_args && i < b->n_args; i++)
		if (!span_same(a->args[i].body, b->args[i].body))
			return false;
	return a->n_args == b->n_args && span_same(a->where, b->where) &&
	       !strcmp(a->name, b->name) && !strcmp(a->group, b->group);
}

struct probe *probe_find_same(const struct tracing *t, const struct probe_text *text)
{
	hash_each(order, &t->probe_places, hash_place(text)) {
		struct probe *p = *probe_at(t, (u32)order);

		if (same_place(&p->text, text))
			return p;
	}
	return NULL;
}

/* Enter it in the tables; 0 or -HIST_ENOMEM */
static int index_probe(struct tracing *t, struct probe *p)
{
	struct probe *first = probe_find(t, span_of(p->text.group), span_of(p->text.name));
	int err = hash_add(&t->probe_places, hash_place(&p->text), p->order);

	if (!err && !first)
		err = hash_add(&t->probe_names, hash_text(p->text.name), p->order);
	if (err) {
		hash_remove(&t->probe_places, hash_place(&p->text), p->order);
		return err;
	}
	p->next = first ? first : p;
	p->prev = first ? first->prev : p;
	p->prev->next = p->next->prev = p;
	return 0;
}

int probe_add(struct tracing *t, struct probe *p)
{
	int err = array_reserve(&t->probes);

	p->order = t->n_dynamic;
	err = err ?: index_probe(t, p);
	if (err)
		return err;
	t->probes.v[t->probes.n++] = p;
	t->n_dynamic++;
	return 0;
}

void probe_remove(struct tracing *t, struct probe *p)
{
	struct probe **at = probe_at(t, p->order), **end = t->probes.v + t->probes.n;
	u32 hash = hash_text(p->text.name);

	hash_remove(&t->probe_places, hash_place(&p->text), p->order);
	if (p->prev->order >= p->order) { /* the oldest of its event */
		hash_remove(&t->probe_names, hash, p->order);
		/* reuse the slot of a removed one */
		if (p->next != p)
			(void)hash_add(&t->probe_names, hash, p->next->order);
	}
	p->prev->next = p->next;
	p->next->prev = p->prev;
	memmove(at, at + 1, (size_t)(end - at - 1) * sizeof(*at));
	t->probes.n--;
	probe_free(p);
}

struct probe *probe_next(const struct tracing *t, enum probe_file file, size_t *i)
{
	while (*i < t->probes.n) {
		struct probe *p = t->probes.v[(*i)++];

		if (probe_belongs(p, file))
			return p;
	}
	return NULL;
}

void probe_add_event(struct strbuf *sb, const struct probe_text *text)
{
	strbuf_addf(sb, "%.*s.%.*s", (int)text->system.n, text->system.s, (int)text->event.n,
		    text->event.s);
}

void probe_free(struct probe *p)
{
	if (!p)
		return;
	filter_free(p->filter);
	arena_release(&p->arena);
	free(p);
}

/* --- both kinds --- */

static u32 recorded_id(struct tracing *t)
{
	const struct event_text *texts;
	bool known = t->recorded_id;
	size_t n;

	texts = event_db_texts(t->machine.db, &n);
	for (size_t i = 0; i < n && !known; i++)
		t->recorded_id = max_t(u32, t->recorded_id, texts[i].id);
	return t->recorded_id;
}

static bool is_used(struct tracing *t, u32 id)
{
	const struct event_format *format;

	for (size_t i = 0; i < t->derived.n; i++)
		if (t->derived.v[i]->id == id)
			return true;
	for (size_t i = 0; i < t->synth_events.n; i++)
		if (t->synth_events.v[i]->id == id)
			return true;
	for (size_t i = 0; i < t->probes.n; i++)
		if (t->probes.v[i]->format && t->probes.v[i]->format->id == id)
			return true;
	return !event_db_find_id(t->machine.db, id, &format);
}

/*
 * An id is either that of a recorded event or usually larger than all earlier ones, so only the
 * last one must be compared.
 */
u32 dynamic_event_id(struct tracing *t)
{
	u32 recorded = recorded_id(t), id = recorded;

	for (size_t i = 0; i < t->derived.n; i++)
		id = max_t(u32, id, t->derived.v[i]->id);
	for (size_t i = t->synth_events.n; i-- > 0 && id == recorded;)
		id = max_t(u32, id, t->synth_events.v[i]->id);
	for (size_t i = t->probes.n; i-- > 0;) {
		const struct event_format *format = t->probes.v[i]->format;

		if (!format || format->id <= recorded)
			continue;
		id = max_t(u32, id, format->id);
		break;
	}
	if (id < UINT16_MAX)
		return id + 1;
	/* importers give the highest ids to events of their own */
	while (id && is_used(t, id))
		id--;
	return id;
}

static void change_refs(struct event_file *file, int by)
{
	struct probe *p;

	if (file->synth) {
		file->synth->dyn_refs += by;
		return;
	}
	p = probe_find(file->tr->tracing, span_of(file->system), span_of(file->name));
	if (p)
		p->refs += by;
}

void event_file_hold(struct event_file *file)
{
	change_refs(file, 1);
}

void event_file_release(struct event_file *file)
{
	change_refs(file, -1);
}
