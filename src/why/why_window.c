// SPDX-License-Identifier: LGPL-2.1-only
/* Windows; see why_window.h. */
#include <fnmatch.h>

#include "hist-list.h"
#include "program/load.h"
#include "why/why_window.h"

enum { CPUS_MAX = 1 << 16 };

/* --- what a window shows --- */

static u32 id_of(const struct hist *h, const char *system, const char *name)
{
	const struct event_format *format;

	return event_db_find(h->recordings.db, system, name, &format)
		       ? 0
		       : recording_event_id(&h->recordings.files.v[0], format);
}

void why_watch_init(struct why_watch *w, const struct hist *h)
{
	static const char *const rare[][2] = { { "cgroup", "cgroup_freeze" },
					       { "cgroup", "cgroup_unfreeze" },
					       { "hist", "throttle_down" },
					       { "hist", "throttle_up" },
					       { "hist", "throttle_task" } };

	*w = (struct why_watch){ .window = &h->window };
	w->id = id_of(h, "sched", "sched_switch");
	for (size_t i = 0; i < ARRAY_SIZE(rare); i++)
		w->rare[i] = id_of(h, rare[i][0], rare[i][1]);
}

void why_watch_release(struct why_watch *w)
{
	array_release(&w->first);
}

static u64 *first_of(struct why_watch *w, u32 cpu)
{
	while (w->first.n <= cpu && cpu < CPUS_MAX && !w->failed)
		w->failed |= array_push(&w->first, 0) != 0;
	return cpu < w->first.n ? &w->first.v[cpu] : NULL;
}

void why_watch_stream(struct why_watch *w, const struct stream *s)
{
	u64 *first = s->n_pages ? first_of(w, s->cpu) : NULL;

	if (first)
		*first = UINT64_MAX;
}

void why_watch_record(struct why_watch *w, const struct observed *o)
{
	u64 *first;
	u32 id;

	if (!w->window->on)
		return;
	id = load_u16(o->rec->data, o->stream->layout.big_endian);
	first = id == w->id ? first_of(w, o->stream->cpu) : NULL;
	if (first)
		*first = min_t(u64, *first, o->rec->ts);
	for (size_t i = 0; i < ARRAY_SIZE(w->rare) && !first; i++)
		w->any_rare |= id && id == w->rare[i];
}

bool why_watch_knows(const struct why_watch *w, u64 ts)
{
	if (!w->window->on)
		return true;
	for (size_t i = 0; i < w->first.n && !w->window->begins; i++)
		if (w->first.v[i] >= ts)
			return false;
	return !w->any_rare && !w->failed;
}

bool why_window_opens(const struct replay_window *w, struct span open)
{
	const bool both = span_eq(open, "both");

	return w->on && ((!w->begins && (both || span_eq(open, "start"))) ||
			 (!w->ends && (both || span_eq(open, "end"))));
}

static bool has_format(const struct hist *h, const char *pattern)
{
	char name[256];

	array_each_of(const struct event_text, t, h->recordings.texts, h->recordings.n_texts) {
		snprintf(name, sizeof(name), "%s:%.*s", t->system, (int)t->name.n, t->name.s);
		if (!fnmatch(pattern, name, 0))
			return true;
	}
	return false;
}

bool why_window_has(const struct hist *h, const char *event)
{
	const char *input;
	bool needed;

	if (strncmp(event, "derived:", 8) != 0)
		return has_format(h, event);
	for (size_t i = 0; (input = hist_derived_input(event, i, &needed)); i++)
		if (has_format(h, input))
			return true;
	return false;
}
