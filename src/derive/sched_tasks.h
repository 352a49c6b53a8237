/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The tasks and CPUs that the deriver of sched.c knows: who waits for which CPU, who delayed whom,
 * which CPUs are idle.
 */
#pragma once
#include "derive/sched_cpu.h"

enum { SCHED_CPUS_MAX = 1 << 16, RECENT_TASKS = 1024 };

enum { NO_TASK = UINT32_MAX, UNKNOWN_TASK = UINT32_MAX - 1 };

struct sched {
	struct derive *d;
	const struct derived_event *runqueue, *delay, *held;
	struct irq *irq;             /* NULL: not used */
	struct throttles *throttles; /* the same */
	struct freezes *freezes;     /* the same */
	struct derive_moment now;    /* with ->throttles: of the current record */
	bool states, depths;         /* wanted: events of tasks, of run queues */
	bool delays, reasons, holds; /* the same: delays, reasons, tasks that were held back */
	bool charges;                /* who delayed whom, for them */
	bool lists;                  /* ->waiting of CPUs is needed therefore */
	bool stacks, times;          /* are read; see task_time.h: others ask for them */
	bool causes;                 /* see derive_wants_causes() */
	bool asked;                  /* intervals of tasks are wanted */
	bool has_switch, has_waking, has_yield; /* the recording may have such events */
	u64 known; /* in a window, what all CPUs do is known since then; UINT64_MAX: not yet */
	bool switches, wakes;  /* sched_switch was read; wakeups were */
	bool wakings, wakeups; /* their begins, sched_waking; their ends, sched_wakeup */
	bool creates;          /* so were those of new tasks */
	bool asks_waker;       /* whether a task or an interrupt woke is asked */
	bool ends;             /* sched_end() is called */
	/* see struct derive_account */
	u64 n_switches, apart, waited_ns, throttled_ns, frozen_ns, doubted_ns, bare_wakings;
	INDEXED(struct sched_task) tasks; /* by pid */
	ARRAY(u64) met;                   /* a bit for each of them, see sched_meet() */
	u32 recent[RECENT_TASKS];         /* indices of tasks, at a part of their pid */
	ARRAY(struct sched_cpu) cpus;
	INDEXED(struct sched_culprit) culprits; /* all, each once */
	u32 irq_culprit, other_culprit[2];      /* indices: the last ones */
	u32 others_culprit;                     /* see CULPRITS_MAX */
	u32 budgets[CLASS_FAIR + 1];            /* of classes, and the quota of a cgroup */
	/* who delayed the task whose wait ends, in the order of their first delay */
	ARRAY(u32) delayed_by;
	size_t n_delayed;
	ARRAY(struct sched_delayed) delayed; /* by each culprit; ->ns is otherwise 0 */
	u32 n_idle, idle_xor;             /* idle CPUs; if there is one, its number is ->idle_xor */
	u64 idle_at, any_idle;            /* until then, time for which any CPU was idle */
	ARRAY(struct sched_start) starts; /* by epochs */
	u32 epoch;                        /* of which ->depth is known */
	u32 changed[4];                   /* CPUs whose depth a record changes */
	size_t n_changed;
	struct {
		u64 bit;
		const struct derive_comm *word;
	} blocked[16]; /* bits of prev_state of tasks that are not runnable */
	size_t n_blocked;
	u64 any_blocked; /* all of them */
};

extern const struct derive_comm sched_swapper, sched_unknown, sched_dead, sched_sleeping,
	sched_frozen;

/* The bits of prev_state: { 0x0001, "S" }, { 0x0002, "D" }, ... in the print fmt. */
void sched_read_states(struct sched *s, const char *fmt);

/* The word for a state that is not runnable; NULL: runnable. */
const struct derive_comm *sched_blocked_word(const struct sched *s, u64 state);

/* Its task is another one from now on, with the same pid. */
static inline void sched_task_reborn(struct sched_task *t)
{
	t->life++;
	t->sure = true;
	t->culprit = UINT32_MAX;
}

/* Something of it will be known, or is: sched_end() may have to forget that. */
static inline void sched_meet(struct sched *s, u32 task)
{
	bits_add(s->met.v, task);
}

