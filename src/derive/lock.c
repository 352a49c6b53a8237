// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Locks of the kernel: how long a task waited for one, from the first contention_begin to
 * contention_end.
 *
 * kernel: a task that spins for a mutex and then sleeps begins several times, and ends once
 * (__mutex_lock_common() @ v6.12). A task can wait for a lock in an interrupt while it waits for
 * another one.
 *
 * Who held a lock for which a task sleeps is not recorded: it is deduced to be the task that last
 * woke it meanwhile, because a mutex, a semaphore or an rt-mutex is released by its owner, who
 * wakes those that wait for it. That of one that spins is unknown.
 */
#include "derive/deriver.h"
#include "derive/record_stack.h"
#include "derive/slots.h"

static const struct derived_event events[] = {
	DERIVED_EVENT(DERIVE_LOCK, "lock_wait",
		      "unsigned long lock; char[16] kind; u64 ns; int ret; pid_t pid; "
		      "char[16] comm; unsigned int cpu; int prio; pid_t owner_pid; "
		      "char[16] owner_comm; int owner_prio; bool inverted; "
		      "unsigned long wait_stack[]; " DERIVED_OPEN,
		      .asks = "comm owner_comm", .cuts = true),
};

enum input { BEGIN, END, SWITCH, WAKING };

static const struct deriver_input inputs[] = {
	[BEGIN] = { DERIVER_INPUT("lock", "contention_begin"),
		    { "lock_addr", "flags" },
		    true,
		    .stack = true },
	[END] = { DERIVER_INPUT("lock", "contention_end"), { "lock_addr", "ret" }, true },
	[SWITCH] = { DERIVER_INPUT("sched", "sched_switch"), { "next_prio" }, .unasked = true },
	[WAKING] = { DERIVER_INPUT("sched", "sched_waking"), { "pid", "prio" }, .unasked = true },
};

/* Indices of their fields. */
enum { LOCK, FLAGS, RET = FLAGS, WAIT_STACK };
enum { NEXT_PRIO };
enum { WOKEN_PID, WOKEN_PRIO };

struct lock_wait {
	bool open;
	s32 pid;
	u32 cpu;                  /* where it began; of an idle task */
	u64 lock, since, certain; /* until ->certain, it surely went on */
	const u64 *stack;         /* where it began */
	u32 flags;                /* of the last begin */
	u32 next;                 /* as slot_take() uses it */
	u32 older, newer;         /* waits of its task; NO_SLOT: none */
	/* who woke the task last, and the priorities of both; 0: no task did */
	struct derive_moment woken;
	s32 owner, owner_prio, prio;
};

/* The priority of the task that runs on a CPU. */
struct lock_cpu {
	bool known;
	s32 prio;
};

struct locks {
	struct derive *d;
	ARRAY(struct lock_wait) waits;
	ARRAY(struct lock_cpu) cpus;
	struct hash_table by_task, by_pid; /* ->by_task: with their lock; ->by_pid: the newest */
	u32 unused;
};

/* kernel: enum lock_contention_flags */
enum { SPIN = 1, READ = 2, WRITE = 4, RT = 8, PERCPU = 16, MUTEX = 32 };

struct lock_kind {
	u32 flags;
	_Alignas(8) char word[16];
};

static const struct lock_kind kinds[] = {
	{ 0, "semaphore" },
	{ SPIN, "spinlock" },
	{ SPIN | READ, "rwlock-read" },
	{ SPIN | WRITE, "rwlock-write" },
	{ READ, "rwsem-read" },
	{ WRITE, "rwsem-write" },
	{ RT, "rt-mutex" },
	{ RT | READ, "rwlock-rt-read" },
	{ RT | WRITE, "rwlock-rt-write" },
	{ PERCPU | READ, "percpu-read" },
	{ PERCPU | WRITE, "percpu-write" },
	{ MUTEX, "mutex" },
	{ MUTEX | SPIN, "mutex-spin" },
};

static const char *kind_of(u32 flags)
{
	static const _Alignas(8) char other[8] = "other";

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].flags == flags)
			return kinds[i].word;
	return other;
}

/* --- waits --- */

