// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Runs the triggers of an event on a record, in list order.
 *
 * A change by a trigger (a pause, a variable, an event that it enables) takes effect for the
 * following triggers on the same record. Triggers that stop the recording, or record a stack, run
 * last.
 *
 * Corresponds to event_triggers_call(), event_triggers_post_call() in trace_events_trigger.c and to
 * __event_trigger_test_discard() in trace.h.
 */
#include "program/event_layout.h"
#include "run/run.h"
#include "tracing/event_pid.h"

/* --- triggers without histograms --- */

static bool count_down(struct trigger *t)
{
	if (!t->count)
		return false;
	if (t->count != COUNT_UNLIMITED)
		t->count--;
	return true;
}

/* Whether a trigger with a count acts now; the count decreases only then. */
static bool may_fire(struct trigger *t)
{
	bool on = t->file->tr->tracing_on;

	if (!t->counted)
		return true;
	switch (t->kind) {
	case TRIGGER_TRACEON:
		return !on && count_down(t);
	case TRIGGER_TRACEOFF:
		return on && count_down(t);
	case TRIGGER_ENABLE_EVENT:
		return t->count && t->target->state.soft_disabled && count_down(t);
	case TRIGGER_DISABLE_EVENT:
		return t->count && !t->target->state.soft_disabled && count_down(t);
	default:
		return count_down(t);
	}
}

static void trigger_set(struct tracing *t, bool *state, bool value)
{
	t->effects += *state != value;
	*state = value;
}

static void trigger_fire(struct trigger *t, const struct hit *hit)
{
	struct trace_array *tr = t->file->tr;

	if (!may_fire(t))
		return;
	tr->tracing->effects += t->counted || t->kind == TRIGGER_SNAPSHOT;
	switch (t->kind) {
	case TRIGGER_TRACEON:
	case TRIGGER_TRACEOFF:
		trigger_set(tr->tracing, &tr->tracing_on, t->kind == TRIGGER_TRACEON);
		break;
	case TRIGGER_ENABLE_EVENT:
	case TRIGGER_DISABLE_EVENT:
		trigger_set(tr->tracing, &t->target->state.soft_disabled,
			    t->kind == TRIGGER_DISABLE_EVENT);
		break;
	case TRIGGER_ENABLE_HIST:
	case TRIGGER_DISABLE_HIST:
		for (size_t i = 0; i < t->target->triggers.n; i++)
			if (t->target->triggers.v[i]->hist)
				trigger_set(tr->tracing, &t->target->triggers.v[i]->paused,
					    t->kind == TRIGGER_DISABLE_HIST);
		break;
	case TRIGGER_EPROBE:
		trace_eprobe(t, hit);
		break;
	case TRIGGER_SNAPSHOT:
		if (hit->context->snapshot)
			hit->context->snapshot(hit->context->arg, tr);
		break;
	default:
		if (hit->context->record_stack)
			hit->context->record_stack(hit->context->arg, t->file, false);
		break;
	}
}

/* --- an event --- */

/* kernel: update_cond_flag(). Triggers wait for the record if one reads it or runs after it. */
static bool needs_record(const struct event_file *file)
{
	array_each_ptr(const struct trigger, t, &file->triggers)
		if (t->hist || t->filter || t->probe || trigger_is_post(t))
			return true;
	return false;
}

/* Whether the record is one of a selected task; the others are treated as not recorded. */
static inline bool is_selected(const struct event_file *file, const struct hit *hit)
{
	return filter_match(file->tasks, hit);
}

/* No trigger reads the record: the triggers run before the record exists. */
static bool hit_before_record(struct event_file *file, const struct hit *hit)
{
	bool recorded = file->state.enabled && !file->state.soft_disabled;
	struct array_entry entry;

	for (size_t i = 0; i < file->triggers.n; i++)
		trigger_fire(file->triggers.v[i], hit);
	if (!recorded || !is_selected(file, hit) ||
	    (event_pid_filters(file->tr) && event_pid_ignores(file, hit)))
		return false;
	array_buffer_reserve(&entry, file, hit);
	recorded = !file->state.soft_disabled && file->tr->tracing_on &&
		   filter_match(file->filter, hit);
	array_buffer_commit(&entry, file, hit, recorded);
	return recorded;
}

