// SPDX-License-Identifier: LGPL-2.1-only
/* Bookkeeping of tasks and CPUs; see sched_tasks.h. */
#include <stdlib.h>
#include <string.h>

#include "derive/sched_tasks.h"

const struct derive_comm sched_swapper = { "swapper" }, sched_unknown = { "unknown" };

/* --- tasks and CPUs --- */

static u32 find_task(struct sched *s, s32 pid)
{
	struct hash_walk walk = hash_walk(hash_number((u32)pid));
	size_t i;

	while (hash_next(&s->by_pid, &walk, &i))
		if (s->tasks.v[i].pid == pid)
			return (u32)i;
	i = s->tasks.n;
	if (array_push(&s->tasks, (struct sched_task){ .pid = pid }) ||
	    hash_add(&s->by_pid, hash_number((u32)pid), i)) {
		derive_fail(s->d);
		return NO_TASK;
	}
	return (u32)i;
}

u32 sched_task_any(struct sched *s, s32 pid)
{
	return s->recent[(u32)pid % RECENT_TASKS] = find_task(s, pid);
}

struct sched_cpu *sched_cpu_new(struct sched *s, u32 cpu)
{
	while (s->cpus.n <= cpu && cpu < SCHED_CPUS_MAX)
		if (array_push(&s->cpus, (struct sched_cpu){ .running = UNKNOWN_TASK }))
			break;
	if (cpu < s->cpus.n)
		return &s->cpus.v[cpu];
	if (cpu < SCHED_CPUS_MAX)
		derive_fail(s->d);
	return NULL;
}

/* --- idle CPUs --- */

void sched_set_idle(struct sched *s, u32 cpu, bool idle)
{
	if (s->cpus.v[cpu].idle == idle)
		return;
	s->cpus.v[cpu].idle = idle;
	s->n_idle += idle ? 1 : -1;
	s->idle_xor ^= cpu;
}

/* Time for which another CPU was idle. */
static u64 other_idle(const struct sched *s, u32 cpu)
{
	return s->any_idle - s->cpus.v[cpu].alone_ns;
}

/* --- depth of run queues --- */

void sched_change_depth(struct sched *s, u32 cpu, int by)
{
	bool known = false;

	if (!s->depths)
		return;
	s->cpus.v[cpu].depth += (u32)by;
	for (size_t i = 0; i < s->n_changed; i++)
		known |= s->changed[i] == cpu;
	if (!known && s->n_changed < ARRAY_SIZE(s->changed))
		s->changed[s->n_changed++] = cpu;
}

/* --- waiting --- */

enum { CULPRIT_TASK, CULPRIT_IDLE, CULPRIT_UNKNOWN, CULPRIT_NMI };

static const _Alignas(8) char kinds[][8] = { "task", "idle", "unknown", "nmi" };

/* Why those who wait for the CPU do not run. */
static struct sched_culprit culprit_of(const struct sched *s, u32 cpu, const struct irq_frame *nmi)
{
	const struct irq_frame *irq = nmi ? nmi : irq_top(s->irq, cpu);
	const u32 task = s->cpus.v[cpu].running;
	struct sched_culprit c = { .pid = 0 };

	if (irq) {
		c.kind = nmi ? kinds[CULPRIT_NMI] : irq_kind_word(irq->kind);
		derive_set_comm(&c.comm, (uintptr_t)irq->name.s);
	} else if (task < UNKNOWN_TASK) {
		c.kind = kinds[CULPRIT_TASK];
		c.pid = s->tasks.v[task].pid;
		c.comm = s->tasks.v[task].comm;
	} else {
		c.kind = kinds[task == NO_TASK ? CULPRIT_IDLE : CULPRIT_UNKNOWN];
		c.comm = task == NO_TASK ? sched_swapper : sched_unknown;
	}
	return c;
}

/*
 * The index of a culprit, so that the log and the sums of a wait need no texts; UINT32_MAX if out
 * of memory.
 */
