// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The iterator: a replay in steps, each of which yields some events.
 *
 * An event that triggers made of a record follows it, as in the kernel's buffer, where the record
 * was reserved before its triggers ran.
 */
#include "events/events.h"
#include "hist-columns.h"

/* Enough to make a step worth it. */
enum { STEP_ITEMS = 1 };

/* --- what the replay reports --- */

static void fail(struct hist_events *ev)
{
	ev->err = HIST_NOMEM;
}

static struct events_lost *lost_of_stream(struct hist_events *ev, const struct stream *stream)
{
	for (size_t i = 0; i < ev->n_lost; i++)
		if (ev->lost[i].stream == stream)
			return &ev->lost[i];
	return NULL;
}

/* The events that a stream has lost since its last event. */
static void note_lost(struct hist_events *ev, const struct replay_place *place,
		      struct events_item *item)
{
	struct events_lost *lost = lost_of_stream(ev, place->stream);

	if (!lost)
		return;
	item->lost = place->missed - lost->missed;
	item->lost_unknown = place->missed_unknown > lost->unknown;
	lost->missed = place->missed;
	lost->unknown = place->missed_unknown;
}

static void take_stream(void *arg, const struct stream *s)
{
	struct hist_events *ev = arg;
	struct events_lost *lost = realloc(ev->lost, (ev->n_lost + 1) * sizeof(*lost));

	if (!lost) {
		fail(ev);
		return;
	}
	ev->lost = lost;
	ev->lost[ev->n_lost++] = (struct events_lost){ .stream = s };
}

static void take_event(void *arg, const struct replay_place *place, const struct hit *hit)
{
	struct hist_events *ev = arg;
	const struct events_type *type = ev->by_serial[hit->file->serial];
	struct events_item item = { .type = type,
				    .rec = place->made ? NULL : hit->rec,
				    .made = ev->made.len,
				    .answers = ev->answers.n,
				    .len = hit->len,
				    .cpu = hit->cpu,
				    .ts = hit->ts,
				    .at = hit->at,
				    .pid = hit->pid,
				    .nested = hit->depth };
	size_t at = ev->items.n;

	if (!type)
		return;
	if (unlikely(place->missed || place->missed_unknown))
		note_lost(ev, place, &item);
	ev->context = hit->context;
	if (place->made)
		strbuf_add(&ev->made, hit->rec, hit->len);
	if (events_code_take(ev, type, hit) || array_push(&ev->items, item) || ev->made.failed) {
		fail(ev);
		return;
	}
	/* before those that it generated */
	for (; !item.nested && at > ev->first && ev->items.v[at - 1].nested; at--)
		ev->items.v[at] = ev->items.v[at - 1];
	ev->items.v[at] = item;
}

/* The events of one record follow. */
static void take_record(void *arg, const struct observed *w UNUSED)
{
	struct hist_events *ev = arg;

	ev->first = ev->items.n;
}

static bool has_enough(void *arg)
{
	const struct hist_events *ev = arg;

	return ev->items.n >= STEP_ITEMS || ev->err;
}

/* --- the iterator --- */

static void release(struct hist_events *ev)
{
	array_release(&ev->types);
	array_release(&ev->items);
	array_release(&ev->code);
	array_release(&ev->answers);
	strbuf_release(&ev->made);
	events_words_release(&ev->words);
	arena_release(&ev->arena);
	free(ev->lost);
	ev->h->observer = NULL;
	ev->h->span = ev->span;
	free(ev);
}

/* Limit the replay to what is in both spans. */
static int narrow(struct hist_events *ev, const struct hist_events_options *options)
{
	struct replay_span *span = &ev->h->span;
	const u32 nr = ev->h->recordings.machine.nr_cpus;
	u64 *cpus;

	span->from = max_t(u64, span->from, options->from);
	span->to = min_t(u64, span->to, options->to ? options->to : UINT64_MAX);
	if (!options->cpu)
		return 0;
	cpus = arena_alloc(&ev->arena, bits_words(nr) * sizeof(*cpus));
	if (!cpus)
		return HIST_NOMEM;
	if (*options->cpu < nr && replay_span_has_cpu(span, *options->cpu))
		bits_add(cpus, *options->cpu);
	span->cpus = cpus;
	span->nr_cpus = nr;
	return 0;
}

static bool makes_events(const struct tracing *t)
{
	return t->synth_events.n || t->probes.n;
}

int hist_events_open(struct hist *h, const struct hist_events_options *options,
		     struct hist_events **out, struct diags *diags)
{
	struct hist_events *ev = calloc(1, sizeof(*ev));
	int err;

