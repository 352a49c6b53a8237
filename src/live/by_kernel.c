// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The events of the conditions with their filters, and of the script what makes synthetic ones.
 * What else a script does may change what is recorded, so then hist evaluates the conditions.
 */
#include "live/by_kernel.h"

static void add_event(struct by_kernel *k, const struct hist_event_choice *choice)
{
	const struct record_event ev = { .pattern = arena_strdup(&k->arena, choice->event),
					 .filter = choice->filter };

	if (!strncmp(choice->event, "derived:", 8) || !strncmp(choice->event, "synthetic:", 10))
		k->why = arena_printf(&k->arena, "%s is made by hist", choice->event);
	else if (!ev.pattern || array_push(&k->events, ev))
		k->why = "out of memory";
}

void by_kernel_plan(struct by_kernel *k, const struct match_choices *choices)
{
	for (size_t i = 0; i < choices->v.n && !k->why; i++)
		add_event(k, &choices->v.v[i]);
	k->until = (struct record_until){ k->events.v, k->events.n };
}

void by_kernel_release(struct by_kernel *k)
{
	array_release(&k->events);
	arena_release(&k->arena);
}
