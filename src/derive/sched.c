// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What tasks did: ran, waited for a CPU, slept; from sched_switch and the events that wake tasks.
 *
 * A task waits for a CPU from its wakeup, its creation, or from the switch away from it while it
 * was runnable, until it runs. Whoever runs on this CPU meanwhile delays it. A wakeup begins with
 * sched_waking; where only sched_wakeup was recorded, with that.
 *
 * A task that is woken while it runs, on its way to sleep, goes on running, or (if it was already
 * leaving the CPU) waits from the switch away from it on, without another sched_waking.
 */
#include <stdlib.h>

#include "derive/deriver.h"

enum { COMM_SIZE = 16, DERIVE_CPUS_MAX = 1 << 16 };

enum event { TASK_STATE, WAIT, DELAY, RUNQUEUE };

static const struct derived_event events[] = {
	[TASK_STATE] = DERIVED_EVENT(
		"task_state",
		"pid_t pid; char[16] comm; int prio; unsigned int cpu; char[16] state; u64 ns; "
		"char[16] next_state; pid_t waker_pid; char[16] waker_comm; bool in_irq"),
	[WAIT] = DERIVED_EVENT("wait", "pid_t pid; char[16] comm; int prio; char[16] kind; u64 ns; "
				       "unsigned int cpu; bool migrated; u64 other_idle_ns"),
	[DELAY] = DERIVED_EVENT("delay",
				"pid_t victim_pid; char[16] victim_comm; pid_t culprit_pid; "
				"char[16] culprit_comm; u64 ns; unsigned int cpu; char[16] kind"),
	[RUNQUEUE] = DERIVED_EVENT("runqueue", "unsigned int cpu; unsigned int depth; u64 ns"),
};

enum input { SWITCH, WAKING, WAKEUP, WAKEUP_NEW, MIGRATE, YIELD };

static const struct deriver_input inputs[] = {
	[SWITCH] = { DERIVER_INPUT("sched", "sched_switch"),
		     { "prev_pid", "prev_comm", "prev_prio", "prev_state", "next_pid", "next_comm",
		       "next_prio" },
		     true },
	[WAKING] = { DERIVER_INPUT("sched", "sched_waking"),
		     { "pid", "comm", "prio", "target_cpu" },
		     false },
	[WAKEUP] = { DERIVER_INPUT("sched", "sched_wakeup"),
		     { "pid", "comm", "prio", "target_cpu" },
		     false },
	[WAKEUP_NEW] = { DERIVER_INPUT("sched", "sched_wakeup_new"),
			 { "pid", "comm", "prio", "target_cpu" },
			 false },
	[MIGRATE] = { DERIVER_INPUT("sched", "sched_migrate_task"), { "pid", "dest_cpu" }, false },
	[YIELD] = { DERIVER_INPUT("syscalls", "sys_enter_sched_yield"), { NULL }, false },
};

/* Indices of their fields. */
enum { PREV_PID, PREV_COMM, PREV_PRIO, PREV_STATE, NEXT_PID, NEXT_COMM, NEXT_PRIO };
enum { WOKEN_PID, WOKEN_COMM, WOKEN_PRIO, WOKEN_CPU };
enum { MOVED_PID, MOVED_CPU };

/* common_flags: in an interrupt */
enum { FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10, FLAG_NMI = 0x40 };

enum mode { UNKNOWN, RUNNING, WAITING, BLOCKED };

enum { NO_TASK = UINT32_MAX };

/* Texts of events are whole words of 8 bytes. */
struct word {
	_Alignas(8) char s[COMM_SIZE];
};

static const struct word none, swapper = { "swapper" }, running = { "running" },
			       woken = { "woken" }, preempted = { "preempted" },
			       yielded = { "yielded" }, created = { "new" };

/* Who ran while a task waited, and for how long. */
struct culprit {
	s32 pid;
	struct word comm;
	u64 ns;
};

