// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The replay: runs recordings through the triggers of a tracing directory, and leaves the directory
 * as the kernel would have left it at the end of the recording.
 *
 * Every CPU of every selected buffer is a stream. The plan determines how each event is counted; a
 * pass counts all events of one way.
 */
#include "replay/account.h"
#include "replay/kept_derived.h"
#include "replay/way.h"
#include "tracing/event_pid.h"

/* Below that, starting threads takes longer than what they save. SMALL_PARTS: see way_range.c. */
#ifdef SMALL_PARTS
enum { UNMAP_BYTES = 1 };
#else
enum { UNMAP_BYTES = 32 << 20 };
#endif

struct replay {
	struct hist *h;
	struct diags *diags;
	struct arena arena;
	struct ordered ordered;
	ARRAY(struct stream) streams;
	ARRAY(u32) cpus;   /* of all streams that there are */
	size_t n_unmapped; /* atomic: of ->streams */
	struct plan plan;
	struct names names;
	enum plan_names collect;
	struct hit_context context;
	struct kept_replay kept;
	struct pass steps; /* of replay_step(), if ->stepping */
	bool stepping, stepped;
	bool found; /* h->window, by replay_window_find() */
};

/* --- streams --- */

/*
 * Whether all records are read: also those outside the span are needed, because they name tasks or
 * the program traced events between them, or there are no others.
 */
static bool reads_all(const struct replay *r, const struct recording *rec,
		      const struct trace_array *tr)
{
	const struct replay_span *span = &r->h->span;
	u64 from = 0, to = UINT64_MAX;

	return !r->h->window.on &&
	       (r->ordered.needs.comm || event_pid_follows(tr) || r->h->tracing->traced.n ||
		derived_any(&r->ordered.derived) || (!span->from && span->to == UINT64_MAX) ||
		(slimmed_part(rec, &from, &to) && from == span->from && to == span->to));
}

static int add_streams(struct replay *r, struct recording *rec, struct trace_array *tr)
{
	const char *name = tr->name[0] ? tr->name : r->h->buffer;
	const struct replay_feed *feed = r->h->feed; /* of the top level */
	const struct replay_span *span = &r->h->span;
	bool all = feed || reads_all(r, rec, tr);
	struct dispatch_table *table;
	size_t buffer;
	int err = 0;

	if (!recording_find_buffer(rec, name, &buffer) || rec->buffers[buffer].text ||
	    (feed && tr->name[0]))
		return 0;
	table = dispatch_table_new(r->h, rec, tr, &r->ordered.needs, &r->arena);
	if (!table)
		return HIST_NOMEM;
	derived_note(&r->ordered.derived, rec, tr, table);
	if (!feed)
		err = stream_make_records(r->h, rec, all ? table : NULL, r->diags);
	if (!all && !err)
		err = recordings_find_times(&r->h->recordings, name);
	for (size_t i = 0; i < (feed ? feed->n_cpus : rec->buffers[buffer].n_cpus) && !err; i++) {
		struct stream s = { .of = { rec, buffer, i },
				    .cpu = feed ? feed->cpus[i] : rec->buffers[buffer].cpus[i].cpu,
				    .tr = tr,
				    .table = table,
				    .layout = { rec->info->big_endian, rec->info->long_size,
						feed ? feed->subbuf_size
						     : rec->buffers[buffer].subbuf_size },
				    .feed = feed };

		/* ORDER by_rank in merge.c, also of CPUs that are left out */
		for (size_t k = 0; k < r->cpus.n; k++)
			s.rank += r->cpus.v[k] <= s.cpu;
		for (size_t k = 0; k < r->streams.n; k++)
			r->streams.v[k].rank += r->streams.v[k].cpu > s.cpu;
		err = array_push(&r->cpus, s.cpu);
		s.names = !derived_any(&r->ordered.derived) && !replay_span_has_cpu(span, s.cpu);
		if (s.names && !r->ordered.needs.comm)
			continue;
		err = err ? err : feed ? 0 : stream_open(&s, all ? NULL : r->h, r->diags);
		err = err ?: array_push(&r->streams, s);
		if (err)
			stream_close(&s);
	}
	return err;
}

