// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What tasks did: ran, waited for a CPU, slept; from sched_switch and the events that wake tasks.
 *
 * A task waits for a CPU from its wakeup, its creation, or from the switch away from it while it
 * was runnable, until it runs. Whoever runs on this CPU meanwhile delays it. A wakeup begins with
 * sched_waking, or sched_wakeup if only that was recorded. A task that is woken on its way to sleep
 * runs on, or (if it was leaving the CPU) waits from then on, without another sched_waking.
 */
#include "derive/sched_delays.h"
#include "derive/sched_depth.h"
#include "derive/sched_window.h"
#include "derive/record_stack.h"
#include "derive/values.h"

enum event { TASK_STATE, WAIT, DELAY, RUNQUEUE, HELD };

#define STACKS "unsigned long sleep_stack[]; unsigned long waker_stack[]; "
static const struct derived_event events[] = {
	[TASK_STATE] = DERIVED_EVENT(
		DERIVE_SCHED, "task_state",
		"pid_t pid; char[16] comm; int prio; unsigned int cpu; char[16] state; u64 ns; "
		"char[16] next_state; pid_t waker_pid; char[16] waker_comm; bool in_irq; " STACKS
			DERIVED_OPEN,
		.uses = { &derive_freeze }, .complete = true, .cuts = true, .windows = true,
		.past = "", .asks = "waker_comm in_irq", .asks_open = "comm"),
	[WAIT] = DERIVED_EVENT(
		DERIVE_SCHED, "wait",
		"pid_t pid; char[16] comm; int prio; char[16] kind; u64 ns; "
		"unsigned int cpu; bool migrated; u64 other_idle_ns; "
		"char[16] reason; pid_t waker_pid; char[16] waker_comm; bool in_irq; bool idle_cpu; " STACKS
			DERIVED_OPEN,
		.uses = { &derive_irq, &derive_throttle, &derive_freeze }, .complete = true,
		.cuts = true, .windows = true, .past = "other_idle_ns idle_cpu",
		.asks = "waker_comm in_irq", .asks_open = "comm", .asks_uses = "reason"),
	[DELAY] = DERIVED_EVENT(DERIVE_SCHED, "delay",
				"pid_t victim_pid; char[16] victim_comm; pid_t culprit_pid; "
				"char[32] culprit_comm; u64 ns; unsigned int cpu; char[16] kind; "
				"char[8] culprit_kind; u64 preemptions; int culprit_prio; "
				"char[16] reason; int victim_prio; bool inverted; "
				"char[8] culprit_cgroup; " DERIVED_OPEN,
				.uses = { &derive_irq, &derive_throttle, &derive_freeze },
				.complete = true, .windows = true, .asks = "culprit_comm",
				.asks_open = "victim_comm", .asks_cgroups = "culprit_cgroup"),
	[RUNQUEUE] = DERIVED_EVENT(
		DERIVE_SCHED, "runqueue",
		"unsigned int cpu; unsigned int depth; u64 ns; u64 depth_ns; " DERIVED_OPEN,
		.cuts = true),
	[HELD] = DERIVED_EVENT(DERIVE_SCHED, "held",
			       "pid_t pid; char[16] comm; char[32] by; u64 ns; u64 ended_ns; "
			       "unsigned int cpu; " DERIVED_OPEN,
			       .uses = { &derive_irq, &derive_throttle, &derive_freeze },
			       .complete = true, .asks_open = "comm"),
};

static const struct deriver_input inputs[] = {
	[SWITCH] = { DERIVER_INPUT("sched", "sched_switch"),
		     { "prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm",
		       "next_prio" },
		     true,
		     .stack = true,
		     .stack_causes = true,
		     .texts = 1 << PREV_COMM | 1 << NEXT_COMM },
	[WAKING] = { DERIVER_INPUT("sched", "sched_waking"),
		     { "pid", "comm", "prio", "target_cpu" },
		     false,
		     .stack = true,
		     .texts = 1 << WOKEN_COMM },
	[WAKEUP] = { DERIVER_INPUT("sched", "sched_wakeup"),
		     { "pid", "comm", "prio", "target_cpu" },
		     false,
		     .stack = true,
		     .texts = 1 << WOKEN_COMM },
	[WAKEUP_NEW] = { DERIVER_INPUT("sched", "sched_wakeup_new"),
			 { "pid", "comm", "prio", "target_cpu" },
			 false,
			 .stack = true,
			 .texts = 1 << WOKEN_COMM },
	[MIGRATE] = { DERIVER_INPUT("sched", "sched_migrate_task"),
		      { "pid", "dest_cpu", "orig_cpu" },
		      false },
	[FORK] = { DERIVER_INPUT("sched", "sched_process_fork"), { "child_pid" }, false },
	[YIELD] = { DERIVER_INPUT("syscalls", "sys_enter_sched_yield"), { NULL }, false },
};

