/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Evaluates conditions on the sub-buffers that a recording keeps, in a thread of its own: a replay
 * (replay/feed.h) that waits for them.
 *
 * Time goes in rounds. A round takes the time of the latest record of all CPUs, and waits until
 * each reader has moved what was recorded before that: then no record up to this time is missing,
 * and the merge may pass CPUs that are silent.
 */
#ifndef HIST_LIVE_MATCH_H
#define HIST_LIVE_MATCH_H

#include <pthread.h>
#include <stdatomic.h>

#include "hist-events.h"
#include "live/flight.h"
#include "record/kept.h"
#include "replay/replay.h"

/* The reading of one CPU. */
struct match_cpu {
	u64 next;    /* number of the next sub-buffer */
	u64 quiet;   /* up to this time the merge knows that there is nothing */
	u64 last_of; /* number of the sub-buffer of ->last, plus 1 */
	u64 last;    /* time of the last record that was moved */
	char *page;  /* the sub-buffer that is replayed */
};

struct matcher {
	struct hist *h;
	struct hist_script *script;
	struct hist_events *events; /* NULL: not open */
	struct replay_feed feed;
	struct kept *kept; /* until the thread is joined */
	size_t n_cpus;
	u64 early, most; /* as in struct kept, after that */
	struct match_cpu *cpus;
	u32 *numbers;  /* of the CPUs */
	char *scratch; /* a sub-buffer */
	char comm[TASK_LOG_NAME];
	struct ring_buffer_layout layout;

	u64 complete;       /* no record up to this time is missing */
	u64 complete_since; /* CLOCK_MONOTONIC: no later record was recorded earlier than this */
	u64 round;          /* CLOCK_MONOTONIC: the start of the round of ->complete */
	u64 taken, skipped; /* sub-buffers: all, and those that were not evaluated */
	u64 behind;         /* ns, at most */

	pthread_t thread;
	bool running;
	_Atomic bool ended; /* all sub-buffers were moved */
	_Atomic bool stop;  /* the rest is of no interest */
	int err;            /* of the thread, when it has ended */
	_Atomic bool done;  /* ->err is set */
	struct diags diags; /* of the thread */

	pthread_mutex_t mutex; /* of what follows */
	struct flight flight;
	u64 evaluated; /* all records up to this time; UINT64_MAX: all */
	u64 latest;    /* the last record that was moved */
	u64 progress;  /* CLOCK_MONOTONIC: no record that is not evaluated is earlier */
	u64 writing;   /* what the file needs that is being written; UINT64_MAX: none */
};

/* Open the replay of the conditions. Return: 0, < 0 with a diagnosis */
int match_start(struct matcher *m, const struct live_options *options, struct kept *kept,
		struct diags *diags);

/* The thread has evaluated everything, or is stopped. */
void match_join(struct matcher *m, bool stop);

void match_release(struct matcher *m);

/* Tell the readers what is needed; ->mutex is held. */
void match_limit(struct matcher *m);

#endif