struct task {
	s32 pid;
	enum mode mode;
	const struct word *state; /* the word for it */
	struct word comm;
	s32 prio;
	u32 cpu;       /* where it runs or waits */
	u32 first_cpu; /* WAITING: where that began */
	u64 since;     /* begin of ->mode */
	bool woken;    /* sched_waking came before the switch to sleep */
	bool yields;   /* RUNNING: in sched_yield() */
	bool listed;   /* in cpu->waiting of ->cpu */
	s32 waker_pid; /* who ended the last sleep */
	struct word waker_comm;
	bool in_irq; /* in an interrupt on its CPU */
	/* WAITING */
	u64 charged;              /* delays are known until then */
	u64 idle_sum, idle_since; /* see other_idle() */
	ARRAY(struct culprit) culprits;
};

struct cpu {
	bool known;         /* which task runs */
	bool idle;          /* in ->n_idle of all */
	u32 running;        /* index of the task; NO_TASK: idle */
	u64 alone_ns;       /* time for which only this CPU was idle */
	ARRAY(u32) waiting; /* indices of tasks */
	bool depth_known;   /* it was idle once */
	u32 depth;          /* tasks that run or wait */
	u32 old_depth;      /* from ->depth_since on */
	u64 depth_since;
};

struct sched {
	struct derive *d;
	ARRAY(struct task) tasks;
	struct hash_table by_pid;
	ARRAY(struct cpu) cpus;
	u32 n_idle, idle_xor; /* idle CPUs; if there is one, its number is ->idle_xor */
	u64 idle_at;          /* the sums of idle time are known until then */
	u64 any_idle;         /* time for which any CPU was idle */
	u32 changed[4];       /* CPUs whose depth a record changes */
	size_t n_changed;
	struct {
		u64 bit;
		const struct word *word;
	} blocked[16]; /* bits of prev_state of tasks that are not runnable */
	size_t n_blocked;
};

/* --- tasks and CPUs --- */

static u32 find_task(struct sched *s, s32 pid)
{
	struct hash_walk walk = hash_walk(hash_number((u32)pid));
	size_t i;

	while (hash_next(&s->by_pid, &walk, &i))
		if (s->tasks.v[i].pid == pid)
			return (u32)i;
	i = s->tasks.n;
	if (array_push(&s->tasks, (struct task){ .pid = pid }) ||
	    hash_add(&s->by_pid, hash_number((u32)pid), i)) {
		derive_fail(s->d);
		return NO_TASK;
	}
	return (u32)i;
}

static struct cpu *find_cpu(struct sched *s, u32 cpu)
{
	while (s->cpus.n <= cpu && cpu < DERIVE_CPUS_MAX)
		if (array_push(&s->cpus, (struct cpu){ .running = NO_TASK }))
			break;
	if (cpu < s->cpus.n)
		return &s->cpus.v[cpu];
	derive_fail(s->d);
	return NULL;
}

static void set_comm(struct word *to, struct span comm)
{
	size_t n = min_t(size_t, comm.n, COMM_SIZE - 1);

	if (!comm.s)
		return;
	memcpy(to->s, comm.s, n);
	memset(to->s + n, 0, COMM_SIZE - n);
}

/* --- idle CPUs --- */

static void advance_idle(struct sched *s, u64 ts)
{
	u64 ns = ts > s->idle_at ? ts - s->idle_at : 0;

	if (s->n_idle)
		s->any_idle += ns;
	if (s->n_idle == 1)
		s->cpus.v[s->idle_xor].alone_ns += ns;
	s->idle_at = ts;
}

static void set_idle(struct sched *s, u32 cpu, bool idle)
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

static void change_depth(struct sched *s, u32 cpu, int by)
{
	bool known = false;

	s->cpus.v[cpu].depth += (u32)by;
	for (size_t i = 0; i < s->n_changed; i++)
		known |= s->changed[i] == cpu;
	if (!known && s->n_changed < ARRAY_SIZE(s->changed))
		s->changed[s->n_changed++] = cpu;
}

