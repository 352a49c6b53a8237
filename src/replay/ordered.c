// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Replays records in time order. A record is passed to the triggers of its event; this file
 * supplies the data that triggers need: the task's name at that time, the record's kernel stack,
 * the buffer.
 */
#include "replay/ordered.h"
#include "replay/packed.h"
#include "tracing/event_pid.h"

/* --- events traced by the program --- */

/* Whether an event is due before a record of time @ts. */
static inline bool traced_due(const struct traced_queue *q, u64 ts)
{
	const struct tracing *t = q->h->tracing;

	return q->next < t->traced.n && t->traced.v[q->next]->ts < ts;
}

static void traced_run_at(struct traced_queue *q, u64 ts)
{
	const struct replay_span *span = &q->h->span;
	const struct traced_event *te = q->h->tracing->traced.v[q->next++];

	if (ts >= span->from && ts <= span->to)
		traced_event_hit(te, ts, q->context);
}

static void traced_run(struct traced_queue *q, u64 ts)
{
	while (traced_due(q, ts))
		traced_run_at(q, q->h->tracing->traced.v[q->next]->ts);
}

int traced_run_rest(struct traced_queue *q)
{
	const struct tracing *t = q->h->tracing;
	struct recordings_times times;
	u64 end;
	int err;

	traced_run(q, TRACED_AT_END);
	if (q->next == t->traced.n)
		return 0;
	err = recordings_times(&q->h->recordings, q->h->buffer, &times);
	end = times.last;
	if (q->next)
		end = max_t(u64, end, t->traced.v[q->next - 1]->ts);
	end = min_t(u64, end, q->h->span.to);
	while (!err && q->next < t->traced.n)
		traced_run_at(q, end);
	return err;
}

/* --- what triggers need --- */

/* Nothing of a record that is being read: another thread may derive. */
static struct name_place place_of(const struct hit *hit)
{
	return (struct name_place){ hit->ts, hit->at };
}

static const char *source_comm(void *arg, const struct hit *hit)
{
	const struct ordered *o = arg;

	if (o->h->feed && o->h->feed->comm)
		return o->h->feed->comm(o->h->feed->arg, hit->pid);
	if (!o->names->built) /* this pass only looks for keys */
		return "";
	return names_at(o->names, hit->pid, hit->cpu, place_of(hit)).name;
}

static u64 source_who(void *arg, const struct hit *hit, s32 pid, enum who_what what)
{
	struct ordered *o = arg;

	return o->names ? names_who(o->names, &o->who, what, name_key(pid, hit->cpu), place_of(hit))
			: WHO_UNKNOWN;
}

static u64 source_cgroup(void *arg, u64 id)
{
	const struct ordered *o = arg;

	return o->names ? names_cgroup(o->names, id) : WHO_UNKNOWN;
}

static bool source_limits(void *arg, s32 pid)
{
	struct ordered *o = arg;

	return quotas_may_hold(&o->derived.quotas, o->h, pid);
}

/*
 * A record without a stack needs the record that ended the search, if stacks of others are events
 * of their own: between both there may be one of them.
 */
static void observe_stack(const struct ordered *o, bool found, bool traced)
{
	const struct replay_observer *observer = o->h->observer;

	if (!observer || !observer->stack)
		return;
	if (!found && !o->from->stream->table->stack_hits)
		o->from->stack.page = NO_STACK;
	observer->stack(observer->arg, o->from->stack.page, o->from->stack.offset, traced);
}

static size_t stack_of_record(void *arg, u64 *entries, size_t max)
{
	struct ordered *o = arg;
	/* an event traced by the program has no stack */
	bool cut = false;
	size_t n = o->from ? source_stack(o->from, o->rec, entries, max, &cut) : 0;

	o->hits->cut_stacks += cut;
	o->hits->cut_depth = cut ? (u32)max : o->hits->cut_depth;
	o->hits->no_stack += !n;
	if (o->from)
		observe_stack(o, n, false);
	return n;
}