static int find_streams(struct replay *r)
{
	int err = 0;

	for (size_t i = 0; i < r->h->recordings.files.n; i++)
		for (struct trace_array *tr = r->h->tracing->top; tr && !err; tr = tr->next)
			err = add_streams(r, &r->h->recordings.files.v[i], tr);
	return err;
}

/*
 * Unmap what was read, by all threads; otherwise, one does this at the end of the process. It
 * interrupts all threads, so there is one call for a stream.
 */
static void *unmap_streams(void *replay)
{
	struct replay *r = replay;
	size_t i;

	while ((i = __atomic_fetch_add(&r->n_unmapped, 1, __ATOMIC_RELAXED)) < r->streams.n) {
		const struct stream *s = &r->streams.v[i];

		trace_dat_pages_map(s->pages, s->first, s->end, false);
	}
	return NULL;
}

static void close_streams(struct replay *r)
{
	size_t n = min_t(size_t, r->plan.threads, r->streams.n);
	u64 bytes = 0;

	for (size_t i = 0; i < r->streams.n; i++)
		if (r->streams.v[i].stays)
			bytes += (r->streams.v[i].end - r->streams.v[i].first) *
				 r->streams.v[i].layout.subbuf_size;
	if (n > 1 && bytes >= UNMAP_BYTES)
		threads_run(&(struct thread_job){
			.work = unmap_streams, .elements = r, .n = (unsigned int)n });
	for (size_t i = 0; i < r->streams.n; i++)
		stream_close(&r->streams.v[i]);
	array_release(&r->streams);
	array_release(&r->cpus);
}

/* --- passes --- */

static void prepare_pass(struct replay *r, struct pass *pass)
{
	pass->ordered = &r->ordered;
	pass->plan = &r->plan;
	pass->names = r->ordered.names;
	pass->context = &r->context;
	pass->whole = replay_span_is_whole(&r->h->span);
}

static int run_pass(struct replay *r, struct pass *pass)
{
	prepare_pass(r, pass);
	return pass_run(pass, r->diags);
}

/* Find the first keys for the maps in @full, in record order; counts nothing. */
static int find_first_keys(struct replay *r, hist_count_array *full)
{
	struct pass pass = { .way = WAY_ORDER, .until_full = true, .full = full };
	scoped(free_scoped) hist_count_array all = ARRAY_INIT;
	int err = run_pass(r, &pass);

	for (size_t i = 0; i < r->plan.events.n && !err; i++)
		if (r->plan.events.v[i].way == WAY_RANGE)
			err = event_reached_hists(r->plan.events.v[i].file, &all);
	for (size_t i = 0; i < all.n; i++)
		hist_keep_keys(all.v[i]);
	for (size_t s = 0; s < r->streams.n; s++)
		for (u32 id = 0; id < r->streams.v[s].table->n; id++)
			if (r->streams.v[s].table->by_id[id].way == WAY_RANGE)
				r->streams.v[s].table->by_id[id].count = 0;
	return err;
}

/*
 * By range, repeat as long as maps turn out to be too small; but slices that were passed on cannot
 * be counted again. 1: the events must be counted in order.
 */
static int run_way(struct replay *r, enum plan_way way)
{
	scoped(free_scoped) hist_count_array full = ARRAY_INIT;
	bool again;
	int err;

	do {
		struct pass pass = { .way = way, .full = &full };
		size_t known = full.n;

		if (way == WAY_RANGE && !r->names.built)
			pass.collect = r->collect;
		err = run_pass(r, &pass);
		again = err > 0 && full.n > known && way == WAY_RANGE && !r->h->timer;
		if (again)
			err = find_first_keys(r, &full) ?: 1;
		again &= err > 0 && pass_all_full(&full);
	} while (again);
	return err;
}

static const char *comm_at(void *arg, const struct hit *hit)
{
	struct names *names = arg;
	const struct name_place place = { hit->ts, hit->at };

	/* late names are set when all records were read */
	return names->built ? names_at(names, hit->pid, hit->cpu, place).name : "";
}

/*
 * Who tasks were, unless that is known. 1: the times of a CPU go back, so that only the replay in
 * order is right.
 */
