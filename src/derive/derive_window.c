// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A part of a recording is derived from: whether what was before it could have changed the events
 * of the span of time that is traced.
 *
 * What a CPU does is known from its first task switch on, what a task does from the first one to
 * it, or from it unless it may have been woken before. What begins after that is the same whatever
 * was before. Each deriver tells when it ends something of which that does not hold.
 */
#include "derive/derive_state.h"

enum { CPUS_MAX = 1 << 16 };

void derive_await_cpu(struct derive *d, u32 cpu)
{
	d->windowed = true;
	while (d->awaited.n <= cpu && cpu < CPUS_MAX)
		if (array_push(&d->awaited, false)) {
			derive_fail(d);
			return;
		}
	if (cpu < d->awaited.n && !d->awaited.v[cpu]) {
		d->awaited.v[cpu] = true;
		d->n_awaited++;
	}
}

void derive_know_cpu(struct derive *d, u32 cpu)
{
	if (cpu < d->awaited.n && d->awaited.v[cpu]) {
		d->awaited.v[cpu] = false;
		d->n_awaited--;
	}
}

bool derive_awaits(const struct derive *d)
{
	return d->n_awaited;
}

void derive_unsure(struct derive *d, u64 ts)
{
	d->unsure |= d->windowed && ts >= d->from;
}

/* --- what can be told --- */

static bool has_format(const struct tracing *t, const char *system, const char *event)
{
	const struct event_format *format;

	return !event_db_find(t->machine.db, system, event, &format);
}

/* What a cgroup is held back or frozen by may be long ago. */
static bool is_free_of_rare(const struct tracing *t, const struct derived_event *event)
{
	for (size_t i = 0; i < DERIVE_USES_MAX && event->uses[i]; i++)
		for (size_t k = 0; event->uses[i]->rare && k < event->uses[i]->n_inputs; k++)
			if (has_format(t, event->uses[i]->inputs[k].system,
				       event->uses[i]->inputs[k].event))
				return false;
	return true;
}

bool derive_fits_window(const struct trace_array *tr)
{
	bool any = false;

	for (size_t i = 0; i < N_DERIVERS; i++)
		for (size_t k = 0; k < derivers[i]->n_events; k++) {
			const struct derived_event *event = &derivers[i]->events[k];
			const struct event_file *file =
				event_file_known(tr, span_of("derived"), span_of(event->name));

			if (!file || (!file->triggers.n && !file->initial.enabled))
				continue;
			if (!event->windows || !is_free_of_rare(tr->tracing, event))
				return false;
			any = true;
		}
	return any;
}

/* Whether an event was recorded whose records are not in the window. */
static bool misses(const struct derive *d, size_t deriver, const char *full)
{
	for (size_t i = 0; i < d->inputs.n && !derive_has_records(d, deriver, full); i++) {
		const struct derive_input *in = d->inputs.v[i];
		const struct deriver_input *from = &derivers[in->deriver]->inputs[in->input];

		if (in->deriver == deriver && from->full &&
		    (!strcmp(from->full, full) ||
		     (from->instead && !strcmp(from->instead, full))) &&
		    has_format(d->tr->tracing, in->system, in->event))
			return true;
	}
	return false;
}

bool derive_misses(const struct derive *d)
{
	bool any = d->wants_stacks && !d->stacks.n &&
		   has_format(d->tr->tracing, "ftrace", "kernel_stack");

	for (size_t i = 0; i < N_DERIVERS; i++)
		for (size_t k = 0; d->used[i].state && k < derivers[i]->n_inputs; k++) {
			const struct deriver_input *input = &derivers[i]->inputs[k];

			if (input->full &&
			    (input->needed || !strcmp(input->full, "sched:sched_waking")))
				any |= misses(d, i, input->full);
		}
	return any;
}

bool derive_is_unsure(const struct derive *d)
{
	return d->unsure;
}