static bool hit_hist(const struct trigger *t, const struct hit *hit)
{
	struct hist_count *hc = hist_count_of(t->hist);
	struct hit moved;

	if (t->layout) {
		moved = layout_hit(t->layout, hit);
		hit = &moved;
	}
	return t->file->tr->tracing->plain ? hist_hit_plain(hc, hit) : hist_hit(hc, hit);
}

/*
 * Run the triggers that precede the completion of the record; returns whether others must run after
 * it.
 */
static bool call_triggers(struct event_file *file, const struct hit *hit)
{
	bool post = false;

	array_each_ptr(struct trigger, t, &file->triggers) {
		if (t->paused || (t->filter && !filter_match(t->filter, hit)))
			continue;
		if (t->hist)
			file->tr->tracing->effects += hit_hist(t, hit);
		else if (trigger_is_post(t))
			post = t->fires = true;
		else
			trigger_fire(t, hit);
	}
	return post;
}

static void call_post_triggers(struct event_file *file, const struct hit *hit)
{
	array_each_ptr(struct trigger, t, &file->triggers) {
		if (t->fires)
			trigger_fire(t, hit);
		t->fires = false;
	}
}

/* The general case. */
static __attribute__((noinline)) bool hit_file(const struct event_count *e, const struct hit *hit)
{
	struct event_file *file = e->file;
	bool recorded, on, post;
	struct array_entry entry;

	if (!e->needs_record)
		return hit_before_record(file, hit);
	if (!is_selected(file, hit) ||
	    (event_pid_filters(file->tr) && event_pid_ignores(file, hit)))
		return false;
	on = file->tr->tracing_on;
	array_buffer_reserve(&entry, file, hit);
	post = call_triggers(file, hit);
	on = entry.staged ? file->tr->tracing_on : on;
	recorded = on && file->state.enabled && !file->state.soft_disabled &&
		   filter_match(file->filter, hit);
	array_buffer_commit(&entry, file, hit, recorded);
	if (post)
		call_post_triggers(file, hit);
	return recorded;
}

static inline void run_only(const struct event_count *e, const struct hit *hit)
{
	const struct trigger *only = e->only;

	if (!only->paused && (!only->filter || filter_match(only->filter, hit)))
		hist_hit(e->only_hist, hit);
}

/* The same for one histogram without a buffer. */
static __attribute__((noinline)) bool hit_only(const struct event_count *e, const struct hit *hit)
{
	const struct event_file *file = e->file;
	bool on = file->tr->tracing_on;

	run_only(e, hit);
	return on && !file->state.soft_disabled && filter_match(file->filter, hit) &&
	       is_selected(file, hit);
}

bool event_hit(const struct event_count *e, const struct hit *hit)
{
	if (unlikely(!e->only))
		return hit_file(e, hit);
	if (e->file->state.enabled && !e->file->state.soft_disabled)
		return hit_only(e, hit);
	run_only(e, hit);
	return false;
}

void event_hit_quick(const struct event_count *e, const struct hit *hit)
{
	if (likely(e->alone && !e->only->paused))
		hist_hit(e->alone, hit);
	else
		event_hit(e, hit);
}

static void hit_fused(const struct fused_trace *fused, struct hit *hit, size_t n)
{
	const u8 *rec = hit->rec;

	if (unlikely(fused->reader->paused))
		return;
	if (likely(fused->recent && !fused->filter)) {
		hist_hit_values(fused, hit, n);
		return;
	}
	for (; n; n--, rec += hit->len) {
		hit->rec = rec;
		if (!filter_match(fused->filter, hit))
			continue;
		if (fused->recent)
			hist_hit_values(fused, hit, 1);
		else
			hist_hit_by(fused->count, &fused->program, hit);
	}
}

void event_hit_values(const struct fused_trace *fused, struct hit *hit, size_t n)
{
	const u8 *rec = hit->rec;

	for (; fused; fused = fused->next) {
		hit->rec = rec;
		hit_fused(fused, hit, n);
	}
}

