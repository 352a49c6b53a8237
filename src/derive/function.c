// SPDX-License-Identifier: LGPL-2.1-only
/*
 * How long functions of the kernel took, from the records of the function_graph tracer.
 *
 * The kernel keeps a stack of the traced functions of each task, and a record has its level in it.
 * Functions of an interrupt are on the stack of the task that it interrupts. The record of an exit
 * has the times of its call and its return (without the time in which the task slept, if
 * that is an option of the recording); without them they are those of the records. An entry alone
 * is not derived: its exit may not be traced.
 *
 * Functions that a function called are those at the next level that ended since its entry. If that
 * was not recorded, those that started after it: their times tell, unless they are moved by sleeps.
 *
 * kernel: an interrupt between the record of a function's exit and the end of its level has
 * functions at the level after that (ftrace_return_to_handler() @ v6.12); the function below was
 * interrupted.
 */
#include "derive/deriver.h"

enum event { FUNCTION };

static const struct derived_event events[] = {
	[FUNCTION] = DERIVED_EVENT(DERIVE_FUNCTION, "function",
				   "unsigned long func; int depth; u64 ns; u64 self_ns; pid_t pid; "
				   "char[16] comm; unsigned int cpu; " DERIVED_OPEN,
				   .asks = "comm"),
};

enum input { ENTRY, RETADDR_ENTRY, EXIT, SWITCH };

static const struct deriver_input inputs[] = {
	[ENTRY] = { DERIVER_INPUT("ftrace", "funcgraph_entry"), { "func", "depth" }, false },
	[RETADDR_ENTRY] = { DERIVER_INPUT("ftrace", "funcgraph_retaddr_entry"),
			    { "func", "depth" },
			    false },
	[EXIT] = { DERIVER_INPUT("ftrace", "funcgraph_exit"),
		   { "func", "depth", "calltime", "rettime" },
		   true },
	[SWITCH] = { DERIVER_INPUT("sched", "sched_switch"), { NULL }, .unasked = true },
};

/* Indices of their fields. */
enum { FUNC, DEPTH, CALLTIME, RETTIME };

/* The kernel's stack has 50 levels, that of later kernels as many as fit into a page. */
enum { LEVELS_MAX = 512 };

/* A level of a task's stack. */
struct level {
	bool open; /* its entry was recorded, and not yet its exit */
	u32 cpu;
	u64 func, since;
	/* functions at the next level that ended: their sum, and when the first and last started */
	u64 sum, first, last;
	bool any;
};

struct graph_task {
	s32 pid;
	u32 cpu;     /* of an idle task */
	u32 on;      /* the CPU of its last record */
	u64 certain; /* until then, all of its records are there */
	u64 known;   /* as of the graph, after some were not; UINT64_MAX: not yet */
	bool met;    /* it is in ->met of the graph */
	ARRAY(struct level) levels;
};

struct graph {
	struct derive *d;
	INDEXED(struct graph_task) tasks;
	ARRAY(u64) met; /* indices of those that had records since the last end, or stayed */
	bool enters;    /* entries are recorded */
	bool timed;     /* an exit had times since the start or a loss: */
	u64 known;      /* functions that were called later are known completely */
	bool lost;
};

/* --- tasks and their levels --- */

/* NULL: out of memory */
static struct graph_task *graph_task(struct graph *g, const struct derive_record *r)
{
	u32 cpu = r->pid ? 0 : r->cpu;
	const u32 hash = hash_number((u64)cpu << 32 | (u32)r->pid);
	const struct graph_task new = { .pid = r->pid, .cpu = cpu };
	struct graph_task *t = indexed_find(&g->tasks, hash, e, e->pid == r->pid && e->cpu == cpu);

	t = t ?: indexed_add(&g->tasks, hash, new);
	if (!t)
		derive_fail(g->d);
	return t;
}

/* NULL: out of memory */
static struct level *level_at(struct graph *g, struct graph_task *t, size_t depth)
{
	static const struct level closed;

