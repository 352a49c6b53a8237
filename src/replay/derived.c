// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Passes records to derivers, and tells them of losses.
 *
 * A source knows of a gap in its records when it enters the sub-buffer after it, which may be
 * before the gap: only records that are used were passed on. From the last record before it to this
 * sub-buffer, the CPU may have had any events.
 */
#include "replay/begin.h"
#include "recording/recording.h"
#include "replay/derived.h"
#include "replay/replay.h"

int derived_init(struct derived *d, struct hist *h, const struct hit_context *context,
		 struct diags *diags)
{
	struct recordings_times times = { .last = 0 };
	bool lasts = false;
	int err = 0;

	if (h->tracing->options.open_intervals)
		err = recordings_times(&h->recordings, h->buffer, &d->times);
	d->window = h->window;
	if (d->window.on && !d->window.begins)
		d->times.first = d->window.from;
	if (d->window.on && !d->window.ends)
		d->times.last = d->window.to;
	err = err ?: recordings_find_only(&h->recordings);

	for (struct trace_array *tr = h->tracing->top; tr && !err; tr = tr->next) {
		struct derive *one;

		err = derive_new(tr, context, &one, diags);
		if (err || !one)
			continue;
		derive_start(one, d->times.first);
		derive_limit(one, h->span.from, h->span.to, h->span.cpus, h->span.nr_cpus);
		err = array_push(&d->all, one);
		if (err)
			derive_free(one);
		else
			err = array_push(&d->of, tr);
		lasts |= !err && derive_lasts(one);
	}
	if (!err && lasts && !h->tracing->options.open_intervals) {
		err = recordings_times(&h->recordings, h->buffer, &times);
		d->times.last = times.last;
	}
	return err;
}

int derived_find_stacks(struct hist *h)
{
	struct event_db *db = h->recordings.db;
	const struct event_format *format;
	struct event_symbol code;
	bool asked = false;
	int found;

	memset(h->tracing->throttle_code, 0, sizeof(h->tracing->throttle_code));
	for (const struct trace_array *tr = h->tracing->top; tr; tr = tr->next)
		for (const struct event_file *file = tr->files; file; file = file->next)
			asked |= file->synth && file->synth->asks_cgroups &&
				 (h->observer || file->triggers.n || file->state.enabled);
	if (!asked || h->feed || !event_db_find(db, "hist", "throttle_down", &format) ||
	    event_db_find(db, "ftrace", "kernel_stack", &format))
		return 0;
	found = recordings_begin_with(&h->recordings, h->buffer, format);
	/* kernel: since 6.18, a task is held back by a work that it does itself */
	if (found <= 0 || !event_symbol_find(db, span_of("throttle_cfs_rq_work"), &code) ||
	    !event_symbol_find(db, span_of("task_work_run"), &code))
		return found < 0 ? found : 0;
	h->tracing->throttle_code[0] = code.addr;
	h->tracing->throttle_code[1] = code.addr + code.size;
	return 0;
}

void derived_release(struct derived *d)
{
	for (size_t i = 0; i < d->all.n; i++)
		derive_free(d->all.v[i]);
	array_release(&d->all);
	array_release(&d->of);
	for (size_t i = 0; i < d->sources.n; i++)
		coverage_release(&d->sources.v[i].coverage);
	array_release(&d->sources);
	array_release(&d->edges);
	quotas_release(&d->quotas);
}

static struct derive *derive_of(const struct derived *d, const struct trace_array *tr)
{
	for (size_t i = 0; i < d->of.n; i++)
		if (d->of.v[i] == tr)
			return d->all.v[i];
	return NULL;
}

void derived_note(const struct derived *d, const struct recording *rec,
		  const struct trace_array *tr, struct dispatch_table *table)
{
	struct derive *derive = derive_of(d, tr);
	const struct event_format *format;
	const struct derive_input *in;
	size_t next = 0;

	while (derive && (in = derive_next_input(derive, &next, &format))) {
		u32 id = recording_event_id(rec, format);

		if (!id || id >= table->n)
			continue;
		table->by_id[id].derive = in;
		table->by_id[id].min_size = max_t(u32, table->by_id[id].min_size, format->min_size);
		table->by_id[id].sure_size =
			max_t(u32, table->by_id[id].sure_size, format->min_size);
	}
}

int derived_start(struct derived *d, struct source *sources, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < d->sources.n; i++)
		coverage_release(&d->sources.v[i].coverage);
	d->sources.n = 0;
	d->last = NULL;
	while (d->sources.n < n && !err)
		err = array_push(&d->sources, (struct derived_source){ .next = 0 });
	for (size_t i = 0; i < n && !err; i++) {
		const struct stream *s = d->sources.v[i].stream = sources[i].stream;

		if (s->feed)
			sources[i].iter.coverage = &d->sources.v[i].coverage;
		else
			err = recording_watch_coverage(&s->of, &sources[i].iter,
						       &d->sources.v[i].coverage);
		if (!err && d->window.on && !d->window.begins && s->n_pages && derive_of(d, s->tr))
			derive_await_cpu(derive_of(d, s->tr), s->cpu);
		/* its beginning is not that of the stream */
		sources[i].iter.late &= !d->window.on || !s->first;
	}
	derived_watch(d);
	return err;
}

