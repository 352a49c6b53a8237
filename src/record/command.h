/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The command that is recorded: forked early, let go when everything records.
 */
#ifndef HIST_RECORD_COMMAND_H
#define HIST_RECORD_COMMAND_H

#include <sys/types.h>

#include "base/base.h"
#include "record/signals.h"

struct passwd;

struct command {
	pid_t pid;  /* 0: none, or it has been waited for */
	int go;     /* the child waits for a byte; end of file: it must not run */
	int failed; /* the child's errno, or end of file when it runs */
	bool ended;
	int status;
	struct passwd *user; /* who the child becomes; NULL: stays the caller */
	gid_t *groups;       /* of the user */
	int n_groups;
};

#define COMMAND_INIT                   \
	{                              \
		.go = -1, .failed = -1 \
	}

/**
 * command_fork() - a child that waits for command_go()
 * @user: who runs it; NULL: the caller
 *
 * Context: before any thread is started
 * Return:  0, -HIST_ENOENT for an unknown user, -HIST_EIO
 */
int command_fork(struct command *c, char *const *argv, const char *user, const struct signals *sig,
		 struct diags *diags);

/* Let it run; 0 or the errno of exec. */
int command_go(struct command *c);

/* Whether it has ended; looks and does not wait. */
bool command_ended(struct command *c);

/* Pass a signal on. */
void command_signal(const struct command *c, int signal);

/* A command that was not let go never runs; one that runs goes on. */
void command_release(struct command *c);

#endif