static void stacks_of_record(void *arg, struct hit_stacks *stacks)
{
	struct ordered *o = arg;
	bool cut;

	stacks->n_kernel = stacks->n_user = 0;
	stacks->tgid = 0;
	if (!o->from)
		return;
	stacks->n_kernel = source_stack(o->from, o->rec, stacks->kernel, HIT_FRAMES_MAX, &cut);
	observe_stack(o, stacks->n_kernel, false);
	source_user_stack(o->from, o->rec, stacks);
	observe_stack(o, stacks->n_user, false);
}

static void loose_bytes(void *arg, const struct synth_event *se, u8 *rec, u32 len)
{
	struct ordered *o = arg;

	if (!o->from || !source_loose_bytes(o->from, o->rec, se, rec, len))
		o->hits->no_synth++;
	else
		observe_stack(o, true, false);
}

static void observe_recorded(void *arg, struct trace_array *tr, const struct hit *hit)
{
	const struct ordered *o = arg;

	o->h->observer->recorded(o->h->observer->arg, tr, hit);
}

static void observe_event(const struct ordered *o, const struct hit *hit, bool made)
{
	const struct replay_observer *observer = o->h->observer;
	struct replay_place place = { .made = made };

	if (o->from)
		place = (struct replay_place){ o->from->stream, made, o->from->iter.missed,
					       o->from->iter.missed_unknown };
	observer->event(observer->arg, &place, hit);
}

static int observe_made(void *arg, struct event_file *file UNUSED, const struct hit *hit)
{
	observe_event(arg, hit, true);
	return 0;
}

static void take_snapshot(void *arg UNUSED, struct trace_array *tr)
{
	array_buffer_snapshot(tr);
}

/*
 * The recorded stack of the current record: it is added to the buffer when the replay reaches it.
 */
static void record_stack(void *arg, const struct event_file *file, bool user)
{
	const struct trace_array *tr = file->tr;
	struct ordered *o = arg;
	int found = 0;

	if (!tr->array_buffer.recording || !tr->tracing_on)
		return;
	if (o->from)
		found = source_await_stack(o->from, o->rec, user ? USER_STACK : KERNEL_STACK,
					   stream_dispatch(o->from->stream, o->rec)->file != file);
	o->no_memory |= found < 0;
	if (user)
		o->hits->no_user_stack += !found;
	else
		o->hits->no_stack += !found;
	if (o->from)
		observe_stack(o, found > 0, true);
}

/* Add a stack to the buffer if its record expects it. */
static void copy_stack(struct ordered *o, const struct hit *hit)
{
	u64 place = source_place(o->from, o->rec);
	struct source *s = o->from;

	for (size_t i = 0; i < s->awaited.n; i++) {
		if (s->awaited.v[i] != place)
			continue;
		s->awaited.v[i] = s->awaited.v[--s->awaited.n];
		array_buffer_write(s->stream->tr, hit);
		return;
	}
}

/* --- one record --- */

/* A modifiable copy of the record; false if out of memory. */
static bool copy_record(struct ordered *o, struct hit *hit)
{
	strbuf_reset(&o->marker);
	strbuf_add(&o->marker, hit->rec, hit->len);
	o->no_memory |= o->marker.failed;
	if (!o->marker.failed)
		hit->rec = (const u8 *)o->marker.s;
	return !o->marker.failed;
}

/* kernel: triggers process the text written to trace_marker before a newline is added. */
static void cut_newline(struct ordered *o, struct hit *hit, u32 at)
{
	const u8 *nul;

	if (!copy_record(o, hit))
		return;
	nul = hit->len > at ? memchr(hit->rec + at, 0, hit->len - at) : NULL;
	if (nul && nul > hit->rec + at && nul[-1] == '\n')
		o->marker.s[nul - 1 - hit->rec] = '\0';
}

/* Pass a record of trace_printk() to the triggers, with its text. */
static void run_packed(struct ordered *o, const struct dispatch *d, const struct hit *hit)
{
	const struct replay_observer *observer = o->h->observer;
	struct hit seen;
	int err = packed_text_unpack(d->packed, hit, &o->marker, &seen);

	o->no_memory |= err < 0;
	if (!err && event_hit(d->event, &seen) && observer && observer->event)
		observe_event(o, &seen, true);
}

