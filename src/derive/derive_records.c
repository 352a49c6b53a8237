// SPDX-License-Identifier: LGPL-2.1-only
/* The way from a record to the derivers that are used, and from there to a derived event. */
#include "derive/derive_state.h"
#include "derive/cgroup_freeze.h"
#include "derive/derive.h"
#include "derive/kept_state.h"
#include "derive/record_stack.h"
#include "derive/values.h"
#include "program/tasks.h"
#include "run/run.h"

enum { FLAGS_AT = 2, DERIVE_CPUS_MAX = 1 << 16 };

/* What r->input is if r->in is NULL, and r->n[0] of it. */
enum mark {
	MARK_BEGIN, /* the time from which on all is known */
	MARK_LOST,  /* it was not, before */
	MARK_EDGES, /* r->n[1] of them, at r->n[0] */
	MARK_ONLY,  /* whose records there are */
};

/* Whether not all events of all tasks are traced as they are. */
static bool is_limited(const struct derive *d)
{
	return d->from || d->to < UINT64_MAX || d->cpus || d->only ||
	       d->tr->tracing->options.cut_intervals;
}

void derive_limit(struct derive *d, u64 from, u64 to, const u64 *cpus, u32 nr_cpus)
{
	d->from = from;
	d->to = to;
	d->cpus = cpus;
	d->nr_cpus = nr_cpus;
	d->chooses = is_limited(d);
}

/* @all: those of derivers that cannot do without all CPUs */
static void end_at(struct derive *d, const struct derive_record *last, bool all)
{
	struct derive_record of_all = *last;

	of_all.cpu = DERIVE_ALL_CPUS;
	/* those that use others are asked while these still know */
	for (size_t i = N_DERIVERS; i--;) {
		d->counts = d->used[i].wanted;
		if (d->used[i].state && (all || derivers[i]->in_holes) &&
		    (!d->rehearses || derivers[i]->rehearse) &&
		    (!d->ends || d->rehearses || derive_opens(d) || derivers[i]->lasting))
			derivers[i]->end(d->used[i].state, derivers[i]->in_holes ? last : &of_all);
	}
}

/* NULL: out of memory, or no CPU has such a number */
static struct derive_cpu *derive_cpu(struct derive *d, u32 cpu)
{
	const struct derive_cpu new = { .since = d->start };

	while (d->whole.n <= cpu && cpu < DERIVE_CPUS_MAX)
		if (array_push(&d->whole, new)) {
			derive_fail(d);
			return NULL;
		}
	return cpu < d->whole.n ? &d->whole.v[cpu] : NULL;
}

static void on_edge(struct derive *d, const struct derive_edge *edge)
{
	struct derive_cpu *c = derive_cpu(d, edge->cpu);
	struct derive_record last = d->last;
	const u64 ts = max_t(u64, edge->ts, d->start);

	if (!c || c->hole == edge->begins)
		return;
	last.cpu = edge->cpu;
	last.ts = ts;
	if (edge->begins || d->n_holes == 1)
		end_at(d, &last, edge->begins && !d->n_holes);
	c->hole = edge->begins;
	c->since = ts;
	d->n_holes += edge->begins ? 1 : -1;
	d->begin = d->n_holes ? UINT64_MAX : ts;
	d->epoch += !d->n_holes;
}

static void derive_from_mark(struct derive *d, const struct derive_record *r)
{
	const struct derive_edge *edges = (const struct derive_edge *)(uintptr_t)r->n[0];
	struct derive_record last = d->last;

	last.cpu = DERIVE_ALL_CPUS;
	for (u64 i = 0; i < r->n[1]; i++)
		on_edge(d, &edges[i]);
	if (r->input == MARK_ONLY)
		d->only = (const struct task_set *)(uintptr_t)r->n[0];
	else if (r->input == MARK_LOST)
		end_at(d, &last, true);
	if (r->input == MARK_BEGIN || r->input == MARK_LOST) {
		d->begin = d->start = r->n[0];
		d->whole.n = d->n_holes = 0;
		d->first_switch = 0;
		d->epoch++;
	}
	d->chooses = is_limited(d);
}

