/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Evaluates conditions on the sub-buffers that a recording keeps, in a thread of its own: a replay
 * of kept_feed.h; or takes the events that the kernel found, of wake_feed.c.
 */
#pragma once
#include <pthread.h>

#include "hist-events.h"
#include "live/flight.h"
#include "live/kept_feed.h"

/* The events of the conditions, each once. */
struct match_choices {
	struct arena arena;
	ARRAY(struct hist_event_choice) v;
};

struct matcher {
	struct hist *h;
	struct hist_script *script;
	struct hist_events *events; /* NULL: not open */
	struct kept *kept;          /* until the thread is joined */
	struct kept_feed feed;
	u64 early, most; /* as in struct kept, after that */
	bool used_rings; /* of the kernel, to keep in them */
	size_t small_rings;
	u64 ring_lasts; /* the shortest of those */
	u64 lost;       /* events that the kernel waited for, and had no room for */
	struct match_choices choices;

	pthread_t thread;
	bool running;
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

/* Open the description of the machine, for conditions and the script. 0, < 0 with a diagnosis */
int match_open(struct matcher *m, const char *machine, struct diags *diags);

/* Find the events of the conditions. 0, < 0 with a diagnosis */
int match_choose(struct matcher *m, const struct live_options *options, struct diags *diags);

/* Open the replay of the conditions. Return: 0, < 0 with a diagnosis */
int match_start(struct matcher *m, struct kept *kept, struct diags *diags);

/* The thread has evaluated everything, or is stopped. */
void match_join(struct matcher *m, bool stop);

void match_release(struct matcher *m);

/* The time of the trace clock at which the user asks for a file. */
u64 match_now(struct matcher *m);

/* Tell the readers what is needed; ->mutex is held. */
void match_limit(struct matcher *m);