static const struct derive_comm none, running = { "running" }, woken = { "woken" },
				      preempted = { "preempted" }, yielded = { "yielded" },
				      created = { "new" };

/* --- intervals end --- */

static u64 open_word(const struct sched *s, const struct sched_task *t)
{
	return derive_open_word(t->begun, s->ends);
}

static u64 length(const struct sched_task *t, const struct derive_record *r)
{
	return r->ts > t->since ? r->ts - t->since : 0;
}

/* Who woke it, for an event that asks for the name. */
static struct derive_comm waker_name(const struct sched *s, enum event event,
				     const struct sched_task *t)
{
	struct derive_comm waker = sched_swapper;

	if (t->waker.pid)
		derive_comm_at(s->d, &events[event], t->waker.when, t->waker.pid, &waker);
	return waker;
}

static bool was_woken(const struct sched_task *t)
{
	return t->mode == WAITING && !t->begun && (t->state == &woken || t->state == &created);
}

/* Where it left the CPU, if it has not run since. */
static u64 sleep_stack(const struct sched_task *t)
{
	return t->mode == RUNNING || t->begun ? 0 : (uintptr_t)t->sleep_stack;
}

static __attribute__((noinline)) void trace_state(struct sched *s, const struct sched_task *t,
						  const struct derive_comm *next,
						  const struct derive_record *r)
{
	const bool slept = t->mode == BLOCKED && !s->ends;
	const struct derive_comm waker = slept ? waker_name(s, TASK_STATE, t) : none;

	derive_trace(s->d, &events[TASK_STATE],
		     (u64[]){ (u64)t->pid, (uintptr_t)t->comm.s, (u64)t->prio, t->cpu,
			      (uintptr_t)t->state->s, length(t, r), (uintptr_t)next->s,
			      slept ? (u64)t->waker.pid : 0, (uintptr_t)waker.s,
			      slept && t->waker.in_irq, sleep_stack(t),
			      slept || was_woken(t) ? (uintptr_t)t->waker.stack : 0,
			      open_word(s, t) },
		     r, t->pid);
}

/*
 * Whether it did that all the time: of a task that runs, its own CPU has the records; another one
 * could have been woken or run by any.
 */
static inline bool is_certain(const struct sched *s, const struct sched_task *t)
{
	return t->mode == RUNNING || derive_went_on(s->d, t->since);
}

/* False: that is not known, and the interval is not traced. */
static inline bool end_state(struct sched *s, struct sched_task *t, const struct derive_comm *next,
			     const struct derive_record *r)
{
	const bool certain = is_certain(s, t);

	if (unlikely(!sched_is_sure(s, t)) && s->asked && (t->mode == WAITING || s->states))
		derive_unsure(s->d, r->ts);
	sched_count(s, t, r->ts, certain);
	if (!t->begun && t->mode == RUNNING)
		sched_count_interrupted(s, t, r);
	if (unlikely(!certain) && (t->mode == WAITING || s->states))
		derive_left_out(s->d, t->since, r->ts);
	else if (s->states)
		trace_state(s, t, next, r);
	return certain;
}

static void trace_wait(struct sched *s, const struct sched_task *t, const struct derive_record *r)
{
	const struct derive_comm *reason = sched_reason_word(s, t, r->ts);
	const bool by = was_woken(t);
	const struct derive_comm waker = by ? waker_name(s, WAIT, t) : none;

	derive_trace(s->d, &events[WAIT],
		     (u64[]){ (u64)t->pid, (uintptr_t)t->comm.s, (u64)t->prio,
			      (uintptr_t)t->state->s, length(t, r), r->cpu, r->cpu != t->first_cpu,
			      t->idle_sum, (uintptr_t)reason->s, by ? (u64)t->waker.pid : 0,
			      (uintptr_t)waker.s, by && t->waker.in_irq, t->idle_cpu,
			      sleep_stack(t), by ? (uintptr_t)t->waker.stack : 0, open_word(s, t) },
		     r, t->pid);
	if (s->delays)
		sched_trace_delays(s, t, t->state == &preempted, r);
	if (s->holds)
		sched_trace_holds(s, t, r);
	for (; s->n_delayed; s->n_delayed--)
		s->delayed.v[s->delayed_by.v[s->n_delayed - 1]].ns = 0;
}

