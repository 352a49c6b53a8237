// SPDX-License-Identifier: LGPL-2.1-only
/* The way from a record to the derivers that are used, and from there to a derived event. */
#include <fnmatch.h>
#include <stdlib.h>

#include "bind/bind.h"
#include "count/count.h"
#include "derive/deriver.h"
#include "derive/input_fields.h"
#include "program/filter.h"
#include "program/synth_event.h"
#include "program/synth_record.h"
#include "program/tasks.h"
#include "run/run.h"

enum { RECORD_MAX = 4096, FLAGS_AT = 2 };

struct derive_input {
	struct derive *d;
	size_t deriver, input; /* indices */
	struct input_fields fields;
	const char *system, *event;
	const struct slice_edge
		*edge;             /* of the script's definition; NULL: the event is a deriver's */
	u32 definition;            /* see struct derive_record */
	u64 n;                     /* records */
	struct derive_input *next; /* another deriver reads the same event; NULL: none */
	bool second;               /* it is the ->next of one */
};

/* Who receives an event. */
struct receiver {
	struct event_file *file;         /* NULL: none */
	const struct fused_trace *fused; /* it only needs the values; NULL: it needs records */
};

/* A deriver that is used. */
struct used {
	void *state;                      /* NULL: it is not used */
	bool wanted;                      /* not only by other derivers */
	ARRAY(struct receiver) receivers; /* of its events */
};

struct derive {
	struct trace_array *tr;
	const struct hit_context *context;
	struct used used[N_DERIVERS];
	ARRAY(struct derive_input *) inputs;
	struct arena arena;
	u64 from, to;
	const u64 *cpus;
	u32 nr_cpus;
	u64 begin;  /* see derive_begin() */
	bool begun; /* it is known */
	bool ends;  /* there are no more records */
	struct derive_record last;
	bool counts; /* what the current deriver leaves out is left out */
	struct derive_account account;
	const struct task_set *only; /* see derive_only() */
};

/* --- which are used --- */

static struct receiver receiver_of(const struct derive *d, const char *name)
{
	struct event_file *file = event_file_known(d->tr, span_of("derived"), span_of(name));

	if (!file || !file->synth || (!file->triggers.n && !file->state.enabled))
		return (struct receiver){ .file = NULL };
	return (struct receiver){ file, d->context->synthetic
						? NULL
						: event_fuse(file, &d->tr->tracing->replay) };
}

static int find_receivers(struct derive *d, size_t i)
{
	int err = 0;

	for (size_t k = 0; k < derivers[i]->n_events && !err; k++) {
		struct receiver to = receiver_of(d, derivers[i]->events[k].name);

		err = array_push(&d->used[i].receivers, to);
		d->used[i].wanted |= to.file != NULL;
	}
	return d->tr->tracing->replay.failed ? HIST_NOMEM : err;
}

/* Another deriver may read the same event. */
static void chain_input(struct derive *d, struct derive_input *in)
{
	for (size_t i = 0; i + 1 < d->inputs.n; i++) {
		struct derive_input *other = d->inputs.v[i];

		if (other->second || strcmp(other->event, in->event) != 0 ||
		    strcmp(other->system, in->system) != 0)
			continue;
		while (other->next)
			other = other->next;
		other->next = in;
		in->second = true;
		return;
	}
}

static int add_input(struct derive *d, const struct derive_input *as, const char *event,
		     const char **print_fmt)
{
	const struct deriver_input *from = &derivers[as->deriver]->inputs[as->input];
	struct derive_input *in = arena_alloc(&d->arena, sizeof(*in));
	const struct event_format *format;

	if (!in || array_push(&d->inputs, in))
		return HIST_NOMEM;
	*in = *as;
	if (!in->system)
		in->system = from->system;
	in->event = event;
	chain_input(d, in);
	if (event_db_find(d->tr->tracing->machine.db, in->system, event, &format))
		return 0;
	*print_fmt = format->print_fmt;
	for (size_t i = 0; i < DERIVE_INPUT_FIELDS_MAX && from->fields[i]; i++)
		input_fields_add(&in->fields,
				 event_find_field(format, span_of(from->fields[i]), GENERICS_6_1));
	return 0;
}

/* Those with which the script defined slices. */
static int add_defined(struct derive *d, const struct derive_input *as, bool ends)
{
	const char *unused = NULL;
	int err = 0;

	for (size_t i = 0; i < d->tr->slices.n && !err; i++) {
		const struct slice_edge *edge = &d->tr->slices.v[i].edges[ends];
		struct derive_input in = *as;

		in.definition = (u32)i;
		in.edge = edge;
		if (edge->file) {
			in.system = edge->file->system;
			err = add_input(d, &in, edge->file->name, &unused);
		}
	}
	return err;
}