static bool derive_takes(const struct derive *d, size_t deriver)
{
	return (!d->n_holes || derivers[deriver]->in_holes) &&
	       (!d->rehearses || derivers[deriver]->rehearse);
}

void derive_from(struct derive *d, struct derive_batch *b)
{
	for (size_t at = 0; at < b->used;) {
		const struct derive_record *r = (struct derive_record *)(void *)(b->data + at);
		const struct used *of; /* of this thread */

		at += r->size;
		if (unlikely(!r->in)) {
			derive_from_mark(d, r);
			continue;
		}
		d->last.ts = r->ts;
		d->last.at = r->at;
		of = &d->used[r->in->deriver];
		d->counts = of->wanted;
		if (unlikely(d->n_holes || d->rehearses) && !derive_takes(d, r->in->deriver))
			continue;
		r->in->hit(of->state, r);
	}
	if (unlikely(b->texts.failed))
		derive_fail(d);
	batch_clear(b);
}

static void add_mark(struct derive *d, enum mark mark, u64 n, u64 n_edges)
{
	struct derive_record *r = batch_next(d->batch);

	*r = (struct derive_record){ .input = (u8)mark, .n = { n, n_edges } };
	batch_add(d->batch, r, sizeof(*r));
	if (d->batch == d->own)
		derive_from(d, d->batch);
}

static bool is_in(u64 addr, const u64 *code)
{
	return addr >= code[0] && addr < code[1];
}

/*
 * kernel: task_work_run() calls throttle_cfs_rq_work(), which ends with a jump to the function that
 * releases a lock; there the task leaves the CPU, or else where task_work_run() lets others run.
 * A task that is about to end is not held back.
 */
static bool is_throttled(const struct derive *d, const struct hit_stacks *now)
{
	const size_t n = ARRAY_SIZE(d->works) - 1;

	for (size_t i = 1; i < now->n_kernel && d->wants_causes; i++)
		for (size_t k = 0; k < n; k++)
			if (is_in(now->kernel[i], d->tr->tracing->throttle_code) &&
			    is_in(now->kernel[i - 1], d->works[k]))
				return i + 1 == now->n_kernel ||
				       !is_in(now->kernel[i + 1], d->works[n]);
	return false;
}

/*
 * The address of the kernel stack of a record, the same for all that are equal; 0: it has none. As
 * in a variable of the kernel, its length is the first word; derive_stack_throttles() is the last.
 */
static u64 derive_read_stack(struct derive *d)
{
	struct hit_stacks now;
	u64 *stack, **known;
	size_t size;
	u32 hash;

	d->context->stacks(d->context->arg, &now);
	if (!now.n_kernel)
		return 0;
	size = now.n_kernel * sizeof(*now.kernel);
	hash = hash_bytes(0, (const char *)now.kernel, size);
	known = indexed_find(&d->stacks, hash, e,
			     **e == now.n_kernel && !memcmp(*e + 1, now.kernel, size));
	if (known)
		return (uintptr_t)*known;
	stack = arena_alloc(&d->arena, size + 3 * sizeof(*stack));
	if (!stack || !indexed_add(&d->stacks, hash, stack)) {
		derive_fail(d);
		return 0;
	}
	stack[0] = now.n_kernel;
	memcpy(stack + 1, now.kernel, size);
	stack[now.n_kernel + 2] = is_throttled(d, &now);
	return (uintptr_t)stack;
}