void derived_watch(struct derived *d)
{
	d->next = UINT64_MAX;
	array_each(struct derived_source, s, &d->sources) {
		const struct coverage_hole *hole;
		u64 next;

		d->failed |= s->coverage.failed;
		if (likely(s->next == s->coverage.holes.n)) {
			s->next = s->coverage.holes.n = 0;
			continue;
		}
		hole = &s->coverage.holes.v[s->next];
		next = s->begun ? hole->to : min_t(u64, hole->from, hole->to - 1) + 1;
		if (next < d->next)
			d->next_of = s;
		d->next = min_t(u64, d->next, next);
	}
}

/* Pass on the edges of holes until @ts, to derivers of the instance in which they are. */
static void pass_edges(struct derived *d, u64 ts)
{
	int err = 0;

	d->edges.n = 0;
	while (ts >= d->next && d->next != UINT64_MAX && !err) {
		struct derived_source *s = d->next_of;
		const struct trace_array *tr = s->stream->tr;

		d->holed = true;
		err = array_push(&d->edges, ((struct derive_edge){ d->next - !s->begun,
								   s->stream->cpu, !s->begun }));
		s->next += s->begun;
		s->begun = !s->begun;
		derived_watch(d);
		if (ts >= d->next && d->next != UINT64_MAX && d->next_of->stream->tr == tr)
			continue;
		for (size_t i = 0; i < d->all.n; i++)
			if (d->of.v[i] == tr)
				derive_edges(d->all.v[i], d->edges.v, d->edges.n);
		d->edges.n = 0;
	}
	d->failed |= err != 0;
}

/* What happened between two files is unknown. */
static void pass_other_file(struct derived *d, u64 ts)
{
	array_each(struct derived_source, s, &d->sources) {
		/* of the other files, it begins again */
		if (s->stream->of.rec == d->last && s->begun)
			s->next++;
		s->begun = false;
	}
	for (size_t k = 0; k < d->all.n; k++)
		derive_lost(d->all.v[k], ts);
	derived_watch(d);
}

void derived_pass(struct derived *d, size_t i, const struct stream *s, u64 ts)
{
	if (i >= d->sources.n) /* out of memory: the replay fails */
		return;
	if (d->last && d->last != s->of.rec && !d->sources.v[i].started)
		pass_other_file(d, ts);
	d->sources.v[i].started = true;
	for (size_t k = 0; k < d->all.n && d->last != s->of.rec; k++)
		derive_only(d->all.v[k], s->of.rec->only);
	d->last = s->of.rec;
	pass_edges(d, ts);
}

bool derived_rehearse(struct derived *d, bool ends)
{
	bool any = false;

	for (size_t i = 0; i < d->all.n; i++) {
		any |= derive_rehearse(d->all.v[i], ends);
		if (ends)
			derive_start(d->all.v[i], d->times.first);
	}
	return any;
}

void derived_finish(struct derived *d)
{
	/* no record that is used may follow a hole */
	derived_watch(d);
	pass_edges(d, d->times.last);
	for (size_t i = 0; i < d->all.n; i++)
		derive_end(d->all.v[i], d->times.last);
}

/* A few are not from there in any recording: a thread that executes a program changes its pid. */
static bool is_filtered(const struct derive_account *sum)
{
	return sum->apart > 2 && sum->apart > sum->switches / 200;
}

