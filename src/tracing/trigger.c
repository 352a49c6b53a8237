// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The triggers of an event, and their effect on its state: an event with triggers is softly
 * enabled.
 */
#include "program/filter.h"
#include "program/hist_data.h"
#include "program/synth_event.h"
#include "tracing/dynamic_event.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

/* ORDER enum trigger_kind */
static const char *const trigger_kinds[] = {
	"traceon",       "traceoff",    "snapshot",     "stacktrace", "enable_event",
	"disable_event", "enable_hist", "disable_hist", "hist",       "eprobe",
};

const char *trigger_kind_name(enum trigger_kind kind)
{
	return trigger_kinds[kind];
}

enum trigger_kind trigger_kind_group(enum trigger_kind kind)
{
	switch (kind) {
	case TRIGGER_TRACEOFF:
		return TRIGGER_TRACEON;
	case TRIGGER_DISABLE_EVENT:
		return TRIGGER_ENABLE_EVENT;
	case TRIGGER_DISABLE_HIST:
		return TRIGGER_ENABLE_HIST;
	default:
		return kind;
	}
}

/* --- enabling --- */

static void state_enable(struct event_state *s, bool soft)
{
	if (!soft) {
		s->soft_disabled = false;
	} else {
		if (++s->soft_refs > 1)
			return;
		s->soft_mode = true;
	}
	if (s->enabled)
		return;
	s->soft_disabled = s->soft_disabled || soft;
	s->enabled = true;
}

static void state_disable(struct event_state *s, bool soft)
{
	bool off = !s->soft_mode;

	if (soft) {
		if (--s->soft_refs > 0)
			return;
		off = s->soft_disabled;
		s->soft_mode = false;
	}
	if (off)
		s->enabled = false;
	s->soft_disabled = s->soft_mode;
}

/* kernel: enable_eprobe(), disable_eprobe() */
static void attach_eprobe(struct event_file *file, const struct probe *probe)
{
	struct event_file *to = event_file_find(file->tr, probe->text.system, probe->text.event);
	struct trigger *t = NULL;

	for (size_t i = 0; to && i < to->triggers.n; i++)
		if (to->triggers.v[i]->kind == TRIGGER_EPROBE && to->triggers.v[i]->target == file)
			t = to->triggers.v[i];
	if (t && !file->initial.enabled) {
		trigger_del(t);
		trigger_free(t);
	} else if (to && !t && file->initial.enabled) {
		t = calloc(1, sizeof(*t));
		if (t)
			*t = (struct trigger){
				.kind = TRIGGER_EPROBE, .file = to, .target = file, .probe = probe
			};
		if (!t || trigger_add(t, false)) {
			free(t);
			file->tr->tracing->failed = true;
		}
	}
}

void event_file_enable(struct event_file *file, bool on, bool soft)
{
	void (*change)(struct event_state *, bool) = on ? state_enable : state_disable;
	const struct probe *probe =
		probe_find(file->tr->tracing, span_of(file->system), span_of(file->name));

	change(&file->state, soft);
	change(&file->initial, soft);
	if (probe && probe->text.other == 'e')
		attach_eprobe(file, probe);
}

/* --- the list --- */

int trigger_add(struct trigger *trigger, bool head)
{
	struct event_file *file = trigger->file;
	struct tracing *t = file->tr->tracing;

	if (array_reserve(&file->triggers) || array_push(&t->triggers, trigger))
		return HIST_NOMEM;
	trigger->id = (u32)t->triggers.n;
	file->triggers.v[file->triggers.n++] = trigger;
	if (head) {
		memmove(&file->triggers.v[1], &file->triggers.v[0],
			(file->triggers.n - 1) * sizeof(struct trigger *));
		file->triggers.v[0] = trigger;
	}
	trigger->listed = true;
	if (file->triggers.n == 1)
		event_file_enable(file, true, true);
	return 0;
}

void trigger_del(struct trigger *trigger)
{
	struct event_file *file = trigger->file;
	size_t i = 0;

	while (file->triggers.v[i] != trigger)
		i++;
	file->triggers.n--;
	memmove(&file->triggers.v[i], &file->triggers.v[i + 1],
		(file->triggers.n - i) * sizeof(struct trigger *));
	trigger->listed = false;
	if (!file->triggers.n)
		event_file_enable(file, false, true);
}

void trigger_free(struct trigger *trigger)
{
	if (!trigger)
		return;
	if (trigger->id)
		trigger->file->tr->tracing->triggers.v[trigger->id - 1] = NULL;
	filter_free(trigger->filter);
	arena_release(&trigger->arena);
	free(trigger);
}

void hist_data_free(struct hist_data *hd)
{
	struct trace_array *tr;

	if (!hd)
		return;
	tr = hd->file->tr;
	for (u32 i = 0; i < hd->n_actions; i++) {
		struct action_data *data = hd->actions[i];

		if (!data->synth_event)
			continue;
		*data->link = data->next;
		if (data->next)
			data->next->link = data->link;
		data->synth_event->refs--;
	}
	if (tr->snapshot && tr->snapshot->hist == hd) {
		free(tr->snapshot);
		tr->snapshot = NULL;
	}
	arena_release(&hd->arena);
	free(hd);
}

/* --- named triggers --- */

bool is_named_trigger(const struct trigger *trigger)
{
	return trigger->name != NULL;
}