/* All events that match its name. */
static int add_inputs(struct derive *d, const struct derive_input *as, const char **print_fmt)
{
	const struct deriver_input *from = &derivers[as->deriver]->inputs[as->input];
	const struct event_text *texts;
	size_t n;
	int err = 0;

	if (from->use == DERIVER_BEGINS || from->use == DERIVER_ENDS)
		return add_defined(d, as, from->use == DERIVER_ENDS);
	if (from->use == DERIVER_UNDEFINED && d->tr->slices.n)
		return 0;
	if (!strchr(from->event, '*'))
		return add_input(d, as, from->event, print_fmt);
	texts = event_db_texts(d->tr->tracing->machine.db, &n);
	for (size_t i = 0; i < n && !err; i++) {
		struct span name = texts[i].name;
		char *event;

		if (strcmp(texts[i].system, from->system) != 0)
			continue;
		event = arena_strndup(&d->arena, name.s, name.n);
		if (!event)
			err = HIST_NOMEM;
		else if (!fnmatch(from->event, event, 0))
			err = add_input(d, as, event, print_fmt);
	}
	return err;
}

static int open_deriver(struct derive *d, size_t i)
{
	const char *fmts[DERIVE_INPUTS_MAX] = { NULL };
	int err = 0;

	for (size_t k = 0; k < derivers[i]->n_inputs && !err; k++)
		err = add_inputs(d, &(struct derive_input){ .d = d, .deriver = i, .input = k },
				 &fmts[k]);
	if (!err)
		d->used[i].state = derivers[i]->open(d, fmts);
	return d->used[i].state ? 0 : HIST_NOMEM;
}

/* Derivers with receivers, and those that they use. */
static int find_used(struct derive *d, bool *used)
{
	int err = 0;

	for (size_t i = 0; i < N_DERIVERS && !err; i++)
		err = find_receivers(d, i);
	for (size_t i = 0; i < N_DERIVERS && !err; i++)
		for (size_t e = 0; e < derivers[i]->n_events; e++)
			for (size_t k = 0; k < DERIVE_USES_MAX && d->used[i].receivers.v[e].file &&
					   derivers[i]->events[e].uses[k];
			     k++)
				used[derivers[i]->events[e].uses[k]->events->of] = true;
	return err;
}

int derive_new(struct trace_array *tr, const struct hit_context *context, struct derive **out)
{
	struct derive *d = calloc(1, sizeof(*d));
	bool used[N_DERIVERS] = { false }, any = false;
	int err = d ? 0 : HIST_NOMEM;

	*out = NULL;
	if (!d)
		return err;
	*d = (struct derive){ .tr = tr, .context = context, .to = UINT64_MAX };
	err = find_used(d, used);
	for (size_t i = 0; i < N_DERIVERS && !err; i++) {
		used[i] |= d->used[i].wanted;
		if (used[i])
			err = open_deriver(d, i);
		any |= used[i];
	}
	if (!err && any)
		*out = d;
	else
		derive_free(d);
	return err;
}

void derive_free(struct derive *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < N_DERIVERS; i++) {
		if (d->used[i].state)
			derivers[i]->close(d->used[i].state);
		array_release(&d->used[i].receivers);
	}
	array_release(&d->inputs);
	arena_release(&d->arena);
	free(d);
}

void derive_start(struct derive *d, u64 first)
{
	d->begin = first;
	d->begun = true;
}

void derive_only(struct derive *d, const struct task_set *only)
{
	d->only = only;
}

void derive_limit(struct derive *d, u64 from, u64 to, const u64 *cpus, u32 nr_cpus)
{
	d->from = from;
	d->to = to;
	d->cpus = cpus;
	d->nr_cpus = nr_cpus;
}

/* --- records --- */

const struct derive_input *derive_next_input(struct derive *d, size_t *i,
					     const struct event_format **format)
{
	while (*i < d->inputs.n) {
		const struct derive_input *in = d->inputs.v[(*i)++];

		if (!in->second &&
		    !event_db_find(d->tr->tracing->machine.db, in->system, in->event, format))
			return in;
	}
	return NULL;
}