static int find_names(struct replay *r)
{
	int err = !r->names.built;

	while (err > 0 && !r->names.built) {
		struct pass pass = { .way = WAY_RANGE, .collect = NAMES_FIRST };

		err = run_pass(r, &pass);
	}
	return err;
}

/*
 * A complete journal has all names, so that the records need not be searched. kernel: a task can
 * be interrupted between the record of its rename and the change of its name, for some ns; only
 * its next record with a name would show that.
 */
static int build_from_journal(struct replay *r)
{
	struct names *names = &r->names;
	int err = names_build(names, NULL, 0);

	for (size_t i = 0; i < r->streams.n && !err; i++)
		err = names_add_idle(names, r->streams.v[i].cpu);
	if (!err && names->processes.asked)
		err = processes_build(names, NULL, 0);
	return err;
}

static int learn_names(struct replay *r)
{
	const struct recordings *recs = &r->h->recordings;
	const struct replay_feed *feed = r->h->feed;
	bool slimmed = false;
	int err = 0;

	if (!r->ordered.needs.comm)
		return 0;
	for (size_t i = 0; i < recs->files.n && !err && !feed; i++) {
		slimmed |= slimmed_text(&recs->files.v[i]).n;
		err = slimmed_names(&recs->files.v[i], &r->names);
		err = err ?: recording_task_names(&recs->files.v[i], !i, &r->names);
	}
	r->names.processes.asked = r->ordered.needs.who;
	r->names.processes.cgroup_depth = r->h->cgroup_depth;
	r->names.processes.chosen = r->h->cgroup_hierarchy;
	replay_window_limit(&r->h->window, &r->names);
	r->names.asked = r->h->observer ? r->h->observer->who : NULL;
	r->ordered.names = &r->names;
	r->h->tracing->count->texts = r->context.texts = r->ordered.context.texts =
		&r->names.processes.sorted;
	r->context.arg = &r->names;
	r->context.comm = comm_at;
	if (feed)
		return feed->follow(feed->arg, &r->names, r->ordered.needs.who, r->diags);
	/* the journal of a smaller recording may lack tasks that its records name */
	if (!err && r->names.complete && r->names.known.n && !slimmed)
		err = build_from_journal(r);
	r->collect = plan_names(&r->plan);
	if (!err && r->collect != NAMES_LATE)
		err = find_names(r);
	if (err <= 0)
		return err;
	plan_fall_back(&r->plan, WAY_RANGE);
	if (r->h->explain)
		plan_explain(&r->plan, r->diags);
	return 0;
}

static struct stream_account lost_records(const struct replay *r)
{
	struct stream_account sum = { .missed = 0 };

	for (size_t i = 0; i < r->streams.n; i++) {
		sum.missed += r->streams.v[i].account.missed;
		sum.missed_unknown |= r->streams.v[i].account.missed_unknown;
	}
	return sum;
}

/* Intervals that are still running, which belong to the time at which the recording ends. */
static void finish_derived(struct replay *r)
{
	struct derived *d = &r->ordered.derived;
	const struct replay_timer *timer = r->h->timer;

	if (!derived_any(d))
		return;
	for (size_t i = 0; i < r->streams.n && r->h->feed; i++)
		d->times.last = max_t(u64, d->times.last, r->streams.v[i].account.last);
	if (timer && d->times.last >= timer->end) {
		struct stream_account sum = lost_records(r);

		timer->passed(timer->arg, d->times.last, sum.missed, sum.missed_unknown);
	}
	derived_finish(d);
}

/*
 * Run the faster ways first; events that turn out to depend on the order are counted in order at
 * the end.
 */
