// SPDX-License-Identifier: LGPL-2.1-only
/* Between the recording, the thread that counts and the one that shows. */
#include <sys/resource.h>
#include <time.h>

#include "top/top_state.h"
#include "top/top_terminal.h"

/* Memory for what was recorded but not counted yet. */
enum { KEPT = 64 << 20 };

/* --- what is counted, on the thread that counts --- */

static int top_take(void *arg, const struct taken_result *t)
{
	struct top *top = arg;
	struct taken_result dropped = *t;
	struct top_rows none = { .key = STRBUF_INIT };
	int err = 0;

	pthread_mutex_lock(&top->mutex);
	if (top->next == top->tables.n)
		err = array_push(&top->tables, none);
	if (top->paused && !err)
		taken_result_free(&dropped);
	else
		err = err ?: top_rows_refresh(&top->tables.v[top->next], t);
	top->next++;
	pthread_mutex_unlock(&top->mutex);
	return err;
}

/* Rows that cannot be sorted as the user wants are an error. */
static void check_order(struct top *top)
{
	const char *sort = top->options->run.sort_stats;
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	const char *name;

	if (!sort || !strcmp(sort, TOP_CHANGE) || top->refreshes || top->misused)
		return;
	for (size_t i = 0; i < top->tables.n; i++)
		if (result_has_order(top->tables.v[i].now.named, sort))
			return;
	for (size_t i = 0; top->tables.n && (name = top_rows_order(&top->tables.v[0], i)); i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", name);
	top->misused = result_no_order(sort, names.s ?: "", &top->counting.diags);
	atomic_store(&top->quit, true);
}

static void top_refreshed(void *arg, const struct counting_state *state)
{
	struct top *top = arg;
	struct top_sample now;

	pthread_mutex_lock(&top->mutex);
	check_order(top);
	top->next = 0;
	top->state = *state;
	/* How many events there are so far. */
	now = top->seen;
	/* what the kernel counts is not recorded */
	if (top->counts) {
		now = (struct top_sample){ .at = top->state.at };
		for (size_t i = 0; i < top->tables.n; i++)
			now.events += top->tables.v[i].hits;
	}
	if (now.at > top->last.at) {
		top->before = top->last;
		top->last = now;
	}
	top->refreshes += !top->paused && !top->misused;
	pthread_cond_broadcast(&top->changed);
	pthread_mutex_unlock(&top->mutex);
}

/* --- the recording --- */

void top_progress(void *arg, const struct record_progress *p)
{
	struct top *top = arg;

	atomic_store_explicit(&top->counting.lost, p->lost, memory_order_relaxed);
	pthread_mutex_lock(&top->mutex);
	top->seen = (struct top_sample){ monotonic_ns(), p->events, p->lost };
	pthread_mutex_unlock(&top->mutex);
}

static u64 cpu_time(void)
{
	struct rusage use;

	if (getrusage(RUSAGE_SELF, &use))
		return 0;
	return (u64)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * 1000000000 +
	       (u64)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
}

struct top_status top_status(struct top *t, char text[static 16])
{
	const u64 now = monotonic_ns(), used = cpu_time();
	const u64 passed = t->last.at - t->before.at;
	time_t clock = time(NULL);
	struct tm tm;
	struct top_status s = {
		.time = text,
		.lost = t->seen.lost,
		.taken = t->state.taken,
		.skipped = t->state.skipped,
		.behind = (double)t->state.behind / 1e9,
	};

	text[0] = '\0';
	if (localtime_r(&clock, &tm))
		strftime(text, 16, "%H:%M:%S", &tm);
	s.rated = t->before.at && passed;
	if (s.rated)
		s.events = (double)(t->last.events - t->before.events) * 1e9 / (double)passed;
	if (now > t->cpu_at)
		s.cpu = (double)(used - t->cpu_used) / (double)(now - t->cpu_at);
	t->cpu_at = now;
	t->cpu_used = used;
	return s;
}

static int top_start(void *arg, struct kept *kept)
{
	struct top *top = arg;
	int err;

	top->cpu_at = monotonic_ns();
	top->cpu_used = cpu_time();
	top->last.at = top->cpu_at;
	top->counts = kept->until;
	err = counting_start(&top->counting, kept, top->diags);
	if (err)
		return err;
	err = pthread_create(&top->thread, NULL, top->terminal ? top_interactive : top_stream, top);
	top->running = !err;
	return err ? diags_error(top->diags, -HIST_EIO, "cannot start a thread: %s", strerror(err))
		   : 0;
}

static void join(struct top *top, bool stop)
{
	counting_join(&top->counting, stop);
	atomic_store(&top->ended, true);
	pthread_mutex_lock(&top->mutex);
	pthread_cond_broadcast(&top->changed);
	pthread_mutex_unlock(&top->mutex);
	if (top->running)
		pthread_join(top->thread, NULL);
	top->running = false;
}

static void top_stop(void *arg)
{
	join(arg, true);
}

static enum record_next top_next(void *arg, bool ended, struct record_cut *cut UNUSED)
{
	struct top *top = arg;

	if (ended)
		join(top, false);
	return ended || atomic_load(&top->quit) || atomic_load(&top->counting.done) ? RECORD_END
										    : RECORD_GO_ON;
}

static void top_asked(void *arg UNUSED)
{
}

struct record_keep top_keep(struct top *top)
{
	return (struct record_keep){ .max_bytes = KEPT,
				     .memory = true,
				     .arg = top,
				     .start = top_start,
				     .stop = top_stop,
				     .next = top_next,
				     .asked = top_asked };
}

/* --- start and end --- */

int top_new(const struct top_options *options, struct top **out, struct diags *diags)
{
	struct top *top = calloc(1, sizeof(*top));

	*out = top;
	if (!top)
		return HIST_NOMEM;
	top->options = options;
	top->diags = diags;
	top->terminal = !options->run.format && !options->output && top_terminal_found();
	pthread_mutex_init(&top->mutex, NULL);
	pthread_cond_init(&top->changed, NULL);
	return 0;
}

int top_prepare(struct top *top, const char *machine, struct span script, struct diags *diags)
{
	top->counted = (struct counting_options){ .run = top->options->run,
						  .interval = top->options->interval,
						  .memory = top->options->memory,
						  .way = top->options->way,
						  .explain = top->options->explain,
						  .take = top_take,
						  .refreshed = top_refreshed,
						  .arg = top };
	/* rows are chosen when they are shown */
	top->counted.run.top = 0;
	top->counted.run.sort_stats = NULL;
	return counting_prepare(&top->counting, &top->counted, machine, script, diags);
}

const struct record_until *top_until(struct top *top)
{
	return counting_until(&top->counting);
}

int top_finish(struct top *top, struct diags *diags)
{
	const struct kept_feed *f = &top->counting.feed;
	int err = top->counting.err ?: top->misused;

	diags_append(diags, &top->counting.diags);
	if (top->counting.dropped && top->options->way == LIVE_KERNEL)
		return diags_error(
			diags, -HIST_EUNSUPPORTED,
			"--plan=kernel: there are more rows than the kernel has room for");
	if (top->counting.dropped) {
		diags_add(diags, DIAG_NOTE,
			  "there are more rows than the kernel has room for: hist counts anew");
		return 1;
	}
	if (f->skipped)
		diags_add(diags, DIAG_WARNING,
			  "%llu of %llu sub-buffers were not counted, because counting is slower "
			  "than recording: record fewer events (-f FILTER), or use hist record and "
			  "hist report",
			  f->skipped, f->taken);
	if (top->seen.lost)
		diags_add(diags, DIAG_WARNING,
			  "the kernel lost %llu event%s: use a larger buffer (-b)", top->seen.lost,
			  plural(top->seen.lost));
	if (top->counting.err < 0 && err != -HIST_EREJECTED && err != -HIST_EINVAL)
		diags_error(diags, err, "the events were not counted to the end%s",
			    err == HIST_NOMEM ? ": out of memory" : "");
	if (!err && top->err && top->err != EPIPE)
		err = diags_error(diags, -HIST_EIO, "%s: cannot write: %s",
				  top->options->output ?: "standard output", strerror(top->err));
	return err;
}

void top_close(struct top *top)
{
	if (!top)
		return;
	join(top, true);
	for (size_t i = 0; i < top->tables.n; i++)
		top_rows_release(&top->tables.v[i]);
	array_release(&top->tables);
	counting_release(&top->counting);
	arena_release(&top->arena);
	pthread_cond_destroy(&top->changed);
	pthread_mutex_destroy(&top->mutex);
	free(top);
}