/* After a record, because it may change a depth and change it back. */
static void trace_depths(struct sched *s, const struct derive_record *r)
{
	for (size_t i = 0; i < s->n_changed; i++) {
		struct cpu *c = &s->cpus.v[s->changed[i]];

		if (c->depth == c->old_depth && c->depth_known)
			continue;
		if (c->depth_known && r->ts > c->depth_since)
			derive_trace(s->d, &derive_sched, RUNQUEUE,
				     (u64[]){ s->changed[i], c->old_depth, r->ts - c->depth_since },
				     r, 0);
		/* of a CPU that becomes idle, the tasks are known */
		if (!c->depth_known && c->known && c->running == NO_TASK) {
			c->depth = (u32)c->waiting.n;
			c->depth_known = true;
		}
		c->old_depth = c->depth;
		c->depth_since = r->ts;
	}
	s->n_changed = 0;
}

/* --- waiting --- */

/* The task waited until now because of @culprit (NO_TASK: the CPU was idle). */
static void charge(struct sched *s, struct task *t, u32 culprit, u64 ts)
{
	const struct task *by = culprit == NO_TASK ? NULL : &s->tasks.v[culprit];
	struct culprit new = { .pid = by ? by->pid : 0 };
	u64 ns = ts > t->charged ? ts - t->charged : 0;

	t->charged = ts;
	if (!ns)
		return;
	new.comm = by ? by->comm : swapper;
	new.ns = ns;
	for (size_t i = 0; i < t->culprits.n; i++) {
		struct culprit *c = &t->culprits.v[i];

		if (c->pid == new.pid && !strcmp(c->comm.s, new.comm.s)) {
			c->ns += ns;
			return;
		}
	}
	if (array_push(&t->culprits, new))
		derive_fail(s->d);
}

/* It is runnable, or about to be, on this CPU. */
static void list(struct sched *s, u32 task, u32 cpu)
{
	struct task *t = &s->tasks.v[task];

	t->cpu = cpu;
	t->listed = true;
	t->idle_since = other_idle(s, cpu);
	if (array_push(&s->cpus.v[cpu].waiting, task))
		derive_fail(s->d);
}

static void unlist(struct sched *s, u32 task, u64 ts)
{
	struct task *t = &s->tasks.v[task];
	struct cpu *c = &s->cpus.v[t->cpu];

	if (!t->listed)
		return;
	t->listed = false;
	charge(s, t, c->running, ts);
	t->idle_sum += other_idle(s, t->cpu) - t->idle_since;
	for (size_t i = 0; i < c->waiting.n; i++)
		if (c->waiting.v[i] == task)
			c->waiting.v[i--] = c->waiting.v[--c->waiting.n];
}

static void list_new(struct sched *s, u32 task, u32 cpu, u64 ts)
{
	struct task *t = &s->tasks.v[task];

	t->since = t->charged = ts;
	t->first_cpu = cpu;
	t->culprits.n = 0;
	t->idle_sum = 0;
	list(s, task, cpu);
}

static void begin_wait(struct sched *s, u32 task, u32 cpu, const struct word *kind,
		       const struct derive_record *r)
{
	struct task *t = &s->tasks.v[task];

	if (!t->listed)
		list_new(s, task, cpu, r->ts);
	t->mode = WAITING;
	t->state = kind;
	change_depth(s, t->cpu, 1);
}

/* It no longer waits there. */
static void end_wait(struct sched *s, u32 task, const struct derive_record *r)
{
	struct task *t = &s->tasks.v[task];

	unlist(s, task, r->ts);
	if (t->mode == WAITING)
		change_depth(s, t->cpu, -1);
}

static void move_wait(struct sched *s, u32 task, u32 cpu, const struct derive_record *r)
{
	end_wait(s, task, r);
	list(s, task, cpu);
	change_depth(s, cpu, 1);
}

