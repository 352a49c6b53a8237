/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Signals as a readable descriptor, and the recorded command: forked early, released when the
 * recording has started.
 */
#pragma once
#include <signal.h>

#include "base/base.h"

struct signals {
	int fd; /* readable after a signal */
	sigset_t old_mask;
	struct sigaction old_pipe, old_xfsz;
	unsigned int count; /* number of INT, TERM, HUP and QUIT so far */
	int first, last;
	bool asked;           /* SIGUSR1 arrived */
	bool last_by_process; /* not from the terminal, so the command did not receive it */
};

/* Block the signals, with @ask also SIGUSR1; from now on no signal ends the process. */
int signals_open(struct signals *sig, bool ask, struct diags *diags);

/* Count the signals that arrived; true if one of them requests a stop. */
bool signals_read(struct signals *sig);

void signals_close(struct signals *sig);

struct passwd;

struct command {
	pid_t pid;  /* 0: no command, or already waited for */
	int go;     /* the child waits for a byte; end of file: it must not run */
	int failed; /* the child's errno, or end of file after exec */
	bool ended;
	int status;
	struct passwd *user; /* the user to run it as; NULL: the caller */
	gid_t *groups;       /* groups of the user */
	int n_groups;
};

#define COMMAND_INIT                   \
	{                              \
		.go = -1, .failed = -1 \
	}

/**
 * command_fork() - fork a child that waits for command_go()
 * @user: user to run it as; NULL: the caller
 *
 * Context: before any thread is started
 * Return:  0, -HIST_ENOENT for an unknown user, -HIST_EIO
 */
int command_fork(struct command *c, char *const *argv, const char *user, const struct signals *sig,
		 struct diags *diags);

/* Release the child; 0 or the errno of exec. */
int command_go(struct command *c);

bool command_ended(struct command *c);

/* Forward a signal. */
void command_signal(const struct command *c, int signal);

/* Release everything. A command that was not started never runs; a running one continues. */
void command_release(struct command *c);
