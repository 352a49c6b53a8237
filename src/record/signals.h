/* SPDX-License-Identifier: LGPL-2.1-only */
/* Signals as a readable descriptor, during a recording. */
#ifndef HIST_RECORD_SIGNALS_H
#define HIST_RECORD_SIGNALS_H

#include <signal.h>

#include "base/base.h"

struct signals {
	int fd; /* readable after a signal */
	sigset_t old_mask;
	struct sigaction old_pipe, old_xfsz;
	unsigned int count; /* number of INT, TERM, HUP and QUIT so far */
	int first, last;
	bool last_by_process; /* not from the terminal, so the command did not receive it */
};

/* Block the signals; from now on no signal ends the process. */
int signals_open(struct signals *sig, struct diags *diags);

/* Count the signals that arrived; true if one of them requests a stop. */
bool signals_read(struct signals *sig);

/* Restore mask and dispositions, for the command. */
void signals_restore(const struct signals *sig);
void signals_close(struct signals *sig);

#endif