static u32 intern(struct sched *s, const struct sched_culprit *c)
{
	const u32 hash = hash_bytes((u32)c->pid, &c->comm, sizeof(c->comm));
	struct hash_walk walk = hash_walk(hash);
	size_t i;

	while (hash_next(&s->by_culprit, &walk, &i)) {
		const struct sched_culprit *known = &s->culprits.v[i];

		if (known->pid == c->pid && known->kind == c->kind &&
		    !memcmp(&known->comm, &c->comm, sizeof(c->comm)))
			return (u32)i;
	}
	i = s->culprits.n;
	if (array_push(&s->culprits, *c) || array_push(&s->delayed, 0) ||
	    hash_add(&s->by_culprit, hash, i)) {
		derive_fail(s->d);
		return UINT32_MAX;
	}
	return (u32)i;
}

/* A culprit that did not delay the task yet; false if out of memory. */
static bool add_delayed(struct sched *s, struct sched_task *t, u32 culprit)
{
	if (!array_push(&t->delayed, ((struct sched_delayed){ culprit, 0 })))
		return true;
	derive_fail(s->d);
	return false;
}

/* The task waited because of these, one after the other. */
static void charge(struct sched *s, struct sched_task *t, const struct sched_delay *delay, size_t n)
{
	u64 *ns = s->delayed.v, charged = t->charged;

	for (const struct sched_delay *end = delay + n; delay < end; delay++) {
		const u64 from = charged;

		/* an NMI may have begun before the task was woken */
		if (unlikely(delay->until <= from))
			continue;
		charged = delay->until;
		if (likely(delay->culprit != UINT32_MAX) &&
		    (likely(ns[delay->culprit]) || add_delayed(s, t, delay->culprit)))
			ns[delay->culprit] += charged - from;
	}
	t->charged = charged;
}

/* Charge what the log has for a task, and then @last. */
static void charge_logged(struct sched *s, struct sched_task *t, const struct sched_delay *last)
{
	const struct sched_cpu *c = &s->cpus.v[t->cpu];
	u64 *ns = s->delayed.v;

	for (size_t i = 0; i < t->delayed.n; i++)
		ns[t->delayed.v[i].culprit] = t->delayed.v[i].ns;
	if (t->logged < c->log.n)
		charge(s, t, c->log.v + t->logged, c->log.n - t->logged);
	t->logged = c->log.n;
	if (last)
		charge(s, t, last, 1);
	for (size_t i = 0; i < t->delayed.n; i++) {
		t->delayed.v[i].ns = ns[t->delayed.v[i].culprit];
		ns[t->delayed.v[i].culprit] = 0;
	}
}

/* It is runnable, or about to be, on this CPU. */
static void list(struct sched *s, u32 task, u32 cpu)
{
	struct sched_task *t = &s->tasks.v[task];

	t->cpu = cpu;
	t->at = (u32)s->cpus.v[cpu].waiting.n;
	t->logged = s->cpus.v[cpu].log.n;
	t->idle_since = other_idle(s, cpu);
	t->listed = !s->lists || !array_push(&s->cpus.v[cpu].waiting, task);
	if (!t->listed)
		derive_fail(s->d);
}

void sched_unlist(struct sched *s, u32 task, u64 ts)
{
	struct sched_task *t = &s->tasks.v[task];
	struct sched_cpu *c = &s->cpus.v[t->cpu];

	if (!t->listed)
		return;
	t->listed = false;
	if (s->charges) {
		const struct sched_culprit by = culprit_of(s, t->cpu, NULL);
		const struct sched_delay last = { intern(s, &by), ts };

		charge_logged(s, t, &last);
	}
	t->idle_sum += other_idle(s, t->cpu) - t->idle_since;
	if (!s->lists)
		return;
	c->waiting.v[t->at] = c->waiting.v[--c->waiting.n];
	s->tasks.v[c->waiting.v[t->at]].at = t->at;
	if (!c->waiting.n)
		c->log.n = 0;
}