	if (!ev)
		return HIST_NOMEM;
	*ev = (struct hist_events){ .h = h,
				    .diags = diags,
				    .made = STRBUF_INIT,
				    .words.cell = STRBUF_INIT,
				    .span = h->span };
	h->recordings.diags = diags;
	err = narrow(ev, options);
	err = err ?: events_choose(ev, options);
	ev->observer = (struct replay_observer){
		.arg = ev,
		.stream = take_stream,
		.before = makes_events(h->tracing) ? take_record : NULL,
		.event = take_event,
		.pauses = has_enough,
		.asks_comm = options->comm,
		.asks_who = options->who,
		.asks_stacks = options->code,
		.reads_stacks = options->stacks,
	};
	ev->has_wall = recordings_wall(&h->recordings, &ev->wall) &&
		       !trace_clock_counts(h->recordings.machine.clock);
	if (!err) {
		h->observer = &ev->observer;
		err = replay_open(h, &ev->replay, diags);
	}
	h->recordings.diags = NULL;
	if (err)
		release(ev);
	else
		*out = ev;
	return err;
}

/* Replay until there are events. Return: as replay_step() */
static int step(struct hist_events *ev)
{
	int err = 1;

	ev->items.n = ev->next = ev->first = ev->answers.n = 0;
	strbuf_reset(&ev->made);
	ev->h->recordings.diags = ev->diags;
	while (!ev->items.n && err > 0 && !ev->err)
		err = replay_step(ev->replay);
	ev->h->recordings.diags = NULL;
	ev->at_end = err <= 0;
	return ev->err ? ev->err : err;
}

int hist_events_next(struct hist_events *ev, struct hist_event *e)
{
	const struct events_item *item;
	int err;

	if (unlikely(ev->next == ev->items.n)) {
		if (ev->at_end)
			return ev->err;
		err = step(ev);
		if (err < 0) {
			ev->items.n = ev->next = 0;
			ev->err = err;
			return err;
		}
		if (!ev->items.n)
			return 0;
	}
	item = &ev->items.v[ev->next++];
	*e = (struct hist_event){
		.type = &item->type->public,
		.ts = item->ts,
		.cpu = item->cpu,
		.pid = item->pid,
		.lost = item->lost,
		.lost_unknown = item->lost_unknown,
		.record = item->rec ? item->rec : (const u8 *)ev->made.s + item->made,
		.size = item->len,
		.events = ev,
		.place = item->at,
	};
	return 1;
}

int hist_events_close(struct hist_events *ev, int err)
{
	struct hist *h = ev->h;
	bool early = !ev->at_end;

	/* what was not read is not reported */
	h->recordings.diags = ev->diags;
	err = replay_close(ev->replay, err < 0 ? err : early ? 1 : 0);
	h->recordings.diags = NULL;
	h->replayed = h->changed = false;
	release(ev);
	return min_t(int, err, 0);
}

/* --- the task of an event --- */

static struct hit hit_of(const struct hist_event *e)
{
	return (struct hit){ .rec = e->record,
			     .len = (u32)e->size,
			     .cpu = e->cpu,
			     .pid = e->pid,
			     .ts = e->ts,
			     .at = e->place,
			     .context = e->events->context };
}

bool hist_event_date(const struct hist_event *e, uint64_t *unix_ns)
{
	*unix_ns = e->ts + e->events->wall;
	return e->events->has_wall;
}

const char *hist_event_comm(const struct hist_event *e)
{
	const struct hit hit = hit_of(e);

	/* the text is the context's, not the hit's */
	/* cppcheck-suppress returnDanglingLifetime */
	return hit.context->comm(hit.context->arg, &hit);
}

static u64 ask(const struct hist_event *e, enum who_what what)
{
	const struct hit hit = hit_of(e);

	return hit.context->who(hit.context->arg, &hit, e->pid, what);
}

/* ORDER hist_who */
static const enum who_what asked[] = { WHO_PROCESS, WHO_CMDLINE, WHO_CGROUP };

u64 events_who_answer(const struct hist_event *e, enum hist_who what)
{
	return ask(e, asked[what]);
}

const char *events_who_text(const struct hist_events *ev, enum hist_who what, u64 answer,
			    char buf[static WHO_TEXT_MAX])
{
	if (answer >> 32 == WHO_UNKNOWN >> 32)
		return NULL;
	return who_text(ev->context->texts, asked[what], answer, buf);
}

const char *hist_event_who(const struct hist_event *e, enum hist_who what)
{
	return events_who_text(e->events, what, events_who_answer(e, what), e->events->who);
}

s32 events_uid(const struct hist_event *e)
{
	return (s32)ask(e, WHO_UID);
}

int32_t hist_event_tgid(const struct hist_event *e)
{
	return (int32_t)ask(e, WHO_TGID);
}
