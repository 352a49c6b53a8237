/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tasks that --pid, --comm and --tree select in a recording. */
#ifndef HIST_TRACEFS_CHOOSE_TASKS_H
#define HIST_TRACEFS_CHOOSE_TASKS_H

#include "hist.h"
#include "recording/recording.h"

/* Fill in machine.tasks. Return: 0, -HIST_EINVAL, -HIST_ENOENT, another code */
int tasks_choose(struct recordings *r, const struct hist_options *options, struct diags *diags);

#endif