static int run_plan(struct replay *r)
{
	int err;

	if (r->kept.used) {
		kept_replay_run(&r->kept, &r->plan, &r->ordered.derived, r->diags);
		return 0;
	}
	err = pass_rehearse(&r->ordered, &r->plan, r->diags) ?: learn_names(r);

	for (enum plan_way way = WAY_RANGE; way < N_WAYS && err >= 0; way++) {
		if (!r->plan.any[way])
			continue;
		err = run_way(r, way);
		if (err > 0)
			plan_fall_back(&r->plan, way);
		if (err > 0 && r->h->explain)
			plan_explain(&r->plan, r->diags);
	}
	if (err < 0)
		return err;
	if (r->ordered.needs.comm && !r->h->feed)
		err = find_names(r);
	if (err >= 0 && r->plan.any[WAY_ORDER])
		err = run_way(r, WAY_ORDER);
	if (err > 0 && r->plan.windows) {
		r->plan.windows = false;
		derive_forget_parts(r->ordered.derived.all.v[0]);
		if (r->h->explain)
			plan_explain(&r->plan, r->diags);
		err = run_way(r, WAY_ORDER);
	}
	if (err >= 0)
		finish_derived(r);
	if (err >= 0)
		kept_replay_add(&r->kept, &r->plan, &r->ordered.derived);
	return err < 0 ? err : traced_run_rest(&r->ordered.traced);
}

/* --- afterwards --- */

/* What keys about tasks are called, as long as their rows are printed. */
static int keep_texts(const struct replay *r)
{
	const struct who_texts *from = &r->names.processes.sorted;
	struct count *count = r->h->tracing->count;
	struct who_texts *texts = arena_alloc(&count->arena, sizeof(*texts));
	const char **v = arena_alloc(&count->arena, (from->n + 1) * sizeof(*v));

	count->texts = texts;
	if (!texts || !v)
		return HIST_NOMEM;
	*texts = (struct who_texts){
		.db = r->h->recordings.db, .v = v, .n = from->n, .unsorted = from->unsorted
	};
	for (u32 i = 0; i < from->n; i++)
		v[i] = arena_strdup(&count->arena, from->v[i]);
	return count->arena.failed ? HIST_NOMEM : 0;
}

/* --- all together --- */

static void check_names(const struct replay *r)
{
	const struct recordings *recs = &r->h->recordings;

	for (size_t i = 0; i < recs->files.n && r->ordered.needs.comm; i++) {
		if (!slimmed_lacks_names(&recs->files.v[i]) ||
		    recording_has_all_tasks(&recs->files.v[i]))
			continue;
		r->h->doubtful = true;
		diags_add(r->diags, DIAG_WARNING,
			  "%s: names of tasks may be those of another time: hist slim left out the "
			  "events with names, which its script did not need; use the original, or "
			  "give hist slim an option that needs them, such as --by comm",
			  recs->files.v[i].path);
		return;
	}
}

/* Before the first record is counted. */
static int begin(struct replay *r)
{
	struct hist *h = r->h;
	int err;

	h->account = (struct replay_account){ .missed = 0 };
	h->ways = 0;
	h->tracing->beyond = 0;
	h->tracing->observed = h->observer != NULL;
	h->tracing->reads_stacks = h->observer && h->observer->reads_stacks;
	h->tracing->plain = h->plan == HIST_PLAN_PLAIN;
	if (h->observer && h->observer->begin)
		h->observer->begin(h->observer->arg);
	err = derived_find_stacks(h);
	tracing_reset(h->tracing);
	ordered_init(&r->ordered, h);
	r->context = r->ordered.context;
	names_init(&r->names, h->recordings.db);
	err = err || tracing_failed(h->tracing)
		      ? HIST_NOMEM
		      : derived_init(&r->ordered.derived, h, &r->ordered.context, r->diags);
	err = err ?: find_streams(r);
	err = err ?: eprobes_find_unrecorded(h->tracing, r->streams.v, r->streams.n, r->diags);
	replay_collect_caveats(h, r->streams.v, r->streams.n);
	r->plan = (struct plan){ .h = h,
				 .streams = r->streams.v,
				 .n_streams = r->streams.n,
				 .derives = derived_any(&r->ordered.derived) };
	err = err ?: plan_make(&r->plan, &r->ordered.needs, r->diags);
	err = err ?: kept_replay_open(&r->kept, &r->plan, &r->ordered.derived);
	if (err)
		return err;
	r->plan.windows = way_windows_fits(&r->plan, &r->ordered.derived);
	if (h->explain)
		plan_explain(&r->plan, r->diags);
	check_names(r);
	return 0;
}