/* The first of those tasks from @task on; NO_TASK if there is none. */
static inline u32 sched_first_met(const struct sched *s, u32 task)
{
	u64 skip = (1ULL << task % 64) - 1;

	for (size_t i = task / 64; i < s->met.n; i++, skip = 0)
		if (s->met.v[i] & ~skip)
			return (u32)(64 * i) + (u32)__builtin_ctzll(s->met.v[i] & ~skip);
	return NO_TASK;
}

u32 sched_task_any(struct sched *s, s32 pid);

/* The index of a task; NO_TASK if out of memory. */
static inline u32 sched_task(struct sched *s, s32 pid)
{
	const u32 recent = s->recent[(u32)pid % RECENT_TASKS];

	if (unlikely(recent >= s->tasks.n || s->tasks.v[recent].pid != pid))
		return sched_task_any(s, pid);
	sched_meet(s, recent);
	return recent;
}

struct sched_cpu *sched_cpu_new(struct sched *s, u32 cpu);

/* NULL if out of memory, or no CPU has such a number. */
static inline struct sched_cpu *sched_cpu(struct sched *s, u32 cpu)
{
	return likely(cpu < s->cpus.n) ? &s->cpus.v[cpu] : sched_cpu_new(s, cpu);
}

/* The time is now @ts: add up the idle time until then. */
static inline void sched_advance_idle(struct sched *s, u64 ts)
{
	u64 ns = ts > s->idle_at ? ts - s->idle_at : 0;

	if (s->n_idle)
		s->any_idle += ns;
	if (s->n_idle == 1)
		s->cpus.v[s->idle_xor].alone_ns += ns;
	s->idle_at = ts;
}

void sched_set_idle(struct sched *s, u32 cpu, bool idle);

/* Those who wait for the CPU were delayed until @ts by what it did; see irq_watch(). */
void sched_charge(struct sched *s, u32 cpu, u64 ts, const struct irq_frame *nmi);

/*
 * Charge what the log has for a task until @ts, and then what its CPU does until then. 0: the
 * whole log
 */
void sched_add_up(struct sched *s, struct sched_task *t, u64 ts);

/* After it: the task goes on waiting. */
void sched_keep_delays(struct sched *s, struct sched_task *t);

/* The index of this culprit; UINT32_MAX if out of memory. */
u32 sched_quota_culprit(struct sched *s, const struct throttled *g);

/* Whether the quota of its cgroup holds a task back that begins to wait. */
void sched_hold_task(struct sched *s, struct sched_task *t);

/* It begins to wait, because its cgroup is frozen; until it is woken. */
void sched_freeze(struct sched *s, u32 task, const struct frozen *g, const struct derive_record *r);
void sched_thaw(struct sched *s, u32 task, u32 cpu, const struct derive_record *r);

/* It is runnable on the CPU from @ts on, or about to be. */
void sched_list(struct sched *s, u32 task, u32 cpu, u64 ts);

/* It no longer is runnable there; nothing if it was not. */
void sched_unlist(struct sched *s, u32 task);

/* It was already in this state when the recording began. */
bool sched_began_before(struct sched *s, struct sched_task *t, enum sched_mode mode,
			const struct derive_comm *state, u32 cpu);

/* It waits from now on, if it is not in the list, and that is a state. */
void sched_begin_wait(struct sched *s, u32 task, u32 cpu, const struct derive_comm *kind,
		      const struct derive_record *r);
void sched_end_wait(struct sched *s, u32 task);

/* It is not known which CPU it waited for: what it was charged with may be wrong. */
void sched_charge_unknown(struct sched *s, u32 task, u64 ts);

/* It waits for another CPU. */
void sched_move_wait(struct sched *s, u32 task, u32 cpu, const struct derive_record *r);

/* Count what the task did until @ts; @known: what that was. */
void sched_count_mode(struct sched_task *t, u64 ts, bool known);

static inline void sched_count(const struct sched *s, struct sched_task *t, u64 ts, bool known)
{
	if (s->times)
		sched_count_mode(t, ts, known);
}

/* Nothing is known any more of a task, or of a CPU and of how many tasks all CPUs have. */
void sched_forget_task(struct sched_task *t);
void sched_forget_cpus(struct sched *s, u32 cpu);
void sched_close(void *state);
