// SPDX-License-Identifier: LGPL-2.1-only
/* Runs an event that a program traced, at its time in the replay. */
#include "run/run.h"
#include "tracing/traced_queue.h"

/*
 * The event was enabled, or had only triggers, when the program traced it, whatever the program did
 * later. States set by triggers in this replay have priority.
 */
static bool hit_as_traced(const struct traced_event *te, struct event_file *file,
			  const struct hit *hit)
{
	struct event_state *now = &file->state;
	bool enabled = now->enabled, soft_disabled = now->soft_disabled, recorded;
	bool untouched = enabled == file->initial.enabled &&
			 soft_disabled == file->initial.soft_disabled;

	if (!untouched)
		return event_hit(event_count_of(file), hit);
	now->enabled = true;
	now->soft_disabled = !te->recorded;
	recorded = event_hit(event_count_of(file), hit);
	now->enabled = enabled;
	if (now->soft_disabled == !te->recorded)
		now->soft_disabled = soft_disabled;
	return recorded;
}

void traced_event_hit(const struct traced_event *te, u64 ts, const struct hit_context *context)
{
	struct event_file *file = te->file;
	struct hit hit = {
		.file = file,
		.rec = te->rec,
		.len = te->record.len,
		.cpu = te->cpu,
		.pid = te->pid,
		.ts = ts,
		.at = UINT64_MAX, /* after all records of its time */
		.context = context,
	};

	if (!te->open && hit_as_traced(te, file, &hit) && context->synthetic)
		context->synthetic(context->arg, file, &hit);
}
