// SPDX-License-Identifier: LGPL-2.1-only
/* The thread that evaluates conditions. */
#include "live/match.h"

/* How much later than the readers it may be before it skips, and text of an event in a mark. */
enum { BEHIND_MAX_S = 10, ASLEEP_MAX_S = 1, TEXT_MAX = 400 };

enum { MEMORY = 256 << 20 };

static u64 minus(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

void match_limit(struct matcher *m)
{
	const u64 keep = m->flight.options->keep_ns;
	const bool asleep = atomic_load(&m->feed.asleep);
	u64 late = (asleep ? ASLEEP_MAX_S : BEHIND_MAX_S) * 1000000000ull;
	u64 from = max_t(u64, m->progress, minus(monotonic_ns(), late));

	/* what is kept by size is replaced when there is no room for more */
	kept_limit(m->kept, keep ? minus(from, keep) : 0,
		   min_t(u64, m->writing, flight_needs(&m->flight)));
	atomic_store(&m->feed.wanted, m->flight.windows.n > 0);
	kept_want(m->kept, m->flight.windows.n > 0);
}

u64 match_now(struct matcher *m)
{
	return m->running && m->kept->until ? until_now(m->kept->until) : 0;
}

/* The time from which the flight is armed. */
static void find_start(struct matcher *m)
{
	if (!m->flight.start)
		m->flight.start = kept_feed_start(&m->feed);
}

static void match_replayed(void *arg)
{
	struct matcher *m = arg;

	pthread_mutex_lock(&m->mutex);
	find_start(m);
	m->evaluated = minus(m->feed.complete, 1);
	m->progress = m->feed.complete_since;
	m->latest = m->feed.latest;
	match_limit(m);
	pthread_mutex_unlock(&m->mutex);
}

/* --- the thread --- */

static int take_event(struct matcher *m, const struct hist_event *e, struct strbuf *text)
{
	char name[128];
	struct flight_event event = { .ts = e->ts, .cpu = e->cpu, .pid = e->pid, .name = name };
	int err;

	snprintf(name, sizeof(name), "%s:%s", e->type->system, e->type->name);
	/* In a mark, which is a line. */
	strbuf_reset(text);
	hist_event_text(e, strbuf_sink, text);
	if (text->len > TEXT_MAX)
		text->s[text->len = TEXT_MAX] = '\0';
	for (size_t i = 0; i < text->len; i++)
		if ((unsigned char)text->s[i] < ' ')
			text->s[i] = ' ';
	event.text = text->s ? text->s : "";
	pthread_mutex_lock(&m->mutex);
	find_start(m);
	event.since = m->kept->until ? wake_feed_since(&m->feed, e->ts) : m->progress;
	err = flight_event(&m->flight, &event);
	match_limit(m);
	pthread_mutex_unlock(&m->mutex);
	return err;
}

static void *match_thread(void *arg)
{
	struct matcher *m = arg;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct hist_event e;
	int err = 0;

	while (!err && (err = hist_events_next(m->events, &e)) > 0)
		err = take_event(m, &e, &text);
	m->err = err;
	pthread_mutex_lock(&m->mutex);
	m->evaluated = UINT64_MAX;
	pthread_mutex_unlock(&m->mutex);
	atomic_store(&m->done, true);
	return NULL;
}

/* --- start and end --- */

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

int match_choose(struct matcher *m, const struct live_options *options, struct diags *diags)
{
	int err = 0;

	array_each_of_while(const struct live_condition, c, options->conditions,
			    options->n_conditions, !err) {
		char **paths = NULL;
		size_t n = 0;

		err = hist_script_find_events(m->h, m->script, c->event, &paths, &n, diags);
		for (size_t k = 0; k < n; k++) {
			err = err ?: add_choice(&m->choices, paths[k], c->filter);
			free(paths[k]);
		}
		free(paths);
	}
	return err;
}

int match_open(struct matcher *m, const char *machine, struct diags *diags)
{
	const struct hist_options options = { .inputs = &machine, .n_inputs = 1, .jobs = 1 };
	int err;

	hist_close(m->h);
	m->h = NULL;
	err = hist_open(&options, &m->h, diags);
	if (!err)
		hist_limit_memory(m->h, MEMORY);
	return err;
}

int match_start(struct matcher *m, struct kept *kept, struct diags *diags)
{
	const struct trace_dat_info *info = m->h->recordings.files.v[0].info;
	const struct ring_buffer_layout layout = { info->big_endian, info->long_size,
						   kept->subbuf };
	struct hist_events_options events = { .script = m->script };
	int err;

	m->kept = kept;
	m->feed.replayed = match_replayed;
	m->feed.arg = m;
	m->feed.diags = &m->diags;
	err = kept_feed_open(&m->feed, kept, &layout);
	if (!err && kept->until) {
		const char *machine = m->kept->until->machine;

		/*
		 * The kernel has found the events: neither filters nor the script are evaluated
		 * again.
		 */
		events.script = NULL;
		for (size_t i = 0; i < m->choices.v.n; i++)
			m->choices.v.v[i].filter = NULL;
		m->flight.start = until_now(m->kept->until);
		err = wake_feed_open(&m->feed) ?: machine ? match_open(m, machine, diags) : 0;
	}
	if (err)
		return err;
	m->h->feed = &m->feed.feed;
	events.choices = m->choices.v.v;
	events.n_choices = m->choices.v.n;
	err = hist_events_open(m->h, &events, &m->events, &m->diags);
	diags_append(diags, &m->diags);
	if (err)
		return err;
	err = pthread_create(&m->thread, NULL, match_thread, m);
	m->running = !err;
	return err ? diags_error(diags, -HIST_EIO, "cannot start a thread: %s", strerror(err)) : 0;
}

void match_join(struct matcher *m, bool stop)
{
	kept_feed_end(&m->feed, stop);
	if (!m->running)
		return;
	if (m->kept->until)
		until_wake(m->kept->until);
	pthread_join(m->thread, NULL);
	m->running = false;
	m->err = hist_events_close(m->events, m->err);
	m->events = NULL;
	m->latest = kept_feed_latest(&m->feed);
	m->early = m->kept->early;
	m->most = m->kept->most;
	m->used_rings = m->kept->ring_ns;
	for (size_t i = 0; i < m->kept->n; i++) {
		u64 lasts = kept_ring_lasts(m->kept, i);

		if (lasts && (!m->small_rings++ || lasts < m->ring_lasts))
			m->ring_lasts = lasts;
	}
	m->lost = m->kept->until ? until_lost(m->kept->until) : 0;
}

void match_release(struct matcher *m)
{
	match_join(m, true);
	/* the thread was not started */
	if (m->events)
		hist_events_close(m->events, 1);
	kept_feed_release(&m->feed);
	array_release(&m->choices.v);
	arena_release(&m->choices.arena);
	flight_release(&m->flight);
	hist_close(m->h);
	hist_script_free(m->script);
	diags_release(&m->diags);
	pthread_mutex_destroy(&m->mutex);
}
