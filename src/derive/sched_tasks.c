// SPDX-License-Identifier: LGPL-2.1-only
/* Bookkeeping of tasks and CPUs; see sched_tasks.h. */
#include "derive/sched_delays.h"
#include "derive/sched_depth.h"
#include "derive/sched_window.h"
#include "derive/softirq.h"

const struct derive_comm sched_swapper = { "swapper" }, sched_unknown = { "unknown" },
			 sched_dead = { "dead" }, sched_sleeping = { "sleeping" },
			 sched_frozen = { "frozen" };

/* --- tasks and CPUs --- */

u32 sched_task_any(struct sched *s, s32 pid)
{
	const struct sched_task *t =
		s->tasks.n / 64 < s->met.n || !array_push(&s->met, 0)
			? indexed_get(&s->tasks, pid, pid, ((struct sched_task){ .pid = pid }))
			: NULL;
	const u32 task = t ? (u32)(t - s->tasks.v) : NO_TASK;

	if (!t) {
		derive_fail(s->d);
		return NO_TASK;
	}
	sched_meet(s, task);
	return s->recent[(u32)pid % RECENT_TASKS] = task;
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
	struct sched_cpu *c = &s->cpus.v[cpu];
	bool known = false;

	if (!s->depths)
		return;
	/* one that waited for an idle CPU, which a limit of its cgroup does, was not counted */
	if (c->depth_known && by < 0 && !c->depth)
		c->depth_doubted = true;
	else
		c->depth += (u32)by;
	known |= any_of(i, s->n_changed, s->changed[i] == cpu);
	if (!known && s->n_changed < ARRAY_SIZE(s->changed))
		s->changed[s->n_changed++] = cpu;
}

/* --- waiting --- */

enum culprit_kind {
	CULPRIT_TASK,
	CULPRIT_IDLE,
	CULPRIT_UNKNOWN,
	CULPRIT_NMI,
	CULPRIT_OTHERS,
	CULPRIT_BUDGET,
	CULPRIT_QUOTA,
	CULPRIT_FROZEN
};

static const _Alignas(8) char kinds[][8] = { "task",   "idle",   "unknown", "nmi",
					     "others", "budget", "quota",   "frozen" };

/* Limit: further ones of a wait are one, because all that wait do so for all that run. */
enum { CULPRITS_MAX = 512 };

/*
 * The index of a culprit, so that the log and the sums of a wait need no texts; UINT32_MAX if out
 * of memory.
 */
static __attribute__((noinline)) u32 find_culprit(struct sched *s, const struct sched_culprit *c)
{
	const u32 hash = hash_bytes(hash_number((u64)c->life << 32 | (u32)c->pid), &c->name,
				    sizeof(c->name));
	const struct sched_culprit *known =
		indexed_find(&s->culprits, hash, e, sched_same_culprit(e, c));

	/* ->delayed_by has one more, so that charge() need not ask */
	if (!known && (s->culprits.n || !array_push(&s->delayed_by, 0)) &&
	    !array_push(&s->delayed_by, 0) &&
	    !array_push(&s->delayed, ((struct sched_delayed){ .ns = 0 })))
		known = indexed_add(&s->culprits, hash, *c);
	if (!known)
		derive_fail(s->d);
	return known ? (u32)(known - s->culprits.v) : UINT32_MAX;
}

/* The same; mostly it is *@recent, which is set. */
static u32 intern(struct sched *s, const struct sched_culprit *c, u32 *recent)
{
	if (unlikely(*recent >= s->culprits.n || !sched_same_culprit(&s->culprits.v[*recent], c)))
		*recent = find_culprit(s, c);
	return *recent;
}

void sched_add_budgets(struct sched *s)
{
	static const char *const names[] = { [CLASS_STOP] = "real-time, deduced",
					     [CLASS_DEADLINE] = "deadline, deduced",
					     [CLASS_REALTIME] = "real-time, deduced",
					     [CLASS_FAIR] = "quota, deduced" };

	for (size_t i = 0; i <= CLASS_FAIR; i++) {
		struct sched_culprit c = {
			.reason = REASON_THROTTLED,
			.kind = kinds[i == CLASS_FAIR ? CULPRIT_QUOTA : CULPRIT_BUDGET]
		};

		irq_name_set(&c.name, span_of(names[i]));
		s->budgets[i] = find_culprit(s, &c);
	}
}