bool trace_marker_hit(struct trace_array *tr, struct event_file *file, const struct hit *hit,
		      const struct hit *seen)
{
	struct array_entry entry = { .event = NULL };
	bool post;

	/* kernel: writing to trace_marker fails then */
	if (!tr->tracing_on || !(tr->trace_flags & TRACE_ITER_MARKERS))
		return false;
	if (!file || is_selected(file, hit))
		array_buffer_reserve_mark(&entry, tr, hit);
	post = file && call_triggers(file, seen);
	array_buffer_commit_mark(&entry, tr, hit);
	if (post)
		call_post_triggers(file, seen);
	return file && file->state.enabled && is_selected(file, hit) &&
	       filter_match(file->filter, seen);
}

/* --- start of a replay --- */

static void reset_trigger(struct trigger *t)
{
	if (t->target && (t->kind == TRIGGER_ENABLE_HIST || t->kind == TRIGGER_DISABLE_HIST))
		event_count_of(t->target)->switched_by = t;
	t->count = t->initial.count;
	t->paused = t->initial.paused;
}

/* Precompute the data that event_hit() needs for each record. */
static void event_prepare(struct event_file *file)
{
	struct trigger *first = file->triggers.n ? file->triggers.v[0] : NULL;
	const struct tracing *t = file->tr->tracing;
	struct event_count *e = event_count_of(file), **at;

	e->needs_record = needs_record(file);
	/*
	 * kernel: writes a synthetic event while the other one is being written, with preemption
	 * disabled by the buffer and by the trigger, and subtracts one for the tracepoint, which
	 * trace_marker does not have
	 */
	e->nested_preempt =
		(u8)((t->machine.quirks->hist_pads ? 3 : 2) - !event_file_can_enable(file));
	event_pid_prepare(file);
	/* its records change the buffer even if none stays in it */
	e->histograms = first && !array_buffer_sees(file) && !event_pid_filters(file->tr) &&
			!t->observed && !t->plain && (file->triggers.n == 1 || !file->tasks) &&
			all_of(i, file->triggers.n,
			       file->triggers.v[i]->hist && !file->triggers.v[i]->layout);
	if (e->histograms && file->triggers.n == 1) {
		e->only = first;
		e->only_hist = hist_count_of(first->hist);
		e->alone = first->filter ? NULL : e->only_hist;
	}
	if (!file->synth || !file->state.enabled)
		return;
	for (at = count_receivers(t, file->synth); *at; at = &(*at)->next_receiver)
		;
	*at = e;
}

/* After all that hist_fuse() depends on is known. */
static void fuse_traces(struct tracing *t)
{
	for (struct trace_array *tr = t->top; tr; tr = tr->next)
		for (struct event_file *file = tr->files; file; file = file->next)
			for (size_t i = 0; i < file->triggers.n; i++)
				if (file->triggers.v[i]->hist)
					t->failed |=
						!hist_fuse(hist_count_of(file->triggers.v[i]->hist),
							   &t->replay);
}

void tracing_reset(struct tracing *t)
{
	arena_release(&t->replay);
	count_free(t->count);
	t->count = count_new(t);
	t->failed |= !t->count;
	if (!t->count)
		return;
	for (struct trace_array *tr = t->top; tr; tr = tr->next) {
		for (struct event_file *file = tr->files; file; file = file->next)
			file->state = file->initial;
		t->failed |= array_buffer_start(tr, t->record) != 0;
		t->failed |= event_pid_start(tr) != 0;
		tr->tracing_on = tr->initially_on;
		if (tr->snapshot) {
			tr->snapshot->track_val = 0;
			tr->snapshot->updated = false;
		}
		for (struct event_file *file = tr->files; file; file = file->next) {
			event_prepare(file);
			for (size_t i = 0; i < file->triggers.n; i++)
				reset_trigger(file->triggers.v[i]);
		}
	}
	/* the first trigger with a name may have been removed from its event while others use it */
	for (size_t i = 0; i < t->triggers.n; i++)
		if (t->triggers.v[i] && !t->triggers.v[i]->listed)
			reset_trigger(t->triggers.v[i]);
	fuse_traces(t);
}

