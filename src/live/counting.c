// SPDX-License-Identifier: LGPL-2.1-only
/* The thread that counts: hist_run() on a feed, which it refreshes between two rounds. */
#include "count/count.h"
#include "live/counting.h"

/* How much later than the readers it may be before it skips; a refresh takes a fourth of the time.
 */
enum { BEHIND_MAX_S = 2, COUNTING_SHARE = 4 };

/* While the kernel counts, the end is noticed after this time. */
enum { SLEEP_MS = 100 };

static u64 minus(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/* --- refreshes --- */

static void note_state(struct counting *c, u64 now)
{
	struct kept_feed *f = &c->feed;

	if (!f->feed.first)
		f->feed.first = kept_feed_start(f);
	f->feed.last = max_t(u64, f->feed.first, minus(f->complete, 1));
	f->feed.lost = atomic_load_explicit(&c->lost, memory_order_relaxed);
	/* how many events they had is not known */
	f->feed.lost_unknown = f->skipped;
	c->state.at = now;
	c->state.first = f->feed.first;
	c->state.last = f->feed.last;
	c->state.taken = f->taken;
	c->state.skipped = f->skipped;
	c->state.behind = f->round ? minus(now, f->round) : 0;
}

/* Tables that take long to copy are passed on less often: most of the time is for counting. */
static void refresh(struct counting *c, u64 now)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = strbuf_sink };
	/* reading what the kernel counts is a part of it */
	const u64 begun = c->feed.kept->until ? c->feed.complete_since : now;

	/* a table that cannot grow is wrong from here on: end with the reason */
	if (output_refresh(c->h, &p))
		atomic_store(&c->feed.stop, true);
	else
		c->options->refreshed(c->options->arg, &c->state);
	printer_end(&p);
	c->next = max_t(u64, c->next, begun + COUNTING_SHARE * (monotonic_ns() - begun));
}

static void counting_replayed(void *arg)
{
	struct counting *c = arg;
	const u64 now = monotonic_ns();

	/* nothing is kept, but what was not counted, for some time */
	kept_limit(c->feed.kept,
		   max_t(u64, c->feed.complete_since, minus(now, BEHIND_MAX_S * 1000000000ull)),
		   UINT64_MAX);
	note_state(c, now);
	if (now < c->next)
		return;
	c->next += c->options->interval * ((now - c->next) / c->options->interval + 1);
	refresh(c, now);
}

/* --- what the kernel counts --- */

static int read_rows(struct counting *c, const struct trigger *trigger)
{
	struct hist_count *hc = hist_count_of(trigger->hist);
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	scoped(free_scoped) char *text = NULL;
	int err = HIST_NOMEM;

	event_file_path(&path, trigger->file, "hist");
	if (!path.failed) {
		text = until_file(c->feed.kept->until, path.s);
		err = text ? kernel_rows_read(hc, span_of(text))
			   : diags_error(&c->diags, -HIST_EIO, "cannot read %s: %s", path.s,
					 strerror(errno));
	}
	if (err == -HIST_EINVAL)
		diags_error(&c->diags, err, "%s of the kernel is not as expected", path.s);
	/* which rows are dropped is an accident: a question has an answer with all */
	c->dropped |= !err && trigger->hist->question && hist_map(hc)->drops;
	return err;
}

static void wait_for_rows(struct kept_feed *f)
{
	struct counting *c = f->arg;
	const struct tracing *t = c->h->tracing;
	u64 now;

	while (!kept_feed_is_over(f) && (now = monotonic_ns()) < c->next)
		kept_feed_pause((long)min_t(u64, (c->next - now) / 1000000 + 1, SLEEP_MS));
	f->complete_since = monotonic_ns();
	if (!f->feed.first)
		f->feed.first = until_now(f->kept->until);
	for (size_t i = 0; i < t->triggers.n && !f->err; i++)
		if (t->triggers.v[i] && t->triggers.v[i]->hist)
			f->err = read_rows(c, t->triggers.v[i]);
	if (!f->err && c->dropped)
		f->err = -HIST_EUNSUPPORTED;
	f->complete = max_t(u64, f->complete + 1, until_now(f->kept->until));
	if (!f->err)
		f->replayed(f->arg);
}

