// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds eprobes whose format was recorded, but no event: they were enabled only for their triggers.
 * The replay makes their events, as those of eprobes that were not recorded at all.
 */
#include "replay/source.h"
#include "tracing/dynamic_event.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

/* Return: whether the stream has a record of that id; < 0: an error */
static int has_record(const struct stream *stream, u32 id)
{
	struct source s;
	int n = id < stream->table->n ? source_open(&s, stream) : 1;
	u8 *keep;

	if (n)
		return n < 0 ? n : 0;
	keep = calloc(stream->table->n, 1);
	if (keep) {
		keep[id] = 1;
		s.iter.keep = keep;
		n = source_fill(&s);
	} else {
		n = HIST_NOMEM;
	}
	source_close(&s);
	free(keep);
	return n < 0 ? n : n > 0;
}

static void warn_memory(const struct probe *p, struct diags *diags)
{
	for (size_t i = 0; i < p->text.n_args; i++)
		if (p->text.args[i].source == PROBE_MEMORY)
			diags_add(
				diags, DIAG_WARNING,
				"%s:%s was not recorded, so its events are made from those of "
				"%.*s:%.*s; its argument %s needs memory of the machine, which is "
				"not recorded: it is 0 or empty",
				p->text.group, p->text.name, (int)p->text.system.n,
				p->text.system.s, (int)p->text.event.n, p->text.event.s,
				p->text.args[i].name);
}

int eprobes_find_unrecorded(const struct tracing *t, const struct stream *streams, size_t n,
			    struct diags *diags)
{
	array_each_ptr(const struct trigger, trigger, &t->triggers) {
		struct probe *p;
		int found = 0;

		if (!trigger || trigger->kind != TRIGGER_EPROBE || trigger->probe->made)
			continue;
		for (size_t s = 0; s < n && !found; s++)
			found = has_record(&streams[s],
					   recording_event_id(streams[s].of.rec,
							      trigger->target->format));
		if (found < 0)
			return found;
		p = probe_find(t, span_of(trigger->target->system), span_of(trigger->target->name));
		if (found || !p || !p->alike)
			continue;
		p->made = true;
		warn_memory(p, diags);
	}
	return 0;
}
