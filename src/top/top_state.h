/* SPDX-License-Identifier: LGPL-2.1-only */
/* What the threads of hist top share. */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "live/counting.h"
#include "top/top.h"
#include "top/top_screen.h"

/* Numbers of the recording at some time. */
struct top_sample {
	u64 at; /* CLOCK_MONOTONIC; 0: none */
	u64 events, lost;
};

struct top {
	const struct top_options *options;
	struct diags *diags;
	struct counting_options counted;
	struct counting counting;
	struct record_keep keep;
	struct arena arena;
	bool terminal;        /* the answer is shown on one */
	bool counts;          /* the kernel does */
	size_t next;          /* table of the refresh that is being taken */
	u64 cpu_at, cpu_used; /* of the last status */

	pthread_t thread;
	bool running;
	_Atomic bool quit;  /* the user has seen enough, or the output is closed */
	_Atomic bool ended; /* there are no more refreshes */
	int err;            /* errno of the output */
	int misused;        /* < 0: an option does not fit what is counted */

	pthread_mutex_t mutex; /* of what follows */
	pthread_cond_t changed;
	ARRAY(struct top_rows) tables;
	struct counting_state state; /* of the last refresh */
	u64 refreshes;
	struct top_sample seen;         /* the last one of the recording */
	struct top_sample before, last; /* of the last two refreshes */
	bool paused;                    /* new refreshes are dropped */
};

/* The status now; @time is a buffer for its text. Context: the mutex is held */
struct top_status top_status(struct top *t, char time[static 16]);

/* The output cannot be written: end. */
static inline void top_fail(struct top *t, int why)
{
	t->err = why;
	atomic_store(&t->quit, true);
}

/* --- the thread that shows: until ->ended or ->quit --- */

/* On a terminal: top_interactive.c. */
void *top_interactive(void *top);

/* As text, ndjson or a file for openmetrics: top_stream.c. */
void *top_stream(void *top);

/* Write all tables as a result to a new file. 0, -1 with errno. Context: the mutex is held */
int top_write(struct top *t, const char *path);
