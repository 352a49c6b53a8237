/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A source that gives only the records of one part of the keys. Each thread reads all streams by
 * itself: that all of them decode costs less than handing records over, since a line of memory
 * that one processor wrote reaches another one late.
 */
#ifndef HIST_REPLAY_PARTITION_H
#define HIST_REPLAY_PARTITION_H

#include "replay/replay.h"
#include "replay/source.h"
#include "ring_buffer/merge.h"

struct partition {
	struct source *source;
	const struct replay_span *span;
	u32 part, n_parts; /* from 1 */
	u64 last;          /* time of the last record that was read */
	bool backwards;    /* a time was lower than the one before it */
	/* what it counts is the same in all parts */
	u64 *counts; /* by id: records in the span */
	u64 short_records;
};

/* For ring_buffer_merge_init_sources(); @p is borrowed. */
struct ring_buffer_source partition_of_merge(struct partition *p);

#endif
