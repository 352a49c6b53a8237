// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The name of the task of an entry's first hit. Threads that do not count in time order compare the
 * places of hits; so the first one is the same for any number of threads.
 */
#include "program/entry.h"
#include "program/hit.h"
#include "run/hist_run.h"

static const char *hit_comm(const struct hit *hit)
{
	if (hit->pid < 0)
		return "<XXX>";
	return hit->pid ? hit->source->comm(hit->source->arg, hit) : "<idle>";
}

void hist_comm_copy(char *to, const struct hit *hit)
{
	const char *comm = hit_comm(hit);

	/* not text_copy(), which reads whole words: some names are shorter constants */
	memset(to, 0, TASK_COMM_LEN);
	memcpy(to, comm, strnlen(comm, TASK_COMM_LEN - 1));
}

void hist_first_hit(struct first_hit *first, const struct hit *hit)
{
	hist_comm_copy(first->comm, hit);
	first->ts = hit->ts;
	first->at = hit->at;
	first->cpu = hit->cpu;
	first->pid = hit->pid;
}

void hist_first_set_names(const struct hist_data *hd, const struct run_source *source)
{
	for (u32 i = 0; i < hd->map->n_elts; i++) {
		struct first_hit *first = elt_first_hit(hd->map, tracing_map_elt_at(hd->map, i));
		const struct hit hit = { .cpu = first->cpu,
					 .pid = first->pid,
					 .ts = first->ts,
					 .at = first->at,
					 .source = source };

		if (first->at)
			hist_comm_copy(first->comm, &hit);
	}
}

void hist_first_join(const struct hist_data *hd, const struct tracing_map *part)
{
	for (u32 i = 0; i < part->n_elts; i++) {
		struct tracing_map_elt *src = tracing_map_elt_at(part, i), *dst;
		const u64 *key = tracing_map_key(part, src);
		const struct first_hit *from = elt_first_hit(part, src);
		struct first_hit *to;

		dst = tracing_map_lookup(hd->map, key, tracing_map_hash(part, key));
		if (!dst)
			continue;
		to = elt_first_hit(hd->map, dst);
		if (from->at && first_hit_is_after(to, from->ts, from->at))
			*to = *from;
	}
}