static u32 hash_of(s32 pid, u64 lock)
{
	return hash_number(lock ^ (u64)(u32)pid << 40);
}

/* That of the task, or of the idle task of the CPU. NO_SLOT: none */
static u32 find_wait(const struct locks *l, const struct derive_record *r)
{
	hash_each(i, &l->by_task, hash_of(r->pid, r->n[LOCK])) {
		const struct lock_wait *w = &l->waits.v[i];

		if (w->pid == r->pid && w->lock == r->n[LOCK] && (r->pid || w->cpu == r->cpu))
			return (u32)i;
	}
	return NO_SLOT;
}

/* The newest wait of a task; NO_SLOT: none */
static u32 newest_wait(const struct locks *l, s32 pid)
{
	hash_each(i, &l->by_pid, hash_number((u32)pid))
		if (l->waits.v[i].pid == pid)
			return (u32)i;
	return NO_SLOT;
}

static void begin_wait(struct locks *l, const struct derive_record *r)
{
	const u32 hash = hash_number((u32)r->pid), older = newest_wait(l, r->pid);
	struct lock_wait w = { .open = true,
			       .pid = r->pid,
			       .cpu = r->cpu,
			       .lock = r->n[LOCK],
			       .since = r->ts,
			       .certain = r->ts,
			       .flags = (u32)r->n[FLAGS],
			       .stack = derive_wants_stacks(l->d) ? derive_stack(r, WAIT_STACK)
								  : NULL,
			       .older = older,
			       .newer = NO_SLOT };
	const u32 i = slot_take(&l->waits, &l->unused, w);

	if (older != NO_SLOT) {
		l->waits.v[older].newer = i;
		hash_remove(&l->by_pid, hash, older);
	}
	if (i == NO_SLOT || hash_add(&l->by_task, hash_of(w.pid, w.lock), i) ||
	    hash_add(&l->by_pid, hash, i))
		derive_fail(l->d);
}

static void remove_wait(struct locks *l, u32 i)
{
	struct lock_wait *w = &l->waits.v[i];
	const u32 hash = hash_number((u32)w->pid);

	hash_remove(&l->by_task, hash_of(w->pid, w->lock), i);
	if (w->newer != NO_SLOT)
		l->waits.v[w->newer].older = w->older;
	else
		hash_remove(&l->by_pid, hash, i);
	if (w->older != NO_SLOT)
		l->waits.v[w->older].newer = w->newer;
	if (w->older != NO_SLOT && w->newer == NO_SLOT && hash_add(&l->by_pid, hash, w->older))
		derive_fail(l->d);
	w->open = false;
	slot_return(&l->waits, &l->unused, i);
}

static void trace(struct locks *l, const struct lock_wait *w, s32 ret,
		  const struct derive_record *r, u64 open)
{
	struct derive_comm comm, owner = { .s = "" };

	derive_comm_at(l->d, &events[0], derive_moment(r), w->pid, &comm);
	if (w->owner)
		derive_comm_at(l->d, &events[0], w->woken, w->owner, &owner);
	derive_trace(l->d, &events[0],
		     (u64[]){ w->lock, (uintptr_t)kind_of(w->flags),
			      r->ts > w->since ? r->ts - w->since : 0, (u64)ret, (u64)w->pid,
			      (uintptr_t)comm.s, r->cpu, (u64)w->prio, (u64)w->owner,
			      (uintptr_t)owner.s, (u64)w->owner_prio,
			      w->owner && w->owner_prio > w->prio, (uintptr_t)w->stack, open },
		     r, w->pid);
}

/*
 * Whether its task did not leave the CPU, which has its records.
 *
 * kernel: preemption is disabled for these flags (queued_spin_lock_slowpath(), queued_read_lock())
 */
static bool stayed(const struct locks *l, const struct lock_wait *w)
{
	const bool spins = (w->flags & ~(u32)(READ | WRITE)) == SPIN;

	return derive_stayed(l->d, spins ? 0 : w->pid, w->cpu, w->certain);
}

/* --- records --- */

