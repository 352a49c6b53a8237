/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Signals as something to read, for the time of a recording.
 */
#ifndef HIST_RECORD_SIGNALS_H
#define HIST_RECORD_SIGNALS_H

#include <signal.h>

#include "base/base.h"

struct signals {
	int fd; /* readable when a signal came */
	sigset_t old_mask;
	struct sigaction old_pipe, old_xfsz;
	unsigned int count; /* of INT, TERM, HUP and QUIT so far */
	int first, last;
	bool last_by_process; /* not from the terminal, so the command has not got it */
};

/* Block and ignore; from here on a signal ends nothing by itself. */
int signals_open(struct signals *sig, struct diags *diags);

/* Count what came; true if one of them asks to stop. */
bool signals_read(struct signals *sig);

/* Mask and dispositions as they were, for the command. */
void signals_restore(const struct signals *sig);
void signals_close(struct signals *sig);

#endif
