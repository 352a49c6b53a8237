// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Slices of time. A slice is complete when all streams have reached a later one, or their end. The
 * replay in order ends a slice at the first record of a later one; records that a CPU had lost
 * before its own first such record are counted until then.
 */
#include "replay/range.h"

#define AFTER_SPAN UINT64_MAX /* slice of the records after the span */

/* Slices of 1 ns can reach this number only if no time is after the span. */
static bool is_after_span(const struct hist *h, u64 slice)
{
	return slice == AFTER_SPAN && h->span.to < UINT64_MAX;
}

static u64 slice_at(const struct hist *h, u64 ts)
{
	if (ts > h->span.to)
		return AFTER_SPAN;
	return ts < h->timer->from ? 0 : (ts - h->timer->from) / h->timer->length;
}

/* --- workers --- */

static void slices_exchange(const struct range_worker *w)
{
	const hist_count_array *hists = &w->worker.pass->hists;

	for (size_t i = 0; i < hists->n && w->slices.current; i++) {
		struct hist_part *counted = &hists->v[i]->parts[w->worker.part], other = *counted;

		*counted = w->slices.current->parts[i];
		w->slices.current->parts[i] = other;
	}
}

void slices_leave(struct range_worker *w)
{
	slices_exchange(w);
	w->slices.current = NULL;
}

static void free_parts(const struct pass *pass, struct slice_counts *c)
{
	for (size_t i = 0; i < pass->hists.n && c->parts; i++)
		hist_part_release(&c->parts[i]);
	free(c->parts);
}

/* The counts of a slice, which are made if needed; they are mostly the last ones. */
static int find_counts(struct range_worker *w, u64 slice, size_t *at)
{
	const hist_count_array *hists = &w->worker.pass->hists;
	struct slice_set *s = &w->slices;
	struct slice_counts new = { .slice = slice };
	size_t i = s->counts.n;
	int err;

	while (i && s->counts.v[i - 1].slice > slice)
		i--;
	*at = i ? i - 1 : 0;
	if (i && s->counts.v[i - 1].slice == slice)
		return 0;
	new.parts = calloc(hists->n + 1, sizeof(*new.parts));
	err = new.parts ? 0 : HIST_NOMEM;
	for (size_t k = 0; k < hists->n && !err; k++)
		err = hist_part_init(&new.parts[k], hists->v[k]->hd);
	err = err ?: array_push(&s->counts, new);
	if (err) {
		free_parts(w->worker.pass, &new);
		return err;
	}
	memmove(&s->counts.v[i + 1], &s->counts.v[i], (s->counts.n - 1 - i) * sizeof(new));
	s->counts.v[i] = new;
	*at = i;
	return 0;
}

static u64 last_time(const struct hist *h, u64 slice)
{
	u64 end;

	if (slice == AFTER_SPAN)
		return UINT64_MAX;
	if (__builtin_mul_overflow(slice + 1, h->timer->length, &end) ||
	    __builtin_add_overflow(end, h->timer->from, &end))
		return h->span.to;
	return min_t(u64, end - 1, h->span.to);
}

/* The times for which nothing has to be done. */
static void set_bounds(const struct pass *pass, struct slice_set *s, u64 slice)
{
	const struct hist *h = pass->plan->h;
	u64 last = last_time(h, slice);

	s->begin = is_after_span(h, slice) ? h->span.to + 1
		   : slice                 ? h->timer->from + slice * h->timer->length
					   : 0;
	s->length = last - s->begin + (last < UINT64_MAX);
}

int slices_enter(struct range_worker *w, u64 ts, u64 missed, bool missed_unknown)
{
	struct slice_set *s = &w->slices;
	const struct slice_mark mark = { slice_at(w->worker.pass->plan->h, ts), ts, missed,
					 missed_unknown };
	size_t at;
	int err;

	if (s->length && s->marks.n && s->marks.v[s->marks.n - 1].slice > mark.slice) {
		w->full = true;
		return 0;
	}
	set_bounds(w->worker.pass, s, mark.slice);
	err = array_push(&s->marks, mark);
	if (err || is_after_span(w->worker.pass->plan->h, mark.slice))
		return err;
	slices_leave(w);
	err = find_counts(w, mark.slice, &at);
	if (err)
		return err;
	s->current = &s->counts.v[at];
	slices_exchange(w);
	return 0;
}

void slices_release(struct range_worker *w)
{
	slices_leave(w);
	for (size_t i = 0; i < w->slices.counts.n; i++)
		free_parts(w->worker.pass, &w->slices.counts.v[i]);
	array_release(&w->slices.counts);
	array_release(&w->slices.marks);
}

/* --- streams --- */

