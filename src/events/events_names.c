// SPDX-License-Identifier: LGPL-2.1-only
/* Names of the numbers of fields: those of print fmts, devices, and system calls. */
#include "events/events_print.h"
#include "hist-columns.h"

/* Of a field; ->read: its names were looked up. */
struct events_names {
	struct number_names names;
	bool read, syscalls;
};

/* NULL: out of memory */
static const struct events_names *names_of(struct hist_events *ev, struct events_type *type,
					   size_t field)
{
	const char *name = type->public.fields[field].name;
	struct events_names *n;

	if (!type->names)
		type->names =
			arena_alloc(&ev->arena, (type->public.n_fields + 1) * sizeof(*type->names));
	if (!type->names)
		return NULL;
	n = &type->names[field];
	if (!n->read) {
		if (events_field_words(ev, type, field, &ev->arena, &n->names))
			return NULL;
		n->syscalls = event_field_is_syscall(type->public.system, name, false);
		n->read = true;
	}
	return n;
}

int hist_event_has_names(struct hist_events *ev, const struct hist_event_type *type, size_t field)
{
	const struct events_names *n = names_of(ev, ev->types.v[type->number], field);

	return n ? n->syscalls || number_names_any(&n->names) : HIST_NOMEM;
}

const char *hist_event_name(const struct hist_event *e, size_t field)
{
	struct hist_events *ev = e->events;
	const struct events_names *n = names_of(ev, ev->types.v[e->type->number], field);
	struct span name;
	struct hist_value v;

	hist_event_value(e, field, &v);
	if (!n || (v.kind != HIST_VALUE_UNSIGNED && v.kind != HIST_VALUE_SIGNED))
		return NULL;
	if (n->syscalls)
		return event_syscall_name(ev->h->recordings.db, ev->h->recordings.machine.arch,
					  v.number);
	name = events_value_name(&v, &n->names, ev->name);
	ev->name[min_t(size_t, name.n, sizeof(ev->name) - 1)] = '\0';
	return name.n ? ev->name : NULL;
}
