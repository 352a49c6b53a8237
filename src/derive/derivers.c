// SPDX-License-Identifier: LGPL-2.1-only
/* The list of derivers: their events, what these need, and how they are defined. */
#include <fnmatch.h>

#include "bind/bind.h"
#include "derive/deriver.h"
#include "hist-list.h"
#include "program/load.h"
#include "program/synth_event.h"

const struct deriver *const derivers[] = {
	[DERIVE_IRQ] = &derive_irq,           [DERIVE_SOFTIRQ] = &derive_softirq,
	[DERIVE_THROTTLE] = &derive_throttle, [DERIVE_FREEZE] = &derive_freeze,
	[DERIVE_SCHED] = &derive_sched,       [DERIVE_SYSCALL] = &derive_syscall,
	[DERIVE_FUNCTION] = &derive_function, [DERIVE_BLOCK_IO] = &derive_block_io,
	[DERIVE_LOCK] = &derive_lock,         [DERIVE_SLICE] = &derive_slice,
	[DERIVE_COUNTER] = &derive_counter,   [DERIVE_ALLOCATION] = &derive_allocation,
};

/* @asked: names with a space between them; NULL: none */
static bool is_asked(const char *asked, struct span field)
{
	struct span rest = span_of(asked ?: "");

	while (rest.s)
		if (span_same(span_sep(&rest, " "), field))
			return true;
	return false;
}

bool derive_names_symbols(struct event_db *db, const struct deriver *deriver)
{
	array_each_of(const struct deriver_input, input, deriver->inputs, deriver->n_inputs) {
		const struct event_format *format;
		const struct event_field *f =
			input->symbol && !event_db_find(db, input->system, input->event, &format)
				? event_find_field(format, span_of(input->symbol), GENERICS_6_1)
				: NULL;

		if (f && is_text_field(f))
			return true;
	}
	return false;
}

static struct synth_event *define(struct tracing *t, const struct derived_event *event)
{
	const bool named = event->named && derive_names_symbols(t->machine.db, derivers[event->of]);
	struct synth_event *se = derived_event_define(t, named ? event->named : event->definition);

	if (!se)
		return NULL;
	/* lengths are named by their unit, such as "ns" and "self_ns" */
	for (size_t i = 0; i < se->n_fields; i++) {
		struct event_field *field = se->fields[i].in_format;
		struct span name = span_of(field->name);

		if (span_eq(name, "ns") || (name.n > 3 && !strcmp(name.s + name.n - 3, "_ns")))
			field->time_unit = "ns";
		if (is_asked(event->asks, name))
			field->asks = ASKS_COMM;
		else if (is_asked(event->asks_open, name))
			field->asks = ASKS_COMM_OPEN;
		else if (is_asked(event->asks_uses, name))
			field->asks = ASKS_REASON;
		else if (is_asked(event->asks_cgroups, name))
			field->asks = ASKS_CGROUP;
		else if (is_asked(event->past, name))
			field->asks = ASKS_PAST;
		else if (se->fields[i].text.is_stack)
			field->asks = ASKS_STACK;
	}
	se->asks_cgroups |=
		any_of(i, DERIVE_USES_MAX,
		       event->uses[i] == &derive_throttle || event->uses[i] == &derive_freeze);
	se->asks_cgroups |= event->of == DERIVE_THROTTLE || event->of == DERIVE_FREEZE;
	return se;
}

struct synth_event *derive_define(struct tracing *t, struct span name)
{
	for (size_t i = 0; i < N_DERIVERS; i++)
		for (size_t k = 0; k < derivers[i]->n_events; k++)
			if (span_eq(name, derivers[i]->events[k].name))
				return define(t, &derivers[i]->events[k]);
	return NULL;
}

const char *hist_derived_event(size_t i)
{
	for (size_t k = 0; k < N_DERIVERS; i -= derivers[k++]->n_events)
		if (i < derivers[k]->n_events)
			return derivers[k]->events[i].full;
	return NULL;
}

/* The event of that full name, and its deriver; NULL: unknown name. */
static const struct derived_event *derived_event(const char *full, const struct deriver **of)
{
	for (size_t k = 0; k < N_DERIVERS; k++)
		for (size_t e = 0; e < derivers[k]->n_events; e++)
			if (!strcmp(full, derivers[k]->events[e].full)) {
				*of = derivers[k];
				return &derivers[k]->events[e];
			}
	return NULL;
}

const char *hist_derived_fields(const char *derived)
{
	const struct deriver *of;
	const struct derived_event *event = derived_event(derived, &of);

	return event ? strchr(event->definition, ' ') + 1 : NULL;
}

/* The @i-th input that is recorded for a deriver; if there are fewer, @i is less by their number.
 */
static const struct deriver_input *recorded_input(const struct deriver *deriver, size_t *i)
{
	for (size_t k = 0; k < deriver->n_inputs; k++)
		if (deriver->inputs[k].full && !deriver->inputs[k].unasked && !(*i)--)
			return &deriver->inputs[k];
	return NULL;
}

const char *hist_derived_input(const char *derived, size_t i, bool *needed)
{
	const struct deriver *deriver;
	const struct derived_event *event = derived_event(derived, &deriver);
	const struct deriver_input *input = event ? recorded_input(deriver, &i) : NULL;

	*needed = input && input->needed;
	for (size_t k = 0; event && !input && k < DERIVE_USES_MAX && event->uses[k]; k++)
		if (!event->asks_uses || event->uses[k]->rare)
			input = recorded_input(event->uses[k], &i);
	return input ? input->full : NULL;
}

static bool is_recorded(struct hist *h, const char *pattern)
{
	const char *event;

	for (size_t i = 0; (event = hist_recorded_event(h, i)); i++)
		if (!fnmatch(pattern, event, 0))
			return true;
	return false;
}

bool hist_can_derive(struct hist *h, const char *derived)
{
	const struct deriver *deriver = NULL;
	const struct derived_event *event = derived_event(derived, &deriver);

	for (size_t i = 0; event && i < deriver->n_inputs; i++) {
		const struct deriver_input *input = &deriver->inputs[i];
		bool any = !input->needed || is_recorded(h, input->full);

		any |= any_of(k, deriver->n_inputs,
			      deriver->inputs[k].instead &&
				      !strcmp(deriver->inputs[k].instead, input->full) &&
				      is_recorded(h, deriver->inputs[k].full));
		if (!any)
			return false;
	}
	return event;
}
