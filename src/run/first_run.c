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

static void set_first_hits(const struct hist_count *hc, const struct run_source *source)
{
	const struct tracing_map *map = hist_map(hc);

	for (u32 i = 0; i < map->n_elts; i++) {
		struct first_hit *first = elt_first_hit(hc->hd, tracing_map_elt_at(map, i));
		const struct hit hit = { .cpu = first->cpu,
					 .pid = first->pid,
					 .ts = first->ts,
					 .at = first->at,
					 .source = source };

		if (first->at)
			hist_comm_copy(first->comm, &hit);
	}
}

static void set_exemplars(struct exemplar_row *row, const struct run_source *source)
{
	for (struct exemplar *e = row->v; e < row->v + row->n; e++) {
		const struct hit hit = {
			.cpu = e->cpu, .pid = e->pid, .ts = e->at, .at = e->place, .source = source
		};

		hist_comm_copy(e->comm, &hit);
	}
}

void hist_set_names(const struct hist_count *hc, const struct run_source *source)
{
	if (hc->hd->has_comm)
		set_first_hits(hc, source);
	for (size_t i = 0; i < hc->parts->exemplars.n; i++)
		set_exemplars(hc->parts->exemplars.v[i], source);
}
