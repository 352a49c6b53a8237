// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Windows of time that threads derive from at the same time, each with derivers of its own.
 *
 * What a deriver does with a record follows from what it knows of the tasks that the record is
 * about; and that follows from the records of each since it was last switched to: its tail. While a
 * window is read, the tails at its end are noted. Then the windows are joined, one after the other:
 * each gets the tails of its tasks from those before it, and leaves its own. Its derivers read what
 * it got, without tracing anything, and then know of these tasks what the derivers of the whole
 * recording know.
 */
#include "derive/derive_state.h"
#include "program/load.h"
#include "run/run.h"

enum { TAIL_MAX = 1024, RECENT = 1024, WINDOW_CPUS_MAX = 1 << 16 };

/* Of a task. */
struct tail {
	s32 pid;
	bool whole; /* it begins when the task was switched to */
	u64 window; /* the last one with the task */
	ARRAY(struct derive_past_record) records;
};

struct derive_tails {
	INDEXED(struct tail) tasks;
	ARRAY(struct derive_past_cpu) cpus;
	u32 seen;
};

struct derive_window {
	struct derive *d;
	u64 number, place;
	ARRAY(struct derive_batch *) batches;
	size_t n_batches; /* of this window */
	struct derive_tails end;
	u32 recent[RECENT]; /* indices in ->end.tasks, at a part of the pid */
	ARRAY(u32) tasks;   /* those of this window */
	ARRAY(s32) first;   /* of each CPU in ->end: the task that it ran at the beginning */
	struct derive_past past;
	bool fails; /* out of memory, or it is not as windows are */
};

/* --- while a window is read --- */

static struct tail *tail_of(struct derive_window *w, s32 pid)
{
	u32 *recent = &w->recent[(u32)pid % RECENT];
	struct tail *t;

	if (unlikely(*recent >= w->end.tasks.n || w->end.tasks.v[*recent].pid != pid)) {
		t = indexed_get(&w->end.tasks, pid, pid, ((struct tail){ .pid = pid }));
		if (!t)
			return NULL;
		*recent = (u32)(t - w->end.tasks.v);
	}
	t = &w->end.tasks.v[*recent];
	if (t->window == w->number)
		return t;
	t->window = w->number;
	t->records.n = 0;
	t->whole = false;
	return array_push(&w->tasks, *recent) ? NULL : t;
}

/* Its texts are names of tasks. */
static void add_to_tail(struct derive_window *w, s32 pid, const struct derive_record *r, s32 missed,
			bool begins)
{
	struct tail *t = pid ? tail_of(w, pid) : NULL;
	struct derive_past_record *to;
	size_t n = 0;

	if (t && begins) {
		t->records.n = 0;
		t->whole = true;
	}
	if (!t || array_reserve(&t->records)) {
		w->fails |= pid != 0;
		return;
	}
	to = &t->records.v[t->records.n++];
	to->place = w->number << 32 | w->place;
	to->seen = w->end.seen;
	to->missed = missed;
	memcpy(&to->r, r, min_t(size_t, r->size, sizeof(*r)));
	for (size_t i = 0; i < r->in->fields.n && n < ARRAY_SIZE(to->names); i++)
		if (derive_is_text(r, i) && r->n[i])
			memcpy(&to->names[n++], (const void *)(uintptr_t)r->n[i], DERIVE_COMM_SIZE);
}

/* The other task that ran there until now; 0: none. */
static s32 note_switch(struct derive_window *w, const struct derive_record *r,
		       const struct derive_touches *t)
{
	struct derive_past_cpu *c, was;

	w->fails |= r->cpu >= WINDOW_CPUS_MAX;
	while (w->end.cpus.n <= r->cpu && !w->fails)
		w->fails |= array_push(&w->first, 0) ||
			    array_push(&w->end.cpus, (struct derive_past_cpu){ .known = false });
	if (w->fails)
		return 0;
	c = &w->end.cpus.v[r->cpu];
	was = *c;
	*c = (struct derive_past_cpu){ true, t->tasks[1], r->ts };
	if (!was.known)
		w->first.v[r->cpu] = t->tasks[0];
	return was.known && was.task != t->tasks[0] ? was.task : 0;
}

void derive_window_note(struct derive_window *w, const struct derive_record *r)
{
	struct derive_touches t;
	s32 missed;

	derivers[r->in->deriver]->touches(r, &t);
	missed = t.switches ? note_switch(w, r, &t) : 0;
	add_to_tail(w, t.tasks[0], r, missed, false);
	add_to_tail(w, missed, r, missed, false);
	add_to_tail(w, t.tasks[1], r, missed, t.runs);
	w->end.seen |= 1U << r->input;
	w->place++;
}

void derive_window_add(struct derive_window *w, const struct derive_input *in,
		       const struct hit *hit)
{
	derive_read(w->d, in, hit);
}

size_t derive_window_room(struct derive_window *w)
{
	const size_t room = w->n_batches ? derive_batch_room(w->d) : 0;
	struct derive_batch *b = room || w->n_batches < w->batches.n ? NULL : derive_batch_new();

	if (room)
		return room;
	if (w->n_batches == w->batches.n && (!b || array_push(&w->batches, b))) {
		derive_batch_free(b);
		return 0;
	}
	derive_collect(w->d, w->batches.v[w->n_batches++]);
	return derive_batch_room(w->d);
}

void derive_window_start(struct derive_window *w, u64 number)
{
	w->number = number + 1;
	w->n_batches = w->place = w->end.seen = 0;
	w->tasks.n = w->first.n = w->end.cpus.n = w->past.records.n = w->past.cpus.n = 0;
	w->d->window = w;
}

