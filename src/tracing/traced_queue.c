// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The queue of events traced by a program. Each has a time and a record, and is run whenever a
 * replay reaches that time.
 *
 * Corresponds to __synth_event_trace_start(), __synth_event_trace_end() in trace_events_synth.c.
 */
#include "tracing/traced_queue.h"
#include "tracing/tracing.h"

/* kernel: the capacity of a sub-buffer of 4096 bytes, minus its header and an event's */
enum { MAX_DATA_SIZE = 4096 - 16 - 8 };

/* Insert after all events that are not later. */
static int insert(struct tracing *t, struct traced_event *te)
{
	size_t i = t->traced.n;
	int err = array_push(&t->traced, te);

	if (err)
		return err;
	for (; i && t->traced.v[i - 1]->ts > te->ts; i--)
		t->traced.v[i] = t->traced.v[i - 1];
	t->traced.v[i] = te;
	return 0;
}

int traced_event_reserve(struct event_file *file, u32 dynamic, struct traced_event **out)
{
	struct tracing *t = file->tr->tracing;
	u32 size = file->synth->fixed_size + dynamic;
	struct traced_event *te;
	u8 common[SYNTH_COMMON_SIZE] = { 0 };

	if (size > MAX_DATA_SIZE)
		return -HIST_ELIMIT;
	te = malloc(sizeof(*te) + size);
	if (!te)
		return HIST_NOMEM;
	*te = (struct traced_event){
		.file = file,
		.ts = t->place.ts,
		.cpu = t->place.cpu,
		.pid = t->place.pid,
		.open = true,
		.recorded = !file->state.soft_disabled,
	};
	if (insert(t, te)) {
		free(te);
		return HIST_NOMEM;
	}
	store_u32(common + 2, (u32)t->place.pid, t->machine.big_endian);
	te->record = (struct synth_record){
		.event = te->file->synth,
		.machine = &t->machine,
		.text_max = TRACED_TEXT_MAX,
		.stack_max = rules_stack_depth(t->machine.quirks),
		.rec = te->rec,
	};
	synth_record_start(&te->record, common);
	file->synth->dyn_refs++;
	*out = te;
	return 0;
}

void traced_event_commit(struct traced_event *te)
{
	te->file->synth->dyn_refs--;
	te->open = false;
}

void traced_events_forget(struct tracing *t, const struct synth_event *event)
{
	size_t n = 0;

	array_each_ptr(struct traced_event, te, &t->traced) {
		if (te->record.event == event)
			free(te);
		else
			t->traced.v[n++] = te;
	}
	t->traced.n = n;
}

void traced_events_release(struct tracing *t)
{
	for (size_t i = 0; i < t->traced.n; i++)
		free(t->traced.v[i]);
	array_release(&t->traced);
}
