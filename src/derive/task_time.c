// SPDX-License-Identifier: LGPL-2.1-only
/* What a task did in an interval; see task_time.h. */
#include "derive/task_time.h"
#include "derive/sched_tasks.h"

void task_time_now(struct sched *s, s32 pid, u64 ts, struct task_time *now)
{
	u32 task = sched_task(s, pid);
	const struct sched_task *t = task == NO_TASK ? NULL : &s->tasks.v[task];
	u64 since;

	*now = (struct task_time){ .running = 0 };
	if (!t)
		return;
	since = !t->doubted && ts > t->counted ? ts - t->counted : 0;
	now->running = t->ns[RUNNING] +
		       (t->mode == RUNNING || (t->mode <= UNKNOWN && t->seen) ? since : 0);
	now->waiting = t->ns[WAITING] + (t->mode == WAITING ? since : 0);
	now->sleeping = t->ns[BLOCKED] + (t->mode == BLOCKED ? since : 0);
	now->interrupted = t->interrupted;
	if (t->mode == RUNNING || t->seen)
		now->interrupted += irq_ns(s->irq, t->cpu, ts) - t->interrupted_before;
}

void task_time_running(struct sched *s, s32 pid, const struct derive_record *r,
		       struct task_time *now)
{
	u32 task = sched_task(s, pid);
	struct sched_task *t = task == NO_TASK ? NULL : &s->tasks.v[task];

	if (t && t->mode <= UNKNOWN && (!t->seen || t->cpu != r->cpu)) {
		sched_count(s, t, r->ts, false);
		t->seen = true;
		t->cpu = r->cpu;
		t->interrupted_before = irq_ns(s->irq, r->cpu, r->ts);
	} else if (t && t->mode > UNKNOWN && (t->mode != RUNNING || t->cpu != r->cpu)) {
		sched_count(s, t, r->ts, false);
		t->doubted = true;
	}
	task_time_now(s, pid, r->ts, now);
}

/* Where @pid ran all the time since then; DERIVE_ALL_CPUS: nowhere, or that is not known. */
static u32 runs_on(struct sched *s, s32 pid, u64 since)
{
	u32 task = sched_task(s, pid);
	const struct sched_task *t = task == NO_TASK ? NULL : &s->tasks.v[task];
	bool seen = t && t->mode <= UNKNOWN && t->seen && s->switches;

	if (!t || t->doubted || (t->mode != RUNNING && !seen) ||
	    (seen ? t->counted : t->since) > since)
		return DERIVE_ALL_CPUS;
	return t->cpu;
}

bool task_time_whole(struct sched *s, u64 since, const struct derive_record *r)
{
	return derive_went_on(s->d, since) || (r->pid ? runs_on(s, r->pid, since) == r->cpu
						      : since >= derive_begin_of(s->d, r->cpu));
}

bool task_time_keep(struct sched *s, s32 pid, u64 *since, const struct derive_record *last)
{
	u32 cpu = runs_on(s, pid, derive_went_on(s->d, *since) ? last->ts : *since);

	if (cpu == DERIVE_ALL_CPUS || derive_ends(last, cpu))
		return false;
	*since = last->ts;
	return true;
}

struct task_parts task_time_parts(const struct sched *s, const struct task_time *from,
				  const struct task_time *to, u64 ns)
{
	u64 waiting = to->waiting - from->waiting, sleeping = to->sleeping - from->sleeping;
	u64 running = to->running - from->running;
	u64 interrupted = to->interrupted - from->interrupted;

	if (!s->switches || running + waiting + sleeping > ns)
		return (struct task_parts){ .unknown_ns = ns };
	interrupted = min_t(u64, interrupted, running);
	return (struct task_parts){ .running_ns = running - interrupted,
				    .waiting_ns = waiting,
				    .sleeping_ns = sleeping,
				    .irq_ns = interrupted,
				    .unknown_ns = ns - running - waiting - sleeping };
}
