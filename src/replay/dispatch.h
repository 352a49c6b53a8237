/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What records of each id mean to the replay of an instance.
 */
#ifndef HIST_REPLAY_DISPATCH_H
#define HIST_REPLAY_DISPATCH_H

#include "replay/replay.h"
#include "replay/stream.h"

/* Owns: lives in @arena. NULL without memory. */
struct dispatch_table *dispatch_table_new(struct hist *h, const struct recording *rec,
					  const struct trace_array *tr,
					  const struct run_needs *needs, struct arena *arena);

#endif
