/* SPDX-License-Identifier: LGPL-2.1-only */
/* The state of a recording, for the steps of record.c that are files of their own. */
#pragma once
#include <poll.h>

#include "record/command.h"
#include "record/record_stream.h"
#include "record/rotate.h"
#include "record/steps.h"
#include "record/task_journal.h"
#include "record/until.h"

/* Of a moment: CLOCK_MONOTONIC, and since the start the time of all threads, and what was moved. */
struct watch_sample {
	u64 at, cpu, bytes, events;
};

enum { WATCH_SAMPLES = 6 };

struct watch {
	struct watch_sample v[WATCH_SAMPLES];
	size_t n;
	char why[120]; /* the recording must end */
};

/* What a recording waits for: signals, failed readers, a file that is wanted while it rests. */
enum run_fd { RUN_SIGNALS, RUN_FAILED, RUN_WANTED, RUN_FDS };

struct record_run {
	const struct record_plan *plan;
	struct record_result *result;
	struct diags *diags;
	struct signals sig;
	struct workdir work;
	struct undo undo;
	struct event_list list;
	struct selection sel;
	struct session session;
	struct tasks tasks;
	struct command command;
	struct readers readers;
	const struct record_keep *keep; /* NULL: everything is in one file */
	struct kept kept;               /* with ->keep */
	struct until until;             /* with ->keep->until, if the kernel can do that */
	struct rotate rotate;           /* with plan->rotate */
	struct record_stream stream;    /* with plan->stream */
	u64 spent;                      /* of the reserve, for the current file */
	struct watch watch;
	const char *stopped;      /* why it ended early; NULL: it did not */
	ARRAY(s32) pids;          /* threads that the recording is limited to */
	ARRAY(struct pollfd) fds; /* enum run_fd, then the processes of -P */
	bool unwatched;           /* some of these processes have no descriptor */
	u64 started;              /* CLOCK_MONOTONIC */
	char *moved;              /* the output instead of that of the plan, see rescue.c */
};

/* Whether a signal arrived. One that was sent only to this process is forwarded to the command. */
bool run_stop_requested(struct record_run *run);

/* --- watch.c: about once a second; whether ->stopped is set, @p is set otherwise --- */
bool watch_tick(struct record_run *run, struct record_progress *p);

/* --- record_files.c: a recording with ->keep --- */

/* Reserved in case the disk is full at the end: the parts of a file other than events. */
u64 run_reserved(const struct record_run *run);

/* Write the files that are due. Return: whether the recording has what it was made for */
bool run_write_due(struct record_run *run, bool ended);

/* If the last file could not be written, its events can be recovered. */
void run_keep_unwritten(struct record_run *run);