static inline __attribute__((always_inline)) void read_record(struct derive *d,
							      const struct derive_input *first,
							      const struct hit *hit)
{
	for (struct derive_input *in = (struct derive_input *)first; in; in = in->next) {
		struct derive_record *r = batch_next(d->batch);

		if (unlikely(!__atomic_load_n(&in->any, __ATOMIC_RELAXED)))
			__atomic_store_n(&in->any, true, __ATOMIC_RELAXED);
		if (in->edge && !filter_match(in->edge->filter, hit))
			continue;
		r->ts = hit->ts;
		r->at = hit->at;
		r->in = in;
		r->cpu = hit->cpu;
		r->pid = hit->pid;
		r->input = (u8)in->input;
		r->flags = hit->rec[FLAGS_AT];
		batch_add_fields(d->batch, &in->fields, hit, d->tr->tracing->machine.big_endian);
		if (unlikely(in->stacks))
			r->n[in->fields.n - 1] = derive_read_stack(d);
		if (likely(d->batch == d->own))
			derive_from(d, d->batch);
		else if (d->window)
			derive_window_note(d->window, r);
	}
}

void derive_hit(const struct derive_input *in, const struct hit *hit)
{
	read_record(in->d, in, hit);
}

void derive_read(struct derive *d, const struct derive_input *in, const struct hit *hit)
{
	read_record(d, in, hit);
}

void derive_start(struct derive *d, u64 first)
{
	add_mark(d, MARK_BEGIN, first, 0);
}

void derive_only(struct derive *d, const struct task_set *only)
{
	add_mark(d, MARK_ONLY, (uintptr_t)only, 0);
}

void derive_edges(struct derive *d, const struct derive_edge *edges, size_t n)
{
	const size_t size = n * sizeof(*edges);
	struct derive_edge *copy = arena_alloc(&d->batch->texts, size);

	if (!copy) {
		derive_fail(d);
		return;
	}
	memcpy(copy, edges, size);
	d->batch->texts_size += size;
	add_mark(d, MARK_EDGES, (uintptr_t)copy, n);
}

void derive_lost(struct derive *d, u64 ts)
{
	add_mark(d, MARK_LOST, ts, 0);
}

bool derive_lasts(const struct derive *d)
{
	return any_of(i, N_DERIVERS, d->used[i].wanted && derivers[i]->lasting);
}

void derive_end(struct derive *d, u64 last)
{
	d->last.ts = max_t(u64, d->last.ts, last);
	d->last.at = UINT64_MAX;
	d->last.cpu = DERIVE_ALL_CPUS;
	d->ends = true;
	end_at(d, &d->last, true);
}

/* --- batches --- */

void derive_collect(struct derive *d, struct derive_batch *b)
{
	d->batch = b ? b : d->own;
}

/* A record can be of another file, and come after edges of holes. */
size_t derive_batch_room(const struct derive *d)
{
	const size_t most = 3 * sizeof(struct derive_record) + d->n_chained * BATCH_RECORD_MAX;

	return (BATCH_SIZE - d->batch->used) / most;
}

/* --- for derivers --- */

bool derive_wants(const struct derive *d, const struct deriver *deriver, size_t i)
{
	return d->used[deriver->events->of].receivers.v[i].file;
}

/* Whether fields of the event that ask for this are read. */
static bool is_asked(const struct derive *d, const struct derived_event *event, int what)
{
	return derive_receiver(d, event)->asks & what;
}

bool derive_wants_uses(const struct derive *d, const struct deriver *deriver, size_t i)
{
	return derive_wants(d, deriver, i) && is_asked(d, &deriver->events[i], ASKS_REASON);
}

bool derive_wants_waker(const struct derive *d, const struct deriver *deriver, size_t i)
{
	return derive_wants(d, deriver, i) && is_asked(d, &deriver->events[i], ASKS_COMM);
}

bool derive_wants_stacks(const struct derive *d)
{
	return d->wants_stacks;
}

bool derive_wants_causes(const struct derive *d)
{
	return d->wants_causes;
}

void *derive_state(const struct derive *d, const struct deriver *deriver)
{
	return d->used[deriver->events->of].state;
}

const struct machine *derive_machine(const struct derive *d)
{
	return &d->tr->tracing->machine;
}

u32 derive_definitions(const struct derive *d)
{
	return (u32)d->tr->slices.n;
}

bool derive_is_filtered(const struct derive *d, u32 definition)
{
	return d->tr->slices.v[definition].edges[0].filter;
}