/* From here on, nothing is known of the task. */
static void forget_task(struct sched *s, u32 task)
{
	struct sched_task *t = &s->tasks.v[task];

	sched_end_wait(s, task);
	t->sleep_stack = NULL;
	t->mode = UNKNOWN;
	t->woken = false;
}

/* The records contradict what was known of the task. */
static void contradict(struct sched *s, u32 task, const struct derive_record *r)
{
	struct sched_task *t = &s->tasks.v[task];

	sched_meet(s, task);
	if (t->mode > UNKNOWN || s->states)
		sched_doubt(s, t, r->ts);
	if (t->mode > UNKNOWN && !is_certain(s, t))
		derive_left_out(s->d, t->since, r->ts);
	else if (t->mode > UNKNOWN && derive_has(s->d, t->pid))
		derive_inconsistent(s->d);
	sched_count(s, t, r->ts, false);
	s->cpus.v[t->cpu].depth_doubted |= t->mode == WAITING;
	forget_task(s, task);
}

/* --- records --- */

/* It ran until now. */
static void switch_out(struct sched *s, u32 prev, const struct derive_record *r)
{
	const struct derive_comm *blocked = sched_blocked_word(s, r->n[PREV_STATE]);
	struct sched_task *t = &s->tasks.v[prev];
	/* kernel: one that is to be frozen has a signal, so that it does not sleep elsewhere */
	const struct frozen *frozen = s->freezes && blocked == &sched_sleeping
					      ? freeze_of(s->freezes, t->pid, derive_moment(r))
					      : NULL;
	/* and was woken for it, if it slept */
	const bool ready = frozen && s->wakings && t->waker.when.ts < frozen->since;
	const struct derive_comm *kind = t->yields ? &yielded : &preempted;
	const bool seen = t->seen && t->cpu == r->cpu;

	blocked = frozen ? &sched_frozen : blocked;
	t->prio = (s32)r->n[PREV_PRIO];
	if (t->mode <= UNKNOWN)
		sched_count(s, t, r->ts, seen);
	if (t->seen)
		sched_count_interrupted(s, t, r);
	if (t->mode == UNSEEN && !s->cpus.v[r->cpu].known &&
	    sched_began_before(s, t, RUNNING, &running, r->cpu))
		end_state(s, t, blocked ? blocked : kind, r);
	else if (t->mode == RUNNING && t->cpu == r->cpu)
		end_state(s, t, blocked ? blocked : kind, r);
	else
		contradict(s, prev, r);
	t->begun = false;
	t->sleep_stack = s->stacks ? derive_stack(r, PREV_STACK) : NULL;
	if (blocked == &sched_dead) {
		forget_task(s, prev);
		sched_task_reborn(t);
	} else if (ready) {
		sched_freeze(s, prev, frozen, r);
	} else if (blocked) {
		t->mode = BLOCKED;
		t->state = blocked;
		t->since = r->ts;
		t->cpu = r->cpu;
		if (t->woken && s->wakeups) /* it did not decide to stay */
			sched_begin_wait(s, prev, r->cpu, &woken, r);
		else if (t->woken)
			sched_list(s, prev, r->cpu, r->ts);
		t->woken &= !s->wakeups;
		t->sure |= !s->has_waking;
		t->left = true;
	} else {
		t->woken = false;
		t->sure |= !s->has_yield;
		t->taker_pid = (s32)r->n[NEXT_PID];
		sched_begin_wait(s, prev, r->cpu, kind, r);
		if (unlikely(t->throttles))
			sched_hold_task(s, t);
		t->picked |= !throttle_known(s->throttles);
		if (unlikely(s->causes))
			sched_hold_by_stack(s, t, derive_stack(r, PREV_STACK));
		t->picks_from = t->logged;
	}
}

