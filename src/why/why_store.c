// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Spans of time, in tracks.
 *
 * Invariant: after why_store_finish(), the spans of a track are in the order of owners, then of
 * time. Overlaps, which only contradictory recordings have, do no harm: a reader goes forward in
 * time, so it uses no time twice.
 */
#include "why/why_store.h"

int why_store_init(struct why_store *s, size_t max)
{
	*s = (struct why_store){ .max = max, .index = calloc(N_WHY_TRACKS, sizeof(*s->index)) };
	if (s->index && !texts_number(&s->words, span_of(""), &(u32){ 0 }))
		return 0;
	why_store_release(s);
	return HIST_NOMEM;
}

void why_store_release(struct why_store *s)
{
	for (size_t i = 0; i < N_WHY_TRACKS; i++)
		array_release(&s->tracks[i]);
	indexed_release(&s->tasks);
	texts_release(&s->words);
	for (size_t i = 0; i < N_WHY_TRACKS && s->index; i++)
		array_release(&s->index[i].first);
	free(s->index);
	s->index = NULL;
}

u32 why_store_word(struct why_store *s, struct span text)
{
	u32 number = 0;

	if (text.n && texts_number(&s->words, text, &number))
		s->words.arena.failed = true;
	return number;
}

u32 why_store_find_task(const struct why_store *s, s32 pid)
{
	const struct why_task *task = indexed_by(&s->tasks, pid, pid);

	return task ? (u32)(task - s->tasks.v) : WHY_NO_TASK;
}

u32 why_store_task(struct why_store *s, s32 pid)
{
	const struct why_task *task =
		indexed_get(&s->tasks, pid, pid, ((struct why_task){ .pid = pid }));

	return task ? (u32)(task - s->tasks.v) : WHY_NO_TASK;
}

const char *why_store_comm(const struct why_store *s, s32 pid)
{
	u32 task = why_store_find_task(s, pid);

	return task == WHY_NO_TASK ? "" : why_word(s, s->tasks.v[task].comm);
}

int why_store_add(struct why_store *s, enum why_track track, const struct why_span *span)
{
	if (s->n >= s->max)
		return -HIST_ELIMIT;
	s->n++;
	return array_push(&s->tracks[track], *span);
}

/* --- the order --- */

/* The longer one of two that begin at the same time is first, because the other is in it. */
static int compare_spans(const void *one, const void *other)
{
	const struct why_span *a = one, *b = other;

	if (a->owner != b->owner)
		return a->owner < b->owner ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to == b->to ? 0 : a->to > b->to ? -1 : 1;
}

/* Pieces of nested spans, in the order of time. */
struct unnest {
	ARRAY(struct why_span) open, out;
	u64 at; /* known until then */
	int err;
};

/* The innermost open span ran until @to. */
static void run_until(struct unnest *u, u64 to)
{
	struct why_span piece = u->open.v[u->open.n - 1];

	piece.from = u->at;
	piece.to = min_t(u64, piece.to, to);
	if (piece.to > piece.from && !u->err)
		u->err = array_push(&u->out, piece);
	u->at = max_t(u64, u->at, piece.to);
}

static void end_spans(struct unnest *u, u32 owner, u64 until)
{
	while (u->open.n && (u->open.v[0].owner != owner || u->open.v[u->open.n - 1].to <= until))
		run_until(u, UINT64_MAX), u->open.n--;
}

static int unnest_irqs(struct why_store *s)
{
	struct unnest u = { .err = 0 };

	for (size_t i = 0; i < s->tracks[WHY_IRQS].n && !u.err; i++) {
		const struct why_span *span = &s->tracks[WHY_IRQS].v[i];

		end_spans(&u, span->owner, span->from);
		if (u.open.n)
			run_until(&u, span->from);
		u.at = span->from;
		u.err = u.err ?: array_push(&u.open, *span);
	}
	end_spans(&u, WHY_NO_TASK, UINT64_MAX);
	array_release(&u.open);
	array_release(&s->tracks[WHY_IRQS]);
	s->tracks[WHY_IRQS].v = u.out.v;
	s->tracks[WHY_IRQS].n = u.out.n;
	s->tracks[WHY_IRQS].cap = u.out.cap;
	return u.err;
}

int why_store_finish(struct why_store *s)
{
	int err;

	for (size_t i = 0; i < N_WHY_TRACKS; i++)
		if (s->tracks[i].n)
			qsort(s->tracks[i].v, s->tracks[i].n, sizeof(*s->tracks[i].v),
			      compare_spans);
	err = s->words.arena.failed ? HIST_NOMEM : unnest_irqs(s);
	for (size_t i = 0; i < N_WHY_TRACKS && !err; i++) {
		const struct why_span *v = s->tracks[i].v;
		const size_t n = s->tracks[i].n;
		struct why_index *index = &s->index[i];

		/* of each owner until the last one, and one more */
		for (size_t j = 0; j < n && !err; j++)
			while (index->first.n <= v[j].owner && !err)
				err = array_push(&index->first, (u32)j);
		err = err || !n ? err : array_push(&index->first, (u32)n);
	}
	return err;
}

/* --- lookup --- */

static bool is_until(const struct why_span *span, u32 owner, u64 at)
{
	return span->owner < owner || (span->owner == owner && span->from <= at);
}

/* The first span that begins later, or is of a later owner. */
static size_t find_next(const struct why_store *s, enum why_track track, u32 owner, u64 at)
{
	const struct why_span *v = s->tracks[track].v;
	const size_t n = s->tracks[track].n;
	struct why_index *index = &s->index[track];
	size_t from, to;

	for (size_t i = index->near; i <= index->near + 2 && i <= n; i++)
		if ((!i || is_until(&v[i - 1], owner, at)) &&
		    (i == n || !is_until(&v[i], owner, at)))
			return index->near = i;
	if (!index->first.n || owner >= index->first.n - 1)
		return n;
	from = index->first.v[owner];
	to = index->first.v[owner + 1];
	return index->near = from + partition_point(i, to - from, v[from + i].from <= at);
}

struct why_now why_store_now(const struct why_store *s, enum why_track track, u32 owner, u64 at,
			     u64 to)
{
	const struct why_span *v = s->tracks[track].v;
	const size_t n = s->tracks[track].n, next = n ? find_next(s, track, owner, at) : 0;

	if (next && v[next - 1].owner == owner && v[next - 1].to > at)
		return (struct why_now){ &v[next - 1], min_t(u64, v[next - 1].to, to) };
	if (next < n && v[next].owner == owner)
		to = min_t(u64, to, v[next].from);
	return (struct why_now){ NULL, to };
}