static const struct slice_mark *mark_at(const struct pass *pass, const struct page_range *r,
					size_t i)
{
	return &range_worker_at(pass, r->worker)->slices.marks.v[r->first_mark + i];
}

/* The next range of the stream from @i on, which was read or not. */
static size_t next_range(const struct pass *pass, size_t stream, size_t i)
{
	while (i < range_pass_of(pass)->ranges.n &&
	       range_pass_of(pass)->ranges.v[i].stream != stream)
		i++;
	return i;
}

/* Whether the slices of a stream ascend, as far as it was read. */
static bool ascends(const struct pass *pass, struct slice_cursor *c, size_t stream)
{
	for (;; c->checked++) {
		const struct page_range *r;

		c->checked = next_range(pass, stream, c->checked);
		r = &range_pass_of(pass)->ranges.v[c->checked];
		if (c->checked == range_pass_of(pass)->ranges.n || !r->done)
			return true;
		if (!r->n_marks)
			continue;
		if (mark_at(pass, r, 0)->slice < c->last)
			return false;
		c->last = mark_at(pass, r, r->n_marks - 1)->slice;
	}
}

enum reached { REACHED_LATER, REACHED_END, REACHED_UNREAD };

/* Move the cursor to the first record of a slice after @slice. */
static enum reached slices_advance(const struct pass *pass, struct slice_cursor *c, size_t stream,
				   u64 slice)
{
	for (;; c->range++, c->mark = 0) {
		const struct page_range *r;

		c->range = next_range(pass, stream, c->range);
		if (c->range == range_pass_of(pass)->ranges.n)
			return REACHED_END;
		r = &range_pass_of(pass)->ranges.v[c->range];
		if (!r->done)
			return REACHED_UNREAD;
		while (c->mark < r->n_marks && mark_at(pass, r, c->mark)->slice <= slice)
			c->mark++;
		if (c->mark < r->n_marks)
			return REACHED_LATER;
		c->missed += r->missed;
		c->missed_unknown |= r->missed_unknown;
	}
}

/* --- complete slices --- */

/* Add the counts of all workers for the current slice to the histograms. */
static bool join_slice(struct pass *pass)
{
	struct hit_account hits = { .no_synth = 0 };
	bool ok = true;

	for (unsigned int k = 0; k < pass->n_workers; k++) {
		struct slice_set *s = &range_worker_at(pass, k)->slices;
		struct slice_counts *c = s->counts.v;

		if (!s->counts.n || c->slice != range_pass_of(pass)->slice)
			continue;
		for (size_t i = 0; i < pass->hists.n && ok; i++)
			ok = hist_part_join(pass->hists.v[i], &c->parts[i]);
		hit_account_add(&hits, &c->hits);
		free_parts(pass, c);
		memmove(c, c + 1, --s->counts.n * sizeof(*c));
	}
	/* otherwise the slice is counted again */
	if (ok)
		hit_account_add(&pass->plan->h->account.hits, &hits);
	return ok;
}

struct slice_end {
	bool more; /* whether a record is in a later one */
	u64 ts;    /* the first one */
	u64 missed;
	bool missed_unknown;
};

/* Whether the current slice is complete, and how it ends. */
static bool find_end(struct pass *pass, struct slice_end *end)
{
	*end = (struct slice_end){ .ts = UINT64_MAX };
	for (size_t i = 0; i < pass->plan->n_streams; i++) {
		struct slice_cursor *c = &range_pass_of(pass)->cursors[i];
		enum reached reached = slices_advance(pass, c, i, range_pass_of(pass)->slice);
		const struct slice_mark *mark;

		if (reached == REACHED_UNREAD)
			return false;
		end->missed += c->missed;
		end->missed_unknown |= c->missed_unknown;
		if (reached == REACHED_END)
			continue;
		mark = mark_at(pass, &range_pass_of(pass)->ranges.v[c->range], c->mark);
		end->missed += mark->missed;
		end->missed_unknown |= mark->missed_unknown;
		end->ts = min_t(u64, end->ts, mark->ts);
		end->more = true;
	}
	return true;
}

int slices_step(struct pass *pass, bool end)
{
	struct replay_timer *timer = pass->plan->h->timer;
	struct slice_end last;

	for (size_t i = 0; i < pass->plan->n_streams; i++)
		if (!ascends(pass, &range_pass_of(pass)->cursors[i], i))
			return 1;
	while (find_end(pass, &last)) {
		u64 next = slice_at(pass->plan->h, last.ts);

		if (!last.more || is_after_span(pass->plan->h, next))
			break;
		if (!join_slice(pass))
			return 1;
		timer->passed(timer->arg, last.ts, last.missed, last.missed_unknown);
		range_pass_of(pass)->slice = next;
	}
	return end && !join_slice(pass);
}
