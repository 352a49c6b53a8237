/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a recording lacks.
 */
#ifndef HIST_REPLAY_LOST_H
#define HIST_REPLAY_LOST_H

#include "replay/replay.h"
#include "replay/stream.h"

/* Records that no sub-buffer tells about. */
struct lost {
	u64 dropped, commit_overrun;
};

/* As the file's statistics of @cpu say; @buffer is an index of rec->buffers. */
struct lost lost_of(const struct recording *rec, size_t buffer, u32 cpu);

/* The warning for @n damaged sub-buffers, if there are any; they count as missing input. */
void say_damaged(struct replay_account *sum, const struct recording *rec, u32 cpu, u64 n,
		 struct diags *diags);

/* Add what a pass over @s found out to @sum, and say it. */
void account_stream(const struct stream *s, struct replay_account *sum, struct diags *diags);

#endif
