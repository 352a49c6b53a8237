// SPDX-License-Identifier: LGPL-2.1-only
/* A pass: drives the workers of a way, then adds up what they counted. */
#include "replay/way.h"

/* --- what is counted --- */

void pass_choose_records(struct pass *pass, bool changes)
{
	const struct replay_observer *observer = pass->plan->h->observer;
	const bool states = observer && observer->states && pass->names &&
			    pass->names->processes.asked;

	for (size_t s = 0; s < pass->plan->n_streams; s++) {
		struct dispatch_table *table = plan_table(pass->plan, s);

		for (u32 id = 0; table && id < table->n; id++) {
			struct dispatch *d = &table->by_id[id];

			d->hits = pass->collect != NAMES_FIRST && (d->file || d->special) &&
				  d->way == (pass->until_full ? WAY_RANGE : pass->way);
			d->guesses = d->hits && d->asks && pass->names && pass->names->guesses;
			d->plain = d->hits && !d->special && !d->guesses && !d->change &&
				   !d->derive;
			d->derives = d->derive && !d->hits && !d->change;
			table->keep[id] =
				d->hits || (pass->collect && d->names) ||
				(changes && (d->change || d->derive ||
					     (states && d->names && d->names->state_pid)));
		}
	}
}

int pass_choose_hists(struct pass *pass)
{
	int err = 0;

	for (size_t s = 0; s < pass->plan->n_streams; s++) {
		struct dispatch_table *table = plan_table(pass->plan, s);

		for (u32 id = 0; table && id < table->n && !err; id++)
			if (table->by_id[id].hits)
				err = event_reached_hists(table->by_id[id].file, &pass->hists);
	}
	return err;
}

bool pass_all_full(const hist_count_array *hists)
{
	return all_of(i, hists->n, tracing_map_is_full(hist_map(hists->v[i])));
}

int pass_start_in_order(struct pass *pass)
{
	pass->n_workers = 1;
	pass_choose_records(pass, true);
	return 0;
}

/* --- parts --- */

static bool is_known_full(const struct pass *pass, const struct hist_count *hc)
{
	return any_of(i, pass->full->n, pass->full->v[i] == hc);
}

int pass_start_parts(struct pass *pass)
{
	int err = 0;

	for (size_t i = 0; i < pass->hists.n && !err; i++)
		err = hist_parts_start(pass->hists.v[i], pass->n_workers,
				       is_known_full(pass, pass->hists.v[i]));
	return err;
}

int pass_join_parts(struct pass *pass, int err)
{
	bool useless = err > 0;

	for (size_t i = 0; i < pass->hists.n && err >= 0; i++) {
		struct hist_count *hc = pass->hists.v[i];
		bool joined = useless || hist_parts_join(hc), full = false;

		/* a map, or all of them together, has more keys than the histogram has room for */
		for (u32 k = 0; k <= hc->n_parts; k++)
			full |= tracing_map_is_full(hc->parts[k].map);
		if ((useless || !joined) && full && !is_known_full(pass, hc))
			err = array_push(pass->full, hc);
		useless |= !joined;
	}
	return err < 0 ? err : useless;
}

/* --- workers --- */

/* Records are counted here, so that the counts can be dropped if the pass is repeated. */
int worker_make_counts(struct worker *w)
{
	const struct plan *plan = w->pass->plan;

	w->counts = arena_alloc(&w->arena, (plan->n_streams + 1) * sizeof(u64 *));
	for (size_t i = 0; i < plan->n_streams && w->counts; i++) {
		const struct dispatch_table *table = plan_table(plan, i);

		w->counts[i] = table ? arena_alloc(&w->arena, (table->n + 1) * sizeof(u64))
				     : w->counts[i - 1];
		if (!w->counts[i])
			return HIST_NOMEM;
	}
	return w->counts ? 0 : HIST_NOMEM;
}

static const char *worker_comm(void *arg, const struct hit *hit)
{
	struct worker *w = arg;
	const struct name_place place = { hit->ts, hit->at };

	return names_comm(w->pass->names, &w->who, hit->pid, hit->cpu, place);
}

static u64 worker_who(void *arg, const struct hit *hit, s32 pid, enum who_what what)
{
	struct worker *w = arg;
	const struct name_place place = { hit->ts, hit->at };

	return names_who(w->pass->names, &w->who, what, name_key(pid, hit->cpu), place);
}

static int open_workers(struct pass *pass)
{
	size_t n = pass->plan->n_streams;
	int err = 0;

	pass->workers = calloc(pass->n_workers, pass->how->worker_size);
	if (!pass->workers)
		return HIST_NOMEM;
	for (unsigned int i = 0; i < pass->n_workers; i++)
		pass_worker(pass, i)->pass = pass;
	for (unsigned int i = 0; i < pass->n_workers && !err; i++) {
		struct worker *w = pass_worker(pass, i);

		w->part = i + 1;
		w->context = *pass->context;
		w->context.arg = w;
		w->context.comm = worker_comm;
		w->context.who = worker_who;
		w->context.answers = &w->who;
		w->sources = arena_alloc(&w->arena, (n + 1) * sizeof(*w->sources));
		w->accounts = arena_alloc(&w->arena, (n + 1) * sizeof(*w->accounts));
		for (size_t s = 0; w->accounts && s < n; s++)
			w->accounts[s].first = UINT64_MAX;
		err = w->sources && w->accounts ? pass->how->open(w) : HIST_NOMEM;
	}
	return err;
}

