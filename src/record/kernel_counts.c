// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Adds up the kernel's counters in per_cpu/cpuN/stats of a session: events, and the lost events per
 * CPU for each of the three ways in which a ring buffer loses events.
 */
#include "record/kernel_counts.h"
#include "record/tracefs_text.h"

/* False: they cannot be read, and are 0. */
static bool stats_of(const struct session *s, u32 cpu, struct ring_stats *stats)
{
	char *text = session_stats(s, cpu);

	ring_stats_parse(span_of(text ? text : ""), stats);
	free(text);
	return text != NULL;
}

bool session_is_empty(const struct session *s)
{
	struct ring_stats stats;
	bool empty = true;

	for (size_t i = 0; i < s->cpus.n && empty; i++)
		empty = stats_of(s, s->cpus.v[i], &stats) && !stats.entries;
	return empty;
}

void session_count(const struct session *s, u64 *events, u64 *lost)
{
	*events = *lost = 0;
	for (size_t i = 0; i < s->cpus.n; i++) {
		struct ring_stats stats;

		stats_of(s, s->cpus.v[i], &stats);
		*events += stats.entries + stats.read;
		*lost += ring_stats_lost(&stats);
	}
}

static void add_lost(struct strbuf *sb, const char *name, u64 n)
{
	if (n)
		strbuf_addf(sb, "%s %llu", name, (unsigned long long)n);
}

void report_lost(const struct session *s, struct record_result *result, struct diags *diags)
{
	struct strbuf sb = STRBUF_INIT;
	u64 left = 0;

	for (size_t i = 0; i < s->cpus.n; i++) {
		u32 cpu = s->cpus.v[i];
		struct ring_stats stats;

		stats_of(s, cpu, &stats);
		result->events += stats.read;
		result->lost += ring_stats_lost(&stats);
		left += stats.entries;
		if (!ring_stats_lost(&stats))
			continue;
		strbuf_addf(&sb, "%s CPU %u:", sb.len ? "," : "", cpu);
		add_lost(&sb, " overwritten", stats.overrun);
		add_lost(&sb, " dropped", stats.dropped);
		add_lost(&sb, " commit overrun", stats.commit_overrun);
	}
	if (result->lost)
		diags_add(
			diags, DIAG_WARNING,
			"%llu events were lost:%s; a larger buffer (-b), filters (-f) or fewer events "
			"help",
			(unsigned long long)result->lost, sb.s);
	if (left) {
		result->complete = false;
		diags_add(diags, DIAG_WARNING, "%llu events were left in the kernel's buffers",
			  (unsigned long long)left);
	}
	strbuf_release(&sb);
}
