// SPDX-License-Identifier: LGPL-2.1-only
/* The way from a record to the derivers that are used, and from there to a derived event. */
#include "derive/derive_state.h"
#include "derive/values.h"
#include "program/filter.h"
#include "program/tasks.h"
#include "run/run.h"

enum { FLAGS_AT = 2 };

/* What r->input is if r->in is NULL, and r->n[0] of it. */
enum mark {
	MARK_BEGIN, /* the time from which on all is known */
	MARK_LOST,
	MARK_ONLY, /* whose records there are */
};

/* Whether not all events of all tasks are traced as they are. */
static bool is_limited(const struct derive *d)
{
	return d->from || d->to < UINT64_MAX || d->cpus || d->only ||
	       d->tr->tracing->machine.cut_intervals;
}

void derive_limit(struct derive *d, u64 from, u64 to, const u64 *cpus, u32 nr_cpus)
{
	d->from = from;
	d->to = to;
	d->cpus = cpus;
	d->nr_cpus = nr_cpus;
	d->chooses = is_limited(d);
}

static void end_all(struct derive *d)
{
	/* those that use others are asked while these still know */
	for (size_t i = N_DERIVERS; i--;) {
		d->counts = d->used[i].wanted;
		if (d->used[i].state)
			derivers[i]->end(d->used[i].state, &d->last);
	}
}

static void derive_from_mark(struct derive *d, const struct derive_record *r)
{
	if (r->input == MARK_BEGIN)
		d->begin = r->n[0];
	else if (r->input == MARK_ONLY)
		d->only = (const struct task_set *)(uintptr_t)r->n[0];
	else
		end_all(d);
	d->chooses = is_limited(d);
}

void derive_from(struct derive *d, struct derive_batch *b)
{
	for (size_t at = 0; at < b->used;) {
		const struct derive_record *r = (struct derive_record *)(void *)(b->data + at);

		at += r->size;
		if (unlikely(!r->in)) {
			derive_from_mark(d, r);
			continue;
		}
		d->last.ts = r->ts;
		d->last.at = r->at;
		d->counts = r->in->of->wanted;
		r->in->hit(r->in->of->state, r);
	}
	if (unlikely(b->texts.failed))
		derive_fail(d);
	batch_clear(b);
}

static void add_mark(struct derive *d, enum mark mark, u64 n)
{
	struct derive_record *r = batch_next(d->batch);

	*r = (struct derive_record){ .input = (u8)mark, .n = { n } };
	batch_add(d->batch, r, sizeof(*r));
	if (d->batch == d->own)
		derive_from(d, d->batch);
}

void derive_hit(const struct derive_input *first, const struct hit *hit)
{
	struct derive *d = first->d;

	if (unlikely(d->lost))
		derive_start(d, hit->ts);
	for (struct derive_input *in = (struct derive_input *)first; in; in = in->next) {
		struct derive_record *r = batch_next(d->batch);

		if (unlikely(!in->any)) /* another thread reads this, too */
			in->any = true;
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
		if (likely(d->batch == d->own))
			derive_from(d, d->batch);
	}
}

void derive_start(struct derive *d, u64 first)
{
	d->lost = false;
	add_mark(d, MARK_BEGIN, first);
}

void derive_only(struct derive *d, const struct task_set *only)
{
	add_mark(d, MARK_ONLY, (uintptr_t)only);
}

void derive_lost(struct derive *d)
{
	d->lost = true;
	add_mark(d, MARK_LOST, 0);
}

void derive_end(struct derive *d, u64 last)
{
	d->last.ts = max_t(u64, d->last.ts, last);
	d->last.at = UINT64_MAX;
	d->ends = true;
	end_all(d);
}

/* --- batches --- */

void derive_collect(struct derive *d, struct derive_batch *b)
{
	d->batch = b ? b : d->own;
}

/* A record can begin after a loss, and be of another file. */
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
	return d->tr->tracing->machine.open_intervals;
}

u64 derive_begin(const struct derive *d)
{
	return d->begin;
}

const char *derive_event_name(const struct derive_record *r)
{
	return r->in->event;
}

u32 derive_definition(const struct derive_record *r)
{
	return r->in->definition;
}

static bool is_chosen(const struct derive *d, u32 cpu, u64 ts)
{
	return ts >= d->from && ts <= d->to &&
	       (!d->cpus || (cpu < d->nr_cpus && d->cpus[cpu / 64] >> (cpu % 64) & 1));
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
	if (d->tr->tracing->machine.cut_intervals && event->cuts) {
		memcpy(own, hit->rec, synth->n_fields * sizeof(*own));
		hit->rec = (const u8 *)own;
		if (!derive_cut(synth, d->from, d->to, own, &hit->ts))
			return false;
	} else if (d->from || d->to < UINT64_MAX) {
		u64 begin = derive_begin_of(synth, (const u64 *)(const void *)hit->rec, hit->ts);

		d->account.before += hit->ts >= d->from && hit->ts <= d->to && begin < d->from;
		d->account.after += hit->ts > d->to && begin <= d->to;
	}
	return is_chosen(d, hit->cpu, hit->ts);
}

void derive_trace_all(struct derive *d, const struct derived_event *event,
		      struct derive_values values, const struct derive_record *from, s32 task)
{
	const struct receiver *to =
		&d->used[event->of].receivers.v[event - derivers[event->of]->events];
	struct hit hit = { .file = to->file,
			   .rec = (const u8 *)values.v,
			   .cpu = from->cpu,
			   .pid = task,
			   .ts = from->ts,
			   .at = from->at,
			   .context = d->context };
	u64 own[SYNTH_FIELDS_MAX];

	if (!to->file)
		return;
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
		else
			derive_make_record(to->file, &one);
	}
}

void derive_trace(struct derive *d, const struct derived_event *event, const u64 *values,
		  const struct derive_record *from, s32 task)
{
	derive_trace_all(d, event, (struct derive_values){ values, 1 }, from, task);
}

void derive_comm_at(const struct derive *d, const struct derived_event *event,
		    struct derive_moment when, s32 task, struct derive_comm *comm)
{
	const struct hit hit = {
		.cpu = when.cpu, .pid = task, .ts = when.ts, .at = when.at, .context = d->context
	};
	const char *name;

	*comm = (struct derive_comm){ .s = "" };
	if (!d->used[event->of].receivers.v[event - derivers[event->of]->events].asks)
		return;
	name = d->context->comm(d->context->arg, &hit);
	memcpy(comm->s, name, strnlen(name, DERIVE_COMM_SIZE - 1));
}

void derive_spanned(struct derive *d, u64 n)
{
	if (!d->ends && !derive_opens(d) && d->counts)
		d->account.spanned += n;
}

void derive_inconsistent(struct derive *d)
{
	d->account.inconsistent += d->counts;
}

void derive_fail(struct derive *d)
{
	d->tr->tracing->failed = true;
}
