// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads the small instance with the events that the kernel waited for, and sleeps in the kernel
 * until there is one.
 *
 * A round ends when something happens. Then everything that was recorded some milliseconds ago is
 * complete in the instance, and is read in the round.
 */
#include "live/kept_feed.h"

/* What was recorded SETTLE_MS ago is complete. The clocks are not read at the same time: SLACK_MS.
 */
enum { LOOK_MS = 20, SETTLE_MS = 2, SLACK_MS = 20 };

static void wait_for_events(struct kept_feed *f)
{
	u64 now;

	if (atomic_load(&f->wanted)) {
		struct kept *k = f->kept;

		/*
		 * What is kept is as complete as what was replayed, and names are known. When the
		 * last file was written, nothing is wanted any more, and readers that rest complete
		 * nothing.
		 */
		kept_flush(k);
		while (!kept_feed_is_over(f) && atomic_load(&f->wanted) &&
		       (!kept_is_flushed(k) || !task_news_knows(k->tasks, f->complete_since)))
			kept_feed_pause(LOOK_MS);
	}
	f->replayed(f->arg);
	if (!kept_feed_is_over(f)) {
		atomic_store(&f->asleep, !f->woke);
		until_wait(f->kept->until, f->woke || atomic_load(&f->wanted) ? LOOK_MS : -1);
		atomic_store(&f->asleep, false);
	}
	f->woke = false;
	kept_feed_pause(SETTLE_MS);
	f->complete_since = monotonic_ns();
	now = until_now(f->kept->until);
	if (now > SETTLE_MS * 1000000ULL)
		f->complete = max_t(u64, f->complete, now - SETTLE_MS * 1000000ULL);
}

static int take_event(struct kept_feed *f, size_t i, bool ended, struct fed *fed)
{
	int got = until_read(f->kept->until, i, f->cpus[i].page);

	(void)ended, (void)fed;
	f->woke |= got > 0;
	if (got < 0)
		return diags_error(f->diags, got, "cannot read the instance %s: %s",
				   f->kept->until->session.name, strerror(errno));
	return got;
}

/* Stacks are of no interest: conditions are on fields. */
static const u8 *no_ahead(void *arg, size_t i, u64 n)
{
	(void)arg, (void)i, (void)n;
	return NULL;
}

int wake_feed_open(struct kept_feed *f)
{
	u32 size = f->kept->until->session.subbuf_size;

	for (size_t i = 0; i < f->n_cpus; i++) {
		free(f->cpus[i].page);
		f->cpus[i].page = malloc(size);
		if (!f->cpus[i].page)
			return HIST_NOMEM;
	}
	f->feed.subbuf_size = size;
	f->take = take_event;
	f->feed.ahead = no_ahead;
	f->wait = wait_for_events;
	return 0;
}

u64 wake_feed_since(const struct kept_feed *f, u64 ts)
{
	u64 before = (f->complete > ts ? f->complete - ts : 0) + SLACK_MS * 1000000ULL;

	return f->complete_since > before ? f->complete_since - before : 0;
}
