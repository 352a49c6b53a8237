// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Samples into the order of time, for each CPU on its own. Each buffer of perf is in order
 * but for interrupts; with one buffer a task, a CPU's samples come from several of them.
 *
 * perf reads all buffers once in each round, so that after a round nothing comes that is older
 * than the latest sample of the round before. Memory: the places of two rounds' samples, or
 * of all where no rounds are marked.
 */
#include <stdlib.h>

#include "import/perf_order.h"

struct queue {
	ARRAY(struct perf_entry) list;
	u64 last; /* ts of the last one */
	bool unsorted;
};

struct perf_order {
	perf_entry_fn fn;
	void *arg;
	ARRAY(struct queue) cpus;
	u64 limit, latest;
};

struct perf_order *perf_order_new(perf_entry_fn fn, void *arg)
{
	struct perf_order *o = calloc(1, sizeof(*o));

	if (o) {
		o->fn = fn;
		o->arg = arg;
	}
	return o;
}

void perf_order_free(struct perf_order *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->cpus.n; i++)
		array_release(&o->cpus.v[i].list);
	array_release(&o->cpus);
	free(o);
}

int perf_order_add_early(struct perf_order *o, u32 cpu, const struct perf_entry *entry)
{
	struct queue *q;

	while (unlikely(o->cpus.n <= cpu))
		if (array_push(&o->cpus, (struct queue){ .last = 0 }))
			return HIST_NOMEM;
	q = &o->cpus.v[cpu];
	q->unsorted |= entry->ts < q->last;
	q->last = entry->ts;
	return array_push(&q->list, *entry);
}

int perf_order_add(struct perf_order *o, u32 cpu, const struct perf_entry *entry)
{
	o->latest = max_t(u64, o->latest, entry->ts);
	return perf_order_add_early(o, cpu, entry);
}

/* Those of one time stay as they were written; losses and renames come first. */
static int cmp_entry(const void *a, const void *b)
{
	const struct perf_entry *ea = a, *eb = b;

	if (ea->ts != eb->ts)
		return ea->ts < eb->ts ? -1 : 1;
	if ((ea->len >= PERF_IS_RENAME) != (eb->len >= PERF_IS_RENAME))
		return ea->len >= PERF_IS_RENAME ? -1 : 1;
	return (ea->n > eb->n) - (ea->n < eb->n);
}

static int flush(struct perf_order *o, u32 cpu, u64 limit)
{
	struct queue *q = &o->cpus.v[cpu];
	size_t i = 0;
	int err = 0;

	if (q->unsorted)
		qsort(q->list.v, q->list.n, sizeof(*q->list.v), cmp_entry);
	q->unsorted = false;
	for (; i < q->list.n && q->list.v[i].ts <= limit && !err; i++)
		err = o->fn(o->arg, cpu, &q->list.v[i]);
	if (i)
		memmove(q->list.v, q->list.v + i, (q->list.n - i) * sizeof(*q->list.v));
	q->list.n -= i;
	q->last = q->list.n ? q->list.v[q->list.n - 1].ts : 0;
	return err;
}

static int flush_all(struct perf_order *o, u64 limit)
{
	int err = 0;

	for (u32 cpu = 0; cpu < o->cpus.n && !err; cpu++)
		if (o->cpus.v[cpu].list.n)
			err = flush(o, cpu, limit);
	return err;
}

int perf_order_round(struct perf_order *o)
{
	int err = flush_all(o, o->limit);

	o->limit = o->latest;
	return err;
}

void perf_order_restart(struct perf_order *o)
{
	o->limit = o->latest = 0;
}

int perf_order_end(struct perf_order *o)
{
	return flush_all(o, UINT64_MAX);
}