bool derive_has(const struct derive *d, s32 task)
{
	return !d->only || task_set_has(d->only, (u32)task);
}

bool derive_opens(const struct derive *d)
{
	return d->tr->tracing->options.open_intervals;
}

u64 derive_begin(const struct derive *d)
{
	return d->begin;
}

u32 derive_epoch(const struct derive *d)
{
	return d->epoch;
}

bool derive_rehearses(const struct derive *d)
{
	return d->rehearses;
}

bool derive_rehearse(struct derive *d, bool ends)
{
	bool any = false;

	if (ends)
		derive_end(d, 0);
	for (size_t i = 0; i < N_DERIVERS; i++)
		any |= d->used[i].state && derivers[i]->rehearse &&
		       derivers[i]->rehearse(d->used[i].state, ends);
	d->rehearses = any && !ends;
	if (ends) {
		d->account = (struct derive_account){ .spanned = 0 };
		d->last = (struct derive_record){ .ts = 0 };
		d->ends = false;
		d->epoch = 0;
	}
	return any;
}

u64 derive_begin_of(const struct derive *d, u32 cpu)
{
	return cpu < d->whole.n ? d->whole.v[cpu].since : d->start;
}

void derive_switched(struct derive *d, u32 cpu, u64 ts)
{
	struct derive_cpu *c = derive_cpu(d, cpu);

	d->first_switch = d->first_switch ?: ts;
	if (c)
		c->switched = ts;
}

bool derive_stayed(const struct derive *d, s32 task, u32 cpu, u64 since)
{
	if (since < derive_begin_of(d, cpu) || !task)
		return !task && since >= derive_begin_of(d, cpu);
	return d->first_switch && since >= d->first_switch &&
	       (cpu >= d->whole.n || since > d->whole.v[cpu].switched);
}

const char *derive_event_name(const struct derive_record *r)
{
	return r->in->event;
}

bool derive_is_text(const struct derive_record *r, size_t field)
{
	return r->in->fields.of[field] && is_text_field(r->in->fields.of[field]);
}

u32 derive_definition(const struct derive_record *r)
{
	return r->in->definition;
}

bool derive_in_span(const struct derive *d, u64 ts)
{
	return ts >= d->from && ts <= d->to;
}

static bool is_chosen(const struct derive *d, u32 cpu, u64 ts)
{
	return derive_in_span(d, ts) && (!d->cpus || (cpu < d->nr_cpus && bits_has(d->cpus, cpu)));
}

/* Whether an event is traced; hit->rec are its values, which are cut in @own. */
static __attribute__((noinline)) bool choose(struct derive *d, const struct derived_event *event,
					     struct hit *hit, u64 *own)
{
	const struct synth_event *synth = hit->file->synth;

	if (!derive_has(d, hit->pid)) {
		d->account.others += is_chosen(d, hit->cpu, hit->ts);
		return false;
	}
	if (d->tr->tracing->options.cut_intervals && event->cuts) {
		memcpy(own, hit->rec, synth->n_fields * sizeof(*own));
		hit->rec = (const u8 *)own;
		if (!derive_cut(synth, d->from, d->to, own, &hit->ts))
			return false;
	} else if (d->from || d->to < UINT64_MAX) {
		u64 begin =
			derive_values_begin(synth, (const u64 *)(const void *)hit->rec, hit->ts);

		d->account.before += hit->ts >= d->from && hit->ts <= d->to && begin < d->from;
		d->account.after += hit->ts > d->to && begin <= d->to;
	}
	return is_chosen(d, hit->cpu, hit->ts);
}

void derive_trace_all(struct derive *d, const struct derived_event *event,
		      struct derive_values values, const struct derive_record *from, s32 task)
{
	const struct receiver *to = derive_receiver(d, event);
	const struct values_reader *reader = d->tr->tracing->reader;
	struct hit hit = { .file = to->file,
			   .rec = (const u8 *)values.v,
			   .cpu = from->cpu,
			   .pid = task,
			   .ts = from->ts,
			   .at = from->at,
			   .part = d->part,
			   .context = d->context };
	u64 own[SYNTH_FIELDS_MAX];

