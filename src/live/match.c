// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The thread that evaluates conditions. It sleeps while nothing is moved, has no priority, and
 * holds no lock that a reader waits for.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "live/match.h"

/* How much later than the readers it may be before it skips, and text of an event in a mark. */
enum { LOOK_MS = 20, BEHIND_MAX_S = 10, TEXT_MAX = 400 };

static u64 minus(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static bool is_set(const _Atomic bool *flag)
{
	return atomic_load_explicit(flag, memory_order_acquire);
}

static void pause_ms(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

void match_limit(struct matcher *m)
{
	const u64 keep = m->flight.options->keep_ns;
	u64 now = monotonic_ns(), from = minus(now, BEHIND_MAX_S * 1000000000ull);

	/* what is kept by size is replaced when there is no room for more */
	kept_limit(m->kept, keep ? minus(max_t(u64, m->progress, from), keep) : 0,
		   min_t(u64, m->writing, flight_needs(&m->flight)));
}

/* --- rounds --- */

/* Update the time of the last record of a CPU. */
static void find_last(struct matcher *m, size_t i)
{
	struct kept_range range = kept_range(m->kept, i);
	struct match_cpu *c = &m->cpus[i];
	struct ring_buffer_page page;
	u32 size = m->kept->subbuf;

	if (range.to == c->last_of || range.from == range.to ||
	    kept_read(m->kept, i, range.to - 1, m->scratch))
		return;
	c->last_of = range.to;
	if (!ring_buffer_page_open(&page, &m->layout, m->scratch, size))
		c->last = max_t(u64, c->last, ring_buffer_page_times(&page).last);
}

static u64 find_latest(struct matcher *m)
{
	u64 latest = 0;

	for (size_t i = 0; i < m->kept->n; i++) {
		find_last(m, i);
		latest = max_t(u64, latest, m->cpus[i].last);
	}
	return latest;
}

/* All events before this time of CLOCK_MONOTONIC were moved, and names are known up to it. */
static u64 find_drained(const struct matcher *m)
{
	u64 drained = UINT64_MAX;

	for (size_t i = 0; i < m->kept->n; i++)
		drained = min_t(u64, drained,
				atomic_load_explicit(&m->kept->cpus[i].drained,
						     memory_order_acquire));
	if (m->kept->names)
		drained = min_t(u64, drained,
				atomic_load_explicit(&m->kept->names->read, memory_order_acquire));
	return drained;
}

/* The time from which the flight is armed. */
static void find_start(struct matcher *m)
{
	u64 start = UINT64_MAX, stamp;

	for (size_t i = 0; i < m->kept->n && !m->flight.start; i++) {
		struct kept_range range = kept_range(m->kept, i);

		if (range.from < range.to && !kept_read(m->kept, i, range.from, m->scratch)) {
			memcpy(&stamp, m->scratch, sizeof(stamp));
			start = min_t(u64, start, stamp);
		}
	}
	if (!m->flight.start && start != UINT64_MAX)
		m->flight.start = start;
}

/* Everything up to ->complete was evaluated: note that, and wait for more. */
static void next_round(struct matcher *m)
{
	u64 since = find_drained(m), start = monotonic_ns(), latest = find_latest(m);

	pthread_mutex_lock(&m->mutex);
	find_start(m);
	m->evaluated = m->complete;
	m->progress = m->complete_since;
	m->latest = latest;
	if (m->round)
		m->behind = max_t(u64, m->behind, minus(monotonic_ns(), m->round));
	match_limit(m);
	pthread_mutex_unlock(&m->mutex);
	m->round = latest > m->complete ? start : 0;
	while (!is_set(&m->ended) && !is_set(&m->stop) && find_drained(m) <= start)
		pause_ms(LOOK_MS);
	m->complete = max_t(u64, m->complete, latest);
	m->complete_since = since;
}

/* --- the feed --- */

static int match_next(void *arg, size_t i, struct fed *fed)
{
	struct matcher *m = arg;
	struct match_cpu *c = &m->cpus[i];

	for (;;) {
		/* before the sub-buffers, of which there are no more then */
		bool ended = is_set(&m->ended);
		struct kept_range range = kept_range(m->kept, i);

		if (is_set(&m->stop))
			return FEED_END;
		fed->skipped += minus(range.from, c->next);
		m->skipped += minus(range.from, c->next);
		m->taken += minus(range.from, c->next);
		c->next = max_t(u64, c->next, range.from);
		if (c->next < range.to) {
			int err = kept_read(m->kept, i, c->next, c->page);

			if (err < 0)
				return diags_error(&m->diags, err, "cannot read what is kept: %s",
						   strerror(errno));
			if (err)
				continue;
			c->next++;
			m->taken++;
			fed->page = (const u8 *)c->page;
			return FEED_PAGE;
		}
		if (ended)
			return FEED_END;
		if (c->quiet < m->complete) {
			fed->ts = c->quiet = m->complete;
			return FEED_QUIET;
		}
		next_round(m);
	}
}

/* Without a journal of tasks, the name now: events are at most some tenths of a second old. */
static const char *match_comm(void *arg, s32 pid, u64 ts)
{
	struct matcher *m = arg;
	char path[40];
	ssize_t n = -1;
	int fd = -1;

	if (!pid)
		return "<idle>";
	if (m->kept->names)
		return task_log_find(m->kept->names, pid, ts, m->comm) ? m->comm : "<...>";
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = read(fd, m->comm, sizeof(m->comm) - 1);
	fd_close(fd);
	if (n <= 0)
		return "<...>";
	m->comm[n] = '\0';
	m->comm[strcspn(m->comm, "\n")] = '\0';
	return m->comm;
}

/* --- the thread --- */

/* In a mark, which is a line. */
static void print_event(const struct hist_event *e, struct strbuf *text)
{
	strbuf_reset(text);
	hist_event_text(e, strbuf_sink, text);
	if (text->len > TEXT_MAX)
		text->s[text->len = TEXT_MAX] = '\0';
	for (size_t i = 0; i < text->len; i++)
		if ((unsigned char)text->s[i] < ' ')
			text->s[i] = ' ';
}

static int take_event(struct matcher *m, const struct hist_event *e, struct strbuf *text)
{
	char name[128];
	struct flight_event event = { .ts = e->ts, .cpu = e->cpu, .pid = e->pid, .name = name };
	int err;

	snprintf(name, sizeof(name), "%s:%s", e->type->system, e->type->name);
	print_event(e, text);
	event.text = text->s ? text->s : "";
	pthread_mutex_lock(&m->mutex);
	find_start(m);
	event.since = m->progress;
	err = flight_event(&m->flight, &event);
	match_limit(m);
	pthread_mutex_unlock(&m->mutex);
	return err;
}

static void *match_thread(void *arg)
{
	struct matcher *m = arg;
	struct strbuf text = STRBUF_INIT;
	struct hist_event e;
	int err = 0;

	while (!err && (err = hist_events_next(m->events, &e)) > 0)
		err = take_event(m, &e, &text);
	strbuf_release(&text);
	m->err = err;
	pthread_mutex_lock(&m->mutex);
	m->evaluated = UINT64_MAX;
	pthread_mutex_unlock(&m->mutex);
	atomic_store(&m->done, true);
	return NULL;
}

/* --- start and end --- */

struct match_choices {
	struct arena arena;
	ARRAY(struct hist_event_choice) v;
};

/* The choice of the event "events/SYSTEM/NAME"; conditions on one event are alternatives. */
static int add_choice(struct match_choices *choices, const char *path, const char *filter)
{
	struct span name = span_skip(span_of(path), strlen("events/")), system;
	struct hist_event_choice choice = { .filter = filter };
	struct hist_event_choice *same = NULL;

	system = span_sep(&name, "/");
	choice.event = arena_printf(&choices->arena, "%.*s:%.*s", (int)system.n, system.s,
				    (int)name.n, name.s);
	for (size_t i = 0; choice.event && i < choices->v.n; i++)
		if (!strcmp(choices->v.v[i].event, choice.event))
			same = &choices->v.v[i];
	if (same && same->filter && filter)
		same->filter = arena_printf(&choices->arena, "(%s) || (%s)", same->filter, filter);
	else if (same)
		same->filter = NULL;
	else if (array_push(&choices->v, choice))
		return HIST_NOMEM;
	return choices->arena.failed ? HIST_NOMEM : 0;
}

static int choose(struct matcher *m, const struct live_options *options,
		  struct match_choices *choices, struct diags *diags)
{
	int err = 0;

	for (size_t i = 0; i < options->n_conditions && !err; i++) {
		const struct live_condition *c = &options->conditions[i];
		char **paths = NULL;
		size_t n = 0;

		err = hist_script_find_events(m->h, m->script, c->event, &paths, &n, diags);
		for (size_t k = 0; k < n; k++) {
			err = err ?: add_choice(choices, paths[k], c->filter);
			free(paths[k]);
		}
		free(paths);
	}
	return err;
}

static int open_cpus(struct matcher *m)
{
	const size_t n = m->kept->n;

	m->cpus = calloc(n + 1, sizeof(*m->cpus));
	m->numbers = calloc(n + 1, sizeof(*m->numbers));
	m->scratch = malloc(m->kept->subbuf);
	if (!m->cpus || !m->numbers || !m->scratch)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++) {
		m->numbers[i] = m->kept->cpus[i].cpu;
		m->cpus[i].page = malloc(m->kept->subbuf);
		if (!m->cpus[i].page)
			return HIST_NOMEM;
	}
	return 0;
}

int match_start(struct matcher *m, const struct live_options *options, struct kept *kept,
		struct diags *diags)
{
	const struct trace_dat_info *info = m->h->recordings.files.v[0].info;
	struct match_choices choices = { .arena = ARENA_INIT };
	struct hist_events_options events = { .script = m->script };
	int err;

	m->kept = kept;
	m->n_cpus = kept->n;
	m->layout = (struct ring_buffer_layout){ info->big_endian, info->long_size, kept->subbuf };
	err = open_cpus(m);
	m->feed = (struct replay_feed){ .arg = m,
					.cpus = m->numbers,
					.n_cpus = kept->n,
					.subbuf_size = kept->subbuf,
					.next = match_next,
					.comm = match_comm };
	m->h->feed = &m->feed;
	err = err ?: choose(m, options, &choices, diags);
	events.choices = choices.v.v;
	events.n_choices = choices.v.n;
	err = err ?: hist_events_open(m->h, &events, &m->events, &m->diags);
	array_release(&choices.v);
	arena_release(&choices.arena);
	diags_append(diags, &m->diags);
	if (err)
		return err;
	err = pthread_create(&m->thread, NULL, match_thread, m);
	m->running = !err;
	return err ? diags_error(diags, -HIST_EIO, "cannot start a thread: %s", strerror(err)) : 0;
}

void match_join(struct matcher *m, bool stop)
{
	if (stop)
		atomic_store(&m->stop, true);
	atomic_store(&m->ended, true);
	if (!m->running)
		return;
	pthread_join(m->thread, NULL);
	m->running = false;
	m->err = hist_events_close(m->events, m->err);
	m->events = NULL;
	m->latest = find_latest(m);
	m->early = m->kept->early;
	m->most = m->kept->most;
}

void match_release(struct matcher *m)
{
	match_join(m, true);
	/* the thread was not started */
	if (m->events)
		hist_events_close(m->events, 1);
	for (size_t i = 0; m->cpus && i < m->n_cpus; i++)
		free(m->cpus[i].page);
	free(m->cpus);
	free(m->numbers);
	free(m->scratch);
	flight_release(&m->flight);
	hist_close(m->h);
	hist_script_free(m->script);
	diags_release(&m->diags);
	pthread_mutex_destroy(&m->mutex);
}