	while (t->levels.n <= depth)
		if (array_push(&t->levels, closed)) {
			derive_fail(g->d);
			return NULL;
		}
	return &t->levels.v[depth];
}

/* The level of a record; of an exit without it, the innermost one of the function. */
static size_t depth_of(const struct graph_task *t, const struct derive_record *r)
{
	if (r->known & 1U << DEPTH)
		return r->n[DEPTH] < LEVELS_MAX ? (size_t)r->n[DEPTH] : LEVELS_MAX;
	for (size_t i = t->levels.n; i-- > 0;)
		if (t->levels.v[i].open && t->levels.v[i].func == r->n[FUNC])
			return i;
	return LEVELS_MAX;
}

/* Add it to the functions that the one above it called. */
static void add_callee(struct level *caller, u64 start, u64 ns)
{
	if (!caller->any) {
		caller->any = true;
		caller->first = start;
		caller->sum = 0;
	}
	caller->last = start;
	caller->sum += ns;
}

/* Cut off the levels from @depth on; those that had ended were not the callers of what ran there.
 */
static void cut_levels(struct graph_task *t, size_t depth)
{
	while (t->levels.n > depth) {
		const struct level *level = &t->levels.v[--t->levels.n];

		if (!level->open && level->any && t->levels.n)
			add_callee(&t->levels.v[t->levels.n - 1], level->first, level->sum);
	}
}

/* --- records --- */

static void on_entry(struct graph *g, struct graph_task *t, const struct derive_record *r)
{
	size_t depth = depth_of(t, r);
	struct level *level;

	if (depth >= LEVELS_MAX)
		return;
	g->enters = true;
	/* the exits of deeper ones were not recorded */
	cut_levels(t, depth);
	level = level_at(g, t, depth);
	if (level)
		*level = (struct level){
			.open = true, .cpu = r->cpu, .func = r->n[FUNC], .since = r->ts
		};
}

/* When it was called; false: before the first record or in a loss. */
static bool find_start(struct graph *g, struct graph_task *t, const struct level *level,
		       const struct derive_record *r, u64 times[2])
{
	bool timed = (r->known & (1U << CALLTIME | 1U << RETTIME)) ==
		     (1U << CALLTIME | 1U << RETTIME);
	bool entered = level->open && level->func == r->n[FUNC];

	times[0] = timed ? r->n[CALLTIME] : level->since;
	times[1] = timed ? r->n[RETTIME] : r->ts;
	if (timed && !g->timed) {
		g->timed = true;
		g->known = times[1];
	}
	if (timed && t->known == UINT64_MAX)
		t->known = times[1];
	return times[0] <= times[1] &&
	       (entered || (timed && !g->enters && times[0] >= max_t(u64, g->known, t->known)));
}

/* A call that ended: ->callees is the time in the functions that it called. */
struct ended_call {
	u64 func, depth, ns, callees;
	u64 open;
};

static void trace_function(struct graph *g, const struct derive_record *r,
			   const struct ended_call *c)
{
	struct derive_comm comm;

	derive_comm_at(g->d, &events[FUNCTION], derive_moment(r), r->pid, &comm);
	derive_trace(g->d, &events[FUNCTION],
		     (u64[]){ c->func, c->depth, c->ns, c->ns > c->callees ? c->ns - c->callees : 0,
			      (u64)r->pid, (uintptr_t)comm.s, r->cpu, c->open },
		     r, r->pid);
}

/* Its beginning is not in the recording. */
static void trace_open(struct graph *g, const struct derive_record *r, const struct ended_call *c)
{
	if (derive_opens(g->d) && derive_went_on(g->d, r->ts))
		trace_function(g, r, c);
	else if (g->lost)
		derive_spanned(g->d, 1);
	else
		derive_inconsistent(g->d);
}

