// SPDX-License-Identifier: LGPL-2.1-only
/*
 * How many tasks run on a CPU or wait for it. Who did so at the beginning of a span of time without
 * holes follows from the first record of each task in it, which a rehearsal finds; and when a CPU
 * becomes idle, no task waits for it.
 */
#include "derive/sched_depth.h"

void sched_started(struct sched *s, u32 cpu, bool runs, u32 n)
{
	struct sched_cpu *c = derive_rehearses(s->d) ? sched_cpu(s, cpu) : NULL;
	struct sched_start *start;

	if (!c)
		return;
	if (!c->start) {
		const struct sched_start new = { .epoch = s->epoch, .cpu = cpu };

		if (array_push(&s->starts, new)) {
			derive_fail(s->d);
			return;
		}
		c->start = s->starts.n;
	}
	start = &s->starts.v[c->start - 1];
	start->known |= runs;
	*(runs ? &start->runs : &start->waits) += n;
}

void sched_forget_starts(struct sched *s)
{
	const struct sched_start *v = s->starts.v;

	for (size_t i = s->starts.n; i-- > 0 && derive_rehearses(s->d) && v[i].epoch == s->epoch;)
		s->starts.v[i].known = false;
}

void sched_start_depths(struct sched *s, const struct derive_record *r)
{
	const u64 begin = derive_begin(s->d);
	const size_t n = s->starts.n;
	size_t first;

	if (likely(s->epoch == derive_epoch(s->d)) || begin > r->ts)
		return;
	s->epoch = derive_epoch(s->d);
	for (u32 i = 0; i < s->cpus.n; i++) {
		struct sched_cpu *c = &s->cpus.v[i];

		c->start = 0;
		c->was_idle = false;
		if (c->known)
			sched_started(s, i, true, c->running != NO_TASK);
	}
	first = derive_rehearses(s->d) ? n : partition_point(i, n, s->starts.v[i].epoch < s->epoch);
	for (size_t i = first; i < n && s->starts.v[i].epoch == s->epoch; i++) {
		const struct sched_start *start = &s->starts.v[i];
		struct sched_cpu *c = start->known ? sched_cpu(s, start->cpu) : NULL;

		if (!c)
			continue;
		c->depth = c->old_depth = start->runs + start->waits;
		c->depth_since = begin ?: r->ts;
		c->depth_known = c->depth_begun = true;
	}
}

static void trace_depth(struct sched *s, u32 cpu, bool ends, const struct derive_record *r)
{
	const struct sched_cpu *c = &s->cpus.v[cpu];

	if (r->ts > c->depth_since && (!c->depth_begun || derive_opens(s->d)))
		derive_trace(s->d, s->runqueue,
			     (u64[]){ cpu, c->old_depth, r->ts - c->depth_since,
				      c->old_depth * (r->ts - c->depth_since),
				      derive_open_word(c->depth_begun, ends) },
			     r, 0);
}

/* Without those that were woken before they had left the CPU. */
static u32 waiting_on(const struct sched *s, const struct sched_cpu *c)
{
	return sum_of(i, c->waiting.n,
		      s->tasks.v[c->waiting.v[i]].mode == WAITING &&
			      !s->tasks.v[c->waiting.v[i]].frozen);
}

/* After a record, because it may change a depth and change it back. */
void sched_trace_depths(struct sched *s, const struct derive_record *r)
{
	for (size_t i = 0; i < s->n_changed; i++) {
		struct sched_cpu *c = &s->cpus.v[s->changed[i]];
		const bool idle = c->idles && derive_went_on(s->d, r->ts);
		const bool doubted = c->depth_doubted || (c->stops && s->changed[i] != r->cpu);

		/* of a CPU that becomes idle, the tasks are known */
		if (idle)
			c->depth = waiting_on(s, c);
		c->idles = c->depth_doubted = false;
		if (c->depth == c->old_depth && c->depth_known && !doubted)
			continue;
		if (c->depth_known && doubted)
			derive_inconsistent(s->d);
		else if (c->depth_known)
			trace_depth(s, s->changed[i], false, r);
		c->depth_begun = false;
		c->depth_known |= idle;
		c->old_depth = c->depth;
		c->depth_since = r->ts;
	}
	s->n_changed = 0;
}

/* kernel: a CPU that goes offline switches to it, and has no records from then on. */
static bool is_stopper(const struct sched_task *t, u32 cpu)
{
	char name[DERIVE_COMM_SIZE];

	if (t->prio)
		return false;
	snprintf(name, sizeof(name), "migration/%u", cpu);
	return !strncmp(t->comm.s, name, sizeof(name));
}

void sched_note_next(struct sched *s, u32 cpu)
{
	struct sched_cpu *c = &s->cpus.v[cpu];

	c->idles = c->running == NO_TASK;
	c->was_idle |= c->idles;
	c->stops = !c->idles && is_stopper(&s->tasks.v[c->running], cpu);
}

/* It waited on @cpu when the epoch began, and no longer does. */
void sched_leave_start(struct sched *s, struct sched_task *t, u32 cpu)
{
	if (!t->early && (!sched_cpu(s, cpu) || s->cpus.v[cpu].was_idle))
		return;
	if (derive_rehearses(s->d) && !t->early)
		sched_started(s, cpu, false, 1);
	else if (s->starts.n)
		sched_change_depth(s, t->early ? t->first_cpu : cpu, -1);
	t->early = false;
}

/* It waited since the beginning, because one that sleeps is not moved before it is woken. */
void sched_move_early(struct sched *s, struct sched_task *t, u32 from, u32 cpu)
{
	sched_leave_start(s, t, from);
	if (s->starts.n)
		sched_change_depth(s, cpu, 1);
	t->early = true;
	t->first_cpu = cpu;
}

void sched_end_depths(struct sched *s, struct derive_record *r)
{
	for (u32 i = 0; i < s->cpus.n && derive_opens(s->d); i++) {
		r->cpu = i;
		if (s->cpus.v[i].depth_known && !s->cpus.v[i].stops)
			trace_depth(s, i, true, r);
	}
}

bool sched_rehearse(void *state, bool ends)
{
	struct sched *s = state;

	if (ends && !s->wakes)
		s->starts.n = 0;
	if (ends) {
		s->switches = s->wakes = s->creates = false;
		s->epoch = 0;
		s->n_switches = s->apart = 0;
		s->waited_ns = s->throttled_ns = s->frozen_ns = s->doubted_ns = 0;
		/* what a task has at the end is not known of its beginning */
		array_each(struct sched_task, t, &s->tasks)
			t->prio = 0;
	}
	return s->depths;
}
