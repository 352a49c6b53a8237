// SPDX-License-Identifier: LGPL-2.1-only
/* Which derivers are used, which records they need, and what they found out. */
#include <fnmatch.h>

#include "bind/bind.h"
#include "derive/derive_state.h"
#include "run/run.h"

/* --- which are used --- */

static struct receiver receiver_of(const struct derive *d, const char *name)
{
	struct event_file *file = event_file_known(d->tr, span_of("derived"), span_of(name));
	struct receiver to = { .file = NULL };

	if (!file || !file->synth || (!file->triggers.n && !file->state.enabled))
		return to;
	to.file = file;
	to.asks = event_asks(file);
	if (!d->context->synthetic && !d->tr->tracing->reader)
		to.fused = event_fuse(file, &d->tr->tracing->replay);
	return to;
}

static int find_receivers(struct derive *d, size_t i)
{
	int err = 0;

	for (size_t k = 0; k < derivers[i]->n_events && !err; k++) {
		struct receiver to = receiver_of(d, derivers[i]->events[k].name);

		err = array_push(&d->used[i].receivers, to);
		d->used[i].wanted |= to.file != NULL;
		d->wants_stacks |= to.file && to.asks & ASKS_STACK;
		d->wants_causes |= to.file && to.file->synth->asks_cgroups &&
				   d->tr->tracing->throttle_code[1];
	}
	return d->tr->tracing->replay.failed ? HIST_NOMEM : err;
}

/* What task_work_run() calls when it holds a task back; last, its caller at the end of a task. */
static void find_works(struct derive *d)
{
	static const char *const names[] = { "throttle_cfs_rq_work", "_raw_spin_unlock_irqrestore",
					     "__cond_resched", "do_exit" };
	struct event_symbol code;

	for (size_t i = 0; i < ARRAY_SIZE(d->works) && d->wants_causes; i++)
		if (event_symbol_find(d->tr->tracing->machine.db, span_of(names[i]), &code)) {
			d->works[i][0] = code.addr;
			d->works[i][1] = code.addr + code.size;
		}
}

/* Another deriver may read the same event. */
static void chain_input(struct derive *d, struct derive_input *in)
{
	for (size_t i = 0; i + 1 < d->inputs.n; i++) {
		struct derive_input *other = d->inputs.v[i];
		size_t n = 2;

		if (other->second || strcmp(other->event, in->event) != 0 ||
		    strcmp(other->system, in->system) != 0)
			continue;
		for (; other->next; n++)
			other = other->next;
		d->n_chained = max_t(size_t, d->n_chained, n);
		other->next = in;
		in->second = true;
		return;
	}
}

/* All that a deriver may assume of its values is checked here: which are texts, which numbers. */
static int add_fields(struct derive_input *in, const struct event_format *format,
		      const struct deriver_input *from, struct diags *diags)
{
	for (size_t i = 0; i < DERIVE_INPUT_FIELDS_MAX && from->fields[i]; i++) {
		const struct event_field *f =
			event_find_field(format, span_of(from->fields[i]), GENERICS_6_1);
		const bool text = from->texts >> i & 1;

		if (f && f->filter_type >= FILTER_COMM)
			f = NULL; /* of the kernel's filters, in no record */
		if (!f && !(from->perhaps >> i & 1))
			diags_add(
				diags, DIAG_NOTE,
				"%s:%s has no field %s here: what derived events have of it is 0 or "
				"empty",
				in->system, in->event, from->fields[i]);
		if (f && !(text ? is_text_field(f) : event_field_is_number(f)) &&
		    !(from->symbol && !strcmp(from->symbol, f->name) && is_text_field(f)))
			return diags_error(diags, -HIST_EFORMAT,
					   "the field %s of %s:%s is \"%s\" of %u bytes, and "
					   "derived:%s needs a %s there",
					   f->name, in->system, in->event, f->type, f->size,
					   derivers[in->deriver]->events->name,
					   text ? "text" : "number");
		input_fields_add(&in->fields, from->fields[i], f);
	}
	in->stacks = (from->stack && in->d->wants_stacks) ||
		     (from->stack_causes && in->d->wants_causes);
	if (in->stacks)
		input_fields_add(&in->fields, "stack", NULL);
	return 0;
}

static int add_input(struct derive *d, const struct derive_input *as, const char *event,
		     const char **print_fmt)
{
	const struct deriver_input *from = &derivers[as->deriver]->inputs[as->input];
	struct derive_input *in = arena_alloc(&d->arena, sizeof(*in));
	const struct event_format *format;
	int err;

	if (!in || array_push(&d->inputs, in))
		return HIST_NOMEM;
	*in = *as;
	if (!in->system)
		in->system = from->system;
	in->event = event;
	chain_input(d, in);
	err = event_db_find(d->tr->tracing->machine.db, in->system, event, &format);
	if (err)
		return err == HIST_NOMEM ? err : 0;
	*print_fmt = format->print_fmt;
	return add_fields(in, format, from, d->diags);
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
		err = add_inputs(d,
				 &(struct derive_input){ .d = d,
							 .deriver = i,
							 .input = k,
							 .of = &d->used[i],
							 .hit = derivers[i]->hit },
				 &fmts[k]);
	if (err)
		return err;
	d->used[i].state = calloc(1, derivers[i]->size);
	if (!d->used[i].state)
		return HIST_NOMEM;
	*(struct derive **)d->used[i].state = d;
	return derivers[i]->open ? derivers[i]->open(d->used[i].state, fmts) : 0;
}

