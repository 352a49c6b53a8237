/* SPDX-License-Identifier: LGPL-2.1-only */
/* What an answer in a window needs; see replay/window.h. */
#pragma once
#include "replay/replay.h"
#include "why/why_tree.h"

/* Which tasks run on all CPUs is known from their first switches in the window on. */
struct why_watch {
	const struct replay_window *window;
	u32 id;           /* of sched_switch */
	u32 rare[8];      /* of those whose effect may last long; 0: none */
	ARRAY(u64) first; /* of each CPU; UINT64_MAX: none so far, 0: it has no records */
	bool any_rare;
	bool failed; /* out of memory */
};

void why_watch_init(struct why_watch *w, const struct hist *h);
void why_watch_release(struct why_watch *w);

/* For members of struct replay_observer; without a window, records are not looked at. */
void why_watch_stream(struct why_watch *w, const struct stream *s);
void why_watch_record(struct why_watch *w, const struct observed *o);

/* Whether it is known what all CPUs do at @ts. */
bool why_watch_knows(const struct why_watch *w, u64 ts);

/* Whether an interval that is "start", "end" or "both" may be longer in the recording. */
bool why_window_opens(const struct replay_window *w, struct span open);

/* Whether an event was recorded in a window, if no more is known than that it may have been. */
bool why_window_has(const struct hist *h, const char *event);
