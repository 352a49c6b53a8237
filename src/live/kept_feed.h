/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The sub-buffers that a recording keeps (record/kept.h), as they come, as the feed of a replay
 * (replay/feed.h).
 *
 * Time goes in rounds. A round takes the time of the latest record of all CPUs, and waits until
 * each reader has moved what was recorded before that: then no record up to this time is missing,
 * and the merge may pass CPUs that are silent.
 */
#pragma once
#include <stdatomic.h>

#include "record/until.h"
#include "replay/replay.h"

/* The reading of one CPU. */
struct kept_feed_cpu {
	u64 next;    /* number of the next sub-buffer */
	u64 end;     /* and one after the last whose events have names that are known */
	u64 quiet;   /* the merge knows that there is nothing before this time */
	u64 last_of; /* number of the sub-buffer of ->last, plus 1 */
	u64 last;    /* time of the last record that was moved */
	char *page;  /* the sub-buffer that is replayed */
};

struct kept_feed {
	struct replay_feed feed;
	struct kept *kept; /* until the replay ends */
	size_t n_cpus;
	struct kept_feed_cpu *cpus;
	u32 *numbers;        /* of the CPUs */
	char *scratch;       /* a sub-buffer */
	char *ahead;         /* one that was asked for ahead of its time */
	struct names *names; /* of the replay; NULL: not asked, or there is no journal of tasks */
	char comm[16];       /* without a journal */
	bool forgot;         /* lines about tasks are missing */
	int err;             /* of ->wait */
	struct ring_buffer_layout layout;
	struct diags *diags; /* of the replay */

	/* All records before ->complete were replayed. Context: the thread of the replay */
	void (*replayed)(void *arg);
	void *arg;

	/* The next sub-buffer of a CPU: 1; 0: none now; < 0. @ended: there will not be more */
	int (*take)(struct kept_feed *f, size_t i, bool ended, struct fed *fed);
	/* Everything before ->complete was replayed: report that, and wait for more. */
	void (*wait)(struct kept_feed *f);

	u64 complete;       /* no record before this time is missing */
	u64 complete_since; /* CLOCK_MONOTONIC: no later record was recorded earlier than this */
	u64 latest;         /* the time of the last record that was moved */
	u64 round;          /* CLOCK_MONOTONIC: the start of the round of ->complete */
	u64 taken, skipped; /* sub-buffers: all, and those that were not replayed */
	u64 behind;         /* ns, at most */
	/* with ->kept->until, see wake_feed.c */
	bool woke;           /* there were sub-buffers in this round */
	_Atomic bool wanted; /* a file is to be written when what is kept is complete */
	_Atomic bool asleep; /* there is nothing to replay */
	_Atomic bool ended;  /* all sub-buffers were moved */
	_Atomic bool stop;   /* the rest is of no interest */
};

/*
 * @layout: of the recorded machine; ->replayed, ->arg and ->diags are the caller's. Return: 0,
 * -HIST_ENOMEM: release it, too
 */
int kept_feed_open(struct kept_feed *f, struct kept *kept, const struct ring_buffer_layout *layout);
void kept_feed_release(struct kept_feed *f);

/* Sleep for less than a second. */
void kept_feed_pause(long ms);

/* Whether kept_feed_end() was called. */
bool kept_feed_is_over(const struct kept_feed *f);

/* The replay ends when it has replayed everything, or, with @stop, at once. */
void kept_feed_end(struct kept_feed *f, bool stop);

/* The time of the first record that is kept; 0: there is none yet. Context: as ->replayed */
u64 kept_feed_start(struct kept_feed *f);

/* The time of the last record that was moved; 0: there is none. Context: as ->replayed */
u64 kept_feed_latest(struct kept_feed *f);

/* --- wake_feed.c: the events that the kernel waited for (record/until.h), as the same feed --- */

/*
 * Take the events from ->kept->until. @f: open; ->complete and ->replayed are about its events, and
 * ->replayed is called when what is kept is as complete. Return: 0, -HIST_ENOMEM
 */
int wake_feed_open(struct kept_feed *f);

/* CLOCK_MONOTONIC: an event of this time of the trace clock was not recorded earlier. */
u64 wake_feed_since(const struct kept_feed *f, u64 ts);
