// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sorts the samples of each CPU by time. Each buffer of perf is sorted except for interrupts; with
 * one buffer per task, the samples of a CPU come from several buffers.
 *
 * perf reads all buffers once per round, so later rounds contain no sample older than the latest
 * sample of the previous round. Memory: the positions of the samples of two rounds, or of all
 * samples if the file marks no rounds.
 */
#include <stdlib.h>

#include "import/perf_order.h"

/*
 * ->list consists of sorted runs; ->runs has the index at which each run after the first begins. A
 * late sample is moved to its position if that is near. Otherwise it begins a new run, which is
 * merged with the preceding one later. Samples that arrive in order only cost an append.
 */
struct queue {
	ARRAY(struct perf_entry) list;
	size_t first;       /* entries before it were passed on */
	ARRAY(size_t) runs; /* start of each run after the first */
	ARRAY(struct perf_entry) renames;
	size_t next_rename;
	u64 renamed_at; /* time of the next one; UINT64_MAX: there is none */
};

enum { NEAR = 32 };

struct perf_order {
	perf_entry_fn fn;
	void *arg;
	ARRAY(struct queue) cpus;
	ARRAY(struct perf_entry) spare; /* for merging */
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
	for (size_t i = 0; i < o->cpus.n; i++) {
		array_release(&o->cpus.v[i].list);
		array_release(&o->cpus.v[i].runs);
		array_release(&o->cpus.v[i].renames);
	}
	array_release(&o->cpus);
	array_release(&o->spare);
	free(o);
}

/* --- adding --- */

static int new_queues(struct perf_order *o, u32 cpu)
{
	while (o->cpus.n <= cpu)
		if (array_push(&o->cpus, (struct queue){ .first = 0 }))
			return HIST_NOMEM;
	return 0;
}

/* Order by time. Entries with equal times keep the order of the file, but losses come first. */
static bool is_before(const struct perf_entry *a, const struct perf_entry *b)
{
	return a->ts < b->ts ||
	       (a->ts == b->ts && a->len == PERF_IS_LOSS && b->len != PERF_IS_LOSS);
}

/* Move the last entry, which is out of order, to its position, or let it begin a new run. */
static int place_late(struct queue *q)
{
	size_t run = q->runs.n ? q->runs.v[q->runs.n - 1] : q->first, last = q->list.n - 1;
	const struct perf_entry late = q->list.v[last];
	size_t far = last - run > NEAR ? last - NEAR : run, i = last - 1;

	while (i > far && is_before(&late, &q->list.v[i - 1]))
		i--;
	if (i == far && far > run && is_before(&late, &q->list.v[far - 1]))
		return array_push(&q->runs, last);
	memmove(&q->list.v[i + 1], &q->list.v[i], (last - i) * sizeof(late));
	q->list.v[i] = late;
	return 0;
}

int perf_order_add(struct perf_order *o, u32 cpu, const struct perf_entry *entry)
{
	struct queue *q;
	size_t n;

	if (unlikely(o->cpus.n <= cpu) && new_queues(o, cpu))
		return HIST_NOMEM;
	q = &o->cpus.v[cpu];
	o->latest = max_t(u64, o->latest, entry->ts);
	if (array_push(&q->list, *entry))
		return HIST_NOMEM;
	n = q->list.n;
	return n - q->first > 1 && unlikely(is_before(&q->list.v[n - 1], &q->list.v[n - 2]))
		       ? place_late(q)
		       : 0;
}

int perf_order_add_rename(struct perf_order *o, u32 cpu, const struct perf_entry *entry)
{
	if (new_queues(o, cpu))
		return HIST_NOMEM;
	o->cpus.v[cpu].renamed_at = 0; /* give_renames() finds the next one */
	return array_push(&o->cpus.v[cpu].renames, *entry);
}

/* --- merging runs --- */

/* Merge the adjacent runs [@a, @b) and [@b, @end) into @to. */
static void merge_two(struct perf_entry *to, const struct perf_entry *a, const struct perf_entry *b,
		      const struct perf_entry *end)
{
	const struct perf_entry *a_end = b;

	while (a < a_end && b < end)
		*to++ = is_before(b, a) ? *b++ : *a++;
	memcpy(to, a, (size_t)(a_end - a) * sizeof(*to));
	to += a_end - a;
	memcpy(to, b, (size_t)(end - b) * sizeof(*to));
}

/* Each pass merges pairs of adjacent runs, which halves their number. */
static int merge_runs(struct perf_order *o, struct queue *q)
{
	while (q->runs.n) {
		struct perf_entry *v = q->list.v;
		size_t cap = q->list.cap, from = q->first, left = 0;

		while (o->spare.cap < cap)
			if (array_grow(&o->spare.v, &o->spare.cap, sizeof(*o->spare.v)))
				return HIST_NOMEM;
		for (size_t i = 0; i <= q->runs.n; i += 2) {
			size_t mid = i < q->runs.n ? q->runs.v[i] : q->list.n;
			size_t end = i + 1 < q->runs.n ? q->runs.v[i + 1] : q->list.n;

			if (i)
				q->runs.v[left++] = from;
			merge_two(o->spare.v + from, v + from, v + mid, v + end);
			from = end;
		}
		q->runs.n = left;
		q->list.v = o->spare.v;
		q->list.cap = o->spare.cap;
		o->spare.v = v;
		o->spare.cap = cap;
	}
	return 0;
}

/* --- passing entries on --- */

static int give_renames(struct perf_order *o, struct queue *q, u64 limit)
{
	u32 cpu = (u32)(q - o->cpus.v);
	int err = 0;

	while (!err && q->next_rename < q->renames.n && q->renames.v[q->next_rename].ts <= limit)
		err = o->fn(o->arg, cpu, &q->renames.v[q->next_rename++]);
	q->renamed_at = q->next_rename < q->renames.n ? q->renames.v[q->next_rename].ts
						      : UINT64_MAX;
	return err;
}

static int flush(struct perf_order *o, struct queue *q, u64 limit)
{
	u32 cpu = (u32)(q - o->cpus.v);
	size_t left;
	int err = merge_runs(o, q);

	while (!err && q->first < q->list.n && q->list.v[q->first].ts <= limit) {
		const struct perf_entry *e = &q->list.v[q->first];

		if (unlikely(e->ts >= q->renamed_at))
			err = give_renames(o, q, e->ts);
		err = err ?: o->fn(o->arg, cpu, e);
		q->first++;
	}
	err = err ?: give_renames(o, q, limit);
	/* move the remaining entries to the start of the list */
	left = q->list.n - q->first;
	if (q->first >= left) {
		if (left)
			memcpy(q->list.v, q->list.v + q->first, left * sizeof(*q->list.v));
		q->list.n = left;
		q->first = 0;
	}
	return err;
}

static int flush_all(struct perf_order *o, u64 limit)
{
	int err = 0;

	for (size_t i = 0; i < o->cpus.n && !err; i++)
		err = flush(o, &o->cpus.v[i], limit);
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
