/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Windows: parts of a recording around a span of time, so that a large one need not be read for a
 * moment of it.
 *
 * What is found in a window is true if nothing outside could have changed it. Whoever needs what is
 * not certain marks that: a deriver (derive_unsure()), a name (NAMES_UNSURE), an interval that is
 * open there. Then a larger window is read. Part of replay.h; do not include it directly.
 */
#pragma once

/*
 * How much is read before and after the span, 0 at first; at most one part of ->most. More is
 * needed at the ends that are set, or at both.
 */
struct window_margins {
	u64 before, after, most;
	bool early, late;
};

/* Whether windows can be read; otherwise, the recording is. */
bool replay_windows_fit(const struct hist *h);

/* The same for what was set up: all that is read is certain in a window, or tells that it is not.
 */
bool replay_window_fits(const struct hist *h);

/* The next larger window. False: it is most of the recording. */
bool replay_window_next(struct replay_window *w, struct window_margins *margins, u64 from, u64 to,
			const struct recordings_times *times);

/* What derivers and names tell about the replayed window. */
struct ordered;
void replay_window_judge(struct replay_window *w, const struct ordered *o,
			 const struct names *names, const struct replay_account *account);

/*
 * If the replay that follows derives events of a span, find the smallest of these windows in which
 * they are certain, by replaying it, and set h->window; otherwise it is not on.
 */
int replay_window_find(struct hist *h);
