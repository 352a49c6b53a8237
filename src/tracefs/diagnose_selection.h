/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reports what a selection of CPUs, times and tasks leaves out that a script needs. */
#ifndef HIST_TRACEFS_DIAGNOSE_SELECTION_H
#define HIST_TRACEFS_DIAGNOSE_SELECTION_H

#include "replay/replay.h"

/*
 * After a run: a selection outside the recording, or of which nothing was counted, is a note; one
 * that cuts pairs of events is a warning, and the result doubtful.
 */
void selection_diagnose(struct hist *h, struct diags *diags);

#endif
