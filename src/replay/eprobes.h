/* SPDX-License-Identifier: LGPL-2.1-only */
/* Eprobes whose format was recorded, but no event. */
#ifndef HIST_REPLAY_EPROBES_H
#define HIST_REPLAY_EPROBES_H

#include "replay/stream.h"

/* Before a replay: mark those that it makes (probe->made). 0, or an error of reading */
int eprobes_find_unrecorded(const struct tracing *t, const struct stream *streams, size_t n,
			    struct diags *diags);

#endif
