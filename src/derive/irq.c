// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Interrupts: how long each took, without those that interrupted it, and from which task.
 *
 * An NMI has no record of its beginning: nmi_handler is traced at its end, with its length.
 */
#include "derive/irq.h"
#include "derive/softirq.h"

static const struct derived_event events[] = {
	DERIVED_EVENT(DERIVE_IRQ, "irq",
		      "pid_t pid; char[16] comm; char[8] kind; char[32] name; u64 ns; "
		      "u64 self_ns; unsigned int cpu; " DERIVED_OPEN,
		      .asks = "comm", .windows = true),
};

enum input { IRQ_ENTRY, IRQ_EXIT, SOFTIRQ_ENTRY, SOFTIRQ_EXIT, VECTOR_ENTRY, VECTOR_EXIT, NMI };

#define FIRST "irq:irq_handler_entry"

/* Indices of their fields. */
enum { NUMBER, NAME };
enum { HANDLER, DELTA };

static const struct deriver_input inputs[] = {
	[IRQ_ENTRY] = { DERIVER_INPUT("irq", "irq_handler_entry"),
			{ "irq", "name" },
			true,
			.texts = 1 << NAME },
	[IRQ_EXIT] = { DERIVER_INPUT("irq", "irq_handler_exit"), { "irq" } },
	[SOFTIRQ_ENTRY] = { DERIVER_INPUT("irq", "softirq_entry"), { "vec" }, .instead = FIRST },
	[SOFTIRQ_EXIT] = { DERIVER_INPUT("irq", "softirq_exit"), { "vec" } },
	[VECTOR_ENTRY] = { DERIVER_INPUT("irq_vectors", "*_entry"),
			   { "vector" },
			   .instead = FIRST },
	[VECTOR_EXIT] = { DERIVER_INPUT("irq_vectors", "*_exit"), { "vector" } },
	[NMI] = { DERIVER_INPUT("nmi", "nmi_handler"),
		  { "handler", "delta_ns" },
		  .instead = FIRST },
};

static const struct irq_word {
	_Alignas(8) char s[8];
} words[] = { [IRQ_SOFT] = { "softirq" }, [IRQ_VECTOR] = { "vector" }, [IRQ_HARD] = { "irq" } },
  nmi = { "nmi" };

struct irq {
	struct derive *d;
	bool wanted;
	void (*changes)(void *arg, u32 cpu, u64 ts, const struct irq_frame *nmi);
	void *changes_arg; /* see irq_watch() */
	struct irq_stack stack;
	struct softirq_names softirqs;
};

static void trace(struct irq *q, const struct irq_word *kind, const struct irq_frame *f,
		  const struct derive_record *r, u64 open)
{
	const u64 ns = r->ts > f->since ? r->ts - f->since : 0;
	struct derive_comm comm;

	if (!q->wanted)
		return;
	derive_comm_at(q->d, &events[0], derive_moment(r), f->pid, &comm);
	derive_trace(q->d, &events[0],
		     (u64[]){ (u64)f->pid, (uintptr_t)comm.s, (uintptr_t)kind->s,
			      (uintptr_t)f->name.s, ns, ns > f->nested_ns ? ns - f->nested_ns : 0,
			      r->cpu, open },
		     r, f->pid);
}

/* --- records --- */

static void on_nmi(struct irq *q, struct irq_cpu *c, const struct derive_record *r)
{
	const u64 ns = min_t(u64, r->n[DELTA], r->ts);
	struct irq_frame f = { .pid = r->pid, .since = r->ts - ns };
	struct event_symbol symbol;

	if (q->changes)
		q->changes(q->changes_arg, r->cpu, f.since, NULL);
	irq_stack_add(c, ns);
	if (!event_symbol_at(derive_machine(q->d)->db, r->n[HANDLER], &symbol))
		symbol.name = span_of("unknown");
	irq_name_set(&f.name, symbol.name);
	if (q->changes)
		q->changes(q->changes_arg, r->cpu, r->ts, &f);
	trace(q, &nmi, &f, r, derive_open_word(false, false));
}

static void name_frame(const struct irq *q, struct irq_frame *f, const struct derive_record *r)
{
	const char *event = derive_event_name(r);

	if (f->kind == IRQ_HARD)
		irq_name_set(&f->name, derive_text(r, NAME));
	else if (f->kind == IRQ_VECTOR)
		irq_name_set(&f->name, (struct span){ event, strlen(event) - strlen("_entry") });
	else
		f->name = softirq_name(&q->softirqs, f->number);
}