void derive_hit(const struct derive_input *first, const struct hit *hit)
{
	struct derive *d = first->d;
	const bool big = d->tr->tracing->machine.big_endian;
	struct derive_record *r = &d->last;

	if (unlikely(!d->begun))
		derive_start(d, hit->ts);
	/* input_fields_read() sets the rest: to clear all of it takes as long as to read a record
	 */
	r->ts = hit->ts;
	r->at = hit->at;
	r->cpu = hit->cpu;
	r->pid = hit->pid;
	r->flags = hit->rec[FLAGS_AT];
	for (struct derive_input *in = (struct derive_input *)first; in; in = in->next) {
		in->n++;
		if (in->edge && !filter_match(in->edge->filter, hit))
			continue;
		r->input = in->input;
		r->definition = in->definition;
		r->event = in->event;
		input_fields_read(&in->fields, hit, big, r);
		d->counts = d->used[in->deriver].wanted;
		derivers[in->deriver]->hit(d->used[in->deriver].state, r);
	}
}

static void end_all(struct derive *d)
{
	/* those that use others are asked while these still know */
	for (size_t i = N_DERIVERS; i--;) {
		d->counts = d->used[i].wanted;
		if (d->used[i].state)
			derivers[i]->end(d->used[i].state, &d->last);
	}
	d->begun = false;
}

void derive_lost(struct derive *d)
{
	end_all(d);
}

void derive_end(struct derive *d, u64 last)
{
	d->last.ts = max_t(u64, d->last.ts, last);
	d->last.at = UINT64_MAX;
	d->ends = true;
	end_all(d);
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

u64 derive_open_word(bool start, bool end)
{
	static const _Alignas(8) char words[][8] = { "no", "start", "end", "both" };

	return (uintptr_t)words[start + 2 * end];
}

static bool is_chosen(const struct derive *d, const struct derive_record *r, u64 ts)
{
	return ts >= d->from && ts <= d->to &&
	       (!d->cpus || (r->cpu < d->nr_cpus && d->cpus[r->cpu / 64] >> (r->cpu % 64) & 1));
}

/* A field of a number; NULL: the event has none of this name. */
static u64 *number_of(const struct event_file *file, u64 *values, const char *name)
{
	for (size_t k = 0; k < file->synth->n_fields; k++)
		if (!strcmp(file->synth->fields[k].text.name, name))
			return &values[k];
	return NULL;
}

/*
 * Cut an interval to the span of time; false: it is not in it. The numbers that it has besides its
 * length are of all of it, so what the task did in a part is unknown.
 */
static bool cut(const struct derive *d, const struct event_file *file, u64 *values, u64 *ts)
{
	static const char *const parts[] = { "running_ns", "waiting_ns", "sleeping_ns", "irq_ns",
					     "other_idle_ns" };
	u64 *ns = number_of(file, values, "ns"), *unknown = number_of(file, values, "unknown_ns");
	const u64 begin = *ts > *ns ? *ts - *ns : 0, end = min_t(u64, *ts, d->to);

	if (begin > d->to || (*ns ? *ts <= d->from : *ts < d->from))
		return false;
	*ts = end;
	if (begin >= d->from && end - begin == *ns)
		return true;
	*ns = end - max_t(u64, begin, d->from);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		u64 *part = number_of(file, values, parts[i]);

		if (part)
			*part = 0;
	}
	if (unknown)
		*unknown = *ns;
	return true;
}

/* What is counted although it began before the span, and what is not because it ended after it. */
static void count_cuts(struct derive *d, const struct event_file *file, const u64 *values, u64 ts)
{
	const u64 *ns = number_of(file, (u64 *)values, "ns");
	const u64 begin = ns && ts > *ns ? ts - *ns : ts;

	d->account.before += ts >= d->from && ts <= d->to && begin < d->from;
	d->account.after += ts > d->to && begin <= d->to;
}

static void trace_record(const struct derive *d, struct event_file *file, struct hit *hit,
			 const u64 *values)
{
	const struct machine *machine = &d->tr->tracing->machine;
	u8 rec[RECORD_MAX], common[SYNTH_COMMON_SIZE] = { 0 };
	struct synth_record r = { .event = file->synth,
				  .machine = machine,
				  .text_max = STR_VAR_LEN_MAX,
				  .stack_max = rules_stack_depth(machine->quirks),
				  .rec = rec };

	store_u32(common + 2, (u32)hit->pid, machine->big_endian);
	synth_record_start(&r, common);
	for (size_t k = 0; k < file->synth->n_fields; k++)
		synth_record_put(&r, &file->synth->fields[k], values[k]);
	hit->rec = rec;
	hit->len = r.len;
	if (event_hit(event_count_of(file), hit) && d->context->synthetic)
		d->context->synthetic(d->context->arg, file, hit);
}

