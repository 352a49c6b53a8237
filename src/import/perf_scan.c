// SPDX-License-Identifier: LGPL-2.1-only
/* Reads perf.data once, and finds the parts of which records are made later. */
#include "import/perf_scan.h"

/* Long parts are cut, so that those without an event can be skipped. */
enum { PART_SIZE = 1 << 14 };

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

/* The current part ends before @p. */
static int end_part(struct perf_scan *s, const u8 *p)
{
	struct perf_part *part = &s->part;
	const u32 at = (u32)s->parts.n;
	struct perf_cpu *cpu;

	if (!part->p)
		return 0;
	if (cpu_at(s, part->cpu, &cpu) || at == PERF_NO_PART)
		return HIST_NOMEM;
	part->len = (u32)(p - part->p);
	part->next = PERF_NO_PART;
	if (cpu->part == PERF_NO_PART) {
		cpu->part = at;
	} else {
		s->parts.v[cpu->last_part].next = at;
		part->sorted &= part->first > cpu->latest;
	}
	cpu->last_part = at;
	cpu->latest = max_t(u64, cpu->latest, part->last);
	s->latest = max_t(u64, s->latest, part->last);
	if (!part->loss) {
		cpu->first = min_t(u64, cpu->first, part->first);
		cpu->last = max_t(u64, cpu->last, part->last);
	}
	if (array_push(&s->parts, *part))
		return HIST_NOMEM;
	part->p = NULL;
	return 0;
}

static int begin_part(struct perf_scan *s, const u8 *p, u32 cpu, u64 ts)
{
	int err = end_part(s, p);

	s->part = (struct perf_part){
		.p = p, .first = ts, .last = ts, .cpu = cpu, .sorted = true, .ids = 0
	};
	return err;
}

/* A sample at @p. */
static inline int add_sample(struct perf_scan *s, const u8 *p, u32 cpu, u64 ts, u64 ids)
{
	struct perf_part *part = &s->part;

	if (unlikely(!part->p || part->cpu != cpu || p - part->p > PART_SIZE)) {
		int err = begin_part(s, p, cpu, ts);

		if (err)
			return err;
	}
	part->ids |= ids;
	if (likely(ts >= part->last)) {
		part->last = ts;
		return 0;
	}
	part->sorted = false;
	part->first = min_t(u64, part->first, ts);
	return 0;
}

int perf_scan_lost(struct perf_scan *s, const struct perf_event *ev, u32 cpu, u64 ts)
{
	int err = begin_part(s, ev->body - 8, cpu, ts);

	s->part.loss = true;
	s->part.ids = UINT64_MAX;
	return err ?: end_part(s, ev->body + ev->len);
}

int perf_scan_rename(struct perf_scan *s, u32 cpu, struct perf_rename_at rename)
{
	struct perf_cpu *c;

	return cpu_at(s, cpu, &c) ?: array_push(&c->renames, rename);
}

static int end_round(struct perf_scan *s, const u8 *p)
{
	int err = end_part(s, p);
	const struct perf_round round = { s->parts.n, s->limit };

	s->limit = s->latest;
	return err ?: array_push(&s->rounds, round);
}

/* A part is sorted only if no later one of its CPU has an earlier time. */
static void check_later(struct perf_scan *s)
{
	for (size_t i = s->parts.n; i-- > 0;) {
		struct perf_part *part = &s->parts.v[i];
		struct perf_cpu *cpu = &s->cpus.v[part->cpu];

		part->sorted &= part->last < cpu->earliest;
		cpu->earliest = min_t(u64, cpu->earliest, part->first);
	}
}

/* --- records --- */

static inline void compare_pids(struct perf_scan *s, s32 tid, s32 pid)
{
	/* kernel: the TID is 0 outside of the namespace, and 0 or -1 for a task that has ended */
	s->pids_same |= tid == pid && pid > 0;
	s->pids_outside |= !tid && pid > 0;
	s->pids_differ |= tid > 0 && pid > 0 && tid != pid;
}

static int scan_sample(struct perf_scan *s, const struct perf_event *ev)
{
	enum { PID_AT = 4 };
	struct perf_sample sample;
	u64 ids = UINT64_MAX;
	int err = perf_sample_read(s->f, ev, &sample);
	struct perf_attr *attr = sample.attr;

	if (err) {
		s->unknown += err > 0;
		s->damaged += err < 0;
		return 0;
	}
	attr->samples++;
	if (attr->type == PERF_TYPE_TRACEPOINT && attr->tid_at >= 0 && sample.raw &&
	    sample.raw_len >= PID_AT + 4)
		compare_pids(s, sample.tid, (s32)load_u32(sample.raw + PID_AT, s->f->big));
	err = perf_sample_check(&sample);
	if (err) {
		s->damaged += err < 0;
		return 0;
	}
	s->taken++;
	if (attr->type == PERF_TYPE_TRACEPOINT) {
		ids = 1ull << load_u16(sample.raw, s->f->big) % 64;
	} else if (!attr->listed) {
		attr->listed = true;
		err = array_push(&s->others, attr);
	}
	return err ?: add_sample(s, ev->body - 8, sample.cpu, sample.ts, ids);
}

/* Samples of tracepoints, as long as there is nothing else. */
static int scan_quick(struct perf_scan *s, struct bytes *b)
{
	const struct perf_file *f = s->f;
	struct perf_sample sample;
	struct perf_event ev;
	int err = 0;

	while (!err && likely(perf_event_quick(f, b, &ev, &sample))) {
		const s32 pid = (s32)load_u32(sample.raw + 4, false);

		sample.attr->samples++;
		s->taken++;
		if (likely(sample.tid == pid && pid > 0))
			s->pids_same = true;
		else
			compare_pids(s, sample.tid, pid);
		err = add_sample(s, ev.body - 8, sample.cpu, sample.ts,
				 1ull << load_u16(sample.raw, false) % 64);
	}
	return err;
}

static int scan_run(struct perf_scan *s, struct span data, perf_other_fn fn, void *arg)
{
	struct bytes b = bytes_of(data.s, data.n, s->f->big);
	struct perf_event ev;
	int err = 0, end = 0;

	s->limit = s->latest = 0;
	while (!(err = scan_quick(s, &b)) && !(end = perf_event_next(&b, &ev))) {
		if (likely(ev.type == PERF_SAMPLE))
			err = scan_sample(s, &ev);
		else if (ev.type == PERF_FINISHED_ROUND)
			err = end_round(s, ev.body - 8);
		else
			err = (ev.more_len ? end_part(s, ev.body - 8) : 0) ?: fn(arg, &ev);
		if (err)
			break;
	}
	if (end < 0)
		perf_event_failed(s->f, &b);
	return err ?: end_part(s, b.p);
}

int perf_scan_file(struct perf_scan *s, struct perf_file *f, perf_other_fn fn, void *arg)
{
	int err = 0;

	s->f = f;
	for (size_t i = 0; i < f->runs.n && !err; i++)
		err = scan_run(s, f->runs.v[i].data, fn, arg);
	if (!err)
		check_later(s);
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