static void on_end(struct locks *l, const struct derive_record *r)
{
	u32 i = find_wait(l, r);
	/* its kind is not known */
	const struct lock_wait before = {
		.pid = r->pid, .lock = r->n[LOCK], .since = derive_begin(l->d), .flags = UINT32_MAX
	};

	if (i != NO_SLOT) {
		const struct lock_wait *w = &l->waits.v[i];

		if (derive_went_on(l->d, w->certain) || (w->cpu == r->cpu && stayed(l, w)))
			trace(l, w, (s32)r->n[RET], r, derive_open_word(false, false));
		else
			derive_left_out(l->d, w->since, r->ts);
		remove_wait(l, i);
	} else if (derive_opens(l->d) && derive_went_on(l->d, r->ts)) {
		trace(l, &before, (s32)r->n[RET], r, derive_open_word(true, false));
	} else {
		derive_inconsistent(l->d);
	}
}

static struct lock_cpu *lock_cpu_of(struct locks *l, u32 cpu)
{
	while (l->cpus.n <= cpu)
		if (array_push(&l->cpus, ((struct lock_cpu){ .known = false }))) {
			derive_fail(l->d);
			return NULL;
		}
	return &l->cpus.v[cpu];
}

static void on_switch(struct locks *l, const struct derive_record *r)
{
	struct lock_cpu *now = lock_cpu_of(l, r->cpu);

	derive_switched(l->d, r->cpu, r->ts);
	if (now)
		*now = (struct lock_cpu){ r->known & 1U << NEXT_PRIO, (s32)r->n[NEXT_PRIO] };
}

static void on_waking(struct locks *l, const struct derive_record *r)
{
	const struct lock_cpu *now = lock_cpu_of(l, r->cpu);

	/* wakings have flags, as interrupts are off; without, as in texts, one may have woken */
	if (!now || !now->known || !r->pid || !r->flags || r->flags & DERIVE_IN_INTERRUPT)
		return;
	for (u32 i = newest_wait(l, (s32)r->n[WOKEN_PID]); i != NO_SLOT; i = l->waits.v[i].older) {
		struct lock_wait *w = &l->waits.v[i];

		if (w->flags & SPIN)
			continue;
		w->woken = derive_moment(r);
		w->owner = r->pid;
		w->owner_prio = now->prio;
		w->prio = (s32)r->n[WOKEN_PRIO];
	}
}

static void locks_hit(void *state, const struct derive_record *r)
{
	struct locks *l = state;
	u32 i = r->input == BEGIN ? find_wait(l, r) : NO_SLOT;

	if (r->input == SWITCH)
		on_switch(l, r);
	else if (r->input == WAKING)
		on_waking(l, r);
	else if (r->input == END)
		on_end(l, r);
	else if (i == NO_SLOT)
		begin_wait(l, r);
	else /* kernel: one that slept may spin again, and sleep again */
		l->waits.v[i].flags = (u32)r->n[FLAGS] & (l->waits.v[i].flags | ~(u32)SPIN);
}

static void locks_end(void *state, const struct derive_record *last)
{
	struct locks *l = state;
	struct derive_record r = *last;

	for (u32 i = 0; i < l->cpus.n; i++)
		l->cpus.v[i].known &= !derive_ends(last, i);
	for (u32 i = 0; i < l->waits.n; i++) {
		struct lock_wait *w = &l->waits.v[i];

		if (!w->open)
			continue;
		r.cpu = w->cpu;
		if (!derive_ends(last, w->cpu) && stayed(l, w)) {
			w->certain = last->ts;
			continue;
		}
		if (!derive_opens(l->d))
			derive_left_out(l->d, w->since, r.ts);
		else if (derive_went_on(l->d, w->certain))
			trace(l, w, 0, &r, derive_open_word(false, true));
		remove_wait(l, i);
	}
}

static void locks_close(void *state)
{
	struct locks *l = state;

	array_release(&l->waits);
	array_release(&l->cpus);
	hash_release(&l->by_task);
	hash_release(&l->by_pid);
}

const struct deriver derive_lock = {
	DERIVER_OF(struct locks, events, inputs),
	.in_holes = true,
	.hit = locks_hit,
	.end = locks_end,
	.close = locks_close,
};
