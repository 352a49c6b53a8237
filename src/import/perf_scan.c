// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads perf.data once, and finds the parts of which records are made later: joins the ranges that
 * threads have read.
 */
#include "import/perf_scan.h"

/* --- parts --- */

static int cpu_at(struct perf_scan *s, u32 cpu, struct perf_cpu **out)
{
	const struct perf_cpu none = { .part = PERF_NO_PART,
				       .first = UINT64_MAX,
				       .earliest = UINT64_MAX };

	while (s->cpus.n <= cpu)
		if (array_push(&s->cpus, none))
			return HIST_NOMEM;
	*out = &s->cpus.v[cpu];
	return 0;
}

static int add_part(struct perf_scan *s, const struct perf_part *from)
{
	struct perf_part part = *from;
	const u32 at = (u32)s->parts.n;
	struct perf_cpu *cpu;

	if (cpu_at(s, part.cpu, &cpu) || at == PERF_NO_PART)
		return HIST_NOMEM;
	part.next = PERF_NO_PART;
	if (cpu->part == PERF_NO_PART) {
		cpu->part = at;
	} else {
		s->parts.v[cpu->last_part].next = at;
		part.sorted &= part.first > cpu->latest;
	}
	cpu->last_part = at;
	cpu->latest = max_t(u64, cpu->latest, part.last);
	s->latest = max_t(u64, s->latest, part.last);
	if (!part.loss) {
		cpu->first = min_t(u64, cpu->first, part.first);
		cpu->last = max_t(u64, cpu->last, part.last);
	}
	return array_push(&s->parts, part);
}

int perf_scan_lost(struct perf_scan *s, const struct perf_event *ev, u32 cpu, u64 ts)
{
	return add_part(s, &(struct perf_part){ .p = ev->body - 8,
						.len = (u32)ev->len + 8,
						.first = ts,
						.last = ts,
						.ids = UINT64_MAX,
						.cpu = cpu,
						.sorted = true,
						.loss = true });
}

int perf_scan_rename(struct perf_scan *s, u32 cpu, struct perf_rename_at rename)
{
	struct perf_cpu *c;

	return cpu_at(s, cpu, &c) ?: array_push(&c->renames, rename);
}

/* --- ranges --- */

/* What threads share while they read a sequence of records. */
struct perf_reading {
	struct perf_scan *s;
	perf_other_fn fn;
	void *arg;
	const u8 *begin, *end;
	const u8 *at; /* ranges before it are joined */
	size_t size;  /* of a range */
};

struct perf_slot {
	const struct perf_reading *all;
	struct perf_range range;
	const u8 *end; /* where the next one begins */
};

static struct bytes bytes_at(const struct perf_reading *all, const u8 *p)
{
	return bytes_of(p, (size_t)(all->end - p), all->s->f->big);
}

static void read_range(void *item, size_t i)
{
	struct perf_slot *slot = item;
	const struct perf_reading *all = slot->all;
	const struct perf_file *f = all->s->f;
	const u8 *begin = all->begin + i * all->size, *from = begin;

	slot->end = begin + min_t(size_t, all->size, (size_t)(all->end - begin));
	if (i)
		from = perf_range_find(f, begin, slot->end, all->end);
	slot->range.from = NULL;
	if (from)
		perf_range_read(&slot->range, f, bytes_at(all, from), slot->end);
}

static int take_note(const struct perf_reading *all, const struct perf_note *note)
{
	struct perf_scan *s = all->s;
	struct bytes b = bytes_at(all, note->p);
	struct perf_event ev;

	if (perf_event_next(&b, &ev))
		return 0;
	if (ev.type == PERF_FINISHED_ROUND) {
		const struct perf_round round = { s->parts.n, s->limit };

		s->limit = s->latest;
		return array_push(&s->rounds, round);
	}
	return all->fn(all->arg, &ev);
}

