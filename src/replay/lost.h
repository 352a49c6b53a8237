/* SPDX-License-Identifier: LGPL-2.1-only */
/* Losses of a recording. */
#ifndef HIST_REPLAY_LOST_H
#define HIST_REPLAY_LOST_H

#include "replay/replay.h"
#include "replay/stream.h"

/* Losses that sub-buffers do not show. */
struct lost {
	struct trace_dat_lost stats;
	u64 noted; /* CAVEAT_LOST of the file */
	bool noted_unknown;
};

static inline u64 lost_sum(const struct lost *lost)
{
	return add_saturated(add_saturated(lost->stats.dropped, lost->stats.commit_overrun),
			     lost->noted);
}

/* Read them from the file's options for @cpu; @buffer is an index of rec->buffers. */
struct lost lost_of(const struct recording *rec, size_t buffer, u32 cpu);

/* Warn of @n damaged sub-buffers, if any; they count as missing input. */
void say_damaged(struct replay_account *sum, const struct recording *rec, u32 cpu, u64 n,
		 struct diags *diags);

/* Add the losses that a pass over @s found to @sum, and report them. */
void account_stream(const struct stream *s, struct replay_account *sum, struct diags *diags);

#endif