/* After the last one, or after an error. */
static int finish(struct replay *r, int err)
{
	struct hist *h = r->h;
	struct diags *diags = r->diags;

	for (int way = 0; way < N_WAYS; way++)
		h->ways |= (u8)(r->plan.any[way] << way);
	if (!err)
		err = r->ordered.no_memory || r->ordered.derived.failed
			      ? HIST_NOMEM
			      : replay_check_memory(h, diags);
	if (!err)
		derived_account(&r->ordered.derived, h, diags);
	if (!err)
		replay_account_names(h, &r->names, r->ordered.needs.who, diags);
	if (!err && !h->feed)
		replay_account_streams(h, r->streams.v, r->streams.n, diags);
	if (!err)
		replay_note_limits(h, r->streams.v, r->streams.n, diags);
	if (!err && h->timer) {
		struct replay_timer *timer = r->h->timer;
		struct stream_account sum = lost_records(r);

		timer->finish(timer->arg, sum.missed, sum.missed_unknown, r->diags);
	}
	if (!err)
		replay_account(h, r->streams.v, r->streams.n, diags);
	if (!err && h->window.on)
		replay_window_judge(&h->window, &r->ordered, &r->names, &h->account);
	plan_release(&r->plan);
	close_streams(r);
	kept_replay_close(&r->kept);
	ordered_release(&r->ordered);
	if (h->tracing->count)
		h->tracing->count->texts = NULL;
	if (!err && r->ordered.needs.who)
		err = keep_texts(r);
	names_release(&r->names);
	arena_release(&r->arena);
	return err;
}

int replay_window_run(struct hist *h, struct diags *diags)
{
	struct replay r = { .h = h, .diags = diags };
	int err = begin(&r);

	return finish(&r, err ?: run_plan(&r));
}

int replay_run(struct hist *h, struct diags *diags)
{
	const bool given = h->window.on;
	int err = replay_check_selections(h, diags);

	err = err || given ? err : replay_window_find(h);
	err = err ?: replay_window_run(h, diags);
	h->part = h->window.on && !given;
	h->window.on = given;
	return err;
}

/* --- in steps --- */

static int start_steps(struct replay *r)
{
	int err = pass_rehearse(&r->ordered, &r->plan, r->diags) ?: learn_names(r);

	if (!err && r->ordered.needs.comm && !r->h->feed)
		err = min_t(int, find_names(r), 0);
	if (err || !r->plan.any[WAY_ORDER])
		return err;
	prepare_pass(r, &r->steps);
	r->stepping = true;
	return pass_start(&r->steps);
}

int replay_open(struct hist *h, struct replay **out, struct diags *diags)
{
	int err = replay_check_selections(h, diags);
	struct replay *r = err ? NULL : calloc(1, sizeof(*r));

	if (!r)
		return err ? err : HIST_NOMEM;
	r->h = h;
	r->diags = diags;
	r->steps.way = WAY_ORDER;
	r->found = !h->window.on;
	err = r->found ? replay_window_find(h) : 0;
	err = err ?: begin(r);
	if (!err && r->kept.used)
		err = kept_replay_start(&r->kept, &r->plan, &r->ordered.derived);
	else
		err = err ?: start_steps(r);
	*out = r;
	return err ? replay_close(r, err) : 0;
}

int replay_step(struct replay *r)
{
	int err = 0;

	if (r->kept.used)
		return kept_replay_step(&r->kept, &r->ordered);
	if (r->stepping && !r->stepped)
		err = pass_step(&r->steps);
	if (err)
		return err;
	if (!r->stepped)
		finish_derived(r);
	r->stepped = true;
	return traced_run_rest(&r->ordered.traced);
}

int replay_close(struct replay *r, int err)
{
	if (r->stepping)
		err = pass_finish(&r->steps, err, r->diags);
	if (!err && r->stepped)
		kept_replay_add(&r->kept, &r->plan, &r->ordered.derived);
	err = finish(r, err);
	r->h->window.on &= !r->found;
	free(r);
	return err;
}

int replay_if_needed(struct hist *h, struct diags *diags)
{
	int err;

	if (h->replayed && !h->changed)
		return 0;
	if (h->replayed)
		diags_add(diags, DIAG_NOTE,
			  "a trigger was added after the replay: replaying from the start");
	err = replay_run(h, diags);
	h->replayed = !err;
	h->changed = false;
	return err;
}