static int take_nothing(struct kept_feed *f, size_t i, bool ended, struct fed *fed)
{
	(void)i, (void)fed;
	/* the last rows are read when no more are counted */
	if (ended && !f->woke && !atomic_load(&f->stop)) {
		f->woke = true;
		f->wait(f);
	}
	return f->err;
}

/* Who counts, or an error if the kernel had to and cannot. */
static int choose_way(struct counting *c, const struct kept *kept, struct diags *diags)
{
	const struct counting_options *o = c->options;
	const char *why = c->by_kernel.why ? c->by_kernel.why : kept->why;

	if (!kept->until && o->way == LIVE_KERNEL)
		return diags_error(diags, -HIST_EUNSUPPORTED,
				   "--plan=kernel: the kernel cannot count: %s", why);
	if (o->explain && kept->until)
		diags_add(diags, DIAG_NOTE,
			  "the kernel counts, in the instance %s; hist reads its tables",
			  kept->until->session.name);
	else if (o->explain)
		diags_add(diags, DIAG_NOTE, "hist counts; the kernel does not: %s", why);
	if (kept->until) {
		c->feed.take = take_nothing;
		c->feed.wait = wait_for_rows;
	}
	return 0;
}

static void *counting_thread(void *arg)
{
	struct counting *c = arg;

	c->err = hist_run(c->h, c->script, &c->options->run, strbuf_sink, NULL, &c->diags);
	if (!c->err) {
		note_state(c, monotonic_ns());
		c->options->refreshed(c->options->arg, &c->state);
	}
	atomic_store(&c->done, true);
	return NULL;
}

/* --- start and end --- */

int counting_prepare(struct counting *c, const struct counting_options *options,
		     const char *machine, struct span script, struct diags *diags)
{
	const struct hist_options open = {
		.inputs = &machine, .n_inputs = 1, .jobs = 1, .plan = HIST_PLAN_ORDER
	};
	int err = hist_open(&open, &c->h, diags);

	c->options = options;
	if (err)
		return err;
	hist_limit_memory(c->h, options->memory);
	directory_of(c->h)->output.take = options->take;
	directory_of(c->h)->output.take_arg = options->arg;
	c->script = hist_script_new();
	err = c->script ? hist_script_parse(c->script, "script", script.s ? script.s : "", script.n,
					    diags)
			: HIST_NOMEM;
	if (!err && options->way == LIVE_ENGINE)
		c->by_kernel.why = "--plan=engine";
	else if (!err)
		by_kernel_count(&c->by_kernel, c->h, c->script, machine, options->run.stats);
	return err;
}

const struct record_until *counting_until(struct counting *c)
{
	return c->by_kernel.why ? NULL : &c->by_kernel.until;
}

int counting_start(struct counting *c, struct kept *kept, struct diags *diags)
{
	const struct trace_dat_info *info = c->h->recordings.files.v[0].info;
	const struct ring_buffer_layout layout = { info->big_endian, info->long_size,
						   kept->subbuf };
	int err = kept_feed_open(&c->feed, kept, &layout);

	err = err ?: choose_way(c, kept, diags);
	if (err)
		return err;
	c->feed.replayed = counting_replayed;
	c->feed.arg = c;
	c->feed.diags = &c->diags;
	c->h->feed = &c->feed.feed;
	c->next = monotonic_ns() + c->options->interval;
	err = pthread_create(&c->thread, NULL, counting_thread, c);
	c->running = !err;
	return err ? diags_error(diags, -HIST_EIO, "cannot start a thread: %s", strerror(err)) : 0;
}

void counting_join(struct counting *c, bool stop)
{
	kept_feed_end(&c->feed, stop);
	if (c->running)
		pthread_join(c->thread, NULL);
	c->running = false;
}

void counting_release(struct counting *c)
{
	counting_join(c, true);
	kept_feed_release(&c->feed);
	hist_close(c->h);
	hist_script_free(c->script);
	by_kernel_release(&c->by_kernel);
	diags_release(&c->diags);
}
