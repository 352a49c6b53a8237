// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A flight recorder: between a recording, which keeps its last part, and the thread that evaluates
 * conditions. Decides when a file is written, and runs the command for it.
 */
#include "live/by_kernel.h"
#include "live/runs.h"

struct live {
	const struct live_options *options;
	struct diags *diags; /* of the caller */
	struct matcher matcher;
	struct live_runs runs;
	struct by_kernel by_kernel;
	struct flight_window window; /* of the file that is being written */
	char *output;
	u64 files;
	u64 cut_short; /* files that lack some of --after */
	u64 lacking;   /* and of --keep */
	u64 unwritten; /* of ->files: they could not be written */
	bool ending;
	struct strbuf list;   /* the first files, a line each */
	struct strbuf failed; /* the last command that failed */
};

static void report(const struct live *l, const char *line)
{
	if (l->options->report)
		l->options->report(l->options->arg, line);
}

/* --- before the recording --- */

int live_new(const struct live_options *options, struct live **live, struct diags *diags)
{
	struct live *l = calloc(1, sizeof(*l));

	*live = l;
	if (!l)
		return HIST_NOMEM;
	l->options = l->matcher.flight.options = options;
	l->diags = diags;
	l->matcher.writing = UINT64_MAX;
	pthread_mutex_init(&l->matcher.mutex, NULL);
	l->runs.command = options->command;
	l->runs.limit_ns = options->command_ns;
	return 0;
}

int live_prepare(struct live *live, const char *machine, struct span script, struct diags *diags)
{
	struct matcher *m = &live->matcher;
	int err = match_open(m, machine, diags);

	if (err)
		return err;
	m->script = hist_script_new();
	err = m->script ? hist_script_parse(m->script, "script", script.s ? script.s : "", script.n,
					    diags)
			: HIST_NOMEM;
	return err ? err : match_choose(m, live->options, diags);
}

const struct record_until *live_until(struct live *live)
{
	struct matcher *m = &live->matcher;

	if (live->options->way == LIVE_ENGINE)
		live->by_kernel.why = "--plan=engine";
	else
		by_kernel_plan(&live->by_kernel, m->h, m->script, &m->choices);
	return live->by_kernel.why ? NULL : &live->by_kernel.until;
}

static int live_start(void *arg, struct kept *kept)
{
	struct live *l = arg;
	const struct live_options *o = l->options;
	const char *why = l->by_kernel.why ? l->by_kernel.why : kept->why;

	if (!kept->until && o->way == LIVE_KERNEL)
		return diags_error(l->diags, -HIST_EUNSUPPORTED,
				   "--plan=kernel: the kernel cannot wait for the events: %s", why);
	if (o->explain && kept->until)
		diags_add(l->diags, DIAG_NOTE,
			  "the kernel evaluates the conditions, in the instance %s; hist sleeps "
			  "until an event matches",
			  kept->until->session.name);
	else if (o->explain)
		diags_add(l->diags, DIAG_NOTE,
			  "hist evaluates the conditions, on the sub-buffers that it moves out of "
			  "the kernel; the kernel does not: %s",
			  why);
	if (o->explain)
		diags_add(l->diags, DIAG_NOTE, "what is kept is %s%s",
			  kept->ring_ns
				  ? "in the buffers of the kernel while they last for --keep, "
				    "otherwise "
				  : "",
			  o->memory ? "in memory" : "next to the file, on the disk");
	return match_start(&l->matcher, kept, l->diags);
}

/* --- files --- */

static bool make_cut(struct live *l, struct record_cut *cut)
{
	const struct live_options *o = l->options;
	const struct flight_window *w = &l->window;

	l->output = record_output_name(o->output, l->files + 1);
	*cut = (struct record_cut){
		.output = l->output,
		.from = o->keep_ns && w->first > o->keep_ns ? w->first - o->keep_ns : 0,
		.to = add_saturated(w->last, o->after_ns),
		.marks = { w->marks.s, w->marks.len },
	};
	if (!l->output)
		flight_window_release(&l->window);
	return l->output;
}

/* Take the next window that is due. */
static bool take_window(struct live *l, bool ended)
{
	struct matcher *m = &l->matcher;
	const u64 keep = l->options->keep_ns;
	/* what waits for room cannot be evaluated: then the first file ends early */
	bool due, full = !ended && kept_is_full(m->kept);

	pthread_mutex_lock(&m->mutex);
	due = flight_take(&m->flight, ended || full ? UINT64_MAX : m->evaluated, &l->window);
	l->cut_short += due && full;
	if (due) {
		m->writing = keep && l->window.since > keep ? l->window.since - keep : 0;
		match_limit(m);
	}
	pthread_mutex_unlock(&m->mutex);
	return due;
}

