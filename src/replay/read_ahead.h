/* SPDX-License-Identifier: LGPL-2.1-only */
/* Replay in order by two threads: one reads records, another one counts them, or derives events. */
#ifndef HIST_REPLAY_READ_AHEAD_H
#define HIST_REPLAY_READ_AHEAD_H

#include "replay/prefetch.h"
#include "replay/way.h"

/* All records of a pass. @inflating: NULL, or what the second thread does while it waits */
int read_ahead(struct worker *w, struct ring_buffer_merge *merge, struct prefetch *inflating);

#endif
