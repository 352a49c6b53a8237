/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The events that the kernel waited for (record/until.h) as the feed of a replay. Its thread sleeps
 * in the kernel until there is one.
 *
 * A round ends when something happens. Then everything that was recorded some milliseconds ago is
 * complete in the instance, and is read in the round.
 */
#ifndef HIST_LIVE_WAKE_FEED_H
#define HIST_LIVE_WAKE_FEED_H

#include "live/kept_feed.h"
#include "record/until.h"

/*
 * Take the events from ->kept->until. @f: open; ->complete and ->replayed are about its events, and
 * ->replayed is called when what is kept is as complete. Return: 0, -HIST_ENOMEM
 */
int wake_feed_open(struct kept_feed *f);

/* CLOCK_MONOTONIC: an event of this time of the trace clock was not recorded earlier. */
u64 wake_feed_since(const struct kept_feed *f, u64 ts);

#endif
