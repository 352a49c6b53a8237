// SPDX-License-Identifier: LGPL-2.1-only
/* The delays of a wait that ends, which were added up, as events; and the reason for most of it. */
#include "derive/record_stack.h"
#include "derive/sched_delays.h"
#include "derive/values.h"

static const struct derive_comm reasons[] = {
	[REASON_TASK] = { "task" },           [REASON_IRQ] = { "irq" },
	[REASON_SOFTIRQ] = { "softirq" },     [REASON_IDLE] = { "idle" },
	[REASON_THROTTLED] = { "throttled" }, [REASON_FROZEN] = { "frozen" },
	[REASON_UNKNOWN] = { "unknown" },
};

/*
 * A task of one fair class does not run for so long while another one of the same or a higher
 * weight is on the run queue of the CPU, unless that one may not run, or its cgroup has a lower
 * weight.
 */
enum { FAIR_TURN_NS = 10 * 1000 * 1000 };

static bool is_doubted(const struct sched_task *t, const struct sched_culprit *c,
		       const struct sched_delayed *sum)
{
	return c->reason == REASON_TASK && sum->ns >= FAIR_TURN_NS && sum->prio >= t->prio &&
	       sched_class_of(t->prio) == CLASS_FAIR;
}

static enum sched_reason main_reason(struct sched *s, const struct sched_task *t, u64 ts)
{
	enum sched_reason most = REASON_UNKNOWN;
	u64 ns[N_SCHED_REASONS] = { 0 }, all = 0;
	bool doubted = false;

	for (size_t i = 0; i < s->n_delayed; i++) {
		const struct sched_delayed *sum = &s->delayed.v[s->delayed_by.v[i]];
		const struct sched_culprit *c = &s->culprits.v[s->delayed_by.v[i]];

		ns[c->reason] += sum->ns;
		all += sum->ns;
		doubted |= is_doubted(t, c, sum);
	}
	if (derive_in_span(s->d, ts)) {
		s->waited_ns += all;
		s->throttled_ns += ns[REASON_THROTTLED];
		s->frozen_ns += ns[REASON_FROZEN];
		s->doubted_ns += doubted && derive_limits(s->d, t->pid) ? all : 0;
	}
	for (size_t i = 0; i < N_SCHED_REASONS; i++)
		if (ns[i] > ns[most])
			most = (enum sched_reason)i;
	return most;
}

const struct derive_comm *sched_reason_word(struct sched *s, const struct sched_task *t, u64 ts)
{
	return &reasons[s->charges ? main_reason(s, t, ts) : REASON_UNKNOWN];
}

/* Who took the CPU from it; unless that is no longer known, the first one. */
static size_t taker_of(const struct sched *s, const struct sched_task *t)
{
	/* that was no preemption */
	if (s->n_delayed && s->culprits.v[s->delayed_by.v[0]].reason >= REASON_THROTTLED)
		return 0;
	/* of several with its pid, the first one ran then */
	for (size_t i = 0; i < s->n_delayed && t->taker_pid; i++)
		if (s->culprits.v[s->delayed_by.v[i]].pid == t->taker_pid)
			return i;
	return 0;
}

/* The one that it had when it last was the culprit. */
static struct irq_name culprit_name(const struct sched *s, s32 pid, u64 until)
{
	struct irq_name name = { .s = "" };
	struct derive_comm comm;

	derive_comm_at(s->d, s->delay, (struct derive_moment){ until, UINT64_MAX, 0 }, pid, &comm);
	memcpy(name.s, comm.s, sizeof(comm.s));
	return name;
}

/* "own", "foreign": whether both tasks were in one cgroup, when the culprit last ran meanwhile. */
static const char *culprit_cgroup(const struct sched *s, s32 victim, const struct sched_culprit *c,
				  u64 until)
{
	static const _Alignas(8) char words[][8] = { "", "foreign", "own", "unknown" };
	const struct derive_moment when = { until, UINT64_MAX, 0 };
	u64 of[2];

	if (!c->pid || !derive_wants_cgroups(s->d, s->delay))
		return words[c->pid ? 3 : 0];
	of[0] = derive_cgroup_at(s->d, when, victim);
	of[1] = derive_cgroup_at(s->d, when, c->pid);
	return of[0] == WHO_UNKNOWN || of[1] == WHO_UNKNOWN ? words[3]
							    : words[1 + (of[0] == of[1])];
}

void sched_trace_delays(struct sched *s, const struct sched_task *t, bool preempted,
			const struct derive_record *r)
{
	enum { FIELDS = 15, ROWS = 32 };
	const size_t taker = preempted ? taker_of(s, t) : SIZE_MAX;
	const u64 open = derive_open_word(t->begun, s->ends);
	u64 rows[ROWS][FIELDS];
	struct irq_name names[ROWS];

	for (size_t i = 0, n = 0; i < s->n_delayed; i++) {
		const u32 culprit = s->delayed_by.v[i];
		const struct sched_culprit *c = &s->culprits.v[culprit];
		const struct sched_delayed *sum = &s->delayed.v[culprit];
		struct irq_name *name = &names[n];
		u64 *values = rows[n++];

		*name = c->pid ? culprit_name(s, c->pid, sum->until) : c->name;
		values[0] = (u64)t->pid;
		values[1] = (uintptr_t)t->comm.s;
		values[2] = (u64)c->pid;
		values[3] = (uintptr_t)name->s;
		values[4] = sum->ns;
		values[5] = r->cpu;
		values[6] = (uintptr_t)t->state->s;
		values[7] = (uintptr_t)c->kind;
		values[8] = i == taker;
		values[9] = c->pid ? (u64)sum->prio : 0;
		values[10] = (uintptr_t)reasons[c->reason].s;
		values[11] = (u64)t->prio;
		values[12] = c->reason == REASON_TASK && sum->prio > t->prio;
		values[13] = (uintptr_t)culprit_cgroup(s, t->pid, c, sum->until);
		values[14] = open;
		if (n < ROWS && i + 1 < s->n_delayed)
			continue;
		derive_trace_all(s->d, s->delay, (struct derive_values){ rows[0], n }, r, t->pid);
		n = 0;
	}
}