static int add_seen(struct perf_scan *s, const struct perf_range *r)
{
	const struct perf_counts *c = &r->counts;
	int err = 0;

	s->counts.taken += c->taken;
	s->counts.unknown += c->unknown;
	s->counts.damaged += c->damaged;
	s->counts.pids_same |= c->pids_same;
	s->counts.pids_differ |= c->pids_differ;
	s->counts.pids_outside |= c->pids_outside;
	for (size_t i = 0; i < s->f->attrs.n; i++)
		s->f->attrs.v[i].samples += r->seen[i].samples;
	for (size_t i = 0; i < r->others.n && !err; i++) {
		struct perf_attr *attr = &s->f->attrs.v[r->others.v[i]];

		if (!attr->listed)
			err = array_push(&s->others, attr);
		attr->listed = true;
	}
	return err;
}

/* Add what was read to the ranges before it. */
static int join(const struct perf_reading *all, const struct perf_range *r)
{
	struct perf_scan *s = all->s;
	size_t part = 0;
	int err = add_seen(s, r);

	for (size_t i = 0; i <= r->notes.n && !err; i++) {
		const size_t parts = i < r->notes.n ? r->notes.v[i].parts : r->parts.n;

		while (part < parts && !err)
			err = add_part(s, &r->parts.v[part++]);
		if (i < r->notes.n)
			err = err ?: take_note(all, &r->notes.v[i]);
	}
	return err;
}

/* 1: there are no more records. */
static int take_range(void *arg, const void *item)
{
	struct perf_reading *all = arg;
	struct perf_slot *slot = (struct perf_slot *)item;
	struct perf_range *r = &slot->range;
	struct bytes b = bytes_at(all, all->at);
	int err;

	if (r->from != all->at)
		perf_range_read(r, all->s->f, b, slot->end);
	err = r->err ?: join(all, r);
	all->at = b.p = r->to;
	if (!err && r->end < 0)
		perf_event_failed(all->s->f, &b);
	return err ?: !!r->end;
}

static int scan_run(struct perf_scan *s, struct span data, perf_other_fn fn, void *arg)
{
	const u8 *begin = (const u8 *)data.s;
	/* no data may have no address */
	const u8 *end = data.n ? begin + data.n : begin;
	struct perf_reading all = { s, fn, arg, begin, end, begin, s->range };
	struct ordered_work work = { .make = read_range,
				     .take = take_range,
				     .arg = &all,
				     .slot_size = sizeof(struct perf_slot),
				     .threads = max_t(u32, s->threads, 1) };
	struct perf_slot *slots;
	int err;

	/* to join a range takes a little for each event */
	if (!all.size)
		all.size = max_t(size_t, PERF_RANGE, s->f->attrs.n * 256);
	work.n = data.n / all.size + !!(data.n % all.size);
	work.n_slots = 2 * (size_t)work.threads;
	work.slots = slots = calloc(work.n_slots, sizeof(*slots));
	if (!slots)
		return HIST_NOMEM;
	for (size_t i = 0; i < work.n_slots; i++)
		slots[i].all = &all;
	s->limit = s->latest = 0;
	err = threads_run_ordered(&work);
	for (size_t i = 0; i < work.n_slots; i++)
		perf_range_release(&slots[i].range);
	free(slots);
	return err < 0 ? err : 0;
}

int perf_scan_file(struct perf_scan *s, struct perf_file *f, perf_other_fn fn, void *arg)
{
	int err = 0;

	s->f = f;
	for (size_t i = 0; i < f->runs.n && !err; i++)
		err = scan_run(s, f->runs.v[i].data, fn, arg);
	/* a part is sorted only if no later one of its CPU has an earlier time */
	for (size_t i = s->parts.n; !err && i-- > 0;) {
		struct perf_part *part = &s->parts.v[i];
		struct perf_cpu *cpu = &s->cpus.v[part->cpu];

		part->sorted &= part->last < cpu->earliest;
		cpu->earliest = min_t(u64, cpu->earliest, part->first);
	}
	return err;
}

void perf_scan_release(struct perf_scan *s)
{
	for (size_t i = 0; i < s->cpus.n; i++)
		array_release(&s->cpus.v[i].renames);
	array_release(&s->parts);
	array_release(&s->rounds);
	array_release(&s->cpus);
	array_release(&s->others);
}
