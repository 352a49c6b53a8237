/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reports after a replay. */
#pragma once
#include "replay/replay.h"

/* Whether all maps had enough memory. 0, -HIST_ENOMEM, -HIST_ELIMIT */
int replay_check_memory(const struct hist *h, struct diags *diags);

/* Before a replay: set h->caveats to those of the recordings that concern the replayed events. */
void replay_collect_caveats(struct hist *h, const struct stream *streams, size_t n);

/* After it: sum up losses and damage in h->account, warn, complete h->caveats. */
void replay_account_streams(struct hist *h, const struct stream *streams, size_t n,
			    struct diags *diags);

/* Sum up rows whose tasks are guessed or, if @who was asked, unknown. */
void replay_account_names(struct hist *h, struct names *names, bool who, struct diags *diags);

/*
 * Note what limited the recordings (hist record -f, -F, -P), as far as a question or an enabled
 * event reads limited events.
 */
void replay_note_limits(const struct hist *h, const struct stream *streams, size_t n,
			struct diags *diags);

/* Report the rest, and set h->doubtful. */
void replay_account(struct hist *h, const struct stream *streams, size_t n, struct diags *diags);

/* Tasks and times that hist slim selected must be those of all files. 0, -HIST_EINVAL */
int replay_check_selections(struct hist *h, struct diags *diags);
