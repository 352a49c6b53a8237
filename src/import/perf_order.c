// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sorts the samples of each CPU by time. Each buffer of perf is sorted except for interrupts; with
 * one buffer per task, the samples of a CPU come from several buffers.
 *
 * perf reads all buffers once per round, so later rounds contain no sample older than the latest
 * sample of the previous round. Memory: the positions of the samples of two rounds, or of all
 * samples if the file marks no rounds.
 */
#include "import/perf_order.h"

/*
 * ->list consists of sorted runs; ->runs has the index at which each run after the first begins. A
 * late sample is moved to its position if that is near. Otherwise it begins a new run, which is
 * merged with the preceding one later. Samples that arrive in order only cost an append.
 */
enum { NEAR = 32 };

void perf_order_release(struct perf_order *o)
{
	array_release(&o->list);
	array_release(&o->runs);
	array_release(&o->spare);
}

/* Order by time. Entries with equal times keep the order of the file, but losses come first. */
static bool is_before(const struct perf_entry *a, const struct perf_entry *b)
{
	return a->ts < b->ts ||
	       (a->ts == b->ts && a->len == PERF_IS_LOSS && b->len != PERF_IS_LOSS);
}

/* Move the last entry, which is out of order, to its position, or let it begin a new run. */
static int place_late(struct perf_order *o)
{
	size_t run = o->runs.n ? o->runs.v[o->runs.n - 1] : o->first, last = o->list.n - 1;
	const struct perf_entry late = o->list.v[last];
	size_t far = last - run > NEAR ? last - NEAR : run, i = last - 1;

	while (i > far && is_before(&late, &o->list.v[i - 1]))
		i--;
	if (i == far && far > run && is_before(&late, &o->list.v[far - 1]))
		return array_push(&o->runs, last);
	memmove(&o->list.v[i + 1], &o->list.v[i], (last - i) * sizeof(late));
	o->list.v[i] = late;
	return 0;
}

int perf_order_add(struct perf_order *o, const struct perf_entry *entry)
{
	size_t n;

	if (array_push(&o->list, *entry))
		return HIST_NOMEM;
	n = o->list.n;
	return n - o->first > 1 && unlikely(is_before(&o->list.v[n - 1], &o->list.v[n - 2]))
		       ? place_late(o)
		       : 0;
}

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
static int merge_runs(struct perf_order *o)
{
	while (o->runs.n) {
		struct perf_entry *v = o->list.v;
		size_t cap = o->list.cap, from = o->first, left = 0;

		while (o->spare.cap < cap)
			if (array_grow(&o->spare.v, &o->spare.cap, sizeof(*o->spare.v)))
				return HIST_NOMEM;
		for (size_t i = 0; i <= o->runs.n; i += 2) {
			size_t mid = i < o->runs.n ? o->runs.v[i] : o->list.n;
			size_t end = i + 1 < o->runs.n ? o->runs.v[i + 1] : o->list.n;

			if (i)
				o->runs.v[left++] = from;
			merge_two(o->spare.v + from, v + from, v + mid, v + end);
			from = end;
		}
		o->runs.n = left;
		o->list.v = o->spare.v;
		o->list.cap = o->spare.cap;
		o->spare.v = v;
		o->spare.cap = cap;
	}
	return 0;
}

int perf_order_flush(struct perf_order *o, u64 limit)
{
	size_t left;
	int err = merge_runs(o);

	while (!err && o->first < o->list.n && o->list.v[o->first].ts <= limit)
		err = o->fn(o->arg, &o->list.v[o->first++]);
	/* move the remaining entries to the start of the list */
	left = o->list.n - o->first;
	if (o->first >= left) {
		if (left)
			memcpy(o->list.v, o->list.v + o->first, left * sizeof(*o->list.v));
		o->list.n = left;
		o->first = 0;
	}
	return err;
}