/*
 * Copy the record to the buffer, and pass it to the triggers, maybe a changed copy. Return: as
 * event_hit(), unless the observer got the copy
 */
static bool run_special(struct ordered *o, const struct dispatch *d, const struct hit *hit)
{
	const struct replay_observer *observer = o->h->observer;
	const struct stream *stream = o->from->stream;
	struct hit seen = *hit;

	if (d->stack)
		copy_stack(o, hit);
	else if (d->copied)
		array_buffer_write(stream->tr, hit);
	if (d->packed) {
		run_packed(o, d, hit);
	} else if (d->marker_at) {
		cut_newline(o, &seen, d->marker_at);
		if (trace_marker_hit(stream->tr, d->file, hit, &seen) && observer &&
		    observer->event)
			observe_event(o, &seen, true);
	} else if (d->renumbered && copy_record(o, &seen)) {
		store_u16(o->marker.s, (u16)d->file->format->id, stream->layout.big_endian);
		return event_hit(d->event, &seen);
	} else if (d->file && (d->file->triggers.n || d->file->state.enabled)) {
		return event_hit(d->event, hit);
	}
	return false;
}

static void ordered_observe(void (*notify)(void *, const struct observed *), struct ordered *o,
			    const struct dispatch *d, const struct hit *hit)
{
	const struct observed w = { .stream = o->from->stream,
				    .page = o->from->page,
				    .missed = o->from->iter.missed,
				    .missed_unknown = o->from->iter.missed_unknown,
				    .n_gaps = o->from->iter.n_gaps,
				    .rec = o->rec,
				    .dispatch = d,
				    .hit = hit };

	notify(o->h->observer->arg, &w);
}

/*
 * kernel: the lists change after sched_process_fork was traced, and before sched_process_free is.
 */
static void change_tasks(struct ordered *o, const struct task_change *change, const struct hit *hit,
			 bool traced)
{
	const struct stream *s = o->from->stream;
	const bool big = s->layout.big_endian;

	if (traced != !change->freed_at)
		return;
	if (change->freed_at)
		event_pid_freed(s->tr, load_pid(hit, change->freed_at, big));
	else
		o->no_memory |= event_pid_forked(s->tr, load_pid(hit, change->parent_at, big),
						 load_pid(hit, change->child_at, big)) != 0;
}

static inline void ordered_dispatch(struct ordered *o, struct dispatch *d, u64 at)
{
	const struct replay_observer *observer = o->h->observer;
	const struct stream *s = o->from->stream;
	const struct hit hit = { .file = d->file,
				 .rec = o->rec->data,
				 .len = o->rec->len,
				 .cpu = s->cpu,
				 .pid = stream_pid(s, o->rec),
				 .ts = o->rec->ts,
				 .at = at,
				 .context = &o->context };

	bool seen;

	if (unlikely(observer && observer->before))
		ordered_observe(observer->before, o, d, &hit);
	if (unlikely(d->change != NULL))
		change_tasks(o, d->change, &hit, false);
	if (d->hits && hit.ts >= o->h->span.from && hit.ts <= o->h->span.to &&
	    replay_span_has_cpu(&o->h->span, hit.cpu)) {
		d->count++;
		if (unlikely(d->guesses && o->names))
			o->hits->guessed_names +=
				names_guess_at(o->names, hit.pid, hit.cpu, place_of(&hit));
		seen = unlikely(d->special) ? run_special(o, d, &hit) : event_hit(d->event, &hit);
		if (unlikely(seen && observer && observer->event))
			observe_event(o, &hit, false);
	}
	if (unlikely(d->change != NULL))
		change_tasks(o, d->change, &hit, true);
	if (unlikely(d->derive != NULL))
		derived_hit(&o->derived, (size_t)(o->from - o->sources), o->from->stream, d->derive,
			    &hit);
	if (unlikely(observer && observer->after))
		ordered_observe(observer->after, o, d, &hit);
}

static void limit_plain(struct ordered *o)
{
	const struct hist *h = o->h;

	o->plain_from = h->window.on ? max_t(u64, h->span.from, h->window.from) : h->span.from;
	o->plain_to = h->timer ? min_t(u64, h->span.to, h->timer->end - 1) : h->span.to;
	if (h->window.on)
		o->plain_to = min_t(u64, o->plain_to, h->window.to);
}