static void switch_in(struct sched *s, u32 next, const struct derive_record *r)
{
	struct sched_task *t = &s->tasks.v[next];

	derive_set_comm(&t->comm, r->n[NEXT_COMM]);
	if (t->mode == UNSEEN && s->depths && derive_went_on(s->d, r->ts))
		sched_leave_start(s, t, r->cpu);
	if (t->mode == BLOCKED && t->woken) /* it was woken before it had left the CPU */
		sched_begin_wait(s, next, t->cpu, &woken, r);
	t->prio = (s32)r->n[NEXT_PRIO];
	if (t->mode == WAITING) {
		if (unlikely(!is_certain(s, t)))
			; /* charged with nothing */
		else if (t->cpu == r->cpu)
			sched_charge_task(s, next, r->ts);
		else if (s->charges)
			sched_charge_unknown(s, next, r->ts);
		sched_end_wait(s, next);
		if (end_state(s, t, &running, r))
			trace_wait(s, t, r);
	} else if (t->mode == UNSEEN && s->wakes && s->creates &&
		   sched_began_before(s, t, WAITING, &sched_unknown, r->cpu)) {
		end_state(s, t, &running, r);
		trace_wait(s, t, r);
	} else {
		sched_doubt(s, t, r->ts);
		contradict(s, next, r);
	}
	t->sure = true;
	t->mode = RUNNING;
	t->state = &running;
	t->cpu = r->cpu;
	t->since = r->ts;
	t->interrupted_before = s->irq ? irq_ns(s->irq, r->cpu, r->ts) : 0;
	t->begun = t->seen = t->woken = t->yields = t->throttles = false;
}

static void on_switch(struct sched *s, const struct derive_record *r)
{
	s32 prev_pid = (s32)r->n[PREV_PID], next_pid = (s32)r->n[NEXT_PID];
	struct sched_cpu *c = sched_cpu(s, r->cpu);
	u32 prev = prev_pid ? sched_running_task(s, c, prev_pid) : NO_TASK;
	u32 next = next_pid ? sched_task(s, next_pid) : NO_TASK;
	bool ran, missed, counts;

	if (!c || (prev_pid && prev == NO_TASK) || (next_pid && next == NO_TASK))
		return;
	ran = c->known ? c->running != NO_TASK : prev_pid != 0;
	missed = c->known && c->running != prev;
	if (!c->known && derive_went_on(s->d, r->ts))
		sched_started(s, r->cpu, true, ran);
	/* outside of a part, and of some tasks, switches between others are known to be missing */
	counts = c->known && c->counts && derive_in_span(s->d, r->ts);
	s->n_switches += counts;
	s->apart += counts && missed;
	if (missed && ran)
		contradict(s, c->running, r);
	c->depth_doubted |= missed;
	if (prev_pid)
		derive_set_comm(&s->tasks.v[prev].comm, r->n[PREV_COMM]);
	if (prev_pid && s->tasks.v[prev].mode <= UNKNOWN) /* as yet */
		s->tasks.v[prev].prio = (s32)r->n[PREV_PRIO];
	/* a switch or the end of an interrupt was not recorded: it is not known who ran when */
	if (s->charges && (irq_top(s->irq, r->cpu) || !derive_has(s->d, prev_pid)))
		missed = true;
	c->running = missed ? UNKNOWN_TASK : prev;
	if (s->irq)
		irq_task_runs(s->irq, r->cpu);
	if (s->charges)
		sched_charge(s, r->cpu, r->ts, NULL);
	s->switches = c->begins = true;
	if (unlikely(!c->known))
		sched_learn_cpu(s, r->cpu, r->ts);
	c->running = prev;
	if (prev_pid)
		switch_out(s, prev, r);
	/* a task that was on its way to sleep is charged for what it ran until now */
	if (next_pid)
		switch_in(s, next, r);
	sched_set_idle(s, r->cpu, !next_pid && derive_has(s->d, 0));
	sched_change_depth(s, r->cpu, (next_pid != 0) - ran);
	c->known = true;
	c->running = next;
	c->counts = derive_has(s->d, 0) && derive_in_span(s->d, r->ts);
	if (s->depths)
		sched_note_next(s, r->cpu);
}

static void end_sleep(const struct sched *s, struct sched_task *t, const struct derive_record *r)
{
	t->waker.stack = s->stacks ? derive_stack(r, WAKER_STACK) : NULL;
	t->waker.pid = r->pid;
	t->waker.in_irq = r->flags & DERIVE_IN_INTERRUPT;
	t->waker.when = derive_moment(r);
}