/* --- intervals end --- */

static u64 length(const struct task *t, const struct derive_record *r)
{
	return r->ts > t->since ? r->ts - t->since : 0;
}

static void trace_state(struct sched *s, const struct task *t, const struct word *next,
			const struct derive_record *r)
{
	bool slept = t->mode == BLOCKED;

	derive_trace(s->d, &derive_sched, TASK_STATE,
		     (u64[]){ (u64)t->pid, (uintptr_t)t->comm.s, (u64)t->prio, t->cpu,
			      (uintptr_t)t->state->s, length(t, r), (uintptr_t)next->s,
			      slept ? (u64)t->waker_pid : 0,
			      (uintptr_t)(slept ? &t->waker_comm : &none)->s, slept && t->in_irq },
		     r, t->pid);
}

static void trace_wait(struct sched *s, const struct task *t, const struct derive_record *r)
{
	derive_trace(s->d, &derive_sched, WAIT,
		     (u64[]){ (u64)t->pid, (uintptr_t)t->comm.s, (u64)t->prio,
			      (uintptr_t)t->state->s, length(t, r), r->cpu, r->cpu != t->first_cpu,
			      t->idle_sum },
		     r, t->pid);
	for (size_t i = 0; i < t->culprits.n; i++) {
		const struct culprit *c = &t->culprits.v[i];

		derive_trace(s->d, &derive_sched, DELAY,
			     (u64[]){ (u64)t->pid, (uintptr_t)t->comm.s, (u64)c->pid,
				      (uintptr_t)c->comm.s, c->ns, r->cpu, (uintptr_t)t->state->s },
			     r, t->pid);
	}
}

/* The records contradict what was known of the task. */
static void forget_task(struct sched *s, u32 task, const struct derive_record *r)
{
	struct task *t = &s->tasks.v[task];

	end_wait(s, task, r);
	if (t->mode != UNKNOWN)
		derive_inconsistent(s->d);
	t->mode = UNKNOWN;
	t->woken = false;
}

/* --- records --- */

/* The word for a state that is not runnable; NULL: runnable. */
static const struct word *blocked_word(const struct sched *s, u64 state)
{
	for (size_t i = 0; i < s->n_blocked; i++)
		if (state & s->blocked[i].bit)
			return s->blocked[i].word;
	return NULL;
}

/* It ran until now. */
static void switch_out(struct sched *s, u32 prev, const struct derive_record *r)
{
	const struct word *blocked = blocked_word(s, r->n[PREV_STATE]);
	struct task *t = &s->tasks.v[prev];
	const struct word *kind = t->yields ? &yielded : &preempted;

	t->prio = (s32)r->n[PREV_PRIO];
	if (t->mode == RUNNING && t->cpu == r->cpu)
		trace_state(s, t, blocked ? blocked : kind, r);
	else if (t->mode != UNKNOWN)
		forget_task(s, prev, r);
	if (blocked) {
		t->mode = BLOCKED;
		t->state = blocked;
		t->since = r->ts;
		t->cpu = r->cpu;
		if (t->woken)
			list_new(s, prev, r->cpu, r->ts);
	} else {
		t->woken = false;
		begin_wait(s, prev, r->cpu, kind, r);
	}
}

static void switch_in(struct sched *s, u32 next, const struct derive_record *r)
{
	struct task *t = &s->tasks.v[next];

	set_comm(&t->comm, r->text[NEXT_COMM]);
	if (t->mode == BLOCKED && t->woken) /* it was woken before it had left the CPU */
		begin_wait(s, next, t->cpu, &woken, r);
	t->prio = (s32)r->n[NEXT_PRIO];
	if (t->mode == WAITING) {
		end_wait(s, next, r);
		trace_state(s, t, &running, r);
		trace_wait(s, t, r);
	} else {
		forget_task(s, next, r);
	}
	t->mode = RUNNING;
	t->state = &running;
	t->cpu = r->cpu;
	t->since = r->ts;
	t->woken = t->yields = false;
}