/*
 * Why those who wait for the CPU do not run; its index, or UINT32_MAX. @delay: its ->prio and
 * ->rank are set
 */
static u32 culprit_of(struct sched *s, u32 cpu, const struct irq_frame *nmi,
		      struct sched_delay *delay)
{
	const struct irq_frame *irq = nmi ? nmi : irq_top(s->irq, cpu);
	const u32 task = s->cpus.v[cpu].running;
	struct sched_culprit c = { .reason = REASON_TASK };

	delay->prio = 0;
	delay->rank = CLASS_STOP;
	if (irq) {
		c.reason = irq->kind == IRQ_SOFT && !nmi ? REASON_SOFTIRQ : REASON_IRQ;
		c.kind = nmi ? kinds[CULPRIT_NMI] : irq_kind_word(irq->kind);
		c.name = irq->name;
		return intern(s, &c, &s->irq_culprit);
	}
	if (task < UNKNOWN_TASK) {
		c.kind = kinds[CULPRIT_TASK];
		c.pid = s->tasks.v[task].pid;
		c.life = s->tasks.v[task].life;
		delay->prio = (s16)s->tasks.v[task].prio;
		delay->rank = (u8)sched_class_of(delay->prio);
		return intern(s, &c, &s->tasks.v[task].culprit);
	}
	c.kind = kinds[task == NO_TASK ? CULPRIT_IDLE : CULPRIT_UNKNOWN];
	c.reason = task == NO_TASK ? REASON_IDLE : REASON_UNKNOWN;
	delay->rank = task == NO_TASK ? CLASS_IDLE : CLASS_STOP;
	irq_name_set(&c.name, span_of((task == NO_TASK ? &sched_swapper : &sched_unknown)->s));
	return intern(s, &c, &s->other_culprit[task == NO_TASK]);
}

/*
 * A CPU that switches to a task of a lower class, or to its idle task, while a deadline or
 * real-time task is on its run queue, does so because that one may not run: it has used up its
 * budget. From then on it is held, until a task of its class or a higher one runs. One that was
 * woken is on the run queue from its sched_wakeup on.
 *
 * A CPU that becomes idle while a fair task that it ran is on its run queue does so because of a
 * quota, too.
 */
static void note_pick(const struct sched *s, struct sched_task *t, const struct sched_delay *delay)
{
	t->held_by = delay->rank > t->class &&
				     (t->class != CLASS_FAIR || derive_limits(s->d, t->pid))
			     ? s->budgets[t->class]
			     : UINT32_MAX;
}

void sched_queue(struct sched *s, struct sched_task *t)
{
	if (t->picks_from == SIZE_MAX)
		t->picks_from = s->cpus.v[t->cpu].log.n + 1;
}

/* It was held back in this time, too. */
static void add_hold(struct sched *s, struct sched_task *t, u64 to)
{
	struct sched_hold *last = t->holds.n ? &t->holds.v[t->holds.n - 1] : NULL;

	if (last && last->culprit == t->held_by && last->to == t->charged)
		last->to = to;
	else if (array_push(&t->holds, ((struct sched_hold){ t->held_by, t->charged, to })))
		derive_fail(s->d);
}

/*
 * The task waited because of these, one after the other; see note_pick() for those from @picks on.
 * @n: how many did so far, whose numbers are in ->delayed_by. Return: how many now
 */
static size_t charge(struct sched *s, struct sched_task *t, const struct sched_delay *delay,
		     const struct sched_delay *end, const struct sched_delay *picks, size_t n)
{
	struct sched_delayed *sums = s->delayed.v;
	u32 *by = s->delayed_by.v;

	for (; delay < end; delay++) {
		u32 culprit = delay->culprit;

		if (unlikely(t->picked) && delay->begins && delay >= picks)
			note_pick(s, t, delay);
		/* an NMI may have begun before the task was woken */
		if (unlikely(delay->until <= t->charged))
			continue;
		if (unlikely(t->held_by != UINT32_MAX))
			culprit = t->held_by;
		if (unlikely(t->held_by != UINT32_MAX && s->holds))
			add_hold(s, t, delay->until);
		if (unlikely(n >= CULPRITS_MAX && !sums[culprit].ns))
			culprit = s->others_culprit;
		by[n] = culprit;
		n += !sums[culprit].ns;
		sums[culprit].ns += delay->until - t->charged;
		sums[culprit].until = t->charged = delay->until;
		sums[culprit].prio = delay->prio;
	}
	return n;
}

