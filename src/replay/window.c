// SPDX-License-Identifier: LGPL-2.1-only
/* Which part of a recording is enough; see window.h. */
#include "replay/ordered.h"
#include "tracing/event_pid.h"

/* Below that, all of the recording is read. SMALL_PARTS: for tests. */
#ifdef SMALL_PARTS
enum { SMALL_BYTES = 1, FIRST_PART = 64 };
#else
enum { SMALL_BYTES = 4 << 20, FIRST_PART = 2048 };
#endif
enum { GROWTH = 4, MOST = 8 };

bool replay_windows_fit(const struct hist *h)
{
	const struct replay_options *options = &h->recordings.options;

	return h->plan != HIST_PLAN_PLAIN && !h->whole && h->recordings.files.n == 1 && !h->feed &&
	       !h->timer && !options->tasks && !options->cut_intervals &&
	       h->recordings.files.v[0].info->file_size >= SMALL_BYTES;
}

bool replay_window_next(struct replay_window *w, struct window_margins *margins, u64 from, u64 to,
			const struct recordings_times *times)
{
	const u64 all = times->last - times->first;
	u64 length;

	*w = (struct replay_window){ .on = false };
	if (times->last <= times->first || from > times->last || to < times->first || from > to)
		return false;
	from = max_t(u64, from, times->first);
	to = min_t(u64, to, times->last);
	length = to - from;
	if (!margins->before) {
		margins->before = margins->after = max_t(u64, all / FIRST_PART, length) + 1;
	} else {
		margins->before *= margins->early || !margins->late ? GROWTH : 1;
		margins->after *= margins->late || !margins->early ? GROWTH : 1;
	}
	w->on = length < all / margins->most && margins->before < all / margins->most &&
		margins->after < all / margins->most;
	w->from = from - min_t(u64, margins->before, from);
	w->to = to + margins->after;
	w->begins = w->from <= times->first;
	w->ends = w->to >= times->last;
	return w->on;
}

void replay_window_judge(struct replay_window *w, const struct ordered *o,
			 const struct names *names, const struct replay_account *account)
{
	const struct derived *d = &o->derived;
	struct derive_account sum = { .spanned = 0 };
	bool both = names->unsure;

	for (size_t i = 0; i < d->all.n; i++) {
		derive_account(d->all.v[i], &sum);
		w->early |= derive_is_unsure(d->all.v[i]);
		both |= derive_misses(d->all.v[i]);
	}
	w->early |= both && !w->begins;
	w->late |= both && !w->ends;
	/* messages about these are about the whole recording */
	w->all |= d->holed || o->needs.who || o->needs.synth || account->missed ||
		  account->missed_unknown || account->damaged_pages || account->short_records ||
		  account->hits.guessed_names || sum.apart;
}

bool replay_window_fits(const struct hist *h)
{
	const struct recording *rec = &h->recordings.files.v[0];
	const struct trace_array *tr = h->tracing->top;

	if (!replay_windows_fit(h) || rec->only || slimmed_text(rec).s ||
	    h->recordings.options.exemplars.moments || h->recordings.options.open_intervals ||
	    tr->next || event_pid_filters(tr) || event_pid_follows(tr) || h->tracing->traced.n ||
	    h->explain)
		return false;
	return derive_fits_window(tr);
}

/* What a reader of the events asks. */
static void ask(void *arg, const struct replay_place *place UNUSED, const struct hit *hit)
{
	const struct replay_observer *asks = arg;

	if (asks->asks_comm)
		hit->context->comm(hit->context->arg, hit);
}

int replay_window_find(struct hist *h)
{
	const struct replay_observer *observer = h->observer;
	const struct replay_observer asks = {
		.arg = (void *)observer,
		.event = observer && (observer->event || observer->recorded) ? ask : NULL,
		.asks_comm = observer && observer->asks_comm,
		.asks_stacks = observer && observer->asks_stacks,
		.reads_stacks = observer && observer->reads_stacks
	};
	struct replay_window *w = &h->window;
	struct window_margins margins = { .most = MOST };
	struct recordings_times times;
	struct diags *const diags = h->recordings.diags;
	const bool doubtful = h->doubtful;
	int err = 0;

	if (w->on || (!h->span.from && h->span.to == UINT64_MAX) || !replay_window_fits(h) ||
	    (observer && observer->asks_who))
		return 0;
	h->recordings.diags = NULL; /* the replay that follows reports it */
	err = recordings_times(&h->recordings, h->buffer, &times);
	*w = (struct replay_window){ .on = false };
	h->observer = observer ? &asks : NULL;
	while (!err && replay_window_next(w, &margins, h->span.from, h->span.to, &times)) {
		struct diags ignored = DIAGS_INIT;

		err = replay_window_run(h, &ignored);
		diags_release(&ignored);
		margins.early = w->early;
		margins.late = w->late;
		if (w->all || (!w->early && !w->late))
			break;
	}
	w->on &= !err && !w->all;
	h->observer = observer;
	h->doubtful = doubtful;
	h->recordings.diags = diags;
	return err == HIST_NOMEM ? err : 0;
}