/* A window without an event. */
static void ask(struct live *l, const char *name)
{
	struct matcher *m = &l->matcher;
	struct flight_event e = { .name = name, .text = "", .since = monotonic_ns() };
	u64 now = match_now(m);

	pthread_mutex_lock(&m->mutex);
	e.ts = max_t(u64, m->latest, now);
	if (flight_ask(&m->flight, &e))
		report(l, "out of memory: no file is written");
	match_limit(m);
	pthread_mutex_unlock(&m->mutex);
	if (now)
		until_wake(m->kept->until);
}

static void live_asked(void *arg)
{
	ask(arg, "by-hand");
}

static void check_runs(struct live *l)
{
	scoped(strbuf_release) struct strbuf failure = STRBUF_INIT;

	live_runs_check(&l->runs, &failure);
	if (failure.len) {
		report(l, failure.s);
		strbuf_reset(&l->failed);
		strbuf_addstr(&l->failed, failure.s);
	}
}

static bool is_done(struct live *l)
{
	struct matcher *m = &l->matcher;
	bool done;

	pthread_mutex_lock(&m->mutex);
	done = flight_is_full(&m->flight) && !m->flight.windows.n;
	pthread_mutex_unlock(&m->mutex);
	return done || atomic_load(&m->done);
}

static enum record_next live_next(void *arg, bool ended, struct record_cut *cut)
{
	struct live *l = arg;
	struct matcher *m = &l->matcher;

	check_runs(l);
	if (!ended && m->kept->until) {
		/* its thread sleeps, while what is kept becomes older */
		pthread_mutex_lock(&m->mutex);
		match_limit(m);
		pthread_mutex_unlock(&m->mutex);
	}
	if (ended && !l->ending) {
		l->ending = true;
		/* what follows the last file is not looked at */
		match_join(m, is_done(l));
		if (l->options->write_last)
			ask(l, "end");
	}
	if (take_window(l, ended))
		return make_cut(l, cut) ? RECORD_CUT : RECORD_END;
	if (ended) {
		while (l->runs.all.n) {
			check_runs(l);
			if (l->runs.all.n)
				usleep(20000);
		}
		return RECORD_END;
	}
	return is_done(l) ? RECORD_END : RECORD_GO_ON;
}

static void live_written(void *arg, const struct record_cut *cut, u64 bytes, int err)
{
	struct live *l = arg;
	struct matcher *m = &l->matcher;
	scoped(strbuf_release) struct strbuf line = STRBUF_INIT, failure = STRBUF_INIT;
	const struct flight_window *w = &l->window;
	struct span rest = { w->first_text.s, w->first_text.len }, event = span_sep(&rest, " ");
	const char *name = arena_strndup(&l->diags->arena, event.s, event.n);

	pthread_mutex_lock(&m->mutex);
	m->writing = UINT64_MAX;
	match_limit(m);
	pthread_mutex_unlock(&m->mutex);
	if (err)
		strbuf_addf(&line, "%s was not written: %s", cut->output, w->first_text.s);
	else
		strbuf_addf(&line, "%s: %s", cut->output, w->first_text.s);
	if (w->n_marks > 1)
		strbuf_addf(&line, ", and %zu more", w->n_marks - 1);
	strbuf_addf(&line, "; %.1f MiB", (double)bytes / (1 << 20));
	if (cut->begin)
		strbuf_addf(&line, "; of CPU %u only the last %.3f s before it", cut->begin_cpu,
			    w->first > cut->begin ? (double)(w->first - cut->begin) / 1e9 : 0);
	report(l, line.s);
	l->lacking += cut->begin && !err;
	l->unwritten += err != 0;
	if (l->files++ < FLIGHT_LISTED)
		strbuf_addf(&l->list, "%s\n", line.s);
	if (!err && l->runs.command && name) {
		live_run(&l->runs, &(struct live_run_of){ cut->output, name, w->first }, &failure);
		if (failure.len)
			report(l, failure.s);
	}
	flight_window_release(&l->window);
	free(l->output);
	l->output = NULL;
}

static void live_stop(void *arg)
{
	struct live *l = arg;

	match_join(&l->matcher, true);
}

struct record_keep live_keep(struct live *live)
{
	return (struct record_keep){ .arg = live,
				     .ns = live->options->keep_ns,
				     .start = live_start,
				     .stop = live_stop,
				     .next = live_next,
				     .written = live_written,
				     .asked = live_asked };
}

