/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Counts a question while events are recorded: a thread replays a feed, and passes on the tables
 * after each interval, as of a moment at which no earlier event was missing. Or the kernel counts:
 * then the thread reads its files hist after each interval, and nothing is recorded.
 */
#pragma once
#include <pthread.h>

#include "live/by_kernel.h"
#include "tracefs/tracefs.h"

/* Of a refresh. */
struct counting_state {
	u64 at;             /* CLOCK_MONOTONIC */
	u64 first, last;    /* times of the events so far */
	u64 taken, skipped; /* sub-buffers: all, and those that were not counted */
	u64 behind;         /* ns between the recording and the counting of the last events */
};

/* Everything is borrowed until counting_release(). Context: of the callbacks, the thread */
struct counting_options {
	struct hist_run_options run; /* only what determines what is counted */
	u64 interval;                /* ns */
	u64 memory;                  /* bytes that histograms may use */
	enum live_way way;           /* who counts */
	bool explain;                /* note who counts, and why */
	/* the next table of a refresh, which the callee frees. 0, < 0: the thread ends */
	int (*take)(void *arg, const struct taken_result *t);
	/* all tables were passed */
	void (*refreshed)(void *arg, const struct counting_state *state);
	void *arg;
};

struct counting {
	const struct counting_options *options;
	struct hist *h;
	struct hist_script *script;
	struct kept_feed feed;
	struct by_kernel by_kernel;
	struct counting_state state;
	_Atomic u64 lost;   /* events that the kernel lost so far */
	u64 next;           /* CLOCK_MONOTONIC: of the next refresh */
	struct diags diags; /* of the thread */
	pthread_t thread;
	bool running;
	int err;
	bool dropped;      /* the kernel counts, and had no room for all rows */
	_Atomic bool done; /* ->err is set */
};

/* As live_prepare(), which describes the arguments. */
int counting_prepare(struct counting *c, const struct counting_options *options,
		     const char *machine, struct span script, struct diags *diags);

/* What the kernel would have to do to count; NULL: it cannot, or must not. Owned by @c */
const struct record_until *counting_until(struct counting *c);

/* Of struct record_keep: start and stop. */
int counting_start(struct counting *c, struct kept *kept, struct diags *diags);
/* @stop: what was not counted yet is of no interest */
void counting_join(struct counting *c, bool stop);

void counting_release(struct counting *c);
