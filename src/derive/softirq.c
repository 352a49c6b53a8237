// SPDX-License-Identifier: LGPL-2.1-only
/*
 * For how long softirqs were pending: from the first raise of a vector to its next run on that CPU.
 *
 * kernel: a CPU takes all pending vectors at once, and then runs them in the order of their numbers
 * (handle_softirqs() @ v6.12). One that is raised again after that, and before its turn, runs once
 * more for it, so this raise is the begin of the next wait.
 */
#include "derive/deriver.h"
#include "derive/softirq.h"

static const struct derived_event events[] = {
	DERIVED_EVENT(DERIVE_SOFTIRQ, "softirq_wait",
		      "char[32] name; u64 ns; unsigned int raises; unsigned int cpu; pid_t pid; "
		      "char[16] comm; " DERIVED_OPEN,
		      .asks = "comm", .cuts = true),
};

enum input { RAISE, ENTRY };

static const struct deriver_input inputs[] = {
	[RAISE] = { DERIVER_INPUT("irq", "softirq_raise"), { "vec" }, true },
	[ENTRY] = { DERIVER_INPUT("irq", "softirq_entry"), { "vec" }, true },
};

/* Raises that one run of a vector is for. */
struct pending {
	u32 raises;   /* 0: none */
	bool doubted; /* it may have been raised before, in a hole */
	u64 since;
	s32 pid; /* the task that ran then */
};

struct vector {
	struct pending now, next;
	bool taken; /* it is one of those that the CPU runs now; ->next is for the run after that */
	bool ran;   /* since derive_begin_of() */
};

struct softirq_cpu {
	struct vector vectors[SOFTIRQS_MAX];
	bool holed; /* events were missing, and it took none since */
};

struct softirqs {
	struct derive *d;
	ARRAY(struct softirq_cpu) cpus;
	struct softirq_names names;
};

/* --- names --- */

void irq_name_set(struct irq_name *to, struct span name)
{
	size_t n = min_t(size_t, name.n, IRQ_NAME_SIZE - 1);

	*to = (struct irq_name){ .s = "" };
	if (name.s)
		memcpy(to->s, name.s, n);
}

void softirq_names_read(struct softirq_names *names, const char *fmt)
{
	while (fmt && (fmt = strchr(fmt, '{'))) {
		char *end;
		u64 number = strtoull(++fmt, &end, 0);
		const char *name = span_starts(span_of(end), ", \"") ? end + 3 : NULL;
		const char *quote = name ? strchr(name, '"') : NULL;

		if (quote && number < SOFTIRQS_MAX)
			irq_name_set(&names->of[number], span_between(name, quote));
	}
}

struct irq_name softirq_name(const struct softirq_names *names, u32 number)
{
	struct irq_name name = { .s = "" };

	if (number < SOFTIRQS_MAX && names->of[number].s[0])
		return names->of[number];
	snprintf(name.s, sizeof(name.s), "%u", number);
	return name;
}

/* --- records --- */

static void trace(struct softirqs *s, u32 number, const struct pending *p,
		  const struct derive_record *r, u64 open)
{
	const struct irq_name name = softirq_name(&s->names, number);
	struct derive_comm comm;

	derive_comm_at(s->d, &events[0], derive_moment(r), p->pid, &comm);
	derive_trace(s->d, &events[0],
		     (u64[]){ (uintptr_t)name.s, r->ts > p->since ? r->ts - p->since : 0, p->raises,
			      r->cpu, (u64)p->pid, (uintptr_t)comm.s, open },
		     r, p->pid);
}

static void on_raise(struct softirq_cpu *c, u32 number, const struct derive_record *r)
{
	struct vector *v = &c->vectors[number];
	struct pending *p = v->taken ? &v->next : &v->now;

	if (!p->raises++) {
		p->doubted = c->holed;
		p->since = r->ts;
		p->pid = r->pid;
	}
}

/* The CPU runs a vector: one of those that it took, or the first of all that are pending now. */
static void take(struct softirq_cpu *c, u32 number)
{
	const bool again = !c->vectors[number].taken;

	for (u32 i = 0; i < SOFTIRQS_MAX; i++) {
		struct vector *v = &c->vectors[i];

		if (v->taken && (again || i < number)) {
			/* it was raised after the others were taken: all is for its next run */
			v->now.raises += v->next.raises;
			v->next.raises = 0;
			v->taken = false;
		}
		if (again)
			v->taken = i >= number && v->now.raises;
	}
	c->holed = false;
}

static void on_entry(struct softirqs *s, struct softirq_cpu *c, u32 number,
		     const struct derive_record *r)
{
	struct vector *v = &c->vectors[number];
	const struct pending unknown = { .since = derive_begin_of(s->d, r->cpu), .pid = r->pid };

	take(c, number);
	if (v->now.raises && v->now.doubted && !derive_opens(s->d))
		derive_left_out(s->d, v->now.since, r->ts);
	else if (v->now.raises)
		trace(s, number, &v->now, r, derive_open_word(v->now.doubted, false));
	else if (derive_opens(s->d) && !v->ran)
		trace(s, number, &unknown, r, derive_open_word(true, false));
	else
		derive_inconsistent(s->d);
	*v = (struct vector){ .now = v->next, .ran = true };
}

static void softirqs_hit(void *state, const struct derive_record *r)
{
	static const struct softirq_cpu none;
	struct softirqs *s = state;
	u32 number = (u32)r->n[0];

	while (s->cpus.n <= r->cpu && r->cpu < IRQ_CPUS_MAX)
		if (array_push(&s->cpus, none)) {
			derive_fail(s->d);
			return;
		}
	if (r->cpu >= s->cpus.n || number >= SOFTIRQS_MAX)
		return;
	if (r->input == RAISE)
		on_raise(&s->cpus.v[r->cpu], number, r);
	else
		on_entry(s, &s->cpus.v[r->cpu], number, r);
}

/* --- start and end --- */

static void softirqs_end(void *state, const struct derive_record *last)
{
	struct softirqs *s = state;
	struct derive_record r = *last;

	for (u32 cpu = 0; cpu < s->cpus.n; cpu++) {
		struct softirq_cpu *c = &s->cpus.v[cpu];

		for (u32 i = 0; i < 2 * SOFTIRQS_MAX && derive_ends(last, cpu); i++) {
			const struct vector *v = &c->vectors[i / 2];
			const struct pending *p = i % 2 ? &v->next : &v->now;

			r.cpu = cpu;
			if (p->raises && derive_opens(s->d))
				trace(s, i / 2, p, &r, derive_open_word(false, true));
			else
				derive_spanned(s->d, p->raises != 0);
		}
		if (derive_ends(last, cpu))
			*c = (struct softirq_cpu){ .holed = true };
	}
}

static int softirqs_open(void *state, const char *const *print_fmts)
{
	struct softirqs *s = state;

	softirq_names_read(&s->names, print_fmts[ENTRY]);
	return 0;
}

static void softirqs_close(void *state)
{
	struct softirqs *s = state;

	array_release(&s->cpus);
}

const struct deriver derive_softirq = {
	DERIVER_OF(struct softirqs, events, inputs),
	.in_holes = true,
	.open = softirqs_open,
	.hit = softirqs_hit,
	.end = softirqs_end,
	.close = softirqs_close,
};