/* Derivers with receivers, and those that they use. */
static int find_used(struct derive *d, bool *used)
{
	int err = 0;

	for (size_t i = 0; i < N_DERIVERS && !err; i++)
		err = find_receivers(d, i);
	find_works(d);
	for (size_t i = 0; i < N_DERIVERS && !err; i++)
		for (size_t e = 0; e < derivers[i]->n_events; e++) {
			const struct derived_event *event = &derivers[i]->events[e];
			const bool wants = derive_wants(d, derivers[i], e),
				   uses = event->asks_uses ? derive_wants_uses(d, derivers[i], e)
							   : wants;

			for (size_t k = 0; k < DERIVE_USES_MAX && event->uses[k]; k++)
				used[event->uses[k]->events->of] |= uses ||
								    (wants && event->uses[k]->rare);
		}
	return err;
}

int derive_new(struct trace_array *tr, const struct hit_context *context, struct derive **out,
	       struct diags *diags)
{
	struct derive *d = calloc(1, sizeof(*d));
	bool used[N_DERIVERS] = { false }, any = false;
	int err = d ? 0 : HIST_NOMEM;

	*out = NULL;
	if (!d)
		return err;
	*d = (struct derive){
		.tr = tr, .context = context, .diags = diags, .to = UINT64_MAX, .n_chained = 1
	};
	d->own = d->batch = derive_batch_new();
	err = d->own ? find_used(d, used) : HIST_NOMEM;
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

void derive_forget_parts(struct derive *of)
{
	for (size_t i = 0; i < of->parts.n; i++)
		derive_free(of->parts.v[i]);
	array_release(&of->parts);
}

void derive_free(struct derive *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < N_DERIVERS; i++) {
		if (d->used[i].state && derivers[i]->close)
			derivers[i]->close(d->used[i].state);
		free(d->used[i].state);
		array_release(&d->used[i].receivers);
	}
	derive_forget_parts(d);
	array_release(&d->inputs);
	indexed_release(&d->stacks);
	array_release(&d->whole);
	array_release(&d->awaited);
	arena_release(&d->arena);
	derive_batch_free(d->own);
	free(d);
}

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

/* --- account --- */

bool derive_has_records(const struct derive *d, size_t deriver, const char *full)
{
	array_each_ptr(const struct derive_input, in, &d->inputs) {
		const struct deriver_input *from = &derivers[in->deriver]->inputs[in->input];

		if (in->deriver == deriver && in->any && from->full &&
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
		if (d->inputs.v[i]->edge && !d->inputs.v[i]->any)
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
		if (input->needed && !derive_has_records(d, deriver, input->full))
			return input->full;
	}
	return NULL;
}

static void account_event(const struct derive *d, size_t deriver, const struct derived_event *event,
			  struct derive_account *sum)
{
	const char *lacks = lacking(d, deriver);

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

/* An event that is not cut, although it should be. */
static void account_whole(const struct derive *d, struct derive_account *sum)
{
	for (size_t i = 0; i < N_DERIVERS; i++)
		for (size_t k = 0; k < d->used[i].receivers.n; k++)
			if (d->used[i].receivers.v[k].file && !derivers[i]->events[k].cuts &&
			    d->tr->tracing->options.cut_intervals)
				sum->whole = derivers[i]->events[k].full;
}

/* Whether an event of those that are traced has a length. */
static bool has_intervals(const struct derive *d)
{
	bool any = false;

	for (size_t i = 0; i < N_DERIVERS; i++)
		for (size_t k = 0; k < d->used[i].receivers.n; k++)
			any |= d->used[i].receivers.v[k].file &&
			       strstr(derivers[i]->events[k].definition, " ns;");
	return any;
}

/* What it left out. */
static void account_own(const struct derive *d, struct derive_account *sum)
{
	sum->spanned += d->account.spanned;
	sum->spanned_ns += d->account.spanned_ns;
	sum->inconsistent += d->account.inconsistent;
	sum->others += d->account.others;
	sum->before += d->account.before;
	sum->after += d->account.after;
}

void derive_account(const struct derive *d, struct derive_account *sum)
{
	if (d->kept)
		*sum = *d->kept;
	account_whole(d, sum);
	account_own(d, sum);
	for (size_t k = 0; k < d->parts.n; k++)
		account_own(d->parts.v[k], sum);
	sum->part |= !d->tr->tracing->options.open_intervals && has_intervals(d);
	if (d->kept)
		return;
	sum->of_span |= d->from || d->to < UINT64_MAX;
	sum->no_stacks |= d->wants_stacks && !d->stacks.n && !d->tr->tracing->reads_stacks;
	for (size_t i = 0; i < N_DERIVERS; i++) {
		for (size_t k = 0; k < derivers[i]->n_events && d->used[i].wanted; k++)
			if (d->used[i].receivers.v[k].file)
				account_event(d, i, &derivers[i]->events[k], sum);
		if (d->used[i].state && derivers[i]->account)
			derivers[i]->account(d->used[i].state, sum);
		for (size_t k = 0; k < d->parts.n && d->used[i].state && derivers[i]->account; k++)
			derivers[i]->account(d->parts.v[k]->used[i].state, sum);
		if (derivers[i] == &derive_sched && d->used[i].wanted &&
		    !derive_has_records(d, i, "sched:sched_waking"))
			*(derive_has_records(d, i, "sched:sched_wakeup") ? &sum->by_wakeup
									 : &sum->no_wakeups) = true;
	}
}
