// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The thread of the replay sleeps while nothing is moved, has no priority, and holds no lock that a
 * reader waits for.
 */
#include <time.h>

#include "live/kept_feed.h"

enum { LOOK_MS = 20 };

static u64 minus(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

static bool is_set(const _Atomic bool *flag)
{
	return atomic_load_explicit(flag, memory_order_acquire);
}

void kept_feed_pause(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

bool kept_feed_is_over(const struct kept_feed *f)
{
	return is_set(&f->ended) || is_set(&f->stop);
}

/* --- rounds --- */

/* Update the time of the last record of a CPU. */
static void find_last(struct kept_feed *f, size_t i)
{
	struct kept_range range = kept_range(f->kept, i);
	struct kept_feed_cpu *c = &f->cpus[i];
	struct ring_buffer_page page;

	if (range.to == c->last_of || range.from == range.to ||
	    kept_read(f->kept, i, range.to - 1, f->scratch))
		return;
	c->last_of = range.to;
	if (!ring_buffer_page_open(&page, &f->layout, f->scratch, f->kept->subbuf))
		c->last = max_t(u64, c->last, ring_buffer_page_times(&page).last);
}

u64 kept_feed_latest(struct kept_feed *f)
{
	u64 latest = 0;

	for (size_t i = 0; i < f->kept->n; i++) {
		find_last(f, i);
		latest = max_t(u64, latest, f->cpus[i].last);
	}
	return latest;
}

/* All events before this time of CLOCK_MONOTONIC were moved, and names are known up to it. */
static u64 find_drained(const struct kept_feed *f)
{
	u64 drained = UINT64_MAX;

	for (size_t i = 0; i < f->kept->n; i++)
		drained = min_t(u64, drained,
				atomic_load_explicit(&f->kept->cpus[i].drained,
						     memory_order_acquire));
	if (f->kept->tasks)
		drained = min_t(u64, drained,
				atomic_load_explicit(&f->kept->tasks->read, memory_order_acquire));
	return drained;
}

u64 kept_feed_start(struct kept_feed *f)
{
	u64 start = UINT64_MAX, stamp;

	for (size_t i = 0; i < f->kept->n; i++) {
		struct kept_range range = kept_range(f->kept, i);

		if (range.from < range.to && !kept_read(f->kept, i, range.from, f->scratch)) {
			memcpy(&stamp, f->scratch, sizeof(stamp));
			start = min_t(u64, start, stamp);
		}
	}
	return start == UINT64_MAX ? 0 : start;
}

static void take_tasks(struct kept_feed *f)
{
	scoped(strbuf_release) struct strbuf lines = STRBUF_INIT;

	if (!f->kept->tasks)
		return;
	if (!task_news_take(f->kept->tasks, &lines) && !f->forgot && f->names) {
		f->forgot = true;
		diags_add(
			f->diags, DIAG_WARNING,
			"names, processes and cgroups of tasks may be those of another time: too many tasks started and ended");
	}
	if (f->names && !f->err)
		f->err = recording_follow_tasks(f->names, f->numbers, f->n_cpus,
						(struct span){ lines.s, lines.len });
	if (f->names && !f->err)
		f->err = names_forget_before(f->names, f->complete);
}

static void wait_for_moved(struct kept_feed *f)
{
	u64 since = find_drained(f), start;
	u64 now;

	f->latest = kept_feed_latest(f);
	/* what was moved was recorded before this time */
	start = monotonic_ns();
	if (f->round)
		f->behind = max_t(u64, f->behind, minus(start, f->round));
	f->replayed(f->arg);
	f->round = f->latest >= f->complete ? start : 0;
	while (!kept_feed_is_over(f) && find_drained(f) <= start)
		kept_feed_pause(LOOK_MS);
	/* Permit what was moved so far, when the names up to now are known. */
	for (size_t i = 0; i < f->kept->n; i++)
		f->cpus[i].end = kept_range(f->kept, i).to;
	now = monotonic_ns();
	while (!kept_feed_is_over(f) && !task_news_knows(f->kept->tasks, now))
		kept_feed_pause(LOOK_MS);
	take_tasks(f);
	if (f->latest)
		f->complete = max_t(u64, f->complete, add_saturated(f->latest, 1));
	f->complete_since = since;
}

/* --- the feed --- */

static int take_moved(struct kept_feed *f, size_t i, bool ended, struct fed *fed)
{
	struct kept_feed_cpu *c = &f->cpus[i];

	for (;;) {
		struct kept_range range = kept_range(f->kept, i);
		u64 missing = minus(range.from, c->next);
		int err;

		fed->skipped += missing;
		f->skipped += missing;
		f->taken += missing;
		c->next = max_t(u64, c->next, range.from);
		if (c->next >= (ended ? range.to : min_t(u64, c->end, range.to)))
			return 0;
		err = kept_read(f->kept, i, c->next, c->page);
		if (err < 0)
			return diags_error(f->diags, err, "cannot read what is kept: %s",
					   strerror(errno));
		/* or it was replaced meanwhile */
		if (!err)
			break;
		if (is_set(&f->stop))
			return 0;
	}
	c->next++;
	f->taken++;
	return 1;
}

static int feed_next(void *arg, size_t i, struct fed *fed)
{
	struct kept_feed *f = arg;
	struct kept_feed_cpu *c = &f->cpus[i];

	for (;;) {
		/* before the sub-buffers, of which there are no more then */
		bool ended = is_set(&f->ended);
		int got;

		if (is_set(&f->stop))
			return FEED_END;
		got = f->take(f, i, ended, fed);
		if (got < 0)
			return got;
		if (got) {
			fed->page = (const u8 *)c->page;
			return FEED_PAGE;
		}
		if (ended)
			return FEED_END;
		if (c->quiet < f->complete) {
			fed->ts = c->quiet = f->complete;
			return FEED_QUIET;
		}
		f->wait(f);
		if (f->err)
			return f->err;
	}
}

/* What belongs to a record that was moved was recorded by now. */
static const u8 *feed_ahead(void *arg, size_t i, u64 n)
{
	struct kept_feed *f = arg;
	const u64 number = f->cpus[i].next - 1 + n, now = monotonic_ns();

	while (kept_range(f->kept, i).to <= number && !kept_feed_is_over(f) &&
	       find_drained(f) <= now)
		kept_feed_pause(LOOK_MS);
	if (kept_range(f->kept, i).to <= number || kept_read(f->kept, i, number, f->ahead))
		return NULL;
	return (const u8 *)f->ahead;
}

static int feed_follow(void *arg, struct names *names, bool who, struct diags *diags)
{
	struct kept_feed *f = arg;

	if (f->kept->tasks) {
		f->names = names;
		take_tasks(f);
		return f->err;
	}
	return who ? diags_error(diags, -HIST_EUNSUPPORTED,
				 "processes, command lines and cgroups of tasks are not known "
				 "without the journal of tasks")
		   : 0;
}

/* Without a journal of tasks, the name now: events are at most some tenths of a second old. */
static const char *feed_comm(void *arg, s32 pid)
{
	struct kept_feed *f = arg;
	char path[40];
	ssize_t n = -1;
	int fd = -1;

	if (!pid)
		return "<idle>";
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = read(fd, f->comm, sizeof(f->comm) - 1);
	fd_close(fd);
	if (n <= 0)
		return "<...>";
	f->comm[n] = '\0';
	f->comm[strcspn(f->comm, "\n")] = '\0';
	return f->comm;
}

/* --- start and end --- */

int kept_feed_open(struct kept_feed *f, struct kept *kept, const struct ring_buffer_layout *layout)
{
	const size_t n = kept->n;

	f->kept = kept;
	f->take = take_moved;
	f->wait = wait_for_moved;
	f->n_cpus = n;
	f->layout = *layout;
	f->cpus = calloc(n + 1, sizeof(*f->cpus));
	f->numbers = calloc(n + 1, sizeof(*f->numbers));
	f->scratch = malloc(kept->subbuf);
	f->ahead = malloc(kept->subbuf);
	if (!f->cpus || !f->numbers || !f->scratch || !f->ahead)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++) {
		f->numbers[i] = kept->cpus[i].cpu;
		f->cpus[i].page = malloc(kept->subbuf);
		if (!f->cpus[i].page)
			return HIST_NOMEM;
	}
	f->feed = (struct replay_feed){ .arg = f,
					.cpus = f->numbers,
					.n_cpus = n,
					.subbuf_size = kept->subbuf,
					.live = true,
					.next = feed_next,
					.ahead = feed_ahead,
					.follow = feed_follow,
					.comm = kept->tasks ? NULL : feed_comm };
	return 0;
}

void kept_feed_end(struct kept_feed *f, bool stop)
{
	if (stop)
		atomic_store(&f->stop, true);
	atomic_store(&f->ended, true);
}

void kept_feed_release(struct kept_feed *f)
{
	for (size_t i = 0; f->cpus && i < f->n_cpus; i++)
		free(f->cpus[i].page);
	free(f->cpus);
	free(f->numbers);
	free(f->scratch);
	free(f->ahead);
}
