/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reports after a replay. */
#ifndef HIST_REPLAY_ACCOUNT_H
#define HIST_REPLAY_ACCOUNT_H

#include "replay/replay.h"
#include "replay/stream.h"

/* Sum up the accounts of the @n @streams in h->account, warn, and set h->doubtful. */
void replay_account(struct hist *h, const struct stream *streams, size_t n, struct diags *diags);

#endif