/* Those who wait for this CPU were delayed by the task that leaves it. */
static void charge_waiting(struct sched *s, struct cpu *c, u64 ts)
{
	for (size_t i = 0; i < c->waiting.n; i++)
		charge(s, &s->tasks.v[c->waiting.v[i]], c->running, ts);
}

static void on_switch(struct sched *s, const struct derive_record *r)
{
	s32 prev_pid = (s32)r->n[PREV_PID], next_pid = (s32)r->n[NEXT_PID];
	u32 prev = prev_pid ? find_task(s, prev_pid) : NO_TASK;
	u32 next = next_pid ? find_task(s, next_pid) : NO_TASK;
	struct cpu *c = find_cpu(s, r->cpu);

	if (!c || (prev_pid && prev == NO_TASK) || (next_pid && next == NO_TASK))
		return;
	if (c->known && c->running != prev && c->running != NO_TASK)
		forget_task(s, c->running, r);
	c->running = prev;
	if (prev_pid)
		set_comm(&s->tasks.v[prev].comm, r->text[PREV_COMM]);
	charge_waiting(s, c, r->ts);
	if (prev_pid)
		switch_out(s, prev, r);
	/* a task that was on its way to sleep is charged for what it ran until now */
	if (next_pid)
		switch_in(s, next, r);
	set_idle(s, r->cpu, !next_pid);
	change_depth(s, r->cpu, (next_pid != 0) - (prev_pid != 0));
	c->known = true;
	c->running = next;
}

static void end_sleep(struct sched *s, struct task *t, const struct derive_record *r)
{
	const struct cpu *c = find_cpu(s, r->cpu);
	const struct task *waker = c && c->known && c->running != NO_TASK ? &s->tasks.v[c->running]
									  : NULL;

	t->waker_pid = r->pid;
	t->in_irq = r->flags & (FLAG_HARDIRQ | FLAG_SOFTIRQ | FLAG_NMI);
	t->waker_comm = none;
	if (!r->pid)
		t->waker_comm = swapper;
	else if (waker && waker->pid == r->pid)
		t->waker_comm = waker->comm;
}

static void on_waking(struct sched *s, const struct derive_record *r)
{
	u32 task = find_task(s, (s32)r->n[WOKEN_PID]), cpu = (u32)r->n[WOKEN_CPU];
	bool is_new = r->input == WAKEUP_NEW;
	struct task *t;

	if (task == NO_TASK || !find_cpu(s, cpu) || !r->n[WOKEN_PID])
		return;
	t = &s->tasks.v[task];
	if (is_new && t->mode != UNKNOWN) { /* the pid was reused */
		end_wait(s, task, r);
		t->mode = UNKNOWN;
	}
	if (t->mode == WAITING) {
		if (r->input == WAKEUP && t->cpu != cpu)
			move_wait(s, task, cpu, r);
		return;
	}
	if (t->mode == RUNNING) {
		t->woken = r->input == WAKING;
		if (t->woken)
			end_sleep(s, t, r);
		return;
	}
	set_comm(&t->comm, r->text[WOKEN_COMM]);
	if (t->mode == BLOCKED && !(t->woken && r->input == WAKEUP)) {
		unlist(s, task, r->ts);
		end_sleep(s, t, r);
		trace_state(s, t, &woken, r);
	}
	t->prio = (s32)r->n[WOKEN_PRIO];
	t->woken = false;
	begin_wait(s, task, cpu, is_new ? &created : &woken, r);
}

static void on_migrate(struct sched *s, const struct derive_record *r)
{
	u32 task = find_task(s, (s32)r->n[MOVED_PID]), cpu = (u32)r->n[MOVED_CPU];

	if (task == NO_TASK || !find_cpu(s, cpu) || s->tasks.v[task].mode != WAITING)
		return;
	move_wait(s, task, cpu, r);
}

