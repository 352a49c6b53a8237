/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Which files are written for which events.
 *
 * An event that is not ignored opens a window: from keep_ns before it to after_ns after it. Events
 * up to its end belong to it, and prolong it, so that each has what follows it; an event after that
 * opens the next one. A window is due when everything up to its end was evaluated.
 */
#pragma once
#include "live/live.h"

/* Of a window; more events are counted. */
enum { FLIGHT_MARKS = 1000, FLIGHT_WINDOWS = 64, FLIGHT_LISTED = 20 };

struct flight_window {
	u64 first, last; /* times of its events */
	u64 since;       /* its first event was not earlier than this, in CLOCK_MONOTONIC */
	size_t n_marks;
	struct strbuf marks;      /* their lines, see record.h */
	struct strbuf first_text; /* "EVENT on CPU N at T" */
};

struct flight {
	const struct live_options *options;
	ARRAY(struct flight_window) windows; /* that are not written yet, in order */
	u64 start;                           /* time of the first record; 0: none yet */
	u64 by_event, last;                  /* windows of events; the time of the last event */
	u64 matched, unarmed, cooled, beyond, crowded; /* events; those that were ignored */
};

struct flight_event {
	u64 ts, since;
	u32 cpu;
	s32 pid;
	const char *name; /* "system:event" */
	const char *text;
};

void flight_release(struct flight *f);

/* An event for which a condition holds. 0, -HIST_ENOMEM */
int flight_event(struct flight *f, const struct flight_event *e);

/* A window that the user asks for. 0, -HIST_ENOMEM */
int flight_ask(struct flight *f, const struct flight_event *e);

/*
 * Take the first window if it is due. @evaluated: all earlier events were evaluated. The caller
 * releases it.
 */
bool flight_take(struct flight *f, u64 evaluated, struct flight_window *w);
void flight_window_release(struct flight_window *w);

/* Whether there are as many windows of events as files are wanted. */
bool flight_is_full(const struct flight *f);

/* CLOCK_MONOTONIC: what the windows need was filled later; UINT64_MAX: nothing is needed. */
u64 flight_needs(const struct flight *f);
