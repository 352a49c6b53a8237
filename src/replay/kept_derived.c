// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Which derived events a session can keep, and which kept ones are those of a replay.
 *
 * They are kept if the replay reads whole files, which did not change and are not damaged, and
 * nothing but derivers uses the records. They are found by all that they depend on: the files in
 * their order, the buffer, the events with the fields that are read, what tells who tasks were. The
 * span of time and the CPUs are not among these: what is kept is not limited by them.
 */
#include "replay/derived.h"
#include "replay/kept_derived.h"
#include "tracing/event_pid.h"

/* What a replay counted besides hits. */
struct kept_account {
	struct hit_account hits;
	size_t n_streams;
	struct stream_account streams[];
};

/* Whether it gets events, and nothing else of records. */
static bool is_plain(const struct replay_observer *o)
{
	return o->event && !o->begin && !o->start && !o->before && !o->after && !o->who &&
	       !o->stack && !o->recorded && !o->asks_comm && !o->asks_who && !o->asks_stacks;
}

static bool only_derives(const struct plan *p, const struct derived *derived)
{
	const struct hist *h = p->h;
	const struct trace_array *tr = h->tracing->top;
	struct run_needs needs;

	tracing_needs_itself(h->tracing, &needs);
	return derived->all.n == 1 && !p->events.n && !tr->next && !tr->slices.n &&
	       !event_pid_filters(tr) && !h->timer && !h->tracing->record &&
	       !h->tracing->traced.n && !h->tracing->reader &&
	       (!h->observer || is_plain(h->observer)) && !h->feed && h->plan == HIST_PLAN_AUTO &&
	       !needs.comm && !needs.stack && !needs.synth;
}

/* An observer gets the losses before an event with it. */
static bool has_losses(const struct kept_events *k)
{
	const struct kept_account *a = kept_events_data(k);
	return any_of(i, a->n_streams, a->streams[i].missed || a->streams[i].missed_unknown);
}

/* Whether messages about intervals would be wrong for a part: they were counted in all. */
static bool counts_all(const struct kept_events *k)
{
	const struct derive_account *a = kept_events_account(k);

	return a->spanned || a->inconsistent || a->bare_wakings || a->throttled_ns ||
	       a->frozen_ns || a->doubted_ns;
}

int kept_replay_open(struct kept_replay *k, const struct plan *p, struct derived *derived)
{
	const struct recordings *r = &p->h->recordings;
	const struct replay_span *span = &p->h->span;

	*k = (struct kept_replay){ .key = STRBUF_INIT };
	if (!p->h->kept || !only_derives(p, derived))
		return 0;
	for (size_t i = 0; i < r->files.n; i++) {
		const u64 number = trace_dat_kept(r->files.v[i].td);

		if (!number || r->files.v[i].imported_from || r->files.v[i].only) {
			strbuf_reset(&k->key);
			return 0;
		}
		strbuf_addf(&k->key, "%llu ", number);
	}
	strbuf_addf(&k->key, "%s %u %u ", p->h->buffer, p->h->cgroup_depth, p->h->cgroup_hierarchy);
	derive_print_key(derived->all.v[0], &k->key);
	if (k->key.failed)
		return HIST_NOMEM;
	k->used = kept_events_find(p->h->kept, (struct span){ k->key.s, k->key.len });
	if (k->used && ((p->h->observer && has_losses(k->used)) ||
			((span->from || span->to != UINT64_MAX) && counts_all(k->used)))) {
		kept_events_put(k->used);
		k->used = NULL;
		return 0;
	}
	if (k->used || span->from || span->to != UINT64_MAX || span->cpus ||
	    p->h->tracing->options.cut_intervals)
		return 0;
	k->made = kept_events_new(p->h->kept);
	if (!k->made)
		return HIST_NOMEM;
	derive_keep(derived->all.v[0], k->made);
	return 0;
}

static void take_account(const struct kept_replay *k, const struct plan *p)
{
	const struct kept_account *a = kept_events_data(k->used);

	for (size_t i = 0; i < p->n_streams && i < a->n_streams; i++)
		p->streams[i].account = a->streams[i];
	p->h->account.hits = a->hits;
}

void kept_replay_run(const struct kept_replay *k, const struct plan *p, struct derived *derived,
		     struct diags *diags)
{
	if (p->h->explain)
		diags_add(
			diags, DIAG_NOTE,
			"plan: the derived events are those that the session kept; no records are read");
	take_account(k, p);
	derive_from_kept(derived->all.v[0], k->used, p->threads);
}

int kept_replay_start(struct kept_replay *k, const struct plan *p, struct derived *derived)
{
	take_account(k, p);
	k->reader = kept_reader_open(derived->all.v[0], k->used);
	return k->reader ? 0 : HIST_NOMEM;
}

int kept_replay_step(struct kept_replay *k, const struct ordered *o)
{
	while (kept_reader_next(k->reader))
		if (ordered_is_paused(o))
			return 1;
	return 0;
}

/* Messages about damage come from reading. */
static bool is_whole(const struct plan *p)
{
	bool whole = true;

	for (size_t i = 0; i < p->n_streams; i++) {
		const struct trace_dat *td = p->streams[i].of.rec->td;

		whole &= !p->streams[i].account.damaged && !trace_dat_unreadable(td) &&
			 !trace_dat_shrank(td) && !trace_dat_damaged(td);
	}
	return whole;
}

void kept_replay_add(struct kept_replay *k, const struct plan *p, const struct derived *derived)
{
	const size_t size =
		sizeof(struct kept_account) + p->n_streams * sizeof(struct stream_account);
	struct kept_account *a = k->made && is_whole(p) ? calloc(1, size) : NULL;

	if (!a)
		return;
	a->hits = p->h->account.hits;
	a->n_streams = p->n_streams;
	for (size_t i = 0; i < p->n_streams; i++)
		a->streams[i] = p->streams[i].account;
	derive_kept(derived->all.v[0], k->made);
	kept_events_add(k->made, (struct span){ k->key.s, k->key.len }, a, size);
	k->made = NULL;
	free(a);
}

void kept_replay_close(struct kept_replay *k)
{
	kept_reader_close(k->reader);
	kept_events_put(k->used);
	kept_events_drop(k->made);
	strbuf_release(&k->key);
}