/*
 * kernel: a deadline task uses up its budget only while it runs. So if its CPU chooses a lower
 * class, it was held since it began to wait there, whoever ran. Return: until which index of the
 * log
 */
static size_t held_until(const struct sched_task *t, const struct sched_cpu *c, size_t end,
			 const struct sched_delay *last)
{
	if (likely(t->class != CLASS_DEADLINE || !t->picked))
		return 0;
	/* a choice that is not over */
	if (last->begins && last->rank > t->class && t->picks_from <= c->log.n &&
	    last->until > (end ? c->log.v[end - 1].until : t->charged))
		return end;
	while (end-- > max_t(size_t, t->logged, t->picks_from))
		if (c->log.v[end].begins && c->log.v[end].rank > t->class)
			return end;
	return 0;
}

void sched_add_up(struct sched *s, struct sched_task *t, u64 ts)
{
	const struct sched_cpu *c = &s->cpus.v[t->cpu];
	size_t end = c->log.n;
	const struct sched_culprit others = { .reason = REASON_UNKNOWN,
					      .name = { .s = "others" },
					      .kind = kinds[CULPRIT_OTHERS] };
	struct sched_delay last = { .until = ts, .begins = c->begins };
	size_t n = t->delayed.n, held;

	if (unlikely(n + c->log.n >= CULPRITS_MAX) &&
	    intern(s, &others, &s->others_culprit) == UINT32_MAX)
		return;

	for (size_t i = 0; i < n; i++) {
		s->delayed_by.v[i] = t->delayed.v[i].culprit;
		s->delayed.v[t->delayed.v[i].culprit] = t->delayed.v[i];
	}
	while (ts && end > t->logged && c->log.v[end - 1].until > ts)
		end--;
	if (end < c->log.n) {
		last = c->log.v[end];
		last.until = ts;
	} else if (ts > t->charged) {
		last.culprit = culprit_of(s, t->cpu, NULL, &last);
	}
	held = held_until(t, c, end, &last);
	if (unlikely(t->logged < held)) {
		t->held_by = s->budgets[t->class];
		t->picked = false;
		n = charge(s, t, c->log.v + t->logged, c->log.v + held, NULL, n);
		t->picked = true;
		t->logged = held;
	}
	if (t->logged < end)
		n = charge(s, t, c->log.v + t->logged, c->log.v + end,
			   c->log.v + min_t(size_t, t->picks_from, end), n);
	t->logged = end;
	if (ts > t->charged && last.culprit != UINT32_MAX)
		n = charge(s, t, &last, &last + 1, &last + (t->picks_from > c->log.n), n);
	s->n_delayed = n;
}

void sched_keep_delays(struct sched *s, struct sched_task *t)
{
	t->delayed.n = 0;
	for (size_t i = 0; i < s->n_delayed; i++) {
		struct sched_delayed *sum = &s->delayed.v[s->delayed_by.v[i]];

		sum->culprit = s->delayed_by.v[i];
		if (array_push(&t->delayed, *sum))
			derive_fail(s->d);
		sum->ns = 0;
	}
	s->n_delayed = 0;
}

/* --- quotas of cgroups --- */

u32 sched_quota_culprit(struct sched *s, const struct throttled *g)
{
	return find_culprit(s, &(struct sched_culprit){ .reason = REASON_THROTTLED,
							.kind = kinds[CULPRIT_QUOTA],
							.name = throttle_name(s->d, g->by) });
}

void sched_hold_task(struct sched *s, struct sched_task *t)
{
	const struct throttled *g =
		t->class == CLASS_FAIR ? throttle_of(s->throttles, t->pid, t->cpu, s->now) : NULL;

	if (g)
		t->held_by = sched_quota_culprit(s, g);
}