void sched_trace_holds(struct sched *s, const struct sched_task *t, const struct derive_record *r)
{
	array_each(const struct sched_hold, hold, &t->holds)
		derive_trace(s->d, s->held,
			     (u64[]){ (u64)t->pid, (uintptr_t)t->comm.s,
				      (uintptr_t)s->culprits.v[hold->culprit].name.s,
				      hold->to - hold->from, r->ts - hold->to, r->cpu,
				      derive_open_word(t->begun, s->ends) },
			     r, t->pid);
}

void sched_follow_moves(struct sched *s, struct sched_task *t, u64 ts)
{
	const struct derive_moment kept = s->now;
	struct derive_moment when = { .at = UINT64_MAX, .cpu = t->cpu }, now = when;
	u64 before = t->charged;

	if (likely(!s->throttles) || !t->listed || t->class != CLASS_FAIR || t->frozen)
		return;
	now.ts = ts;
	now = ts > kept.ts ? now : kept;
	if (t->cgroup == WHO_UNKNOWN)
		t->cgroup = derive_cgroup_at(s->d, now, t->pid);
	for (; derive_cgroup_at(s->d, now, t->pid) != t->cgroup; before = s->now.ts) {
		const bool held = t->held_by != UINT32_MAX;

		s->now = now;
		while (s->now.ts > before + 1) {
			when.ts = before + (s->now.ts - before) / 2;
			if (derive_cgroup_at(s->d, when, t->pid) == t->cgroup)
				before = when.ts;
			else
				s->now = when;
		}
		sched_add_up(s, t, s->now.ts);
		sched_keep_delays(s, t);
		t->cgroup = derive_cgroup_at(s->d, s->now, t->pid);
		t->held_by = UINT32_MAX;
		if (held || !throttle_by_task(s->throttles))
			sched_hold_task(s, t);
	}
	s->now = kept;
}

void sched_charge_task(struct sched *s, u32 task, u64 ts)
{
	struct sched_task *t = &s->tasks.v[task];

	if (!s->charges || !t->listed)
		return;
	sched_follow_moves(s, t, ts);
	sched_add_up(s, t, ts);
}

/*
 * The quota of a cgroup holds its tasks back that wait for the CPU, or no longer does. If that
 * began before the records, it was all the time that they waited there, of which none is missing.
 */
static void hold_waiting(struct sched *s, const struct throttled *g, bool begins, u64 ts)
{
	struct sched_cpu *c = &s->cpus.v[g->cpu];
	const bool began_before = !g->depth;

	if ((begins || began_before) && throttle_by_task(s->throttles))
		return;
	if (began_before && !derive_has(s->d, 0))
		return;
	sched_charge(s, g->cpu, ts, NULL);
	for (size_t i = 0; i < c->waiting.n; i++) {
		struct sched_task *t = &s->tasks.v[c->waiting.v[i]];

		sched_follow_moves(s, t, ts);
		if (t->class != CLASS_FAIR || t->frozen || t->cgroup != g->cgroup)
			continue;
		if (began_before && t->held_by == UINT32_MAX)
			t->held_by = s->budgets[CLASS_FAIR];
		sched_add_up(s, t, ts);
		sched_keep_delays(s, t);
		t->held_by = begins ? sched_quota_culprit(s, g) : UINT32_MAX;
	}
}

void sched_thaw(struct sched *s, u32 task, u32 cpu, const struct derive_record *r)
{
	struct sched_task *t = &s->tasks.v[task];

	sched_charge_task(s, task, r->ts);
	sched_keep_delays(s, t);
	t->held_by = UINT32_MAX;
	sched_move_wait(s, task, cpu, r);
}

void sched_hold_by_stack(struct sched *s, struct sched_task *t, const u64 *stack)
{
	if (t->class != CLASS_FAIR || !derive_stack_throttles(stack) ||
	    !derive_limits(s->d, t->pid))
		return;
	/* kernel: it returns to the run queue later, which is not recorded */
	t->held_by = s->budgets[CLASS_FAIR];
	t->picked = false;
}

void sched_throttle(void *state, const struct throttled *g, bool begins,
		    const struct derive_record *r)
{
	struct sched *s = state;
	const u32 task = g ? NO_TASK : sched_task(s, r->pid);

	s->now = derive_moment(r);
	if (task != NO_TASK)
		s->tasks.v[task].throttles = true;
	else if (g && g->cpu < s->cpus.n)
		hold_waiting(s, g, begins, r->ts);
}

void sched_interrupt(void *state, u32 cpu, u64 ts, const struct irq_frame *nmi)
{
	struct sched *s = state;

	if (cpu < s->cpus.n)
		sched_charge(s, cpu, ts, nmi);
}

void sched_account(const void *state, struct derive_account *sum)
{
	const struct sched *s = state;

	sum->switches += s->n_switches;
	sum->apart += s->apart;
	sum->waited_ns += s->waited_ns;
	sum->throttled_ns += s->throttled_ns;
	sum->frozen_ns += s->frozen_ns;
	sum->bare_wakings += s->asks_waker ? s->bare_wakings : 0;
	sum->doubted_ns += s->throttles || s->causes ? 0 : s->doubted_ns;
	for (size_t i = 0; i < s->cpus.n && s->depths; i++)
		sum->never_idle += s->cpus.v[i].known && !s->cpus.v[i].depth_known;
}
