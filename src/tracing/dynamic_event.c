// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The events that a script defined, synthetic ones and probes: found, held while something
 * needs them, given back.
 */
#include <stdlib.h>
#include <string.h>

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

struct synth_event *synth_event_find(struct tracing *t, struct span name)
{
	struct hash_walk walk = hash_walk(hash_bytes(0, name.s, name.n));
	size_t i;

	while (hash_next(&t->synth_names, &walk, &i))
		if (span_eq(name, t->synth_events.v[i]->name))
			return t->synth_events.v[i];
	return NULL;
}

/* --- probes --- */

bool probe_belongs(const struct probe *p, enum probe_file file)
{
	return file == PROBE_FILE_ALL || p->text.is_user == (file == PROBE_FILE_UPROBES);
}

/* The oldest one of that name. */
struct probe *probe_find(const struct tracing *t, struct span group, struct span name)
{
	struct hash_walk walk = hash_walk(hash_bytes(0, name.s, name.n));
	size_t i, found = SIZE_MAX;

	while (hash_next(&t->probe_names, &walk, &i)) {
		const struct probe_text *text = &t->probes.v[i]->text;

		if (i < found && span_eq(name, text->name) &&
		    (!group.s || span_eq(group, text->group)))
			found = i;
	}
	return found == SIZE_MAX ? NULL : t->probes.v[found];
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
	struct span event = text->where, system = span_sep(&event, "./");

	strbuf_add(sb, system.s, system.n);
	if (event.s)
		strbuf_addf(sb, ".%.*s", (int)event.n, event.s);
}

void probe_free(struct probe *p)
{
	if (!p)
		return;
	arena_release(&p->arena);
	free(p);
}

/* --- both --- */

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

/* An id is either that of a recorded event, or larger than all before it: the last one counts. */
u32 dynamic_event_id(struct tracing *t)
{
	u32 recorded = recorded_id(t), id = recorded;

	for (size_t i = t->synth_events.n; i-- > 0 && id == recorded;)
		id = max_t(u32, id, t->synth_events.v[i]->id);
	for (size_t i = t->probes.n; i-- > 0;) {
		const struct event_format *format = t->probes.v[i]->format;

		if (!format || format->id <= recorded)
			continue;
		id = max_t(u32, id, format->id);
		break;
	}
	return id + 1;
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