	if (!to->file || d->rehearses || d->begins)
		return;
	for (size_t i = 0; i < values.n && unlikely(d->keep != NULL); i++)
		kept_events_trace(d->keep, to->kept, values.v + i * to->file->synth->n_fields, from,
				  task);
	hit.len = (u32)(to->file->synth->n_fields * sizeof(*values.v));
	if (likely(!d->chooses && to->fused)) {
		event_hit_values(to->fused, &hit, values.n);
		return;
	}
	for (; values.n; values.n--, hit.rec += hit.len) {
		struct hit one = hit;

		if (d->chooses && !choose(d, event, &one, own))
			continue;
		if (to->fused)
			event_hit_values(to->fused, &one, 1);
		else if (reader)
			reader->hit(reader->arg, &one);
		else
			derive_make_record(to->file, &one);
	}
}

void derive_trace(struct derive *d, const struct derived_event *event, const u64 *values,
		  const struct derive_record *from, s32 task)
{
	derive_trace_all(d, event, (struct derive_values){ values, 1 }, from, task);
}

/* What is traced now is not in the span of time. */
static bool is_left_out(const struct derive *d)
{
	return !derive_in_span(d, d->last.ts) && !d->keep && !d->tr->tracing->options.cut_intervals;
}

void derive_comm_at(const struct derive *d, const struct derived_event *event,
		    struct derive_moment when, s32 task, struct derive_comm *comm)
{
	const struct hit hit = {
		.cpu = when.cpu, .pid = task, .ts = when.ts, .at = when.at, .context = d->context
	};
	const char *name;

	*comm = (struct derive_comm){ .s = "" };
	if (d->rehearses || d->begins || !is_asked(d, event, ASKS_COMM) || is_left_out(d))
		return;
	name = d->context->comm(d->context->arg, &hit);
	memcpy(comm->s, name, strnlen(name, DERIVE_COMM_SIZE - 1));
}

bool derive_wants_cgroups(const struct derive *d, const struct derived_event *event)
{
	return !d->rehearses && d->context->who && is_asked(d, event, ASKS_CGROUP);
}

u64 derive_cgroup_at(const struct derive *d, struct derive_moment when, s32 task)
{
	const struct hit hit = {
		.cpu = when.cpu, .pid = task, .ts = when.ts, .at = when.at, .context = d->context
	};

	return d->context->who(d->context->arg, &hit, task, WHO_CGROUP);
}

bool derive_limits(const struct derive *d, s32 task)
{
	return d->context->limits(d->context->arg, task);
}

u64 derive_cgroup(const struct derive *d, u64 id)
{
	return d->context->cgroup(d->context->arg, id);
}

const char *derive_cgroup_path(const struct derive *d, u64 id, char number[CGROUP_NUMBER])
{
	const u64 cgroup = derive_cgroup(d, id);
	char unused[WHO_TEXT_MAX];

	snprintf(number, CGROUP_NUMBER, "cgroup %llu", (unsigned long long)id);
	return cgroup == WHO_UNKNOWN || !d->context->texts
		       ? number
		       : who_text(d->context->texts, WHO_CGROUP, cgroup, unused);
}

void derive_spanned(struct derive *d, u64 n)
{
	if (!d->ends && !derive_opens(d) && d->counts && derive_in_span(d, d->last.ts))
		d->account.spanned += n;
}

void derive_left_out(struct derive *d, u64 since, u64 ts)
{
	if (d->ends || !d->counts || !derive_in_span(d, ts))
		return;
	d->account.spanned++;
	d->account.spanned_ns += ts > since ? ts - since : 0;
}

void derive_inconsistent(struct derive *d)
{
	d->account.inconsistent += d->counts && derive_in_span(d, d->last.ts);
}

void derive_fail(struct derive *d)
{
	d->tr->tracing->failed = true;
}
