/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A source that delivers only the records of one part of the keys. Each thread reads all streams
 * itself: decoding them in every thread costs less than passing records between threads, because a
 * cache line written by one processor is slow to reach another.
 */
#ifndef HIST_REPLAY_PARTITION_H
#define HIST_REPLAY_PARTITION_H

#include "replay/replay.h"
#include "replay/source.h"
#include "ring_buffer/merge.h"

struct partition {
	struct source *source;
	const struct replay_span *span;
	const struct run_source *from; /* for filters and keys; NULL: they need no names */
	u32 part, n_parts;             /* from 1 */
	u64 last;                      /* time of the last record read */
	bool backwards;                /* a time stamp was lower than the previous one */
	/* counts records that all parts read */
	u64 *counts; /* by id: records in the span */
	u64 short_records;
};

/* For ring_buffer_merge_init_sources(); borrows @p. */
struct ring_buffer_source partition_of_merge(struct partition *p);

#endif
