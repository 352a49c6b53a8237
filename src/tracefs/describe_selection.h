/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names the selection that the options and smaller recordings make, for results. */
#ifndef HIST_TRACEFS_DESCRIBE_SELECTION_H
#define HIST_TRACEFS_DESCRIBE_SELECTION_H

#include "hist.h"
#include "replay/replay.h"

/* Fill in h->selection. Return: 0, -HIST_ENOMEM */
int selection_describe(struct hist *h, const struct hist_options *options);

#endif