static void on_yield(struct sched *s, const struct derive_record *r)
{
	u32 task = find_task(s, r->pid);

	if (task != NO_TASK)
		s->tasks.v[task].yields = true;
}

static void sched_hit(void *state, const struct derive_record *r)
{
	struct sched *s = state;

	advance_idle(s, r->ts);
	if (r->input == SWITCH)
		on_switch(s, r);
	else if (r->input == MIGRATE)
		on_migrate(s, r);
	else if (r->input == YIELD)
		on_yield(s, r);
	else
		on_waking(s, r);
	trace_depths(s, r);
}

static void sched_lost(void *state)
{
	struct sched *s = state;
	bool all = derive_wants(s->d, &derive_sched, TASK_STATE);

	for (size_t i = 0; i < s->tasks.n; i++) {
		struct task *t = &s->tasks.v[i];

		derive_spanned(s->d, t->mode == WAITING || (all && t->mode != UNKNOWN));
		t->mode = UNKNOWN;
		t->woken = t->listed = false;
	}
	for (size_t i = 0; i < s->cpus.n; i++) {
		struct cpu *c = &s->cpus.v[i];

		c->known = c->depth_known = c->idle = false;
		c->running = NO_TASK;
		c->waiting.n = 0;
		c->depth = 0;
	}
	s->n_idle = s->idle_xor = 0;
}

/* --- start and end --- */

static const struct word *state_word(char letter)
{
	static const struct word other = { "other" };
	static const struct {
		char letter;
		struct word word;
	} words[] = {
		{ 'S', { "sleeping" } }, { 'D', { "disk" } }, { 'T', { "stopped" } },
		{ 't', { "traced" } },   { 'X', { "dead" } }, { 'Z', { "dead" } },
		{ 'x', { "dead" } },     { 'I', { "idle" } }, { 'P', { "parked" } },
		{ 'K', { "disk" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].letter == letter)
			return &words[i].word;
	return &other;
}

/* The bits of prev_state: { 0x0001, "S" }, { 0x0002, "D" }, ... in the print fmt. */
static void read_states(struct sched *s, const char *fmt)
{
	static const char usual[] = "{ 0x01, \"S\" }, { 0x02, \"D\" }, { 0x04, \"T\" }, "
				    "{ 0x08, \"t\" }, { 0x10, \"X\" }, { 0x20, \"Z\" }, "
				    "{ 0x40, \"P\" }, { 0x80, \"I\" }";

	if (!fmt || !strstr(fmt, "\"S\""))
		fmt = usual;
	while ((fmt = strchr(fmt, '{')) && s->n_blocked < ARRAY_SIZE(s->blocked)) {
		char *end;
		u64 bit = strtoull(++fmt, &end, 0);

		if (bit && end[0] == ',' && end[1] == ' ' && end[2] == '"' && end[3] &&
		    end[4] == '"') {
			s->blocked[s->n_blocked].bit = bit;
			s->blocked[s->n_blocked++].word = state_word(end[3]);
		}
	}
}

static void *sched_open(struct derive *d, const char *const *print_fmts)
{
	struct sched *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->d = d;
	read_states(s, print_fmts[SWITCH]);
	return s;
}

static void sched_close(void *state)
{
	struct sched *s = state;

	for (size_t i = 0; i < s->tasks.n; i++)
		array_release(&s->tasks.v[i].culprits);
	for (size_t i = 0; i < s->cpus.n; i++)
		array_release(&s->cpus.v[i].waiting);
	array_release(&s->tasks);
	array_release(&s->cpus);
	hash_release(&s->by_pid);
	free(s);
}

const struct deriver derive_sched = {
	.events = events,
	.n_events = ARRAY_SIZE(events),
	.inputs = inputs,
	.n_inputs = ARRAY_SIZE(inputs),
	.open = sched_open,
	.hit = sched_hit,
	.lost = sched_lost,
	.close = sched_close,
};
