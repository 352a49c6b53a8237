/* SPDX-License-Identifier: LGPL-2.1-only */
/* What is said after a replay. */
#ifndef HIST_REPLAY_ACCOUNT_H
#define HIST_REPLAY_ACCOUNT_H

#include "replay/replay.h"
#include "replay/stream.h"

/* Adds up h->account of the @n @streams, warns, and sets h->doubtful. */
void replay_account(struct hist *h, const struct stream *streams, size_t n, struct diags *diags);

#endif
