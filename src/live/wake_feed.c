// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the small instance, and sleeps. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "live/wake_feed.h"

/* What was recorded SETTLE_MS ago is complete. The clocks are not read at the same time: SLACK_MS.
 */
enum { LOOK_MS = 20, SETTLE_MS = 2, SLACK_MS = 20 };

static bool is_over(const struct kept_feed *f)
{
	return atomic_load(&f->ended) || atomic_load(&f->stop);
}

static void pause_ms(long ms)
{
	const struct timespec time = { .tv_nsec = ms * 1000000 };

	nanosleep(&time, NULL);
}

/* What is kept is as complete as what was replayed, and names are known. */
static void complete_kept(struct kept_feed *f)
{
	struct kept *k = f->kept;

	kept_flush(k);
	while (!is_over(f) && (!kept_is_flushed(k) ||
			       (k->names && atomic_load(&k->names->read) <= f->complete_since)))
		pause_ms(LOOK_MS);
}

/* Everything before ->complete was replayed: report that, and sleep. */
static void next_round(struct kept_feed *f)
{
	u64 now;

	if (atomic_load(&f->wanted))
		complete_kept(f);
	f->replayed(f->arg);
	if (!is_over(f)) {
		atomic_store(&f->asleep, !f->woke);
		until_wait(f->kept->until, f->woke || atomic_load(&f->wanted) ? LOOK_MS : -1);
		atomic_store(&f->asleep, false);
	}
	f->woke = false;
	pause_ms(SETTLE_MS);
	f->complete_since = monotonic_ns();
	now = until_now(f->kept->until);
	if (now > SETTLE_MS * 1000000)
		f->complete = max_t(u64, f->complete, now - SETTLE_MS * 1000000);
}

static int wake_next(void *arg, size_t i, struct fed *fed)
{
	struct kept_feed *f = arg;
	struct kept_feed_cpu *c = &f->cpus[i];

	for (;;) {
		/* before the sub-buffers, of which there are no more then */
		bool ended = atomic_load(&f->ended);
		int got;

		if (atomic_load(&f->stop))
			return FEED_END;
		got = until_read(f->kept->until, i, c->page);
		if (got < 0)
			return diags_error(f->diags, got, "cannot read the instance %s: %s",
					   f->kept->until->session.name, strerror(errno));
		if (got) {
			f->woke = true;
			fed->page = (const u8 *)c->page;
			return FEED_PAGE;
		}
		if (ended)
			return FEED_END;
		if (c->quiet < f->complete) {
			fed->ts = c->quiet = f->complete;
			return FEED_QUIET;
		}
		next_round(f);
	}
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
	f->feed.next = wake_next;
	return 0;
}

u64 wake_feed_since(const struct kept_feed *f, u64 ts)
{
	u64 before = (f->complete > ts ? f->complete - ts : 0) + SLACK_MS * 1000000;

	return f->complete_since > before ? f->complete_since - before : 0;
}
