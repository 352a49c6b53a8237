// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A window of time: what a task does follows from its records since it was last switched to, and
 * from the task that its CPU switches from.
 */
#include "derive/sched_window.h"

void sched_touches(const struct derive_record *r, struct derive_touches *t)
{
	*t = (struct derive_touches){ .switches = r->input == SWITCH };
	if (t->switches) {
		t->tasks[0] = (s32)r->n[PREV_PID];
		t->tasks[1] = (s32)r->n[NEXT_PID];
		t->runs = true;
	} else {
		t->tasks[0] = r->input == YIELD ? r->pid : (s32)r->n[0];
	}
}

static void forget(struct sched *s)
{
	for (u32 i = sched_first_met(s, 0); i < s->tasks.n; i = sched_first_met(s, i + 1)) {
		struct sched_task *t = &s->tasks.v[i];

		sched_forget_task(t);
		t->yields = t->frozen = t->sure = t->left = false;
		t->prio = 0;
		bits_drop(s->met.v, i);
	}
	sched_forget_cpus(s, DERIVE_ALL_CPUS);
}

static void set_seen(struct sched *s, u32 seen)
{
	s->switches = seen >> SWITCH & 1;
	s->wakings = seen >> WAKING & 1;
	s->wakeups = seen >> WAKEUP & 1;
	s->wakes = s->wakings || s->wakeups;
	s->creates = seen >> WAKEUP_NEW & 1;
}

/* A record of the past. The switches before it on its CPU may be left out. */
static bool read_past(struct sched *s, const struct derive_past_record *p)
{
	struct sched_cpu *c = sched_cpu(s, p->r.cpu);

	if (!c)
		return false;
	set_seen(s, p->seen);
	c->known = p->missed;
	c->running = p->missed ? sched_task(s, p->missed) : UNKNOWN_TASK;
	derive_sched.hit(s, &p->r);
	return true;
}

bool sched_begin(void *state, const struct derive_past *past)
{
	struct sched *s = state;
	const u64 n_switches = s->n_switches, apart = s->apart, bare_wakings = s->bare_wakings;
	bool ok = !s->charges && !s->depths && !s->times && !s->stacks;

	if (!ok || !past)
		return ok;
	forget(s);
	array_each(const struct derive_past_record, p, &past->records)
		ok &= read_past(s, p);
	set_seen(s, past->seen);
	for (u32 i = 0; i < past->cpus.n && ok; i++) {
		const struct derive_past_cpu *p = &past->cpus.v[i];
		struct sched_cpu *c = sched_cpu(s, i);

		if (!c || !p->known) {
			ok = c;
			continue;
		}
		c->known = true;
		c->running = p->task ? sched_task(s, p->task) : NO_TASK;
		c->counts = derive_has(s->d, 0) && derive_in_span(s->d, p->since);
		sched_set_idle(s, i, !p->task && derive_has(s->d, 0));
	}
	s->n_switches = n_switches;
	s->apart = apart;
	s->bare_wakings = bare_wakings;
	return ok;
}