/* It is runnable, or about to be, on this CPU. */
static void list(struct sched *s, u32 task, u32 cpu)
{
	struct sched_task *t = &s->tasks.v[task];

	t->cpu = cpu;
	t->at = (u32)s->cpus.v[cpu].waiting.n;
	t->logged = s->cpus.v[cpu].log.n;
	t->class = sched_class_of(t->prio);
	t->picked = t->class < CLASS_FAIR;
	t->picks_from = SIZE_MAX;
	t->held_by = UINT32_MAX;
	t->idle_since = other_idle(s, cpu);
	t->listed = !s->lists || !array_push(&s->cpus.v[cpu].waiting, task);
	if (!t->listed)
		derive_fail(s->d);
	if (s->throttles)
		t->cgroup = derive_cgroup_at(s->d, s->now, t->pid);
	if (s->throttles && !throttle_by_task(s->throttles))
		sched_hold_task(s, t);
}

void sched_unlist(struct sched *s, u32 task)
{
	struct sched_task *t = &s->tasks.v[task];
	struct sched_cpu *c;

	if (!t->listed)
		return;
	t->listed = false;
	t->idle_sum += other_idle(s, t->cpu) - t->idle_since;
	if (!s->lists)
		return;
	c = &s->cpus.v[t->cpu];
	c->waiting.v[t->at] = c->waiting.v[--c->waiting.n];
	s->tasks.v[c->waiting.v[t->at]].at = t->at;
	if (!c->waiting.n)
		c->log.n = 0;
}

void sched_list(struct sched *s, u32 task, u32 cpu, u64 ts)
{
	struct sched_task *t = &s->tasks.v[task];

	t->since = t->charged = ts;
	if (unlikely(s->times && (t->counted != ts || t->doubted)))
		sched_count_mode(t, ts, false);
	t->first_cpu = cpu;
	t->delayed.n = t->holds.n = 0;
	t->idle_sum = 0;
	t->idle_cpu = s->cpus.v[cpu].idle;
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
	t->frozen = kind == &sched_frozen;
	if (!t->frozen)
		sched_change_depth(s, t->cpu, 1);
}

void sched_freeze(struct sched *s, u32 task, const struct frozen *g, const struct derive_record *r)
{
	sched_begin_wait(s, task, r->cpu, &sched_frozen, r);
	s->tasks.v[task].held_by =
		!s->charges ? UINT32_MAX
			    : find_culprit(s, &(struct sched_culprit){
						      .reason = REASON_FROZEN,
						      .kind = kinds[CULPRIT_FROZEN],
						      .name = throttle_name(s->d, g->id) });
}

bool sched_began_before(struct sched *s, struct sched_task *t, enum sched_mode mode,
			const struct derive_comm *state, u32 cpu)
{
	const u64 begin = mode == RUNNING ? derive_begin_of(s->d, cpu) : derive_begin(s->d);

	if (!derive_opens(s->d) || begin == UINT64_MAX)
		return false;
	t->mode = mode;
	t->state = state;
	t->since = begin;
	if (!t->seen)
		t->counted = begin;
	t->cpu = t->first_cpu = cpu;
	t->delayed.n = t->holds.n = 0;
	t->idle_sum = 0;
	t->idle_cpu = false;
	t->begun = true;
	return true;
}

/* It no longer waits there. */
void sched_end_wait(struct sched *s, u32 task)
{
	struct sched_task *t = &s->tasks.v[task];

	sched_unlist(s, task);
	if (t->mode == WAITING && !t->frozen)
		sched_change_depth(s, t->cpu, -1);
	t->frozen = false;
}

void sched_charge_unknown(struct sched *s, u32 task, u64 ts)
{
	const struct sched_culprit unknown = { .reason = REASON_UNKNOWN,
					       .name = { .s = "unknown" },
					       .kind = kinds[CULPRIT_UNKNOWN] };
	const u64 since = s->tasks.v[task].since;
	u32 culprit;

	if (ts <= since)
		return;
	culprit = intern(s, &unknown, &s->other_culprit[0]);
	if (culprit == UINT32_MAX)
		return;
	s->n_delayed = 1;
	s->delayed_by.v[0] = culprit;
	s->delayed.v[culprit] = (struct sched_delayed){ .ns = ts - since, .until = ts };
}