static void on_waking(struct sched *s, const struct derive_record *r)
{
	u32 task = sched_task(s, (s32)r->n[WOKEN_PID]), cpu = (u32)r->n[WOKEN_CPU];
	bool is_new = r->input == WAKEUP_NEW, missed;
	struct sched_task *t;

	if (task == NO_TASK || !sched_cpu(s, cpu) || !r->n[WOKEN_PID])
		return;
	s->wakes |= !is_new;
	if (unlikely(r->input == WAKEUP ? !s->wakeups : r->input == WAKING && !s->wakings))
		sched_learn_waking(s, r->input == WAKEUP, r->ts);
	s->creates |= is_new;
	s->bare_wakings += !r->flags && derive_in_span(s->d, r->ts);
	t = &s->tasks.v[task];
	t->sure |= t->left && r->input == WAKING;
	/* kernel: a task that was woken is not woken again before it ran; that was not recorded */
	if (t->mode == WAITING && t->state == &woken && r->input == WAKING)
		contradict(s, task, r);
	if (is_new) {
		forget_task(s, task);
		sched_task_reborn(t);
	}
	if (t->mode == WAITING) {
		if (t->frozen)
			sched_thaw(s, task, cpu, r);
		if (r->input == WAKEUP && t->cpu != cpu)
			sched_move_wait(s, task, cpu, r);
		if (r->input == WAKEUP)
			sched_queue(s, t);
		return;
	}
	if (t->mode == RUNNING) {
		t->woken = r->input == WAKING;
		if (t->woken)
			end_sleep(s, t, r);
		return;
	}
	/* its sched_waking is missing, when events were: when it was woken is not known */
	missed = r->input == WAKEUP && s->wakings && !t->woken;
	if (missed)
		t->since = min_t(u64, derive_begin(s->d), r->ts) - 1;
	derive_set_comm(&t->comm, r->n[WOKEN_COMM]);
	/* a task that runs is woken on its CPU */
	if (t->mode == UNSEEN && !missed && s->cpus.v[cpu].known && s->cpus.v[cpu].running != task)
		sched_began_before(s, t, BLOCKED, &sched_unknown, cpu);
	if (t->mode == BLOCKED && !(t->woken && r->input == WAKEUP)) {
		sched_unlist(s, task);
		end_sleep(s, t, r);
		end_state(s, t, &woken, r);
	} else if (!t->woken || is_new) {
		end_sleep(s, t, r);
	}
	t->prio = (s32)r->n[WOKEN_PRIO];
	t->woken = t->begun = false;
	sched_begin_wait(s, task, cpu, is_new ? &created : &woken, r);
	if (is_new)
		sched_queue(s, t);
	t->begun = missed && derive_opens(s->d);
	if (missed && !t->begun)
		t->since = min_t(u64, derive_begin(s->d), r->ts) - 1;
}

static void on_migrate(struct sched *s, const struct derive_record *r)
{
	u32 task = sched_task(s, (s32)r->n[MOVED_PID]), cpu = (u32)r->n[MOVED_CPU];

	if (task == NO_TASK || !sched_cpu(s, cpu))
		return;
	if (s->tasks.v[task].mode == WAITING)
		sched_move_wait(s, task, cpu, r);
	else if (s->tasks.v[task].mode == UNSEEN && s->depths && r->known & 1U << MOVED_FROM &&
		 derive_went_on(s->d, r->ts))
		sched_move_early(s, &s->tasks.v[task], (u32)r->n[MOVED_FROM], cpu);
}

/* A process that was created has the pid of one that exited. */
static void on_fork(struct sched *s, const struct derive_record *r)
{
	u32 task = sched_task(s, (s32)r->n[FORKED_PID]);

	if (task == NO_TASK)
		return;
	forget_task(s, task);
	sched_task_reborn(&s->tasks.v[task]);
}

static void on_yield(struct sched *s, const struct derive_record *r)
{
	u32 task = sched_task(s, r->pid);

	if (task != NO_TASK)
		s->tasks.v[task].yields = true;
}

static void sched_hit(void *state, const struct derive_record *r)
{
	struct sched *s = state;

	sched_advance_idle(s, r->ts);
	if (s->throttles)
		s->now = derive_moment(r);
	if (s->depths)
		sched_start_depths(s, r);
	if (r->input == SWITCH)
		on_switch(s, r);
	else if (r->input == MIGRATE)
		on_migrate(s, r);
	else if (r->input == FORK)
		on_fork(s, r);
	else if (r->input == YIELD)
		on_yield(s, r);
	else
		on_waking(s, r);
	if (s->depths)
		sched_trace_depths(s, r);
}