static void on_exit_of(struct graph *g, struct graph_task *t, const struct derive_record *r)
{
	size_t depth = depth_of(t, r);
	struct level *level = depth < LEVELS_MAX ? level_at(g, t, depth) : NULL;
	struct ended_call ended;
	u64 times[2], ns, callees;
	bool begun, entered, mixed;

	if (!level) {
		derive_inconsistent(g->d);
		return;
	}
	cut_levels(t, depth + 1);
	level = &t->levels.v[depth];
	begun = find_start(g, t, level, r, times);
	ns = times[1] > times[0] ? times[1] - times[0] : 0;
	if (!begun)
		ns = min_t(u64, ns, r->ts - min_t(u64, r->ts, derive_begin(g->d)));
	entered = level->open && level->func == r->n[FUNC];
	callees = level->any && (entered || level->last >= times[0]) ? level->sum : 0;
	mixed = !entered && callees && level->first < times[0];
	level->open |= callees;
	cut_levels(t, depth);
	if (begun && mixed) {
		/* some were called by another function, whose exit was not recorded */
		derive_inconsistent(g->d);
		return;
	}
	if (depth && (begun || derive_opens(g->d)))
		add_callee(&t->levels.v[depth - 1], times[0], ns);
	ended = (struct ended_call){ r->n[FUNC], depth, ns, callees,
				     derive_open_word(!begun, false) };
	if (begun)
		trace_function(g, r, &ended);
	else
		trace_open(g, r, &ended);
}

static void graph_hit(void *state, const struct derive_record *r)
{
	struct graph *g = state;
	struct graph_task *t;

	if (r->input == SWITCH) {
		derive_switched(g->d, r->cpu, r->ts);
		return;
	}
	t = graph_task(g, r);
	if (!t)
		return;
	if (!t->met && array_push(&g->met, (u64)(t - g->tasks.v)))
		derive_fail(g->d);
	t->met = true;
	if (!derive_went_on(g->d, t->certain) &&
	    (t->on != r->cpu || !derive_stayed(g->d, t->pid, t->on, t->certain))) {
		g->lost |= t->levels.n != 0;
		t->levels.n = 0;
		t->known = derive_went_on(g->d, r->ts) ? 0 : UINT64_MAX;
	}
	t->certain = r->ts;
	t->on = r->cpu;
	if (r->input == EXIT)
		on_exit_of(g, t, r);
	else
		on_entry(g, t, r);
}

/* What a task is in at the end of the recording, or of what is known. */
static void trace_running(struct graph *g, const struct graph_task *t, struct derive_record r)
{
	for (size_t k = t->levels.n;
	     k-- > 0 && derive_opens(g->d) && derive_went_on(g->d, t->certain);) {
		const struct level *level = &t->levels.v[k];
		const struct ended_call running = { level->func, k,
						    r.ts - min_t(u64, r.ts, level->since),
						    level->any ? level->sum : 0,
						    derive_open_word(false, true) };

		r.pid = t->pid;
		r.cpu = level->cpu;
		if (level->open)
			trace_function(g, &r, &running);
	}
}

/* After a loss, those that are open are counted when they end. */
static void graph_end(void *state, const struct derive_record *last)
{
	struct graph *g = state;
	size_t n = 0;

	if (g->met.n)
		qsort(g->met.v, g->met.n, sizeof(*g->met.v), compare_u64);
	for (size_t i = 0; i < g->met.n; i++) {
		struct graph_task *t = &g->tasks.v[g->met.v[i]];

		/* one that left will not be there until its next record */
		t->met = derive_stayed(g->d, t->pid, t->on, t->certain);
		if (t->met)
			g->met.v[n++] = g->met.v[i];
		if (t->met && !derive_ends(last, t->on)) {
			t->certain = last->ts;
			continue;
		}
		trace_running(g, t, *last);
		t->levels.n = 0;
	}
	g->met.n = n;
	g->timed = false;
	g->lost = true;
}

static void graph_close(void *state)
{
	struct graph *g = state;

	for (size_t i = 0; i < g->tasks.n; i++)
		array_release(&g->tasks.v[i].levels);
	indexed_release(&g->tasks);
	array_release(&g->met);
}

const struct deriver derive_function = {
	DERIVER_OF(struct graph, events, inputs),
	.in_holes = true,
	.hit = graph_hit,
	.end = graph_end,
	.close = graph_close,
};