/* Only derivers get it. */
static void rehearse_record(struct ordered *o, const struct ring_buffer_merged *m)
{
	const struct stream *s = o->sources[m->index].stream;
	const struct dispatch *d = stream_dispatch(s, o->rec);
	const struct hit hit = { .rec = o->rec->data,
				 .len = o->rec->len,
				 .cpu = s->cpu,
				 .pid = stream_pid(s, o->rec),
				 .ts = o->rec->ts,
				 .context = &o->context };

	if (d && d->derive && !dispatch_is_short(d, o->rec))
		derived_hit(&o->derived, m->index, s, d->derive, &hit);
}

/* @at: see struct hit */
static void replay_record(struct ordered *o, const struct ring_buffer_merged *m, u64 at)
{
	struct dispatch *d;

	o->rec = m->rec;
	if (unlikely(traced_due(&o->traced, o->rec->ts))) {
		o->from = NULL;
		traced_run(&o->traced, o->rec->ts);
	}
	o->from = &o->sources[m->index];
	d = stream_dispatch(o->from->stream, o->rec);
	if (unlikely(!d))
		return;
	if (unlikely(dispatch_is_short(d, o->rec)))
		o->accounts[m->index].short_records += d->hits || d->derive;
	else
		ordered_dispatch(o, d, at);
}

static void end_slice(struct ordered *o, u64 ts, struct stream_account lost)
{
	o->h->timer->passed(o->h->timer->arg, ts, lost.missed, lost.missed_unknown);
	limit_plain(o);
}

/* A record that this thread has read. */
static void replay_merged(struct ordered *o, const struct ring_buffer_merged *m)
{
	const struct replay_observer *observer = o->h->observer;
	const struct source *s = &o->sources[m->index];
	const bool placed = o->names || (observer && observer->event);

	if (unlikely(!replay_window_has(&o->h->window, m->rec->ts)))
		return;
	o->rec = m->rec;
	if (unlikely(o->rehearses)) {
		rehearse_record(o, m);
		return;
	}
	if (unlikely(o->h->timer && o->rec->ts >= o->h->timer->end))
		end_slice(o, o->rec->ts, sources_lost(o->sources, o->n_sources));
	replay_record(o, m, placed ? stream_at(s->stream, s->merged, o->rec) : 0);
}

void ordered_record(struct ordered *o, const struct ring_buffer_merged *m)
{
	if (unlikely(derived_any(&o->derived)))
		derived_watch(&o->derived);
	replay_merged(o, m);
}

enum plain { PLAIN_HIT, PLAIN_HIT_AHEAD, PLAIN_DERIVED };

/*
 * A little-endian record that only triggers use, or only derivers; false: replay_record() is
 * needed. If it was read ahead, @hit has its place.
 */
static inline __attribute__((always_inline)) bool replay_plain(struct ordered *o,
							       const struct ring_buffer_merged *m,
							       enum plain kind, struct hit *hit)
{
	const struct ring_buffer_record *rec = m->rec;
	struct source *s = &o->sources[m->index];
	const struct stream *stream = s->stream;
	const struct dispatch_table *table = stream->table;
	struct dispatch *d;
	u32 id;

	if (unlikely(stream->layout.big_endian || stream->names || rec->len < EVENT_HEADER_SIZE))
		return false;
	id = load_u16(rec->data, false);
	d = &table->by_id[id];
	if (unlikely(id >= table->n || !(kind == PLAIN_DERIVED ? d->derives : d->plain) ||
		     dispatch_is_short(d, rec) || rec->ts < o->plain_from || rec->ts > o->plain_to))
		return false;
	o->from = s;
	o->rec = rec;
	hit->file = d->file;
	hit->rec = rec->data;
	hit->len = rec->len;
	hit->cpu = stream->cpu;
	hit->pid = (s32)load_u32(rec->data + COMMON_PID_AT, false);
	hit->ts = rec->ts;
	if (unlikely(o->names != NULL) && kind != PLAIN_HIT_AHEAD)
		hit->at = stream_at(stream, s->merged, rec);
	if (kind == PLAIN_DERIVED) {
		derived_hit(&o->derived, m->index, stream, d->derive, hit);
	} else {
		d->count++;
		event_hit_quick(d->event, hit);
	}
	return true;
}