bool event_file_needs_stack(const struct event_file *file)
{
	array_each_ptr(const struct trigger, t, &file->triggers) {
		if ((t->filter && t->filter->needs_stacks) ||
		    (t->hist && hist_reads(t->hist) & DEPENDS_ON(STACK)))
			return true;
	}
	return false;
}

u8 event_asks(const struct event_file *file)
{
	const struct tracing *t = file->tr->tracing;
	const bool whole = t->observed || (t->record && file->state.enabled);
	const int asked = t->reads_stacks ? UINT8_MAX : ~ASKS_STACK;
	u8 asks = file->reads;

	if (!file->synth || !file->synth->derived)
		return 0;
	for (size_t i = 0; i < file->synth->n_fields && whole; i++)
		asks |= file->synth->fields[i].in_format->asks & asked;
	for (size_t i = 0; i < file->triggers.n; i++)
		if (file->triggers.v[i]->filter)
			asks |= file->triggers.v[i]->filter->reads;
	if (file->filter)
		asks |= file->filter->reads;
	if (asks & ASKS_COMM_OPEN && t->options.open_intervals)
		asks |= ASKS_COMM;
	return asks;
}

/* What derivers need for the fields that are read. */
static void file_asks(const struct event_file *file, struct run_needs *needs)
{
	const struct machine *m = &file->tr->tracing->machine;
	const struct event_format *unused;
	u8 asks;

	if (!file->triggers.n && !file->state.enabled)
		return;
	asks = event_asks(file);
	needs->comm |= asks & ASKS_COMM;
	needs->who |= asks & ASKS_CGROUP;
	needs->stack |= asks & ASKS_STACK;
	/* the events from which is known what holds a cgroup back */
	needs->who |= file->synth && file->synth->asks_cgroups &&
		      (!event_db_find(m->db, "hist", "throttle_down", &unused) ||
		       (m->journal && !event_db_find(m->db, "cgroup", "cgroup_freeze", &unused)));
}

static void file_needs(const struct event_file *file, struct run_needs *needs)
{
	needs->who |= (file->filter && file->filter->needs_who) ||
		      (file->tasks && file->tasks->needs_who);
	needs->comm |= file->filter && file->filter->needs_comm;
	needs->comm |= file->tasks && file->tasks->needs_comm;
	needs->stack |= event_file_needs_stack(file) ||
			(file->filter && file->filter->needs_stacks);
	needs->stack |= file->tr->tracing->record && file->state.enabled &&
			file->tr->trace_flags & (TRACE_ITER_STACKTRACE | TRACE_ITER_USERSTACKTRACE);
	array_each_ptr(const struct trigger, trigger, &file->triggers) {
		u32 reads;

		needs->stack |= file->tr->tracing->record && trigger->kind == TRIGGER_STACKTRACE;
		needs->comm |= trigger->filter && trigger->filter->needs_comm;
		needs->comm |= trigger->probe != NULL;
		needs->who |= (trigger->filter && trigger->filter->needs_who) ||
			      (trigger->hist && trigger->hist->asks_who);
		reads = trigger->hist ? hist_reads(trigger->hist) : 0;
		needs->comm |= reads & DEPENDS_NAMES;
		if (reads & DEPENDS_ON(SYNTH))
			needs->synth = file->synth->loose_bytes = true;
	}
}

void tracing_needs_itself(const struct tracing *t, struct run_needs *needs)
{
	*needs = (struct run_needs){ .comm = false };
	for (const struct trace_array *tr = t->top; tr; tr = tr->next) {
		for (size_t i = 0; i < 2 * tr->slices.n; i++) {
			const struct filter *filter = tr->slices.v[i / 2].edges[i % 2].filter;

			needs->comm |= filter && filter->needs_comm;
			needs->who |= filter && filter->needs_who;
			needs->stack |= filter && filter->needs_stacks;
		}
		for (const struct event_file *file = tr->files; file; file = file->next)
			file_needs(file, needs);
	}
	needs->comm |= needs->who;
}

void tracing_needs(const struct tracing *t, struct run_needs *needs)
{
	tracing_needs_itself(t, needs);
	for (const struct trace_array *tr = t->top; tr; tr = tr->next)
		for (const struct event_file *file = tr->files; file; file = file->next)
			file_asks(file, needs);
	needs->comm |= needs->who;
}