void sched_move_wait(struct sched *s, u32 task, u32 cpu, const struct derive_record *r)
{
	const bool queued = s->tasks.v[task].picks_from < SIZE_MAX;
	const bool picked = s->tasks.v[task].picked;
	const bool held = s->throttles && s->tasks.v[task].held_by != UINT32_MAX;

	sched_charge_task(s, task, r->ts);
	sched_keep_delays(s, &s->tasks.v[task]);
	sched_end_wait(s, task);
	list(s, task, cpu);
	s->tasks.v[task].picked = picked;
	if (queued)
		sched_queue(s, &s->tasks.v[task]);
	else
		s->tasks.v[task].idle_cpu = s->cpus.v[cpu].idle;
	if (held)
		sched_hold_task(s, &s->tasks.v[task]);
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
	struct sched_delay delay = { .until = ts, .begins = c->begins };

	c->begins = false;
	if (!c->waiting.n)
		return;
	delay.culprit = culprit_of(s, cpu, nmi, &delay);
	if (delay.culprit != UINT32_MAX && array_push(&c->log, delay))
		derive_fail(s->d);
	if (c->log.n < LOG_MAX)
		return;
	for (size_t i = 0; i < c->waiting.n; i++) {
		sched_follow_moves(s, &s->tasks.v[c->waiting.v[i]], ts);
		sched_add_up(s, &s->tasks.v[c->waiting.v[i]], 0);
		sched_keep_delays(s, &s->tasks.v[c->waiting.v[i]]);
	}
	for (size_t i = 0; i < c->waiting.n; i++) {
		struct sched_task *t = &s->tasks.v[c->waiting.v[i]];

		t->logged = 0;
		if (t->picks_from < SIZE_MAX)
			t->picks_from -= min_t(size_t, t->picks_from, c->log.n);
	}
	c->log.n = 0;
}

/* --- all --- */

void sched_count_mode(struct sched_task *t, u64 ts, bool known)
{
	const enum sched_mode mode = t->mode > UNKNOWN ? t->mode : RUNNING;

	if (known && !t->doubted && (t->mode > UNKNOWN || t->seen) && ts > t->counted)
		t->ns[mode] += ts - t->counted;
	t->counted = ts;
	t->doubted = false;
}

void sched_forget_task(struct sched_task *t)
{
	t->mode = UNSEEN;
	t->sleep_stack = NULL;
	t->woken = t->listed = t->seen = t->begun = t->early = false;
}

void sched_forget_cpus(struct sched *s, u32 cpu)
{
	for (u32 i = 0; i < s->cpus.n; i++) {
		struct sched_cpu *c = &s->cpus.v[i];

		c->depth_known = c->depth_doubted = false;
		c->waiting.n = c->log.n = 0;
		c->depth = c->known && c->running != NO_TASK;
		if (i != cpu && cpu != DERIVE_ALL_CPUS)
			continue;
		sched_set_idle(s, i, false);
		c->known = false;
		c->running = UNKNOWN_TASK;
		c->depth = 0;
	}
	s->n_changed = 0;
}

void sched_close(void *state)
{
	struct sched *s = state;

	for (size_t i = 0; i < s->tasks.n; i++) {
		array_release(&s->tasks.v[i].delayed);
		array_release(&s->tasks.v[i].holds);
	}
	for (size_t i = 0; i < s->cpus.n; i++) {
		array_release(&s->cpus.v[i].waiting);
		array_release(&s->cpus.v[i].log);
	}
	array_release(&s->met);
	array_release(&s->starts);
	indexed_release(&s->culprits);
	array_release(&s->delayed);
	array_release(&s->delayed_by);
	indexed_release(&s->tasks);
	array_release(&s->cpus);
}

static void learn(struct sched *s, u64 ts)
{
	s->known = derive_awaits(s->d) || (s->has_waking && !s->wakings) ? UINT64_MAX : ts + 1;
}

void sched_learn_cpu(struct sched *s, u32 cpu, u64 ts)
{
	derive_know_cpu(s->d, cpu);
	learn(s, ts);
}

void sched_learn_waking(struct sched *s, bool end, u64 ts)
{
	*(end ? &s->wakeups : &s->wakings) = true;
	learn(s, ts);
}