void ordered_records(struct ordered *o, const struct ring_buffer_merged *some, int n)
{
	const bool derives = derived_any(&o->derived);
	bool plain = !o->h->observer && !o->h->tracing->traced.n && !o->rehearses;
	struct hit hit = { .context = &o->context };

	if (unlikely(derives))
		derived_watch(&o->derived);
	for (int i = 0; i < n && derives; i++)
		if (!plain || !replay_plain(o, &some[i], PLAIN_DERIVED, &hit))
			replay_merged(o, &some[i]);
	for (int i = 0; i < n && !derives; i++)
		if (!plain || !replay_plain(o, &some[i], PLAIN_HIT, &hit))
			replay_merged(o, &some[i]);
}

void ordered_ahead(struct ordered *o, const struct read_record *recs, size_t n)
{
	const bool plain = !o->h->tracing->traced.n;
	struct hit hit = { .context = &o->context };

	for (size_t i = 0; i < n; i++) {
		const struct read_record *r = &recs[i];
		const struct ring_buffer_record rec = { .ts = r->ts,
							.data = r->data,
							.len = r->len };
		const struct ring_buffer_merged m = { &rec, r->source };

		hit.at = r->at;
		if (unlikely(!r->data))
			end_slice(o, r->ts,
				  (struct stream_account){ .missed = r->at,
							   .missed_unknown = r->len });
		else if (!plain || !replay_plain(o, &m, PLAIN_HIT_AHEAD, &hit))
			replay_record(o, &m, r->at);
	}
	o->rec = NULL;
}

/* --- start and end of a pass --- */

void ordered_open(struct ordered *o, struct source *sources, size_t n,
		  struct stream_account *accounts, struct hit_account *hits)
{
	o->sources = sources;
	o->n_sources = n;
	o->accounts = accounts;
	o->hits = hits;
	if (o->h->timer && !o->rehearses)
		o->h->timer->start(o->h->timer->arg);
	limit_plain(o);
	o->no_memory |= derived_any(&o->derived) && derived_start(&o->derived, sources, n) != 0;
}

void ordered_close(struct ordered *o)
{
	o->sources = o->from = NULL;
	o->n_sources = 0;
	o->hits = &o->h->account.hits;
}

void ordered_start(struct ordered *o)
{
	const struct replay_observer *observer = o->rehearses ? NULL : o->h->observer;

	for (size_t i = 0; i < o->n_sources && observer && observer->stream; i++)
		observer->stream(observer->arg, o->sources[i].stream);
	if (observer && observer->start)
		observer->start(observer->arg);
}

void ordered_init(struct ordered *o, struct hist *h)
{
	*o = (struct ordered){ .h = h, .marker = STRBUF_INIT, .hits = &h->account.hits };
	o->context = (struct hit_context){
		.arg = o,
		.comm = source_comm,
		.who = source_who,
		.cgroup = source_cgroup,
		.limits = source_limits,
		.stack = stack_of_record,
		.stacks = stacks_of_record,
		.loose_bytes = loose_bytes,
		.snapshot = take_snapshot,
		.record_stack = record_stack,
		.synthetic = h->observer && h->observer->event ? observe_made : NULL,
		.recorded = h->observer && h->observer->recorded ? observe_recorded : NULL,
	};
	o->traced = (struct traced_queue){ .h = h, .context = &o->context };
	tracing_needs(h->tracing, &o->needs);
	o->needs.who |= h->observer && h->observer->asks_who;
	o->needs.stack |= h->observer && h->observer->asks_stacks;
	o->needs.stack |= h->tracing->throttle_code[1] != 0;
	o->needs.comm |= o->needs.who || (h->observer && h->observer->asks_comm);
}

void ordered_release(struct ordered *o)
{
	derived_release(&o->derived);
	strbuf_release(&o->marker);
}
