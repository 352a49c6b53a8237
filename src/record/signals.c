// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Receives INT, TERM, HUP, QUIT and CHLD through a signalfd: no code runs in a handler, and a
 * recording ends only between two of its steps. Writing to a closed pipe or a full disk makes
 * write() fail instead of raising a signal. kernel: a blocked signal is queued even if it is
 * ignored, so INT works in a background job of a script; HUP under nohup must be excluded
 * explicitly.
 */
#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "record/signals.h"

int signals_open(struct signals *sig, struct diags *diags)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction hup;
	sigset_t set;

	*sig = (struct signals){ .fd = -1 };
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (sigaction(SIGHUP, NULL, &hup) || hup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &sig->old_mask);
	sigaction(SIGPIPE, &ignore, &sig->old_pipe);
	sigaction(SIGXFSZ, &ignore, &sig->old_xfsz);
	sig->fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return sig->fd < 0 ? diags_error(diags, -HIST_EIO, "cannot open a signalfd: %s",
					 strerror(errno))
			   : 0;
}

bool signals_read(struct signals *sig)
{
	struct signalfd_siginfo info;
	bool stop = false;

	while (read(sig->fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			continue;
		stop = true;
		sig->last = (int)info.ssi_signo;
		sig->last_by_process = info.ssi_code <= 0; /* SI_USER, not SI_KERNEL */
		if (!sig->count++)
			sig->first = sig->last;
	}
	return stop;
}

void signals_restore(const struct signals *sig)
{
	sigaction(SIGPIPE, &sig->old_pipe, NULL);
	sigaction(SIGXFSZ, &sig->old_xfsz, NULL);
	sigprocmask(SIG_SETMASK, &sig->old_mask, NULL);
}

void signals_close(struct signals *sig)
{
	fd_close(sig->fd);
	signals_restore(sig);
	sig->fd = -1;
}