void derive_trace(struct derive *d, const struct derived_event *event, const u64 *values,
		  const struct derive_record *from, s32 task)
{
	const struct receiver *to =
		&d->used[event->of].receivers.v[event - derivers[event->of]->events];
	u64 own[SYNTH_FIELDS_MAX];
	struct hit hit = { .file = to->file,
			   .cpu = from->cpu,
			   .pid = task,
			   .ts = from->ts,
			   .at = from->at,
			   .context = d->context };

	if (!to->file)
		return;
	if (!derive_has(d, task)) {
		d->account.others += is_chosen(d, from, from->ts);
		return;
	}
	if (d->tr->tracing->machine.cut_intervals && event->cuts) {
		memcpy(own, values, to->file->synth->n_fields * sizeof(*own));
		if (!cut(d, to->file, own, &hit.ts))
			return;
		values = own;
	} else if (d->from || d->to < UINT64_MAX) {
		count_cuts(d, to->file, values, from->ts);
	}
	if (!is_chosen(d, from, hit.ts))
		return;
	if (to->fused) {
		hit.rec = (const u8 *)values;
		hit.len = (u32)(to->file->synth->n_fields * sizeof(*values));
		event_hit_values(to->fused, &hit);
	} else {
		trace_record(d, to->file, &hit, values);
	}
}

void derive_comm_at(const struct derive *d, const struct derive_record *r, s32 task,
		    struct derive_comm *comm)
{
	const struct hit hit = {
		.cpu = r->cpu, .pid = task, .ts = r->ts, .at = r->at, .context = d->context
	};
	const char *name = d->context->comm(d->context->arg, &hit);

	*comm = (struct derive_comm){ .s = "" };
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

/* --- account --- */

static bool deriver_has_records(const struct derive *d, size_t deriver, const char *full)
{
	for (size_t i = 0; i < d->inputs.n; i++) {
		const struct derive_input *in = d->inputs.v[i];
		const struct deriver_input *from = &derivers[in->deriver]->inputs[in->input];

		if (in->deriver == deriver && in->n && from->full &&
		    (!strcmp(from->full, full) || (from->instead && !strcmp(from->instead, full))))
			return true;
	}
	return false;
}

/* Such an event with which the script defined slices. */
static const char *lacking_defined(const struct derive *d)
{
	if (!d->tr->slices.v[d->tr->slices.n - 1].edges[1].file)
		return "an event in events/derived/slice/end";
	for (size_t i = 0; i < d->inputs.n; i++)
		if (d->inputs.v[i]->edge && !d->inputs.v[i]->n)
			return d->inputs.v[i]->edge->event;
	return NULL;
}

/* A needed event of the deriver that has no records; NULL: none. */
static const char *lacking(const struct derive *d, size_t deriver)
{
	for (size_t i = 0; i < derivers[deriver]->n_inputs; i++) {
		const struct deriver_input *input = &derivers[deriver]->inputs[i];

		if (input->use == DERIVER_UNDEFINED && d->tr->slices.n)
			return lacking_defined(d);
		if (input->needed && !deriver_has_records(d, deriver, input->full))
			return input->full;
	}
	return NULL;
}

static void account_event(const struct derive *d, size_t deriver, const struct derived_event *event,
			  struct derive_account *sum)
{
	const char *lacks = lacking(d, deriver);

	if (!event->cuts && d->tr->tracing->machine.cut_intervals)
		sum->whole = event->full;
	if (lacks) {
		sum->lacks = lacks;
		sum->of = event->full;
	}
	for (size_t i = 0; !lacks && !event->complete && i < DERIVE_USES_MAX && event->uses[i];
	     i++) {
		const char *unknown = lacking(d, event->uses[i]->events->of);

		if (unknown && sum->n_partial < ARRAY_SIZE(sum->partial))
			sum->partial[sum->n_partial++] =
				(struct derive_partial){ event->full, unknown };
	}
}

void derive_account(const struct derive *d, struct derive_account *sum)
{
	sum->spanned += d->account.spanned;
	sum->inconsistent += d->account.inconsistent;
	sum->others += d->account.others;
	sum->before += d->account.before;
	sum->after += d->account.after;
	for (size_t i = 0; i < N_DERIVERS; i++) {
		for (size_t k = 0; k < derivers[i]->n_events && d->used[i].wanted; k++)
			if (d->used[i].receivers.v[k].file)
				account_event(d, i, &derivers[i]->events[k], sum);
		if (d->used[i].state && derivers[i]->account)
			derivers[i]->account(d->used[i].state, sum);
		if (derivers[i] == &derive_sched && d->used[i].wanted &&
		    !deriver_has_records(d, i, "sched:sched_waking"))
			*(deriver_has_records(d, i, "sched:sched_wakeup")
				  ? &sum->by_wakeup
				  : &sum->no_wakeups) = true;
	}
}