/* --- after the recording --- */

static void summarize_ignored(const struct flight *f, struct diags *diags)
{
	const struct {
		u64 n;
		const char *why;
	} ignored[] = {
		{ f->unarmed, "in the time of --arm" },
		{ f->cooled, "in the time of --cooldown" },
		{ f->beyond, "after the last file of --times" },
		{ f->crowded, "while too many files waited to be written" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		if (ignored[i].n)
			diags_add(diags, ignored[i].n == f->crowded ? DIAG_WARNING : DIAG_NOTE,
				  "%llu event%s matched %s: no file was written for %s",
				  ignored[i].n, plural(ignored[i].n), ignored[i].why,
				  ignored[i].n == 1 ? "it" : "them");
}

static void summarize_rings(const struct matcher *m, u64 keep, struct diags *diags)
{
	const double s = (double)m->ring_lasts / 1e9;

	if (m->small_rings)
		diags_add(
			diags, DIAG_NOTE,
			"the buffers of %zu CPU%s last for %.3g s, which is too little for --keep: their events were moved out of them; buffers of %.3g times the size (-b) would do",
			m->small_rings, plural(m->small_rings), s,
			(double)keep * 1.5 / (double)m->ring_lasts);
	else
		diags_add(diags, DIAG_NOTE,
			  "what is kept was in the buffers of the kernel until a file was wanted");
}

int live_summarize(const struct live *live, struct diags *diags)
{
	const struct matcher *m = &live->matcher;
	const struct flight *f = &m->flight;
	struct span lines = { live->list.s, live->list.len };
	const u64 written = live->files - live->unwritten;

	diags_add(diags, DIAG_NOTE,
		  "%llu event%s matched, %llu file%s written, %.1f MiB were kept%s", f->matched,
		  plural(f->matched), written, plural_were(written), (double)m->most / (1 << 20),
		  lines.n ? ":" : "");
	while (lines.n) {
		struct span line = span_sep(&lines, "\n");

		diags_add(diags, DIAG_NOTE, "%.*s", (int)line.n, line.s);
	}
	if (live->files > FLIGHT_LISTED)
		diags_add(diags, DIAG_NOTE, "and %llu more file%s", live->files - FLIGHT_LISTED,
			  plural(live->files - FLIGHT_LISTED));
	summarize_ignored(f, diags);
	if (m->feed.skipped)
		diags_add(
			diags, DIAG_WARNING,
			"the conditions were not evaluated on %llu of %llu sub-buffers, which were replaced before: record fewer events, or keep more",
			m->feed.skipped, m->feed.taken);
	if (m->feed.behind > 1000000000)
		diags_add(diags, DIAG_NOTE, "conditions were evaluated at most %.1f s late",
			  (double)m->feed.behind / 1e9);
	if (m->lost)
		diags_add(
			diags, DIAG_WARNING,
			"%llu events that matched came so fast that the kernel had no room for them: no file was written for them",
			m->lost);
	if (m->early && live->options->keep_ns)
		diags_add(
			diags, DIAG_NOTE,
			"there was no room to keep all of the time of --keep; --memory, or the free space of the disk, limits it");
	if (live->lacking)
		diags_add(diags, DIAG_WARNING,
			  "%llu file%s some of the time of --keep: use larger buffers (-b), or "
			  "--plan=engine, which does not keep in them",
			  live->lacking, live->lacking == 1 ? " lacks" : "s lack");
	if (live->options->explain && m->used_rings)
		summarize_rings(m, live->options->keep_ns, diags);
	if (live->runs.failed)
		diags_add(diags, DIAG_WARNING, "%llu of %llu commands of --exec failed: %s",
			  live->runs.failed, live->runs.started, live->failed.s);
	if (live->cut_short)
		diags_add(
			diags, DIAG_WARNING,
			"%llu file%s may lack some of the time of --after, because what is kept was full: "
			"keep more",
			live->cut_short, plural(live->cut_short));
	diags_append(diags, &m->diags);
	if (m->err < 0)
		diags_error(diags, m->err, "the conditions were not evaluated to the end%s",
			    m->err == HIST_NOMEM ? ": out of memory" : "");
	return m->err;
}

void live_close(struct live *live)
{
	if (!live)
		return;
	match_release(&live->matcher);
	by_kernel_release(&live->by_kernel);
	live_runs_release(&live->runs);
	strbuf_release(&live->list);
	strbuf_release(&live->failed);
	free(live->output);
	free(live);
}