void sched_list(struct sched *s, u32 task, u32 cpu, u64 ts)
{
	struct sched_task *t = &s->tasks.v[task];

	t->since = t->charged = ts;
	t->first_cpu = cpu;
	t->delayed.n = 0;
	t->idle_sum = 0;
	list(s, task, cpu);
}

void sched_begin_wait(struct sched *s, u32 task, u32 cpu, const struct derive_comm *kind,
		      const struct derive_record *r)
{
	struct sched_task *t = &s->tasks.v[task];

	if (!t->listed)
		sched_list(s, task, cpu, r->ts);
	t->mode = WAITING;
	t->state = kind;
	sched_change_depth(s, t->cpu, 1);
}

/* It no longer waits there. */
void sched_end_wait(struct sched *s, u32 task, const struct derive_record *r)
{
	struct sched_task *t = &s->tasks.v[task];

	sched_unlist(s, task, r->ts);
	if (t->mode == WAITING)
		sched_change_depth(s, t->cpu, -1);
}

void sched_charge_unknown(struct sched *s, u32 task, u64 ts)
{
	const struct sched_culprit unknown = { .comm = sched_unknown,
					       .kind = kinds[CULPRIT_UNKNOWN] };
	struct sched_task *t = &s->tasks.v[task];
	struct sched_delayed all;

	if (ts <= t->since)
		return;
	all = (struct sched_delayed){ intern(s, &unknown), ts - t->since };
	t->delayed.n = 0;
	if (all.culprit != UINT32_MAX && array_push(&t->delayed, all))
		derive_fail(s->d);
}

void sched_move_wait(struct sched *s, u32 task, u32 cpu, const struct derive_record *r)
{
	sched_end_wait(s, task, r);
	list(s, task, cpu);
	sched_change_depth(s, cpu, 1);
}

/*
 * Those who wait are not charged one by one: what happened is logged once, and read for each of
 * them at its end. A log that gets long, because a task waits for very long, is read before.
 */
void sched_charge(struct sched *s, u32 cpu, u64 ts, const struct irq_frame *nmi)
{
	enum { LOG_MAX = 4096 };
	struct sched_cpu *c = &s->cpus.v[cpu];
	struct sched_culprit by;

	if (!c->waiting.n)
		return;
	by = culprit_of(s, cpu, nmi);
	if (array_push(&c->log, ((struct sched_delay){ intern(s, &by), ts })))
		derive_fail(s->d);
	if (c->log.n < LOG_MAX)
		return;
	for (size_t i = 0; i < c->waiting.n; i++)
		charge_logged(s, &s->tasks.v[c->waiting.v[i]], NULL);
	for (size_t i = 0; i < c->waiting.n; i++)
		s->tasks.v[c->waiting.v[i]].logged = 0;
	c->log.n = 0;
}

/* --- all --- */

void sched_forget(struct sched *s)
{
	for (size_t i = 0; i < s->tasks.n; i++) {
		struct sched_task *t = &s->tasks.v[i];

		t->mode = UNSEEN;
		t->woken = t->listed = t->seen = false;
	}
	for (size_t i = 0; i < s->cpus.n; i++) {
		struct sched_cpu *c = &s->cpus.v[i];

		c->known = c->depth_known = c->idle = false;
		c->running = UNKNOWN_TASK;
		c->waiting.n = c->log.n = 0;
		c->depth = 0;
	}
	s->n_idle = s->idle_xor = 0;
	s->n_changed = 0;
}

void sched_release(struct sched *s)
{
	for (size_t i = 0; i < s->tasks.n; i++)
		array_release(&s->tasks.v[i].delayed);
	for (size_t i = 0; i < s->cpus.n; i++) {
		array_release(&s->cpus.v[i].waiting);
		array_release(&s->cpus.v[i].log);
	}
	array_release(&s->culprits);
	array_release(&s->delayed);
	hash_release(&s->by_culprit);
	array_release(&s->tasks);
	array_release(&s->cpus);
	hash_release(&s->by_pid);
}