/* What a task does still goes on, but nothing of it is known from now on. */
static void end_task(struct sched *s, u32 task, struct derive_record *r)
{
	struct sched_task *t = &s->tasks.v[task];
	struct derive_comm now = none;
	const bool counts = t->mode == WAITING || (s->states && t->mode > UNKNOWN);

	if (t->mode == BLOCKED && t->woken && derive_opens(s->d))
		sched_begin_wait(s, task, t->cpu, &woken, r);
	if (!derive_opens(s->d) || t->mode <= UNKNOWN || !is_certain(s, t)) {
		if (!derive_opens(s->d) && counts && is_certain(s, t))
			derive_left_out(s->d, t->since, r->ts);
		sched_count(s, t, r->ts, t->mode > UNKNOWN && is_certain(s, t));
		return;
	}
	r->cpu = t->cpu;
	/* it may have been renamed after its last record */
	for (enum event e = TASK_STATE; e <= HELD && !now.s[0]; e++)
		derive_comm_at(s->d, &events[e], derive_moment(r), t->pid, &now);
	if (now.s[0])
		t->comm = now;
	sched_charge_task(s, task, r->ts);
	sched_unlist(s, task);
	end_state(s, t, &sched_unknown, r);
	if (t->mode == WAITING)
		trace_wait(s, t, r);
}

static void sched_end(void *state, const struct derive_record *last)
{
	struct sched *s = state;
	struct derive_record r = *last;

	sched_advance_idle(s, r.ts);
	s->ends = true;
	if (last->cpu != DERIVE_ALL_CPUS)
		sched_forget_starts(s);
	for (u32 i = sched_first_met(s, 0); i < s->tasks.n; i = sched_first_met(s, i + 1)) {
		struct sched_task *t = &s->tasks.v[i];

		/* only its CPU can end that; lists of tasks that wait are cleared, see below */
		if (!t->listed && (t->mode == RUNNING || t->seen) && !derive_ends(last, t->cpu))
			continue;
		end_task(s, i, &r);
		sched_forget_task(t);
		bits_drop(s->met.v, i);
	}
	sched_end_depths(s, &r);
	s->ends = false;
	sched_forget_cpus(s, last->cpu);
}

/* --- start and end --- */

static int sched_open(void *state, const char *const *print_fmts)
{
	struct sched *s = state;
	struct derive *d = s->d;

	s->irq = derive_state(d, &derive_irq);
	s->freezes = derive_state(d, &derive_freeze);
	s->states = derive_wants(d, &derive_sched, TASK_STATE);
	s->asks_waker = derive_wants_waker(d, &derive_sched, TASK_STATE) ||
			derive_wants_waker(d, &derive_sched, WAIT);
	s->depths = derive_wants(d, &derive_sched, RUNQUEUE);
	s->runqueue = &events[RUNQUEUE];
	s->delay = &events[DELAY];
	s->delays = derive_wants(d, &derive_sched, DELAY);
	s->reasons = derive_wants_uses(d, &derive_sched, WAIT);
	s->holds = derive_wants(d, &derive_sched, HELD);
	s->held = &events[HELD];
	s->charges = s->delays || s->reasons || s->holds;
	s->asked = s->states || s->delays || derive_wants(d, &derive_sched, WAIT);
	s->has_switch = print_fmts[SWITCH];
	s->has_waking = print_fmts[WAKING];
	s->has_yield = print_fmts[YIELD];
	s->lists = s->charges || s->depths;
	s->stacks = derive_wants_stacks(d);
	s->causes = s->charges && derive_wants_causes(d);
	s->times = derive_wants(d, &derive_syscall, 0) || derive_wants(d, &derive_slice, 0);
	if (s->charges) {
		irq_watch(s->irq, sched_interrupt, s);
		if (throttle_known(derive_state(d, &derive_throttle)))
			s->throttles = derive_state(d, &derive_throttle);
		throttle_watch(s->throttles, sched_throttle, s);
		sched_add_budgets(s);
	}
	sched_read_states(s, print_fmts[SWITCH]);
	return 0;
}

const struct deriver derive_sched = {
	DERIVER_OF(struct sched, events, inputs),
	.in_holes = true,
	.open = sched_open,
	.hit = sched_hit,
	.end = sched_end,
	.close = sched_close,
	.account = sched_account,
	.rehearse = sched_rehearse,
	.touches = sched_touches,
	.begin = sched_begin,
};
