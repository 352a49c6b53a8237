/* SPDX-License-Identifier: LGPL-2.1-only */
/* The command of --exec, which is run for each file, and killed after some time. */
#pragma once
#include "base/base.h"

struct live_run {
	pid_t pid;
	u64 since; /* CLOCK_MONOTONIC */
	char *file;
	bool killed;
};

struct live_runs {
	const char *command; /* NULL: none */
	u64 limit_ns;
	ARRAY(struct live_run) all; /* that have not ended */
	u64 started, failed;
};

/* What the command finds in its environment. */
struct live_run_of {
	const char *file;  /* HIST_FILE */
	const char *event; /* HIST_EVENT */
	u64 ts;            /* HIST_TIME, in seconds of the trace clock */
};

/* Run the command. What fails is appended to @failure as a line without a newline. */
void live_run(struct live_runs *runs, const struct live_run_of *of, struct strbuf *failure);

/* Look after the commands that run; as above, for one that failed or was killed. */
void live_runs_check(struct live_runs *runs, struct strbuf *failure);

/* Kill what still runs. */
void live_runs_release(struct live_runs *runs);