static void *pass_work(void *worker)
{
	struct worker *w = worker;

	w->err = w->pass->how->work(w);
	return NULL;
}

/* --- sums --- */

int pass_account_sources(struct pass *pass, int err)
{
	const struct worker *first = pass_worker(pass, 0);

	for (size_t i = 0; i < pass->plan->n_streams; i++)
		source_account(&first->sources[i], &first->accounts[i]);
	return err;
}

static void pass_account(const struct pass *pass)
{
	unsigned int n = pass->n_workers;

	/* those of slices are already in the sum */
	for (unsigned int k = 0; k < n; k++)
		hit_account_add(&pass->plan->h->account.hits, &pass_worker(pass, k)->hits);
	for (size_t i = 0; i < pass->plan->n_streams; i++) {
		struct stream_account *to = &pass->plan->streams[i].account;
		struct stream_account sum = { .short_records = to->short_records,
					      .first = UINT64_MAX };

		for (unsigned int k = 0; k < n; k++) {
			const struct stream_account *own = &pass_worker(pass, k)->accounts[i];

			sum.missed += own->missed;
			sum.missed_unknown |= own->missed_unknown;
			sum.damaged += own->damaged;
			sum.short_records += own->short_records;
			sum.pages += own->pages;
			sum.first = min_t(u64, sum.first, own->first);
			sum.last = max_t(u64, sum.last, own->last);
		}
		*to = sum;
	}
}

/* In order, a dispatch counts by itself. */
static void pass_count(const struct pass *pass)
{
	for (size_t s = 0; s < pass->plan->n_streams; s++) {
		struct dispatch_table *table = plan_table(pass->plan, s);

		for (unsigned int k = 0; table && k < pass->n_workers; k++) {
			const struct worker *w = pass_worker(pass, k);

			for (u32 id = 0; w->counts && id < table->n; id++)
				if (table->by_id[id].hits)
					table->by_id[id].count += w->counts[s][id];
		}
	}
}

int pass_start(struct pass *pass)
{
	bool plain = pass->plan->h->plan == HIST_PLAN_PLAIN;
	int err;

	pass->how = pass->way == WAY_RANGE                             ? &way_range
		    : plain                                            ? &way_plain
		    : pass->plan->windows && !pass->ordered->rehearses ? &way_windows
								       : &way_order;
	err = pass->how->start(pass);

	return err ? err : open_workers(pass);
}

int pass_step(struct pass *pass)
{
	struct worker *w = pass_worker(pass, 0);

	pass->paused = false;
	return pass->how->work(w) ?: pass->paused;
}

/* Let all workers count, slice by slice. */
static int count_all(struct pass *pass)
{
	const struct way *way = pass->how;
	int err = 0;

	for (;;) {
		threads_run(&(struct thread_job){ .work = pass_work,
						  .elements = pass->workers,
						  .size = way->worker_size,
						  .n = pass->n_workers });
		for (unsigned int i = 0; i < pass->n_workers && !err; i++)
			err = pass_worker(pass, i)->err;
		if (err || !way->slice)
			return err;
		err = way->slice(pass);
		if (err <= 0)
			return err;
		err = 0;
	}
}

int pass_finish(struct pass *pass, int err, struct diags *diags)
{
	const struct way *way = pass->how;

	err = err ?: way->join(pass, pass->stop);
	if (!err && pass->collect != NAMES_FIRST && !pass->until_full) {
		pass_account(pass);
		pass_count(pass);
	}
	/* also those of slices that were passed on */
	if (err && pass->plan->h->timer)
		pass->plan->h->account.hits = (struct hit_account){ .no_synth = 0 };
	for (size_t i = 0; i < pass->hists.n && err; i++)
		hist_count_clear(pass->hists.v[i]);
	for (unsigned int i = 0; pass->workers && i < pass->n_workers; i++) {
		struct worker *w = pass_worker(pass, i);

		diags_append(diags, &w->diags);
		if (pass->how->close)
			pass->how->close(w);
		for (size_t s = 0; w->sources && s < pass->plan->n_streams; s++)
			source_close(&w->sources[s]);
		diags_release(&w->diags);
		arena_release(&w->arena);
	}
	free(pass->workers);
	if (way->end)
		way->end(pass);
	array_release(&pass->hists);
	arena_release(&pass->arena);
	return err;
}

int pass_run(struct pass *pass, struct diags *diags)
{
	int err = pass_start(pass);

	return pass_finish(pass, err ? err : count_all(pass), diags);
}

/* Only derivers get records, which are not counted. A stream that is followed has no end. */
int pass_rehearse(struct ordered *o, const struct plan *plan, struct diags *diags)
{
	struct pass pass = { .ordered = o,
			     .plan = plan,
			     .way = WAY_ORDER,
			     .collect = NAMES_FIRST,
			     .context = &o->context };
	int err;

	if (plan->h->feed || !derived_rehearse(&o->derived, false))
		return 0;
	o->rehearses = true;
	err = pass_run(&pass, diags);
	o->rehearses = false;
	derived_rehearse(&o->derived, true);
	return err;
}