void derive_window_read(struct derive_window *w)
{
	derive_collect(w->d, NULL);
	w->d->window = NULL;
}

/* --- windows are joined --- */

/* What was before a task's tail is part of it, unless it begins with the task. */
static bool join_task(struct derive_tails *all, struct derive_window *w, const struct tail *t)
{
	struct tail *before =
		indexed_get(&all->tasks, pid, t->pid, ((struct tail){ .pid = t->pid }));
	bool ok = before;

	for (size_t i = 0; ok && i < before->records.n; i++)
		ok = !array_push(&w->past.records, before->records.v[i]);
	if (ok && t->whole)
		before->records.n = 0;
	for (size_t i = 0; ok && i < t->records.n; i++) {
		ok = !array_push(&before->records, t->records.v[i]);
		if (ok)
			before->records.v[before->records.n - 1].seen |= all->seen;
	}
	return ok && before->records.n <= TAIL_MAX;
}

bool derive_tails_join(struct derive_tails *all, struct derive_window *w)
{
	bool ok = !w->fails;

	w->past.seen = all->seen;
	for (size_t i = 0; i < w->tasks.n && ok; i++)
		ok = join_task(all, w, &w->end.tasks.v[w->tasks.v[i]]);
	while (all->cpus.n < w->end.cpus.n && ok)
		ok = !array_push(&all->cpus, (struct derive_past_cpu){ .known = false });
	for (size_t i = 0; i < all->cpus.n && ok; i++) {
		const struct derive_past_cpu *c = &all->cpus.v[i];

		ok = !array_push(&w->past.cpus, *c);
		if (i >= w->end.cpus.n || !w->end.cpus.v[i].known)
			continue;
		ok &= !c->known || c->task == w->first.v[i];
		all->cpus.v[i] = w->end.cpus.v[i];
	}
	all->seen |= w->end.seen;
	return ok;
}

/* --- its derivers read it --- */

DEFINE_ORDER(by_place, struct derive_past_record, cmp_int(x->place, y->place))

/* A record can be of two tasks. */
static void order_past(struct derive_past *past)
{
	size_t n = 0;

	if (past->records.n)
		qsort(past->records.v, past->records.n, sizeof(*past->records.v), by_place);
	for (size_t i = 0; i < past->records.n; i++)
		if (!i || past->records.v[i].place != past->records.v[n - 1].place)
			past->records.v[n++] = past->records.v[i];
	past->records.n = n;
	array_each(struct derive_past_record, p, &past->records) {
		n = 0;
		for (size_t i = 0; i < p->r.in->fields.n && n < ARRAY_SIZE(p->names); i++)
			if (derive_is_text(&p->r, i) && p->r.n[i])
				p->r.n[i] = (uintptr_t)p->names[n++].s;
	}
}

bool derive_window_derive(struct derive_window *w)
{
	struct derive *d = w->d;
	bool ok = true;

	order_past(&w->past);
	d->counts = false;
	d->begins = true;
	for (size_t i = 0; i < N_DERIVERS && ok; i++)
		if (d->used[i].state && derivers[i]->begin)
			ok = derivers[i]->begin(d->used[i].state, &w->past);
	d->begins = false;
	for (size_t i = 0; i < w->n_batches && ok; i++)
		derive_from(d, w->batches.v[i]);
	return ok;
}

/* --- all --- */

bool derive_joins(const struct derive *d)
{
	bool ok = !d->wants_stacks && !d->keep && !d->tr->tracing->reader && !d->context->synthetic;

	for (size_t i = 0; i < N_DERIVERS; i++) {
		for (size_t k = 0; k < d->used[i].receivers.n; k++)
			ok &= !d->used[i].receivers.v[k].file ||
			      (derivers[i]->events[k].past &&
			       !(d->used[i].receivers.v[k].asks & ASKS_PAST));
		if (d->used[i].state && derivers[i]->begin)
			ok &= derivers[i]->begin(d->used[i].state, NULL);
	}
	/* what others have records for is part of what it knows */
	array_each_ptr(const struct derive_input, in, &d->inputs) {
		const struct event_format *unused;

		ok &= derivers[in->deriver]->begin ||
		      event_db_find(d->tr->tracing->machine.db, in->system, in->event, &unused);
	}
	return ok;
}

struct derive_window *derive_window_new(struct derive *of, const struct hit_context *context,
					u32 part)
{
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	struct derive_window *w = calloc(1, sizeof(*w));

	if (!w || derive_new(of->tr, context, &w->d, &ignored) || !w->d ||
	    array_push(&of->parts, w->d)) {
		derive_free(w ? w->d : NULL);
		free(w);
		return NULL;
	}
	w->d->part = (u16)part;
	derive_limit(w->d, of->from, of->to, of->cpus, of->nr_cpus);
	derive_start(w->d, of->start);
	return w;
}

static void release_tails(struct derive_tails *all)
{
	for (size_t i = 0; i < all->tasks.n; i++)
		array_release(&all->tasks.v[i].records);
	indexed_release(&all->tasks);
	array_release(&all->cpus);
}

void derive_window_free(struct derive_window *w)
{
	for (size_t i = 0; w && i < w->batches.n; i++)
		derive_batch_free(w->batches.v[i]);
	if (!w)
		return;
	release_tails(&w->end);
	array_release(&w->batches);
	array_release(&w->tasks);
	array_release(&w->first);
	array_release(&w->past.records);
	array_release(&w->past.cpus);
	free(w);
}

struct derive_tails *derive_tails_new(void)
{
	return calloc(1, sizeof(struct derive_tails));
}

void derive_tails_free(struct derive_tails *all)
{
	if (all)
		release_tails(all);
	free(all);
}