static void irq_hit(void *state, const struct derive_record *r)
{
	static const enum irq_kind kinds[] = {
		[IRQ_ENTRY] = IRQ_HARD,    [IRQ_EXIT] = IRQ_HARD,       [SOFTIRQ_ENTRY] = IRQ_SOFT,
		[SOFTIRQ_EXIT] = IRQ_SOFT, [VECTOR_ENTRY] = IRQ_VECTOR, [VECTOR_EXIT] = IRQ_VECTOR,
	};
	struct irq *q = state;
	struct irq_cpu *c = irq_stack_cpu(&q->stack, r->cpu);
	struct irq_frame f = { .pid = r->pid, .since = r->ts }, ended, *top;

	if (!c) {
		if (r->cpu < IRQ_CPUS_MAX)
			derive_fail(q->d);
		return;
	}
	if (r->input == NMI) {
		on_nmi(q, c, r);
		return;
	}
	if (q->changes)
		q->changes(q->changes_arg, r->cpu, r->ts, NULL);
	f.kind = kinds[r->input];
	f.number = (u32)r->n[NUMBER];
	if (r->input == IRQ_ENTRY || r->input == SOFTIRQ_ENTRY || r->input == VECTOR_ENTRY) {
		top = irq_stack_enter(&q->stack, c, &f);
		if (q->wanted || q->changes)
			name_frame(q, top, r);
	} else if (irq_stack_leave(&q->stack, c, &f, &ended)) {
		trace(q, &words[f.kind], &ended, r, derive_open_word(false, false));
	}
	/* more than the end of one that began before a window: others may be left, too */
	if (unlikely(q->stack.dropped))
		derive_unsure(q->d, c->n || r->input % 2 == IRQ_ENTRY % 2 ? UINT64_MAX : r->ts);
	for (; q->stack.dropped; q->stack.dropped--)
		derive_inconsistent(q->d);
}

/* --- for other derivers --- */

void irq_task_runs(struct irq *q, u32 cpu)
{
	if (q && cpu < q->stack.cpus.n)
		irq_stack_hide(&q->stack.cpus.v[cpu]);
}

const struct irq_frame *irq_top(const struct irq *q, u32 cpu)
{
	const struct irq_cpu *c = q && cpu < q->stack.cpus.n ? &q->stack.cpus.v[cpu] : NULL;

	return c && c->n > c->hidden ? &c->frames[c->n - 1] : NULL;
}

const char *irq_kind_word(enum irq_kind kind)
{
	return words[kind].s;
}

void irq_watch(struct irq *q,
	       void (*changes)(void *arg, u32 cpu, u64 ts, const struct irq_frame *nmi), void *arg)
{
	if (!q)
		return;
	q->changes = changes;
	q->changes_arg = arg;
}

u64 irq_ns(const struct irq *q, u32 cpu, u64 now)
{
	return q && cpu < q->stack.cpus.n ? irq_stack_ns(&q->stack.cpus.v[cpu], now) : 0;
}

/* --- start and end --- */

static void irq_end(void *state, const struct derive_record *last)
{
	struct irq *q = state;
	struct derive_record r = *last;

	for (u32 cpu = 0; cpu < q->stack.cpus.n; cpu++) {
		struct irq_cpu *c = &q->stack.cpus.v[cpu];

		r.cpu = cpu;
		for (u32 i = derive_ends(last, cpu) && derive_opens(q->d) ? c->n : 0; i; i--)
			trace(q, &words[c->frames[i - 1].kind], &c->frames[i - 1], &r,
			      derive_open_word(false, true));
		if (derive_ends(last, cpu))
			derive_spanned(q->d, irq_stack_forget(c));
	}
}

static int irq_open(void *state, const char *const *print_fmts)
{
	struct irq *q = state;

	q->wanted = derive_wants(q->d, &derive_irq, 0);
	softirq_names_read(&q->softirqs, print_fmts[SOFTIRQ_ENTRY]);
	return 0;
}

static void irq_close(void *state)
{
	struct irq *q = state;

	irq_stack_release(&q->stack);
}

const struct deriver derive_irq = {
	DERIVER_OF(struct irq, events, inputs),
	.in_holes = true,
	.open = irq_open,
	.hit = irq_hit,
	.end = irq_end,
	.close = irq_close,
};