/* What is to be known of the intervals and of what else they consist of. */
static void report_intervals(const struct derived *d, const struct hist *h,
			     const struct derive_account *sum, struct diags *diags)
{
	if (d->all.n && trace_clock_counts(h->tracing->machine.clock))
		diags_add(diags, DIAG_NOTE,
			  "the clock of the recording, %s, does not measure time: ns of derived "
			  "events are units of this clock",
			  h->tracing->machine.clock);
	if (d->window.on && sum->part)
		diags_add(
			diags, DIAG_NOTE,
			"%llu intervals of derived events that began before --from are counted whole, those "
			"that end after --to are not; --clip cuts them",
			(unsigned long long)sum->before);
	else if (sum->before || sum->after)
		diags_add(
			diags, DIAG_NOTE,
			"%llu intervals of derived events that began before --from are counted whole, %llu "
			"that ended after --to are not; --clip cuts them",
			(unsigned long long)sum->before, (unsigned long long)sum->after);
	if (sum->other_texts)
		diags_add(
			diags, DIAG_NOTE,
			"none of the %llu texts in trace_marker begins or ends a slice (B|PID|NAME, E); if "
			"others do: -e derived:slice --slice-begin 'ftrace:print if buf ~ \"TEXT*\"' "
			"--slice-end 'ftrace:print if buf ~ \"TEXT*\"' --by comm --sum ns",
			(unsigned long long)sum->other_texts);
	if (sum->never_idle)
		diags_add(
			diags, DIAG_NOTE,
			"derived:runqueue has nothing of %u CPU%s: how many tasks run or wait is known "
			"from the first time on at which a CPU becomes idle, and %s did not; derived:wait "
			"has the waits",
			sum->never_idle, plural(sum->never_idle),
			sum->never_idle == 1 ? "this one" : "these");
	if (sum->whole)
		diags_add(diags, DIAG_WARNING,
			  "--clip does not cut %s, whose numbers are of whole intervals",
			  sum->whole);
	if (sum->spanned)
		diags_add(diags, DIAG_WARNING,
			  sum->spanned == 1
				  ? "%llu interval was left out, because it spans lost events"
				  : "%llu intervals were left out, because they span lost events",
			  sum->spanned);
	if (sum->spanned_ns >= 1000)
		diags_add(diags, DIAG_NOTE,
			  "what spans lost events and was left out has %.6f s, as far as that is "
			  "known; hist list shows when events are missing",
			  (double)sum->spanned_ns / 1e9);
	if (sum->inconsistent)
		diags_add(
			diags, DIAG_NOTE,
			sum->inconsistent == 1
				? "%llu interval was left out, because its beginning or end was not recorded"
				: "%llu intervals were left out, because their beginning or end was not recorded",
			sum->inconsistent);
}

/* After which the CPU has no records, of those that were not passed on; NULL: there are. */
static const struct coverage_hole *damaged_end(const struct coverage *c)
{
	const struct coverage_hole *last = c->holes.n ? &c->holes.v[c->holes.n - 1] : NULL;

	return last && last->to == UINT64_MAX && last->reason == COVERAGE_DAMAGED ? last : NULL;
}

void derived_account(struct derived *d, struct hist *h, struct diags *diags)
{
	struct derive_account sum = { .spanned = 0 };
	const struct coverage_hole *end = NULL;
	u64 from, to;

	for (size_t i = 0; i < d->all.n; i++)
		derive_account(d->all.v[i], &sum);
	if (h->observer && h->observer->unasked)
		return;
	for (size_t i = 0; i < d->sources.n && !end; i++)
		end = damaged_end(&d->sources.v[i].coverage);
	if (end) {
		diags_add(diags, DIAG_WARNING,
			  "after %llu.%06llu s, only what one CPU shows is derived: the records of "
			  "another one end there, because the file is cut or damaged",
			  end->from / 1000000000, end->from % 1000000000 / 1000);
	} else if (sum.lacks) {
		h->doubtful = true;
		diags_add(diags, DIAG_WARNING, "%s needs %s, and there is none in the recording",
			  sum.of, sum.lacks);
	}
	/* what a smaller recording left out is not missing */
	if (replay_span_is_whole(&h->span) && slimmed_part(&h->recordings.files.v[0], &from, &to))
		sum.apart = sum.doubted_ns = sum.spanned = sum.spanned_ns = sum.inconsistent = 0;
	h->account.others = sum.others;
	h->account.held = sum.held;
	if (is_filtered(&sum)) {
		h->account.apart = sum.apart;
		diags_add(
			diags, DIAG_WARNING,
			"%llu of %llu sched:sched_switch are not from the task that the one before "
			"switched the CPU to, although no events are known to be lost: a filter or a "
			"pause left switches out, or the kernel did not trace them, and times of "
			"tasks may be too long",
			sum.apart, sum.switches);
	}
	for (size_t i = 0; i < sum.n_partial; i++)
		diags_add(diags, DIAG_NOTE,
			  "%s was not recorded, so what %s contains from it is unknown or 0",
			  sum.partial[i].lacks, sum.partial[i].of);
	if (sum.by_wakeup)
		diags_add(
			diags, DIAG_NOTE,
			"sched:sched_waking was not recorded: a task waits from sched:sched_wakeup "
			"on, so waits are shorter by the time that waking takes");
	if (sum.no_wakeups && !sum.lacks)
		diags_add(diags, DIAG_NOTE,
			  "sched:sched_waking was not recorded: sleeps, and waits after them, are "
			  "left out; only tasks that were preempted are known to wait");
	if (sum.bare_wakings)
		diags_add(
			diags, DIAG_NOTE,
			"%llu wakings have no flags, as in texts without them: whether an interrupt "
			"woke (in_irq) is unknown there and shown as 0, and waker_comm may be the "
			"task that it interrupted",
			sum.bare_wakings);
	quotas_report(&d->quotas, h, &sum, diags);
	if (sum.no_stacks)
		diags_add(
			diags, DIAG_NOTE,
			"no kernel stacks were recorded, so sleep_stack, waker_stack and wait_stack are "
			"empty: hist record -T");
	if (!h->span.own)
		report_intervals(d, h, &sum, diags);
}
